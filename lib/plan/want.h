/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "obj/addr.h"
#include "obj/link.h"
#include "plan/told.h"

/* The desired state: what YAML says, typed and checked, with a position for everything. Made by
 * daemon/config. */

struct nctl_vlans;
struct nctl_want_link;
struct nctl_want_def;
struct nctl_want_routing;

/*
 * One sysctl: a path below /proc/sys/net ("ipv4/ip_forward"), and its value as text without a newline. In those
 * of a link, the part NCTL_WANT_LINK_NAME stands for the name that the kernel knows it by.
 */
#define NCTL_WANT_LINK_NAME "*"
struct nctl_want_sysctl {
	const char *name, *value;
	struct nctl_pos pos;
};

/* A network namespace. Number 0 is the daemon's own: it has no name here. */
struct nctl_want_netns {
	const char *name;                /* NULL: the daemon's own */
	const struct nctl_want_def *def; /* NULL: the daemon's own */
	struct nctl_pos pos;
	struct nctl_want_sysctl *sysctls;
	size_t n_sysctls;
	struct nctl_want_routing *routing; /* plan/want-route.h; NULL: nothing */
	uint32_t number;                   /* index in nctl_want.netns */
};

/* The name of another link, and where it was written. name NULL: not given. */
struct nctl_want_ref {
	const char *name;
	struct nctl_want_link *link; /* NULL: not in the configuration; it must then be in the kernel */
	struct nctl_pos pos;
};

/* A field of a master's kind (NCTL_FIELD_LINK) names one of its ports, which is in the configuration, too. */
struct nctl_want_port_ref {
	struct nctl_want_port_ref *next;
	unsigned field; /* of the kind; not in v.data_has, since its value is an ifindex that only a plan
	                   knows */
	struct nctl_want_ref port;
};

struct nctl_want_addr {
	struct nctl_addr v; /* ifindex 0 */
	struct nctl_pos pos;
};

enum nctl_want_admin {
	NCTL_WANT_UP,
	NCTL_WANT_DOWN,   /* activation-mode: off */
	NCTL_WANT_MANUAL, /* activation-mode: manual: left as it is */
};

/* What a device must be like for a definition to be about it; all that is given. */
struct nctl_want_match {
	const char *name;           /* a pattern (glob(7)); NULL: any */
	struct nctl_lladdr address; /* burnt in; len 0: any */
	const char **drivers;       /* patterns, one of which must fit */
	size_t n_drivers;
	const char *set_name; /* its new name; NULL: it keeps its own */
	struct nctl_pos set_name_pos;
};

/* A definition as it was written: one device or namespace, or a range of them. */
struct nctl_want_def {
	const char *label; /* "foo.{1..1500}" */
	struct nctl_pos pos;
	const struct nctl_kind *kind;          /* NULL: of namespaces */
	const struct nctl_want_def *netns_def; /* of links: the namespaces that they are in; NULL: our own */
	size_t n_links;                        /* over all namespaces */
};

struct nctl_want_link {
	/*
	 * name, kind, data, and the other fields that YAML gives, as has and data_has (and port_has, of the
	 * master's kind) say; ifindex, lower and master are 0: they follow from the references.
	 */
	struct nctl_link v;
	const struct nctl_want_netns *netns;
	const struct nctl_want_def *def;
	struct nctl_pos pos;
	/* lower and master are in the same namespace; the peer may be in another one: then its link is set.
	 */
	struct nctl_want_ref lower, master, peer;
	struct nctl_want_port_ref *port_refs;
	struct nctl_want_addr *addrs;
	size_t n_addrs;
	struct nctl_want_sysctl *sysctls;
	size_t n_sysctls;
	/* NULL: v.name is the device. Else v.name is the definition's, and devices are known to a plan only (match.c):
	 * which has a link for each, with its ifindex and the name that it should have, or one that is absent. */
	const struct nctl_want_match *match;
	nctl_ifindex ifindex;              /* 0: by its name */
	const struct nctl_want_link *from; /* in a plan's copy: what the configuration has */
	bool absent; /* no device fits */
	bool stuck;  /* what it refers to is not one device */
	struct nctl_vlans *vlans; /* all VLANs of a bridge or a port of one, in the arena; NULL: none */
	bool has_vlans;
	struct nctl_pos vlans_pos;
	struct nctl_want_ethtool *ethtool; /* NULL: nothing */
	struct nctl_want_wg *wg;           /* NULL: nothing */
	enum nctl_want_admin admin;
	bool report;     /* drift of it is only reported */
	bool optional;   /* wait-online does not wait for it */
	uint32_t number; /* index in nctl_want.links */
};

/* All of it lives in the arena: nothing in it is freed alone, and nctl_link_fini is never called on a v. */
struct nctl_want {
	struct nctl_arena arena;
	const char **files; /* paths */
	size_t n_files;
	struct nctl_want_def **defs;
	size_t n_defs;
	struct nctl_want_netns **netns; /* at least one: number 0 */
	size_t n_netns;
	struct nctl_want_key_file *key_files;
	uint64_t netns_pool;           /* namespaces kept ready for whoever asks for one; 0: none */
	struct nctl_want_link **links; /* in the order of the files, whatever their namespace */
	size_t n_links;
	void *by_name; /* index of nctl_want_find, built by nctl_want_seal */
};

/* Empty but for namespace 0, and valid; NULL: no memory. */
struct nctl_want *nctl_want_new(void);
struct nctl_want *nctl_want_free(struct nctl_want *w);
void nctl_want_freep(struct nctl_want **w);
/* Builds the index by namespace and name (but of what is absent or not bound), and by ifindex. 0, -ENOMEM; -EEXIST with the second holder of a name in ret_twice.
 */
int nctl_want_seal(struct nctl_want *w, const struct nctl_want_link **ret_twice);
struct nctl_want_link *nctl_want_find(const struct nctl_want *w, uint32_t netns, const char *name);
/* By the ifindex that a definition with match was bound to. */
struct nctl_want_link *nctl_want_bound(const struct nctl_want *w, uint32_t netns, nctl_ifindex ifindex);
struct nctl_want_netns *nctl_want_netns_find(const struct nctl_want *w, const char *name);
