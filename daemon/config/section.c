/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The mapping under "network": version, renderer, sections; in a section, definitions; from a
 * definition, one link or a range of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/device.h"
#include "config/refs.h"

/* Sections of netplan, and some to come, that we cannot fill. */
static const char *const unsupported_sections[] = {
	"modems",
	"namespaces",
	"nexthops",
	"nm-devices",
	"openvswitch",
	"tunnels",
	"wifis",
};

/* Who is to configure; inherited from network to section to device. */
struct renderer {
	bool ours;
	const char *name;
	struct nctl_pos pos;
};

static void read_renderer(struct nd_parse *p, const struct nd_node *node, struct renderer *r)
{
	static const char *const known[] = {"netctld", "networkd", "NetworkManager", "sriov"};
	size_t i;

	if (!nd_expect(p, node, ND_NODE_SCALAR))
		return;
	for (i = 0; i < NCTL_ARRAY_SIZE(known); i++) {
		if (strcmp(node->text, known[i]))
			continue;
		*r = (struct renderer){.ours = i == 0, .name = known[i], .pos = node->pos};
		return;
	}
	nd_error(p, node->pos,
		nd_did_you_mean(p, node->text, known, NCTL_ARRAY_SIZE(known), "write netctld, or remove it"),
		"\"%s\" is no renderer", node->text);
}

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

static bool add_def(struct nd_parse *p, struct nctl_want_def *def)
{
	size_t cap = p->cap_defs ? p->cap_defs * 2 : 64;
	struct nctl_want_def **v;

	if (p->n_defs == p->cap_defs) {
		v = reallocarray(p->defs, cap, sizeof(struct nctl_want_def *));
		if (!v)
			return !nd_failed(p, -ENOMEM);
		p->defs = v;
		p->cap_defs = cap;
	}
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
		if (!f->key || !f->dflt || (v->data_has >> i & 1))
			continue;
		nctl_field_set(f, v->data, f->dflt);
		v->data_has |= UINT64_C(1) << i;
	}
}

static struct nctl_want_link *new_link(struct nd_parse *p, const struct nd_def *def, const char *name)
{
	struct nctl_want_link *l = nd_want_alloc(p, sizeof(*l));
	const struct nctl_kind *k = def->kind;

	if (!l)
		return NULL;
	l->v = NCTL_LINK_INIT;
	l->v.kind = k;
	l->v.data = k->data_size ? nd_want_alloc(p, k->data_size) : NULL;
	l->v.has = NCTL_LINK_BIT(NAME);
	strcpy(l->v.name, name);
	l->def = def->def;
	l->pos = def->node->key_pos;
	l->number = (uint32_t)p->n_links;
	return k->data_size && !l->v.data ? NULL : l;
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
static void check_kind(const struct nd_dev *d)
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
	nctl_strbuf_reset(why);
	i = k->check ? k->check(v->data, given, why) : -1;
	if (i < 0)
		return;
	f = &k->data.v[i];
	node = field_node(d->def, f);
	key = node ? node->key : f->key;
	nd_error(d->p, node ? node->pos : d->link->pos,
		f->help ? nd_text(d->p, "%s: %s", key, f->help) : NULL, "%s %s", key, nctl_strbuf_str(why));
}

/* False: a finding or no memory. */
static bool make_instance(const struct nd_def *def, int64_t n)
{
	struct nd_parse *p = def->p;
	size_t before = p->diag->n_errors, i;
	const char *name = instance_name(def, n);
	struct nctl_want_link *l = name ? new_link(p, def, name) : NULL;
	struct nd_dev d = {.p = p, .def = def, .link = l, .n = n};

	if (!l)
		return false;
	p->links[p->n_links++] = l;
	def->def->n_links++;
	nd_name_add(p, l->v.name, l, l->pos);
	for (i = 0; i < def->n_steps; i++)
		def->steps[i].fn(&d, &def->steps[i]);
	set_defaults(def->kind, &l->v);
	if (p->diag->n_errors == before)
		check_kind(&d);
	return p->err == 0 && p->diag->n_errors == before;
}

/* All devices up to the first with a fault: the others of the range would have it too. */
static void make_instances(struct nd_def *def)
{
	struct nd_parse *p = def->p;
	size_t i, n = def->ranged ? def->range.count : 1;

	def->def = nd_want_alloc(p, sizeof(*def->def));
	if (!def->def || !add_def(p, def->def))
		return;
	*def->def = (struct nctl_want_def){
		.label = nd_want_strdup(p, def->node->key), .pos = def->node->key_pos, .kind = def->kind};
	if (p->n_links + n > ND_RANGE_MAX) {
		nd_error(p, def->node->key_pos, "no kernel holds so many",
			"with this, there are more than %zu devices", ND_RANGE_MAX);
		p->broken = true;
		return;
	}
	if (!reserve_links(p, n))
		return;
	for (i = 0; i < n; i++) {
		if (make_instance(def, def->ranged ? nctl_range_at(&def->range, i) : 0))
			continue;
		p->broken = p->broken || i + 1 < n;
		return;
	}
}

/* Its names are known, so that others may refer to them. */
static void leave_alone(struct nd_def *def, const struct renderer *r)
{
	size_t i, n = def->ranged ? def->range.count : 1;
	struct nd_parse *p = def->p;
	const char *name;

	nd_notice(p, r->pos, NULL, "devices of renderer %s are left alone", r->name);
	for (i = 0; i < n; i++) {
		name = instance_name(def, def->ranged ? nctl_range_at(&def->range, i) : 0);
		name = name ? nctl_arena_strdup(&p->tree.arena, name) : NULL;
		if (!name)
			return;
		nd_name_add(p, name, NULL, def->node->key_pos);
	}
}

/* False: what is behind this key cannot be made into links. */
static bool open_def(struct nd_def *def)
{
	struct nctl_range_error error = {0};
	int r;

	if (!nd_expect(def->p, def->node, ND_NODE_MAPPING))
		return false;
	r = nctl_range_parse(def->node->key, &def->range, &error);
	if (r < 0) {
		nd_error(def->p, nd_node_key_pos_at(def->p, def->node, error.offset), error.advice, "%s",
			error.message);
		return false;
	}
	def->ranged = r == 0;
	if (!def->node->key_plain || !nd_looks_bool(def->node->key))
		return true;
	nd_error(def->p, def->node->key_pos, "put quotes around it",
		"\"%s\" is a truth value in YAML 1.1, no name", def->node->key);
	return false;
}

static void read_def(
	struct nd_parse *p, const struct nd_node *node, const struct nctl_kind *kind, struct renderer r)
{
	struct nd_def def = {.p = p, .node = node, .kind = kind};
	const struct nd_node *renderer;

	if (!open_def(&def)) {
		p->broken = true;
		return;
	}
	renderer = nd_node_get(&p->tree, node, "renderer");
	if (renderer)
		read_renderer(p, renderer, &r);
	if (!r.ours) {
		leave_alone(&def, &r);
		return;
	}
	nd_def_compile(&def);
	if (p->err == 0)
		make_instances(&def);
}

static void read_section(
	struct nd_parse *p, const struct nd_node *section, const struct nctl_kind *kind, struct renderer r)
{
	const struct nd_node *c;

	if (!nd_expect(p, section, ND_NODE_MAPPING))
		return;
	c = nd_node_get(&p->tree, section, "renderer");
	if (c)
		read_renderer(p, c, &r);
	for (c = section->first; c; c = c->next)
		if (strcmp(c->key, "renderer"))
			read_def(p, c, kind, r);
}

static void other_section(struct nd_parse *p, const struct nd_node *node, const struct renderer *r)
{
	const char *words[64] = {"version", "renderer"};
	size_t i, n = 2;

	p->broken = true;
	for (i = 0; i < NCTL_ARRAY_SIZE(unsupported_sections); i++) {
		if (strcmp(node->key, unsupported_sections[i]))
			continue;
		if (r->ours)
			nd_error(p, node->key_pos, "remove it, or put it into a file for another program",
				"netctld does not support %s yet", node->key);
		else
			nd_notice(p, r->pos, NULL, "devices of renderer %s are left alone", r->name);
		return;
	}
	for (i = 0; nctl_kinds[i] && n < NCTL_ARRAY_SIZE(words); i++)
		words[n++] = nctl_kinds[i]->section;
	nd_error(p, node->key_pos,
		nd_did_you_mean(p, node->key, words, n, "sections are ethernets, bonds, vlans and the like"),
		"unknown key \"%s\"", node->key);
}

static void read_version(struct nd_parse *p, const struct nd_node *node)
{
	if (nd_expect(p, node, ND_NODE_SCALAR) && strcmp(node->text, "2"))
		nd_error(p, node->pos, "write 2", "there is no version \"%s\" of this language here",
			node->text);
}

void nd_network_read(struct nd_parse *p, const struct nd_node *network)
{
	struct renderer r = {.ours = true, .name = "netctld"};
	const struct nctl_kind *kind;
	const struct nd_node *c;

	if (!nd_expect(p, network, ND_NODE_MAPPING))
		return;
	c = nd_node_get(&p->tree, network, "renderer");
	if (c)
		read_renderer(p, c, &r);
	for (c = network->first; c && p->err == 0; c = c->next) {
		if (!strcmp(c->key, "renderer"))
			continue;
		if (!strcmp(c->key, "version")) {
			read_version(p, c);
			continue;
		}
		kind = nctl_kind_by_section(c->key);
		if (kind)
			read_section(p, c, kind, r);
		else
			other_section(p, c, &r);
	}
}
