/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The mapping under "namespaces": which there are, by what name. All of them are made before the first
 * device is read, since a device may name one that stands further down in the file. Those of one definition
 * stand in a row, in the order of its range.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/bytes.h"
#include "config/device.h"
#include "config/refs.h"

#define SUGGEST_NAMES 2000 /* so many names are looked at, and so many errors get a suggestion */
#define SUGGEST_TIMES 20

struct nd_space_def {
	struct nd_space_def *next;
	const struct nd_node *node;
	struct nd_scope scope;
};

struct nd_space_name {
	struct nctl_hash_node node;
	struct nctl_want_netns *netns;
};

/* ip-netns(8): a name is that of a file in /run/netns. */
static const char *name_fault(const char *name)
{
	size_t left = strlen(name), len;
	uint32_t c = 0;

	if (!left)
		return "a name has at least one character";
	if (left > NAME_MAX)
		return "a name has at most 255 bytes";
	if (!strcmp(name, ".") || !strcmp(name, "..") || strchr(name, '/'))
		return "a name is that of a file in /run/netns: it has no \"/\", and is not \".\" or \"..\"";
	for (; left; name += len, left -= len) {
		len = nd_bytes_decode(name, left, &c);
		if (!len || c < 0x20 || (c >= 0x7f && c < 0xa0))
			return "a name has no control characters";
	}
	return NULL;
}

struct nctl_want_netns *nd_space_find(const struct nd_parse *p, const char *name)
{
	struct nctl_hash_node *pos;
	struct nctl_want_netns *n;

	if (!*name)
		return p->netns[0];
	nctl_hash_for_each_equal(pos, &p->netns_names, nctl_hash_str(name)) {
		n = nctl_container_of(pos, struct nd_space_name, node)->netns;
		if (!strcmp(n->name, name))
			return n;
	}
	return NULL;
}

const char *nd_space_suggest(struct nd_parse *p, const char *name)
{
	const char *otherwise = nd_text(p, "define it: \"namespaces: {%s: {}}\"", name);
	const char **names;
	size_t i, n = 0;

	if (p->n_suggestions++ >= SUGGEST_TIMES)
		return otherwise;
	names = nd_alloc(p, SUGGEST_NAMES * sizeof(*names));
	if (!names)
		return otherwise;
	for (i = 1; i < p->n_netns && n < SUGGEST_NAMES; i++)
		names[n++] = p->netns[i]->name;
	return nd_did_you_mean(p, name, names, n, otherwise);
}

struct nd_numbers nd_scope_numbers(const struct nd_scope *s, size_t i)
{
	int64_t n = s->ranged ? nctl_range_at(&s->range, i) : 0;

	return (struct nd_numbers){.n = n, .N = n, .has_n = s->ranged, .has_N = s->ranged};
}

/* False: reported, or no memory. */
static bool add_name(struct nd_parse *p, struct nctl_want_netns *netns)
{
	const struct nctl_want_netns *old;
	struct nd_space_name *name;
	const char *fault = name_fault(netns->name);

	if (fault) {
		nd_error(p, netns->pos, fault, "\"%s\" cannot be the name of a namespace", netns->name);
		return false;
	}
	old = nd_space_find(p, netns->name);
	if (old) {
		nd_error(p, netns->pos,
			nd_text(p, "it is defined at %s; join them, or choose another name",
				nd_place(p, old->pos)),
			"the namespace \"%s\" is defined twice", netns->name);
		return false;
	}
	name = nd_alloc(p, sizeof(*name));
	if (!name)
		return false;
	name->netns = netns;
	return !nd_failed(p, nctl_hash_insert(&p->netns_names, &name->node, nctl_hash_str(netns->name)));
}

/* Namespace i of the definition, as the next one of all. */
static bool add_netns(struct nd_parse *p, const struct nd_space_def *d, size_t i)
{
	struct nctl_want_netns *netns = nd_want_alloc(p, sizeof(*netns));
	const char *name = d->node->key;

	if (!netns)
		return false;
	if (d->scope.ranged) {
		nctl_strbuf_reset(&p->scratch);
		nctl_range_name(&d->scope.range, name, nctl_range_at(&d->scope.range, i), &p->scratch);
		if (nd_failed(p, p->scratch.err))
			return false;
		name = nctl_strbuf_str(&p->scratch);
	}
	*netns = (struct nctl_want_netns){.name = nd_want_strdup(p, name),
		.def = d->scope.def,
		.pos = d->node->key_pos,
		.number = (uint32_t)p->n_netns};
	if (!netns->name || !add_name(p, netns))
		return false;
	p->netns[p->n_netns++] = netns;
	return true;
}

/* The range and the number of namespaces; false, reported. */
static bool open_range(struct nd_parse *p, struct nd_space_def *d)
{
	struct nctl_range_error error = {0};
	int r = nctl_range_parse(d->node->key, &d->scope.range, &error);

	if (r < 0) {
		nd_error(p, nd_node_key_pos_at(p, d->node, error.offset), error.advice, "%s", error.message);
		return false;
	}
	d->scope.ranged = r == 0;
	d->scope.n = d->scope.ranged ? d->scope.range.count : 1;
	if (d->node->key_plain && nd_looks_bool(d->node->key)) {
		nd_error(p, d->node->key_pos, "put quotes around it",
			"\"%s\" is a truth value in YAML 1.1, no name", d->node->key);
		return false;
	}
	return true;
}

static struct nd_space_def *new_def(struct nd_parse *p, const struct nd_node *node)
{
	struct nd_space_def *d = nd_alloc(p, sizeof(*d));
	struct nctl_want_def *def = nd_want_alloc(p, sizeof(*def));

	if (!d || !def)
		return NULL;
	*d = (struct nd_space_def){.node = node, .scope = {.def = def}};
	*def = (struct nctl_want_def){.label = nd_want_strdup(p, node->key), .pos = node->key_pos};
	if (!open_range(p, d) || !nd_def_add(p, def)) {
		p->broken = true;
		return NULL;
	}
	return d;
}

/* Definitions without a fault, in their order; *ret_n: how many namespaces they have. */
static struct nd_space_def *open_defs(struct nd_parse *p, const struct nd_node *namespaces, size_t *ret_n)
{
	struct nd_space_def *first = NULL, **tail = &first, *d;
	const struct nd_node *c;

	*ret_n = 0;
	for (c = namespaces->first; c && p->err == 0; c = c->next) {
		d = new_def(p, c);
		if (!d)
			continue;
		if (!nd_take(ret_n, d->scope.n, 1, p->most)) {
			nd_error(p, c->key_pos, "no kernel holds so many",
				"with this, there are more than %zu namespaces", p->most);
			p->broken = true;
			continue;
		}
		*tail = d;
		tail = &d->next;
	}
	return first;
}

void nd_space_open(struct nd_parse *p, const struct nd_node *namespaces)
{
	struct nctl_want_netns **v;
	struct nd_space_def *d, **at = &p->netns_defs;
	size_t i, n;

	if (!nd_expect(p, namespaces, ND_NODE_MAPPING)) {
		p->broken = true;
		return;
	}
	*at = open_defs(p, namespaces, &n);
	v = nd_want_alloc(p, (n + 1) * sizeof(struct nctl_want_netns *));
	if (!v)
		return;
	v[0] = p->netns[0];
	p->netns = v;
	while (*at && p->err == 0) {
		d = *at;
		d->scope.netns = &p->netns[p->n_netns];
		for (i = 0; i < d->scope.n && add_netns(p, d, i); i++)
			;
		p->broken = p->broken || i < d->scope.n;
		if (i < d->scope.n)
			*at = d->next;
		else
			at = &d->next;
	}
}

const struct nd_scope *nd_space_take(struct nd_parse *p, const struct nd_node *node)
{
	struct nd_space_def *d = p->netns_defs;

	if (!d || d->node != node)
		return NULL;
	p->netns_defs = d->next;
	return &d->scope;
}
