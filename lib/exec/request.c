/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the requests for dumps. All are strict (NETLINK_GET_STRICT_CHK), so that the kernel itself picks what
 * belongs to a scope, and says so if it cannot.
 */
#include "exec/live.h"
#include "exec/private.h"

#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

/* A dump request: the family header and up to two attributes of a number each. */
struct list_request {
	uint16_t type;
	union {
		struct ifinfomsg link;
		struct ifaddrmsg addr;
		struct nhmsg nexthop;
		struct fib_rule_hdr rule;
		struct rtmsg route;
	} hdr;
	size_t hdr_len;
	struct {
		struct nlattr nla;
		uint32_t value;
	} attrs[2];
	size_t n_attrs;
};

static void put(struct list_request *q, uint16_t attr, uint32_t value)
{
	q->attrs[q->n_attrs].nla = (struct nlattr){.nla_len = sizeof(q->attrs[0]), .nla_type = attr};
	q->attrs[q->n_attrs++].value = value;
}

/* False: there is no such list. */
static bool describe(const struct nctl_dump_scope *scope, struct list_request *ret)
{
	struct list_request q = {0};

	switch (scope->type) {
	case NCTL_OBJECT_LINK:
		q.type = RTM_GETLINK;
		q.hdr_len = sizeof(q.hdr.link);
		/* A quarter of a link's bytes, and nobody here reads them. */
		q.hdr.link.ifi_family = scope->vlans ? AF_BRIDGE : AF_UNSPEC;
		put(&q, IFLA_EXT_MASK,
			RTEXT_FILTER_SKIP_STATS | (scope->vlans ? RTEXT_FILTER_BRVLAN_COMPRESSED : 0));
		break;
	case NCTL_OBJECT_ADDR:
		q.type = RTM_GETADDR;
		q.hdr_len = sizeof(q.hdr.addr);
		break;
	case NCTL_OBJECT_NEXTHOP:
		q.type = RTM_GETNEXTHOP;
		q.hdr_len = sizeof(q.hdr.nexthop);
		break;
	case NCTL_OBJECT_RULE: /* AF_UNSPEC: of all families (net/core/fib_rules.c fib_nl_dumprule) */
		q.type = RTM_GETRULE;
		q.hdr_len = sizeof(q.hdr.rule);
		break;
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
		q.type = RTM_GETROUTE;
		q.hdr_len = sizeof(q.hdr.route);
		q.hdr.route.rtm_family = scope->type == NCTL_OBJECT_ROUTE4 ? AF_INET : AF_INET6;
		if (scope->table)
			put(&q, RTA_TABLE, scope->table);
		if (scope->oif)
			put(&q, RTA_OIF, scope->oif);
		break;
	case NCTL_OBJECT_N_TYPES:
		return false;
	}
	*ret = q;
	return true;
}

int nctl_request_dump(struct nctl_session *s, const struct nctl_dump_scope *scope, struct dump_ticket *ticket)
{
	struct list_request q;

	if (!describe(scope, &q))
		return -EINVAL;
	return nctl_requester_dump(s->hub->requester, s->kernel, q.type, &q.hdr, q.hdr_len,
		q.n_attrs ? q.attrs : NULL, q.n_attrs * sizeof(q.attrs[0]), ticket);
}

int nctl_live_ask_list(struct nctl_live *l, const struct nctl_dump_scope *scope)
{
	_Alignas(4) uint8_t room[128];
	struct list_request q;
	struct nctl_msgbuf m;

	if (!describe(scope, &q))
		return -EINVAL;
	nctl_msgbuf_init(&m, room, sizeof(room));
	nctl_msg_begin(&m, q.type, NLM_F_DUMP, &q.hdr, q.hdr_len);
	for (size_t i = 0; i < q.n_attrs; i++)
		nctl_msg_put_u32(&m, q.attrs[i].nla.nla_type, q.attrs[i].value);
	return nctl_msg_commit(&m, 0) == 0 ? nctl_live_ask(l, &m) : -EMSGSIZE;
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
