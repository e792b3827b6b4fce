/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What Query asks for, as a cursor over the namespaces and what is in them, and the JSON lines of it.
 * The cursor is the serial of a namespace and a place in it, which the object keeps (query/): it survives
 * whatever happens between two calls, so that what is there all the time is told exactly once. Names in
 * filters are looked up when the query begins, of a query over all namespaces when it comes to each. Used by
 * ask.c and, piece by piece, by stream.c.
 */
#include "bus/query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/suggest.h"
#include "bus/private.h"
#include "bus/query/object.h"
#include "exec/live.h"

/* Objects that one nd_query_fill looks at: filters may skip all of them. */
#define LOOKS_A_FILL 4096
#define NETNS_COST   4 /* counted for a namespace: names are looked up in it */
#define FILTERS_MAX  64

static const struct nd_query_object *const objects[] = {
	&nd_query_of_link,
	&nd_query_of_address,
	&nd_query_of_route,
	&nd_query_of_rule,
	&nd_query_of_nexthop,
	&nd_query_of_neigh,
	&nd_query_of_fdb,
	&nd_query_of_vlan,
	&nd_query_of_vrf,
	&nd_query_of_maddr,
	&nd_query_of_netns,
	&nd_query_of_stats,
	&nd_query_of_verify,
};

int nd_query_no_netns(sd_bus_error *error, const char *name, const struct nd_netns *n)
{
	const char *why = n ? nd_netns_error(n) : strerror(ENOENT);

	if (n && !why)
		return sd_bus_error_setf(error, ND_BUS_ERROR "NotReady",
			"The daemon is still reading network namespace \"%s\"; try again in a moment.", name);
	return sd_bus_error_setf(
		error, ND_BUS_ERROR "NotFound", "Cannot open network namespace \"%s\": %s", name, why);
}

int nd_query_init(struct nd_query *q, const char *object, sd_bus_error *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf list = NCTL_STRBUF_INIT;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(objects); i++) {
		if (strcmp(object, objects[i]->name) == 0) {
			*q = (struct nd_query){.object = objects[i]};
			return 0;
		}
		nctl_strbuf_printf(&list, "%s%s", i ? ", " : "", objects[i]->name);
	}
	return sd_bus_error_setf(error, ND_BUS_ERROR "UnknownObject",
		"There is no object \"%.64s\"; there are: %s.", object, nctl_strbuf_str(&list));
}

int nd_query_filter(struct nd_query *q, const char *key, const char *value, sd_bus_error *error)
{
	const char *names[FILTERS_MAX], *near;
	size_t n = 0;

	for (const struct nd_query_filter *f = q->object->filters; f->name && n < FILTERS_MAX; f++) {
		if (strcmp(key, f->name) == 0)
			return f->parse(q, value, error);
		names[n++] = f->name;
	}
	near = nctl_suggest(key, names, n);
	return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidFilter", "There is no filter \"%.64s\"%s%s%s",
		key, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : ".");
}

bool nd_query_is_of_netns(const struct nd_query *q)
{
	return q->object->fill_set;
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

/* Enters the namespace of m. As the object's begin. */
static int enter(struct nd_query *q, const struct nctl_mirror *m, const char **ret_name)
{
	int r = q->object->begin(q, m, ret_name);

	q->inside = r == 0;
	return r;
}

int nd_query_begin(struct nd_query *q, const struct nd_netns_set *set, sd_bus_error *error)
{
	const struct nd_netns *n = *q->netns ? nd_netns_find(set, q->netns) : nd_netns_from(set, 0);
	struct nctl_mirror *m;
	const char *name = "";
	int r;

	if (*q->netns && !n)
		return nd_query_no_netns(error, q->netns, NULL);
	if (nd_query_is_of_netns(q) || q->space == ND_SCOPE_ALL)
		return 0;
	m = n ? nd_query_mirror(n) : NULL;
	if (!m)
		return *q->netns ? nd_query_no_netns(error, q->netns, n) : nd_not_ready(error);
	q->serial = nd_netns_serial(n);
	r = enter(q, m, &name);
	if (r == -ENODEV)
		return nd_filter_no_device(error, name);
	if (r == -ENXIO)
		return sd_bus_error_setf(error, ND_BUS_ERROR "NotFound",
			"Device with index %u does not exist.", q->devs.index);
	if (r == -EINVAL)
		return nd_filter_invalid(error, "This link is no VRF", name, "use \"master\"");
	return r;
}

int nd_query_begin_in(struct nd_query *q, const struct nd_netns *n)
{
	const struct nctl_mirror *m = nd_query_mirror(n);
	const char *name;

	q->serial = nd_netns_serial(n);
	return m ? enter(q, m, &name) : -ENXIO;
}

bool nd_fill_is_full(struct nd_fill *f)
{
	return f->out->err || f->out->len >= f->bytes || f->looked++ >= LOOKS_A_FILL;
}

void nd_fill_line(struct nd_fill *f, struct nctl_json *json)
{
	f->line = f->out->len;
	nctl_strbuf_put(f->out, nctl_strbuf_str(&f->head), f->head.len);
	f->value = f->out->len;
	nctl_json_init(json, f->out);
}

void nd_fill_line_end(struct nd_fill *f, bool keep)
{
	/* The members go on in the object that head began. */
	if (f->head.len && f->out->len > f->value)
		f->out->s[f->value] = ',';
	if (keep)
		nctl_strbuf_putc(f->out, '\n');
	else
		f->out->len = f->line;
}

int nd_query_live(struct nd_query *q, struct nd_fill *f)
{
	if (q->live)
		return 0;
	if (!q->ready)
		return -EOPNOTSUPP;
	return nctl_live_new(nd_netns_set_hub(f->set), nd_netns_session(f->netns), q->ready, q->userdata, &q->live);
}

void nd_query_end(struct nd_query *q)
{
	q->live = nctl_live_free(q->live);
	if (q->object->end)
		q->object->end(q);
}

void nd_query_put_netns(const struct nd_netns *n, struct nctl_json *json)
{
	const char *name = nd_netns_name(n);

	nctl_json_kstr(json, "netns", nd_netns_is_home(n) ? "" : name);
	if (!name && !nd_netns_is_home(n)) {
		nctl_json_ku64(json, "netns_cookie", nd_netns_cookie(n));
		nctl_json_ki64(json, "netns_pid", nd_netns_pid(n));
	}
}

/* From one namespace, the one that q is in. */
static int fill_one(
	struct nd_query *q, const struct nd_netns *n, const struct nctl_mirror *m, struct nd_fill *f)
{
	struct nctl_json json;
	int r;

	f->netns = n;
	f->m = m;
	f->head = NCTL_STRBUF_INIT;
	if (q->space == ND_SCOPE_ALL) {
		nctl_json_init(&json, &f->head);
		nctl_json_obj_begin(&json);
		nd_query_put_netns(n, &json);
	}
	r = f->head.err ? f->head.err : q->object->fill(q, f);
	nctl_strbuf_fini(&f->head);
	/* The next namespace has another kernel. */
	if (!q->inside)
		nd_query_end(q);
	return r;
}

static int fill_all(struct nd_query *q, struct nd_netns_set *set, struct nd_fill *f)
{
	int r = 0;

	while (r == 0 && !q->waiting && f->out->len < f->bytes && f->looked < LOOKS_A_FILL) {
		const struct nd_netns *n = nd_netns_from(set, q->serial);
		struct nctl_mirror *m = n ? nd_query_mirror(n) : NULL;
		const char *name;

		if (!n) {
			q->done = true;
			return 0;
		}
		if (nd_netns_serial(n) != q->serial)
			q->inside = false;
		q->serial = nd_netns_serial(n);
		f->looked += NETNS_COST;
		/* One without such a device has nothing to tell. */
		if (m && (q->inside || enter(q, m, &name) == 0))
			r = fill_one(q, n, m, f);
		else
			q->inside = false;
		if (!q->inside)
			q->serial++;
	}
	return r;
}

int nd_query_fill(struct nd_query *q, struct nd_netns_set *set, size_t bytes, struct nctl_strbuf *out)
{
	struct nd_fill f = {.set = set, .bytes = bytes, .out = out};
	const struct nd_netns *n;
	struct nctl_mirror *m;
	int r;

	q->waiting = false;
	if (nd_query_is_of_netns(q))
		return q->object->fill_set(q, set, &f);
	if (q->space == ND_SCOPE_ALL)
		return fill_all(q, set, &f);
	n = nd_netns_from(set, q->serial);
	m = n && nd_netns_serial(n) == q->serial ? nd_query_mirror(n) : NULL;
	if (!m)
		return -ENXIO;
	r = fill_one(q, n, m, &f);
	q->done = !q->inside;
	return r;
}
