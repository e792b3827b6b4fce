/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: RTM_DELLINK for one link or a group, and alternative names (RTM_NEWLINKPROP, RTM_DELLINKPROP).
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fake/core.h"
#include "fake/wire.h"

static int fk_delete_group(struct fk_req *rq, uint32_t group)
{
	struct nctl_list doomed = NCTL_LIST_INIT(doomed), *pos;
	bool found = false;
	if (!group)
		return -EPERM;
	nctl_list_for_each(pos, fk_links(rq->target)) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, node);
		if (l->group != group)
			continue;
		if (!fk_is_virtual(l))
			return -EOPNOTSUPP;
		found = true;
	}
	if (!found)
		return -ENODEV;
	nctl_list_for_each(pos, fk_links(rq->target)) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, node);
		if (l->group == group)
			fk_doom(rq->f, l, &doomed);
	}
	fk_links_kill(rq->f, &doomed);
	return 0;
}

int fk_do_dellink(struct fk_req *rq)
{
	struct nctl_list doomed = NCTL_LIST_INIT(doomed);
	const struct nlattr *tb[IFLA_MAX + 1];
	const struct ifinfomsg *ifi = NLMSG_DATA(rq->nlh);
	struct fk_link *l = NULL;
	char name[128];
	int r = fk_parse_msg(tb, IFLA_MAX, rq->nlh, sizeof *ifi);
	if (r == 0)
		r = fk_check_link_attrs(rq, tb);
	if (r == 0)
		r = fk_set_target(rq, tb);
	if (r < 0)
		return r;
	const struct nlattr *by = tb[IFLA_IFNAME] ? tb[IFLA_IFNAME] : tb[IFLA_ALT_IFNAME];
	if (ifi->ifi_index > 0)
		l = fk_link_by_index(rq->target, ifi->ifi_index);
	else if (by && fk_str(by, name, sizeof name))
		l = fk_link_by_name(rq->target, name);
	else if (tb[IFLA_GROUP])
		return fk_delete_group(rq, fk_u32(tb[IFLA_GROUP]));
	else
		return -EINVAL;
	if (!l)
		return -ENODEV;
	if (!fk_is_virtual(l))
		return -EOPNOTSUPP;
	fk_doom(rq->f, l, &doomed);
	fk_links_kill(rq->f, &doomed);
	return 0;
}

static int fk_altname_add(struct fk_link *l, const char *name)
{
	if (!*name || strchr(name, '/') || strchr(name, ' '))
		return -EINVAL;
	if (fk_link_by_name(l->ns, name))
		return -EEXIST;
	if (l->n_altnames == FK_MAX_ALTNAMES)
		return -ENOMEM;
	snprintf(l->altnames[l->n_altnames++], sizeof l->altnames[0], "%s", name);
	return 0;
}

static int fk_altname_del(struct fk_link *l, const char *name)
{
	for (unsigned i = 0; i < l->n_altnames; i++) {
		if (strcmp(l->altnames[i], name) != 0)
			continue;
		l->n_altnames--;
		memmove(l->altnames[i], l->altnames[i + 1], (l->n_altnames - i) * sizeof l->altnames[0]);
		return 0;
	}
	return fk_link_by_name(l->ns, name) ? -EINVAL : -ENOENT;
}

/* All names of the list, until one is refused. */
static int fk_altnames(struct fk_req *rq, struct fk_link *l, const struct nlattr *list, bool *ret_changed)
{
	const uint8_t *p = fk_data(list);
	size_t left = fk_len(list);
	while (left >= NLA_HDRLEN) {
		const struct nlattr *a = (const void *)p;
		char name[128];
		if (a->nla_len < NLA_HDRLEN || a->nla_len > left ||
			(a->nla_type & NLA_TYPE_MASK) != IFLA_ALT_IFNAME)
			return -EINVAL;
		if (!fk_str(a, name, sizeof name))
			return fk_refuse(rq, -ERANGE, "Attribute failed policy validation");
		bool add = rq->nlh->nlmsg_type == RTM_NEWLINKPROP;
		int r = add ? fk_altname_add(l, name) : fk_altname_del(l, name);
		if (r < 0)
			return r;
		*ret_changed = true;
		size_t step = nctl_min((size_t)NLA_ALIGN(a->nla_len), left);
		p += step;
		left -= step;
	}
	return 0;
}

int fk_do_linkprop(struct fk_req *rq)
{
	const struct nlattr *tb[IFLA_MAX + 1];
	const struct ifinfomsg *ifi = NLMSG_DATA(rq->nlh);
	struct fk_link *l = NULL;
	char name[128];
	bool changed = false;
	int r = fk_parse_msg(tb, IFLA_MAX, rq->nlh, sizeof *ifi);
	if (r == 0)
		r = fk_check_link_attrs(rq, tb);
	if (r < 0)
		return r;
	if (ifi->ifi_index > 0)
		l = fk_link_by_index(rq->target, ifi->ifi_index);
	else if (tb[IFLA_IFNAME] && fk_str(tb[IFLA_IFNAME], name, sizeof name))
		l = fk_link_by_name(rq->target, name);
	else
		return -EINVAL;
	if (!l)
		return -ENODEV;
	if (!tb[IFLA_PROP_LIST])
		return 0;
	r = fk_altnames(rq, l, tb[IFLA_PROP_LIST], &changed);
	if (changed)
		fk_state_change(rq->f, l);
	return r;
}
