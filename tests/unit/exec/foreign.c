/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: somebody else, who talks to the fake kernel by messages of his own.
 */
#include "foreign.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "codec/codec.h"
#include "fake/wire.h"
#include "test.h"

static int exec(struct nctl_fake *f, uint64_t netns, struct nctl_msgbuf *m)
{
	assert_int_equal(nctl_msg_commit(m, 1), 0);
	return nctl_fake_netns_exec(f, netns, m->buf, m->len);
}

int foreign_new(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, const char *name, const char *kind,
	nctl_ifindex lower)
{
	_Alignas(8) uint8_t bytes[1024];
	struct nctl_link l = NCTL_LINK_INIT;
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	l.ifindex = ifindex;
	l.lower = lower;
	l.kind = nctl_kind_find(kind);
	strcpy(l.name, name);
	nctl_link_encode_new(&l, NULL, &m);
	return exec(f, netns, &m);
}

int foreign_pair(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, const char *name, nctl_nsid nsid,
	nctl_ifindex far_ifindex, const char *far_name)
{
	const struct ifinfomsg near = {.ifi_index = (int)ifindex}, far = {.ifi_index = (int)far_ifindex};
	_Alignas(8) uint8_t bytes[512];
	struct fk_buf b = FK_BUF(bytes);
	size_t start = fk_msg_begin(
		&b, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL, 1, &far, sizeof(far));
	size_t info, data, peer;

	fk_put_str(&b, IFLA_IFNAME, far_name);
	fk_put_u32(&b, IFLA_TARGET_NETNSID, (uint32_t)nsid);
	info = fk_nest_begin(&b, IFLA_LINKINFO);
	fk_put_str(&b, IFLA_INFO_KIND, "veth");
	data = fk_nest_begin(&b, IFLA_INFO_DATA);
	peer = fk_nest_begin(&b, VETH_INFO_PEER);
	fk_put_raw(&b, &near, sizeof(near));
	fk_put_str(&b, IFLA_IFNAME, name);
	fk_nest_end(&b, peer);
	fk_nest_end(&b, data);
	fk_nest_end(&b, info);
	fk_msg_end(&b, start);
	return nctl_fake_netns_exec(f, netns, bytes, b.len);
}

int foreign_del(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex)
{
	_Alignas(8) uint8_t bytes[256];
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	nctl_link_encode_del(ifindex, &m);
	return exec(f, netns, &m);
}

static int foreign_set(
	struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, const struct nctl_link *l, uint64_t mask)
{
	struct nctl_link_diff d = {.common = mask};
	_Alignas(8) uint8_t bytes[256];
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	nctl_link_encode_set(ifindex, l, &d, &m);
	return exec(f, netns, &m);
}

int foreign_up(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, bool up)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.flags = up ? IFF_UP : 0;
	return foreign_set(f, netns, ifindex, &l, NCTL_LINK_BIT(FLAGS));
}

int foreign_mtu(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, nctl_mtu mtu)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.mtu = mtu;
	return foreign_set(f, netns, ifindex, &l, NCTL_LINK_BIT(MTU));
}

int foreign_name(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, const char *name)
{
	struct nctl_link l = NCTL_LINK_INIT;

	snprintf(l.name, sizeof(l.name), "%s", name);
	return foreign_set(f, netns, ifindex, &l, NCTL_LINK_BIT(NAME));
}

int foreign_addr(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, const char *prefix, bool add)
{
	struct nctl_addr a = NCTL_ADDR_INIT;
	_Alignas(8) uint8_t bytes[256];
	struct nctl_msgbuf m;

	a.ifindex = ifindex;
	assert_int_equal(nctl_prefix_parse(prefix, NCTL_PREFIX_NEED_LENGTH, &a.local), 0);
	nctl_msgbuf_init(&m, bytes, sizeof(bytes));
	if (add)
		nctl_addr_encode_new(&a, &m);
	else
		nctl_addr_encode_del(&a, &m);
	return exec(f, netns, &m);
}
