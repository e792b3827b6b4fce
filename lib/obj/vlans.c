/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the VLANs that a bridge or a port of it carries, as sorted ranges (bridge(8)). A value that is shared:
 * links are copied for each change record, and these hardly ever differ.
 */
#include "obj/vlans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

enum { VLANS = 4096, PRESENT = 1 << 7 };

/* What the bytes of the map say, as ranges; v NULL: only counted. */
static size_t ranges_of(const uint8_t *map, struct nctl_vlan_range *v)
{
	size_t n = 0;

	for (unsigned id = 0; id < VLANS; id++) {
		bool joins = id > 0 && map[id] == map[id - 1] && !(map[id] & NCTL_VLAN_PVID);

		if (!(map[id] & PRESENT))
			continue;
		if (!joins && v)
			v[n] = (struct nctl_vlan_range){(uint16_t)id, (uint16_t)id, map[id] & ~PRESENT};
		n += !joins;
		if (v)
			v[n - 1].last = (uint16_t)id;
	}
	return n;
}

static int from_map(const uint8_t *map, struct nctl_vlans **ret)
{
	size_t count = ranges_of(map, NULL);
	struct nctl_vlans *s;

	*ret = NULL;
	if (count == 0)
		return 0;
	s = malloc(sizeof(*s) + count * sizeof(*s->v));
	if (!s)
		return -ENOMEM;
	s->refs = 1;
	s->n = (uint32_t)ranges_of(map, s->v);
	*ret = s;
	return 0;
}

int nctl_vlans_new(const struct nctl_vlan_range *v, size_t n, struct nctl_vlans **ret)
{
	uint8_t map[VLANS] = {0};

	for (size_t i = 0; i < n; i++)
		if (v[i].first <= v[i].last && v[i].last < VLANS)
			memset(map + v[i].first,
				PRESENT | (v[i].flags & (NCTL_VLAN_PVID | NCTL_VLAN_UNTAGGED)),
				v[i].last - v[i].first + 1U);
	return from_map(map, ret);
}

struct nctl_vlans *nctl_vlans_ref(struct nctl_vlans *s)
{
	if (s)
		s->refs++;
	return s;
}

struct nctl_vlans *nctl_vlans_unref(struct nctl_vlans *s)
{
	if (s && --s->refs == 0)
		free(s);
	return NULL;
}

bool nctl_vlans_equal(const struct nctl_vlans *a, const struct nctl_vlans *b)
{
	if (a == b || !a || !b)
		return a == b;
	return a->n == b->n && memcmp(a->v, b->v, a->n * sizeof(*a->v)) == 0;
}

/* A byte for each VLAN: its flags and PRESENT, or 0. */
static void to_map(const struct nctl_vlans *s, uint8_t map[VLANS])
{
	memset(map, 0, VLANS);
	for (uint32_t i = 0; s && i < s->n; i++)
		memset(map + s->v[i].first, PRESENT | s->v[i].flags, s->v[i].last - s->v[i].first + 1U);
}

int nctl_vlans_except(
	const struct nctl_vlans *a, const struct nctl_vlans *b, bool flags, struct nctl_vlans **ret)
{
	uint8_t x[VLANS], y[VLANS];

	to_map(a, x);
	to_map(b, y);
	for (unsigned id = 0; id < VLANS; id++)
		if (y[id] && (!flags || x[id] == y[id]))
			x[id] = 0;
	return from_map(x, ret);
}

int nctl_vlans_common(const struct nctl_vlans *a, const struct nctl_vlans *b, struct nctl_vlans **ret)
{
	uint8_t x[VLANS], y[VLANS];

	to_map(a, x);
	to_map(b, y);
	for (unsigned id = 0; id < VLANS; id++)
		if (!y[id])
			x[id] = 0;
	return from_map(x, ret);
}

int nctl_vlans_others(const struct nctl_vlans *s, struct nctl_vlans **ret)
{
	uint8_t map[VLANS];

	to_map(s, map);
	for (unsigned id = 1; id < VLANS - 1; id++)
		map[id] = map[id] ? 0 : PRESENT;
	return from_map(map, ret);
}

const struct nctl_vlan_range *nctl_vlans_pvid(const struct nctl_vlans *s)
{
	for (uint32_t i = 0; s && i < s->n; i++)
		if (s->v[i].flags & NCTL_VLAN_PVID)
			return &s->v[i];
	return NULL;
}

bool nctl_vlans_has_all(const struct nctl_vlans *s, const struct nctl_vlans *all)
{
	unsigned id = 0;
	uint32_t at = 0;

	for (uint32_t i = 0; all && i < all->n; i++) {
		for (id = all->v[i].first; id <= all->v[i].last; id = s->v[at].last + 1U) {
			while (s && at < s->n && s->v[at].last < id)
				at++;
			if (!s || at == s->n || s->v[at].first > id || s->v[at].flags != all->v[i].flags)
				return false;
		}
	}
	return true;
}

bool nctl_vlans_has_any(const struct nctl_vlans *s, const struct nctl_vlans *any)
{
	uint32_t at = 0;

	for (uint32_t i = 0; any && s && i < any->n; i++) {
		while (at < s->n && s->v[at].last < any->v[i].first)
			at++;
		if (at < s->n && s->v[at].first <= any->v[i].last)
			return true;
	}
	return false;
}

/* bridge(8) lists the flags of a range even if there are none. */
static void put_flags(const struct nctl_vlan_range *v, struct nctl_json *json)
{
	if (!v->flags && v->first == v->last)
		return;
	nctl_json_key(json, "flags");
	nctl_json_arr_begin(json);
	if (v->flags & NCTL_VLAN_PVID)
		nctl_json_str(json, "PVID");
	if (v->flags & NCTL_VLAN_UNTAGGED)
		nctl_json_str(json, "Egress Untagged");
	nctl_json_arr_end(json);
}

void nctl_vlans_json(const struct nctl_vlans *s, struct nctl_json *json)
{
	nctl_json_arr_begin(json);
	for (uint32_t i = 0; s && i < s->n; i++) {
		nctl_json_obj_begin(json);
		nctl_json_ku64(json, "vlan", s->v[i].first);
		if (s->v[i].last != s->v[i].first)
			nctl_json_ku64(json, "vlanEnd", s->v[i].last);
		put_flags(&s->v[i], json);
		nctl_json_obj_end(json);
	}
	nctl_json_arr_end(json);
}
