/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mirror/mirror.h"

/*
 * A mirror beside a naive model of it: plain arrays, searched from end to end. model_check compares every
 * index. What the change records say is kept as a second model, built from nothing else.
 */

enum { MODEL_LINKS = 20, MODEL_ADDRS = 24, MODEL_ALTNAMES = 3, MODEL_NAMES = 14 };

struct model_link {
	bool here;
	char name[IF_NAMESIZE];
	char altnames[MODEL_ALTNAMES][IF_NAMESIZE];
	unsigned n_altnames;
	nctl_ifindex master, lower;
	bool lower_elsewhere;
	nctl_mtu mtu;
};

struct model_state {
	struct model_link links[MODEL_LINKS + 1]; /* by ifindex */
	struct nctl_addr addrs[MODEL_ADDRS];      /* family AF_UNSPEC: free */
};

struct model {
	struct nctl_mirror *mirror;
	struct model_state want; /* what the mirror should hold */
	struct model_state told; /* what the change records add up to */
	struct nctl_sub sub;
	unsigned records; /* since somebody zeroed it */
};

void model_init(struct model *m);
void model_fini(struct model *m);

void model_name(unsigned number, char ret[IF_NAMESIZE]);

/* One value into the mirror; the model is changed unless the mirror has no memory. Returns the mirror's
 * answer. */
int model_put_link(struct model *m, nctl_ifindex ifindex, const struct model_link *v, enum nctl_source src);
int model_put_addr(struct model *m, const struct nctl_addr *a, enum nctl_source src);
void model_drop_link(struct model *m, nctl_ifindex ifindex);
void model_drop_addr(struct model *m, const struct nctl_addr *a);

/* The same to the mirror alone: the caller says what it should do with it. */
int model_feed_link(struct model *m, nctl_ifindex ifindex, const struct model_link *v, enum nctl_source src);

/* Asserts that every index of the mirror, and the sum of its change records, are what the model says. */
void model_check(struct model *m);

struct nctl_addr model_addr(nctl_ifindex ifindex, const char *local, const char *peer);
bool model_addr_same(const struct nctl_addr *a, const struct nctl_addr *b);

/* The allocation after n successful ones fails, once; negative: none. */
void model_fail_calloc(int n);
