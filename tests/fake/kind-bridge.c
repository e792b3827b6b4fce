/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: bridges (net/bridge) without spanning tree: a port forwards while the bridge is up and the port's
 * operstate is, the bridge has a carrier while a port forwards, takes the lowest MAC of its ports and the
 * lowest MTU unless a user has set them.
 */

#include <errno.h>
#include <string.h>

#include "fake/core.h"
#include "fake/wire.h"

static void fk_bridge_tell(struct fk_link *br, struct fk_link *port, uint16_t type)
{
	uint8_t bytes[1024];
	struct fk_buf b = FK_BUF(bytes);
	fk_put_bridge_port(&b, port, br, type, 0, 0);
	fk_broadcast(br->ns, RTNLGRP_LINK, bytes, b.len);
}

/* br_port_state_selection() */
static void fk_bridge_select(struct nctl_fake *f, struct fk_link *br)
{
	struct nctl_list *pos;
	bool live = false;
	nctl_list_for_each(pos, fk_links(br->ns)) {
		const struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		live |= p->master == br && p->port_live;
	}
	fk_carrier(f, br, live);
}

static void fk_bridge_port(struct nctl_fake *f, struct fk_link *br, struct fk_link *port, bool live)
{
	port->port_live = live;
	if (!live)
		fk_bridge_tell(br, port, RTM_NEWLINK);
	fk_bridge_select(f, br);
	if (live)
		fk_bridge_tell(br, port, RTM_NEWLINK);
}

static bool fk_port_ready(const struct fk_link *port)
{
	return port->flags & IFF_UP && fk_oper_up(port);
}

/* br_stp_recalculate_bridge_id() */
static bool fk_bridge_mac(struct nctl_fake *f, struct fk_link *br)
{
	static const uint8_t zero[FK_ETH_ALEN];
	const uint8_t *best = zero;
	struct nctl_list *pos;
	if (br->addr_set)
		return false;
	nctl_list_for_each(pos, fk_links(br->ns)) {
		const struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		if (p->master == br && (best == zero || memcmp(p->addr, best, FK_ETH_ALEN) < 0))
			best = p->addr;
	}
	if (memcmp(br->addr, best, FK_ETH_ALEN) == 0)
		return false;
	memcpy(br->addr, best, FK_ETH_ALEN);
	fk_bridge_select(f, br);
	return true;
}

static void fk_bridge_mac_changed(struct nctl_fake *f, struct fk_link *br)
{
	if (fk_bridge_mac(f, br))
		fk_notify(f, br, FK_CHANGEADDR);
}

/* br_mtu_auto_adjust() */
static void fk_bridge_mtu(struct nctl_fake *f, struct fk_link *br)
{
	struct fk_req rq = {.f = f};
	struct nctl_list *pos;
	uint32_t mtu = 0;
	if (br->mtu_set)
		return;
	nctl_list_for_each(pos, fk_links(br->ns)) {
		const struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		if (p->master == br && (mtu == 0 || p->mtu < mtu))
			mtu = p->mtu;
	}
	fk_set_mtu(&rq, br, mtu ? mtu : 1500);
	br->mtu_set = false;
}

static int fk_bridge_set_mtu(struct fk_req *rq, struct fk_link *br, uint32_t mtu)
{
	(void)rq;
	(void)mtu;
	br->mtu_set = true;
	return 0;
}

/* A new MAC is a new bridge id, which makes the bridge look at its ports again. */
static int fk_bridge_set_addr(struct fk_req *rq, struct fk_link *br, const uint8_t *addr)
{
	(void)addr;
	if (br->dying) /* a bond wants to restore its slave */
		return -EBUSY;
	fk_bridge_select(rq->f, br);
	return 0;
}

static int fk_bridge_create(
	struct fk_req *rq, struct fk_link *br, const struct nlattr **tb, const struct nlattr *data)
{
	br->data_len = data ? nctl_min(fk_len(data), sizeof br->data) : 0;
	if (data)
		memcpy(br->data, fk_data(data), br->data_len);
	int r = fk_link_register(rq, br);
	if (r == 0 && tb[IFLA_ADDRESS])
		fk_bridge_select(rq->f, br);
	return r;
}

static int fk_bridge_enslave(struct fk_req *rq, struct fk_link *br, struct fk_link *port)
{
	struct nctl_fake *f = rq->f;
	if (port->flags & IFF_LOOPBACK)
		return -EINVAL;
	if (port->addr[0] & 1 || memcmp(port->addr, (uint8_t[FK_ETH_ALEN]){0}, FK_ETH_ALEN) == 0)
		return -EINVAL;
	if (port->kind == &fk_kind_bridge)
		return fk_refuse(rq, -ELOOP, "Can not enslave a bridge to a bridge");
	if (port->kind == &fk_kind_vrf)
		return -EINVAL; /* IFF_NO_RX_HANDLER */
	if (fk_rx_busy(f, port) || fk_is_below(f, br, port))
		return -EBUSY;
	fk_join(f, port, br);
	port->port_live = false;
	fk_notify(f, port, FK_CHANGEUPPER);
	fk_notify(f, br, FK_CHANGEINFO); /* its features follow those of its ports */
	bool moved = fk_bridge_mac(f, br);
	if (fk_port_ready(port) && br->flags & IFF_UP)
		fk_bridge_port(f, br, port, true);
	fk_bridge_tell(br, port, RTM_NEWLINK);
	if (moved)
		fk_notify(f, br, FK_CHANGEADDR);
	fk_bridge_mtu(f, br);
	return 0;
}

/* del_nbp() */
static void fk_bridge_unlink(struct nctl_fake *f, struct fk_link *br, struct fk_link *port)
{
	fk_link_event(f, port); /* it is no longer promiscuous */
	fk_bridge_port(f, br, port, false);
	fk_bridge_tell(br, port, RTM_DELLINK);
	port->master = NULL;
	fk_notify(f, port, FK_CHANGEUPPER);
}

static void fk_bridge_release(struct nctl_fake *f, struct fk_link *br, struct fk_link *port)
{
	fk_bridge_unlink(f, br, port);
	if (br->dying)
		return;
	fk_bridge_mtu(f, br);
	fk_bridge_mac_changed(f, br);
	fk_notify(f, br, FK_CHANGEINFO);
}

static void fk_bridge_check(struct nctl_fake *f, struct fk_link *br, struct fk_link *port)
{
	bool live = fk_port_ready(port);
	if (br->flags & IFF_UP && live != port->port_live)
		fk_bridge_port(f, br, port, live);
}

static void fk_bridge_port_changed(
	struct nctl_fake *f, struct fk_link *br, struct fk_link *port, enum fk_event ev)
{
	switch (ev) {
	case FK_UNREGISTER:
		fk_bridge_release(f, br, port);
		return;
	case FK_CHANGEMTU:
		fk_bridge_mtu(f, br);
		return;
	case FK_CHANGEADDR:
		fk_bridge_mac_changed(f, br);
		break;
	case FK_CHANGE:
	case FK_UP:
		fk_bridge_check(f, br, port);
		break;
	case FK_DOWN:
		if (br->flags & IFF_UP)
			fk_bridge_port(f, br, port, false);
		break;
	case FK_REGISTER:
	case FK_CHANGENAME:
	case FK_CHANGEUPPER:
	case FK_CHANGEINFO:
		return;
	}
	fk_bridge_tell(br, port, RTM_NEWLINK);
}

static int fk_bridge_open(struct nctl_fake *f, struct fk_link *br)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, fk_links(br->ns)) {
		struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		if (p->master == br && fk_port_ready(p))
			fk_bridge_port(f, br, p, true);
	}
	return 0;
}

static void fk_bridge_stop(struct nctl_fake *f, struct fk_link *br)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, fk_links(br->ns)) {
		struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		if (p->master == br && p->port_live)
			fk_bridge_port(f, br, p, false);
	}
}

static void fk_bridge_doom(struct nctl_fake *f, struct fk_link *br, struct nctl_list *doomed)
{
	struct nctl_list *pos;
	(void)doomed;
	nctl_list_for_each(pos, fk_links(br->ns)) {
		struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		if (p->master == br)
			fk_bridge_unlink(f, br, p);
	}
}

const struct fk_kind fk_kind_bridge = {
	.name = "bridge",
	.local = true,
	.open = fk_bridge_open,
	.stop = fk_bridge_stop,
	.create = fk_bridge_create,
	.set_mtu = fk_bridge_set_mtu,
	.set_addr = fk_bridge_set_addr,
	.enslave = fk_bridge_enslave,
	.release = fk_bridge_release,
	.port_event = fk_bridge_port_changed,
	.doom = fk_bridge_doom,
};
