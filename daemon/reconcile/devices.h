/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/list.h"
#include "plan/plan.h"

/* What is read by generic netlink before a plan is made (devices.c). Internal to daemon/reconcile. */

struct nd_reconcile;

struct devices {
	struct nctl_list readings; /* struct device_reading */
	size_t n, under_way;
	size_t next;      /* wanted link to look at */
	size_t next_keys; /* wanted namespace in which to look for keys that may go */
	struct nctl_plan_device *v;
	/* keyfiles.c */
	struct nctl_want_key_file *next_key;
	size_t reading_keys; /* how many are under way */
	bool keys_begun;
};

void nd_devices_init(struct devices *d);
void nd_devices_fini(struct devices *d);
/* Asks on for the current job, until enough are under way. True: all is answered. */
bool nd_devices_look(struct nd_reconcile *r);
/* keyfiles.c: the same for keys that stand in files of their own. */
bool nd_keys_look(struct nd_reconcile *r);
/* What was read, for the plan; it lives until fini. 0 or -ENOMEM. */
int nd_devices_list(struct devices *d, struct nctl_plan_options *opts);
