/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: addresses of ours that somebody else on the link has, too: duplicate address detection has failed (RFC
 * 4862 section 5.4.5), and the kernel does not use them. They are there as the configuration wants, so no
 * plan tells of them, but the status does. Looks at a bounded number of addresses.
 */
#include "reconcile/private.h"

#include <linux/if_addr.h>
#include <stdio.h>

enum { LOOK_MAX = 20000, TELL_MAX = 20 };

struct search {
	struct nctl_json *json;
	size_t looked, told;
};

static void tell(
	struct search *s, const char *netns, const struct nctl_mirror_link *l, const struct nctl_addr *a)
{
	char text[512], buf[NCTL_PREFIX_STR];

	snprintf(text, sizeof(text), "%s%s%s has the address %s, and so has somebody else on its link",
		netns ? netns : "", netns ? "/" : "", l->v.name, nctl_prefix_format(&a->local, buf));
	nctl_json_str(s->json, text);
	s->told++;
}

static void look(
	struct search *s, const char *netns, const struct nctl_mirror *m, const struct nctl_ledger *ledger)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(m, 1);

	for (; l && s->told < TELL_MAX && s->looked < LOOK_MAX; l = nctl_mirror_link_next(l)) {
		const struct nctl_mirror_addr *a = nctl_mirror_addr_first(l);

		for (s->looked++; a && s->told < TELL_MAX; a = nctl_mirror_addr_next(a), s->looked++)
			if ((a->v.flags & IFA_F_DADFAILED) &&
				(a->v.proto == NCTL_PROTO || (ledger && nctl_ledger_addr_has(ledger, &a->v))))
				tell(s, netns, l, &a->v);
	}
}

void nd_dad_failures(const struct nd_reconcile *r, struct nctl_json *json)
{
	struct search s = {.json = json};
	struct nd_netns *n = nd_netns_from(r->netns, 0);

	for (; n && s.told < TELL_MAX && s.looked < LOOK_MAX; n = nd_netns_next(n)) {
		struct nctl_session *session = nd_netns_session(n);

		if (session)
			look(&s, nd_netns_is_home(n) ? NULL : nd_netns_name(n), nctl_session_mirror(session),
				nd_ledgers_find(&r->ledgers, nctl_session_cookie(session)));
	}
}
