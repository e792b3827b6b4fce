/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fake/fake.h"
#include "mirror/mirror.h"

/* What a namespace of a fake kernel says of itself, by dumps on a transport of its own. Owned by the caller;
 * NULL: it is gone. */
struct nctl_mirror *truth_new(struct nctl_fake *f, uint64_t netns);

/* Are the links and addresses of m those of truth? Prints what differs, with label. ignore: NCTL_LINK_BITs.
 */
bool truth_equal(
	const struct nctl_mirror *truth, const struct nctl_mirror *m, uint64_t ignore, const char *label);
/* Fails the test, with label, if m is not the truth. ignore: NCTL_LINK_BITs. */
void truth_compare(
	const struct nctl_mirror *truth, const struct nctl_mirror *m, uint64_t ignore, const char *label);
/* Both for a namespace that is there. */
void truth_check(
	struct nctl_fake *f, uint64_t netns, const struct nctl_mirror *m, uint64_t ignore, const char *label);
