/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: bonds (drivers/net/bonding): a slave joins while down, gets the bond's MTU and MAC, is opened, and
 * gives MAC and MTU back when it leaves. The bond takes the MAC of its first slave unless a user set one, and
 * has a carrier while a slave's link is up.
 */

#include <errno.h>
#include <string.h>

#include "fake/core.h"
#include "fake/wire.h"

enum { FK_ACTIVE_BACKUP = 1, FK_TLB = 5 }; /* BOND_MODE_* of linux/if_bonding.h */

static void fk_bond_setup(struct nctl_fake *f, struct fk_link *l)
{
	(void)f;
	l->flags |= IFF_MASTER;
	l->max_mtu = 65535;
}

static int fk_bond_create(
	struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, const struct nlattr *data)
{
	const struct nlattr *info[IFLA_BOND_MAX + 1] = {0};
	(void)tb;
	if (data && fk_parse_nest(info, IFLA_BOND_MAX, data) < 0)
		return -EINVAL;
	l->id = info[IFLA_BOND_MODE] ? fk_u8(info[IFLA_BOND_MODE]) : 0;
	if (l->id > 6)
		return -EINVAL;
	l->miimon = info[IFLA_BOND_MIIMON] ? fk_u32(info[IFLA_BOND_MIIMON]) : 0;
	int r = fk_link_register(rq, l);
	if (r == 0)
		fk_carrier(rq->f, l, false);
	return r;
}

static void fk_bond_carrier(struct nctl_fake *f, struct fk_link *bond)
{
	fk_carrier(f, bond, fk_first_port(f, bond, true) != NULL);
}

/* bond_select_active_slave(): the bond tells when another slave has become the active one. */
static void fk_bond_failover(struct nctl_fake *f, struct fk_link *bond)
{
	if (bond->id != FK_ACTIVE_BACKUP || (bond->active && bond->active->port_live))
		return;
	bond->active = fk_first_port(f, bond, true);
	if (bond->active)
		fk_notify(f, bond, FK_CHANGEINFO);
}

static int fk_bond_check(struct fk_req *rq, struct fk_link *bond, struct fk_link *slave)
{
	if (slave->flags & IFF_MASTER && slave->kind != &fk_kind_bond)
		return fk_refuse(rq, -EPERM, "Cannot enslave this device");
	if (slave->flags & IFF_LOOPBACK)
		return -EINVAL;
	if (fk_rx_busy(rq->f, slave))
		return fk_refuse(rq, -EBUSY, "Device is in use and cannot be enslaved");
	if (bond == slave)
		return fk_refuse(rq, -EPERM, "Cannot enslave bond to itself.");
	if (slave->flags & IFF_UP)
		return fk_refuse(rq, -EPERM, "Device can not be enslaved while up");
	return 0;
}

/* What bond_enslave() undoes after a failure. */
static void fk_bond_refused(struct fk_req *rq, struct fk_link *bond, struct fk_link *slave)
{
	fk_close(rq->f, slave);
	slave->flags &= ~(unsigned)IFF_SLAVE;
	fk_set_addr(rq, slave, slave->saved_addr);
	fk_set_mtu(rq, slave, slave->saved_mtu);
	if (!fk_first_port(rq->f, bond, false) && memcmp(bond->addr, slave->addr, sizeof bond->addr) == 0) {
		fk_random_addr(rq->f, bond->addr);
		bond->addr_set = false;
	}
}

static int fk_bond_enslave(struct fk_req *rq, struct fk_link *bond, struct fk_link *slave)
{
	struct nctl_fake *f = rq->f;
	int r = fk_bond_check(rq, bond, slave);
	if (r < 0)
		return r;
	if (!fk_first_port(f, bond, false) && !bond->addr_set) {
		memcpy(bond->addr, slave->addr, sizeof bond->addr);
		fk_notify(f, bond, FK_CHANGEADDR);
	}
	slave->saved_mtu = slave->mtu;
	memcpy(slave->saved_addr, slave->addr, sizeof slave->addr);
	r = fk_set_mtu(rq, slave, bond->mtu);
	if (r == 0)
		r = fk_set_addr(rq, slave, bond->addr);
	if (r == 0) {
		slave->flags |= IFF_SLAVE;
		r = fk_open(f, slave);
	}
	if (r == 0 && fk_is_below(f, bond, slave))
		r = -EBUSY; /* noticed only now */
	if (r < 0) {
		fk_bond_refused(rq, bond, slave);
		return r;
	}
	fk_join(f, slave, bond);
	slave->port_live = slave->carrier || !bond->miimon;
	fk_notify(f, slave, FK_CHANGEUPPER);
	fk_bond_carrier(f, bond);
	fk_bond_failover(f, bond);
	return 0;
}

static bool fk_has_primary(const struct fk_link *bond)
{
	return bond->id == FK_ACTIVE_BACKUP || bond->id >= FK_TLB;
}

/* Bridges want all of their ports promiscuous, and these what they stand on. */
static bool fk_is_promiscuous(const struct fk_link *l)
{
	struct nctl_list *pos;
	if (l->master && l->master->kind == &fk_kind_bridge)
		return true;
	if (l->master && l->master->kind == &fk_kind_bond && fk_is_promiscuous(l->master) &&
		(!fk_has_primary(l->master) || l->master->active == l))
		return true;
	nctl_list_for_each(pos, &l->uppers) {
		const struct fk_link *u = nctl_list_entry(pos, struct fk_link, upper_node);
		if (u->kind == &fk_kind_vlan && u->flags & IFF_UP && fk_is_promiscuous(u))
			return true;
	}
	return false;
}

/* __bond_release_one(); quiet: one of the two is being unregistered, then the MTU is restored without a word.
 */
static void fk_bond_let_go(struct nctl_fake *f, struct fk_link *bond, struct fk_link *slave, bool quiet)
{
	struct fk_req rq = {.f = f};
	bool was_promiscuous = fk_is_promiscuous(bond) && (!fk_has_primary(bond) || bond->active == slave);
	if (bond->active == slave)
		fk_link_event(f, slave); /* it becomes inactive */
	slave->master = NULL;
	slave->port_live = false;
	if (bond->active == slave)
		bond->active = NULL;
	fk_notify(f, slave, FK_CHANGEUPPER);
	slave->flags &= ~(unsigned)IFF_SLAVE;
	if (!fk_first_port(f, bond, false))
		fk_bond_carrier(f, bond);
	if (was_promiscuous)
		fk_link_event(f, slave);
	fk_close(f, slave);
	fk_set_addr(&rq, slave, slave->saved_addr);
	if (!quiet)
		fk_set_mtu(&rq, slave, slave->saved_mtu);
	else if (!slave->kind->set_mtu || slave->kind->set_mtu(&rq, slave, slave->saved_mtu) == 0)
		slave->mtu = slave->saved_mtu;
	fk_bond_carrier(f, bond);
	if (!fk_first_port(f, bond, false)) {
		fk_random_addr(f, bond->addr);
		bond->addr_set = false;
		fk_notify(f, bond, FK_CHANGEADDR);
	}
	fk_bond_failover(f, bond);
}

static void fk_bond_release(struct nctl_fake *f, struct fk_link *bond, struct fk_link *slave)
{
	fk_bond_let_go(f, bond, slave, false);
}

static void fk_bond_port(struct nctl_fake *f, struct fk_link *bond, struct fk_link *slave, enum fk_event ev)
{
	switch (ev) {
	case FK_UNREGISTER:
		fk_bond_let_go(f, bond, slave, true);
		break;
	case FK_UP:
	case FK_CHANGE:
	case FK_DOWN:
		if (bond->miimon) /* else nobody looks */
			slave->port_live = slave->flags & IFF_UP && slave->carrier;
		fk_bond_carrier(f, bond);
		break;
	case FK_REGISTER:
	case FK_CHANGEMTU:
	case FK_CHANGEADDR:
	case FK_CHANGENAME:
	case FK_CHANGEUPPER:
	case FK_CHANGEINFO:
		break;
	}
}

static int fk_bond_set_mtu(struct fk_req *rq, struct fk_link *bond, uint32_t mtu)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, fk_links(bond->ns)) {
		struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		int r = p->master == bond ? fk_set_mtu(rq, p, mtu) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

static int fk_bond_set_addr(struct fk_req *rq, struct fk_link *bond, const uint8_t *addr)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, fk_links(bond->ns)) {
		struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		int r = p->master == bond ? fk_set_addr(rq, p, addr) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* bond_uninit() */
static void fk_bond_uninit(struct nctl_fake *f, struct fk_link *bond)
{
	struct fk_link *slave;
	while ((slave = fk_first_port(f, bond, false)))
		fk_bond_let_go(f, bond, slave, true);
}

static int fk_bond_change(struct fk_req *rq, struct fk_link *bond, const struct nlattr *data)
{
	const struct nlattr *info[IFLA_BOND_MAX + 1];
	if (fk_parse_nest(info, IFLA_BOND_MAX, data) < 0)
		return -EINVAL;
	if (info[IFLA_BOND_MODE]) {
		if (fk_u8(info[IFLA_BOND_MODE]) > 6)
			return -EINVAL;
		if (fk_first_port(rq->f, bond, false))
			return -ENOTEMPTY;
		if (bond->flags & IFF_UP)
			return -EBUSY;
		bond->id = fk_u8(info[IFLA_BOND_MODE]);
		fk_notify(rq->f, bond, FK_CHANGEINFO);
	}
	if (info[IFLA_BOND_MIIMON])
		bond->miimon = fk_u32(info[IFLA_BOND_MIIMON]);
	return 0;
}

static size_t fk_bond_data(const struct fk_link *l, uint8_t *buf)
{
	struct fk_buf b = {.p = buf, .cap = 256};
	fk_put_u8(&b, IFLA_BOND_MODE, (uint8_t)l->id);
	fk_put_u32(&b, IFLA_BOND_MIIMON, l->miimon);
	return b.len;
}

const struct fk_kind fk_kind_bond = {
	.name = "bond",
	.local = true,
	.setup = fk_bond_setup,
	.create = fk_bond_create,
	.change = fk_bond_change,
	.set_mtu = fk_bond_set_mtu,
	.set_addr = fk_bond_set_addr,
	.enslave = fk_bond_enslave,
	.release = fk_bond_release,
	.port_event = fk_bond_port,
	.uninit = fk_bond_uninit,
	.put_data = fk_bond_data,
};
