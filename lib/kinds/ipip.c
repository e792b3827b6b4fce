/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: ipip (net/ipv4/ipip.c): IP in IPv4; see iptun-fields.c. */
#include "kinds/tunnel.h"

static const struct nctl_name modes[] = {{"ipip", 0, NULL}, {0}};

const struct nctl_kind nctl_kind_ipip = {
	.name = "ipip",
	.section = "tunnels",
	.modes = modes,
	.lower_key = "link",
	.traits = NCTL_KIND_OWN_TUNNEL | NCTL_KIND_SET_WHOLE,
	.help = "tunnels of IPv4 in IPv4",
	.data_size = sizeof(struct nctl_iptun_data),
	.data = {nctl_iptun_fields, NCTL_IPTUN_N_FIELDS},
	.shown = nctl_iptun_shown,
	.lacks = NCTL_IPTUN_LACKS4,
	.check = nctl_iptun_check4,
	.change_class = nctl_iptun_change_class4,
};
