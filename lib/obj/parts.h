/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "obj/field.h"
#include "obj/nexthop.h"
#include "obj/route.h"

/* Pieces that the JSON of routes, next hops, rules and neighbours share; for lib/obj, and the answers of
 * lib/mirror. */

struct nlattr;

/* "key": the link's name, "ifN" for one that nobody knows. */
void nctl_json_dev(
	struct nctl_json *json, const char *key, nctl_ifindex ifindex, const struct nctl_names *names);
void nctl_json_addr(struct nctl_json *json, const char *key, const struct nctl_prefix *p);
/* "key": address, with "/len" if it is shorter than an address; "default" for length 0. */
void nctl_json_dst(struct nctl_json *json, const char *key, const struct nctl_prefix *p);
/* "key": "0x..." as print_0xhex of iproute2: 0 is "0". */
void nctl_json_hex(struct nctl_json *json, const char *key, uint64_t v);
/* "key": null, iproute2's way to say that something is so. */
void nctl_json_set(struct nctl_json *json, const char *key);
/* "key": USER_HZ ticks as seconds. */
void nctl_json_ticks(struct nctl_json *json, const char *key, uint64_t ticks);
void nctl_json_protocol(struct nctl_json *json, uint8_t protocol);
void nctl_json_scope(struct nctl_json *json, uint8_t scope);
/* "flags": [...] of RTNH_F_* and RTM_F_*. */
void nctl_json_hop_flags(struct nctl_json *json, uint32_t flags);
/* RTN_* by name, or the number in buf. */
const char *nctl_route_type_name(uint8_t type, char buf[4]);

/*
 * "encap" and what belongs to it; nothing without one. taken: keys that the object has of its own, ended by
 * NULL, or NULL; where the encapsulation has one of these, it is "encap_KEY".
 */
void nctl_json_encap(const struct nctl_hop *h, const char *const *taken, const struct nctl_names *names,
	struct nctl_json *json);

/* The last attribute of that type in bytes that may be malformed, or NULL. */
const struct nlattr *nctl_bytes_find(struct nctl_bytes b, uint16_t type);
/* Its payload, NULL and 0 without one. */
struct nctl_bytes nctl_bytes_payload(struct nctl_bytes b, uint16_t type);
/* A number of 1, 2, 4 or 8 bytes in host order. False: not there, or of another size. */
bool nctl_bytes_uint(struct nctl_bytes b, uint16_t type, uint64_t *ret);
