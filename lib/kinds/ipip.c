/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: ipip (net/ipv4/ipip.c): IP in IPv4; see iptun-fields.c. */
#include "kinds/tunnel.h"

const struct nctl_kind nctl_kind_ipip = {
	.name = "ipip",
	.traits = NCTL_KIND_OWN_TUNNEL,
	.help = "tunnels of IPv4 in IPv4",
	.data_size = sizeof(struct nctl_iptun_data),
	.data = {nctl_iptun_fields, NCTL_IPTUN_N_FIELDS},
	.shown = nctl_iptun_shown,
};
