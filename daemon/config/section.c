/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The mapping under "network", and those of its namespaces, which are much the same: a few keys of their
 * own, renderer, sections; in a section, definitions.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "config/routing.h"
#include "config/steps.h"

/* Sections of netplan, and some to come, that we cannot fill. */
static const char *const unsupported_sections[] = {
	"modems",
	"nm-devices",
	"openvswitch",
	"wifis",
};

/* Who is to configure; inherited from network to section to device. In namespaces it is us anew, since no
 * other program configures them. */
struct renderer {
	bool ours;
	const char *name;
	struct nctl_pos pos;
};

static const struct renderer our_renderer = {.ours = true, .name = "netctld"};

struct body;

/* A key beside the sections. */
struct body_key {
	const char *key;
	void (*fn)(struct body *b, const struct nd_node *node);
};

/* A mapping of sections: of the daemon's own namespace, or of one definition of namespaces. */
struct body {
	struct nd_parse *p;
	const struct nd_scope *scope;
	struct renderer renderer;
	bool report; /* drift is only reported */
	const struct body_key *keys;
	size_t n_keys;
};

#define POOL_MAX 1024

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

/* Which of the kinds that share the section; false: not said, or wrong, which is reported. */
static bool choose_kind(struct nd_def *def)
{
	const struct nd_node *mode = nd_node_get(&def->p->tree, def->node, "mode");
	const char *section = def->kind->section, *words[32];
	const struct nctl_kind *kind;
	size_t n;

	if (!mode) {
		nd_error(def->p, def->node->key_pos, "add \"mode:\", for example \"mode: gre\"",
			"\"%s\" lacks the key \"mode\"", def->node->key);
		return false;
	}
	if (!nd_expect(def->p, mode, ND_NODE_SCALAR))
		return false;
	kind = nctl_kind_by_mode(section, mode->text, &def->mode);
	if (kind) {
		def->kind = kind;
		return true;
	}
	n = nctl_kind_modes(section, words, NCTL_ARRAY_SIZE(words));
	nd_error(def->p, mode->pos,
		nd_did_you_mean(def->p, mode->text, words, n,
			"modes are gre, sit, vxlan and others: see netctld.yaml(5)"),
		"\"%s\" is no mode of %s", mode->text, section);
	return false;
}

static void read_def(
	struct body *b, const struct nd_node *node, const struct nctl_kind *kind, struct renderer r)
{
	struct nd_def def = {.p = b->p, .node = node, .kind = kind, .scope = b->scope, .report = b->report};
	struct nd_parse *p = b->p;
	const struct nd_node *renderer;

	if (!open_def(&def)) {
		p->broken = true;
		return;
	}
	renderer = nd_node_get(&p->tree, node, "renderer");
	if (renderer)
		read_renderer(p, renderer, &r);
	if (!r.ours) {
		nd_notice(p, r.pos, NULL, "devices of renderer %s are left alone", r.name);
		nd_def_leave(&def);
		return;
	}
	if (kind->modes && !choose_kind(&def)) {
		p->broken = true;
		return;
	}
	nd_def_compile(&def);
	if (p->err == 0)
		nd_def_make(&def);
}

static void read_section(struct body *b, const struct nd_node *section, const struct nctl_kind *kind)
{
	struct renderer r = b->renderer;
	struct nd_parse *p = b->p;
	const struct nd_node *c;

	if (!nd_expect(p, section, ND_NODE_MAPPING))
		return;
	c = nd_node_get(&p->tree, section, "renderer");
	if (c)
		read_renderer(p, c, &r);
	for (c = section->first; c; c = c->next)
		if (strcmp(c->key, "renderer"))
			read_def(b, c, kind, r);
}

static bool is_unsupported(const char *key)
{
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(unsupported_sections); i++)
		if (!strcmp(key, unsupported_sections[i]))
			return true;
	return false;
}

static void unknown_key(const struct body *b, const struct nd_node *node)
{
	const char *words[64];
	size_t i, n = 0;

	for (i = 0; i < b->n_keys; i++)
		words[n++] = b->keys[i].key;
	for (i = 0; nctl_kinds[i] && n < NCTL_ARRAY_SIZE(words); i++)
		if (nctl_kinds[i]->section && nctl_kinds[i] == nctl_kind_by_section(nctl_kinds[i]->section))
			words[n++] = nctl_kinds[i]->section;
	nd_error(b->p, node->key_pos,
		nd_did_you_mean(
			b->p, node->key, words, n, "sections are ethernets, bonds, vlans and the like"),
		"unknown key \"%s\"", node->key);
}

/* False: there is no such key here. */
static bool read_own_key(struct body *b, const struct nd_node *node)
{
	size_t i;

	for (i = 0; i < b->n_keys; i++) {
		if (strcmp(node->key, b->keys[i].key))
			continue;
		b->keys[i].fn(b, node);
		return true;
	}
	return false;
}

static void read_body(struct body *b, const struct nd_node *mapping)
{
	const struct nctl_kind *kind;
	struct nd_parse *p = b->p;
	const struct nd_node *c;

	for (c = mapping->first; c && p->err == 0; c = c->next) {
		if (read_own_key(b, c))
			continue;
		kind = nctl_kind_by_section(c->key);
		if (kind) {
			read_section(b, c, kind);
			continue;
		}
		p->broken = true;
		if (!is_unsupported(c->key))
			unknown_key(b, c);
		else if (b->renderer.ours)
			nd_error(p, c->key_pos, "remove it, or put it into a file for another program",
				"netctld does not support %s yet", c->key);
		else
			nd_notice(p, b->renderer.pos, NULL, "devices of renderer %s are left alone",
				b->renderer.name);
	}
}

/* Was read before all others. */
static void skip(struct body *b, const struct nd_node *node)
{
	(void)b;
	(void)node;
}

static void refuse_inner(struct body *b, const struct nd_node *node)
{
	b->p->broken = true;
	nd_error(b->p, node->key_pos, "move it up, under \"network:\"", "%s cannot stand inside a namespace",
		node->key);
}

static void read_netns_renderer(struct body *b, const struct nd_node *node)
{
	struct renderer r = b->renderer;

	read_renderer(b->p, node, &r);
	if (!r.ours)
		nd_error(b->p, node->pos,
			"write netctld, or remove it; sections and devices may have another one",
			"%s configures no namespaces", r.name);
}

static void read_sysctl(struct body *b, const struct nd_node *node)
{
	nd_sysctl_read(b->p, node, b->scope);
}

static void read_nexthops(struct body *b, const struct nd_node *node)
{
	nd_nexthops_read(b->p, node, b->scope);
}

static void read_rules(struct body *b, const struct nd_node *node)
{
	nd_rules_read(b->p, node, b->scope);
}

static const struct body_key netns_keys[] = {
	{"drift", skip},
	{"renderer", read_netns_renderer},
	{"sysctl", read_sysctl},
	{"nexthops", read_nexthops},
	{"routing-policy", read_rules},
	{"namespaces", refuse_inner},
	{"netns-pool", refuse_inner},
	{"version", refuse_inner},
};

static void read_version(struct body *b, const struct nd_node *node)
{
	if (nd_expect(b->p, node, ND_NODE_SCALAR) && strcmp(node->text, "2"))
		nd_error(b->p, node->pos, "write 2", "there is no version \"%s\" of this language here",
			node->text);
}

static void read_pool(struct body *b, const struct nd_node *node)
{
	uint64_t n;

	if (!nd_expect(b->p, node, ND_NODE_SCALAR) || !nd_check_octal(b->p, node, node->text))
		return;
	if (nctl_parse_u64(node->text, 10, &n) < 0 || n > POOL_MAX)
		nd_error(b->p, node->pos, "so many namespaces are kept ready, made in advance; 0: none",
			"%s must be a number from 0 to %d, not \"%s\"", node->key, POOL_MAX, node->text);
	else
		b->p->want->netns_pool = n;
}

/* Before all definitions, wherever it stands. */
static void read_drift(struct body *b, const struct nd_node *mapping)
{
	const struct nd_node *c = nd_node_get(&b->p->tree, mapping, "drift");

	if (c && nd_expect(b->p, c, ND_NODE_SCALAR))
		nd_read_drift(b->p, c, c->text, &b->report);
}

static void read_namespaces(struct body *b, const struct nd_node *node)
{
	const struct nd_node *c;
	struct body inner;

	for (c = node->type == ND_NODE_MAPPING ? node->first : NULL; c && b->p->err == 0; c = c->next) {
		inner = (struct body){.p = b->p,
			.scope = nd_space_take(b->p, c),
			.renderer = our_renderer,
			.report = b->report,
			.keys = netns_keys,
			.n_keys = NCTL_ARRAY_SIZE(netns_keys)};
		if (!inner.scope || !nd_expect(b->p, c, ND_NODE_MAPPING))
			continue;
		read_drift(&inner, c);
		read_body(&inner, c);
	}
}

static const struct body_key network_keys[] = {
	{"version", read_version},
	{"renderer", skip},
	{"drift", skip},
	{"netns-pool", read_pool},
	{"namespaces", read_namespaces},
	{"sysctl", read_sysctl},
	{"nexthops", read_nexthops},
	{"routing-policy", read_rules},
};

void nd_network_read(struct nd_parse *p, const struct nd_node *network)
{
	const struct nd_scope home = {.netns = p->netns, .n = 1};
	struct body b = {.p = p,
		.scope = &home,
		.renderer = our_renderer,
		.keys = network_keys,
		.n_keys = NCTL_ARRAY_SIZE(network_keys)};
	const struct nd_node *c;

	if (!nd_expect(p, network, ND_NODE_MAPPING))
		return;
	c = nd_node_get(&p->tree, network, "renderer");
	if (c)
		read_renderer(p, c, &b.renderer);
	read_drift(&b, network);
	c = nd_node_get(&p->tree, network, "namespaces");
	if (c)
		nd_space_open(p, c);
	read_body(&b, network);
}
