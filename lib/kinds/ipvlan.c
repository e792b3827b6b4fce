/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: ipvlan and, with a file as well, ipvtap (drivers/net/ipvlan). One of three words says who may talk to
 * whom: the kernel has a bit for two of them.
 */
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "codec/codec.h"
#include "kinds/stacked.h"

enum { MODE, FLAGS, PRIVATE, VEPA, BRIDGE };

static const struct nctl_name mode_names[] = {
	{"l2", IPVLAN_MODE_L2, NULL},
	{"l3", IPVLAN_MODE_L3, NULL},
	{"l3s", IPVLAN_MODE_L3S, NULL},
	{0},
};

static const struct nctl_name flag_names[] = {
	{"bridge", 0, NULL},
	{"private", IPVLAN_F_PRIVATE, NULL},
	{"vepa", IPVLAN_F_VEPA, NULL},
	{0},
};

static void bridge_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	nctl_codec_bit_ops.print(f, data, json);
}

static const struct nctl_field_ops bridge_ops = {.print = bridge_print};

/* clang-format off */
#define I(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct nctl_ipvlan_data, member_), .attr = IFLA_IPVLAN_##attr_,           \
		.type = NCTL_FIELD_##type_
#define WORD(json_) I(flags, FLAGS, json_, UINT), .flags = NCTL_FIELD_READONLY

const struct nctl_field nctl_ipvlan_fields[NCTL_IPVLAN_N_FIELDS] = {
	[MODE] = I(mode, MODE, "mode", ENUM), .names = mode_names, .key = "mode",
		.help = "by what addresses packets find their way"},
	[FLAGS] = I(flags, FLAGS, NULL, ENUM), .names = flag_names, .key = "flags",
		.help = "who may talk to whom on one lower link"},
	[PRIVATE] = WORD("private"), .ops = &nctl_codec_bit_ops, .dflt = IPVLAN_F_PRIVATE},
	[VEPA] = WORD("vepa"), .ops = &nctl_codec_bit_ops, .dflt = IPVLAN_F_VEPA},
	[BRIDGE] = WORD("bridge"), .ops = &bridge_ops},
};
/* clang-format on */

uint64_t nctl_ipvlan_shown(const void *data, uint64_t has)
{
	const struct nctl_ipvlan_data *d = data;

	if (d->flags & IPVLAN_F_PRIVATE)
		has &= ~(UINT64_C(1) << VEPA);
	if (d->flags & (IPVLAN_F_PRIVATE | IPVLAN_F_VEPA))
		has &= ~(UINT64_C(1) << BRIDGE);
	return has;
}

const struct nctl_kind nctl_kind_ipvlan = {
	.name = "ipvlan",
	.section = "ipvlans",
	.lower_key = "link",
	.help = "links with IP addresses of their own on another link, and its MAC address",
	.traits = NCTL_KIND_LOWER_REQUIRED | NCTL_KIND_MULTICAST_TO_LOWER,
	.data_size = sizeof(struct nctl_ipvlan_data),
	.data = {nctl_ipvlan_fields, NCTL_IPVLAN_N_FIELDS},
	.shown = nctl_ipvlan_shown,
};
