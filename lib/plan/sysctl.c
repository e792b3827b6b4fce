/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: which sysctls are set. Those of a namespace come before there are links, since new links take over
 * conf/default, but for those that name a link. Those of a link come when it has its master and before it
 * comes up, but for what coming up undoes. What is right already is not written.
 */
#include "plan/parts.h"

#include <net/if.h>
#include <string.h>

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

/* With it, the addresses of IPv6 go (net/ipv6/addrconf.c addrconf_disable_change); back, they do not. */
bool nctl_plan_stops_ipv6(const char *name, const char *value)
{
	static const char end[] = "/disable_ipv6";
	size_t n = strlen(name);

	return n > sizeof(end) && !strcmp(name + n - (sizeof(end) - 1), end) && strcmp(value, "0");
}

static void fill(struct builder *b, struct nctl_op *op, const struct nctl_want_sysctl *s, const char *name,
	const char *now)
{
	op->kind = "sysctl";
	op->name = op->sysctl = name;
	op->pos = s->pos;
	op->value = s->value;
	op->stops_ipv6 = nctl_plan_stops_ipv6(name, s->value);
	if (now)
		op->old_value = nctl_plan_copy_name(b, now);
}

static struct nctl_op *set(
	struct builder *b, const struct nctl_want_sysctl *s, const char *now, enum nctl_phase phase)
{
	struct nctl_op *op = nctl_plan_add(b, NCTL_OP_SYSCTL_SET, phase);

	if (op)
		fill(b, op, s, s->name, now);
	return op;
}

/* What nobody read is taken on trust by a repair. */
static bool is_set(
	const struct builder *b, const struct nctl_plan_netns *n, const char *now, const char *value)
{
	return now ? is_same_value(now, value) : b->opts->repair && n->there;
}

void nctl_plan_netns_sysctls(struct builder *b)
{
	const struct nctl_plan_netns *n = &b->plan->netns[b->netns];
	const struct nctl_want_netns *w = n->want;
	const char *link;

	for (size_t i = 0; i < w->n_sysctls; i++) {
		const char *now = value_now(n, i);

		if (named_link(w->sysctls[i].name, &link) || is_set(b, n, now, w->sysctls[i].value))
			continue;
		set(b, &w->sysctls[i], now, NCTL_PHASE_NETNS);
	}
}

/* A link of a sysctl: whether it will be there; what makes it, or NCTL_OP_NONE. */
static bool find_link(
	struct builder *b, const char *name, size_t len, uint32_t *ret_made_by, nctl_ifindex *ret_ifindex)
{
	const struct nctl_mirror_link *l;
	const struct nctl_want_link *w;
	char buf[IF_NAMESIZE];

	*ret_made_by = NCTL_OP_NONE;
	*ret_ifindex = 0;
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
	*ret_ifindex = l ? l->v.ifindex : 0;
	return l && !strcmp(l->v.name, buf);
}

static void tune(
	struct builder *b, const struct nctl_plan_netns *n, const struct nctl_want_sysctl *s, const char *now)
{
	const char *link;
	size_t len = named_link(s->name, &link);
	nctl_ifindex ifindex;
	uint32_t made_by;
	struct nctl_op *op;

	if (!len)
		return;
	if (!find_link(b, link, len, &made_by, &ifindex)) {
		if (!nctl_plan_was_last_at(b->plan, &s->pos))
			nctl_plan_problem(b, NCTL_PROBLEM_WAIT, &s->pos,
				"%s waits for %.*s, which is not there yet", s->name, (int)len, link);
		return;
	}
	/* What a link had before it is made again is no matter. */
	if (made_by == NCTL_OP_NONE && is_set(b, n, now, s->value))
		return;
	op = set(b, s, now, NCTL_PHASE_SYSCTL);
	if (!op)
		return;
	op->need[0] = made_by;
	op->ifindex = ifindex;
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

const char *nctl_sysctl_name(
	const struct nctl_want_sysctl *s, const char *link, char buf[NCTL_SYSCTL_NAME_MAX])
{
	const char *mark = strstr(s->name, NCTL_WANT_LINK_NAME);
	size_t before = mark ? (size_t)(mark - s->name) : strlen(s->name), len = mark ? strlen(link) : 0;
	const char *rest = mark ? mark + strlen(NCTL_WANT_LINK_NAME) : "";

	if (before + len + strlen(rest) >= NCTL_SYSCTL_NAME_MAX)
		return NULL;
	memcpy(buf, s->name, before);
	memcpy(buf + before, link, len);
	strcpy(buf + before + len, rest);
	return buf;
}

static const char *link_value_now(const struct builder *b, const struct nctl_want_sysctl *s, const char *link)
{
	const struct nctl_hash *h = b->plan->netns[b->netns].link_sysctls;
	char buf[NCTL_SYSCTL_NAME_MAX];
	const char *name = h ? nctl_sysctl_name(s, link, buf) : NULL;
	struct nctl_hash_node *pos;

	if (!name)
		return NULL;
	nctl_hash_for_each_equal(pos, h, nctl_hash_str(name)) {
		const struct nctl_sysctl_now *now = nctl_container_of(pos, struct nctl_sysctl_now, node);

		if (!strcmp(now->name, name))
			return now->value;
	}
	return NULL;
}

/*
 * When a link comes up, or gets another MTU, that of IPv6 becomes the same (net/ipv6/addrconf.c
 * addrconf_notify).
 */
static bool is_undone_by_up(const char *name)
{
	static const char begin[] = "ipv6/conf/", end[] = "/mtu";
	size_t n = strlen(name);

	return !strncmp(name, begin, sizeof(begin) - 1) && n > sizeof(begin) + sizeof(end) &&
	       !strcmp(name + n - (sizeof(end) - 1), end);
}

static bool is_late(const struct nctl_want_sysctl *s)
{
	return !strcmp(s->name, "ipv6/conf/" NCTL_WANT_LINK_NAME "/mtu");
}

enum nctl_phase nctl_plan_sysctl_phase(const char *name)
{
	return is_undone_by_up(name) ? NCTL_PHASE_SETTLE : NCTL_PHASE_SYSCTL;
}

static void set_of_link(struct builder *b, const struct nctl_want_link *w, const struct nctl_want_sysctl *s,
	const char *now, enum nctl_phase phase)
{
	struct item *it = &b->items[w->number];
	bool renamed = it->renamed_by != NCTL_OP_NONE;
	const char *link = it->state == ITEM_KEEP && !renamed ? it->have->v.name : w->v.name;
	struct nctl_op *op = nctl_plan_link_op(b, w, NCTL_OP_SYSCTL_SET, phase);
	char buf[NCTL_SYSCTL_NAME_MAX];
	const char *name = op ? nctl_sysctl_name(s, link, buf) : NULL;

	if (!name)
		return;
	fill(b, op, s, nctl_plan_copy_name(b, name), now);
	op->rank = it->early;
	if (renamed && nctl_sysctl_name(s, it->have->v.name, buf))
		op->old_sysctl = nctl_plan_copy_name(b, buf);
	op->need[2] = it->renamed_by;
	op->need[1] = is_late(s) ? it->risen_by : it->joined_by;
	if (!is_late(s))
		it->tuned_by = nctl_plan_last(b);
}

void nctl_plan_link_sysctls(struct builder *b, const struct nctl_want_link *w, bool late, bool lost)
{
	const struct item *it = &b->items[w->number];
	enum nctl_phase phase = late ? NCTL_PHASE_SETTLE : it->early ? NCTL_PHASE_CREATE : NCTL_PHASE_SYSCTL;
	bool kept = it->state == ITEM_KEEP;
	/* By a repair, which reads none: what is up was there before; what is down may have come just now. */
	bool trusted = kept && b->opts->repair && nctl_link_is_up(&it->have->v);

	for (size_t i = 0; i < w->n_sysctls && !b->err; i++) {
		const struct nctl_want_sysctl *s = &w->sysctls[i];
		/* Of a link that is replaced, too: on the way back it is as before. */
		const char *now = it->have ? link_value_now(b, s, it->have->v.name) : NULL;

		if (is_late(s) != late || (kept && !lost && (now ? is_same_value(now, s->value) : trusted)))
			continue;
		set_of_link(b, w, s, now, phase);
	}
}
