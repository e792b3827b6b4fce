/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: addresses of one wanted link: those that are missing or differ are added, ours that nobody wants go,
 * matching ones that somebody else made are adopted, and all others are foreign and left alone.
 */
#include "plan/parts.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <stdlib.h>
#include <string.h>

/* Flags that a configuration can ask for; the rest is the kernel's state. */
#define WANTED_FLAGS                                                                                         \
	(IFA_F_NODAD | IFA_F_NOPREFIXROUTE | IFA_F_HOMEADDRESS | IFA_F_MANAGETEMPADDR | IFA_F_MCAUTOJOIN)

/* The kernel tells of an IPv4 address whose preferred lifetime is over by its flag alone. */
static bool is_deprecated(const struct nctl_addr *a)
{
	return a->preferred == 0 || (a->flags & IFA_F_DEPRECATED);
}

bool nctl_plan_addr_differs(const struct nctl_addr *want, const struct nctl_addr *have)
{
	uint64_t d = nctl_addr_diff(want, have);

	if (d & NCTL_ADDR_BIT(LENGTH))
		return true;
	if ((d & NCTL_ADDR_BIT(PEER)) && want->peer.family)
		return true;
	if ((d & NCTL_ADDR_BIT(BROADCAST)) && want->broadcast.family)
		return true;
	if ((d & NCTL_ADDR_BIT(SCOPE)) && want->scope)
		return true;
	if ((d & NCTL_ADDR_BIT(METRIC)) && want->metric)
		return true;
	if ((d & NCTL_ADDR_BIT(LABEL)) && want->label[0])
		return true;
	if ((want->flags & WANTED_FLAGS) & ~have->flags)
		return true;
	/* Seconds that tick down are no difference; for ever or not, deprecated or not, is. */
	if ((want->valid == NCTL_ADDR_FOREVER) != (have->valid == NCTL_ADDR_FOREVER))
		return true;
	return is_deprecated(want) != is_deprecated(have);
}

static void add(struct builder *b, const struct nctl_want_link *w, const struct nctl_want_addr *a)
{
	const struct item *it = &b->items[w->number];
	struct nctl_op *op = nctl_plan_add(b, NCTL_OP_ADDR_NEW, NCTL_PHASE_ADDRESS);

	if (!op)
		return;
	op->ifindex = it->ifindex;
	op->want = w;
	op->want_addr = a;
	op->pos = a->pos;
	op->kind = w->v.kind->name;
	op->name = w->v.name;
	op->need[0] = it->made_by;
	op->need[1] = it->tuned_by; /* IPv6 may have been switched off */
}

static void del(struct builder *b, const struct nctl_mirror_link *l, const struct nctl_addr *a,
	const struct nctl_pos *pos)
{
	const char *kind = nctl_link_kind_name(&l->v);
	struct nctl_op *op = nctl_plan_add(b, NCTL_OP_ADDR_DEL, NCTL_PHASE_CLEAR);

	if (!op)
		return;
	op->ifindex = a->ifindex;
	op->addr = nctl_plan_copy_addr(b, a);
	op->pos = *pos;
	op->kind = l->v.kind ? l->v.kind->name : kind ? "generic" : "physical";
	op->name = nctl_plan_copy_name(b, l->v.name);
}

/*
 * Does the kernel take want for the same address and leave what differs as it is? IPv6 refuses another
 * length, and joins no group later (net/ipv6/addrconf.c inet6_addr_modify); IPv4 replaces lifetimes, metric
 * and protocol only (net/ipv4/devinet.c inet_rtm_newaddr).
 */
bool nctl_plan_addr_must_go(const struct nctl_addr *want, const struct nctl_addr *have)
{
	uint64_t d = nctl_addr_diff(want, have);

	if (want->local.family != AF_INET)
		return (d & NCTL_ADDR_BIT(LENGTH)) || (want->flags & IFA_F_MCAUTOJOIN & ~have->flags);
	return ((d & NCTL_ADDR_BIT(PEER)) && want->peer.family) ||
	       ((d & NCTL_ADDR_BIT(BROADCAST)) && want->broadcast.family) ||
	       ((d & NCTL_ADDR_BIT(SCOPE)) && want->scope) ||
	       ((d & NCTL_ADDR_BIT(LABEL)) && want->label[0]) ||
	       ((want->flags & WANTED_FLAGS) & ~have->flags);
}

/* A wanted address with its link's index; v comes first, so that one comparison serves all. */
struct wanted {
	struct nctl_addr v;
	const struct nctl_want_addr *of;
};

/* What becomes of the addresses of one link. */
struct change {
	struct builder *b;
	const struct nctl_want_link *w;
	const struct item *it;
	struct wanted *wanted; /* n of them, by identity */
	size_t n;
	struct nctl_prefix *cut; /* n_cut IPv4 subnets whose primary address goes, in order */
	size_t n_cut;
};

static int cmp_wanted(const void *x, const void *y)
{
	const struct wanted *a = x, *b = y;

	return nctl_addr_cmp(&a->v, &b->v);
}

static int cmp_addr_wanted(const void *x, const void *y)
{
	return nctl_addr_cmp(x, &((const struct wanted *)y)->v);
}

static int cmp_cut(const void *x, const void *y)
{
	return nctl_prefix_cmp(x, y);
}

struct nctl_prefix nctl_plan_subnet(const struct nctl_addr *a)
{
	struct nctl_prefix p = a->peer.family ? a->peer : a->local;

	p.len = a->local.len;
	nctl_prefix_mask(&p);
	return p;
}

/* Deletes what is ours and unwanted, and what must go to come back as it is wanted. */
static void remove_some(struct change *c)
{
	const struct nctl_mirror_addr *a = nctl_mirror_addr_first(c->it->have);

	for (; a; a = nctl_mirror_addr_next(a)) {
		const struct wanted *w =
			c->n ? bsearch(&a->v, c->wanted, c->n, sizeof(*w), cmp_addr_wanted) : NULL;
		bool ours = a->v.proto == NCTL_PROTO || nctl_ledger_addr_has(c->b->ledger, &a->v);

		if (w ? !nctl_plan_addr_must_go(&w->v, &a->v) : !ours)
			continue;
		del(c->b, c->it->have, &a->v, w ? &w->of->pos : &c->w->pos);
		if (a->v.local.family == AF_INET && !(a->v.flags & IFA_F_SECONDARY))
			c->cut[c->n_cut++] = nctl_plan_subnet(&a->v);
	}
	if (c->n_cut)
		qsort(c->cut, c->n_cut, sizeof(*c->cut), cmp_cut);
}

/* Will this address be gone by itself when its turn comes? Harmless if it is not: adding it again does
 * nothing. */
static bool is_lost(const struct change *c, const struct nctl_addr *have)
{
	struct nctl_prefix subnet = nctl_plan_subnet(have);

	if (have->local.family == AF_INET6)
		return c->it->flushed;
	/* Secondaries go with their primary, unless promote_secondaries says otherwise. */
	return c->n_cut && (have->flags & IFA_F_SECONDARY) &&
	       bsearch(&subnet, c->cut, c->n_cut, sizeof(subnet), cmp_cut);
}

static void place(const struct change *c, const struct nctl_want_addr *a)
{
	const struct nctl_mirror_addr *have = NULL;
	struct nctl_addr wanted = a->v;

	wanted.ifindex = c->it->ifindex;
	if (c->it->state == ITEM_KEEP)
		have = nctl_mirror_addr_get(c->b->have, &wanted);
	if (!have || nctl_plan_addr_differs(&wanted, &have->v) || is_lost(c, &have->v))
		add(c->b, c->w, a);
	else if (have->v.proto != NCTL_PROTO && !nctl_ledger_addr_has(c->b->ledger, &have->v))
		nctl_plan_adopt_addr(c->b, &have->v);
}

static size_t count_addrs(const struct nctl_mirror_link *l)
{
	size_t n = 0;

	for (const struct nctl_mirror_addr *a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a))
		n++;
	return n;
}

/* Before anything is placed: what goes. 0 or -ENOMEM. */
static int plan_removals(struct change *c)
{
	c->cut = calloc(count_addrs(c->it->have) + 1, sizeof(*c->cut));
	c->wanted = calloc(c->w->n_addrs + 1, sizeof(*c->wanted));
	if (!c->cut || !c->wanted)
		return -ENOMEM;
	for (; c->n < c->w->n_addrs; c->n++) {
		c->wanted[c->n] = (struct wanted){c->w->addrs[c->n].v, &c->w->addrs[c->n]};
		c->wanted[c->n].v.ifindex = c->it->ifindex;
	}
	qsort(c->wanted, c->n, sizeof(*c->wanted), cmp_wanted);
	remove_some(c);
	return 0;
}

void nctl_plan_addrs(struct builder *b, const struct nctl_want_link *w)
{
	struct change c = {.b = b, .w = w, .it = &b->items[w->number]};
	int r = 0;

	if (c.it->state == ITEM_KEEP && nctl_mirror_addr_first(c.it->have))
		r = plan_removals(&c);
	if (r < 0)
		b->err = r;
	for (size_t i = 0; r >= 0 && i < w->n_addrs; i++)
		place(&c, &w->addrs[i]);
	free(c.wanted);
	free(c.cut);
}
