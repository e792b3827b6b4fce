/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the other end of a pair that moves. The kernel tells of the link that leaves one namespace and arrives
 * in another, and says nothing of the end that stays, whose IFLA_LINK and IFLA_LINK_NETNSID are other ones
 * from then on: its namespace is dumped again (the dump waits for the move to be over, since both hold RTNL).
 */
#include "exec/private.h"

/* What nsid stands for is known of those of home alone. */
static bool may_name(const struct nctl_session *by, nctl_nsid nsid, const struct nctl_session *s)
{
	if (nsid == NCTL_NSID_NONE)
		return by == s;
	return by == by->hub->home ? nctl_hub_find_nsid(by->hub, nsid) == s : by != s;
}

static bool is_other_end(
	const struct nctl_session *t, const struct nctl_session *s, const struct nctl_link *l)
{
	const struct nctl_mirror_link *p = nctl_mirror_link_get(t->mirror, l->lower);

	return p && p->v.kind == l->kind && p->v.lower == l->ifindex && may_name(s, l->lower_nsid, t) &&
	       may_name(t, p->v.lower_nsid, s);
}

void nctl_pair_moves(struct nctl_session *s, nctl_ifindex ifindex)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_get(s->mirror, ifindex);
	struct nctl_hub *h = s->hub;
	struct nctl_list *n;

	if (!l || !l->v.kind || !(l->v.kind->traits & NCTL_KIND_PEERED) || !l->v.lower)
		return;
	if (is_other_end(h->home, s, &l->v)) {
		nctl_sync_refresh(h->home);
		return;
	}
	/* Moves between two other namespaces are rare. */
	nctl_list_for_each(n, &h->sessions) {
		struct nctl_session *t = nctl_list_entry(n, struct nctl_session, link);

		if (is_other_end(t, s, &l->v))
			nctl_sync_refresh(t);
	}
}
