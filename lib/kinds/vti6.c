/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: vti6 (net/ipv6/ip6_vti.c): IPsec over IPv6; see vti-fields.c. */
#include "kinds/tunnel.h"

static const struct nctl_name modes[] = {{"vti6", 0, NULL}, {0}};

const struct nctl_kind nctl_kind_vti6 = {
	.name = "vti6",
	.section = "tunnels",
	.modes = modes,
	.lower_key = "link",
	.traits = NCTL_KIND_SET_WHOLE,
	.help = "interfaces of IPsec tunnels over IPv6",
	.data_size = sizeof(struct nctl_vti_data),
	.data = {nctl_vti_fields, NCTL_VTI_N_FIELDS},
	.shown = nctl_vti_shown,
	.check = nctl_vti_check6,
};
