/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fake/fake.h"
#include "mirror/mirror.h"

/*
 * Does m hold exactly the routes (with their places among equals), next-hop objects and rules that the
 * namespace's own dumps tell of, each the same when encoded? False: prints what differs.
 */
bool truth_fib_is(struct nctl_fake *f, uint64_t netns, const struct nctl_mirror *m);
