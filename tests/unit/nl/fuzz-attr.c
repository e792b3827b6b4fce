/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: fuzzing of message and attribute reading: a datagram as the kernel might send it, read like a link. */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "nl/attr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const struct nctl_attr_policy info_policy[IFLA_INFO_MAX + 1] = {
	[IFLA_INFO_KIND] = {.kind = NCTL_ATTR_STR, .max = 64},
	[IFLA_INFO_DATA] = {.kind = NCTL_ATTR_NEST},
};

static const struct nctl_attr_policy link_policy[IFLA_MAX + 1] = {
	[IFLA_ADDRESS] = {.kind = NCTL_ATTR_BYTES, .max = 32},
	[IFLA_IFNAME] = {.kind = NCTL_ATTR_STR, .max = 16},
	[IFLA_MTU] = {.kind = NCTL_ATTR_U32},
	[IFLA_CARRIER] = {.kind = NCTL_ATTR_U8},
	[IFLA_LINKINFO] = {.kind = NCTL_ATTR_NEST},
};

static void read_link(const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1], *a = NULL;
	const struct nlattr *linkinfo;

	if (nctl_attr_parse_msg(nlh, sizeof(struct ifinfomsg), link_policy, tb, IFLA_MAX) < 0)
		return;
	if (tb[IFLA_IFNAME] && strlen(nctl_attr_str(tb[IFLA_IFNAME])) >= 16)
		abort();
	if (tb[IFLA_MTU] && nctl_attr_u32(tb[IFLA_MTU]) != nctl_attr_uint(tb[IFLA_MTU]))
		abort();
	linkinfo = tb[IFLA_LINKINFO];
	if (!linkinfo || nctl_attr_parse_nest(linkinfo, info_policy, info, IFLA_INFO_MAX) < 0)
		return;
	if (info[IFLA_INFO_DATA])
		while ((a = nctl_attr_next(nctl_attr_data(info[IFLA_INFO_DATA]),
				nctl_attr_len(info[IFLA_INFO_DATA]), a)))
			(void)nctl_attr_uint(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_(nctl_freep) uint8_t *copy = malloc(len ? len : 1); /* aligned, and not a byte longer */
	const struct nlmsghdr *nlh = NULL;

	if (!copy)
		return 0;
	memcpy(copy, data, len);
	while ((nlh = nctl_msg_next(copy, len, nlh)))
		read_link(nlh);
	return 0;
}
