/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Once all names are known, what was said by name becomes a pointer: lower links, masters, and the
 * values that a master gives to its ports. All of them are in one namespace; only the other end of a pair
 * (peers.c) may be in another one.
 *
 * A device left to another renderer may be built upon (its pointer is NULL then), but not changed.
 */
#include <string.h>

#include "config/device.h"
#include "config/refs.h"
#include "config/vlans.h"
#include "obj/kind.h"

void nd_claim_add(struct nd_parse *p, const struct nd_claim *c)
{
	struct nd_claim *copy = nd_alloc(p, sizeof(*copy));

	if (!copy)
		return;
	*copy = *c;
	*p->claims_tail = copy;
	p->claims_tail = &copy->next;
}

void nd_port_param_add(struct nd_parse *p, const struct nd_port_param *c)
{
	struct nd_port_param *copy = nd_alloc(p, sizeof(*copy));

	if (!copy)
		return;
	*copy = *c;
	*p->port_params_tail = copy;
	p->port_params_tail = &copy->next;
}

/* Who goes by this name in the namespace of `from`. */
static const struct nd_name *look_up(
	struct nd_parse *p, const struct nctl_want_link *from, const char *name, struct nctl_pos pos)
{
	return nd_name_look_up(p, from->netns, name, pos, NULL);
}

/* A port has one master. False: this claim adds nothing. */
static bool check_single_master(struct nd_parse *p, const struct nd_claim *c,
	const struct nctl_want_link *port, const char *master_name)
{
	const struct nctl_want_ref *old = &port->master;

	if (!old->name)
		return true;
	if (strcmp(old->name, master_name))
		nd_error(p, c->pos,
			nd_text(p, "it is in \"%s\" by %s; a device has one master", old->name,
				nd_place(p, old->pos)),
			"\"%s\" cannot join \"%s\" as well", port->v.name, master_name);
	else if (c->port_name && old->pos.file == c->pos.file && old->pos.line == c->pos.line &&
		 old->pos.column != c->pos.column)
		nd_error(p, c->pos, "remove one of them", "\"%s\" stands in this list twice", port->v.name);
	return false;
}

static void resolve_claim(struct nd_parse *p, const struct nd_claim *c)
{
	const struct nd_name *n =
		look_up(p, c->port ? c->port : c->master, c->port ? c->master_name : c->port_name, c->pos);
	struct nctl_want_link *port, *master;
	const char *master_name;

	if (!n)
		return;
	port = c->port ? c->port : n->link;
	master = c->port ? n->link : c->master;
	master_name = c->port ? c->master_name : c->master->v.name;
	if (!port) {
		nd_left_alone(p, c->port_name, c->pos);
		return;
	}
	if (c->port && master && !(master->def->kind->traits & NCTL_KIND_VRF)) {
		nd_error(p, c->pos,
			nd_text(p, "it is defined under \"%s\" at %s", master->def->kind->section,
				nd_place(p, master->pos)),
			"\"%s\" is no VRF", master_name);
		return;
	}
	if (check_single_master(p, c, port, master_name))
		port->master = (struct nctl_want_ref){.name = master_name, .link = master, .pos = c->pos};
}

static void resolve_lower(struct nd_parse *p, struct nctl_want_link *l)
{
	const struct nd_name *n = l->lower.name ? look_up(p, l, l->lower.name, l->lower.pos) : NULL;

	l->lower.link = n ? n->link : NULL;
}

/* What names a port names one of this very link. */
static void resolve_port_refs(struct nd_parse *p, const struct nctl_want_link *l)
{
	struct nctl_want_port_ref *ref;
	const struct nd_name *n;

	for (ref = l->port_refs; ref; ref = ref->next) {
		n = look_up(p, l, ref->port.name, ref->port.pos);
		ref->port.link = n ? n->link : NULL;
		if (!n || p->broken || (n->link && n->link->master.link == l))
			continue;
		nd_error(p, ref->port.pos,
			nd_text(p, "add it to the %s of \"%s\", or name one of them", l->def->kind->ports_key,
				l->v.name),
			"%s: \"%s\" is no port of \"%s\"", l->def->kind->data.v[ref->field].key,
			ref->port.name, l->v.name);
	}
}

/* Reads the value into the port's part of this link. */
static void set_port_field(struct nd_parse *p, struct nctl_want_link *port, const struct nctl_kind *k,
	unsigned index, const struct nd_port_param *param)
{
	const struct nd_node value = {
		.text = param->text, .key = param->key, .pos = param->node->pos, .plain = param->node->plain};
	struct nd_dev d = {.p = p, .link = port};
	struct nctl_link *v = &port->v;

	if (v->port_kind != k) {
		v->port = nd_want_alloc(p, k->port_size);
		v->port_kind = v->port ? k : NULL;
		v->port_has = 0;
	}
	if (v->port && nd_dev_field(&d, &k->port.v[index], param->key, &value, v->port))
		v->port_has |= UINT64_C(1) << index;
}

static void resolve_param(struct nd_parse *p, const struct nd_port_param *param)
{
	const struct nd_name *n =
		param->port ? NULL : look_up(p, param->master, param->port_name, param->port_pos);
	struct nctl_want_link *port = param->port ? param->port : n ? n->link : NULL;
	const struct nctl_want_link *master;
	int i;

	if (!port) {
		if (n)
			nd_left_alone(p, n->name, param->port_pos);
		return;
	}
	master = port->master.link;
	if (param->master && master != param->master) {
		nd_error(p, param->port_pos,
			nd_text(p, "add it to the ports of \"%s\"", param->master->v.name),
			"\"%s\" is no port of \"%s\"", port->v.name, param->master->v.name);
		return;
	}
	i = master ? nd_field_find(&master->def->kind->port, param->key) : -1;
	if (i >= 0)
		set_port_field(p, port, master->def->kind, (unsigned)i, param);
	else
		nd_error(p, param->node->key_pos, "make it a port of a device that knows this key",
			"%s is for ports, and \"%s\" is none that has it", param->key, port->v.name);
}

void nd_refs_resolve(struct nd_parse *p)
{
	const struct nd_port_param *param;
	const struct nd_claim *c;
	size_t i;

	for (i = 0; i < p->n_links; i++)
		resolve_lower(p, p->links[i]);
	nd_peers_resolve(p);
	for (c = p->claims; c; c = c->next)
		resolve_claim(p, c);
	for (i = 0; i < p->n_links; i++)
		resolve_port_refs(p, p->links[i]);
	for (param = p->port_params; param; param = param->next)
		resolve_param(p, param);
	nd_vlans_resolve(p);
}
