/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Namespaces for Query: a line for each name, as ip-netns(8) has it, in the order in which they were
 * met.
 */
#include <errno.h>
#include <string.h>

#include "bus/query/object.h"

static int filter_all(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return nd_filter_flag("all", value, &q->names.nameless, error);
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

static void put(const struct nd_query *q, const struct nd_netns *n, struct nctl_strbuf *out)
{
	const char *first = nd_netns_name(n), *name;
	struct nctl_json json;

	if (first ? !*q->netns || strcmp(q->netns, first) == 0 : q->names.nameless && !*q->netns) {
		nctl_json_init(&json, out);
		nd_netns_json(n, &json);
		nctl_strbuf_putc(out, '\n');
	}
	/* Of home all names are further ones. */
	for (size_t i = first ? 1 : 0; (name = nd_netns_name_at(n, i)); i++)
		if (!*q->netns || strcmp(q->netns, name) == 0)
			put_name(n, name, out);
}

static int fill(struct nd_query *q, const struct nd_netns_set *set, struct nd_fill *f)
{
	const struct nd_netns *n;

	if (*q->netns) {
		n = nd_netns_find(set, q->netns);
		if (n)
			put(q, n, f->out);
		q->done = true;
		return n ? f->out->err : -ENXIO;
	}
	for (n = nd_netns_from(set, q->serial); n; n = nd_netns_next(n)) {
		if (nd_fill_is_full(f)) {
			q->serial = nd_netns_serial(n);
			return f->out->err;
		}
		put(q, n, f->out);
	}
	q->done = true;
	return f->out->err;
}

static const struct nd_query_filter filters[] = {{"name", nd_filter_netns}, {"all", filter_all}, {0}};

const struct nd_query_object nd_query_of_netns = {.name = "netns", .filters = filters, .fill_set = fill};
