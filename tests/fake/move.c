/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a link goes to another namespace, step by step as __dev_change_net_namespace() of net/core/dev.c does
 * it: down, without addresses and master, told as deleted with where it went, then new over there. What
 * stands on it, and the other end of a pair, stay where they are, and are told nothing.
 */

#include <errno.h>
#include <string.h>

#include "fake/core.h"
#include "fake/wire.h"

/* The name that l will have there. pattern: another one, if its own is in use; may have "%d". NULL: none. */
static int fk_new_name(
	const struct fk_link *l, struct fk_netns *to, const char *pattern, char name[static IFNAMSIZ])
{
	strcpy(name, l->name);
	if (fk_link_by_name(to, name)) {
		if (!pattern)
			return -EEXIST;
		if (!fk_name_valid(pattern))
			return -EINVAL;
		strcpy(name, pattern);
		int r = fk_name_number(to, name);
		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < l->n_altnames; i++)
		if (fk_link_by_name(to, l->altnames[i]))
			return -EEXIST;
	return 0;
}

/* rtmsg_ifinfo_newnet() */
static void fk_say_left(struct fk_link *l, struct fk_netns *to, int ifindex)
{
	uint8_t bytes[4096];
	struct fk_buf b = FK_BUF(bytes);
	int32_t nsid = fk_netns_id_alloc(l->ns, to);
	fk_put_link(&b, l, RTM_DELLINK, 0, 0);
	fk_put_u32(&b, IFLA_NEW_NETNSID, (uint32_t)nsid);
	fk_put_u32(&b, IFLA_NEW_IFINDEX, (uint32_t)ifindex);
	fk_msg_end(&b, 0);
	fk_broadcast(l->ns, RTNLGRP_LINK, bytes, b.len);
}

int fk_move(struct nctl_fake *f, struct fk_link *l, struct fk_netns *to, const char *pattern, int ifindex)
{
	char name[IFNAMSIZ];
	if (!l->kind || l->kind->local)
		return -EINVAL;
	if (l->ns == to)
		return 0;
	int r = fk_new_name(l, to, pattern, name);
	if (r < 0)
		return r;
	if (ifindex < 0 || (ifindex && fk_link_by_index(to, ifindex)))
		return -EBUSY;
	if (!ifindex)
		ifindex = fk_link_by_index(to, l->ifindex) ? fk_free_index(to) : l->ifindex;
	fk_close(f, l);
	fk_notify(f, l, FK_UNREGISTER);
	fk_say_left(l, to, ifindex);
	nctl_list_del(&l->node);
	nctl_list_del(&l->index_node);
	l->ns = to;
	l->ifindex = ifindex;
	strcpy(l->name, name);
	fk_link_insert(l);
	fk_notify(f, l, FK_REGISTER);
	fk_link_event(f, l);
	return 0;
}
