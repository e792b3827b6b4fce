/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: erspan (net/ipv4/ip_gre.c): mirrored frames in GRE over IPv4; see gre-fields.c. */
#include "kinds/tunnel.h"

const struct nctl_kind nctl_kind_erspan = {
	.name = "erspan",
	.traits = NCTL_KIND_OWN_TUNNEL,
	.help = "tunnels of mirrored frames over IPv4",
	.data_size = sizeof(struct nctl_gre_data),
	.data = {nctl_gre_fields, NCTL_GRE_N_FIELDS},
	.shown = nctl_gre_shown,
};
