/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plan/plan.h"

/*
 * A plan whose operations somebody else puts in line, one by one (nctl_plan.script): what a user said, and in
 * his order. There is nothing wanted behind it: it has no way back.
 */

/* Without operations; netns, n of them, are copied. NULL: no memory. */
struct nctl_plan *nctl_script_new(const struct nctl_plan_netns *netns, size_t n);
/* One more, in namespace 0; zeroed but for needs. Pointers to operations are not valid any more. NULL: no
 * memory. */
struct nctl_op *nctl_script_add(struct nctl_plan *p, enum nctl_op_type type);
