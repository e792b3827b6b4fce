/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: ipvtap (drivers/net/ipvlan/ipvtap.c): see ipvlan.c. */
#include "kinds/stacked.h"

const struct nctl_kind nctl_kind_ipvtap = {
	.name = "ipvtap",
	.section = "ipvtaps",
	.lower_key = "link",
	.help = "ipvlans that a program has a file of",
	.traits = NCTL_KIND_LOWER_REQUIRED | NCTL_KIND_MULTICAST_TO_LOWER,
	.data_size = sizeof(struct nctl_ipvlan_data),
	.data = {nctl_ipvlan_fields, NCTL_IPVLAN_N_FIELDS},
	.shown = nctl_ipvlan_shown,
};
