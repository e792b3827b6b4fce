/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: kinds that stand on one lower link: macvlan (drivers/net/macvlan.c) and VLAN (net/8021q).
 */

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "fake/core.h"
#include "fake/wire.h"

enum { FK_ETH_P_8021Q = 0x8100, FK_ETH_P_8021AD = 0x88a8 };

/* Tells the lower link that it has an upper one more or less. */
static void fk_stacked_doom(struct nctl_fake *f, struct fk_link *l, struct nctl_list *doomed)
{
	(void)doomed;
	fk_notify(f, l->lower, FK_CHANGEUPPER);
}

/* What both do once registered. */
static void fk_stacked_join(struct nctl_fake *f, struct fk_link *l)
{
	fk_notify(f, l->lower, FK_CHANGEUPPER);
	fk_carrier_follow(f, l, l->lower);
	fk_linkwatch_fire(f, l);
}

static void fk_stacked_mtu(struct nctl_fake *f, struct fk_link *l)
{
	struct fk_req rq = {.f = f};
	if (l->mtu > l->lower->mtu)
		fk_set_mtu(&rq, l, l->lower->mtu);
}

static int fk_lower(struct fk_req *rq, const struct nlattr **tb, struct fk_link **ret)
{
	if (!tb[IFLA_LINK])
		return fk_refuse(rq, -EINVAL, "link not specified");
	*ret = fk_link_by_index(rq->ns, (int)fk_u32(tb[IFLA_LINK]));
	return *ret ? 0 : fk_refuse(rq, -ENODEV, "link does not exist");
}

/* netdev_is_rx_handler_busy() */
bool fk_rx_busy(struct nctl_fake *f, const struct fk_link *l)
{
	if (l->master && l->master->kind != &fk_kind_vrf)
		return true;
	return fk_has_upper(f, l, &fk_kind_macvlan);
}

static bool fk_macvlan_mode(const struct nlattr *data, uint32_t *ret)
{
	const struct nlattr *info[IFLA_MACVLAN_MAX + 1] = {0};
	if (data && fk_parse_nest(info, IFLA_MACVLAN_MAX, data) < 0)
		return false;
	uint32_t mode = info[IFLA_MACVLAN_MODE] ? fk_u32(info[IFLA_MACVLAN_MODE]) : *ret;
	if (mode != MACVLAN_MODE_PRIVATE && mode != MACVLAN_MODE_VEPA && mode != MACVLAN_MODE_BRIDGE)
		return false; /* passthru and source: not modelled */
	*ret = mode;
	return true;
}

static int fk_macvlan_validate(struct fk_req *rq, const struct nlattr **tb, const struct nlattr *data)
{
	uint32_t mode = MACVLAN_MODE_VEPA;
	(void)rq;
	(void)tb;
	return fk_macvlan_mode(data, &mode) ? 0 : -EINVAL;
}

static int fk_macvlan_create(
	struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, const struct nlattr *data)
{
	struct fk_link *lower;
	l->id = MACVLAN_MODE_VEPA;
	fk_macvlan_mode(data, &l->id);
	int r = fk_lower(rq, tb, &lower);
	if (r < 0)
		return r;
	if (lower->kind == &fk_kind_macvlan)
		lower = lower->lower;
	l->max_mtu = lower->max_mtu;
	if (!tb[IFLA_MTU])
		l->mtu = lower->mtu;
	else if (l->mtu > lower->mtu)
		return -EINVAL;
	if (!fk_has_upper(rq->f, lower, &fk_kind_macvlan)) {
		if (lower->flags & IFF_LOOPBACK)
			return -EINVAL;
		if (fk_rx_busy(rq->f, lower))
			return -EBUSY;
		if (lower->kind == &fk_kind_vrf)
			return -EINVAL; /* IFF_NO_RX_HANDLER */
	}
	l->lower = lower;
	l->carrier = lower->carrier;
	r = fk_link_register(rq, l);
	if (r == 0)
		fk_stacked_join(rq->f, l);
	return r;
}

static bool fk_macvlan_busy(struct nctl_fake *f, const struct fk_link *l, const uint8_t *addr)
{
	struct nctl_list *pos;
	if (memcmp(l->lower->addr, addr, FK_ETH_ALEN) == 0)
		return true;
	(void)f;
	nctl_list_for_each(pos, &l->lower->uppers) {
		const struct fk_link *o = nctl_list_entry(pos, struct fk_link, upper_node);
		if (o->kind == &fk_kind_macvlan && o != l && o->flags & IFF_UP &&
			memcmp(o->addr, addr, FK_ETH_ALEN) == 0)
			return true;
	}
	return false;
}

static int fk_macvlan_open(struct nctl_fake *f, struct fk_link *l)
{
	return fk_macvlan_busy(f, l, l->addr) ? -EADDRINUSE : 0;
}

static int fk_macvlan_set_addr(struct fk_req *rq, struct fk_link *l, const uint8_t *addr)
{
	if (memcmp(l->addr, addr, FK_ETH_ALEN) == 0)
		return 0;
	return fk_macvlan_busy(rq->f, l, addr) ? -EADDRINUSE : 0;
}

static int fk_macvlan_set_mtu(struct fk_req *rq, struct fk_link *l, uint32_t mtu)
{
	(void)rq;
	return l->lower->mtu < mtu ? -EINVAL : 0;
}

static void fk_macvlan_lower(struct nctl_fake *f, struct fk_link *l, struct fk_link *lower, enum fk_event ev)
{
	if (ev == FK_UP || ev == FK_DOWN || ev == FK_CHANGE)
		fk_carrier_follow(f, l, lower);
	if (ev == FK_CHANGEMTU)
		fk_stacked_mtu(f, l);
}

static size_t fk_macvlan_data(const struct fk_link *l, uint8_t *buf)
{
	struct fk_buf b = {.p = buf, .cap = 256};
	fk_put_u32(&b, IFLA_MACVLAN_MODE, l->id);
	fk_put_u16(&b, IFLA_MACVLAN_FLAGS, 0);
	return b.len;
}

static int fk_macvlan_change(struct fk_req *rq, struct fk_link *l, const struct nlattr *data)
{
	(void)rq;
	return fk_macvlan_mode(data, &l->id) ? 0 : -EINVAL;
}

const struct fk_kind fk_kind_macvlan = {
	.name = "macvlan",
	.validate = fk_macvlan_validate,
	.create = fk_macvlan_create,
	.change = fk_macvlan_change,
	.open = fk_macvlan_open,
	.set_mtu = fk_macvlan_set_mtu,
	.set_addr = fk_macvlan_set_addr,
	.lower_event = fk_macvlan_lower,
	.doom = fk_stacked_doom,
	.put_data = fk_macvlan_data,
};

static int fk_vlan_validate(struct fk_req *rq, const struct nlattr **tb, const struct nlattr *data)
{
	const struct nlattr *info[IFLA_VLAN_MAX + 1];
	(void)tb;
	if (!data || fk_parse_nest(info, IFLA_VLAN_MAX, data) < 0)
		return fk_refuse(rq, -EINVAL, "VLAN properties not specified");
	if (info[IFLA_VLAN_PROTOCOL]) {
		uint16_t proto = fk_u16(info[IFLA_VLAN_PROTOCOL]);
		if (proto != htons(FK_ETH_P_8021Q) && proto != htons(FK_ETH_P_8021AD))
			return fk_refuse(rq, -EPROTONOSUPPORT, "Invalid VLAN protocol");
	}
	if (info[IFLA_VLAN_ID] && fk_u16(info[IFLA_VLAN_ID]) >= 4096)
		return fk_refuse(rq, -ERANGE, "Invalid VLAN id");
	return 0;
}

static int fk_vlan_check(
	struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, const struct nlattr *data)
{
	const struct nlattr *info[IFLA_VLAN_MAX + 1];
	struct nctl_list *pos;
	if (fk_parse_nest(info, IFLA_VLAN_MAX, data) < 0)
		return -EINVAL;
	if (!info[IFLA_VLAN_ID])
		return fk_refuse(rq, -EINVAL, "VLAN id not specified");
	l->id = fk_u16(info[IFLA_VLAN_ID]);
	l->vlan_proto = info[IFLA_VLAN_PROTOCOL] ? fk_u16(info[IFLA_VLAN_PROTOCOL]) : htons(FK_ETH_P_8021Q);
	int r = fk_lower(rq, tb, &l->lower);
	if (r < 0)
		return r;
	if (!l->lower->kind || l->lower->kind == &fk_kind_vrf)
		r = fk_refuse(rq, -EOPNOTSUPP, "VLANs not supported on device");
	nctl_list_for_each(pos, &l->lower->uppers) {
		const struct fk_link *o = nctl_list_entry(pos, struct fk_link, upper_node);
		if (o->kind == l->kind && o->id == l->id && o->vlan_proto == l->vlan_proto)
			return fk_refuse(rq, -EEXIST, "VLAN device already exists");
	}
	return r;
}

static int fk_vlan_create(
	struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, const struct nlattr *data)
{
	const unsigned own = IFF_UP | IFF_PROMISC | IFF_ALLMULTI | IFF_MASTER | IFF_SLAVE;
	int r = fk_vlan_check(rq, l, tb, data);
	if (r < 0)
		return r;
	if (!tb[IFLA_MTU])
		l->mtu = l->lower->mtu;
	else if (l->mtu > l->lower->mtu)
		return -EINVAL;
	l->flags = l->lower->flags & ~own;
	l->carrier = l->lower->carrier;
	if (!l->addr_set)
		memcpy(l->addr, l->lower->addr, sizeof l->addr);
	r = fk_link_register(rq, l);
	if (r == 0)
		fk_stacked_join(rq->f, l);
	return r;
}

static void fk_vlan_setup(struct nctl_fake *f, struct fk_link *l)
{
	(void)f;
	l->min_mtu = 0;
}

static int fk_vlan_open(struct nctl_fake *f, struct fk_link *l)
{
	if (!(l->lower->flags & IFF_UP))
		return -ENETDOWN;
	if (!l->addr_set && memcmp(l->addr, l->lower->addr, sizeof l->addr) != 0) {
		memcpy(l->addr, l->lower->addr, sizeof l->addr);
		fk_notify(f, l, FK_CHANGEADDR);
	}
	if (l->lower->carrier)
		fk_carrier(f, l, true);
	return 0;
}

static void fk_vlan_stop(struct nctl_fake *f, struct fk_link *l)
{
	fk_carrier(f, l, false);
}

static int fk_vlan_set_mtu(struct fk_req *rq, struct fk_link *l, uint32_t mtu)
{
	(void)rq;
	return l->lower->mtu < mtu ? -ERANGE : 0;
}

static void fk_vlan_lower(struct nctl_fake *f, struct fk_link *l, struct fk_link *lower, enum fk_event ev)
{
	switch (ev) {
	case FK_CHANGE:
		fk_carrier_follow(f, l, lower);
		break;
	case FK_DOWN:
		if (l->flags & IFF_UP) {
			fk_close(f, l);
			fk_carrier_follow(f, l, lower);
		}
		break;
	case FK_UP:
		if (!(l->flags & IFF_UP))
			fk_open(f, l);
		fk_carrier_follow(f, l, lower);
		break;
	case FK_CHANGEMTU:
		fk_stacked_mtu(f, l);
		break;
	case FK_CHANGEADDR:
		if (!(l->flags & IFF_UP) || l->addr_set || memcmp(l->addr, lower->addr, sizeof l->addr) == 0)
			break;
		memcpy(l->addr, lower->addr, sizeof l->addr);
		fk_notify(f, l, FK_CHANGEADDR);
		break;
	case FK_REGISTER:
	case FK_UNREGISTER:
	case FK_CHANGENAME:
	case FK_CHANGEUPPER:
	case FK_CHANGEINFO:
		break;
	}
}

static size_t fk_vlan_data(const struct fk_link *l, uint8_t *buf)
{
	struct fk_buf b = {.p = buf, .cap = 256};
	struct ifla_vlan_flags flags = {.flags = l->vlan_flags};
	fk_put_u16(&b, IFLA_VLAN_PROTOCOL, l->vlan_proto);
	fk_put_u16(&b, IFLA_VLAN_ID, (uint16_t)l->id);
	flags.mask = ~0u;
	fk_put(&b, IFLA_VLAN_FLAGS, &flags, sizeof flags);
	return b.len;
}

/* Flags and priority maps alone can be changed; an id is accepted and ignored. */
static int fk_vlan_change(struct fk_req *rq, struct fk_link *l, const struct nlattr *data)
{
	(void)rq;
	(void)l;
	(void)data;
	return 0;
}

const struct fk_kind fk_kind_vlan = {
	.name = "vlan",
	.validate = fk_vlan_validate,
	.setup = fk_vlan_setup,
	.create = fk_vlan_create,
	.change = fk_vlan_change,
	.open = fk_vlan_open,
	.stop = fk_vlan_stop,
	.set_mtu = fk_vlan_set_mtu,
	.lower_event = fk_vlan_lower,
	.doom = fk_stacked_doom,
	.put_data = fk_vlan_data,
};
