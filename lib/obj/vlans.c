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

int nctl_vlans_new(const struct nctl_vlan_range *v, size_t n, struct nctl_vlans **ret)
{
	uint8_t map[VLANS] = {0};
	struct nctl_vlans *s;
	size_t count;

	for (size_t i = 0; i < n; i++)
		if (v[i].first <= v[i].last && v[i].last < VLANS)
			memset(map + v[i].first,
				PRESENT | (v[i].flags & (NCTL_VLAN_PVID | NCTL_VLAN_UNTAGGED)),
				v[i].last - v[i].first + 1U);
	count = ranges_of(map, NULL);
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

void nctl_vlans_json(const struct nctl_vlans *s, struct nctl_json *json)
{
	nctl_json_arr_begin(json);
	for (uint32_t i = 0; s && i < s->n; i++) {
		nctl_json_obj_begin(json);
		nctl_json_ku64(json, "vlan", s->v[i].first);
		if (s->v[i].last != s->v[i].first)
			nctl_json_ku64(json, "vlanEnd", s->v[i].last);
		if (s->v[i].flags) {
			nctl_json_key(json, "flags");
			nctl_json_arr_begin(json);
			if (s->v[i].flags & NCTL_VLAN_PVID)
				nctl_json_str(json, "PVID");
			if (s->v[i].flags & NCTL_VLAN_UNTAGGED)
				nctl_json_str(json, "Egress Untagged");
			nctl_json_arr_end(json);
		}
		nctl_json_obj_end(json);
	}
	nctl_json_arr_end(json);
}
