/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the namespaces of a plan. Items and operations of all namespaces stand in one array each; what is read
 * (mirror, ledger) is switched by nctl_plan_enter. A namespace that is to be made is planned as if it were
 * there with its lo, and everything in it needs the operation that makes it. Sysctls are set before there are
 * links, since new links take over conf/default, but for those that name a link.
 */
#include "plan/parts.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

void nctl_plan_enter(struct builder *b, uint32_t netns)
{
	const struct nctl_plan_netns *n = &b->plan->netns[netns];

	b->netns = netns;
	b->have = n->there ? n->have : b->plan->fresh;
	b->ledger = n->there ? n->ledger : NULL;
}

bool nctl_plan_netns_is_doomed(const struct nctl_plan_netns *n)
{
	return !n->want && n->name && n->there && n->ours;
}

/* As a new namespace comes from the kernel: lo alone, down (drivers/net/loopback.c). */
int nctl_plan_netns_fresh(struct builder *b)
{
	struct nctl_plan *p = b->plan;
	struct nctl_link lo = NCTL_LINK_INIT;
	bool all_there = true;
	int r;

	for (size_t i = 0; i < p->n_netns; i++)
		all_there &= p->netns[i].there;
	if (all_there)
		return 0;
	r = nctl_mirror_new(&p->fresh);
	if (r < 0)
		return r;
	lo.ifindex = 1;
	lo.flags = IFF_LOOPBACK;
	lo.mtu = 65536;
	memcpy(lo.name, "lo", sizeof("lo"));
	lo.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(MASTER) |
	         NCTL_LINK_BIT(GROUP) | NCTL_LINK_BIT(ALIAS) | NCTL_LINK_BIT(ALTNAMES);
	return nctl_mirror_link_put(p->fresh, &lo, NCTL_SOURCE_EVENT);
}

int nctl_plan_netns_init(struct builder *b, const struct nctl_plan_netns *netns, size_t n)
{
	struct nctl_plan *p = b->plan;

	p->netns = calloc(n, sizeof(*p->netns));
	b->netns_made = calloc(n, sizeof(*b->netns_made));
	if (!p->netns || !b->netns_made)
		return -ENOMEM;
	p->n_netns = n;
	for (size_t i = 0; i < n; i++) {
		p->netns[i] = netns[i];
		b->netns_made[i] = NCTL_OP_NONE;
	}
	return 0;
}

struct nctl_op *nctl_plan_netns_op(struct builder *b, enum nctl_op_type type, enum nctl_phase phase)
{
	const struct nctl_plan_netns *n = &b->plan->netns[b->netns];
	struct nctl_op *op = nctl_plan_add(b, type, phase);

	if (!op)
		return NULL;
	op->kind = "netns";
	op->name = n->name;
	if (n->want)
		op->pos = n->want->pos;
	return op;
}

uint32_t nctl_plan_nsid(struct builder *b, uint32_t first, uint32_t second)
{
	const struct nctl_op *last = b->last_nsid != NCTL_OP_NONE ? &b->plan->ops[b->last_nsid] : NULL;
	uint32_t back = b->netns;
	struct nctl_op *op;

	if (!first || !second || first == second)
		return first ? b->netns_made[first] : b->netns_made[second];
	if (last && last->netns == second && last->peer_netns == first)
		return b->last_nsid;
	nctl_plan_enter(b, second);
	op = nctl_plan_netns_op(b, NCTL_OP_NETNS_ID, NCTL_PHASE_NETNS);
	nctl_plan_enter(b, back);
	if (!op)
		return NCTL_OP_NONE;
	op->peer_netns = first;
	op->nsid = NCTL_NSID_NONE;
	op->need[0] = b->netns_made[first];
	b->last_nsid = nctl_plan_last(b);
	return b->last_nsid;
}

bool nctl_plan_is_pair(const struct nctl_plan *p, uint32_t netns, const struct nctl_link *l,
	uint32_t other_netns, const struct nctl_link *other)
{
	bool here = l->lower_nsid == NCTL_NSID_NONE, other_here = other->lower_nsid == NCTL_NSID_NONE;

	if (l->lower != other->ifindex || other->lower != l->ifindex)
		return false;
	if (netns == other_netns)
		return here && other_here;
	if (here || other_here)
		return false;
	/* What an nsid means is known of home only. */
	if (!netns)
		return l->lower_nsid == p->netns[other_netns].nsid;
	return other_netns || other->lower_nsid == p->netns[netns].nsid;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static const char *skip_blanks(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

/* The kernel puts tabs between the numbers of a list, and people put blanks. */
static bool is_same_value(const char *x, const char *y)
{
	x = skip_blanks(x);
	y = skip_blanks(y);
	while (*x && *y) {
		if (is_blank(*x) != is_blank(*y))
			break;
		if (!is_blank(*x) && *x++ != *y++)
			return false;
		if (is_blank(*x) && is_blank(*y)) {
			x = skip_blanks(x);
			y = skip_blanks(y);
			if (!*x || !*y)
				break;
		}
	}
	return !*skip_blanks(x) && !*skip_blanks(y);
}

/* The component behind conf/ or neigh/, if it names one link; its length, 0: it does not. */
static size_t named_link(const char *sysctl, const char **ret)
{
	static const char *const of_all[] = {"all", "default", "lo"};
	const char *part = sysctl, *slash;
	bool next = false;

	for (; (slash = strchr(part, '/')); part = slash + 1) {
		size_t len = (size_t)(slash - part);

		if (!next) {
			next = (len == 4 && !memcmp(part, "conf", 4)) ||
			       (len == 5 && !memcmp(part, "neigh", 5));
			continue;
		}
		for (size_t i = 0; i < NCTL_ARRAY_SIZE(of_all); i++)
			if (len == strlen(of_all[i]) && !memcmp(part, of_all[i], len))
				return 0;
		*ret = part;
		return len;
	}
	return 0;
}

static const char *value_now(const struct nctl_plan_netns *n, size_t i)
{
	return n->there && n->sysctls ? n->sysctls[i] : NULL;
}

static struct nctl_op *set(
	struct builder *b, const struct nctl_want_sysctl *s, const char *now, enum nctl_phase phase)
{
	struct nctl_op *op = nctl_plan_add(b, NCTL_OP_SYSCTL_SET, phase);

	if (!op)
		return NULL;
	op->kind = "sysctl";
	op->name = s->name;
	op->pos = s->pos;
	op->sysctl = s->name;
	op->value = s->value;
	if (now)
		op->old_value = nctl_plan_copy_name(b, now);
	return op;
}

/* What nobody read is taken on trust by a repair. */
static bool is_set(
	const struct builder *b, const struct nctl_plan_netns *n, const char *now, const char *value)
{
	return now ? is_same_value(now, value) : b->opts->repair && n->there;
}

static void set_some(struct builder *b, const struct nctl_plan_netns *n)
{
	const struct nctl_want_netns *w = n->want;
	const char *link;

	for (size_t i = 0; i < w->n_sysctls; i++) {
		const char *now = value_now(n, i);

		if (named_link(w->sysctls[i].name, &link) || is_set(b, n, now, w->sysctls[i].value))
			continue;
		set(b, &w->sysctls[i], now, NCTL_PHASE_NETNS);
	}
}

/* One sentence for a whole range. */
static bool was_last_at(const struct nctl_plan *p, const struct nctl_pos *pos)
{
	const struct nctl_pos *last = p->n_problems ? &p->problems[p->n_problems - 1].pos : NULL;

	return last && last->file == pos->file && last->line == pos->line && last->column == pos->column;
}

void nctl_plan_netns_new(struct builder *b)
{
	struct nctl_plan *p = b->plan;

	for (uint32_t i = 1; i < p->n_netns && !b->err; i++) {
		if (!p->netns[i].want || p->netns[i].there)
			continue;
		nctl_plan_enter(b, i);
		if (nctl_plan_netns_op(b, NCTL_OP_NETNS_NEW, NCTL_PHASE_NETNS))
			b->netns_made[i] = nctl_plan_last(b);
	}
	for (uint32_t i = 0; i < p->n_netns && !b->err; i++) {
		const struct nctl_want_netns *w = p->netns[i].want;

		nctl_plan_enter(b, i);
		if (w && b->have)
			set_some(b, &p->netns[i]);
		else if (w && !was_last_at(p, &w->pos))
			nctl_plan_problem(b, NCTL_PROBLEM_WAIT, &w->pos, "namespace %s cannot be read yet",
				w->def ? w->def->label : w->name);
	}
}

/* A link of a sysctl: whether it will be there; what makes it, or NCTL_OP_NONE. */
static bool find_link(struct builder *b, const char *name, size_t len, uint32_t *ret_made_by)
{
	const struct nctl_mirror_link *l;
	const struct nctl_want_link *w;
	char buf[IF_NAMESIZE];

	*ret_made_by = NCTL_OP_NONE;
	if (len >= sizeof(buf))
		return false;
	memcpy(buf, name, len);
	buf[len] = '\0';
	w = nctl_want_find(b->want, b->netns, buf);
	if (w && b->items[w->number].state == ITEM_NEW)
		*ret_made_by = b->items[w->number].made_by;
	if (w && b->items[w->number].state != ITEM_KEEP)
		return b->items[w->number].state == ITEM_NEW;
	l = nctl_mirror_link_find(b->have, buf);
	return l && !strcmp(l->v.name, buf);
}

static void tune(
	struct builder *b, const struct nctl_plan_netns *n, const struct nctl_want_sysctl *s, const char *now)
{
	const char *link;
	size_t len = named_link(s->name, &link);
	uint32_t made_by;
	struct nctl_op *op;

	if (!len)
		return;
	if (!find_link(b, link, len, &made_by)) {
		if (!was_last_at(b->plan, &s->pos))
			nctl_plan_problem(b, NCTL_PROBLEM_WAIT, &s->pos,
				"%s waits for %.*s, which is not there yet", s->name, (int)len, link);
		return;
	}
	/* What a link had before it is made again is no matter. */
	if (made_by == NCTL_OP_NONE && is_set(b, n, now, s->value))
		return;
	op = set(b, s, now, NCTL_PHASE_TUNE);
	if (op)
		op->need[0] = made_by;
}

void nctl_plan_netns_tune(struct builder *b)
{
	for (uint32_t i = 0; i < b->plan->n_netns; i++) {
		const struct nctl_plan_netns *n = &b->plan->netns[i];

		nctl_plan_enter(b, i);
		for (size_t k = 0; n->want && b->have && k < n->want->n_sysctls && !b->err; k++)
			tune(b, n, &n->want->sysctls[k], value_now(n, k));
	}
}
