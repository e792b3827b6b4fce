/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: macvtap (drivers/net/macvtap.c): see macvlan.c. */
#include "kinds/stacked.h"

const struct nctl_kind nctl_kind_macvtap = {
	.name = "macvtap",
	.section = "macvtaps",
	.lower_key = "link",
	.help = "macvlans that a program has a file of",
	.traits = NCTL_KIND_LOWER_REQUIRED | NCTL_KIND_MULTICAST_TO_LOWER,
	.data_size = sizeof(struct nctl_macvlan_data),
	.data = {nctl_macvlan_fields, NCTL_MACVLAN_N_FIELDS},
	.change_class = nctl_macvlan_change_class,
	.shown = nctl_macvlan_shown,
};
