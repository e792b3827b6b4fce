/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the frame of generic-netlink messages, and the question for the number of a family (the "nlctrl"
 * family, net/netlink/genetlink.c). Built on the same messages and attributes as rtnetlink: libnl-genl would
 * bring a socket, caches and callbacks of its own, and knows no extended acknowledgements, which say what a
 * driver has against a value.
 */
#include "nl/genl.h"

#include <errno.h>
#include <linux/genetlink.h>

#include "base/cleanup.h"

_Static_assert(NCTL_GENL_HDRLEN == GENL_HDRLEN, "the header is as long as the kernel says");

void nctl_genl_begin(struct nctl_msgbuf *m, uint16_t family, uint16_t flags, uint8_t cmd, uint8_t version)
{
	const struct genlmsghdr hdr = {.cmd = cmd, .version = version};

	nctl_msg_begin(m, family, flags, &hdr, sizeof(hdr));
}

int nctl_genl_cmd(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *hdr = (const void *)((const uint8_t *)nlh + NLMSG_HDRLEN);

	return nlh->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN ? -EBADMSG : hdr->cmd;
}

void nctl_genl_encode_getfamily(const char *name, struct nctl_msgbuf *m)
{
	nctl_genl_begin(m, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY, 1);
	nctl_msg_put_str(m, CTRL_ATTR_FAMILY_NAME, name);
}

int nctl_genl_decode_family(const struct nlmsghdr *nlh, uint16_t *ret)
{
	static const struct nctl_attr_policy policy[] = {
		[CTRL_ATTR_FAMILY_ID] = {.kind = NCTL_ATTR_U16},
	};
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)];

	if (nctl_genl_cmd(nlh) != CTRL_CMD_NEWFAMILY ||
		nctl_genl_parse(nlh, policy, tb, NCTL_ARRAY_SIZE(policy) - 1) < 0 || !tb[CTRL_ATTR_FAMILY_ID])
		return -EBADMSG;
	*ret = nctl_attr_u16(tb[CTRL_ATTR_FAMILY_ID]);
	return *ret < GENL_MIN_ID ? -EBADMSG : 0;
}
