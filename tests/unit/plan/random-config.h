/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"
#include "random.h"

/*
 * A random valid configuration (what stands under "network:") of few names, so that two in a row share links:
 * dummies, pairs, bonds, bridges, VRFs, VLANs and macvlans on each other, with addresses. eth0 and eth1 are
 * network cards.
 */
void random_config(struct random *r, bool mtus, struct nctl_strbuf *out);

/* The same over several namespaces, t1 up and home, with pairs between them. */
enum { RANDOM_NETNS = 4 };
void random_netns_config(struct random *r, bool mtus, struct nctl_strbuf *out);
