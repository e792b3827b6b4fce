/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which events nobody here needs. The kernel drops them before they are charged to the receive buffer
 * (net/netlink/af_netlink.c do_one_broadcast), so that a flood of them costs nothing and makes nothing be
 * lost. It cannot see whose event it is: what is ignored is ignored in all namespaces.
 */

enum { NCTL_FILTER_TABLES = 64 };

/* Routes that are to be ignored: those of a protocol (RTPROT_*) or in a table of these. */
struct nctl_event_filter {
	uint64_t protocols[4]; /* a bit each */
	uint32_t tables[NCTL_FILTER_TABLES];
	size_t n_tables;
};

void nctl_event_filter_add_protocol(struct nctl_event_filter *f, uint8_t protocol);
/* 0 or -E2BIG. */
int nctl_event_filter_add_table(struct nctl_event_filter *f, uint32_t table);
bool nctl_event_filter_has_protocol(const struct nctl_event_filter *f, uint8_t protocol);
bool nctl_event_filter_has_table(const struct nctl_event_filter *f, uint32_t table);

/*
 * The classic-BPF program (bpf(4) has the machine, linux/filter.h the extensions) that lets pass what is
 * decoded here: links, addresses, next hops, rules, nsids and those routes that f does not name. An IPv4 or
 * IPv6 route that replaces another one passes whatever its protocol is, since the other's may not be ignored.
 */
struct nctl_filter_program {
	struct sock_filter v[1024];
	size_t n;
};
void nctl_filter_compile(const struct nctl_event_filter *f, struct nctl_filter_program *ret);
