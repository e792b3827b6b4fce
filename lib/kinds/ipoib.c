/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: ipoib (drivers/infiniband/ulp/ipoib/ipoib_netlink.c ipoib_fill_info, RFC 4391). */
#include <linux/if_link.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "obj/kind.h"

struct ipoib_data {
	uint16_t pkey, mode, umcast;
};

static const struct nctl_name mode_names[] = {
	{"datagram", IPOIB_MODE_DATAGRAM, NULL}, {"connected", IPOIB_MODE_CONNECTED, NULL}, {0}};

static void pkey_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	char buf[16];

	snprintf(buf, sizeof(buf), "%#.4x", (unsigned)nctl_field_get(f, data));
	nctl_json_str(json, buf);
}

static void umcast_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	char buf[16];

	snprintf(buf, sizeof(buf), "%.4x", (unsigned)nctl_field_get(f, data));
	nctl_json_str(json, buf);
}

static const struct nctl_field_ops pkey_ops = {.print = pkey_print};
static const struct nctl_field_ops umcast_ops = {.print = umcast_print};

/* clang-format off */
#define I(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct ipoib_data, member_), .attr = IFLA_IPOIB_##attr_,                  \
		.type = NCTL_FIELD_##type_

static const struct nctl_field ipoib_fields[] = {
	I(pkey, PKEY, "key", UINT), .ops = &pkey_ops, .flags = NCTL_FIELD_IDENTITY,
		.change = NCTL_CHANGE_RECREATE},
	I(mode, MODE, "mode", ENUM), .names = mode_names},
	I(umcast, UMCAST, "umcast", UINT), .ops = &umcast_ops},
};
/* clang-format on */

const struct nctl_kind nctl_kind_ipoib = {
	.name = "ipoib",
	.lower_key = "link",
	.help = "partitions of an InfiniBand port",
	.data_size = sizeof(struct ipoib_data),
	.data = {ipoib_fields, NCTL_ARRAY_SIZE(ipoib_fields)},
};
