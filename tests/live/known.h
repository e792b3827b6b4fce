/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "obj/link.h"

/* The links that a program has read, for the names in what it prints. */
struct known {
	struct nctl_link *v;
	size_t n;
};

void known_add(struct known *k, struct nctl_link *l); /* takes what l owns; ends the program without memory */
const struct nctl_link *known_find(const struct known *k, uint32_t ifindex);
/* userdata of the result is k. */
struct nctl_names known_names(const struct known *k);
void known_fini(struct known *k);
