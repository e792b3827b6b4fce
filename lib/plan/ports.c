/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: fields of a master that name one of its ports (a bond's primary). The kernel knows a port only once it
 * has joined, and a port is planned after its master: so these fields are set by operations of their own,
 * when all links have their items.
 */
#include "plan/parts.h"

#include <errno.h>
#include <string.h>

static bool shows(const struct item *it, const struct nctl_field *f, unsigned index, nctl_ifindex port)
{
	const struct nctl_link *have = it->state == ITEM_KEEP ? &it->have->v : NULL;

	return have && (have->data_has >> index & 1) && nctl_field_get(f, have->data) == port;
}

static void set_port(struct builder *b, const struct nctl_want_link *w, const struct nctl_want_port_ref *ref)
{
	const struct nctl_kind *k = w->v.kind;
	const struct nctl_field *f = &k->data.v[ref->field];
	const struct item *it = &b->items[w->number], *port = &b->items[ref->port.link->number];
	void *data = nctl_arena_alloc(&b->plan->arena, k->data_size);
	struct nctl_op *op = nctl_plan_add(b, NCTL_OP_LINK_SET, NCTL_PHASE_TUNE);

	if (!data)
		b->err = b->err ? b->err : -ENOMEM;
	if (!data || !op)
		return;
	memcpy(data, w->v.data, k->data_size);
	nctl_field_set(f, data, port->ifindex);
	op->want = w;
	op->data = data;
	op->diff.data = UINT64_C(1) << ref->field;
	op->ifindex = it->ifindex;
	op->lower = it->lower;
	op->master = it->master;
	op->pos = w->pos;
	op->kind = k->name;
	op->cls = nctl_fields_class(&k->data, op->diff.data);
	op->need[0] = it->made_by;
	op->need[1] = port->joined_by != NCTL_OP_NONE ? port->joined_by : port->made_by;
	op->name = w->v.name;
}

void nctl_plan_ports(struct builder *b, const struct nctl_want_link *w)
{
	const struct item *it = &b->items[w->number];

	for (const struct nctl_want_port_ref *ref = w->port_refs; ref; ref = ref->next) {
		const struct item *port = &b->items[ref->port.link->number];

		if (it->state == ITEM_WAIT || port->state == ITEM_WAIT)
			continue;
		if (!shows(it, &w->v.kind->data.v[ref->field], ref->field, port->ifindex))
			set_port(b, w, ref);
	}
}
