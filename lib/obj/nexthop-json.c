/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: next-hop objects as `ip -j -d nexthop` of iproute2 6.1 prints them. */
#include <linux/nexthop.h>

#include "base/json.h"
#include "obj/parts.h"

static void put_group(const struct nctl_nexthop *n, struct nctl_json *json)
{
	const struct nctl_nexthop_member *m;

	nctl_json_key(json, "group");
	nctl_json_arr_begin(json);
	for (m = n->members; m < n->members + n->n_members; m++) {
		nctl_json_obj_begin(json);
		nctl_json_ku64(json, "id", m->id);
		if (m->weight > 1)
			nctl_json_ku64(json, "weight", m->weight);
		nctl_json_obj_end(json);
	}
	nctl_json_arr_end(json);
	if (n->group_type == NEXTHOP_GRP_TYPE_RES)
		nctl_json_kstr(json, "type", "resilient");
	else if (n->group_type != NEXTHOP_GRP_TYPE_MPATH)
		nctl_json_kstr(json, "type", "<unknown type>");
}

static void put_resilient(const struct nctl_nexthop *n, struct nctl_json *json)
{
	nctl_json_key(json, "resilient_args");
	nctl_json_obj_begin(json);
	nctl_json_ku64(json, "buckets", n->buckets);
	nctl_json_ticks(json, "idle_timer", n->idle_timer);
	nctl_json_ticks(json, "unbalanced_timer", n->unbalanced_timer);
	nctl_json_ticks(json, "unbalanced_time", n->unbalanced_time);
	nctl_json_obj_end(json);
}

void nctl_nexthop_json(const struct nctl_nexthop *n, const struct nctl_names *names, struct nctl_json *json)
{
	static const char *const taken[] = {"id", NULL};

	nctl_json_obj_begin(json);
	nctl_json_ku64(json, "id", n->id);
	if (n->group)
		put_group(n, json);
	if (n->resilient)
		put_resilient(n, json);
	nctl_json_encap(&n->hop, taken, names, json);
	if (n->hop.via.family != AF_UNSPEC)
		nctl_json_addr(json, "gateway", &n->hop.via);
	if (n->hop.oif)
		nctl_json_dev(json, "dev", n->hop.oif, names);
	nctl_json_scope(json, n->scope);
	if (n->blackhole)
		nctl_json_set(json, "blackhole");
	nctl_json_protocol(json, n->protocol);
	nctl_json_hop_flags(json, n->flags);
	if (n->fdb)
		nctl_json_set(json, "fdb");
	nctl_json_obj_end(json);
}
