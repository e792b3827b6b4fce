/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: neighbours as `ip -j -d neigh` and FDB entries as `bridge -j -d fdb` of iproute2 6.1 print them.
 * Nobody keeps or compares them.
 */
#include <linux/neighbour.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "obj/neigh.h"
#include "obj/parts.h"

const struct nctl_name nctl_neigh_states[] = {
	{"permanent", NUD_PERMANENT, NULL},
	{"reachable", NUD_REACHABLE, NULL},
	{"noarp", NUD_NOARP, NULL},
	{"none", NUD_NONE, NULL},
	{"stale", NUD_STALE, NULL},
	{"incomplete", NUD_INCOMPLETE, NULL},
	{"delay", NUD_DELAY, NULL},
	{"probe", NUD_PROBE, NULL},
	{"failed", NUD_FAILED, NULL},
	{0},
};

struct word {
	uint32_t bit;
	const char *name;
};

/*
 * On a tunnel the address is that of the other end: with the length of an IP address it is shown as one,
 * since no other link layer has addresses of 4 or 16 bytes.
 */
static void put_lladdr(const struct nctl_lladdr *a, const char *key, struct nctl_json *json)
{
	char text[NCTL_LLADDR_STR];
	struct nctl_prefix p;

	if (!a->len)
		return;
	if (nctl_prefix_from_bytes(a->b, a->len, 0, &p) == 0)
		nctl_json_addr(json, key, &p);
	else
		nctl_json_kstr(json, key, nctl_lladdr_format(a, text));
}

static void put_words(
	uint32_t bits, const struct word *words, size_t n, const char *key, struct nctl_json *json)
{
	nctl_json_key(json, key);
	nctl_json_arr_begin(json);
	for (size_t i = 0; i < n; i++)
		if (bits & words[i].bit)
			nctl_json_str(json, words[i].name);
	nctl_json_arr_end(json);
}

static void put_state(uint16_t state, struct nctl_json *json)
{
	static const struct word words[] = {
		{NUD_INCOMPLETE, "INCOMPLETE"},
		{NUD_REACHABLE, "REACHABLE"},
		{NUD_STALE, "STALE"},
		{NUD_DELAY, "DELAY"},
		{NUD_PROBE, "PROBE"},
		{NUD_FAILED, "FAILED"},
		{NUD_NOARP, "NOARP"},
		{NUD_PERMANENT, "PERMANENT"},
	};

	if (state)
		put_words(state, words, NCTL_ARRAY_SIZE(words), "state", json);
}

static void put_neighbour(const struct nctl_neigh *n, const struct nctl_names *names, struct nctl_json *json)
{
	if (n->dst.family != AF_UNSPEC)
		nctl_json_addr(json, "dst", &n->dst);
	if (n->ifindex)
		nctl_json_dev(json, "dev", n->ifindex, names);
	put_lladdr(&n->lladdr, "lladdr", json);
	if (n->flags & NTF_ROUTER)
		nctl_json_set(json, "router");
	if (n->flags & NTF_PROXY)
		nctl_json_set(json, "proxy");
	if (n->ext_flags & NTF_EXT_MANAGED)
		nctl_json_set(json, "managed");
	if (n->flags & NTF_EXT_LEARNED)
		nctl_json_set(json, "extern_learn");
	if (n->flags & NTF_OFFLOADED)
		nctl_json_set(json, "offload");
	put_state(n->state, json);
	if (n->protocol)
		nctl_json_protocol(json, n->protocol);
}

static void put_fdb_state(uint16_t state, struct nctl_json *json)
{
	char buf[16];

	if (state & NUD_PERMANENT) {
		nctl_json_kstr(json, "state", "permanent");
	} else if (state & NUD_NOARP) {
		nctl_json_kstr(json, "state", "static");
	} else if (state & NUD_STALE) {
		nctl_json_kstr(json, "state", "stale");
	} else if (state & NUD_REACHABLE) {
		nctl_json_kstr(json, "state", "");
	} else {
		snprintf(buf, sizeof(buf), "%#x", state);
		nctl_json_kstr(json, "state", buf);
	}
}

static void put_remote(const struct nctl_neigh *n, const struct nctl_names *names, struct nctl_json *json)
{
	uint64_t nsid;
	bool elsewhere = nctl_bytes_uint(n->rest, NDA_LINK_NETNSID, &nsid);

	if (n->dst.family != AF_UNSPEC)
		nctl_json_addr(json, "dst", &n->dst);
	if (n->vlan)
		nctl_json_ku64(json, "vlan", n->vlan);
	if (n->port)
		nctl_json_ku64(json, "port", n->port);
	if (n->vni)
		nctl_json_ku64(json, "vni", n->vni);
	if (n->src_vni)
		nctl_json_ku64(json, "src_vni", n->src_vni);
	if (n->via && elsewhere)
		nctl_json_ku64(json, "viaIfIndex", n->via);
	else if (n->via)
		nctl_json_dev(json, "viaIf", n->via, names);
	if (n->nhid)
		nctl_json_ku64(json, "nhid", n->nhid);
	if (elsewhere)
		nctl_json_ku64(json, "linkNetNsId", nsid);
}

static void put_fdb(const struct nctl_neigh *n, const struct nctl_names *names, struct nctl_json *json)
{
	static const struct word words[] = {
		{NTF_SELF, "self"},
		{NTF_ROUTER, "router"},
		{NTF_EXT_LEARNED, "extern_learn"},
		{NTF_OFFLOADED, "offload"},
		{NTF_MASTER, "master"},
		{NTF_STICKY, "sticky"},
	};

	put_lladdr(&n->lladdr, "mac", json);
	if (n->ifindex)
		nctl_json_dev(json, "ifname", n->ifindex, names);
	put_remote(n, names, json);
	put_words(n->flags, words, NCTL_ARRAY_SIZE(words), "flags", json);
	if (n->master)
		nctl_json_dev(json, "master", n->master, names);
	put_fdb_state(n->state, json);
}

void nctl_neigh_json(const struct nctl_neigh *n, const struct nctl_names *names, struct nctl_json *json)
{
	nctl_json_obj_begin(json);
	if (n->family == AF_BRIDGE)
		put_fdb(n, names, json);
	else
		put_neighbour(n, names, json);
	nctl_json_obj_end(json);
}
