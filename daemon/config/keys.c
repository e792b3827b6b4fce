/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Which keys a definition may have, and what reads each: common keys, those of its kind's tables, and
 * those of netplan that netctld does not have. Nothing is ever skipped in silence.
 */
#include <string.h>

#include "base/cleanup.h"
#include "config/grammar.h"
#include "config/steps.h"
#include "config/routing.h"
#include "config/vlans.h"
#include "config/told.h"
#include "obj/ethtool.h"
#include "obj/link.h"

struct common_key {
	const char *key;
	nd_step_fn fn;
};

static void step_nothing(struct nd_dev *d, const struct nd_step *s)
{
	(void)d;
	(void)s;
}

static const struct common_key common_keys[] = {
	{"addresses", nd_step_addresses}, {"activation-mode", nd_step_activation},
	{"optional", nd_step_optional}, {"link-local", nd_step_link_local}, {"vrf", nd_step_vrf},
	{"port-vlans", nd_step_own_port_vlans}, {"drift", nd_step_drift},
	{"renderer", step_nothing}, /* section.c has read it */
	{"dhcp4", nd_step_dhcp}, {"dhcp6", nd_step_dhcp}, {"nameservers", nd_step_nameservers},
	{"optional-addresses", nd_step_optional_addresses}, {"ipv6-privacy", nd_step_ipv6_privacy},
	{"accept-ra", nd_step_accept_ra}, {"ipv6-mtu", nd_step_ipv6_mtu}, {"match", nd_step_match},
	{"set-name", nd_step_set_name}, {"sysctl", nd_step_sysctl}, {"ethtool", nd_step_ethtool},
	{"emit-lldp", nd_step_must_be_false}, {"ignore-carrier", nd_step_must_be_true},
	{"routes", nd_step_routes}, {"routing-policy", nd_step_rules},
	{"gateway4", nd_step_gateway}, {"gateway6", nd_step_gateway},
	{"neighbours", nd_step_neighs},
	{"critical", nd_step_any_bool}, /* addresses stay over restarts anyway */
};

/* netplan's other keys of devices. */
static const char *const unsupported[] = {
	"auth",
	"delay-virtual-functions-rebind",
	"dhcp-identifier",
	"dhcp4-overrides",
	"dhcp6-overrides",
	"embedded-switch-mode",
	"hairpin",
	"infiniband-mode",
	"link",
	"neigh-suppress",
	"networkmanager",
	"openvswitch",
	"port-mac-learning",
	"ra-overrides",
	"regulatory-domain",
	"virtual-function-count",
};

/* netplan's older words. */
static const char *const synonyms[][2] = {
	{"aging", "ageing"},
	{"aging-time", "ageing-time"},
	{"all-slaves-active", "all-members-active"},
	{"gratuitious-arp", "gratuitous-arp"},
	{"key", "keys"},
	{"packets-per-slave", "packets-per-member"},
};

static const char *canonical(const char *key)
{
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(synonyms); i++)
		if (!strcmp(key, synonyms[i][0]))
			return synonyms[i][1];
	return key;
}

const char *nd_grammar_older(const char *key)
{
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(synonyms); i++)
		if (!strcmp(key, synonyms[i][1]))
			return synonyms[i][0];
	return NULL;
}

int nd_field_find(const struct nctl_field_table *t, const char *key)
{
	/* The entries of groups have a way of their own. */
	return strchr(key, '.') ? -1 : nctl_fields_find(t, canonical(key));
}

const char *nd_field_in_group(const struct nctl_field *f, const char *group)
{
	size_t n = strlen(group);

	return f->key && !strncmp(f->key, group, n) && f->key[n] == '.' ? f->key + n + 1 : NULL;
}

static bool add_field_step(struct nd_def *def, nd_step_fn fn, const struct nd_node *node,
	const struct nctl_field_table *t, bool data)
{
	int i = nd_field_find(t, node->key);

	if (i < 0 || (data && def->kind->lacks >> i & 1))
		return false;
	def->steps[def->n_steps++] = (struct nd_step){fn, node, &t->v[i], (unsigned)i};
	if (data)
		def->given |= UINT64_C(1) << i;
	return true;
}

static bool add_step(struct nd_def *def, nd_step_fn fn, const struct nd_node *node)
{
	def->steps[def->n_steps++] = (struct nd_step){.fn = fn, .node = node};
	return true;
}

static bool is_word(const char *key, const char *word)
{
	return word && !strcmp(key, word);
}

/* Any kind of master may have fields that its ports carry. */
static bool is_port_field(const char *key)
{
	size_t i;

	for (i = 0; nctl_kinds[i]; i++)
		if (nd_field_find(&nctl_kinds[i]->port, key) >= 0)
			return true;
	return false;
}

#define CANDIDATES_MAX 192

struct candidates {
	const char *v[CANDIDATES_MAX];
	size_t n;
};

static void add_candidate(struct candidates *c, const char *word)
{
	if (word && c->n < CANDIDATES_MAX)
		c->v[c->n++] = word;
}

static void add_table(
	struct nd_parse *p, struct candidates *c, const struct nctl_field_table *t, uint64_t lacks)
{
	const char *key;
	size_t i;

	for (i = 0; i < t->n; i++) {
		key = lacks >> i & 1 ? NULL : t->v[i].key;
		if (key && strchr(key, '.')) /* its group */
			key = nd_text(p, "%.*s", (int)strcspn(key, "."), key);
		add_candidate(c, key);
	}
}

/* A key of the items of a list beside it that has slipped out of them, as once in netplan's own pages. */
static const char *slipped_out_of(struct nd_def *def, const struct nd_node *node)
{
	static const char *const lists[][2] = {{"routes", "route"}, {"routing-policy", "rule"}};
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(lists); i++)
		if (nd_grammar_has(lists[i][1], node->key) &&
			nd_node_get(&def->p->tree, def->node, lists[i][0]))
			return lists[i][0];
	return NULL;
}

static void unknown_key(struct nd_def *def, const struct nd_node *node, bool parameters)
{
	const struct nctl_kind *k = def->kind;
	struct candidates c = {.n = 0};
	const char *otherwise;
	size_t i;

	if (parameters) {
		add_table(def->p, &c, &k->data, k->lacks);
		add_table(def->p, &c, &k->port, 0);
		add_candidate(&c, k->traits & NCTL_KIND_VLANS ? "vlans" : NULL);
		add_candidate(&c, k->traits & NCTL_KIND_VLANS ? "port-vlans" : NULL);
	} else {
		for (i = 0; i < NCTL_ARRAY_SIZE(common_keys); i++)
			add_candidate(&c, common_keys[i].key);
		add_table(def->p, &c, &nctl_link_fields, 0);
		for (i = 0; nctl_ethtool_keys[i].key; i++)
			add_candidate(&c, nctl_ethtool_keys[i].key);
		if (!k->parameters)
			add_table(def->p, &c, &k->data, k->lacks);
		add_candidate(&c, k->parameters);
		add_candidate(&c, k->lower_key);
		add_candidate(&c, k->ports_key);
		add_candidate(&c, k->peer_key);
		for (i = 0; (k->traits & NCTL_KIND_KEYS) && nd_wg_key_at(i); i++)
			add_candidate(&c, nd_wg_key_at(i));
		for (i = 0; i < NCTL_ARRAY_SIZE(unsupported); i++)
			add_candidate(&c, unsupported[i]);
	}
	if (!parameters && k->parameters &&
		(nd_field_find(&k->data, node->key) >= 0 || nd_field_find(&k->port, node->key) >= 0))
		otherwise = nd_text(def->p, "it belongs under \"%s:\"", k->parameters);
	else if (!parameters && slipped_out_of(def, node))
		otherwise = nd_text(def->p, "it belongs to an item of \"%s:\": indent it as the keys there",
			slipped_out_of(def, node));
	else if (!strcmp(node->key, "<<"))
		otherwise =
			"merge keys are no part of this language; use an alias as a whole value, or a range";
	else
		otherwise = nd_did_you_mean(
			def->p, node->key, c.v, c.n, "see netctld.yaml(5) for the keys of this section");
	nd_error(def->p, node->key_pos, otherwise, "unknown key \"%s\"", node->key);
}

static bool is_unsupported(const char *key)
{
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(unsupported); i++)
		if (!strcmp(key, unsupported[i]))
			return true;
	return false;
}

/* A bridge's. */
static bool compile_vlans(struct nd_def *def, const struct nd_node *node)
{
	if (!(def->kind->traits & NCTL_KIND_VLANS))
		return false;
	if (is_word(node->key, "vlans"))
		return add_step(def, nd_step_vlans, node);
	return is_word(node->key, "port-vlans") && add_step(def, nd_step_port_vlans, node);
}

static void compile_parameters(struct nd_def *def, const struct nd_node *parameters)
{
	const struct nd_node *c;

	if (!nd_expect(def->p, parameters, ND_NODE_MAPPING))
		return;
	for (c = parameters->first; c; c = c->next) {
		if (compile_vlans(def, c))
			continue;
		/* Some words mean the master or, in a mapping, its ports. */
		if (c->type == ND_NODE_MAPPING &&
			add_field_step(def, nd_step_ports_field, c, &def->kind->port, false))
			continue;
		if (add_field_step(def, nd_step_data_field, c, &def->kind->data, true))
			continue;
		if (add_field_step(def, nd_step_ports_field, c, &def->kind->port, false))
			continue;
		unknown_key(def, c, true);
	}
}

static bool compile_common(struct nd_def *def, const struct nd_node *node)
{
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(common_keys); i++) {
		if (strcmp(node->key, common_keys[i].key))
			continue;
		add_step(def, common_keys[i].fn, node);
		return true;
	}
	if (nd_is_ethtool_key(node->key))
		return add_step(def, nd_step_ethtool_key, node);
	return add_field_step(def, nd_step_link_field, node, &nctl_link_fields, false);
}

static void add_data_step(struct nd_def *def, nd_step_fn fn, const struct nd_node *node, size_t i)
{
	def->steps[def->n_steps++] = (struct nd_step){fn, node, &def->kind->data.v[i], (unsigned)i};
	def->given |= UINT64_C(1) << i;
}

/* The entry of a group in a mapping. */
static void compile_entry(struct nd_def *def, const struct nd_node *node, const char *group)
{
	const struct nctl_field_table *t = &def->kind->data;
	struct candidates c = {.n = 0};
	const char *word;
	size_t i;

	for (i = 0; i < t->n; i++) {
		word = def->kind->lacks >> i & 1 ? NULL : nd_field_in_group(&t->v[i], group);
		add_candidate(&c, word);
		if (!is_word(node->key, word))
			continue;
		add_data_step(def, nd_step_data_field, node, i);
		return;
	}
	nd_error(def->p, node->key_pos,
		nd_did_you_mean(
			def->p, node->key, c.v, c.n, "see netctld.yaml(5) for the keys of this section"),
		"unknown key \"%s\" in %s", node->key, group);
}

/* "keys", if there is a field "keys.input"; false: there is none. */
static bool compile_group(struct nd_def *def, const struct nd_node *node)
{
	const struct nctl_field_table *t = &def->kind->data;
	const char *group = canonical(node->key);
	const struct nd_node *c;
	bool found = false;
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (def->kind->lacks >> i & 1 || !nd_field_in_group(&t->v[i], group))
			continue;
		if (node->type == ND_NODE_SCALAR)
			add_data_step(def, nd_step_data_field, node, i);
		else if (node->type == ND_NODE_SEQUENCE && !found)
			add_data_step(def, nd_step_data_flags, node, i);
		found = true;
	}
	for (c = found && node->type == ND_NODE_MAPPING ? node->first : NULL; c; c = c->next)
		compile_entry(def, c, group);
	return found;
}

static bool compile_kind(struct nd_def *def, const struct nd_node *node)
{
	const struct nctl_kind *k = def->kind;

	if (is_word(node->key, k->lower_key))
		add_step(def, nd_step_lower, node);
	else if (is_word(node->key, k->peer_key))
		def->peer_given = add_step(def, nd_step_peer, node);
	else if (is_word(node->key, k->ports_key))
		add_step(def, nd_step_ports, node);
	else if (is_word(node->key, k->parameters))
		compile_parameters(def, node);
	else if ((k->traits & NCTL_KIND_KEYS) && nd_is_wg_key(node->key))
		add_step(def, nd_step_wg, node);
	else if (k->modes && is_word(node->key, "mode"))
		return true; /* section.c has read it */
	else
		return !k->parameters && (add_field_step(def, nd_step_data_field, node, &k->data, true) ||
						 compile_group(def, node));
	return true;
}

static void missing(struct nd_def *def, const char *key, const char *help)
{
	nd_error(def->p, def->node->key_pos,
		help ? nd_text(def->p, "%s: %s", key, help) : nd_text(def->p, "add \"%s:\"", key),
		"\"%s\" lacks the key \"%s\"", def->node->key, key);
}

static void check_missing(struct nd_def *def)
{
	const struct nctl_kind *k = def->kind;
	uint64_t required = nctl_fields_with(&k->data, NCTL_FIELD_REQUIRED) & ~def->given;
	size_t i;

	for (i = 0; i < k->data.n; i++)
		if (required >> i & 1)
			missing(def, k->data.v[i].key, k->data.v[i].help);
	if ((k->traits & NCTL_KIND_LOWER_REQUIRED) && k->lower_key &&
		!nd_node_get(&def->p->tree, def->node, k->lower_key))
		missing(def, k->lower_key, "the device it is made on");
}

static size_t count_keys(const struct nd_node *mapping)
{
	const struct nd_node *c, *e;
	size_t n = 0;

	for (c = mapping->first; c; c = c->next) {
		n++;
		for (e = c->type == ND_NODE_MAPPING ? c->first : NULL; e; e = e->next)
			n++;
	}
	return n;
}

void nd_def_compile(struct nd_def *def)
{
	const struct nd_node *c;

	def->steps = nd_alloc(def->p, (count_keys(def->node) + 2 * def->kind->data.n) * sizeof(*def->steps));
	if (!def->steps)
		return;
	for (c = def->node->first; c; c = c->next) {
		if (compile_kind(def, c) || compile_common(def, c))
			continue;
		if (is_port_field(c->key))
			add_step(def, nd_step_port_field, c);
		else if (is_unsupported(c->key))
			nd_error(def->p, c->key_pos,
				"remove it, or leave the device to another program by \"renderer: networkd\"",
				"netctld does not support %s yet", c->key);
		else
			unknown_key(def, c, false);
	}
	check_missing(def);
}
