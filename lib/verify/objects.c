/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: from a message of the kernel to the mirror's object and both comparisons, type by type; and the other
 * way round, the walk over the mirror for what the dump did not have. A dump may name an object twice.
 */
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "verify/private.h"

enum { NEAR_MAX = 64 };

static void name_route(struct nctl_verify *v, const struct nctl_route *r)
{
	char dst[NCTL_PREFIX_STR];

	snprintf(v->what_buf, sizeof(v->what_buf), "route %s table %u metric %u",
		nctl_prefix_format(&r->dst, dst), r->table, r->metric);
	v->what = v->what_buf;
}

static void name_addr(struct nctl_verify *v, const struct nctl_addr *a)
{
	char local[NCTL_PREFIX_STR];

	snprintf(v->what_buf, sizeof(v->what_buf), "address %s of link %u",
		nctl_prefix_format(&a->local, local), a->ifindex);
	v->what = v->what_buf;
}

static void name_rule(struct nctl_verify *v, const struct nctl_rule *r)
{
	snprintf(v->what_buf, sizeof(v->what_buf), "rule %u of family %u", r->priority, r->family);
	v->what = v->what_buf;
}

static void name_number(struct nctl_verify *v, const char *type, uint32_t number)
{
	snprintf(v->what_buf, sizeof(v->what_buf), "%s %u", type, number);
	v->what = v->what_buf;
}

/* 1: it was seen before. */
static int see(struct nctl_verify *v, uint64_t key)
{
	int r = verify_seen_add(&v->seen, key);

	if (r == 0)
		v->results[v->type].objects++;
	return r;
}

static int missing_here(struct nctl_verify *v)
{
	v->results[v->type].objects++;
	verify_differ(v, "is in the kernel, not in the mirror");
	return 0;
}

static void compare_header(struct nctl_verify *v, const struct nlmsghdr *theirs, const void *ours, size_t len)
{
	const uint8_t *a = NLMSG_DATA(theirs), *b = ours;

	for (size_t i = 0; i < len; i++)
		if (a[i] != b[i]) {
			verify_differ(v, "byte %zu of the header differs: 0x%02x, in the mirror 0x%02x", i,
				a[i], b[i]);
			return;
		}
}

/* v->msg holds our encoding. */
static int compare(
	struct nctl_verify *v, const struct nlmsghdr *theirs, const struct verify_object *o, size_t hdr_len)
{
	const struct nlmsghdr *ours = (const void *)v->buf;

	if (nctl_msg_commit(&v->msg, 1) != 0) {
		verify_differ(v, "cannot be encoded: it is too long");
	} else {
		compare_header(v, theirs, NLMSG_DATA(ours), hdr_len);
		verify_attrs(v, theirs, ours, hdr_len);
		verify_libnl(v, theirs, o);
	}
	nctl_msgbuf_reset(&v->msg);
	return 0;
}

static void tell(void *userdata, const char *path)
{
	verify_differ(userdata, "%s differs", path);
}

static bool is_skipped(const char *attr)
{
	struct nctl_link_skip s;

	for (size_t i = 0; nctl_link_skipped(i, &s) && !s.kind; i++)
		if (strcmp(s.name, attr) == 0)
			return true;
	return false;
}

/* Those at the top that were compared. */
static void note_attrs(struct nctl_verify *v, const struct nlmsghdr *nlh)
{
	const uint8_t *attrs = (const uint8_t *)nlh + NLMSG_LENGTH(sizeof(struct ifinfomsg));
	size_t len = nlh->nlmsg_len - NLMSG_LENGTH(sizeof(struct ifinfomsg));
	const struct nlattr *a = NULL;
	char buf[16];

	while ((a = nctl_attr_next(attrs, len, a)))
		if (nctl_attr_type(a) < VERIFY_ATTRS_MAX &&
			!is_skipped(verify_attr_name(v->type, nctl_attr_type(a), buf)))
			v->results[v->type].attrs[nctl_attr_type(a)]++;
}

/* What a bridge or a port says of its VLANs, in a message of its own. */
static int verify_vlans(struct nctl_verify *v, const struct nlmsghdr *nlh)
{
	const struct nctl_mirror_link *l;
	struct nctl_vlans *vlans;
	nctl_ifindex ifindex;
	int r = nctl_bridge_vlans_decode(nlh, &ifindex, &vlans);

	if (r != 0)
		return r == -ENOMEM ? r : 0;
	name_number(v, "link", ifindex);
	l = nctl_mirror_link_get(v->m, ifindex);
	if (l)
		v->results[v->type].attrs[IFLA_AF_SPEC]++;
	if (!l || !nctl_vlans_equal(l->v.vlans, vlans))
		verify_differ(v, "the VLANs of the bridge or port differ");
	nctl_vlans_unref(vlans);
	return 0;
}

static int verify_link(struct nctl_verify *v, const struct nlmsghdr *nlh)
{
	const struct nctl_mirror_link *l;
	struct nctl_link decoded;
	int r = nctl_link_decode(nlh, &decoded);
	nctl_ifindex ifindex;

	if (r == NCTL_CODEC_SKIP)
		return verify_vlans(v, nlh);
	if (r != 0)
		return r == -ENOMEM ? r : 0;
	ifindex = decoded.ifindex;
	nctl_link_fini(&decoded);
	name_number(v, "link", ifindex);
	l = nctl_mirror_link_get(v->m, ifindex);
	if (!l)
		return missing_here(v);
	r = see(v, ifindex);
	if (r != 0)
		return r < 0 ? r : 0;
	r = nctl_link_state_diff(&l->v, nlh, tell, v);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		verify_differ(v, "the kernel's message cannot be read");
	note_attrs(v, nlh);
	verify_libnl(v, nlh, &(struct verify_object){.link = &l->v});
	return 0;
}

static int verify_addr(struct nctl_verify *v, const struct nlmsghdr *nlh)
{
	const struct nctl_mirror_addr *a;
	struct nctl_addr decoded;
	int r = nctl_addr_decode(nlh, &decoded);

	if (r != 0)
		return 0;
	name_addr(v, &decoded);
	a = nctl_mirror_addr_get(v->m, &decoded);
	if (!a)
		return missing_here(v);
	r = see(v, (uintptr_t)a);
	if (r != 0)
		return r < 0 ? r : 0;
	nctl_addr_encode_state(&a->v, &v->msg);
	return compare(v, nlh, &(struct verify_object){.addr = &a->v}, sizeof(struct ifaddrmsg));
}

static int verify_nexthop(struct nctl_verify *v, const struct nlmsghdr *nlh)
{
	const struct nctl_nexthop *n;
	struct nctl_nexthop decoded;
	int r = nctl_nexthop_decode(nlh, &v->scratch, &decoded);

	if (r != 0)
		return r == -ENOMEM ? r : 0;
	name_number(v, "nexthop", decoded.id);
	n = nctl_mirror_nexthop_get(v->m, decoded.id);
	if (!n)
		return missing_here(v);
	r = see(v, decoded.id);
	if (r != 0)
		return r < 0 ? r : 0;
	nctl_nexthop_encode_state(n, &v->msg);
	return compare(v, nlh, &(struct verify_object){.nexthop = n}, sizeof(struct nhmsg));
}

/* The one that is equal; else one of the same priority that no message has taken, which differs then. */
static const struct nctl_rule *find_rule(const struct nctl_verify *v, const struct nctl_rule *want)
{
	const struct nctl_rule *r, *near = NULL;

	for (size_t i = 0; (r = nctl_mirror_rule_at(v->m, want->family, i)); i++) {
		if (r->priority != want->priority || verify_seen_has(&v->seen, (uintptr_t)r))
			continue;
		if (nctl_rule_equal(r, want, true))
			return r;
		near = near ? near : r;
	}
	return near;
}

static int verify_rule(struct nctl_verify *v, const struct nlmsghdr *nlh)
{
	const struct nctl_rule *rule;
	struct nctl_rule decoded;
	int r = nctl_rule_decode(nlh, &v->scratch, &decoded);

	if (r != 0)
		return r == -ENOMEM ? r : 0;
	/* Those of multicast routing (RTNL_FAMILY_IPMR) are not mirrored. */
	if (decoded.family != AF_INET && decoded.family != AF_INET6)
		return 0;
	name_rule(v, &decoded);
	rule = find_rule(v, &decoded);
	if (!rule)
		return missing_here(v);
	r = see(v, (uintptr_t)rule);
	if (r != 0)
		return r < 0 ? r : 0;
	nctl_rule_encode_state(rule, &v->msg);
	return compare(v, nlh, &(struct verify_object){.rule = rule}, sizeof(struct fib_rule_hdr));
}

static bool is_place(const struct nctl_route *a, const struct nctl_route *b)
{
	return a->tos == b->tos && a->metric == b->metric && nctl_prefix_equal(&a->src, &b->src);
}

/*
 * The route that is equal; else one of the same place that no message has taken, if it is among the first ones
 * there. *ret_again: it is equal and was named before.
 */
static nctl_route_ref find_route(const struct nctl_verify *v, const struct nctl_route *want, bool *ret_again)
{
	nctl_route_ref ref = nctl_mirror_route_find(v->m, want), near;
	struct nctl_route r;

	*ret_again = ref && verify_seen_has(&v->seen, ref);
	near = *ret_again ? 0 : ref;
	if (ref)
		nctl_mirror_route_view(v->m, ref, &r);
	if (ref && nctl_route_diff(&r, want) == 0)
		return ref;
	ref = nctl_mirror_route_get(v->m, want->table, &want->dst);
	for (unsigned i = 0; ref && i < NEAR_MAX; ref = nctl_mirror_route_sibling(v->m, ref), i++) {
		nctl_mirror_route_view(v->m, ref, &r);
		if (!is_place(&r, want))
			continue;
		*ret_again = verify_seen_has(&v->seen, ref);
		if (nctl_route_diff(&r, want) == 0)
			return ref;
		near = near || *ret_again ? near : ref;
	}
	*ret_again = false;
	return near;
}

static int verify_route(struct nctl_verify *v, const struct nlmsghdr *nlh)
{
	struct nctl_route decoded, route;
	nctl_route_ref ref;
	bool again;
	int r = nctl_route_decode(nlh, &v->scratch, &decoded);

	if (r != 0)
		return r == -ENOMEM ? r : 0;
	name_route(v, &decoded);
	ref = find_route(v, &decoded, &again);
	if (!ref)
		return missing_here(v);
	r = again ? 1 : see(v, ref);
	if (r != 0)
		return r < 0 ? r : 0;
	nctl_mirror_route_view(v->m, ref, &route);
	nctl_route_encode_state(&route, &v->msg);
	return compare(v, nlh, &(struct verify_object){.route = &route}, sizeof(struct rtmsg));
}

int verify_object(struct nctl_verify *v, const struct nlmsghdr *nlh)
{
	switch (v->type) {
	case NCTL_OBJECT_LINK:
		return verify_link(v, nlh);
	case NCTL_OBJECT_ADDR:
		return verify_addr(v, nlh);
	case NCTL_OBJECT_NEXTHOP:
		return verify_nexthop(v, nlh);
	case NCTL_OBJECT_RULE:
		return verify_rule(v, nlh);
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
		return verify_route(v, nlh);
	case NCTL_OBJECT_N_TYPES:
		break;
	}
	return 0;
}

/* -- the mirror's objects that no message named -- */

static void gone(struct nctl_verify *v)
{
	verify_differ(v, "is in the mirror, not in the kernel");
}

static bool missing_link(struct nctl_verify *v)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(v->m, (nctl_ifindex)v->next + 1);

	if (!l)
		return false;
	v->next = l->v.ifindex;
	name_number(v, "link", l->v.ifindex);
	if (!verify_seen_has(&v->seen, l->v.ifindex))
		gone(v);
	return true;
}

/* Those of one link at a time. */
static bool missing_addr(struct nctl_verify *v)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(v->m, (nctl_ifindex)v->next + 1);
	const struct nctl_mirror_addr *a;

	if (!l)
		return false;
	v->next = l->v.ifindex;
	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a)) {
		name_addr(v, &a->v);
		if (!verify_seen_has(&v->seen, (uintptr_t)a))
			gone(v);
	}
	return true;
}

static bool missing_nexthop(struct nctl_verify *v)
{
	const struct nctl_nexthop *n;

	/* Behind the largest id there is nothing: one more would be the first again. */
	n = v->next < UINT32_MAX ? nctl_mirror_nexthop_from(v->m, (nctl_nhid)v->next + 1) : NULL;
	if (!n)
		return false;
	v->next = n->id;
	name_number(v, "nexthop", n->id);
	if (!verify_seen_has(&v->seen, n->id))
		gone(v);
	return true;
}

/* Those of one family at a time. */
static bool missing_rule(struct nctl_verify *v)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	const struct nctl_rule *r;

	if (v->next == NCTL_ARRAY_SIZE(families))
		return false;
	for (size_t i = 0; (r = nctl_mirror_rule_at(v->m, families[v->next], i)); i++) {
		name_rule(v, r);
		if (!verify_seen_has(&v->seen, (uintptr_t)r))
			gone(v);
	}
	v->next++;
	return true;
}

static bool missing_route(struct nctl_verify *v)
{
	nctl_route_ref ref = nctl_mirror_route_next(v->m, &v->cursor);
	struct nctl_route r;

	if (!ref)
		return false;
	if (verify_seen_has(&v->seen, ref))
		return true;
	nctl_mirror_route_view(v->m, ref, &r);
	name_route(v, &r);
	gone(v);
	return true;
}

bool verify_missing(struct nctl_verify *v)
{
	switch (v->type) {
	case NCTL_OBJECT_LINK:
		return missing_link(v);
	case NCTL_OBJECT_ADDR:
		return missing_addr(v);
	case NCTL_OBJECT_NEXTHOP:
		return missing_nexthop(v);
	case NCTL_OBJECT_RULE:
		return missing_rule(v);
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
		return missing_route(v);
	case NCTL_OBJECT_N_TYPES:
		break;
	}
	return false;
}
