/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the requests for dumps. All are strict (NETLINK_GET_STRICT_CHK), so that the kernel itself picks what
 * belongs to a scope, and says so if it cannot.
 */
#include "exec/private.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

static int ask(
	struct nctl_session *s, uint16_t type, const void *hdr, size_t hdr_len, struct dump_ticket *ticket)
{
	return nctl_requester_dump(s->hub->requester, s->kernel, type, hdr, hdr_len, NULL, 0, ticket);
}

/* RTEXT_FILTER_SKIP_STATS: a quarter of a link's bytes, and nobody here reads them. */
static int ask_links(struct nctl_session *s, struct dump_ticket *ticket)
{
	struct {
		struct nlattr nla;
		uint32_t mask;
	} ext = {{.nla_len = sizeof(ext), .nla_type = IFLA_EXT_MASK}, RTEXT_FILTER_SKIP_STATS};
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};

	return nctl_requester_dump(
		s->hub->requester, s->kernel, RTM_GETLINK, &ifi, sizeof(ifi), &ext, sizeof(ext), ticket);
}

static int ask_routes(struct nctl_session *s, const struct nctl_dump_scope *scope, uint8_t family,
	struct dump_ticket *ticket)
{
	struct rtmsg rtm = {.rtm_family = family};
	struct {
		struct nlattr nla;
		uint32_t value;
	} attrs[2];
	size_t n = 0;

	if (scope->table) {
		attrs[n].nla = (struct nlattr){.nla_len = sizeof(attrs[0]), .nla_type = RTA_TABLE};
		attrs[n++].value = scope->table;
	}
	if (scope->oif) {
		attrs[n].nla = (struct nlattr){.nla_len = sizeof(attrs[0]), .nla_type = RTA_OIF};
		attrs[n++].value = scope->oif;
	}
	return nctl_requester_dump(s->hub->requester, s->kernel, RTM_GETROUTE, &rtm, sizeof(rtm),
		n ? attrs : NULL, n * sizeof(attrs[0]), ticket);
}

int nctl_request_dump(struct nctl_session *s, const struct nctl_dump_scope *scope, struct dump_ticket *ticket)
{
	switch (scope->type) {
	case NCTL_OBJECT_LINK:
		return ask_links(s, ticket);
	case NCTL_OBJECT_ADDR:
		return ask(s, RTM_GETADDR, &(struct ifaddrmsg){.ifa_family = AF_UNSPEC},
			sizeof(struct ifaddrmsg), ticket);
	case NCTL_OBJECT_NEXTHOP:
		return ask(s, RTM_GETNEXTHOP, &(struct nhmsg){.nh_family = AF_UNSPEC}, sizeof(struct nhmsg),
			ticket);
	case NCTL_OBJECT_RULE: /* AF_UNSPEC: of all families (net/core/fib_rules.c fib_nl_dumprule) */
		return ask(s, RTM_GETRULE, &(struct fib_rule_hdr){.family = AF_UNSPEC},
			sizeof(struct fib_rule_hdr), ticket);
	case NCTL_OBJECT_ROUTE4:
		return ask_routes(s, scope, AF_INET, ticket);
	case NCTL_OBJECT_ROUTE6:
		return ask_routes(s, scope, AF_INET6, ticket);
	case NCTL_OBJECT_N_TYPES:
		break;
	}
	return -EINVAL;
}

bool nctl_request_is_empty(const struct nctl_dump_scope *scope, const struct nctl_result *r)
{
	if (!r->refused)
		return false;
	switch (scope->type) {
	case NCTL_OBJECT_LINK:
	case NCTL_OBJECT_ADDR:
	case NCTL_OBJECT_N_TYPES:
		return false;
	case NCTL_OBJECT_NEXTHOP:
	case NCTL_OBJECT_RULE:
		return r->status == -EOPNOTSUPP;
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
		/* net/ipv4/fib_frontend.c ip_valid_fib_dump_req, inet_dump_fib */
		return r->status == -EOPNOTSUPP || (scope->table && r->status == -ENOENT) ||
		       (scope->oif && r->status == -ENODEV);
	}
	return false;
}
