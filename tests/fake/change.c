/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: changes of one property of a link, with the checks, notifications and events of net/core/dev.c and of
 * do_setlink() in net/core/rtnetlink.c.
 */

#include <errno.h>
#include <string.h>

#include "fake/core.h"
#include "fake/wire.h"

/* __dev_change_flags(): opens or closes, tells nobody. */
int fk_set_flags(struct nctl_fake *f, struct fk_link *l, unsigned flags)
{
	const unsigned settable = IFF_DEBUG | IFF_NOTRAILERS | IFF_NOARP | IFF_DYNAMIC | IFF_MULTICAST |
	                          IFF_PORTSEL | IFF_AUTOMEDIA;
	unsigned old = l->flags;
	l->flags = (flags & settable) | (old & ~settable);
	if (!((old ^ flags) & IFF_UP))
		return 0;
	if (old & IFF_UP) {
		l->running = false;
		if (l->kind && l->kind->stop)
			l->kind->stop(f, l);
		l->flags &= ~(unsigned)IFF_UP;
		return 0;
	}
	l->running = true;
	int r = l->kind && l->kind->open ? l->kind->open(f, l) : 0;
	l->running = r == 0;
	if (r == 0)
		l->flags |= IFF_UP;
	return r;
}

static void fk_flags_changed(struct nctl_fake *f, struct fk_link *l, unsigned changed)
{
	if (changed)
		fk_link_event(f, l);
	if (changed & IFF_UP)
		fk_notify(f, l, l->flags & IFF_UP ? FK_UP : FK_DOWN);
	if (l->flags & IFF_UP && changed & ~(unsigned)IFF_UP)
		fk_notify(f, l, FK_CHANGE);
}

int fk_change_flags(struct fk_req *rq, struct fk_link *l, unsigned flags)
{
	unsigned old = l->flags;
	int r = fk_set_flags(rq->f, l, flags);
	if (r < 0)
		return r;
	fk_flags_changed(rq->f, l, old ^ l->flags);
	return 0;
}

int fk_open(struct nctl_fake *f, struct fk_link *l)
{
	struct fk_req rq = {.f = f};
	return l->flags & IFF_UP ? 0 : fk_change_flags(&rq, l, l->flags | IFF_UP);
}

void fk_close(struct nctl_fake *f, struct fk_link *l)
{
	struct fk_req rq = {.f = f};
	if (l->flags & IFF_UP)
		fk_change_flags(&rq, l, l->flags & ~(unsigned)IFF_UP);
}

int fk_set_mtu(struct fk_req *rq, struct fk_link *l, uint32_t mtu)
{
	if (mtu == l->mtu)
		return 0;
	if ((int32_t)mtu < 0 || mtu < l->min_mtu)
		return fk_refuse(rq, -EINVAL, "mtu less than device minimum");
	if (l->max_mtu && mtu > l->max_mtu)
		return fk_refuse(rq, -EINVAL, "mtu greater than device maximum");
	int r = l->kind && l->kind->set_mtu ? l->kind->set_mtu(rq, l, mtu) : 0;
	if (r < 0)
		return r;
	l->mtu = mtu;
	fk_notify(rq->f, l, FK_CHANGEMTU);
	return 0;
}

int fk_set_addr(struct fk_req *rq, struct fk_link *l, const uint8_t *addr)
{
	static const uint8_t zero[FK_ETH_ALEN];
	/* since 6.8 the same address once more is fine, whatever it is */
	if (rq->f->version < 6008 || memcmp(l->addr, addr, sizeof l->addr) != 0) {
		if (addr[0] & 1 || memcmp(addr, zero, sizeof zero) == 0)
			return -EADDRNOTAVAIL;
		int r = l->kind && l->kind->set_addr ? l->kind->set_addr(rq, l, addr) : 0;
		if (r < 0)
			return r;
		memcpy(l->addr, addr, sizeof l->addr);
	}
	l->addr_set = true;
	fk_notify(rq->f, l, FK_CHANGEADDR);
	return 0;
}

int fk_rename(struct fk_req *rq, struct fk_link *l, const char *name)
{
	if (l->flags & IFF_UP && rq->f->version < 6002)
		return -EBUSY;
	if (strcmp(name, l->name) == 0)
		return 0;
	if (!fk_name_valid(name) || strchr(name, '%'))
		return -EINVAL;
	if (fk_link_by_name(l->ns, name))
		return -EEXIST;
	strcpy(l->name, name);
	fk_notify(rq->f, l, FK_CHANGENAME);
	return 0;
}

int fk_set_master(struct fk_req *rq, struct fk_link *l, int ifindex)
{
	struct fk_link *m = l->master;
	if (m) {
		if (m->ifindex == ifindex)
			return 0;
		m->kind->release(rq->f, m, l);
	}
	if (!ifindex)
		return 0;
	m = fk_link_by_index(l->ns, ifindex);
	if (!m)
		return -EINVAL;
	if (!m->kind || !m->kind->enslave)
		return -EOPNOTSUPP;
	return m->kind->enslave(rq, m, l);
}
