/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the second opinion: libnl reads the kernel's message by its own parser, and what it can tell of must
 * be what the mirror has. Message by message, never by libnl's caches, whose keys merge routes that differ.
 * It knows no next-hop objects (libnl 3.7).
 */
#include "verify/libnl.h"

#include <linux/lwtunnel.h>
#include <netlink/addr.h>
#include <netlink/msg.h>
#include <netlink/object.h>
#include <string.h>

#include "base/cleanup.h"

static const struct libnl_field *const fields[NCTL_OBJECT_N_TYPES] = {
	[NCTL_OBJECT_LINK] = libnl_link_fields,
	[NCTL_OBJECT_ADDR] = libnl_addr_fields,
	[NCTL_OBJECT_RULE] = libnl_rule_fields,
	[NCTL_OBJECT_ROUTE4] = libnl_route_fields,
	[NCTL_OBJECT_ROUTE6] = libnl_route_fields,
};

bool libnl_same_prefix(const struct nl_addr *theirs, const struct nctl_prefix *ours)
{
	size_t n = nctl_prefix_bytes(ours->family);

	/* libnl has the default route as an address of no bytes. */
	if (!theirs || nl_addr_get_len(theirs) == 0)
		return ours->family == AF_UNSPEC || nctl_prefix_is_unspecified(ours);
	return nl_addr_get_family(theirs) == ours->family && nl_addr_get_len(theirs) == n &&
	       memcmp(nl_addr_get_binary_addr(theirs), ours->addr, n) == 0;
}

bool libnl_same_text(const char *theirs, const char *ours)
{
	return strcmp(theirs ? theirs : "", ours ? ours : "") == 0;
}

size_t verify_libnl_fields(enum nctl_object_type type)
{
	size_t n = 0;

	while (fields[type] && fields[type][n].name)
		n++;
	return n;
}

const char *verify_libnl_field(enum nctl_object_type type, size_t i)
{
	return fields[type][i].name;
}

struct parsed {
	struct nctl_verify *v;
	const struct verify_object *ours;
};

static void compare(struct nl_object *theirs, void *userdata)
{
	struct parsed *p = userdata;
	struct nctl_verify *v = p->v;

	for (size_t i = 0; fields[v->type][i].name; i++) {
		int r = fields[v->type][i].equal(theirs, p->ours);

		v->results[v->type].fields[i] += r >= 0;
		if (r == 0)
			verify_differ(v, "%s is not what libnl reads", fields[v->type][i].name);
	}
}

/* Of encapsulations libnl reads MPLS alone, and refuses a route with another one as a whole (nh_encap_parse_msg). */
static bool is_readable(const struct verify_object *o)
{
	for (uint32_t i = 0; o->route && i < o->route->n_hops; i++)
		if (o->route->hops[i].encap_type != 0 && o->route->hops[i].encap_type != LWTUNNEL_ENCAP_MPLS)
			return false;
	return true;
}

static void free_msg(struct nl_msg **msg)
{
	if (*msg)
		nlmsg_free(*msg);
}

void verify_libnl(struct nctl_verify *v, const struct nlmsghdr *theirs, const struct verify_object *o)
{
	_cleanup_(free_msg) struct nl_msg *msg = NULL;
	struct parsed p = {.v = v, .ours = o};

	if (!fields[v->type] || !is_readable(o))
		return;
	msg = nlmsg_convert((struct nlmsghdr *)(uintptr_t)theirs); /* it copies */
	if (!msg) {
		v->failed = true;
		return;
	}
	nlmsg_set_proto(msg, NETLINK_ROUTE);
	if (nl_msg_parse(msg, compare, &p) < 0)
		verify_differ(v, "libnl cannot read it");
}
