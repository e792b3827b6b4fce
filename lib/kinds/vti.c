/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: vti (net/ipv4/ip_vti.c): IPsec over IPv4; see vti-fields.c. */
#include "kinds/tunnel.h"

static const struct nctl_name modes[] = {{"vti", 0, NULL}, {0}};

const struct nctl_kind nctl_kind_vti = {
	.name = "vti",
	.section = "tunnels",
	.modes = modes,
	.lower_key = "link",
	.traits = NCTL_KIND_OWN_TUNNEL | NCTL_KIND_SET_WHOLE,
	.help = "interfaces of IPsec tunnels over IPv4",
	.data_size = sizeof(struct nctl_vti_data),
	.data = {nctl_vti_fields, NCTL_VTI_N_FIELDS},
	.shown = nctl_vti_shown,
	.check = nctl_vti_check4,
	.change_class = nctl_vti_change_class4,
};
