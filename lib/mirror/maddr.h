/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "net/lladdr.h"
#include "net/prefix.h"
#include "net/types.h"
#include "obj/addr.h"
#include "obj/field.h"
#include "obj/link.h"

/*
 * The multicast memberships of one namespace: link-layer addresses and IGMP/MLD groups per link. An address
 * is there because somebody wants it (what follows from links and addresses, kept at each of their events) or
 * because it was read back (maddr-parse.c), which only happens when somebody asks: the kernel tells of few of
 * these changes. Both are laid over each other in one tree a link.
 */

struct nctl_maddrs;

/* Who wants a link-layer address on a link. */
enum nctl_maddr_by {
	NCTL_MADDR_ADDRESS, /* an IPv6 address of this link, by its solicited-node group */
	NCTL_MADDR_ALL,     /* every link that is up: all-nodes, all-hosts */
	NCTL_MADDR_GROUP,   /* an IGMP or MLD group, read back */
	NCTL_MADDR_UPPER,   /* a link on top of this one, or its master, handed it down (dev_mc_sync) */
	NCTL_MADDR_PORT,    /* the master, of each of its ports: LACP */
	NCTL_MADDR_VLANS,   /* VLANs on this link: GVRP and MVRP, where the kernel has them */
	NCTL_MADDR_STATIC,  /* the administrator (ip maddr add), read back */
	NCTL_MADDR_N_BY
};

/* Those of a mirror. repair: if memory was short for them, all of them anew. */
struct nctl_mirror;
struct nctl_maddrs *nctl_mirror_maddrs(const struct nctl_mirror *m);
void nctl_mirror_maddrs_repair(struct nctl_mirror *m);

int nctl_maddrs_new(struct nctl_maddrs **ret);
struct nctl_maddrs *nctl_maddrs_free(struct nctl_maddrs *s);

/*
 * Events, from the mirror: l is new or has changed; ifindex has gone; an address came or went. They cannot
 * fail: for want of memory, and by links in a circle, the store becomes incomplete, until nctl_maddrs_reset and all links and addresses
 * again.
 */
void nctl_maddrs_link(struct nctl_maddrs *s, const struct nctl_link *l);
void nctl_maddrs_link_gone(struct nctl_maddrs *s, nctl_ifindex ifindex);
void nctl_maddrs_addr(struct nctl_maddrs *s, const struct nctl_addr *a, bool there);
bool nctl_maddrs_is_incomplete(const struct nctl_maddrs *s);
void nctl_maddrs_reset(struct nctl_maddrs *s); /* empty and complete */

/* A line that was read back. */
struct nctl_maddr_line {
	nctl_ifindex ifindex;
	uint32_t users;
	bool is_static;           /* link-layer: global_use of struct netdev_hw_addr */
	bool loaded;              /* group: its link-layer address is with the device */
	struct nctl_prefix group; /* AF_UNSPEC: this line is of mac */
	struct nctl_lladdr mac;
};

/* Everything of one reading, bounded. */
struct nctl_maddr_list {
	struct nctl_maddr_line *v;
	size_t n, cap;
};
#define NCTL_MADDR_LIST_INIT ((struct nctl_maddr_list){NULL, 0, 0})
#define NCTL_MADDR_LIST_MAX  (4u << 20) /* lines */
void nctl_maddr_list_fini(struct nctl_maddr_list *l);

enum nctl_maddr_file { NCTL_MADDR_DEV_MCAST, NCTL_MADDR_IGMP, NCTL_MADDR_IGMP6, NCTL_MADDR_N_FILES };
extern const char *const nctl_maddr_files[NCTL_MADDR_N_FILES]; /* below /proc/net */

/*
 * Takes the text of a file in pieces of any length. 0; -EBADMSG: a line that no kernel writes; -E2BIG,
 * -ENOMEM. Pure: knows no file.
 */
#define NCTL_MADDR_LINE_MAX 256
struct nctl_maddr_parser {
	enum nctl_maddr_file file;
	struct nctl_maddr_list *list;
	nctl_ifindex device; /* igmp: whose groups follow */
	size_t len;
	char line[NCTL_MADDR_LINE_MAX]; /* its beginning, until its end comes */
};
void nctl_maddr_parser_init(
	struct nctl_maddr_parser *p, enum nctl_maddr_file file, struct nctl_maddr_list *list);
int nctl_maddr_parse(struct nctl_maddr_parser *p, const char *text, size_t len);
/* The file is at its end: -EBADMSG in the middle of a line. */
int nctl_maddr_parse_end(const struct nctl_maddr_parser *p);

/*
 * A reading, laid over what is known: begin, each of its lines (those of links that are not here are left
 * out), end until it says false: what was read back earlier and is not in it goes, budget at a time.
 */
void nctl_maddrs_read_begin(struct nctl_maddrs *s);
void nctl_maddrs_read_line(struct nctl_maddrs *s, const struct nctl_maddr_line *line);
bool nctl_maddrs_read_end(struct nctl_maddrs *s, size_t budget);

struct nctl_maddr_filter {
	uint8_t family; /* AF_INET, AF_INET6: its groups; AF_PACKET: link-layer; AF_UNSPEC: all */
	bool why; /* who wants each link-layer address; also those that are wanted and were not read back */
};
/*
 * The entries of a link, as members of an open array, as `ip -j maddr` has them: link-layer addresses, IPv4,
 * IPv6, each in ascending order. How many there were.
 */
size_t nctl_maddrs_json(const struct nctl_maddrs *s, nctl_ifindex ifindex, const struct nctl_maddr_filter *f,
	const struct nctl_names *names, struct nctl_json *json);

/* For tests: how many of who by want mac on a link (-1: it is not there), link-layer addresses in all. */
int nctl_maddrs_count(const struct nctl_maddrs *s, nctl_ifindex ifindex, const struct nctl_lladdr *mac,
	enum nctl_maddr_by by);
size_t nctl_maddrs_size(const struct nctl_maddrs *s);

/* The link-layer address that Ethernet has for a group (RFC 1112 section 6.4, RFC 2464 section 7); false:
 * none, since the group never leaves the machine. */
bool nctl_maddr_of_group(const struct nctl_prefix *group, struct nctl_lladdr *ret);
/* ff02::1:ffXX:XXXX (RFC 4291 section 2.7.1). */
void nctl_maddr_solicited_node(const struct nctl_prefix *addr, struct nctl_prefix *ret);
