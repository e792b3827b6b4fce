/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/arena.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/time.h"
#include "netns/netns.h"
#include "plan/plan.h"
#include "reconcile/devices.h"

/* What a job needs to know before it can be planned. Internal to daemon/reconcile. */

struct nd_reconcile;
struct job;
struct nctl_live;

/* Neighbours of one namespace that were set, and proxies. */
struct nd_neighs {
	struct nctl_neigh *v;
	size_t n, cap;
	bool known; /* or else they are left alone */
};

/* What a job gathers before it can be planned; the answers come by and by. */
struct gather {
	struct nctl_arena arena;
	const char ***sysctls; /* by number of the wanted namespace: values in its order, or NULL: not read */
	struct nctl_hash *now; /* n_now of them, likewise: of links, struct nctl_sysctl_now */
	size_t n_now;
	struct nctl_hash *drivers; /* n_drivers of them, likewise: struct nctl_driver_of */
	size_t n_drivers;
	uint32_t *links, *first_link; /* with sysctls, by namespace: links[first_link[i]] is the first of i */
	size_t next;                  /* wanted namespace to look at */
	const char **names, **wanted; /* n_names of its sysctls, and what they should be; NULL: not begun */
	size_t n_names, next_name;
	bool asking;           /* a question is on its way out: its answer may come at once */
	size_t waiting;        /* answers that are to come */
	bool blind;            /* sysctls could not be read for want of a helper, which was said */
	struct nd_neighs *neighs; /* n_neighs of them, by number of the wanted namespace; NULL: not asked */
	size_t n_neighs, neigh_next;
	struct nctl_live *live; /* the question that is open */
	bool proxies;           /* it is about these */
	nctl_time patience;    /* how long to wait for namespaces to be joined */
	struct devices devices;
};

/* dad.c: into an open array, a sentence each. */
void nd_dad_failures(const struct nd_reconcile *r, struct nctl_json *json);

/* drivers.c: for gather.c: into v, which are the wanted namespaces, if the configuration asks for them. */
int nd_drivers_look(struct gather *g, const struct nctl_want *want, struct nctl_plan_netns *v);
void nd_drivers_fini(struct gather *g);

/* sysctls.c: for gather.c. */
int nd_sysctls_begin(struct gather *g, const struct nctl_want *want);
void nd_sysctls_fini(struct gather *g);
/* Is there anything to ask for in that namespace? */
bool nd_sysctls_are_wanted(const struct gather *g, const struct nctl_want_netns *w);
/* Asks on in w, which is n. False: enough questions are open; call again when one is answered. */
bool nd_sysctls_ask(struct nd_reconcile *r, const struct nctl_want_netns *w, struct nd_netns *n);

/* neighs.c: asks the kernel, where there is a need. True: an answer is on its way, and looks again. */
bool nd_gather_neighs(struct nd_reconcile *r, struct job *job);
void nd_gather_neighs_fini(struct gather *g);
