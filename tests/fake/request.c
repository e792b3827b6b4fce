/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: takes datagrams apart as netlink_rcv_skb() does, hands each message to its handler and answers it: an
 * NLMSG_ERROR with NLM_F_ACK or upon an error, capped, with extended-ack attributes. After each message the
 * delayed work (linkwatch, duplicate address detection) runs, as it would once RTNL is free.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake/core.h"
#include "fake/fib.h"
#include "fake/wire.h"

static bool fk_refusal_fits(
	struct fk_netns *ns, const struct nctl_fake_refusal *r, const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[IFLA_MAX + 1];
	char name[128] = "";
	int index = 0;
	if ((r->type && r->type != nlh->nlmsg_type) || (r->cookie && r->cookie != ns->cookie))
		return false;
	bool is_addr = nlh->nlmsg_type >= RTM_NEWADDR && nlh->nlmsg_type <= RTM_GETADDR;
	if (is_addr && nlh->nlmsg_len >= NLMSG_LENGTH(sizeof(struct ifaddrmsg)))
		index = (int)((const struct ifaddrmsg *)NLMSG_DATA(nlh))->ifa_index;
	else if (nlh->nlmsg_len >= NLMSG_LENGTH(sizeof(struct ifinfomsg)))
		index = ((const struct ifinfomsg *)NLMSG_DATA(nlh))->ifi_index;
	if (r->ifindex && r->ifindex != index)
		return false;
	if (!r->ifname)
		return true;
	struct fk_link *l = fk_link_by_index(ns, index);
	if (l && strcmp(l->name, r->ifname) == 0)
		return true;
	if (is_addr || fk_parse_msg(tb, IFLA_MAX, nlh, sizeof(struct ifinfomsg)) < 0 || !tb[IFLA_IFNAME])
		return false;
	return fk_str(tb[IFLA_IFNAME], name, sizeof name) && strcmp(name, r->ifname) == 0;
}

/* The refusal that hits this message, used up by one; *ret is its copy. */
static bool fk_refusal_take(struct fk_netns *ns, const struct nlmsghdr *nlh, struct fk_refusal *ret)
{
	struct nctl_list *pos, *tmp;
	nctl_list_for_each_safe(pos, tmp, &ns->f->refusals) {
		struct fk_refusal *r = nctl_list_entry(pos, struct fk_refusal, node);
		if (!fk_refusal_fits(ns, &r->r, nlh))
			continue;
		if (r->r.skip) {
			r->r.skip--;
			continue;
		}
		*ret = *r;
		if (--r->r.count == 0) {
			nctl_list_del(&r->node);
			free(r);
		}
		return true;
	}
	return false;
}

int fk_request(struct fk_req *rq)
{
	switch (rq->nlh->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_SETLINK:
		return fk_do_newlink(rq);
	case RTM_DELLINK:
		return fk_do_dellink(rq);
	case RTM_NEWLINKPROP:
	case RTM_DELLINKPROP:
		return fk_do_linkprop(rq);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		if (rq->nlh->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifaddrmsg)))
			return -EINVAL;
		switch (((const struct ifaddrmsg *)NLMSG_DATA(rq->nlh))->ifa_family) {
		case AF_INET:
			return fk_addr4_request(rq);
		case AF_INET6:
			return fk_addr6_request(rq);
		default:
			return -EOPNOTSUPP;
		}
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return fk_route_request(rq);
	case RTM_NEWNEXTHOP:
	case RTM_DELNEXTHOP:
		return fk_nexthop_request(rq);
	case RTM_NEWRULE:
	case RTM_DELRULE:
		return fk_rule_request(rq);
	default:
		return -EOPNOTSUPP;
	}
}

static bool fk_is_get(uint16_t type)
{
	return type == RTM_GETLINK || type == RTM_GETADDR || type == RTM_GETROUTE || type == RTM_GETNEXTHOP ||
	       type == RTM_GETRULE;
}

static void fk_put_answer(struct fk_buf *b, const struct fk_req *rq, int error)
{
	struct nlmsgerr err = {.error = error, .msg = *rq->nlh};
	uint32_t offset =
		rq->bad ? (uint32_t)((const uint8_t *)rq->bad - (const uint8_t *)rq->nlh) : rq->offset;
	uint16_t flags = NLM_F_CAPPED;
	if (rq->text || (error && offset))
		flags |= NLM_F_ACK_TLVS;
	size_t start = fk_msg_begin(b, NLMSG_ERROR, flags, rq->nlh->nlmsg_seq, &err, sizeof err);
	if (rq->text)
		fk_put_str(b, NLMSGERR_ATTR_MSG, rq->text);
	if (error && offset)
		fk_put_u32(b, NLMSGERR_ATTR_OFFS, offset);
	fk_msg_end(b, start);
}

enum { FK_DUMPING = 1 }; /* fk_one: a dump has been started and answers for itself */

static int fk_one(struct fk_req *rq, struct fk_transport *t, char text[static 256])
{
	struct nctl_fake *f = rq->f;
	struct fk_refusal refusal;
	uint16_t type = rq->nlh->nlmsg_type;
	if (t && type < FK_N_TYPES)
		f->counts[type]++;
	if (t && fk_refusal_take(rq->ns, rq->nlh, &refusal)) {
		if (refusal.r.text)
			rq->text = strcpy(text, refusal.text);
		rq->offset = refusal.r.offset;
		return refusal.r.error;
	}
	if (fk_is_get(type)) {
		if (!t)
			return -EOPNOTSUPP;
		if ((rq->nlh->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
			return fk_get_one(rq, t);
		int r = fk_dump_start(rq, t);
		return r < 0 ? r : FK_DUMPING;
	}
	f->lazy = 0;
	int r = fk_request(rq);
	fk_settle(f);
	return r;
}

static void fk_answer(struct fk_req *rq, struct fk_transport *t, struct nctl_list *later, int error)
{
	uint8_t bytes[1024];
	struct fk_buf b = FK_BUF(bytes);
	if (rq->f->lose_acks) {
		rq->f->lose_acks--;
		return;
	}
	fk_put_answer(&b, rq, error);
	if (!rq->f->reverse_acks) {
		fk_transport_push(t, bytes, b.len, -1);
		return;
	}
	struct fk_dgram *d = malloc(sizeof *d + b.len);
	if (!d)
		abort();
	d->len = b.len;
	memcpy(d->data, bytes, b.len);
	nctl_list_add_head(later, &d->node);
}

int fk_datagram(struct fk_netns *ns, struct fk_transport *t, const void *data, size_t len)
{
	const uint8_t *p = data;
	struct nctl_list later = NCTL_LIST_INIT(later), *pos, *tmp;
	char text[256];
	int r = 0;
	while (len >= NLMSG_HDRLEN) {
		const struct nlmsghdr *nlh = (const void *)p;
		struct fk_req rq = {.f = ns->f, .ns = ns, .target = ns, .nlh = nlh};
		if (nlh->nlmsg_len < NLMSG_HDRLEN || nlh->nlmsg_len > len)
			break;
		r = 0;
		if ((nlh->nlmsg_flags & NLM_F_REQUEST) && nlh->nlmsg_type >= NLMSG_MIN_TYPE)
			r = fk_one(&rq, t, text);
		if (t && r != FK_DUMPING && (r < 0 || (nlh->nlmsg_flags & NLM_F_ACK)))
			fk_answer(&rq, t, &later, r);
		size_t step = nctl_min((size_t)NLMSG_ALIGN(nlh->nlmsg_len), len);
		p += step;
		len -= step;
	}
	nctl_list_for_each_safe(pos, tmp, &later) {
		struct fk_dgram *d = nctl_list_entry(pos, struct fk_dgram, node);
		nctl_list_del(pos);
		fk_transport_push(t, d->data, d->len, -1);
		free(d);
	}
	return r;
}
