/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: VRFs (drivers/net/vrf.c): a port that joins or leaves loses its IPv6 addresses and, if it was up, is
 * taken down and up again.
 */

#include <errno.h>

#include "fake/core.h"
#include "fake/fib.h"
#include "fake/wire.h"

enum { FK_IP6_MAX_MTU = 65535 + 40 };

static void fk_vrf_setup(struct nctl_fake *f, struct fk_link *l)
{
	(void)f;
	l->flags = IFF_MASTER | IFF_NOARP;
	l->mtu = FK_IP6_MAX_MTU;
	l->min_mtu = 1280;
	l->max_mtu = FK_IP6_MAX_MTU;
	l->operstate = IF_OPER_UP;
}

static int fk_vrf_create(
	struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, const struct nlattr *data)
{
	const struct nlattr *info[IFLA_VRF_MAX + 1] = {0};
	(void)tb;
	if (data && fk_parse_nest(info, IFLA_VRF_MAX, data) < 0)
		return -EINVAL;
	if (!info[IFLA_VRF_TABLE])
		return fk_refuse(rq, -EINVAL, "VRF table id is missing");
	l->id = fk_u32(info[IFLA_VRF_TABLE]);
	if (!l->id)
		return fk_refuse(rq, -EINVAL, "Invalid VRF table id");
	int r = fk_link_register(rq, l);
	if (r < 0)
		return r;
	fk_table_make(l->ns, AF_INET, l->id);
	fk_table_make(l->ns, AF_INET6, l->id);
	fk_rules_vrf(l->ns);
	return 0;
}

static void fk_cycle(struct nctl_fake *f, struct fk_link *port)
{
	if (!(port->flags & IFF_UP))
		return;
	fk_close(f, port);
	fk_open(f, port);
}

static void fk_vrf_moved(struct nctl_fake *f, struct fk_link *port)
{
	fk_notify(f, port, FK_CHANGEUPPER);
	fk_fib4_vrf_moved(port);
	fk_inet6_event(f, port, FK_DOWN);
}

static int fk_vrf_enslave(struct fk_req *rq, struct fk_link *vrf, struct fk_link *port)
{
	if (port->flags & IFF_LOOPBACK)
		return fk_refuse(rq, -EOPNOTSUPP, "Can not enslave loopback device to a VRF");
	if (port->kind == &fk_kind_vrf)
		return fk_refuse(rq, -EINVAL, "Can not enslave an L3 master device to a VRF");
	if (fk_is_below(rq->f, vrf, port))
		return -EBUSY;
	fk_join(rq->f, port, vrf);
	fk_vrf_moved(rq->f, port);
	fk_cycle(rq->f, port);
	return 0;
}

static void fk_vrf_release(struct nctl_fake *f, struct fk_link *vrf, struct fk_link *port)
{
	(void)vrf;
	port->master = NULL;
	fk_vrf_moved(f, port);
	fk_cycle(f, port);
}

static void fk_vrf_port(struct nctl_fake *f, struct fk_link *vrf, struct fk_link *port, enum fk_event ev)
{
	if (ev == FK_UNREGISTER)
		fk_vrf_release(f, vrf, port);
}

static void fk_vrf_doom(struct nctl_fake *f, struct fk_link *vrf, struct nctl_list *doomed)
{
	struct fk_link *port;
	(void)doomed;
	while ((port = fk_first_port(f, vrf, false)))
		fk_vrf_release(f, vrf, port);
}

static size_t fk_vrf_data(const struct fk_link *l, uint8_t *buf)
{
	struct fk_buf b = {.p = buf, .cap = 256};
	fk_put_u32(&b, IFLA_VRF_TABLE, l->id);
	return b.len;
}

const struct fk_kind fk_kind_vrf = {
	.name = "vrf",
	.local = true,
	.setup = fk_vrf_setup,
	.create = fk_vrf_create,
	.enslave = fk_vrf_enslave,
	.release = fk_vrf_release,
	.port_event = fk_vrf_port,
	.doom = fk_vrf_doom,
	.put_data = fk_vrf_data,
};
