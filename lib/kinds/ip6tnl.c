/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: ip6tnl (net/ipv6/ip6_tunnel.c): IP in IPv6; see iptun-fields.c. */
#include "kinds/tunnel.h"

const struct nctl_kind nctl_kind_ip6tnl = {
	.name = "ip6tnl",
	.help = "tunnels of IP in IPv6",
	.data_size = sizeof(struct nctl_iptun_data),
	.data = {nctl_iptun_fields, NCTL_IPTUN_N_FIELDS},
	.shown = nctl_iptun_shown6,
};
