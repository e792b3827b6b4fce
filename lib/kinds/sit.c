/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: sit (net/ipv6/sit.c): IPv6 in IPv4, with 6rd and ISATAP; see iptun-fields.c. */
#include "kinds/tunnel.h"

static const struct nctl_name modes[] = {{"sit", 0, NULL}, {0}};

const struct nctl_kind nctl_kind_sit = {
	.name = "sit",
	.section = "tunnels",
	.modes = modes,
	.lower_key = "link",
	.traits = NCTL_KIND_SET_WHOLE,
	.help = "tunnels of IPv6 in IPv4",
	.data_size = sizeof(struct nctl_iptun_data),
	.data = {nctl_iptun_fields, NCTL_IPTUN_N_FIELDS},
	.shown = nctl_iptun_shown,
	.lacks = NCTL_IPTUN_LACKS4,
	.check = nctl_iptun_check4,
	.change_class = nctl_iptun_change_class4,
};
