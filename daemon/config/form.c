/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: mappings whose keys come from a field table and that are no device: a route, a rule, a next hop.
 */
#include <inttypes.h>
#include <string.h>

#include "config/routing.h"

#define WORDS_MAX 64

static void unknown_key(
	struct nd_dev *d, const struct nd_node *node, const struct nctl_field_table *t, const char *other)
{
	const char *words[WORDS_MAX + 1];
	size_t i, n = 0;

	for (i = 0; i < t->n && n < WORDS_MAX; i++)
		if (t->v[i].key)
			words[n++] = t->v[i].key;
	if (other)
		words[n++] = other;
	nd_error(d->p, node->key_pos,
		nd_did_you_mean(d->p, node->key, words, n, "see netctld.yaml(5) for the keys that there are"),
		"unknown key \"%s\"", node->key);
}

static bool read_key(struct nd_dev *d, const struct nd_node *node, const struct nctl_field_table *t,
	void *form, uint64_t *given)
{
	int i = nctl_fields_find(t, node->key);

	if (i < 0 || !nd_dev_field(d, &t->v[i], node->key, node, form))
		return false;
	*given |= UINT64_C(1) << i;
	return true;
}

static bool check_required(struct nd_dev *d, const struct nd_node *mapping, const struct nctl_field_table *t)
{
	uint64_t required = nctl_fields_with(t, NCTL_FIELD_REQUIRED);
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (!(required >> i & 1) || nd_node_get(&d->p->tree, mapping, t->v[i].key))
			continue;
		nd_error(d->p, mapping->pos, nd_text(d->p, "%s: %s", t->v[i].key, t->v[i].help),
			"the key \"%s\" is missing here", t->v[i].key);
		return false;
	}
	return true;
}

bool nd_form_read(struct nd_dev *d, const struct nd_node *mapping, const struct nctl_field_table *t,
	void *form, const char *other, const struct nd_node **ret_other, uint64_t *ret_given)
{
	const struct nd_node *c;
	uint64_t given = 0;
	bool fine;

	if (!nd_expect(d->p, mapping, ND_NODE_MAPPING))
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].dflt)
			nctl_field_set(&t->v[i], form, t->v[i].dflt);
	fine = check_required(d, mapping, t);
	if (other)
		*ret_other = NULL;
	for (c = mapping->first; c; c = c->next) {
		if (other && !strcmp(c->key, other)) {
			*ret_other = c;
		} else if (nctl_fields_find(t, c->key) < 0) {
			unknown_key(d, c, t, other);
			fine = false;
		} else {
			fine = read_key(d, c, t, form, &given) && fine;
		}
	}
	*ret_given = given;
	return fine && d->p->err == 0;
}

struct nctl_pos nd_form_pos(const struct nd_dev *d, const struct nd_node *mapping, const char *key)
{
	const struct nd_node *c = nd_node_get(&d->p->tree, mapping, key);

	return c ? c->pos : mapping->pos;
}

const char *nd_family_name(uint8_t family)
{
	return family == AF_INET ? "IPv4" : "IPv6";
}

bool nd_form_prefix(struct nd_dev *d, const struct nd_node *mapping, const char *key, const char *text,
	struct nctl_prefix *ret)
{
	struct nctl_pos pos = nd_form_pos(d, mapping, key);
	char buf[NCTL_PREFIX_STR];
	struct nctl_prefix p;

	if (nctl_prefix_parse(text, NCTL_PREFIX_ANY, ret) < 0) {
		nd_error(d->p, pos,
			!d->numbers.has_n && strchr(text, '{')
				? "expressions are for ranges: give the device a name like \"x{1..10}\""
				: "a network is like 192.0.2.0/24 or 2001:db8::/64",
			"\"%s\" is no network", text);
		return false;
	}
	p = *ret;
	nctl_prefix_mask(&p);
	if (!nctl_prefix_equal(&p, ret))
		nd_warning(d->p, pos, nd_text(d->p, "write %s", nctl_prefix_format(&p, buf)),
			"\"%s\" has bits behind its length; they do not count", text);
	*ret = p;
	return true;
}
