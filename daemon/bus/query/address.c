/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Addresses for Query: a line a link with its addresses, as ip(8) has it. Who asks for certain addresses
 * does not want to see the links that have none of them.
 */
#include <fnmatch.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "bus/query/object.h"

static int filter_to(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->address.filtered = true;
	return nd_filter_prefix(value, &q->address.to, error);
}

static int filter_family(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->address.filtered = true;
	return nd_filter_family(q, value, error);
}

static int filter_scope(struct nd_query *q, const char *value, sd_bus_error *error)
{
	static const struct {
		const char *name;
		uint8_t scope;
	} names[] = {{"global", RT_SCOPE_UNIVERSE}, {"site", RT_SCOPE_SITE}, {"link", RT_SCOPE_LINK},
		{"host", RT_SCOPE_HOST}};
	uint32_t v;

	q->address.scoped = q->address.filtered = true;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(names); i++) {
		if (strcmp(value, names[i].name) == 0) {
			q->address.scope = names[i].scope;
			return 0;
		}
	}
	if (nctl_parse_u32(value, 10, 0, UINT8_MAX, &v) < 0)
		return nd_filter_invalid(error, "No scope", value, "global, site, link, host, or a number");
	q->address.scope = (uint8_t)v;
	return 0;
}

static int filter_label(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (!*value || strlen(value) >= sizeof(q->address.label))
		return nd_filter_invalid(error, "No label", value, NULL);
	strcpy(q->address.label, value);
	q->address.filtered = true;
	return 0;
}

/* ip-address(8)'s words; the value is "not" where it has a "-" in front of the word. */
static int set_flag(
	struct nd_query *q, uint32_t flag, bool set, const char *word, const char *value, sd_bus_error *error)
{
	if (*value && strcmp(value, "not") != 0)
		return nd_filter_invalid(error, word, value, "no value, or \"not\"");
	if (*value)
		set = !set;
	q->address.flags_mask |= flag;
	q->address.flags = set ? q->address.flags | flag : q->address.flags & ~flag;
	q->address.filtered = true;
	return 0;
}

#define FLAG_FILTER(word_, flag_, set_)                                                                      \
	static int filter_##word_(struct nd_query *q, const char *value, sd_bus_error *error)                \
	{                                                                                                    \
		return set_flag(q, flag_, set_, #word_, value, error);                                       \
	}

FLAG_FILTER(permanent, IFA_F_PERMANENT, true)
FLAG_FILTER(dynamic, IFA_F_PERMANENT, false)
FLAG_FILTER(secondary, IFA_F_SECONDARY, true)
FLAG_FILTER(primary, IFA_F_SECONDARY, false)
FLAG_FILTER(tentative, IFA_F_TENTATIVE, true)
FLAG_FILTER(deprecated, IFA_F_DEPRECATED, true)
FLAG_FILTER(dadfailed, IFA_F_DADFAILED, true)
FLAG_FILTER(home, IFA_F_HOMEADDRESS, true)
FLAG_FILTER(mngtmpaddr, IFA_F_MANAGETEMPADDR, true)
FLAG_FILTER(nodad, IFA_F_NODAD, true)
FLAG_FILTER(optimistic, IFA_F_OPTIMISTIC, true)
FLAG_FILTER(noprefixroute, IFA_F_NOPREFIXROUTE, true)
FLAG_FILTER(autojoin, IFA_F_MCAUTOJOIN, true)

static bool fits(const struct nd_query *q, const struct nctl_addr *a)
{
	const struct nd_query_address *w = &q->address;
	struct nctl_prefix host = a->local;

	if (q->family && a->local.family != q->family)
		return false;
	if (w->scoped && a->scope != w->scope)
		return false;
	if ((a->flags & w->flags_mask) != w->flags)
		return false;
	/* IPv6 has none, and passes, as in ip(8). */
	if (*w->label && a->local.family == AF_INET && fnmatch(w->label, a->label, 0) != 0)
		return false;
	/* ip(8) compares the address, not its network. */
	host.len = (uint8_t)nctl_prefix_bits(host.family);
	return !w->to.family || nctl_prefix_contains(&w->to, &host);
}

static void put(const struct nd_query *q, struct nd_fill *f, const struct nctl_mirror_link *l,
	const struct nctl_names *names)
{
	const struct nctl_mirror_addr *a;
	struct nctl_json json;
	bool any = false;

	nd_fill_line(f, &json);
	nctl_json_obj_begin(&json);
	nctl_link_json_brief(&l->v, names, &json);
	nctl_json_key(&json, "addr_info");
	nctl_json_arr_begin(&json);
	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a)) {
		if (!fits(q, &a->v))
			continue;
		nctl_addr_json(&a->v, &json);
		any = true;
	}
	nctl_json_arr_end(&json);
	nctl_json_obj_end(&json);
	nd_fill_line_end(f, any || !q->address.filtered);
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	return nd_query_links_fill(q, f, put);
}

static const struct nd_query_filter filters[] = {ND_FILTERS_LINK, ND_FILTERS_NETNS, {"family", filter_family},
	{"to", filter_to}, {"scope", filter_scope}, {"label", filter_label}, {"permanent", filter_permanent},
	{"dynamic", filter_dynamic}, {"secondary", filter_secondary}, {"temporary", filter_secondary},
	{"primary", filter_primary}, {"tentative", filter_tentative}, {"deprecated", filter_deprecated},
	{"dadfailed", filter_dadfailed}, {"home", filter_home}, {"mngtmpaddr", filter_mngtmpaddr},
	{"nodad", filter_nodad}, {"optimistic", filter_optimistic}, {"noprefixroute", filter_noprefixroute},
	{"autojoin", filter_autojoin}, {0}};

const struct nd_query_object nd_query_of_address = {
	.name = "address", .filters = filters, .begin = nd_query_links_begin, .fill = fill};
