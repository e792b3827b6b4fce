/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What is there when a monitor begins, as records "present" of its stream, namespace by namespace and
 * object by object, by the queries of Query. Changes go into the same stream as they happen: a line always
 * tells the state of its moment, so the last one of an object is right, and nothing is missed in between. The
 * end is a record "complete". A monitor that fell behind is told everything once more.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "bus/monitor.h"

#define PIECE_BYTES  (48 << 10)
#define NETNS_A_TURN 64

static const struct {
	enum nd_monitor_object object;
	uint8_t family; /* AF_UNSPEC: all, of the family that is asked for */
	const char *key, *value;
} steps[] = {
	{ND_MONITOR_LINK, AF_UNSPEC, NULL, NULL},
	{ND_MONITOR_ADDRESS, AF_UNSPEC, NULL, NULL},
	{ND_MONITOR_NEXTHOP, AF_UNSPEC, NULL, NULL},
	{ND_MONITOR_RULE, AF_INET, "family", "inet"},
	{ND_MONITOR_RULE, AF_INET6, "family", "inet6"},
	{ND_MONITOR_ROUTE, AF_UNSPEC, "table", "all"},
};

void nd_present_begin(struct nd_monitor *m)
{
	m->present = (struct nd_present){.on = true};
}

static const struct nd_netns *netns_of(const struct nd_monitor *m, const struct nd_netns_set *set)
{
	if (m->space == ND_SCOPE_ALL)
		return nd_netns_from(set, m->present.serial);
	return m->only && nd_netns_serial(m->only) >= m->present.serial ? m->only : NULL;
}

static void put_netns(struct nd_monitor *m, const struct nd_netns *n)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf body = NCTL_STRBUF_INIT;
	struct nctl_json json;

	nctl_json_init(&json, &body);
	nd_watch_head(n, "present", "netns", &json);
	nctl_json_key(&json, "value");
	nd_netns_json(n, &json);
	nctl_json_obj_end(&json);
	nd_monitor_put(m, body.err ? NULL : body.s, body.len);
}

/* Each line of Query as the value of a record. */
static void put_lines(
	struct nd_monitor *m, const struct nd_netns *n, const char *object, const struct nctl_strbuf *lines)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf body = NCTL_STRBUF_INIT;
	const char *p = lines->s, *end = p + lines->len, *nl;
	struct nctl_json json;
	size_t head;

	nctl_json_init(&json, &body);
	nd_watch_head(n, "present", object, &json);
	nctl_json_key(&json, "value");
	head = body.len;
	for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1) {
		body.len = head;
		nctl_strbuf_put(&body, p, (size_t)(nl - p));
		nctl_strbuf_putc(&body, '}');
		nd_monitor_put(m, body.err ? NULL : body.s, body.len);
	}
}

/* Begins the query of a step; false: it has nothing to tell. */
static bool ask(struct nd_monitor *m, const struct nd_netns *n, unsigned step)
{
	struct nd_query *q = &m->present.query;

	if (!(m->objects & 1U << steps[step].object) ||
		(m->family && steps[step].family && m->family != steps[step].family))
		return false;
	if (nd_query_init(q, nd_monitor_objects[steps[step].object], NULL) < 0 ||
		(steps[step].key && nd_query_filter(q, steps[step].key, steps[step].value, NULL) < 0) ||
		(m->family && !steps[step].family && steps[step].object != ND_MONITOR_LINK &&
			nd_query_filter(q, "family", m->family == AF_INET ? "inet" : "inet6", NULL) < 0))
		return false;
	return nd_query_begin_in(q, n) == 0;
}

/* Some lines of one namespace. 0: there is more; 1: it is done; -ENOMEM. */
static int tell(struct nd_monitor *m, const struct nd_netns *n, struct nd_netns_set *set)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf lines = NCTL_STRBUF_INIT;
	struct nd_present *p = &m->present;
	int r;

	if (p->step == 0 && !p->asking && m->objects & 1U << ND_MONITOR_NETNS)
		put_netns(m, n);
	while (p->step < NCTL_ARRAY_SIZE(steps) && !p->asking) {
		p->asking = ask(m, n, p->step);
		p->step += !p->asking;
	}
	if (!p->asking)
		return 1;
	r = nd_query_fill(&p->query, set, PIECE_BYTES, &lines);
	if (r < 0 && r != -ENXIO)
		return r;
	put_lines(m, n, nd_monitor_objects[steps[p->step].object], &lines);
	if (r == -ENXIO || p->query.done) {
		p->asking = false;
		p->step++;
	}
	return p->step == NCTL_ARRAY_SIZE(steps);
}

int nd_present_some(struct nd_monitor *m, struct nd_netns_set *set)
{
	static const char complete[] = "{\"op\":\"complete\"}";
	struct nd_present *p = &m->present;
	const struct nd_netns *n;
	int r = 0;

	for (int i = 0; i < NETNS_A_TURN && m->buf.len - m->sent < PIECE_BYTES; i++) {
		n = netns_of(m, set);
		if (!n) {
			p->on = false;
			nd_monitor_put(m, complete, sizeof(complete) - 1);
			return 0;
		}
		if (nd_netns_serial(n) != p->serial) {
			p->serial = nd_netns_serial(n);
			p->step = 0;
			p->asking = false;
		}
		r = tell(m, n, set);
		if (r < 0)
			return r;
		if (r > 0) {
			p->serial++;
			p->step = 0;
			p->asking = false;
		}
	}
	return 0;
}
