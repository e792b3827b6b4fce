/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Rules for Query, in the kernel's order. The cursor is a family, a priority, and how many of that were
 * looked at: so rules that come and go elsewhere neither hide nor repeat one.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "bus/query/object.h"
#include "mirror/route.h"

static int filter_priority(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->rule.has |= ND_RULE_PRIORITY;
	return nd_filter_u32("No priority", value, UINT32_MAX, &q->rule.priority, error);
}

static int filter_table(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->rule.has |= ND_RULE_TABLE;
	if (nctl_route_table_parse(value, &q->rule.table) < 0)
		return nd_filter_invalid(
			error, "No routing table", value, "main, local, default, or a number");
	return 0;
}

static int filter_from(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return strcmp(value, "all") == 0 ? 0 : nd_filter_prefix(value, &q->rule.src, error);
}

static int filter_to(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return strcmp(value, "all") == 0 ? 0 : nd_filter_prefix(value, &q->rule.dst, error);
}

/* A rule names a device that need not be there. */
static int set_device(char name[IF_NAMESIZE], const char *value, sd_bus_error *error)
{
	if (!*value || strlen(value) >= IF_NAMESIZE)
		return nd_filter_invalid(error, "No name of a device", value, NULL);
	strcpy(name, value);
	return 0;
}

static int filter_iif(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return set_device(q->rule.iif, value, error);
}

static int filter_oif(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return set_device(q->rule.oif, value, error);
}

static int filter_fwmark(struct nd_query *q, const char *value, sd_bus_error *error)
{
	const char *slash = strchr(value, '/');
	size_t len = slash ? (size_t)(slash - value) : strlen(value);
	char mark[16] = "";

	q->rule.has |= ND_RULE_MARK;
	if (len < sizeof(mark))
		memcpy(mark, value, len);
	if (nd_parse_mark(mark, &q->rule.mark) < 0 || (slash && nd_parse_mark(slash + 1, &q->rule.mask) < 0))
		return nd_filter_invalid(error, "No mark", value, "MARK or MARK/MASK");
	if (slash)
		q->rule.has |= ND_RULE_MASK;
	return 0;
}

static int filter_protocol(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->rule.has |= ND_RULE_PROTO;
	if (nctl_route_protocol_parse(value, &q->rule.protocol) < 0)
		return nd_filter_invalid(error, "No routing protocol", value, NULL);
	return 0;
}

static bool prefix_fits(const struct nctl_prefix *want, const struct nctl_prefix *have)
{
	return !want->family || (have->family && nctl_prefix_contains(want, have));
}

static bool fits(const struct nd_query *q, const struct nctl_rule *r)
{
	const struct nd_query_rule *w = &q->rule;

	if ((w->has & ND_RULE_PRIORITY && r->priority != w->priority) ||
		(w->has & ND_RULE_TABLE && r->table != w->table) ||
		(w->has & ND_RULE_PROTO && r->protocol != w->protocol))
		return false;
	if (w->has & ND_RULE_MARK && (!r->has_mark || r->mark != w->mark))
		return false;
	if (w->has & ND_RULE_MASK && r->mask != w->mask)
		return false;
	if ((*w->iif && strcmp(w->iif, r->iif) != 0) || (*w->oif && strcmp(w->oif, r->oif) != 0))
		return false;
	return prefix_fits(&w->src, &r->src) && prefix_fits(&w->dst, &r->dst);
}

static int begin(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	(void)m;
	(void)ret_name;
	/* As ip(8). */
	if (!q->family)
		q->family = q->rule.src.family ? q->rule.src.family : q->rule.dst.family;
	if (!q->family)
		q->family = AF_INET;
	q->rule.at = 0;
	q->rule.nth = 0;
	return 0;
}

/* Which rule of the family is the first of at least that priority? */
static size_t find(const struct nctl_mirror *m, uint8_t family, uint32_t priority)
{
	size_t from = 0, to = nctl_mirror_rule_count(m, family);

	while (from < to) {
		size_t at = from + (to - from) / 2;
		const struct nctl_rule *r = nctl_mirror_rule_at(m, family, at);

		if (r && r->priority < priority)
			from = at + 1;
		else
			to = at;
	}
	return from;
}

static int fill(struct nd_query *q, struct nd_fill *f)
{
	size_t i = find(f->m, q->family, q->rule.at) + q->rule.nth;
	const struct nctl_rule *r;
	struct nctl_json json;

	for (; (r = nctl_mirror_rule_at(f->m, q->family, i)); i++) {
		if (nd_fill_is_full(f))
			return f->out->err;
		q->rule.nth = r->priority == q->rule.at ? q->rule.nth + 1 : 1;
		q->rule.at = r->priority;
		if (!fits(q, r))
			continue;
		nd_fill_line(f, &json);
		nctl_rule_json(r, &json);
		nd_fill_line_end(f, true);
	}
	q->inside = false;
	return f->out->err;
}

static const struct nd_query_filter filters[] = {ND_FILTERS_NETNS, {"family", nd_filter_family},
	{"priority", filter_priority}, {"table", filter_table}, {"from", filter_from}, {"to", filter_to},
	{"iif", filter_iif}, {"oif", filter_oif}, {"fwmark", filter_fwmark}, {"protocol", filter_protocol},
	{0}};

const struct nd_query_object nd_query_of_rule = {
	.name = "rule", .filters = filters, .begin = begin, .fill = fill};
