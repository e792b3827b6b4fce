/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: where the routes of a namespace are: one list a family, by table and prefix; routes of one prefix stand
 * in the order in which the kernel keeps them (fib4.c, fib6.c decide).
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

struct fk_route *fk_route_first(struct fk_netns *ns, const struct fk_route *key)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, fk_routes(ns, key->family)) {
		struct fk_route *r = nctl_list_entry(pos, struct fk_route, node);
		int c = fk_route_key_cmp(r, key);
		if (c >= 0)
			return c == 0 ? r : NULL;
	}
	return NULL;
}

struct fk_route *fk_route_next(struct fk_netns *ns, struct fk_route *r)
{
	if (r->node.next == fk_routes(ns, r->family))
		return NULL;
	struct fk_route *n = nctl_list_entry(r->node.next, struct fk_route, node);
	return fk_route_same_prefix(n, r) ? n : NULL;
}

void fk_route_insert(struct fk_netns *ns, struct fk_route *r, struct fk_route *before)
{
	struct nctl_list *head = fk_routes(ns, r->family), *pos = before ? &before->node : head->next;
	while (!before && pos != head && fk_route_key_cmp(nctl_list_entry(pos, struct fk_route, node), r) <= 0)
		pos = pos->next;
	nctl_list_insert_before(pos, &r->node);
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
	return table == RT_TABLE_MAIN || table == RT_TABLE_LOCAL || (family == AF_INET && table == RT_TABLE_DEFAULT);
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
			nctl_list_del(pos);
			free(nctl_list_entry(pos, struct fk_route, node));
		}
	}
	free(ns->tables4);
	free(ns->tables6);
}
