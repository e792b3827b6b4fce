/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: kinds that are made in pairs: the message that makes one end holds the other's behind the same
 * attribute in all of them (VETH_INFO_PEER of linux/veth.h, VXCAN_INFO_PEER of linux/can/vxcan.h). The peer's
 * master and up flag are ignored there.
 */
#include "kinds/pair.h"

#include <linux/can/vxcan.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "codec/codec.h"

_Static_assert((int)VETH_INFO_PEER == (int)VXCAN_INFO_PEER, "one attribute for all");

void nctl_pair_encode(const struct nctl_link *link, const struct nctl_link *peer, struct nctl_msgbuf *msg)
{
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	struct nctl_link p;
	size_t nest;

	(void)link;
	if (!peer)
		return;
	p = *peer;
	p.master = 0;
	p.has &= ~NCTL_LINK_BIT(MASTER);
	ifi.ifi_index = (int)p.ifindex;
	nest = nctl_msg_nest_begin(msg, VETH_INFO_PEER);
	nctl_msg_put_raw(msg, &ifi, sizeof(ifi));
	nctl_codec_link_attrs_encode(&p, msg);
	nctl_msg_nest_end(msg, nest);
}
