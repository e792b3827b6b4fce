/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: one rtnetlink message, from an event or a dump, into the mirror. Messages of other objects are passed
 * over; what the codec refuses is counted, and what the mirror had no memory for makes it suspect.
 */
#include "exec/private.h"

#include <errno.h>
#include <linux/rtnetlink.h>

#include "codec/codec.h"
#include "mirror/vlans.h"
#include "nl/attr.h"

/*
 * A bond that is deleted gives its ports their old MTU back without a word (drivers/net/bonding/bond_main.c
 * __bond_release_one, __dev_set_mtu).
 */
static bool ends_silently(const struct nctl_session *s, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(s->mirror, ifindex);

	return l && l->v.kind && (l->v.kind->traits & NCTL_KIND_PORT_DOWN);
}

/* Is this the end of a link here that goes on in another namespace (net/core/dev.c dev_change_net_namespace)?
 */
static bool is_move(const struct nlmsghdr *nlh)
{
	static const struct nctl_attr_policy policy[] = {[IFLA_NEW_IFINDEX] = {.kind = NCTL_ATTR_U32}};
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)];

	return nctl_attr_parse_msg(nlh, sizeof(struct ifinfomsg), policy, tb, NCTL_ARRAY_SIZE(policy) - 1) >=
	               0 &&
	       tb[IFLA_NEW_IFINDEX];
}

/* A bridge's word of its VLANs, or a port's: see lib/codec/vlans.c for who sends what. */
static int feed_vlans(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	struct nctl_vlans *vlans;
	nctl_ifindex ifindex;
	int r = nctl_bridge_vlans_decode(nlh, &ifindex, &vlans);

	if (r == 0)
		nctl_mirror_link_vlans_put(s->mirror, ifindex, vlans, src);
	return r;
}

static int feed_link(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	struct nctl_link l;
	int r = nctl_link_decode(nlh, &l);

	if (r == NCTL_CODEC_SKIP)
		return feed_vlans(s, nlh, src);
	if (r != 0)
		return r;
	if (nlh->nlmsg_type == RTM_NEWLINK)
		return nctl_mirror_link_put(s->mirror, &l, src);
	if (is_move(nlh))
		nctl_pair_moves(s, l.ifindex);
	if (ends_silently(s, l.ifindex))
		nctl_sync_refresh(s);
	r = nctl_mirror_link_drop(s->mirror, l.ifindex);
	nctl_link_fini(&l);
	return r;
}

static int feed_addr(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	struct nctl_addr a;
	int r = nctl_addr_decode(nlh, &a);

	if (r != 0)
		return r;
	if (nlh->nlmsg_type == RTM_NEWADDR)
		return nctl_mirror_addr_put(s->mirror, &a, src);
	return nctl_mirror_addr_drop(s->mirror, &a);
}

void nctl_session_feed(struct nctl_session *s, const struct nlmsghdr *nlh, enum nctl_source src)
{
	int r = 0;

	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		r = feed_link(s, nlh, src);
		break;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		r = feed_addr(s, nlh, src);
		break;
	}
	if (r == -ENOMEM)
		nctl_sync_lost(s, nctl_time_now());
	else if (r < 0)
		s->undecodable++;
}
