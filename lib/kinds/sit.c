/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: sit (net/ipv6/sit.c): IPv6 in IPv4, with 6rd and ISATAP; see iptun-fields.c. */
#include "kinds/tunnel.h"

const struct nctl_kind nctl_kind_sit = {
	.name = "sit",
	.help = "tunnels of IPv6 in IPv4",
	.data_size = sizeof(struct nctl_iptun_data),
	.data = {nctl_iptun_fields, NCTL_IPTUN_N_FIELDS},
	.shown = nctl_iptun_shown,
};
