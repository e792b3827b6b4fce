/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: ip6erspan (net/ipv6/ip6_gre.c): mirrored frames in GRE over IPv6; see gre-fields.c. */
#include "kinds/tunnel.h"

const struct nctl_kind nctl_kind_ip6erspan = {
	.name = "ip6erspan",
	.help = "tunnels of mirrored frames over IPv6",
	.data_size = sizeof(struct nctl_gre_data),
	.data = {nctl_gre_fields, NCTL_GRE_N_FIELDS},
	.shown = nctl_gre_shown,
};
