/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: RTM_NEWLINK and RTM_SETLINK as net/core/rtnetlink.c works on them: find or create, then set one thing
 * after the other, stopping at the first refusal without undoing what went before.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fake/core.h"
#include "fake/wire.h"

int fk_check_link_attrs(struct fk_req *rq, const struct nlattr **tb)
{
	static const uint8_t least[IFLA_MAX + 1] = {
		[IFLA_MTU] = 4,
		[IFLA_LINK] = 4,
		[IFLA_MASTER] = 4,
		[IFLA_TXQLEN] = 4,
		[IFLA_GROUP] = 4,
		[IFLA_TARGET_NETNSID] = 4,
		[IFLA_NEW_IFINDEX] = 4,
		[IFLA_OPERSTATE] = 1,
		[IFLA_LINKMODE] = 1,
	};
	char text[256];
	for (unsigned i = 0; i <= IFLA_MAX; i++) {
		bool ok = !tb[i] || fk_len(tb[i]) >= least[i];
		if (i == IFLA_IFNAME && tb[i])
			ok = fk_str(tb[i], text, IFNAMSIZ);
		if (i == IFLA_IFALIAS && tb[i])
			ok = fk_str(tb[i], text, sizeof text);
		if (ok)
			continue;
		rq->bad = tb[i];
		return fk_refuse(rq, -ERANGE, "Attribute failed policy validation");
	}
	return 0;
}

/* rtnl_link_get_net_by_nlattr(): where the message wants its link to be, or to go. */
int fk_set_target(struct fk_req *rq, const struct nlattr **tb)
{
	rq->target = rq->ns;
	if (tb[IFLA_NET_NS_PID] || tb[IFLA_NET_NS_FD] || tb[IFLA_LINK_NETNSID])
		return fk_refuse(rq, -EOPNOTSUPP, "not modelled");
	if (!tb[IFLA_TARGET_NETNSID])
		return 0;
	rq->target = fk_netns_by_id(rq->ns, (int32_t)fk_u32(tb[IFLA_TARGET_NETNSID]));
	return rq->target ? 0 : -EINVAL;
}

static bool fk_short_addr(const struct nlattr **tb)
{
	for (unsigned i = IFLA_ADDRESS; i <= IFLA_BROADCAST; i++)
		if (tb[i] && fk_len(tb[i]) < FK_ETH_ALEN)
			return true;
	return false;
}

static bool fk_bad_gen_mode(const struct nlattr *spec)
{
	const struct nlattr *af[AF_INET6 + 1], *six[IFLA_INET6_MAX + 1];
	if (fk_parse_nest(af, AF_INET6, spec) < 0 || !af[AF_INET6])
		return false;
	if (fk_parse_nest(six, IFLA_INET6_MAX, af[AF_INET6]) < 0 || !six[IFLA_INET6_ADDR_GEN_MODE])
		return true;
	return fk_u8(six[IFLA_INET6_ADDR_GEN_MODE]) > IN6_ADDR_GEN_MODE_RANDOM;
}

static int fk_set_af_spec(struct fk_link *l, const struct nlattr *spec)
{
	const struct nlattr *af[AF_INET6 + 1], *six[IFLA_INET6_MAX + 1];
	if (fk_parse_nest(af, AF_INET6, spec) < 0)
		return -EINVAL;
	if (!af[AF_INET6])
		return 0;
	if (!l->has_inet6)
		return -EAFNOSUPPORT;
	if (fk_parse_nest(six, IFLA_INET6_MAX, af[AF_INET6]) < 0 || !six[IFLA_INET6_ADDR_GEN_MODE])
		return -EINVAL;
	uint8_t mode = fk_u8(six[IFLA_INET6_ADDR_GEN_MODE]);
	if (mode > IN6_ADDR_GEN_MODE_RANDOM || mode == IN6_ADDR_GEN_MODE_STABLE_PRIVACY)
		return -EINVAL;
	l->addr_gen_mode = mode;
	return 0;
}

/* Do the flags of a message ask for a change? The new flags then. */
static bool fk_wanted_flags(const struct ifinfomsg *ifi, const struct fk_link *l, unsigned *ret)
{
	if (!ifi->ifi_flags && !ifi->ifi_change)
		return false;
	*ret = ifi->ifi_change ? (ifi->ifi_flags & ifi->ifi_change) | (l->flags & ~ifi->ifi_change)
	                       : ifi->ifi_flags;
	return true;
}

/* What do_setlink() sets without asking anybody; whether the link is told of again. */
static int fk_set_quiet(struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, bool *ret_tell)
{
	(void)rq;
	if (tb[IFLA_TXQLEN] && fk_u32(tb[IFLA_TXQLEN]) != l->txqlen) {
		l->txqlen = fk_u32(tb[IFLA_TXQLEN]);
		fk_notify(rq->f, l, FK_CHANGEINFO);
	}
	if (!tb[IFLA_AF_SPEC])
		return 0;
	int r = fk_set_af_spec(l, tb[IFLA_AF_SPEC]);
	*ret_tell |= r == 0;
	return r;
}

static int fk_set_named(struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, bool *ret_tell)
{
	const struct ifinfomsg *ifi = NLMSG_DATA(rq->nlh);
	char name[IFNAMSIZ];
	if (tb[IFLA_GROUP]) {
		l->group = fk_u32(tb[IFLA_GROUP]);
		*ret_tell = true;
	}
	if (tb[IFLA_IFNAME] && ifi->ifi_index > 0 && fk_str(tb[IFLA_IFNAME], name, sizeof name) && *name) {
		int r = fk_rename(rq, l, name);
		if (r < 0)
			return r;
	}
	if (tb[IFLA_IFALIAS]) {
		fk_str(tb[IFLA_IFALIAS], l->alias, sizeof l->alias);
		*ret_tell = true;
	}
	if (tb[IFLA_BROADCAST]) {
		memcpy(l->brd, fk_data(tb[IFLA_BROADCAST]), sizeof l->brd);
		fk_notify(rq->f, l, FK_CHANGEADDR);
	}
	return 0;
}

static int fk_setlink_move(struct fk_req *rq, struct fk_link *l, const struct nlattr **tb)
{
	char name[IFNAMSIZ] = "";
	if (tb[IFLA_IFNAME])
		fk_str(tb[IFLA_IFNAME], name, sizeof name);
	int ifindex = tb[IFLA_NEW_IFINDEX] ? (int)fk_u32(tb[IFLA_NEW_IFINDEX]) : 0;
	return fk_move(rq->f, l, rq->target, *name ? name : NULL, ifindex);
}

static int fk_setlink(struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, bool tell)
{
	const struct ifinfomsg *ifi = NLMSG_DATA(rq->nlh);
	unsigned flags;
	int r = 0;
	if (rq->target != l->ns) {
		r = fk_setlink_move(rq, l, tb);
		tell = true;
	}
	if (r == 0 && fk_short_addr(tb))
		r = -EINVAL;
	if (r == 0 && tb[IFLA_ADDRESS])
		r = fk_set_addr(rq, l, fk_data(tb[IFLA_ADDRESS]));
	if (r == 0 && tb[IFLA_MTU])
		r = fk_set_mtu(rq, l, fk_u32(tb[IFLA_MTU]));
	if (r == 0)
		r = fk_set_named(rq, l, tb, &tell);
	if (r == 0 && fk_wanted_flags(ifi, l, &flags))
		r = fk_change_flags(rq, l, flags);
	if (r == 0 && tb[IFLA_MASTER])
		r = fk_set_master(rq, l, (int)fk_u32(tb[IFLA_MASTER]));
	if (r == 0)
		r = fk_set_quiet(rq, l, tb, &tell);
	if (tell)
		fk_state_change(rq->f, l);
	return r;
}

static int fk_changelink(
	struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, const struct nlattr **info)
{
	bool tell = false;
	if (rq->nlh->nlmsg_flags & NLM_F_EXCL)
		return -EEXIST;
	if (rq->nlh->nlmsg_flags & NLM_F_REPLACE)
		return -EOPNOTSUPP;
	if (info[IFLA_INFO_KIND] && info[IFLA_INFO_DATA]) {
		if (!fk_is_virtual(l) || !l->kind->change ||
			strncmp(l->kind->name, fk_data(info[IFLA_INFO_KIND]), fk_len(info[IFLA_INFO_KIND])) !=
				0)
			return -EOPNOTSUPP;
		int r = l->kind->change(rq, l, info[IFLA_INFO_DATA]);
		if (r < 0)
			return r;
		tell = true;
	}
	return fk_setlink(rq, l, tb, tell);
}

/* rtnl_link_ops.validate of the kind named in the message. */
static int fk_validate(struct fk_req *rq, const struct nlattr **tb, const struct nlattr **info)
{
	const struct nlattr *k = info[IFLA_INFO_KIND];
	const struct fk_kind *kind = k ? fk_kind_find(fk_data(k), strnlen(fk_data(k), fk_len(k))) : NULL;
	if (!kind)
		return 0;
	if (tb[IFLA_ADDRESS]) {
		const uint8_t *addr = fk_data(tb[IFLA_ADDRESS]);
		if (fk_len(tb[IFLA_ADDRESS]) != FK_ETH_ALEN)
			return -EINVAL;
		if (addr[0] & 1 || memcmp(addr, (uint8_t[FK_ETH_ALEN]){0}, FK_ETH_ALEN) == 0)
			return -EADDRNOTAVAIL;
	}
	return kind->validate ? kind->validate(rq, tb, info[IFLA_INFO_DATA]) : 0;
}

/* rtnl_create_link(): what a new link is given before it is registered. */
int fk_link_preset(struct fk_req *rq, struct fk_link *l, const struct nlattr **tb)
{
	if (fk_short_addr(tb))
		return -EINVAL;
	if (tb[IFLA_MTU]) {
		uint32_t mtu = fk_u32(tb[IFLA_MTU]);
		if ((int32_t)mtu < 0 || mtu < l->min_mtu)
			return fk_refuse(rq, -EINVAL, "mtu less than device minimum");
		if (l->max_mtu && mtu > l->max_mtu)
			return fk_refuse(rq, -EINVAL, "mtu greater than device maximum");
		l->mtu = mtu;
	}
	if (tb[IFLA_ADDRESS]) {
		memcpy(l->addr, fk_data(tb[IFLA_ADDRESS]), sizeof l->addr);
		l->addr_set = true;
	}
	if (tb[IFLA_BROADCAST])
		memcpy(l->brd, fk_data(tb[IFLA_BROADCAST]), sizeof l->brd);
	if (tb[IFLA_TXQLEN])
		l->txqlen = fk_u32(tb[IFLA_TXQLEN]);
	if (tb[IFLA_GROUP])
		l->group = fk_u32(tb[IFLA_GROUP]);
	return 0;
}

/* rtnl_configure_link(): flags, then the first event. */
int fk_link_configure(struct fk_req *rq, struct fk_link *l, const struct ifinfomsg *ifi)
{
	unsigned old = l->flags, flags;
	if (fk_wanted_flags(ifi, l, &flags)) {
		int r = fk_set_flags(rq->f, l, flags);
		if (r < 0)
			return r;
	}
	l->announced = true;
	fk_link_event(rq->f, l);
	if ((old ^ l->flags) & IFF_UP)
		fk_notify(rq->f, l, FK_UP);
	return 0;
}

static void fk_undo(struct nctl_fake *f, struct fk_link *l)
{
	struct nctl_list doomed = NCTL_LIST_INIT(doomed);
	fk_doom(f, l, &doomed);
	fk_links_kill(f, &doomed);
}

static int fk_newlink_create(struct fk_req *rq, const struct nlattr **tb, const struct nlattr **info)
{
	const struct ifinfomsg *ifi = NLMSG_DATA(rq->nlh);
	const struct nlattr *k = info[IFLA_INFO_KIND];
	const struct fk_kind *kind = k ? fk_kind_find(fk_data(k), strnlen(fk_data(k), fk_len(k))) : NULL;
	if (!kind)
		return fk_refuse(rq, -EOPNOTSUPP, "Unknown device type");
	struct fk_link *l = fk_link_new(rq->target, kind);
	if (!l)
		return -ENOMEM;
	if (tb[IFLA_IFNAME])
		fk_str(tb[IFLA_IFNAME], l->name, sizeof l->name);
	if (!*l->name)
		snprintf(l->name, sizeof l->name, "%s%%d", kind->name);
	l->ifindex = ifi->ifi_index;
	int r = fk_link_preset(rq, l, tb);
	if (r == 0)
		r = kind->create ? kind->create(rq, l, tb, info[IFLA_INFO_DATA]) : fk_link_register(rq, l);
	if (r < 0) {
		fk_link_destroy(l);
		return r;
	}
	r = fk_link_configure(rq, l, ifi);
	if (r == 0 && tb[IFLA_MASTER])
		r = fk_set_master(rq, l, (int)fk_u32(tb[IFLA_MASTER]));
	if (r < 0)
		fk_undo(rq->f, l);
	return r;
}

static int fk_change_group(struct fk_req *rq, const struct nlattr **tb)
{
	uint32_t group = fk_u32(tb[IFLA_GROUP]);
	struct nctl_list *pos;
	nctl_list_for_each(pos, fk_links(rq->ns)) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, node);
		if (l->group != group)
			continue;
		int r = fk_setlink(rq, l, tb, false);
		if (r < 0)
			return r;
	}
	return 0;
}

int fk_do_newlink(struct fk_req *rq)
{
	const struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1] = {0};
	const struct ifinfomsg *ifi = NLMSG_DATA(rq->nlh);
	struct fk_link *l = NULL;
	char name[128];
	int r = fk_parse_msg(tb, IFLA_MAX, rq->nlh, sizeof *ifi);
	if (r == 0)
		r = fk_check_link_attrs(rq, tb);
	if (r == 0 && tb[IFLA_LINKINFO])
		r = fk_parse_nest(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO]);
	if (r == 0)
		r = fk_set_target(rq, tb);
	if (r < 0)
		return r;
	/* when creating, in the target, and not in the socket's namespace as before 6.15 */
	const uint16_t make = NLM_F_CREATE | NLM_F_EXCL;
	bool there = rq->f->version >= 6015 && (rq->nlh->nlmsg_flags & make) == make;
	struct fk_netns *ns = there ? rq->target : rq->ns;
	const struct nlattr *by = tb[IFLA_IFNAME] ? tb[IFLA_IFNAME] : tb[IFLA_ALT_IFNAME];
	if (ifi->ifi_index < 0)
		return fk_refuse(rq, -EINVAL, "ifindex can't be negative");
	if (ifi->ifi_index > 0)
		l = fk_link_by_index(ns, ifi->ifi_index);
	else if (by && fk_str(by, name, sizeof name))
		l = fk_link_by_name(ns, name);
	if (rq->nlh->nlmsg_type == RTM_SETLINK) {
		if (!l)
			return ifi->ifi_index > 0 || by ? -ENODEV : -EINVAL;
		return fk_setlink(rq, l, tb, false);
	}
	/* older kernels look at this before anything else */
	if (rq->f->version < 6008 && tb[IFLA_AF_SPEC] && fk_bad_gen_mode(tb[IFLA_AF_SPEC]))
		return l && !l->has_inet6 ? -EAFNOSUPPORT : -EINVAL;
	r = fk_validate(rq, tb, info);
	if (r < 0)
		return r;
	if (l)
		return fk_changelink(rq, l, tb, info);
	if (!(rq->nlh->nlmsg_flags & NLM_F_CREATE)) {
		if (ifi->ifi_index == 0 && !by && tb[IFLA_GROUP])
			return fk_change_group(rq, tb);
		return -ENODEV;
	}
	if (tb[IFLA_MAP] || tb[IFLA_PROTINFO])
		return -EOPNOTSUPP;
	return fk_newlink_create(rq, tb, info);
}
