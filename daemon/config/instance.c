/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: From a compiled definition to its devices: one, or one for each number of its range; and that in each
 * namespace of its scope. How many there will be is known before the first is made, and has a limit.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "config/device.h"
#include "config/refs.h"
#include "config/told.h"

/* Room for n more links. */
static bool reserve_links(struct nd_parse *p, size_t n)
{
	size_t cap = p->cap_links ? p->cap_links : 64;
	struct nctl_want_link **v;

	while (cap < p->n_links + n)
		cap *= 2;
	if (cap == p->cap_links)
		return true;
	v = reallocarray(p->links, cap, sizeof(struct nctl_want_link *));
	if (!v)
		return !nd_failed(p, -ENOMEM);
	p->links = v;
	p->cap_links = cap;
	return true;
}

bool nd_def_add(struct nd_parse *p, struct nctl_want_def *def)
{
	if (nd_failed(p, nctl_array_grow(&p->defs, &p->cap_defs, p->n_defs, sizeof(struct nctl_want_def *))))
		return false;
	p->defs[p->n_defs++] = def;
	return true;
}

/* A table gives a default where ours is not the kernel's, or where identity needs one. */
static void set_defaults(const struct nctl_kind *k, struct nctl_link *v)
{
	const struct nctl_field *f;
	size_t i;

	for (i = 0; i < k->data.n; i++) {
		f = &k->data.v[i];
		if (!f->key || !f->dflt || ((v->data_has | k->lacks) >> i & 1))
			continue;
		nctl_field_set(f, v->data, f->dflt);
		v->data_has |= UINT64_C(1) << i;
	}
}

/* What the word behind "mode" says, where several kinds share a section. */
static void set_mode(const struct nd_def *def, struct nctl_link *v)
{
	const struct nctl_kind *k = def->kind;
	size_t i;

	for (i = 0; i < k->data.n; i++)
		if (k->mode_field >> i & 1)
			nctl_field_set(&k->data.v[i], v->data, def->mode);
	v->data_has |= k->mode_field;
}

static struct nctl_want_link *new_link(
	struct nd_parse *p, const struct nd_def *def, const struct nctl_want_netns *netns, const char *name)
{
	struct nctl_want_link *l = nd_want_alloc(p, sizeof(*l));
	const struct nctl_kind *k = def->kind;

	if (!l)
		return NULL;
	l->v = NCTL_LINK_INIT;
	l->v.kind = k;
	l->v.data = k->data_size ? nd_want_alloc(p, k->data_size) : NULL;
	l->v.has = NCTL_LINK_BIT(NAME);
	snprintf(l->v.name, sizeof(l->v.name), "%.15s", name); /* longer: of a match, where it is nobody's */
	l->netns = netns;
	l->def = def->def;
	l->report = def->report;
	l->pos = def->node->key_pos;
	l->number = (uint32_t)p->n_links;
	return k->data_size && !l->v.data ? NULL : l;
}

static bool is_matched(const struct nd_def *def)
{
	return (def->kind->traits & NCTL_KIND_PHYSICAL) && nd_node_get(&def->p->tree, def->node, "match");
}

/* The name of number n, or NULL, reported. Valid until the next one. */
static const char *instance_name(const struct nd_def *def, int64_t n)
{
	struct nctl_strbuf *b = &def->p->scratch;
	const char *name = def->node->key;

	if (def->ranged) {
		nctl_strbuf_reset(b);
		nctl_range_name(&def->range, def->node->key, n, b);
		if (nd_failed(def->p, b->err))
			return NULL;
		name = nctl_strbuf_str(b);
	}
	/* What is matched has another name in the kernel. */
	if (is_matched(def))
		return name;
	return nd_name_check(def->p, name, IF_NAMESIZE, def->node->key_pos) ? name : NULL;
}

/* The node of this field of the kind, or NULL if YAML does not give it. */
static const struct nd_node *field_node(const struct nd_def *def, const struct nctl_field *f)
{
	size_t i;

	for (i = 0; i < def->n_steps; i++)
		if (def->steps[i].field == f)
			return def->steps[i].node;
	return NULL;
}

/* What the kernel would refuse as a whole, at the key that it is about. */
static void check_kind(const struct nd_def *def, const struct nd_dev *d)
{
	const struct nctl_link *v = &d->link->v;
	const struct nctl_kind *k = v->kind;
	struct nctl_strbuf *why = &d->p->why;
	const struct nctl_want_port_ref *ref;
	uint64_t given = v->data_has;
	const struct nd_node *node;
	const struct nctl_field *f;
	const char *key;
	int i;

	for (ref = d->link->port_refs; ref; ref = ref->next)
		given |= UINT64_C(1) << ref->field;
	if (d->link->lower.name)
		given |= nctl_fields_with(&k->data, NCTL_FIELD_LOWER);
	nctl_strbuf_reset(why);
	i = k->check ? k->check(v->data, given, why) : -1;
	if (i < 0)
		return;
	f = &k->data.v[i];
	node = field_node(def, f);
	key = node ? node->key : f->key;
	nd_error(d->p, node ? node->pos : d->link->pos,
		f->help ? nd_text(d->p, "%s: %s", key, f->help) : NULL, "%s %s", key, nctl_strbuf_str(why));
}

/* False: a finding or no memory. */
static bool make_instance(const struct nd_def *def, const struct nctl_want_netns *netns, struct nd_dev *d)
{
	struct nd_parse *p = def->p;
	size_t before = p->diag->n_errors, i;
	const char *name = instance_name(def, d->numbers.n);
	struct nctl_want_link *l = name ? new_link(p, def, netns, name) : NULL;

	if (!l)
		return false;
	d->link = l;
	p->links[p->n_links++] = l;
	def->def->n_links++;
	nd_name_add(p, netns, is_matched(def) ? nd_want_strdup(p, name) : l->v.name, l, l->pos);
	for (i = 0; i < def->n_steps; i++)
		def->steps[i].fn(d, &def->steps[i]);
	if ((def->kind->traits & NCTL_KIND_PEERED) && def->kind->peer_key && !def->peer_given)
		nd_peer_add(p, &(struct nd_peer){.link = l, .missing = true});
	set_mode(def, &l->v);
	set_defaults(def->kind, &l->v);
	if (p->diag->n_errors == before)
		check_kind(def, d);
	if (p->diag->n_errors == before && (def->kind->traits & NCTL_KIND_KEYS))
		nd_wg_check(d);
	if (def->kind->complete)
		def->kind->complete(l->v.data, &l->v.data_has);
	return p->err == 0 && p->diag->n_errors == before;
}

bool nd_take(size_t *used, size_t times, size_t each, size_t max)
{
	size_t n;

	if (__builtin_mul_overflow(times, each, &n) || n > max - *used)
		return false;
	*used += n;
	return true;
}

size_t nd_node_count(const struct nd_node *node)
{
	const struct nd_node *c;
	size_t n = 1;

	for (c = node->type == ND_NODE_SCALAR ? NULL : node->first; c; c = c->next)
		n += nd_node_count(c);
	return n;
}

static size_t count_in_netns(const struct nd_def *def)
{
	return def->ranged ? def->range.count : 1;
}

/* Before anything is made: are there too many, in all namespaces? */
static bool check_count(const struct nd_def *def)
{
	struct nd_parse *p = def->p;
	size_t n = count_in_netns(def), before = p->n_devices;

	if (!nd_take(&p->n_devices, n, def->scope->n, p->most))
		nd_error(p, def->node->key_pos, "no kernel holds so many",
			"with this, there are more than %zu devices", p->most);
	else if (!nd_take(&p->n_values, p->n_devices - before, nd_node_count(def->node), ND_VALUES_MAX))
		nd_error(p, def->node->key_pos, "say less about each, or make fewer",
			"with this, there are more than %zu values for all devices", ND_VALUES_MAX);
	else
		return true;
	p->broken = true;
	return false;
}

static struct nd_numbers numbers_of(const struct nd_def *def, size_t netns, size_t device)
{
	struct nd_numbers n = nd_scope_numbers(def->scope, netns);

	if (def->ranged) {
		n.n = nctl_range_at(&def->range, device);
		n.has_n = true;
	}
	return n;
}

/* All devices up to the first with a fault: the others of the range would have it too. */
void nd_def_make(struct nd_def *def)
{
	size_t i, j, n = count_in_netns(def);
	struct nd_parse *p = def->p;
	struct nd_dev d;

	def->def = nd_want_alloc(p, sizeof(*def->def));
	if (!def->def || !nd_def_add(p, def->def))
		return;
	*def->def = (struct nctl_want_def){.label = nd_want_strdup(p, def->node->key),
		.pos = def->node->key_pos,
		.kind = def->kind,
		.netns_def = def->scope->def};
	if (!check_count(def) || !reserve_links(p, n * def->scope->n))
		return;
	for (i = 0; i < def->scope->n; i++) {
		for (j = 0; j < n; j++) {
			d = (struct nd_dev){.p = p, .numbers = numbers_of(def, i, j), .first = !i && !j};
			if (make_instance(def, def->scope->netns[i], &d))
				continue;
			p->broken = p->broken || i + 1 < def->scope->n || j + 1 < n;
			return;
		}
	}
}

void nd_def_leave(struct nd_def *def)
{
	size_t i, j, n = count_in_netns(def);
	struct nd_parse *p = def->p;
	const char *name;

	if (!check_count(def))
		return;
	for (j = 0; j < n; j++) {
		name = instance_name(def, def->ranged ? nctl_range_at(&def->range, j) : 0);
		name = name ? nctl_arena_strdup(&p->tree.arena, name) : NULL;
		if (!name)
			return;
		for (i = 0; i < def->scope->n && p->err == 0; i++)
			nd_name_add(p, def->scope->netns[i], name, NULL, def->node->key_pos);
	}
}
