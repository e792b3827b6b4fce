/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: hsr (net/hsr/hsr_netlink.c hsr_fill_info, IEC 62439-3): its two ports are attributes, null once they
 * are gone. */
#include <linux/if_link.h>

#include "base/cleanup.h"
#include "net/lladdr.h"
#include "obj/kind.h"

struct hsr_data {
	uint32_t slave1, slave2;
	struct nctl_lladdr supervision;
	uint16_t seq_nr;
	uint8_t proto;
};

enum { SLAVE1, SLAVE2 };

/* clang-format off */
#define H(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct hsr_data, member_), .attr = IFLA_HSR_##attr_,                      \
		.type = NCTL_FIELD_##type_

static const struct nctl_field hsr_fields[] = {
	[SLAVE1] = H(slave1, SLAVE1, "slave1", LINK), .flags = NCTL_FIELD_NULL_ZERO | NCTL_FIELD_OMIT_ZERO,
		.change = NCTL_CHANGE_RECREATE},
	[SLAVE2] = H(slave2, SLAVE2, "slave2", LINK), .flags = NCTL_FIELD_NULL_ZERO | NCTL_FIELD_OMIT_ZERO,
		.change = NCTL_CHANGE_RECREATE},
	H(seq_nr, SEQ_NR, "seq_nr", UINT), .flags = NCTL_FIELD_READONLY | NCTL_FIELD_VOLATILE},
	H(supervision, SUPERVISION_ADDR, "supervision_addr", LLADDR), .flags = NCTL_FIELD_READONLY},
	H(proto, PROTOCOL, "proto", UINT), .change = NCTL_CHANGE_RECREATE, .key = "protocol", .max = 1,
		.help = "0 HSR, 1 PRP"},
};
/* clang-format on */

/* The kernel leaves a port out that is gone. */
static void hsr_fixup(void *data, uint64_t *has)
{
	(void)data;
	*has |= UINT64_C(1) << SLAVE1 | UINT64_C(1) << SLAVE2;
}

const struct nctl_kind nctl_kind_hsr = {
	.name = "hsr",
	.help = "two links that send everything twice",
	.data_size = sizeof(struct hsr_data),
	.data = {hsr_fields, NCTL_ARRAY_SIZE(hsr_fields)},
	.fixup = hsr_fixup,
};
