/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What Query asks for, as a cursor over the namespaces and their mirrors and a set of filters, and the
 * JSON lines of it. The cursor is the serial of a namespace and an ifindex in it, so that it survives
 * whatever happens between two calls: a link that is there all the time is told exactly once. Names in
 * filters are looked up when the query begins, of a query over all namespaces when it comes to each. Used by
 * ask.c and, piece by piece, by stream.c.
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
#include "bus/query.h"

/* Links that one nd_query_fill looks at: filters may skip all of them. */
#define LINKS_A_FILL 4096
#define NETNS_COST   4 /* counted for a namespace: names are looked up in it */

static int invalid(sd_bus_error *error, const char *what, const char *value, const char *advice)
{
	return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidFilter", "%s: %.64s%s%s", what, value,
		advice ? "; " : "", advice ? advice : "");
}

static int no_device(sd_bus_error *error, const char *name)
{
	/* ip(8)'s words */
	return sd_bus_error_setf(error, ND_BUS_ERROR "NotFound", "Device \"%.64s\" does not exist.", name);
}

int nd_query_no_netns(sd_bus_error *error, const char *name, const struct nd_netns *n)
{
	const char *why = n ? nd_netns_error(n) : strerror(ENOENT);

	if (n && !why)
		return sd_bus_error_setf(error, ND_BUS_ERROR "NotReady",
			"The daemon is still reading network namespace \"%s\"; try again in a moment.", name);
	return sd_bus_error_setf(
		error, ND_BUS_ERROR "NotFound", "Cannot open network namespace \"%s\": %s", name, why);
}

static int set_name(char name[128], const char *value, sd_bus_error *error)
{
	/* No name of a device, nor an alternative one, is longer. */
	if (!*value || strlen(value) >= 128)
		return no_device(error, value);
	strcpy(name, value);
	return 0;
}

static int filter_dev(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return set_name(q->dev_name, value, error);
}

static int filter_index(struct nd_query *q, const char *value, sd_bus_error *error)
{
	uint32_t v;

	if (nctl_parse_u32(value, 10, 1, INT32_MAX, &v) < 0)
		return invalid(error, "No interface index", value, NULL);
	q->index = v;
	return 0;
}

static int filter_type(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->kind = nctl_kind_find(value);
	if (strlen(value) >= sizeof(q->kind_name) || !*value)
		return invalid(error, "No kind of a link", value, NULL);
	strcpy(q->kind_name, value);
	return 0;
}

static int filter_master(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return set_name(q->master_name, value, error);
}

static int filter_vrf(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->vrf = true;
	return set_name(q->master_name, value, error);
}

static int filter_up(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (*value)
		return invalid(error, "\"up\" has no value", value, NULL);
	q->up = true;
	return 0;
}

static int filter_family(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (strcmp(value, "inet") == 0)
		q->family = AF_INET;
	else if (strcmp(value, "inet6") == 0)
		q->family = AF_INET6;
	else
		return invalid(error, "No address family", value, "inet or inet6");
	return 0;
}

static int filter_to(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (nctl_prefix_parse(value, NCTL_PREFIX_ANY, &q->to) != 0)
		return invalid(error, "No prefix", value, NULL);
	return 0;
}

static int filter_scope(struct nd_query *q, const char *value, sd_bus_error *error)
{
	static const struct {
		const char *name;
		uint8_t scope;
	} names[] = {{"global", RT_SCOPE_UNIVERSE}, {"site", RT_SCOPE_SITE}, {"link", RT_SCOPE_LINK},
		{"host", RT_SCOPE_HOST}};
	uint32_t v;

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

static int filter_netns(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (!*value || strlen(value) >= sizeof(q->netns))
		return invalid(error, "No name of a network namespace", value, NULL);
	strcpy(q->netns, value);
	if (q->space == ND_SCOPE_ALL)
		return invalid(error, "\"all-netns\" is given as well", value, NULL);
	q->space = ND_SCOPE_ONE;
	return 0;
}

static int filter_all_netns(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (*value)
		return invalid(error, "\"all-netns\" has no value", value, NULL);
	if (q->space == ND_SCOPE_ONE)
		return invalid(error, "\"netns\" is given as well", q->netns, NULL);
	q->space = ND_SCOPE_ALL;
	return 0;
}

static int filter_all(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (*value)
		return invalid(error, "\"all\" has no value", value, NULL);
	q->nameless = true;
	return 0;
}

#define OF(object) (1u << (object))
#define OF_LINKS   (OF(ND_QUERY_LINK) | OF(ND_QUERY_ADDRESS))

static const struct {
	const char *name;
	unsigned of; /* objects that it means something for */
	int (*parse)(struct nd_query *q, const char *value, sd_bus_error *error);
} filters[] = {
	{"dev", OF_LINKS, filter_dev},
	{"index", OF_LINKS, filter_index},
	{"type", OF_LINKS, filter_type},
	{"master", OF_LINKS, filter_master},
	{"vrf", OF_LINKS, filter_vrf},
	{"up", OF_LINKS, filter_up},
	{"netns", OF_LINKS, filter_netns},
	{"all-netns", OF_LINKS, filter_all_netns},
	{"family", OF(ND_QUERY_ADDRESS), filter_family},
	{"to", OF(ND_QUERY_ADDRESS), filter_to},
	{"scope", OF(ND_QUERY_ADDRESS), filter_scope},
	{"name", OF(ND_QUERY_NETNS), filter_netns},
	{"all", OF(ND_QUERY_NETNS), filter_all},
};

int nd_query_init(struct nd_query *q, const char *object, sd_bus_error *error)
{
	static const char *const objects[] = {
		[ND_QUERY_LINK] = "link", [ND_QUERY_ADDRESS] = "address", [ND_QUERY_NETNS] = "netns"};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(objects); i++) {
		if (strcmp(object, objects[i]) == 0) {
			*q = (struct nd_query){.object = (enum nd_query_object)i};
			return 0;
		}
	}
	return sd_bus_error_setf(error, ND_BUS_ERROR "UnknownObject",
		"There is no object \"%.64s\"; there are link, address and netns.", object);
}

int nd_query_filter(struct nd_query *q, const char *key, const char *value, sd_bus_error *error)
{
	const char *names[NCTL_ARRAY_SIZE(filters)], *near;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(filters); i++) {
		bool fits = filters[i].of & OF(q->object);

		if (fits && strcmp(key, filters[i].name) == 0)
			return filters[i].parse(q, value, error);
		names[i] = fits ? filters[i].name : NULL;
	}
	near = nctl_suggest(key, names, NCTL_ARRAY_SIZE(filters));
	return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidFilter", "There is no filter \"%.64s\"%s%s%s",
		key, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : ".");
}

struct nctl_mirror *nd_query_mirror(const struct nd_netns *n)
{
	struct nctl_session *s = nd_netns_session(n);
	struct nctl_session_stats stats;

	if (!s)
		return NULL;
	nctl_session_get_stats(s, &stats);
	return nctl_session_is_synced(s) || stats.resyncs ? nctl_session_mirror(s) : NULL;
}

bool nd_query_is_settled(const struct nd_netns *n)
{
	return nd_netns_error(n) || nd_query_mirror(n);
}

/* Looks up what q names. 0, -ENODEV with the name, -ENXIO: no such index, -EINVAL: no VRF. */
static int enter(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	const struct nctl_mirror_link *l;

	q->next = 1;
	q->dev = q->index;
	q->master = 0;
	if (q->index && !nctl_mirror_link_get(m, q->index))
		return -ENXIO;
	if (*q->dev_name) {
		*ret_name = q->dev_name;
		l = nctl_mirror_link_find(m, q->dev_name);
		if (!l)
			return -ENODEV;
		/* Both an index and a name: of one link, or nothing fits (no link has that index), which is
		 * no error. */
		q->dev = q->index && q->index != l->v.ifindex ? UINT32_MAX : l->v.ifindex;
	}
	if (*q->master_name) {
		*ret_name = q->master_name;
		l = nctl_mirror_link_find(m, q->master_name);
		if (!l)
			return -ENODEV;
		if (q->vrf && (!l->v.kind || !(l->v.kind->traits & NCTL_KIND_VRF)))
			return -EINVAL;
		q->master = l->v.ifindex;
	}
	return 0;
}

int nd_query_begin(struct nd_query *q, const struct nd_netns_set *set, sd_bus_error *error)
{
	const struct nd_netns *n = *q->netns ? nd_netns_find(set, q->netns) : nd_netns_from(set, 0);
	struct nctl_mirror *m;
	const char *name = "";
	int r;

	if (*q->netns && !n)
		return nd_query_no_netns(error, q->netns, NULL);
	if (q->object == ND_QUERY_NETNS || q->space == ND_SCOPE_ALL)
		return 0;
	m = n ? nd_query_mirror(n) : NULL;
	if (!m)
		return *q->netns ? nd_query_no_netns(error, q->netns, n) : nd_not_ready(error);
	q->serial = nd_netns_serial(n);
	r = enter(q, m, &name);
	if (r == -ENODEV)
		return no_device(error, name);
	if (r == -ENXIO)
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "NotFound", "Device with index %u does not exist.", q->index);
	if (r == -EINVAL)
		return invalid(error, "This link is no VRF", name, "use \"master\"");
	return r;
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
	const struct nctl_names *names, const struct nctl_strbuf *head, struct nctl_strbuf *out)
{
	size_t begin = out->len, at;
	struct nctl_json json;
	bool any = true;

	nctl_strbuf_put(out, nctl_strbuf_str(head), head->len);
	at = out->len;
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
	case ND_QUERY_NETNS:
		break;
	}
	/* The members go on in the object that head began. */
	if (head->len && out->len > at)
		out->s[at] = ',';
	if (any)
		nctl_strbuf_putc(out, '\n');
	else
		out->len = begin;
}

/* What a line of a query over all namespaces begins with, but for the comma. */
static void put_head(const struct nd_netns *n, struct nctl_strbuf *head)
{
	const char *name = nd_netns_name(n);
	struct nctl_json json;

	nctl_json_init(&json, head);
	nctl_json_obj_begin(&json);
	nctl_json_kstr(&json, "netns", nd_netns_is_home(n) ? "" : name);
	if (!name && !nd_netns_is_home(n)) {
		nctl_json_ku64(&json, "netns_cookie", nd_netns_cookie(n));
		nctl_json_ki64(&json, "netns_pid", nd_netns_pid(n));
	}
}

/* The links of one namespace, from q->next on, which is 0 at its end. */
static int fill_links(struct nd_query *q, const struct nd_netns *n, const struct nctl_mirror *m, size_t bytes,
	size_t *looked, struct nctl_strbuf *out)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf head = NCTL_STRBUF_INIT;
	const struct nctl_names names = nctl_mirror_names(m);
	const struct nctl_mirror_link *l;

	if (q->space == ND_SCOPE_ALL)
		put_head(n, &head);
	if (head.err)
		return head.err;
	l = q->dev ? nctl_mirror_link_get(m, q->dev) : nctl_mirror_link_from(m, q->next);
	for (; l; l = nctl_mirror_link_next(l)) {
		if (out->len >= bytes || (*looked)++ >= LINKS_A_FILL) {
			q->next = l->v.ifindex;
			return out->err;
		}
		if (link_fits(q, &l->v))
			put_line(q, l, &names, &head, out);
		if (q->dev)
			break;
	}
	q->next = 0;
	return out->err;
}

/* One more name of a namespace, of which another line tells all. */
static void put_name(const struct nd_netns *n, const char *name, struct nctl_strbuf *out)
{
	struct nctl_session *s = nd_netns_session(n);
	const char *first = nd_netns_name(n);
	struct nctl_json json;

	nctl_json_init(&json, out);
	nctl_json_obj_begin(&json);
	nctl_json_kstr(&json, "name", name);
	if (s && nctl_session_nsid(s) != NCTL_NSID_NONE)
		nctl_json_ki64(&json, "id", nctl_session_nsid(s));
	nctl_json_ku64(&json, "cookie", nd_netns_cookie(n));
	nctl_json_kstr(&json, "same_as", first ? first : "");
	nctl_json_obj_end(&json);
	nctl_strbuf_putc(out, '\n');
}

/* A line for each name, as ip-netns(8) has it. */
static void put_netns(const struct nd_query *q, const struct nd_netns *n, struct nctl_strbuf *out)
{
	const char *first = nd_netns_name(n), *name;
	struct nctl_json json;

	if (first ? !*q->netns || strcmp(q->netns, first) == 0 : q->nameless && !*q->netns) {
		nctl_json_init(&json, out);
		nd_netns_json(n, &json);
		nctl_strbuf_putc(out, '\n');
	}
	/* Of home all names are further ones. */
	for (size_t i = first ? 1 : 0; (name = nd_netns_name_at(n, i)); i++)
		if (!*q->netns || strcmp(q->netns, name) == 0)
			put_name(n, name, out);
}

static int fill_netns(
	struct nd_query *q, const struct nd_netns_set *set, size_t bytes, struct nctl_strbuf *out)
{
	const struct nd_netns *n;
	size_t looked = 0;

	if (*q->netns) {
		n = nd_netns_find(set, q->netns);
		if (n)
			put_netns(q, n, out);
		q->done = true;
		return n ? out->err : -ENXIO;
	}
	for (n = nd_netns_from(set, q->serial); n; n = nd_netns_next(n)) {
		if (out->len >= bytes || looked++ >= LINKS_A_FILL) {
			q->serial = nd_netns_serial(n);
			return out->err;
		}
		put_netns(q, n, out);
	}
	q->done = true;
	return out->err;
}

static int fill_all(struct nd_query *q, const struct nd_netns_set *set, size_t bytes, struct nctl_strbuf *out)
{
	size_t looked = 0;
	int r = 0;

	while (r == 0 && out->len < bytes && looked < LINKS_A_FILL) {
		const struct nd_netns *n = nd_netns_from(set, q->serial);
		struct nctl_mirror *m = n ? nd_query_mirror(n) : NULL;
		const char *name;

		if (!n) {
			q->done = true;
			return 0;
		}
		if (nd_netns_serial(n) != q->serial)
			q->next = 0;
		q->serial = nd_netns_serial(n);
		looked += NETNS_COST;
		/* One without such a device has nothing to tell. */
		if (m && (q->next || enter(q, m, &name) == 0))
			r = fill_links(q, n, m, bytes, &looked, out);
		else
			q->next = 0;
		if (q->next == 0)
			q->serial++;
	}
	return r;
}

int nd_query_fill(struct nd_query *q, const struct nd_netns_set *set, size_t bytes, struct nctl_strbuf *out)
{
	const struct nd_netns *n;
	struct nctl_mirror *m;
	size_t looked = 0;
	int r;

	if (q->object == ND_QUERY_NETNS)
		return fill_netns(q, set, bytes, out);
	if (q->space == ND_SCOPE_ALL)
		return fill_all(q, set, bytes, out);
	n = nd_netns_from(set, q->serial);
	m = n && nd_netns_serial(n) == q->serial ? nd_query_mirror(n) : NULL;
	if (!m)
		return -ENXIO;
	r = fill_links(q, n, m, bytes, &looked, out);
	q->done = q->next == 0;
	return r;
}
