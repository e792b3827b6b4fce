/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: addresses of one wanted link: those that are missing or differ are added, ours that nobody wants go,
 * matching ones that somebody else made are adopted, and all others are foreign and left alone.
 */
#include "plan/private.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <stdlib.h>
#include <string.h>

/* Flags that a configuration can ask for; the rest is the kernel's state. */
#define WANTED_FLAGS                                                                                         \
	(IFA_F_NODAD | IFA_F_NOPREFIXROUTE | IFA_F_HOMEADDRESS | IFA_F_MANAGETEMPADDR | IFA_F_MCAUTOJOIN)

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
	return (want->preferred == 0) != (have->preferred == 0);
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
	memcpy(op->name, w->v.name, sizeof(op->name));
	op->need[0] = it->made_by;
}

static void del(struct builder *b, const struct nctl_mirror_link *l, const struct nctl_addr *a,
	const struct nctl_pos *pos)
{
	const char *kind = nctl_link_kind_name(&l->v);
	struct nctl_op *op = nctl_plan_add(b, NCTL_OP_ADDR_DEL, NCTL_PHASE_CLEAR);

	if (!op)
		return;
	op->ifindex = a->ifindex;
	op->addr = *a;
	op->pos = *pos;
	op->kind = l->v.kind ? l->v.kind->name : kind ? "generic" : "physical";
	memcpy(op->name, l->v.name, sizeof(op->name));
}

static void place(struct builder *b, const struct nctl_want_link *w, const struct nctl_want_addr *a)
{
	const struct item *it = &b->items[w->number];
	const struct nctl_mirror_addr *have = NULL;
	struct nctl_addr wanted = a->v;

	wanted.ifindex = it->ifindex;
	if (it->state == ITEM_KEEP)
		have = nctl_mirror_addr_get(b->have, &wanted);
	if (have && !nctl_plan_addr_differs(&wanted, &have->v)) {
		if (have->v.proto != NCTL_PROTO && !nctl_ledger_addr_has(b->ledger, &have->v))
			nctl_plan_adopt_addr(b, &have->v);
		return;
	}
	/* The kernel takes an IPv6 address of another length for the same one, and refuses it. */
	if (have && have->v.local.len != wanted.local.len)
		del(b, it->have, &have->v, &a->pos);
	add(b, w, a);
}

static int cmp_by_identity(const void *x, const void *y)
{
	return nctl_addr_cmp(x, y);
}

/* Ours, and not among the n wanted (sorted by identity). */
static void drop_unwanted(
	struct builder *b, const struct nctl_want_link *w, const struct nctl_addr *wanted, size_t n)
{
	const struct nctl_mirror_link *l = b->items[w->number].have;

	for (const struct nctl_mirror_addr *a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a)) {
		if (a->v.proto != NCTL_PROTO && !nctl_ledger_addr_has(b->ledger, &a->v))
			continue;
		if (!n || !bsearch(&a->v, wanted, n, sizeof(*wanted), cmp_by_identity))
			del(b, l, &a->v, &w->pos);
	}
}

void nctl_plan_addrs(struct builder *b, const struct nctl_want_link *w)
{
	const struct item *it = &b->items[w->number];
	struct nctl_addr *wanted;

	for (size_t i = 0; i < w->n_addrs; i++)
		place(b, w, &w->addrs[i]);
	if (it->state != ITEM_KEEP || !nctl_mirror_addr_first(it->have))
		return;
	wanted = calloc(w->n_addrs + 1, sizeof(*wanted));
	if (!wanted) {
		b->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < w->n_addrs; i++) {
		wanted[i] = w->addrs[i].v;
		wanted[i].ifindex = it->ifindex;
	}
	qsort(wanted, w->n_addrs, sizeof(*wanted), cmp_by_identity);
	drop_unwanted(b, w, wanted, w->n_addrs);
	free(wanted);
}
