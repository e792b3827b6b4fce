/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: IPv4 addresses as net/ipv4/devinet.c keeps them: primaries before secondaries, a primary takes its
 * secondaries along (promote_secondaries off), lo gets 127.0.0.1 when it comes up, labels follow the link's
 * name.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/core.h"
#include "fake/fib.h"
#include "fake/wire.h"

void fk_addr_event(struct nctl_fake *f, struct fk_addr *a, uint16_t type)
{
	uint8_t bytes[512];
	struct fk_buf b = FK_BUF(bytes);
	fk_put_addr(&b, a, type, 0, 0);
	(void)f;
	fk_broadcast(
		a->link->ns, a->family == AF_INET ? RTNLGRP_IPV4_IFADDR : RTNLGRP_IPV6_IFADDR, bytes, b.len);
}

static bool fk_same_net(const struct fk_addr *a, const uint8_t *addr, unsigned len)
{
	uint32_t x, y, mask = len ? htonl(~UINT32_C(0) << (32 - len)) : 0;
	memcpy(&x, a->peer, sizeof x);
	memcpy(&y, addr, sizeof y);
	return ((x ^ y) & mask) == 0;
}

static struct fk_addr *fk_addr4(struct nctl_list *pos)
{
	return nctl_list_entry(pos, struct fk_addr, node);
}

static void fk_addr4_remove(struct nctl_fake *f, struct fk_addr *a)
{
	nctl_list_del(&a->node);
	fk_addr_event(f, a, RTM_DELADDR);
	fk_fib4_addr(a, false);
	free(a);
}

/* __inet_del_ifa() */
static void fk_addr4_delete(struct nctl_fake *f, struct fk_addr *a)
{
	struct nctl_list *head = &a->link->addrs4, *pos, *tmp;
	if (!(a->flags & IFA_F_SECONDARY)) {
		nctl_list_for_each_safe(pos, tmp, head) {
			struct fk_addr *s = fk_addr4(pos);
			if (s->flags & IFA_F_SECONDARY && s->len == a->len && fk_same_net(a, s->peer, a->len))
				fk_addr4_remove(f, s);
		}
	}
	fk_addr4_remove(f, a);
}

/* __inet_insert_ifa(); a is freed upon an error. */
static int fk_addr4_insert(struct fk_req *rq, struct fk_addr *a)
{
	struct nctl_list *head = &a->link->addrs4, *pos, *after = head;
	a->flags &= ~(uint32_t)IFA_F_SECONDARY;
	nctl_list_for_each(pos, head) {
		struct fk_addr *o = fk_addr4(pos);
		if (!(o->flags & IFA_F_SECONDARY) && a->scope <= o->scope)
			after = pos;
		if (o->len != a->len || !fk_same_net(o, a->peer, a->len))
			continue;
		int r = memcmp(o->local, a->local, 4) == 0 ? -EEXIST : o->scope != a->scope ? -EINVAL : 0;
		if (r < 0) {
			free(a);
			return fk_refuse(rq, r,
				r == -EEXIST ? "ipv4: Address already assigned"
					     : "ipv4: Invalid scope value");
		}
		a->flags |= IFA_F_SECONDARY;
	}
	if (a->flags & IFA_F_SECONDARY)
		nctl_list_add_tail(head, &a->node);
	else
		nctl_list_add_head(after, &a->node);
	fk_addr_event(rq->f, a, RTM_NEWADDR);
	fk_fib4_addr(a, true);
	return 0;
}

static void fk_lo_address(struct nctl_fake *f, struct fk_link *l)
{
	static const uint8_t lo[4] = {127, 0, 0, 1};
	struct fk_req rq = {.f = f};
	struct fk_addr *a = calloc(1, sizeof *a);
	if (!a)
		abort();
	a->link = l;
	a->family = AF_INET;
	a->len = 8;
	a->scope = RT_SCOPE_HOST;
	a->flags = IFA_F_PERMANENT;
	a->valid = a->preferred = UINT32_MAX;
	memcpy(a->local, lo, sizeof lo);
	memcpy(a->peer, lo, sizeof lo);
	strcpy(a->label, l->name);
	fk_addr4_insert(&rq, a);
}

/* inetdev_changename() */
static void fk_addr4_relabel(struct nctl_fake *f, struct fk_link *l)
{
	struct nctl_list *pos;
	int named = 0;
	nctl_list_for_each(pos, &l->addrs4) {
		struct fk_addr *a = fk_addr4(pos);
		char number[16], old[IFNAMSIZ];
		strcpy(old, a->label);
		strcpy(a->label, l->name);
		if (named++) {
			const char *dot = strchr(old, ':');
			if (!dot) {
				snprintf(number, sizeof number, ":%d", named);
				dot = number;
			}
			size_t room = IFNAMSIZ - strlen(dot) - 1;
			strcpy(a->label + nctl_min(strlen(l->name), room), dot);
		}
		fk_addr_event(f, a, RTM_NEWADDR);
	}
}

void fk_inet4_event(struct nctl_fake *f, struct fk_link *l, enum fk_event ev)
{
	struct nctl_list *pos, *tmp;
	if (ev == FK_REGISTER || (ev == FK_CHANGEMTU && l->mtu >= 68))
		l->has_inet4 = true;
	bool gone = ev == FK_UNREGISTER || (ev == FK_CHANGEMTU && l->mtu < 68);
	if (ev == FK_UP && l->flags & IFF_LOOPBACK && l->has_inet4)
		fk_lo_address(f, l);
	if (ev == FK_CHANGENAME)
		fk_addr4_relabel(f, l);
	if (!gone)
		return;
	l->has_inet4 = false;
	nctl_list_for_each_safe(pos, tmp, &l->addrs4)
		fk_addr4_remove(f, fk_addr4(pos));
}

static int fk_addr4_lifetimes(struct fk_req *rq, const struct nlattr *ci, struct fk_addr *a)
{
	struct ifa_cacheinfo info;
	a->valid = a->preferred = UINT32_MAX;
	if (ci) {
		if (fk_len(ci) < sizeof info)
			return fk_refuse(rq, -ERANGE, "Attribute failed policy validation");
		memcpy(&info, fk_data(ci), sizeof info);
		if (!info.ifa_valid)
			return fk_refuse(rq, -EINVAL, "ipv4: valid_lft is zero");
		if (info.ifa_prefered > info.ifa_valid)
			return fk_refuse(rq, -EINVAL, "ipv4: preferred_lft is greater than valid_lft");
		a->valid = info.ifa_valid;
		a->preferred = info.ifa_prefered;
	}
	a->flags &= ~(uint32_t)(IFA_F_PERMANENT | IFA_F_DEPRECATED);
	a->flags |= a->valid == UINT32_MAX ? IFA_F_PERMANENT : 0;
	a->flags |= a->preferred == 0 ? IFA_F_DEPRECATED : 0;
	return 0;
}

static int fk_addr4_fill(struct fk_req *rq, const struct nlattr **tb, struct fk_link *l, struct fk_addr *a)
{
	const struct ifaddrmsg *ifa = NLMSG_DATA(rq->nlh);
	const struct nlattr *peer = tb[IFA_ADDRESS] ? tb[IFA_ADDRESS] : tb[IFA_LOCAL];
	a->link = l;
	a->family = AF_INET;
	a->len = ifa->ifa_prefixlen;
	a->scope = ifa->ifa_scope;
	a->flags = tb[IFA_FLAGS] ? fk_u32(tb[IFA_FLAGS]) : ifa->ifa_flags;
	a->flags &= ~(uint32_t)IFA_F_NODAD;
	memcpy(a->local, fk_data(tb[IFA_LOCAL]), 4);
	memcpy(a->peer, fk_data(peer), 4);
	if (tb[IFA_BROADCAST]) {
		a->has_brd = true;
		memcpy(a->brd, fk_data(tb[IFA_BROADCAST]), 4);
	}
	if (!tb[IFA_LABEL])
		strcpy(a->label, l->name);
	else if (!fk_str(tb[IFA_LABEL], a->label, sizeof a->label))
		return fk_refuse(rq, -ERANGE, "Attribute failed policy validation");
	a->metric = tb[IFA_RT_PRIORITY] ? fk_u32(tb[IFA_RT_PRIORITY]) : 0;
	a->proto = tb[IFA_PROTO] ? fk_u8(tb[IFA_PROTO]) : 0;
	return fk_addr4_lifetimes(rq, tb[IFA_CACHEINFO], a);
}

static struct fk_addr *fk_addr4_find(struct fk_link *l, const struct fk_addr *a)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &l->addrs4) {
		struct fk_addr *o = fk_addr4(pos);
		if (o->len == a->len && fk_same_net(o, a->peer, a->len) && memcmp(o->local, a->local, 4) == 0)
			return o;
	}
	return NULL;
}

static int fk_addr4_new(struct fk_req *rq, const struct nlattr **tb)
{
	const struct ifaddrmsg *ifa = NLMSG_DATA(rq->nlh);
	if (ifa->ifa_prefixlen > 32)
		return fk_refuse(rq, -EINVAL, "ipv4: Invalid prefix length");
	if (!tb[IFA_LOCAL])
		return fk_refuse(rq, -EINVAL, "ipv4: Local address is not supplied");
	struct fk_link *l = fk_link_by_index(rq->ns, (int)ifa->ifa_index);
	struct fk_addr times = {0};
	int r = rq->f->version < 6013 ? 0 : fk_addr4_lifetimes(rq, tb[IFA_CACHEINFO], &times);
	if (r < 0)
		return r;
	if (!l)
		return fk_refuse(rq, -ENODEV, "ipv4: Device not found");
	if (!l->has_inet4)
		return -ENOBUFS;
	struct fk_addr *a = calloc(1, sizeof *a);
	if (!a)
		return -ENOMEM;
	r = fk_addr4_fill(rq, tb, l, a);
	if (r < 0) {
		free(a);
		return r;
	}
	struct fk_addr *old = fk_addr4_find(l, a);
	if (!old)
		return fk_addr4_insert(rq, a);
	bool replace = rq->nlh->nlmsg_flags & NLM_F_REPLACE && !(rq->nlh->nlmsg_flags & NLM_F_EXCL);
	if (replace) {
		old->valid = a->valid;
		old->preferred = a->preferred;
		if (old->metric != a->metric)
			fk_fib4_metric(old, a->metric);
		old->metric = a->metric;
		if (rq->f->version >= 6008) /* older ones keep it */
			old->proto = a->proto;
		old->flags = (old->flags & ~(uint32_t)(IFA_F_PERMANENT | IFA_F_DEPRECATED)) |
		             (a->flags & (IFA_F_PERMANENT | IFA_F_DEPRECATED));
		fk_addr_event(rq->f, old, RTM_NEWADDR);
	}
	free(a);
	return replace ? 0 : fk_refuse(rq, -EEXIST, "ipv4: Address already assigned");
}

static int fk_addr4_del(struct fk_req *rq, const struct nlattr **tb)
{
	const struct ifaddrmsg *ifa = NLMSG_DATA(rq->nlh);
	struct fk_link *l = fk_link_by_index(rq->ns, (int)ifa->ifa_index);
	struct nctl_list *pos;
	char label[IFNAMSIZ] = "";
	if (!l || !l->has_inet4)
		return fk_refuse(rq, -ENODEV, "ipv4: Device not found");
	if (tb[IFA_LABEL])
		fk_str(tb[IFA_LABEL], label, sizeof label);
	nctl_list_for_each(pos, &l->addrs4) {
		struct fk_addr *a = fk_addr4(pos);
		if (tb[IFA_LOCAL] && memcmp(a->local, fk_data(tb[IFA_LOCAL]), 4) != 0)
			continue;
		if (*label && strcmp(label, a->label) != 0)
			continue;
		if (tb[IFA_ADDRESS] &&
			(a->len != ifa->ifa_prefixlen || !fk_same_net(a, fk_data(tb[IFA_ADDRESS]), a->len)))
			continue;
		fk_addr4_delete(rq->f, a);
		return 0;
	}
	return fk_refuse(rq, -EADDRNOTAVAIL, "ipv4: Address not found");
}

int fk_addr4_request(struct fk_req *rq)
{
	const struct nlattr *tb[IFA_MAX + 1];
	int r = fk_parse_msg(tb, IFA_MAX, rq->nlh, sizeof(struct ifaddrmsg));
	if (r < 0)
		return r;
	for (unsigned i = IFA_ADDRESS; i <= IFA_BROADCAST; i++) {
		if (i != IFA_LABEL && tb[i] && fk_len(tb[i]) < 4) {
			rq->bad = tb[i];
			return fk_refuse(rq, -ERANGE, "Attribute failed policy validation");
		}
	}
	return rq->nlh->nlmsg_type == RTM_NEWADDR ? fk_addr4_new(rq, tb) : fk_addr4_del(rq, tb);
}
