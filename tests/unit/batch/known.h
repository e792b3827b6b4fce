/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "batch/batch.h"

/* A namespace with lo (1), eth0 (2), eth1 (3) and the VRF "blue" (4, table 40), for what reads lines. */
struct known {
	struct nctl_mirror *mirror;
	struct nctl_plan_netns home, other;
	struct nd_batch_view view;
};

static inline void known_link(
	struct known *k, nctl_ifindex ifindex, const char *name, const char *kind, unsigned table)
{
	struct nctl_link l = NCTL_LINK_INIT;
	int field;

	l.ifindex = ifindex;
	l.has = NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(MASTER);
	strncpy(l.name, name, sizeof(l.name) - 1);
	if (kind && nctl_link_set_kind(&l, nctl_kind_find(kind)) < 0)
		abort();
	field = table ? nctl_fields_find(&l.kind->data, "table") : -1;
	if (field >= 0) {
		nctl_field_set(&l.kind->data.v[field], l.data, table);
		l.data_has |= UINT64_C(1) << field;
	}
	if (nctl_mirror_link_put(k->mirror, &l, NCTL_SOURCE_EVENT) < 0)
		abort();
}

static inline bool known_find(const char *name, struct nctl_plan_netns *ret, void *userdata)
{
	struct known *k = userdata;

	if (strcmp(name, "other"))
		return false;
	*ret = k->other;
	return true;
}

static inline void known_init(struct known *k)
{
	memset(k, 0, sizeof(*k));
	if (nctl_mirror_new(&k->mirror) < 0)
		abort();
	known_link(k, 1, "lo", NULL, 0);
	known_link(k, 2, "eth0", NULL, 0);
	known_link(k, 3, "eth1", NULL, 0);
	known_link(k, 4, "blue", "vrf", 40);
	k->home = (struct nctl_plan_netns){
		.there = true, .cookie = 1, .nsid = NCTL_NSID_NONE, .have = k->mirror};
	k->other = (struct nctl_plan_netns){.name = "other", .there = true, .cookie = 2, .nsid = 7};
	k->view = (struct nd_batch_view){
		.home = &k->home, .strict = true, .next_ifindex = 1000000, .find = known_find, .userdata = k};
}

static inline void known_fini(struct known *k)
{
	nctl_mirror_free(k->mirror);
}
