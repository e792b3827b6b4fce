/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: ip6tnl (net/ipv6/ip6_tunnel.c): IP in IPv6; see iptun-fields.c. */
#include <netinet/in.h>

#include "kinds/tunnel.h"

static const struct nctl_name modes[] = {
	{"ipip6", IPPROTO_IPIP, NULL},
	{"ip6ip6", IPPROTO_IPV6, NULL},
	{"ip6tnl", 0, NULL},
	{0},
};

const struct nctl_kind nctl_kind_ip6tnl = {
	.name = "ip6tnl",
	.section = "tunnels",
	.modes = modes,
	.mode_field = NCTL_IPTUN_PROTO,
	.lower_key = "link",
	.traits = NCTL_KIND_SET_WHOLE,
	.help = "tunnels of IP in IPv6",
	.data_size = sizeof(struct nctl_iptun_data),
	.data = {nctl_iptun_fields, NCTL_IPTUN_N_FIELDS},
	.shown = nctl_iptun_shown6,
	.lacks = NCTL_IPTUN_LACKS6,
	.check = nctl_iptun_check6,
};
