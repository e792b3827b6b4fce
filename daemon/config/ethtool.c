/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What the driver of a device is told: the mapping under "ethtool", by the tables of lib/obj/ethtool.c,
 * and netplan's keys for single features, which are switches of the same kind.
 */
#include <string.h>

#include "base/cleanup.h"
#include "config/told.h"
#include "obj/ethtool.h"

static struct nctl_want_ethtool *ethtool_of(struct nd_dev *d)
{
	if (!d->link->ethtool)
		d->link->ethtool = nd_want_alloc(d->p, sizeof(*d->link->ethtool));
	return d->link->ethtool;
}

/* Adds a switch; the room is for all that the configuration can say. False: reported. */
static bool add_switch(
	struct nd_dev *d, enum nctl_ethtool_group g, const struct nd_node *node, const char *name, bool on)
{
	struct nctl_want_ethtool *e = ethtool_of(d);
	struct nctl_switches *s = e ? &e->v.switches[g] : NULL;
	const struct nctl_switch *same = s ? nctl_switches_find(s, name) : NULL;
	struct nctl_switch *v;

	if (!s)
		return false;
	if (same && same->on != on) {
		nd_error(d->p, node->key_pos, "remove one of them", "%s is said to be on and off", name);
		return false;
	}
	if (same)
		return true;
	if (s->n == NCTL_SWITCHES_MAX) {
		nd_error(d->p, node->key_pos, "no driver has so many", "more than %d switches here",
			NCTL_SWITCHES_MAX);
		return false;
	}
	/* Few devices have more than a handful. */
	if (!(s->n & (s->n - 1))) {
		v = nd_want_alloc(d->p, (s->n ? 2 * s->n : 1) * sizeof(*v));
		if (!v)
			return false;
		if (s->n)
			memcpy(v, s->v, s->n * sizeof(*v));
		s->v = v;
	}
	if (!e->pos[g].line)
		e->pos[g] = node->key_pos;
	v = &s->v[s->n++];
	*v = (struct nctl_switch){.on = on};
	strcpy(v->name, name);
	return true;
}

void nd_step_ethtool_key(struct nd_dev *d, const struct nd_step *s)
{
	const struct nctl_ethtool_key *k = nctl_ethtool_keys;
	bool on;

	while (strcmp(k->key, s->node->key))
		k++;
	if (nd_dev_bool(d, s->node, &on))
		add_switch(d, k->group, s->node, k->feature, on);
}

bool nd_is_ethtool_key(const char *key)
{
	for (const struct nctl_ethtool_key *k = nctl_ethtool_keys; k->key; k++)
		if (!strcmp(k->key, key))
			return true;
	return false;
}

/* {NAME: true, ...}; names are the driver's, so that only it knows them all. */
static void read_switches(struct nd_dev *d, enum nctl_ethtool_group g, const struct nd_node *mapping)
{
	const struct nd_node *c;
	const char *name;
	bool on;

	if (!nd_expect(d->p, mapping, ND_NODE_MAPPING))
		return;
	for (c = mapping->first; c; c = c->next) {
		name = nd_dev_key(d, c);
		if (!name)
			return;
		if (!*name || strlen(name) >= NCTL_SWITCH_NAME) {
			nd_error(d->p, c->key_pos,
				"ethtool -k shows the names of features, ethtool --show-priv-flags those "
				"of private flags",
				"a name has 1 to %d bytes", NCTL_SWITCH_NAME - 1);
			return;
		}
		if (!nd_dev_bool(d, c, &on) || !add_switch(d, g, c, name, on))
			return;
	}
}

/* The words that may stand at a place, for advice. */
static const char *suggest(struct nd_dev *d, const char *key, size_t first, size_t n, bool groups)
{
	const char *words[64];
	size_t i, k = 0;

	for (i = first; i < first + n; i++)
		words[k++] = nctl_ethtool_fields.v[i].key;
	for (i = 0; groups && i < NCTL_ETHTOOL_N_GROUPS; i++)
		if (nctl_ethtool_groups[i].name)
			words[k++] = nctl_ethtool_groups[i].name;
	return nd_did_you_mean(d->p, key, words, k, "see netctld.yaml(5), ETHTOOL");
}

/* The field of group g under that key. False: there is no such. */
static bool read_field(
	struct nd_dev *d, enum nctl_ethtool_group g, const struct nd_node *node, const struct nd_node *at)
{
	const struct nctl_ethtool_group_info *info = &nctl_ethtool_groups[g];
	const struct nctl_field_table t = {nctl_ethtool_fields.v + info->first, info->n};
	int i = nctl_fields_find(&t, node->key);
	struct nctl_want_ethtool *e;

	if (i < 0)
		return false;
	e = ethtool_of(d);
	if (!e || !nd_dev_field(d, &t.v[i], node->key, node, &e->v))
		return true;
	e->v.has |= UINT64_C(1) << (info->first + (size_t)i);
	if (!e->pos[g].line)
		e->pos[g] = at->key_pos;
	return true;
}

static void read_fields(struct nd_dev *d, enum nctl_ethtool_group g, const struct nd_node *mapping)
{
	const struct nctl_ethtool_group_info *info = &nctl_ethtool_groups[g];
	const struct nd_node *c;

	if (!nd_expect(d->p, mapping, ND_NODE_MAPPING))
		return;
	for (c = mapping->first; c; c = c->next)
		if (!read_field(d, g, c, mapping))
			nd_error(d->p, c->key_pos, suggest(d, c->key, info->first, info->n, false),
				"unknown key \"%s\"", c->key);
}

static void read_group(struct nd_dev *d, const struct nd_node *node)
{
	const struct nctl_ethtool_group_info *link = &nctl_ethtool_groups[NCTL_ETHTOOL_LINK];
	unsigned g;

	for (g = 0; g < NCTL_ETHTOOL_N_GROUPS; g++) {
		if (!nctl_ethtool_groups[g].name || strcmp(nctl_ethtool_groups[g].name, node->key))
			continue;
		if (g < NCTL_ETHTOOL_N_SWITCHES)
			read_switches(d, g, node);
		else
			read_fields(d, g, node);
		return;
	}
	if (!read_field(d, NCTL_ETHTOOL_LINK, node, node))
		nd_error(d->p, node->key_pos, suggest(d, node->key, link->first, link->n, true),
			"unknown key \"%s\"", node->key);
}

void nd_step_ethtool(struct nd_dev *d, const struct nd_step *s)
{
	const struct nd_node *c;

	if (!nd_expect(d->p, s->node, ND_NODE_MAPPING))
		return;
	for (c = s->node->first; c; c = c->next)
		read_group(d, c);
}
