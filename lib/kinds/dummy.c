/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: dummy (drivers/net/dummy.c): no attributes of its own. */
#include "obj/kind.h"

const struct nctl_kind nctl_kind_dummy = {
	.name = "dummy",
	.section = "dummy-devices",
	.help = "interfaces that drop all they get, to hold addresses",
};
