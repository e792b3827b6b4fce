/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: rules as values: are two the same? How they look as JSON is in rule-json.c. */
#include <linux/fib_rules.h>
#include <string.h>

#include "obj/rule.h"

_Static_assert(NCTL_RULE_STATE == (FIB_RULE_UNRESOLVED | FIB_RULE_IIF_DETACHED | FIB_RULE_OIF_DETACHED),
	"the flags that the kernel sets by itself");

static bool same_range(bool a_has, struct nctl_port_range a, bool b_has, struct nctl_port_range b)
{
	return a_has == b_has && a.first == b.first && a.last == b.last;
}

/* What a packet is asked for. */
static bool same_selector(const struct nctl_rule *a, const struct nctl_rule *b)
{
	return nctl_prefix_equal(&a->src, &b->src) && nctl_prefix_equal(&a->dst, &b->dst) &&
	       strncmp(a->iif, b->iif, sizeof(a->iif)) == 0 && strncmp(a->oif, b->oif, sizeof(a->oif)) == 0 &&
	       a->tos == b->tos && a->dscp == b->dscp && a->has_mark == b->has_mark && a->mark == b->mark &&
	       a->mask == b->mask && a->tun_id == b->tun_id && a->ip_proto == b->ip_proto &&
	       a->has_uids == b->has_uids && a->uid_first == b->uid_first && a->uid_last == b->uid_last &&
	       same_range(a->has_sport, a->sport, b->has_sport, b->sport) &&
	       same_range(a->has_dport, a->dport, b->has_dport, b->dport);
}

/* What becomes of it. */
static bool same_action(const struct nctl_rule *a, const struct nctl_rule *b)
{
	return a->action == b->action && a->table == b->table && a->l3mdev == b->l3mdev &&
	       a->target == b->target && a->realms == b->realms &&
	       a->suppress_prefixlen == b->suppress_prefixlen && a->suppress_ifgroup == b->suppress_ifgroup;
}

bool nctl_rule_equal(const struct nctl_rule *a, const struct nctl_rule *b, bool with_state)
{
	uint32_t flags = a->flags ^ b->flags;

	return a->family == b->family && a->priority == b->priority && a->protocol == b->protocol &&
	       (with_state ? flags : flags & ~NCTL_RULE_STATE) == 0 && same_selector(a, b) &&
	       same_action(a, b) && nctl_bytes_equal(a->rest, b->rest);
}
