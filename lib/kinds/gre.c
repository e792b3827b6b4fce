/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: gre (net/ipv4/ip_gre.c): IP in GRE over IPv4; see gre-fields.c. */
#include "kinds/tunnel.h"

static const struct nctl_name modes[] = {{"gre", 0, NULL}, {0}};

const struct nctl_kind nctl_kind_gre = {
	.name = "gre",
	.section = "tunnels",
	.modes = modes,
	.lower_key = "link",
	.traits = NCTL_KIND_OWN_TUNNEL | NCTL_KIND_SET_WHOLE,
	.help = "tunnels of IP in GRE over IPv4",
	.data_size = sizeof(struct nctl_gre_data),
	.data = {nctl_gre_fields, NCTL_GRE_N_FIELDS},
	.shown = nctl_gre_shown,
	.lacks = NCTL_GRE_LACKS4,
	.complete = nctl_gre_complete,
	.check = nctl_gre_check4,
	.change_class = nctl_gre_change_class4,
};
