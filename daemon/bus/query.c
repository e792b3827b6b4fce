/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What Query asks for, as a cursor over the mirror and a set of filters, and the JSON lines of it. The
 * cursor is an ifindex, so that it survives whatever happens to the mirror between two calls: a link that is
 * there all the time is told exactly once. Names in filters are looked up when the query begins. Used by
 * method.c and, piece by piece, by stream.c.
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/num.h"
#include "base/suggest.h"
#include "bus/private.h"

/* Links that one nd_query_fill looks at: filters may skip all of them. */
#define LINKS_A_FILL 4096

static int invalid(sd_bus_error *error, const char *what, const char *value, const char *advice)
{
	return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidFilter", "%s: %.64s%s%s", what, value,
		advice ? "; " : "", advice ? advice : "");
}

static int find_link(const struct nctl_mirror *m, const char *name, nctl_ifindex *ret, sd_bus_error *error)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_find(m, name);

	if (!l)
		/* ip(8)'s words */
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "NotFound", "Device \"%.64s\" does not exist.", name);
	*ret = l->v.ifindex;
	return 0;
}

static int filter_dev(struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error)
{
	return find_link(m, value, &q->dev, error);
}

static int filter_index(
	struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error)
{
	uint32_t v;

	if (nctl_parse_u32(value, 10, 1, INT32_MAX, &v) < 0)
		return invalid(error, "No interface index", value, NULL);
	if (!nctl_mirror_link_get(m, v))
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "NotFound", "Device with index %u does not exist.", v);
	q->dev = v;
	return 0;
}

static int filter_type(
	struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error)
{
	(void)m;
	q->kind = nctl_kind_find(value);
	if (strlen(value) >= sizeof(q->kind_name) || !*value)
		return invalid(error, "No kind of a link", value, NULL);
	strcpy(q->kind_name, value);
	return 0;
}

static int filter_master(
	struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error)
{
	return find_link(m, value, &q->master, error);
}

static int filter_vrf(struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error)
{
	const struct nctl_mirror_link *l;
	int r = find_link(m, value, &q->master, error);

	if (r < 0)
		return r;
	l = nctl_mirror_link_get(m, q->master);
	if (!l->v.kind || !(l->v.kind->traits & NCTL_KIND_VRF))
		return invalid(error, "This link is no VRF", value, "use \"master\"");
	return 0;
}

static int filter_up(struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error)
{
	(void)m;
	if (*value)
		return invalid(error, "\"up\" has no value", value, NULL);
	q->up = true;
	return 0;
}

static int filter_family(
	struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error)
{
	(void)m;
	if (strcmp(value, "inet") == 0)
		q->family = AF_INET;
	else if (strcmp(value, "inet6") == 0)
		q->family = AF_INET6;
	else
		return invalid(error, "No address family", value, "inet or inet6");
	return 0;
}

static int filter_to(struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error)
{
	(void)m;
	if (nctl_prefix_parse(value, NCTL_PREFIX_ANY, &q->to) != 0)
		return invalid(error, "No prefix", value, NULL);
	return 0;
}

static int filter_scope(
	struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error)
{
	static const struct {
		const char *name;
		uint8_t scope;
	} names[] = {{"global", RT_SCOPE_UNIVERSE}, {"site", RT_SCOPE_SITE}, {"link", RT_SCOPE_LINK},
		{"host", RT_SCOPE_HOST}};
	uint32_t v;

	(void)m;
	q->scoped = true;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(names); i++) {
		if (strcmp(value, names[i].name) == 0) {
			q->scope = names[i].scope;
			return 0;
		}
	}
	if (nctl_parse_u32(value, 10, 0, UINT8_MAX, &v) < 0)
		return invalid(error, "No scope", value, "global, site, link, host, or a number");
	q->scope = (uint8_t)v;
	return 0;
}

static const struct {
	const char *name;
	bool of_addresses; /* means nothing for links */
	int (*parse)(struct nd_query *q, const struct nctl_mirror *m, const char *value, sd_bus_error *error);
} filters[] = {
	{"dev", false, filter_dev},
	{"index", false, filter_index},
	{"type", false, filter_type},
	{"master", false, filter_master},
	{"vrf", false, filter_vrf},
	{"up", false, filter_up},
	{"family", true, filter_family},
	{"to", true, filter_to},
	{"scope", true, filter_scope},
};

int nd_query_init(struct nd_query *q, const char *object, sd_bus_error *error)
{
	*q = (struct nd_query){.next = 1};
	if (strcmp(object, "link") == 0)
		q->object = ND_QUERY_LINK;
	else if (strcmp(object, "address") == 0)
		q->object = ND_QUERY_ADDRESS;
	else
		return sd_bus_error_setf(error, ND_BUS_ERROR "UnknownObject",
			"There is no object \"%.64s\"; there are link and address.", object);
	return 0;
}

int nd_query_filter(struct nd_query *q, const struct nctl_mirror *m, const char *key, const char *value,
	sd_bus_error *error)
{
	const char *names[NCTL_ARRAY_SIZE(filters)], *near;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(filters); i++) {
		bool fits = q->object == ND_QUERY_ADDRESS || !filters[i].of_addresses;

		if (fits && strcmp(key, filters[i].name) == 0)
			return filters[i].parse(q, m, value, error);
		names[i] = fits ? filters[i].name : NULL;
	}
	near = nctl_suggest(key, names, NCTL_ARRAY_SIZE(filters));
	return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidFilter", "There is no filter \"%.64s\"%s%s%s",
		key, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : ".");
}

static bool link_fits(const struct nd_query *q, const struct nctl_link *l)
{
	const char *kind;

	if (q->master && l->master != q->master)
		return false;
	if (q->up && !nctl_link_is_up(l))
		return false;
	if (q->kind)
		return l->kind == q->kind;
	kind = nctl_link_kind_name(l);
	return !*q->kind_name || (kind && strcmp(kind, q->kind_name) == 0);
}

static bool addr_fits(const struct nd_query *q, const struct nctl_addr *a)
{
	struct nctl_prefix host = a->local;

	if (q->family && a->local.family != q->family)
		return false;
	if (q->scoped && a->scope != q->scope)
		return false;
	/* ip(8) compares the address, not its network. */
	host.len = (uint8_t)nctl_prefix_bits(host.family);
	return !q->to.family || nctl_prefix_contains(&q->to, &host);
}

static void put_addresses(
	const struct nd_query *q, const struct nctl_mirror_link *l, struct nctl_json *json, bool *ret_any)
{
	const struct nctl_mirror_addr *a;

	*ret_any = false;
	nctl_json_key(json, "addr_info");
	nctl_json_arr_begin(json);
	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a)) {
		if (!addr_fits(q, &a->v))
			continue;
		nctl_addr_json(&a->v, json);
		*ret_any = true;
	}
	nctl_json_arr_end(json);
}

/* As ip(8): who asks for certain addresses does not want to see the links that have none of them. */
static void put_line(const struct nd_query *q, const struct nctl_mirror_link *l,
	const struct nctl_names *names, struct nctl_strbuf *out)
{
	size_t begin = out->len;
	struct nctl_json json;
	bool any = true;

	nctl_json_init(&json, out);
	switch (q->object) {
	case ND_QUERY_LINK:
		nctl_link_json(&l->v, names, &json);
		break;
	case ND_QUERY_ADDRESS:
		nctl_json_obj_begin(&json);
		nctl_link_json_brief(&l->v, names, &json);
		put_addresses(q, l, &json, &any);
		nctl_json_obj_end(&json);
		any = any || !(q->family || q->scoped || q->to.family);
		break;
	}
	if (any)
		nctl_strbuf_putc(out, '\n');
	else
		out->len = begin;
}

int nd_query_fill(struct nd_query *q, const struct nctl_mirror *m, size_t bytes, struct nctl_strbuf *out)
{
	const struct nctl_names names = nctl_mirror_names(m);
	const struct nctl_mirror_link *l;
	size_t looked = 0;

	l = q->dev ? nctl_mirror_link_get(m, q->dev) : nctl_mirror_link_from(m, q->next);
	for (; l; l = nctl_mirror_link_next(l)) {
		if (out->len >= bytes || looked++ == LINKS_A_FILL) {
			q->next = l->v.ifindex;
			return out->err;
		}
		if (link_fits(q, &l->v))
			put_line(q, l, &names, out);
		if (q->dev)
			break;
	}
	q->next = 0;
	return out->err;
}
