/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: veth (drivers/net/veth.c), made in pairs: the message that makes one end holds the other's behind
 * VETH_INFO_PEER (linux/veth.h). The peer's master and up flag are ignored there.
 */
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "codec/codec.h"
#include "obj/kind.h"

static void veth_encode_extra(
	const struct nctl_link *link, const struct nctl_link *peer, struct nctl_msgbuf *msg)
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

const struct nctl_kind nctl_kind_veth = {
	.name = "veth",
	.section = "virtual-ethernets",
	.peer_key = "peer",
	.help = "pairs of interfaces: what enters one leaves the other",
	.traits = NCTL_KIND_PEERED,
	.encode_extra = veth_encode_extra,
};
