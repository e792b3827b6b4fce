/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/prefix.h"
#include "net/types.h"
#include "obj/bytes.h"
#include "obj/field.h"

/*
 * A routing rule (linux/fib_rules.h, net/core/fib_rules.c). It has no key: identity is all of it but the
 * state flags, and a place among those of its family and priority. Owns nothing but the bytes of rest, which
 * belong to the message or the mirror.
 */
struct nctl_port_range {
	uint16_t first, last;
};

struct nctl_rule {
	uint8_t family; /* AF_INET, AF_INET6, others kept opaque */
	uint8_t action; /* FR_ACT_* */
	uint8_t tos;
	uint8_t protocol; /* FRA_PROTOCOL, RTPROT_* */
	uint8_t ip_proto; /* 0 any */
	uint8_t dscp;     /* FRA_DSCP + 1, 0 none */
	bool l3mdev;
	uint32_t flags; /* FIB_RULE_* */
	nctl_table table;
	uint32_t priority;
	struct nctl_prefix src, dst;             /* AF_UNSPEC any */
	char iif[IF_NAMESIZE], oif[IF_NAMESIZE]; /* "" any */
	bool has_mark;
	uint32_t mark, mask;
	uint32_t realms;
	uint32_t target; /* FRA_GOTO: a priority */
	uint64_t tun_id;
	int32_t suppress_prefixlen, suppress_ifgroup; /* -1: not */
	bool has_uids;
	uint32_t uid_first, uid_last;
	bool has_sport, has_dport;
	struct nctl_port_range sport, dport;
	struct nctl_bytes rest;
};

/* FIB_RULE_UNRESOLVED, FIB_RULE_IIF_DETACHED, FIB_RULE_OIF_DETACHED: state. */
#define NCTL_RULE_STATE 0x1CU

bool nctl_rule_equal(const struct nctl_rule *a, const struct nctl_rule *b, bool with_state);
/* As `ip -j -d rule`. */
void nctl_rule_json(const struct nctl_rule *r, struct nctl_json *json);
