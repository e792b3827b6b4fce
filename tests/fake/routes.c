/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: where the routes of a namespace are: one list a family, by table and prefix; routes of one prefix
 * stand in the order in which the kernel keeps them (fib4.c, fib6.c decide).
 */

#include <stdlib.h>
#include <string.h>

#include "fake/fib.h"

struct nctl_list *fk_routes(struct fk_netns *ns, uint8_t family)
{
	return family == AF_INET ? &ns->routes4 : &ns->routes6;
}

/* By table, address, and longer before shorter: as both kinds of tries are walked, or nearly. */
int fk_route_key_cmp(const struct fk_route *a, const struct fk_route *b)
{
	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	int c = memcmp(a->dst, b->dst, sizeof a->dst);
	return c ? c : (int)b->len - (int)a->len;
}

bool fk_route_same_prefix(const struct fk_route *a, const struct fk_route *b)
{
	return fk_route_key_cmp(a, b) == 0;
}

/* The routes of one prefix, which stand together. */
struct fk_prefix {
	struct nctl_rb_node node;
	struct fk_route *first, *last;
};

static int fk_prefix_cmp_key(const void *key, const struct nctl_rb_node *n)
{
	return fk_route_key_cmp(key, nctl_container_of(n, struct fk_prefix, node)->first);
}

static int fk_prefix_cmp(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	return fk_prefix_cmp_key(nctl_container_of(a, struct fk_prefix, node)->first, b);
}

static struct nctl_rb_tree *fk_prefixes(struct fk_netns *ns, uint8_t family)
{
	return family == AF_INET ? &ns->prefixes4 : &ns->prefixes6;
}

static struct fk_prefix *fk_prefix_find(struct fk_netns *ns, const struct fk_route *key)
{
	struct nctl_rb_node *n = nctl_rb_find(fk_prefixes(ns, key->family), key, fk_prefix_cmp_key);
	return n ? nctl_container_of(n, struct fk_prefix, node) : NULL;
}

struct fk_route *fk_route_first(struct fk_netns *ns, const struct fk_route *key)
{
	struct fk_prefix *p = fk_prefix_find(ns, key);
	return p ? p->first : NULL;
}

struct fk_route *fk_route_last(struct fk_netns *ns, const struct fk_route *key)
{
	struct fk_prefix *p = fk_prefix_find(ns, key);
	return p ? p->last : NULL;
}

struct fk_route *fk_route_next(struct fk_netns *ns, struct fk_route *r)
{
	(void)ns;
	return r->prefix->last == r ? NULL : nctl_list_entry(r->node.next, struct fk_route, node);
}

/* The first of its prefix. */
static void fk_prefix_make(struct fk_netns *ns, struct fk_route *r)
{
	struct fk_prefix *p = calloc(1, sizeof *p);
	if (!p)
		abort();
	p->first = p->last = r;
	r->prefix = p;
	nctl_rb_insert(fk_prefixes(ns, r->family), &p->node, fk_prefix_cmp);
	struct nctl_rb_node *behind = nctl_rb_next(&p->node);
	if (behind)
		nctl_list_insert_before(
			&nctl_container_of(behind, struct fk_prefix, node)->first->node, &r->node);
	else
		nctl_list_add_tail(fk_routes(ns, r->family), &r->node);
}

void fk_route_insert(struct fk_netns *ns, struct fk_route *r, struct fk_route *before)
{
	struct fk_prefix *p = fk_prefix_find(ns, r);
	if (!p) {
		fk_prefix_make(ns, r);
		return;
	}
	nctl_list_insert_before(before ? &before->node : p->last->node.next, &r->node);
	r->prefix = p;
	if (!before)
		p->last = r;
	else if (before == p->first)
		p->first = r;
}

void fk_route_unlink(struct fk_netns *ns, struct fk_route *r)
{
	struct fk_prefix *p = r->prefix;
	if (p->first == r && p->last == r) {
		nctl_rb_remove(fk_prefixes(ns, r->family), &p->node);
		free(p);
	} else if (p->first == r) {
		p->first = nctl_list_entry(r->node.next, struct fk_route, node);
	} else if (p->last == r) {
		p->last = nctl_list_entry(r->node.prev, struct fk_route, node);
	}
	nctl_list_del(&r->node);
	r->prefix = NULL;
}

bool fk_prefix_has(const uint8_t *prefix, unsigned len, const uint8_t *addr)
{
	unsigned bytes = len / 8, bits = len % 8;
	if (memcmp(prefix, addr, bytes) != 0)
		return false;
	return bits == 0 || ((prefix[bytes] ^ addr[bytes]) & (0xff00 >> bits) & 0xff) == 0;
}

void fk_prefix_mask(uint8_t *addr, unsigned len, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		unsigned keep = len > i * 8 ? nctl_min(len - i * 8, 8u) : 0;
		addr[i] &= (uint8_t)(0xff00 >> keep);
	}
}

unsigned fk_route_hops(const struct fk_route *r, struct fk_hop *ret)
{
	if (!r->nh) {
		memcpy(ret, r->hops, r->n_hops * sizeof *ret);
		return r->n_hops;
	}
	if (!r->nh->group) {
		*ret = r->nh->hop;
		return 1;
	}
	for (unsigned i = 0; i < r->nh->n_members; i++) {
		ret[i] = r->nh->members[i].nh->hop;
		ret[i].weight = (uint8_t)r->nh->members[i].weight;
	}
	return r->nh->n_members;
}

uint32_t fk_table_of(const struct fk_link *l, uint32_t otherwise)
{
	if (l->kind == &fk_kind_vrf)
		return l->id;
	if (l->master && l->master->kind == &fk_kind_vrf)
		return l->master->id;
	return otherwise;
}

/* Tables come with their first route and stay. */
bool fk_table_exists(struct fk_netns *ns, uint8_t family, uint32_t table)
{
	const uint32_t *v = family == AF_INET ? ns->tables4 : ns->tables6;
	size_t n = family == AF_INET ? ns->n_tables4 : ns->n_tables6;
	for (size_t i = 0; i < n; i++)
		if (v[i] == table)
			return true;
	return table == RT_TABLE_MAIN || table == RT_TABLE_LOCAL ||
	       (family == AF_INET && table == RT_TABLE_DEFAULT);
}

void fk_table_make(struct fk_netns *ns, uint8_t family, uint32_t table)
{
	uint32_t **v = family == AF_INET ? &ns->tables4 : &ns->tables6;
	size_t *n = family == AF_INET ? &ns->n_tables4 : &ns->n_tables6;
	if (fk_table_exists(ns, family, table))
		return;
	*v = realloc(*v, (*n + 1) * sizeof **v);
	if (!*v)
		abort();
	(*v)[(*n)++] = table;
}

void fk_routes_free(struct fk_netns *ns)
{
	for (int i = 0; i < 2; i++) {
		struct nctl_list *head = i ? &ns->routes6 : &ns->routes4, *pos, *tmp;
		nctl_list_for_each_safe(pos, tmp, head) {
			struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
			fk_route_unlink(ns, r);
			free(r);
		}
	}
	free(ns->tables4);
	free(ns->tables6);
}
