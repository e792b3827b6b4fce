/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: links without a kind in the kernel, netplan's ethernets: configured, but never made nor deleted. */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_physical = {
	.name = "physical",
	.section = "ethernets",
	.help = "network cards and other interfaces that are there by themselves",
	.traits = NCTL_KIND_PHYSICAL,
};
