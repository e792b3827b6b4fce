/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the log says of drift: a line for each link that was brought back, or for a range of them to
 * which the same happened, once. Lines are rationed: what goes beyond is counted, and that is told.
 */
#include "reconcile/private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "log/log.h"

enum {
	LINES_MAX = 20, /* at once */
	LINE_EVERY_MS = 2000,
};

/* What happened to one link. */
struct event {
	bool made, renamed, rejoined, flags, altname, vlans, other;
	uint64_t common, data, port;
	uint32_t addrs_gone, addrs_too_many, routes;
	const struct nctl_op *addr; /* the first of these */
	const struct nctl_op *set;
	bool done, failed;
};

static void earn(struct drift *d)
{
	nctl_time now = nctl_time_now();
	uint64_t lines = (uint64_t)nctl_time_diff_us(now, d->log_at) / (LINE_EVERY_MS * 1000);

	if (!d->log_at.usec || lines >= LINES_MAX) {
		d->log_credit = LINES_MAX;
		d->log_at = now;
		return;
	}
	d->log_credit = (uint32_t)nctl_min(d->log_credit + lines, (uint64_t)LINES_MAX);
	d->log_at = nctl_time_add_ms(d->log_at, lines * LINE_EVERY_MS);
}

void nd_tell_drift(struct drift *d, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	earn(d);
	if (!d->log_credit) {
		d->untold++;
		return;
	}
	d->log_credit--;
	if (d->untold)
		nd_notice("of drift, %llu things were not told one by one", (unsigned long long)d->untold);
	d->untold = 0;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	nd_notice("%s", text);
}

static void add_set(struct event *e, const struct nctl_op *op)
{
	e->set = op;
	e->renamed |= (op->diff.common & NCTL_LINK_BIT(NAME)) != 0;
	e->rejoined |= (op->diff.common & NCTL_LINK_BIT(MASTER)) != 0;
	e->flags |= (op->diff.common & NCTL_LINK_BIT(FLAGS)) && !op->passing;
	e->common |= op->diff.common;
	e->data |= op->diff.data;
	e->port |= op->diff.port;
}

static void add(const struct drift *d, struct event *v, const struct nctl_op *op)
{
	struct event *e = &v[nd_drift_slot(d, op->of)];

	e->done |= op->state == NCTL_OP_DONE;
	e->failed |= op->state == NCTL_OP_REFUSED || op->state == NCTL_OP_UNSEEN;
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		e->made = true;
		if (op->pair)
			v[nd_drift_slot(d, op->want->peer.link)].made = true;
		break;
	case NCTL_OP_LINK_SET:
		add_set(e, op);
		break;
	case NCTL_OP_ADDR_NEW:
		e->addrs_gone++;
		e->addr = e->addr ? e->addr : op;
		break;
	case NCTL_OP_ADDR_DEL:
		e->addrs_too_many++;
		break;
	case NCTL_OP_ALTNAME_NEW:
	case NCTL_OP_ALTNAME_DEL:
		e->altname = true;
		break;
	case NCTL_OP_VLANS_ADD:
	case NCTL_OP_VLANS_DEL:
		e->vlans = true;
		break;
	case NCTL_OP_ROUTE_NEW:
		e->routes++;
		break;
	case NCTL_OP_ROUTE_DEL:
	case NCTL_OP_NEXTHOP_NEW:
	case NCTL_OP_NEXTHOP_DEL:
	case NCTL_OP_RULE_NEW:
	case NCTL_OP_RULE_DEL:
	case NCTL_OP_NEIGH_NEW:
	case NCTL_OP_NEIGH_DEL:
	case NCTL_OP_LINK_DEL:
	case NCTL_OP_NETNS_NEW:
	case NCTL_OP_NETNS_DEL:
	case NCTL_OP_NETNS_ID:
	case NCTL_OP_SYSCTL_SET:
	case NCTL_OP_ETHTOOL_SET:
	case NCTL_OP_WG_SET:
		e->other = true;
		break;
	}
}

/* Words to words. */
__attribute__((format(printf, 2, 3))) static void put(struct nctl_strbuf *out, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	nctl_strbuf_printf(out, "%s%s", out->len ? ", " : "", text);
}

static void put_fields(struct nctl_strbuf *out, const struct nctl_field_table *t, uint64_t mask)
{
	for (size_t i = 0; i < t->n; i++)
		if ((mask & (UINT64_C(1) << i)) && (t->v[i].key || t->v[i].json))
			put(out, "another %s", t->v[i].key ? t->v[i].key : t->v[i].json);
}

static void put_addrs(struct nctl_strbuf *out, const struct event *e, bool each)
{
	char addr[NCTL_PREFIX_STR];

	if (e->addrs_gone && each) {
		put(out, "addresses gone");
	} else if (e->addrs_gone == 1) {
		nctl_prefix_format(&e->addr->want_addr->v.local, addr);
		put(out, e->addr->addr ? "address %s changed" : "address %s gone", addr);
	} else if (e->addrs_gone) {
		put(out, "%u addresses gone", e->addrs_gone);
	}
	if (e->addrs_too_many)
		put(out, "%u addresses too many", e->addrs_too_many);
}

/* each: of several, so without what is of one of them. */
static void put_event(struct nctl_strbuf *out, const struct event *e, bool met, bool each)
{
	const struct nctl_want_link *w = e->set ? e->set->want : NULL;
	uint64_t common = e->common & ~(NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(MASTER) | NCTL_LINK_BIT(FLAGS));

	if (e->made) {
		put(out, met ? "gone" : "not there before");
		return;
	}
	if (e->renamed)
		put(out, "renamed");
	if (e->rejoined)
		put(out, "another master");
	if (e->flags)
		put(out, e->set->up ? "down" : "up");
	put_fields(out, &nctl_link_fields, common);
	if (w && w->v.kind)
		put_fields(out, &w->v.kind->data, e->data);
	if (w && w->v.port_kind)
		put_fields(out, &w->v.port_kind->port, e->port);
	if (e->altname)
		put(out, "an altname gone");
	if (e->vlans)
		put(out, "other VLANs");
	put_addrs(out, e, each);
	if (e->routes)
		put(out, e->routes == 1 ? "a route gone" : "%u routes gone", e->routes);
	if (!out->len)
		put(out, "changed");
}

static void tell(struct nd_reconcile *r, const struct nctl_want_link *w, const char *what, size_t n)
{
	const struct nctl_want *want = r->drift.want;
	const char *in = w->netns->name;
	char count[32] = "";

	if (n > 1)
		snprintf(count, sizeof(count), " (%zu links)", n);
	nd_tell_drift(&r->drift, "repaired %s %s%s%s%s: %s (%s:%u:%u)", w->v.kind->name,
		n > 1 ? w->def->label : w->v.name, in ? " in " : "", in ? in : "", count, what,
		want->files[w->pos.file], w->pos.line, w->pos.column);
}

/* Neighbours in the configuration to which the same happened share a line. */
static size_t find_last(const struct nd_reconcile *r, const struct event *v, size_t first, size_t *ret_n)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf what = NCTL_STRBUF_INIT, next = NCTL_STRBUF_INIT;
	const struct nctl_want *want = r->drift.want;
	const struct nctl_want_link *w = want->links[first];
	size_t last = first;

	*ret_n = 1;
	put_event(&what, &v[first], r->drift.cares[first].met, true);
	for (size_t i = first + 1; i < want->n_links && want->links[i]->def == w->def; i++) {
		if (!v[i].done || v[i].failed)
			continue;
		nctl_strbuf_reset(&next);
		put_event(&next, &v[i], r->drift.cares[i].met, true);
		if (want->links[i]->netns != w->netns ||
			strcmp(nctl_strbuf_str(&what), nctl_strbuf_str(&next)))
			break;
		++*ret_n;
		last = i;
	}
	return last;
}

static void tell_events(struct nd_reconcile *r, const struct event *v)
{
	const struct nctl_want *want = r->drift.want;

	for (size_t i = 0, n; i < want->n_links; i++) {
		_cleanup_(nctl_strbuf_fini) struct nctl_strbuf what = NCTL_STRBUF_INIT;
		size_t first = i;

		if (!v[i].done || v[i].failed)
			continue;
		i = find_last(r, v, first, &n);
		put_event(&what, &v[first], r->drift.cares[first].met, n > 1);
		tell(r, want->links[first], nctl_strbuf_str(&what), n);
	}
}

void nd_tell_repairs(struct nd_reconcile *r, const struct nctl_plan *p)
{
	struct drift *d = &r->drift;
	_cleanup_(nctl_freep) struct event *v = calloc(d->want->n_links + 1, sizeof(*v));

	for (size_t i = 0; v && i < p->n_ops; i++)
		if (p->ops[i].state != NCTL_OP_POISONED)
			add(d, v, &p->ops[i]);
	if (v)
		tell_events(r, v);
	/* Why something is refused is told when it is so again at once, or later for another reason. */
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct nctl_op *op = &p->ops[i];
		const struct care *c = nd_care_of(d, op->of);
		_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;

		if (op->state != NCTL_OP_REFUSED && op->state != NCTL_OP_UNSEEN)
			continue;
		if (!c->doubted && !c->refused)
			continue;
		nd_report_refusal(p, op, &why);
		if (!c->reason || strcmp(c->reason, nctl_strbuf_str(&why)))
			nd_tell_drift(d, "cannot repair: %s", nctl_strbuf_str(&why));
	}
}
