/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: RTM_GET*: single links, and dumps of links and addresses. A dump is made datagram by datagram, the
 * first one at the request and the next whenever the reader takes one, each from the state of that moment, as
 * netlink_dump() does: what a reader sees of a changing system is just as torn. A dump of family AF_BRIDGE has
 * ports only, and no VLANs, which are not modelled.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake/core.h"
#include "fake/wire.h"

static int fk_dump_filters(struct fk_req *rq, struct fk_dump *d)
{
	const struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];
	if (rq->nlh->nlmsg_type == RTM_GETADDR) {
		const struct ifaddrmsg *ifa = NLMSG_DATA(rq->nlh);
		if (rq->nlh->nlmsg_len < NLMSG_LENGTH(sizeof *ifa))
			return fk_refuse(rq, -EINVAL, "Invalid header for address dump request");
		if (ifa->ifa_prefixlen || ifa->ifa_flags || ifa->ifa_scope)
			return fk_refuse(rq, -EINVAL, "Invalid values in header for address dump request");
		d->family = ifa->ifa_family;
		d->ifindex = (int)ifa->ifa_index;
		if (d->ifindex && !fk_link_by_index(rq->ns, d->ifindex))
			return -ENODEV;
		return 0;
	}
	const struct ifinfomsg *ifi = NLMSG_DATA(rq->nlh);
	if (rq->nlh->nlmsg_len < NLMSG_LENGTH(sizeof *ifi))
		return fk_refuse(rq, -EINVAL, "Invalid header for link dump");
	if (ifi->ifi_type || ifi->ifi_flags || ifi->ifi_change)
		return fk_refuse(rq, -EINVAL, "Invalid values in header for link dump request");
	d->family = ifi->ifi_family;
	if (ifi->ifi_index)
		return fk_refuse(rq, -EINVAL, "Filter by device index not supported for link dumps");
	int r = fk_parse_msg(tb, IFLA_MAX, rq->nlh, sizeof *ifi);
	if (r < 0)
		return r;
	if (tb[IFLA_TARGET_NETNSID])
		return -EOPNOTSUPP; /* not modelled */
	if (tb[IFLA_MASTER])
		d->master = (int)fk_u32(tb[IFLA_MASTER]);
	if (tb[IFLA_LINKINFO] && fk_parse_nest(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO]) == 0 &&
		info[IFLA_INFO_KIND])
		fk_str(info[IFLA_INFO_KIND], d->kind, sizeof d->kind);
	return 0;
}

int fk_dump_start(struct fk_req *rq, struct fk_transport *t)
{
	struct fk_dump d = {.active = true, .type = rq->nlh->nlmsg_type, .seq = rq->nlh->nlmsg_seq};
	if (t->dump.active)
		return -EBUSY;
	bool link = d.type == RTM_GETLINK || d.type == RTM_GETADDR;
	int r = link ? fk_dump_filters(rq, &d) : fk_fib_dump_filters(rq, &d);
	if (r < 0)
		return r;
	if (rq->f->interrupt_dumps) {
		rq->f->interrupt_dumps--;
		d.interrupted = true;
	}
	t->dump = d;
	fk_dump_next(t);
	return 0;
}

static bool fk_dump_wants(const struct fk_dump *d, const struct fk_link *l)
{
	if (d->type == RTM_GETADDR)
		return !d->ifindex || d->ifindex == l->ifindex;
	if (d->family == AF_BRIDGE && (!l->master || l->master->kind != &fk_kind_bridge))
		return false;
	if (d->master && (!l->master || l->master->ifindex != d->master))
		return false;
	return !*d->kind || (fk_is_virtual(l) && strcmp(d->kind, l->kind->name) == 0);
}

/* Puts one object, or nothing and false if it does not fit. */
static bool fk_dump_fits(struct fk_buf *b, size_t before)
{
	if (b->full) {
		b->len = before;
		b->full = false;
		return false;
	}
	return true;
}

static bool fk_dump_addrs(struct fk_buf *b, struct fk_dump *d, const struct fk_link *l, bool six)
{
	const struct nctl_list *head = six ? &l->addrs6 : &l->addrs4, *pos;
	unsigned i = 0;
	nctl_list_for_each(pos, head) {
		size_t before = b->len;
		if (i++ < d->next_addr)
			continue;
		fk_put_addr(b, nctl_list_entry(pos, struct fk_addr, node), RTM_NEWADDR, NLM_F_MULTI, d->seq);
		if (!fk_dump_fits(b, before))
			return false;
		d->next_addr++;
	}
	d->next_addr = 0;
	return true;
}

/* True when all is in. */
static bool fk_dump_fill(struct fk_netns *ns, struct fk_dump *d, struct fk_buf *b)
{
	struct nctl_list *pos;
	int passes = d->type == RTM_GETADDR ? 2 : 1;
	for (; d->pass < passes; d->pass++, d->next_index = 0) {
		if (passes == 2 && d->family && d->family != (d->pass ? AF_INET6 : AF_INET))
			continue;
		nctl_list_for_each(pos, &ns->by_index) {
			struct fk_link *l = nctl_list_entry(pos, struct fk_link, index_node);
			size_t before = b->len;
			if (l->ifindex < d->next_index || !fk_dump_wants(d, l))
				continue;
			if (l->ifindex != d->next_index)
				d->next_addr = 0;
			d->next_index = l->ifindex;
			if (passes == 2) {
				if (!fk_dump_addrs(b, d, l, d->pass == 1))
					return false;
			} else {
				if (d->family == AF_BRIDGE)
					fk_put_bridge_port(
						b, l, l->master, RTM_NEWLINK, NLM_F_MULTI, d->seq);
				else
					fk_put_link(b, l, RTM_NEWLINK, NLM_F_MULTI, d->seq);
				if (!fk_dump_fits(b, before))
					return false;
			}
			d->next_index = l->ifindex + 1;
		}
	}
	return true;
}

static void fk_mark_interrupted(uint8_t *p, size_t len)
{
	for (size_t off = 0; off < len; off += NLMSG_ALIGN(((struct nlmsghdr *)(void *)(p + off))->nlmsg_len))
		((struct nlmsghdr *)(void *)(p + off))->nlmsg_flags |= NLM_F_DUMP_INTR;
}

void fk_dump_next(struct fk_transport *t)
{
	static const size_t least = 4096; /* any object fits */
	struct nctl_fake *f = t->f;
	struct fk_dump *d = &t->dump;
	int32_t zero = 0;
	if (f->dump_hook)
		f->dump_hook(f->dump_userdata, d->chunk);
	d->chunk++;
	size_t cap = f->dump_chunk ? nctl_max(f->dump_chunk, least) : FK_DUMP_MAX;
	struct fk_buf b = {.p = malloc(cap), .cap = cap};
	if (!b.p)
		abort();
	bool link = d->type == RTM_GETLINK || d->type == RTM_GETADDR;
	bool all = link ? fk_dump_fill(t->ns, d, &b) : fk_fib_dump_fill(t->ns, d, &b);
	if (all && b.cap - b.len >= NLMSG_SPACE(sizeof zero)) {
		size_t start = fk_msg_begin(&b, NLMSG_DONE, NLM_F_MULTI, d->seq, &zero, sizeof zero);
		fk_msg_end(&b, start);
		if (d->interrupted)
			fk_mark_interrupted(b.p, b.len);
		d->active = false;
	}
	fk_transport_push(t, b.p, b.len, -1);
	free(b.p);
}

int fk_get_one(struct fk_req *rq, struct fk_transport *t)
{
	const struct nlattr *tb[IFLA_MAX + 1];
	const struct ifinfomsg *ifi = NLMSG_DATA(rq->nlh);
	uint8_t bytes[4096];
	struct fk_buf b = FK_BUF(bytes);
	struct fk_link *l = NULL;
	char name[128];
	if (rq->nlh->nlmsg_type != RTM_GETLINK)
		return -EOPNOTSUPP;
	int r = fk_parse_msg(tb, IFLA_MAX, rq->nlh, sizeof *ifi);
	if (r < 0)
		return r;
	const struct nlattr *by = tb[IFLA_IFNAME] ? tb[IFLA_IFNAME] : tb[IFLA_ALT_IFNAME];
	if (ifi->ifi_index > 0)
		l = fk_link_by_index(rq->ns, ifi->ifi_index);
	else if (by && fk_str(by, name, sizeof name))
		l = fk_link_by_name(rq->ns, name);
	else
		return -EINVAL;
	if (!l)
		return -ENODEV;
	fk_put_link(&b, l, RTM_NEWLINK, 0, rq->nlh->nlmsg_seq);
	fk_transport_push(t, bytes, b.len, -1);
	return 0;
}
