/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the kinds by name, and those with next to no behaviour of their own: dummy, ifb (drivers/net/dummy.c,
 * ifb.c), and veth pairs (drivers/net/veth.c).
 */

#include <errno.h>
#include <linux/veth.h>
#include <string.h>

#include "fake/core.h"
#include "fake/wire.h"

const struct fk_kind *fk_kind_find(const char *name, size_t len)
{
	static const struct fk_kind *const kinds[] = {&fk_kind_veth, &fk_kind_bridge, &fk_kind_macvlan,
		&fk_kind_dummy, &fk_kind_ifb, &fk_kind_vlan, &fk_kind_bond, &fk_kind_vrf};
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i]->name) == len && memcmp(kinds[i]->name, name, len) == 0)
			return kinds[i];
	return NULL;
}

static void fk_dummy_setup(struct nctl_fake *f, struct fk_link *l)
{
	(void)f;
	l->flags = (l->flags | IFF_NOARP) & ~(unsigned)IFF_MULTICAST;
	l->min_mtu = 0;
	l->max_mtu = 0;
}

const struct fk_kind fk_kind_dummy = {.name = "dummy", .setup = fk_dummy_setup};

static void fk_ifb_setup(struct nctl_fake *f, struct fk_link *l)
{
	fk_dummy_setup(f, l);
	l->txqlen = 32;
}

const struct fk_kind fk_kind_ifb = {.name = "ifb", .setup = fk_ifb_setup};

/* A network card, as far as a dummy is like one. */
const struct fk_kind fk_kind_card = {.name = "", .physical = true};

static int fk_veth_validate(struct fk_req *rq, const struct nlattr **tb, const struct nlattr *data)
{
	(void)rq;
	(void)data;
	return tb[IFLA_MTU] && (fk_u32(tb[IFLA_MTU]) < 68 || fk_u32(tb[IFLA_MTU]) > 65535) ? -EINVAL : 0;
}

static int fk_veth_peer(struct fk_req *rq, struct fk_link *l, const struct nlattr *data, struct fk_link **ret)
{
	const struct nlattr *info[VETH_INFO_MAX + 1] = {0}, *tb[IFLA_MAX + 1] = {0};
	const struct ifinfomsg none = {0}, *ifi = &none;
	if (data && fk_parse_nest(info, VETH_INFO_MAX, data) < 0)
		return -EINVAL;
	if (info[VETH_INFO_PEER]) {
		const uint8_t *p = fk_data(info[VETH_INFO_PEER]);
		size_t len = fk_len(info[VETH_INFO_PEER]);
		if (len < sizeof *ifi || fk_parse(tb, IFLA_MAX, p + sizeof *ifi, len - sizeof *ifi) < 0)
			return -EINVAL;
		ifi = (const void *)p;
	}
	int r = fk_check_link_attrs(rq, tb);
	if (r < 0)
		return r;
	struct fk_link *peer = fk_link_new(rq->ns, &fk_kind_veth); /* IFLA_TARGET_NETNSID is not for it */
	if (!peer)
		return -ENOMEM;
	strcpy(peer->name, "veth%d");
	if (tb[IFLA_IFNAME])
		fk_str(tb[IFLA_IFNAME], peer->name, sizeof peer->name);
	peer->ifindex = l->ifindex ? ifi->ifi_index : 0;
	r = fk_link_preset(rq, peer, tb);
	if (r == 0)
		r = fk_link_register(rq, peer);
	if (r < 0) {
		fk_link_destroy(peer);
		return r;
	}
	fk_carrier(rq->f, peer, false);
	*ret = peer;
	return fk_link_configure(rq, peer, ifi);
}

static int fk_veth_create(
	struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, const struct nlattr *data)
{
	struct fk_link *peer = NULL;
	(void)tb;
	int r = fk_veth_peer(rq, l, data, &peer);
	if (r == 0)
		r = fk_link_register(rq, l);
	if (r < 0) {
		struct nctl_list doomed = NCTL_LIST_INIT(doomed);
		if (peer) {
			fk_doom(rq->f, peer, &doomed);
			fk_links_kill(rq->f, &doomed);
		}
		return r;
	}
	fk_carrier(rq->f, l, false);
	l->peer = peer;
	peer->peer = l;
	return 0;
}

static int fk_veth_open(struct nctl_fake *f, struct fk_link *l)
{
	if (!l->peer)
		return -ENOTCONN;
	if (l->peer->flags & IFF_UP) {
		fk_carrier(f, l, true);
		fk_carrier(f, l->peer, true);
	}
	return 0;
}

static void fk_veth_stop(struct nctl_fake *f, struct fk_link *l)
{
	fk_carrier(f, l, false);
	if (l->peer)
		fk_carrier(f, l->peer, false);
}

static void fk_veth_doom(struct nctl_fake *f, struct fk_link *l, struct nctl_list *doomed)
{
	struct fk_link *peer = l->peer;
	if (!peer)
		return;
	l->peer = NULL;
	peer->peer = NULL;
	fk_doom(f, peer, doomed);
}

const struct fk_kind fk_kind_veth = {
	.name = "veth",
	.validate = fk_veth_validate,
	.create = fk_veth_create,
	.open = fk_veth_open,
	.stop = fk_veth_stop,
	.doom = fk_veth_doom,
};
