/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mirror/route.h"

/*
 * What the kernel would do with a packet, from the mirror alone: rules in order, tables, routes, hops and the
 * source address, as net/ipv4/fib_rules.c, fib_trie.c, route.c and net/ipv6/route.c, fib6_rules.c. What no
 * mirror has is left out: rp_filter and forwarding of what comes in, neighbours that fail (the kernel then
 * prefers other routers), the age of addresses, changed labels of RFC 6724, and the hash that chooses among
 * hops.
 */
struct nctl_resolve_query {
	struct nctl_prefix dst; /* full length */
	struct nctl_prefix src; /* full length; AF_UNSPEC: to be chosen */
	nctl_ifindex iif;       /* 0: made here */
	nctl_ifindex oif;       /* or a VRF; 0: any */
	uint32_t mark, uid;
	uint64_t tun_id;
	uint8_t tos, ip_proto;
	uint16_t sport, dport;
	bool ignore_linkdown; /* net.ipv{4,6}.conf.*.ignore_routes_with_linkdown */
};

struct nctl_resolved {
	int error; /* 0, or what the kernel would say: -ENETUNREACH, -EHOSTUNREACH, -EACCES, -EINVAL */
	nctl_route_ref ref;           /* the route, also of an error that it says; 0: none */
	struct nctl_route route;      /* its view, if there is one */
	const struct nctl_rule *rule; /* that led to it, or refused; NULL: none */
	nctl_table table;             /* 0: none was needed (a link was named) */
	uint8_t type;                 /* RTN_* */
	struct nctl_hop hop; /* the one taken; oif is where the packet goes: lo or the VRF if it stays here */
	uint32_t n_hops;     /* that could be taken: of more than one a hash chooses, this is the first */
	struct nctl_prefix prefsrc; /* AF_UNSPEC: none to be had, or src was given */
};

void nctl_mirror_resolve(
	const struct nctl_mirror *m, const struct nctl_resolve_query *q, struct nctl_resolved *ret);

/*
 * As `ip -j -d route get`, and of our own: "prefix" that matched, "rule" (its priority), "hash_of" (n_hops,
 * if there are several). Of an error {"dst": ..., "error": -N, ...}.
 */
void nctl_resolved_json(const struct nctl_resolve_query *q, const struct nctl_resolved *r,
	const struct nctl_names *names, struct nctl_json *json);
