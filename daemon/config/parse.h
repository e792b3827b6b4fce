/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "config/config.h"
#include "config/node.h"

/* One run of nd_config_parse: what its parts share, and how they report. Internal to daemon/config. */

struct nd_claim;
struct nd_space_def;
struct nd_peer;
struct nd_port_param;
struct nd_route;
struct nd_nexthop;
struct nd_rule;
struct nd_neigh;

/* What was said of routing (routing.h), in the tree's arena, in the order of the files. */
struct nd_routing {
	struct nd_route *routes, **routes_tail;
	struct nd_nexthop *nexthops, **nexthops_tail;
	struct nd_rule *rules, **rules_tail;
	struct nd_neigh *neighs, **neighs_tail;
};
struct nd_vlan_list;

/* A thing that was reported at a place, so that it is reported once, not once for each device of a range. */
struct nd_reported {
	struct nctl_pos pos;
	const char *format;
};

enum { ND_REPORTED_MAX = 128 };

struct nd_parse {
	const struct nd_config_texts *texts;
	struct nd_diagnostics *diag;
	struct nctl_want *want;
	size_t most; /* devices, and namespaces */
	struct nd_tree tree;
	struct nctl_hash names;       /* of struct nd_name (names.c) */
	struct nctl_hash netns_names; /* of struct nd_space_name (netns.c) */
	struct nctl_strbuf scratch, why;

	/* In the tree's arena, in the order of the files; consumed by refs.c. */
	struct nd_claim *claims, **claims_tail;
	struct nd_port_param *port_params, **port_params_tail;
	struct nd_peer *peers, **peers_tail;
	struct nd_routing routing;
	struct nd_vlan_list *vlan_lists, **vlan_lists_tail;

	struct nctl_want_netns **netns; /* in the want's arena; number 0 is the daemon's own */
	size_t n_netns;
	struct nd_space_def *netns_defs;      /* whose bodies are still to be read (netns.c) */
	size_t n_devices, n_values, n_claims; /* so many there will be; each has a limit */

	struct nctl_want_link **links; /* owned until they move into the want's arena */
	size_t n_links, cap_links;
	struct nctl_want_def **defs;
	size_t n_defs, cap_defs;

	unsigned n_suggestions; /* a long list of names is not searched for each error */
	bool broken; /* a file or definition is missing from the tree: do not ask what is defined */
	int err;     /* the first -ENOMEM; nothing after it counts */
	struct nd_reported reported[ND_REPORTED_MAX];
	size_t n_reported;
};

/* parse.c: the beginning of each run, and its end. */
void nd_parse_init(struct nd_parse *p, const struct nd_config_texts *texts, struct nd_diagnostics *diag);
void nd_parse_fini(struct nd_parse *p);
/* All files, merged: the mapping under "network", or NULL. */
struct nd_node *nd_parse_load(struct nd_parse *p);
/* Findings in the order of the texts. */
void nd_parse_sort(const struct nd_config_texts *texts, struct nd_diagnostics *diag);

/* For those who would rather not make texts for nothing. */
bool nd_was_reported(const struct nd_parse *p, struct nctl_pos pos, const char *format);

/* Each takes advice (a finished sentence, or NULL) before the message. Once for each place and format. */
void nd_error(struct nd_parse *p, struct nctl_pos pos, const char *advice, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void nd_warning(struct nd_parse *p, struct nctl_pos pos, const char *advice, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void nd_notice(struct nd_parse *p, struct nctl_pos pos, const char *advice, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* secret.c: hides what may be a secret in a line of a file. */
void nd_hide_secrets(char *line);

/* Text in the tree's arena; "" when there is no memory (err is set then). */
const char *nd_text(struct nd_parse *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "FILE:LINE", for advice that points to another place. */
const char *nd_place(struct nd_parse *p, struct nctl_pos pos);
/* "did you mean X?", or `otherwise`, which may be NULL. */
const char *nd_did_you_mean(
	struct nd_parse *p, const char *word, const char *const *candidates, size_t n, const char *otherwise);

/* Zeroed memory from the arena of the tree or of the want; NULL with err set. */
void *nd_alloc(struct nd_parse *p, size_t size);
void *nd_want_alloc(struct nd_parse *p, size_t size);
const char *nd_want_strdup(struct nd_parse *p, const char *s);
bool nd_failed(struct nd_parse *p, int r); /* remembers r if it is negative */

/* Where character `offset` (in bytes) of this scalar's or key's text stands in the file; its start, if that
 * is unclear. */
struct nctl_pos nd_node_pos_at(const struct nd_parse *p, const struct nd_node *node, size_t offset);
struct nctl_pos nd_node_key_pos_at(const struct nd_parse *p, const struct nd_node *node, size_t offset);
