/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The whole way from texts to want: each file to a tree, the trees to one, definitions to links, names
 * to pointers, checks. Every part goes on after a finding, so that one run tells about all.
 *
 * The tree and all that is needed in between live in one arena and die here; what stays is in the want's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/device.h"
#include "config/parse.h"
#include "config/refs.h"
#include "config/routing.h"

void nd_parse_fini(struct nd_parse *p)
{
	nctl_hash_fini(&p->tree.keys);
	nctl_hash_fini(&p->names);
	nctl_hash_fini(&p->netns_names);
	nctl_arena_fini(&p->tree.arena);
	nctl_strbuf_fini(&p->scratch);
	nctl_strbuf_fini(&p->why);
	free(p->links);
	free(p->defs);
	nctl_want_free(p->want);
}

/* The mapping under "network" of one file, or NULL. */
static struct nd_node *load_network(struct nd_parse *p, uint32_t file)
{
	static const char *const known[] = {"network"};
	struct nd_node *root = nd_yaml_load(p, file), *c, *network = NULL;

	if (!root || (root->type == ND_NODE_SCALAR && nd_is_null(root)) ||
		!nd_expect(p, root, ND_NODE_MAPPING))
		return NULL;
	for (c = root->first; c; c = c->next) {
		if (!strcmp(c->key, "network"))
			network = c;
		else
			nd_error(p, c->key_pos,
				nd_did_you_mean(p, c->key, known, 1, "all stands under \"network:\""),
				"unknown key \"%s\"", c->key);
	}
	return network;
}

static int fill_files(struct nctl_want *w, const struct nd_config_texts *texts)
{
	size_t i;

	w->files = nctl_arena_alloc(&w->arena, texts->n * sizeof(*w->files));
	if (!w->files)
		return -ENOMEM;
	for (i = 0; i < texts->n; i++) {
		w->files[i] = nctl_arena_strdup(&w->arena, texts->v[i].path);
		if (!w->files[i])
			return -ENOMEM;
	}
	w->n_files = texts->n;
	return 0;
}

static int fill_links(struct nd_parse *p)
{
	struct nctl_want *w = p->want;
	const struct nctl_want_link *twice;
	int r;

	w->links = nd_want_alloc(p, p->n_links * sizeof(struct nctl_want_link *));
	w->defs = nd_want_alloc(p, p->n_defs * sizeof(struct nctl_want_def *));
	if (!w->links || !w->defs)
		return -ENOMEM;
	if (p->n_links)
		memcpy(w->links, p->links, p->n_links * sizeof(struct nctl_want_link *));
	if (p->n_defs)
		memcpy(w->defs, p->defs, p->n_defs * sizeof(struct nctl_want_def *));
	w->n_links = p->n_links;
	w->n_defs = p->n_defs;
	w->netns = p->netns;
	w->n_netns = p->n_netns;
	r = nctl_want_seal(w, &twice);
	return r == -EEXIST ? -EINVAL : r;
}

struct nd_node *nd_parse_load(struct nd_parse *p)
{
	struct nd_node *network = NULL;
	uint32_t i;

	for (i = 0; i < p->texts->n && p->err == 0; i++)
		network = nd_merge(p, network, load_network(p, i));
	return network;
}

static void read_all(struct nd_parse *p)
{
	struct nd_node *network = nd_parse_load(p);

	if (network && p->err == 0)
		nd_network_read(p, network);
	if (p->err == 0)
		nd_refs_resolve(p);
	if (p->err == 0)
		nd_routing_resolve(p);
	if (p->err == 0)
		nd_check_loops(p);
	if (p->err == 0)
		nd_check_links(p);
}

/* Number of the diagnostic's file in the order of the texts; findings about files that were not read come
 * first. */
static size_t file_rank(const struct nd_config_texts *texts, const struct nd_diagnostic *d)
{
	size_t i;

	for (i = 0; d->file && i < texts->n; i++)
		if (!strcmp(texts->v[i].path, d->file))
			return i + 1;
	return 0;
}

static bool is_before(
	const struct nd_config_texts *texts, const struct nd_diagnostic *a, const struct nd_diagnostic *b)
{
	size_t x = file_rank(texts, a), y = file_rank(texts, b);

	if (x != y)
		return x < y;
	return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* There are at most a hundred; equals keep their order. */
void nd_parse_sort(const struct nd_config_texts *texts, struct nd_diagnostics *diag)
{
	struct nd_diagnostic d;
	size_t i, at;

	for (i = 1; i < diag->n; i++) {
		d = diag->v[i];
		for (at = i; at > 0 && is_before(texts, &d, &diag->v[at - 1]); at--)
			diag->v[at] = diag->v[at - 1];
		diag->v[at] = d;
	}
}

void nd_parse_init(struct nd_parse *p, const struct nd_config_texts *texts, struct nd_diagnostics *diag)
{
	*p = (struct nd_parse){.texts = texts, .diag = diag};
	nctl_arena_init(&p->tree.arena);
	nctl_hash_init(&p->tree.keys);
	nctl_hash_init(&p->names);
	nctl_hash_init(&p->netns_names);
}

int nd_config_parse(const struct nd_config_texts *texts, struct nd_diagnostics *diag, struct nctl_want **ret)
{
	_cleanup_(nd_parse_fini) struct nd_parse p;
	int r;

	nd_parse_init(&p, texts, diag);
	p.want = nctl_want_new();
	p.most = texts->most && texts->most < ND_RANGE_MAX ? texts->most : ND_RANGE_MAX;
	p.claims_tail = &p.claims;
	p.port_params_tail = &p.port_params;
	p.peers_tail = &p.peers;
	nd_routing_init(&p);
	p.vlan_lists_tail = &p.vlan_lists;
	if (!p.want)
		return -ENOMEM;
	p.netns = p.want->netns;
	p.n_netns = p.want->n_netns;
	r = fill_files(p.want, texts);
	if (r < 0)
		return r;
	read_all(&p);
	nd_parse_sort(texts, diag);
	if (p.err < 0)
		return p.err;
	if (diag->n_errors)
		return ND_CONFIG_INVALID;
	r = fill_links(&p);
	if (r < 0)
		return r;
	*ret = take_ptr(p.want);
	return 0;
}
