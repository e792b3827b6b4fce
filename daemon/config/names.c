/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What may be a name of a link, and which link goes by it.
 */
#include <string.h>

#include "base/cleanup.h"
#include "config/refs.h"

#define SUGGEST_NAMES 2000 /* so many names are looked at, and so many errors get a suggestion */
#define SUGGEST_TIMES 20

/*
 * dev_valid_name of net/core/dev.c: no "/", ":", white space, no "." or ".."; "%" asks it to choose a number.
 * The sysctl folders "all" and "default" leave no room for links of that name. netplan refuses what looks
 * like a pattern.
 */
static const char *name_fault(const char *name)
{
	const unsigned char *s;

	if (!*name)
		return "a name has at least one character";
	if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "all") || !strcmp(name, "default"))
		return "the kernel keeps this word for itself";
	for (s = (const unsigned char *)name; *s; s++)
		if (*s <= ' ' || *s >= 0x7f || strchr("/:%*?[]{}", *s))
			return "names have letters, digits, and . - _ @ + and the like";
	return NULL;
}

bool nd_name_check(struct nd_parse *p, const char *name, size_t limit, struct nctl_pos pos)
{
	const char *fault = name_fault(name);

	if (fault) {
		nd_error(p, pos, fault, "\"%s\" cannot be the name of a link", name);
		return false;
	}
	if (strlen(name) >= limit) {
		nd_error(p, pos, "choose a shorter one",
			"the name \"%s\" has %zu characters, and the kernel allows %zu", name, strlen(name),
			limit - 1);
		return false;
	}
	return true;
}

static uint64_t name_hash(uint32_t netns, const char *name)
{
	return nctl_hash_str(name) ^ nctl_hash_u64(netns);
}

static const struct nd_name *find(const struct nd_parse *p, uint32_t netns, const char *name)
{
	struct nctl_hash_node *pos;
	const struct nd_name *n;

	nctl_hash_for_each_equal(pos, &p->names, name_hash(netns, name)) {
		n = nctl_container_of(pos, struct nd_name, node);
		if (n->netns == netns && !strcmp(n->name, name))
			return n;
	}
	return NULL;
}

const char *nd_in_netns(struct nd_parse *p, const struct nctl_want_netns *netns)
{
	return netns->name ? nd_text(p, " in the namespace \"%s\"", netns->name) : "";
}

void nd_name_add(struct nd_parse *p, const struct nctl_want_netns *netns, const char *name,
	struct nctl_want_link *link, struct nctl_pos pos)
{
	const struct nd_name *old = find(p, netns->number, name);
	struct nd_name *new;

	if (old) {
		nd_error(p, pos,
			nd_text(p, "it was used at %s before; every link needs a name of its own",
				nd_place(p, old->pos)),
			"the name \"%s\" is used twice%s", name, nd_in_netns(p, netns));
		return;
	}
	new = nd_alloc(p, sizeof(*new));
	if (!new)
		return;
	*new = (struct nd_name){.name = name, .netns = netns->number, .link = link, .pos = pos};
	nd_failed(p, nctl_hash_insert(&p->names, &new->node, name_hash(netns->number, name)));
}

/* Did-you-mean among the names of the namespace. */
static const char *suggest(
	struct nd_parse *p, const struct nctl_want_netns *netns, const char *name, const char *otherwise)
{
	const char **names;
	size_t i, n = 0;

	if (p->n_suggestions++ >= SUGGEST_TIMES)
		return otherwise;
	names = nd_alloc(p, SUGGEST_NAMES * sizeof(*names));
	if (!names)
		return otherwise;
	for (i = 0; i < p->n_links && n < SUGGEST_NAMES; i++)
		if (p->links[i]->netns == netns)
			names[n++] = p->links[i]->v.name;
	return nd_did_you_mean(p, name, names, n, otherwise);
}

/* How to define it. */
static const char *advice(
	struct nd_parse *p, const struct nctl_want_netns *netns, const char *name, const char *section)
{
	if (netns->name)
		return nd_text(p, "define it: \"namespaces: {%s: {%s: {%s: {}}}}\"", netns->name,
			section ? section : "ethernets", name);
	if (section)
		return nd_text(p, "define it: \"%s: {%s: {}}\"", section, name);
	return nd_text(p, "define it, for example by \"ethernets: {%s: {}}\" if it is there already", name);
}

const struct nd_name *nd_name_look_up(struct nd_parse *p, const struct nctl_want_netns *netns,
	const char *name, struct nctl_pos pos, const char *section)
{
	static const char format[] = "there is no device \"%s\"%s";
	const struct nd_name *n = find(p, netns->number, name);

	if (n || p->broken || nd_was_reported(p, pos, format))
		return n;
	nd_error(p, pos, suggest(p, netns, name, advice(p, netns, name, section)), format, name,
		netns->name ? nd_in_netns(p, netns) : " in the configuration");
	return NULL;
}
