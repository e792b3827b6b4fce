/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what may be drift. Every mirror has a subscriber that looks at one change record at a time, with one
 * look into the wanted names, and does no more than mark that something may differ. What is foreign, what
 * netctld put off, and what no configuration can ask for (counters, carrier, states of a protocol) marks
 * nothing. When no mark came for a moment, since a link seldom goes alone, and no job is on, a pass is queued
 * (repair.c).
 */
#include "reconcile/private.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "log/log.h"
#include "obj/nexthop.h"
#include "obj/route.h"
#include "obj/rule.h"

enum {
	SETTLE_MS = 30,      /* without a mark, before a pass begins */
	SETTLE_MAX_MS = 250, /* but no longer after the first one */
	HELP_PAUSE_MS = 200, /* between two looks at those that were refused */
	BUSY_MS = 1000,      /* when the queue of jobs is full */
};

/* One for each mirror. */
struct tap {
	struct nctl_hash_node by_netns;
	struct nctl_sub sub;
	struct nd_reconcile *r;
	struct nd_netns *netns;
	uint32_t number; /* of the wanted namespace, UINT32_MAX: it is not wanted */
};

struct awaited {
	struct nctl_hash_node node;
	uint32_t netns;
	const char *name;  /* of the want */
	nctl_time gone_at; /* 0: it is there */
};

static uint64_t name_hash(uint32_t netns, const char *name)
{
	return nctl_hash_str(name) ^ nctl_hash_u64(netns);
}

static struct awaited *find_awaited(const struct drift *d, uint32_t netns, const char *name)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &d->awaited, name_hash(netns, name)) {
		struct awaited *a = nctl_container_of(pos, struct awaited, node);

		if (a->netns == netns && !strcmp(a->name, name))
			return a;
	}
	return NULL;
}

static bool is_awaited(const struct drift *d, uint32_t netns, const char *name)
{
	return find_awaited(d, netns, name);
}

nctl_time nd_drift_missing_since(const struct drift *d, uint32_t netns, const char *name)
{
	const struct awaited *a = find_awaited(d, netns, name);

	return a ? a->gone_at : (nctl_time){0};
}

/* It may lack what it is about: w, or something that is not in the configuration (NULL). */
static void mark(struct drift *d, const struct nctl_want_link *w)
{
	struct care *c = w ? nd_care_of(d, w) : NULL;

	/* One look, to say so; and when its time comes, all of it is looked at. */
	if (c && c->until.usec && nd_care_is_held(c, nctl_time_now())) {
		if (c->seen)
			return;
		c->seen = true;
	}
	d->marked = d->dirty = true;
}

static const struct nctl_want_link *find_wanted(const struct tap *t, const struct nctl_link *l)
{
	const struct nctl_want *want = t->r->drift.want;
	const struct nctl_want_link *w = nctl_want_find(want, t->number, l->name);

	for (char **a = l->altnames; !w && a && *a; a++)
		w = nctl_want_find(want, t->number, *a);
	return w;
}

static bool is_owned(const struct tap *t, nctl_ifindex ifindex)
{
	return nctl_ledger_link_get(nd_ledgers_find(&t->r->ledgers, nd_netns_cookie(t->netns)), ifindex);
}

/* Can a configuration have to do with it? */
static bool matters(const struct nctl_change *c)
{
	const struct nctl_link_diff *d = &c->link_diff;
	uint64_t common = d->common & ~(nctl_fields_with(&nctl_link_fields, NCTL_FIELD_READONLY) |
					      NCTL_LINK_BIT(FLAGS) | NCTL_LINK_BIT(OPERSTATE));

	if (c->op != NCTL_CHANGED)
		return true;
	return common || d->data || d->port || d->kind || d->port_kind || d->vlans ||
	       ((c->old_link->flags ^ c->new_link->flags) & IFF_UP);
}

/* Is it so (now) that was not (was)? Then since now. */
static void note(nctl_time *at, bool was, bool is)
{
	if (is && !was)
		*at = nctl_time_now();
	else if (!is)
		at->usec = 0;
}

static bool lacks_carrier(const struct nctl_link *l)
{
	return l && nctl_link_is_up(l) && !(l->flags & IFF_RUNNING);
}

/* What it is known by before and after. */
static void note_link(const struct tap *t, const struct nctl_want_link *w, const struct nctl_change *c)
{
	struct drift *d = &t->r->drift;
	struct care *care = w ? nd_care_of(d, w) : NULL;
	struct awaited *a =
		w || c->op == NCTL_CHANGED
			? NULL
			: find_awaited(d, t->number, (c->new_link ? c->new_link : c->old_link)->name);

	if (a)
		note(&a->gone_at, c->op == NCTL_ADDED, c->op == NCTL_REMOVED);
	if (!care)
		return;
	note(&care->gone_at, c->op == NCTL_ADDED, c->op == NCTL_REMOVED);
	note(&care->carrier_at, lacks_carrier(c->old_link), lacks_carrier(c->new_link));
}

static void on_link(struct tap *t, const struct nctl_change *c)
{
	const struct nctl_link *old = c->old_link, *new = c->new_link;
	struct drift *d = &t->r->drift;
	const struct nctl_want_link *w = NULL;

	if (old)
		w = find_wanted(t, old);
	if (!w && new)
		w = find_wanted(t, new);
	note_link(t, w, c);
	if (!matters(c))
		return;
	if (c->op == NCTL_ADDED || (new &&nctl_link_is_up(new) && !(old && nctl_link_is_up(old))))
		d->helped = true;
	if (w)
		mark(d, w);
	else if ((old && is_awaited(d, t->number, old->name)) ||
		 (new &&is_awaited(d, t->number, new->name)) || is_owned(t, c->ifindex) ||
		 ((c->op == NCTL_ADDED || d->matches) && !nctl_link_kind_name(new ? new : old)))
		mark(d, NULL);
}

static void on_addr(struct tap *t, const struct nctl_change *c)
{
	const struct nctl_addr *a = c->old_addr ? c->old_addr : c->new_addr;
	const struct nctl_mirror_link *l;
	const struct nctl_ledger *ledger;
	const struct nctl_want_link *w;

	l = nctl_mirror_link_get(nctl_session_mirror(nd_netns_session(t->netns)), a->ifindex);
	w = l ? find_wanted(t, &l->v) : NULL;
	if (w && c->new_addr && (c->new_addr->flags & IFA_F_TENTATIVE))
		note(&nd_care_of(&t->r->drift, w)->dad_at,
			c->old_addr && (c->old_addr->flags & IFA_F_TENTATIVE), true);
	if (c->op == NCTL_ADDED) {
		t->r->drift.helped = true;
		return;
	}
	ledger = nd_ledgers_find(&t->r->ledgers, nd_netns_cookie(t->netns));
	if (a->proto != NCTL_PROTO && !nctl_ledger_addr_has(ledger, a))
		return;
	mark(&t->r->drift, w);
}

static void on_object(struct tap *t, const struct nctl_change *c, uint8_t protocol)
{
	if (c->op != NCTL_ADDED && protocol == NCTL_PROTO)
		mark(&t->r->drift, NULL);
}

static void on_change(void *userdata, const void *arg)
{
	const struct nctl_change *c = arg;
	struct tap *t = userdata;

	if (!t->r->drift.want || t->number == UINT32_MAX)
		return;
	switch (c->type) {
	case NCTL_OBJECT_LINK:
		on_link(t, c);
		break;
	case NCTL_OBJECT_ADDR:
		on_addr(t, c);
		break;
	case NCTL_OBJECT_ROUTE4:
	case NCTL_OBJECT_ROUTE6:
		on_object(t, c, c->old_route ? c->old_route->protocol : 0);
		break;
	case NCTL_OBJECT_NEXTHOP:
		on_object(t, c, c->old_nexthop ? c->old_nexthop->protocol : 0);
		break;
	case NCTL_OBJECT_RULE:
		on_object(t, c, c->old_rule ? c->old_rule->protocol : 0);
		break;
	case NCTL_OBJECT_N_TYPES:
		break;
	}
}

static struct tap *find_tap(const struct drift *d, const struct nd_netns *n)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &d->taps, nctl_hash_u64((uintptr_t)n)) {
		struct tap *t = nctl_container_of(pos, struct tap, by_netns);

		if (t->netns == n)
			return t;
	}
	return NULL;
}

/* Which wanted namespace it is now, by all of its names. */
static uint32_t number_of(const struct drift *d, const struct nd_netns *n)
{
	const char *name;

	if (nd_netns_is_home(n))
		return 0;
	for (size_t i = 0; d->want && (name = nd_netns_name_at(n, i)); i++) {
		const struct nctl_want_netns *w = nctl_want_netns_find(d->want, name);

		if (w)
			return w->number;
	}
	return UINT32_MAX;
}

static void tap_free(struct drift *d, struct tap *t)
{
	nctl_sub_remove(&t->sub);
	nctl_hash_remove(&d->taps, &t->by_netns);
	free(t);
}

static void tap_new(struct nd_reconcile *r, struct nd_netns *n)
{
	struct nctl_session *s = nd_netns_session(n);
	struct tap *t;

	if (!s || find_tap(&r->drift, n))
		return;
	t = calloc(1, sizeof(*t));
	if (!t || nctl_hash_insert(&r->drift.taps, &t->by_netns, nctl_hash_u64((uintptr_t)n)) < 0) {
		free(t);
		nd_error("out of memory: drift in a namespace goes unnoticed");
		return;
	}
	t->r = r;
	t->netns = n;
	t->number = number_of(&r->drift, n);
	nctl_subs_add(nctl_mirror_subs_of(nctl_session_mirror(s), NCTL_PROTO), &t->sub, on_change, t);
}

/* Since Linux 6.2 a link that is up can be renamed. */
static bool renames_up(void)
{
	unsigned major, minor;
	struct utsname u;

	if (uname(&u) < 0 || sscanf(u.release, "%u.%u", &major, &minor) != 2)
		return false;
	return major > 6 || (major == 6 && minor >= 2);
}

static void on_timer(struct nd_timer *t)
{
	nd_drift_turn(t->userdata);
}

int nd_drift_init(struct nd_reconcile *r)
{
	struct drift *d = &r->drift;

	nctl_hash_init(&d->awaited);
	nctl_hash_init(&d->taps);
	nd_timer_init(&d->timer, r->loop, on_timer, r);
	d->ticking = true;
	d->held = NCTL_TIME_NEVER;
	r->renames_up = renames_up();
	return 0;
}

static void forget_want(struct drift *d)
{
	nctl_hash_fini(&d->awaited);
	nctl_hash_init(&d->awaited);
	free(d->awaited_names);
	d->awaited_names = NULL;
	nd_cares_free(d);
	d->want = nctl_want_free(d->want);
}

void nd_drift_fini(struct nd_reconcile *r)
{
	struct drift *d = &r->drift;
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;

	if (!d->ticking)
		return;
	nd_timer_stop(&d->timer);
	nctl_hash_iter_init(&it, &d->taps);
	while ((n = nctl_hash_iter_next(&it)))
		tap_free(d, nctl_container_of(n, struct tap, by_netns));
	nctl_hash_fini(&d->taps);
	forget_want(d);
	nctl_hash_fini(&d->awaited);
}

void nd_drift_start(struct nd_reconcile *r)
{
	for (struct nd_netns *n = nd_netns_from(r->netns, 0); n; n = nd_netns_next(n))
		tap_new(r, n);
}

void nd_drift_joined(struct nd_reconcile *r, struct nd_netns *n)
{
	tap_new(r, n);
	/* It may be what was waited for. */
	if (r->drift.want && number_of(&r->drift, n) != UINT32_MAX)
		mark(&r->drift, NULL);
}

void nd_drift_gone(struct nd_reconcile *r, struct nd_netns *n)
{
	struct tap *t = find_tap(&r->drift, n);

	if (!t)
		return;
	if (r->drift.want && t->number != UINT32_MAX)
		mark(&r->drift, NULL);
	tap_free(&r->drift, t);
}

size_t nd_drift_slot(const struct drift *d, const struct nctl_want_link *w)
{
	if (w && w->from)
		w = w->from;
	return w ? w->number : d->want->n_links;
}

bool nd_drift_is_there(const struct nctl_plan *p, const struct nctl_want_link *w)
{
	const struct nctl_mirror *m = p->netns[w->netns->number].have;

	/* The first ones of the copy are those of the configuration, in its order. */
	if (p->bound)
		w = p->bound->links[w->number];
	if (!m || w->absent)
		return false;
	return w->ifindex ? nctl_mirror_link_get(m, w->ifindex) : nctl_mirror_link_find(m, w->v.name);
}

static void await(struct drift *d, struct awaited *a, uint32_t netns, const struct nctl_want_ref *ref)
{
	if (!ref->name || ref->link || is_awaited(d, netns, ref->name))
		return;
	*a = (struct awaited){.netns = netns, .name = ref->name};
	if (nctl_hash_insert(&d->awaited, &a->node, name_hash(netns, ref->name)) < 0)
		nd_error("out of memory: that %s appears will go unnoticed", ref->name);
}

static void await_all(struct drift *d)
{
	struct awaited *names = calloc(3 * d->want->n_links + 1, sizeof(*names));

	d->awaited_names = names;
	d->matches = false;
	for (size_t i = 0; names && i < d->want->n_links; i++) {
		const struct nctl_want_link *w = d->want->links[i];

		d->matches |= w->match != NULL;
		await(d, &names[3 * i], w->netns->number, &w->lower);
		await(d, &names[3 * i + 1], w->netns->number, &w->master);
		await(d, &names[3 * i + 2], w->netns->number, &w->peer);
	}
}

static void renumber(struct drift *d)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;

	nctl_hash_iter_init(&it, &d->taps);
	while ((n = nctl_hash_iter_next(&it))) {
		struct tap *t = nctl_container_of(n, struct tap, by_netns);

		t->number = number_of(d, t->netns);
	}
}

/* What is missing now is missing since now, as far as is known. */
static void note_all(struct drift *d, const struct nctl_plan *p)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;

	for (size_t i = 0; i < d->want->n_links; i++) {
		const struct nctl_want_link *w = d->want->links[i];
		const struct nctl_mirror *m = p->netns[w->netns->number].have;
		const struct nctl_mirror_link *l = m ? nctl_mirror_link_find(m, w->v.name) : NULL;

		note(&d->cares[i].gone_at, false, !nd_drift_is_there(p, w));
		note(&d->cares[i].carrier_at, false, l && lacks_carrier(&l->v));
	}
	nctl_hash_iter_init(&it, &d->awaited);
	while ((n = nctl_hash_iter_next(&it))) {
		struct awaited *a = nctl_container_of(n, struct awaited, node);
		const struct nctl_mirror *m = p->netns[a->netns].have;

		note(&a->gone_at, false, !m || !nctl_mirror_link_find(m, a->name));
	}
}

void nd_drift_accept(struct nd_reconcile *r, struct job *job)
{
	struct care *cares = calloc(job->want->n_links + 1, sizeof(*cares));
	struct drift *d = &r->drift;

	forget_want(d);
	if (!cares) {
		nd_error("out of memory: drift goes unnoticed until the next apply");
		return;
	}
	d->want = job->want;
	d->cares = cares;
	job->want_is_kept = true;
	d->held = NCTL_TIME_NEVER;
	await_all(d);
	renumber(d);
	note_all(d, job->plan);
	nd_repair_learn(r, job->plan, false);
	/* What happened meanwhile, perhaps behind the back of a plan that was done with it. */
	d->marked = d->dirty;
}

static nctl_time earlier(nctl_time a, nctl_time b)
{
	return nctl_time_cmp(a, b) < 0 ? a : b;
}

/* What was refused may go now; this is seldom asked, whatever comes. */
static void help(struct drift *d, nctl_time now)
{
	if (d->n_refused && nctl_time_cmp(now, d->help_at) < 0)
		return;
	d->helped = false;
	d->help_at = nctl_time_add_ms(now, HELP_PAUSE_MS);
	d->held = earlier(d->held, nd_care_help(d, now));
}

/* When a pass is to begin, or NCTL_TIME_NEVER. */
static nctl_time when(struct drift *d, nctl_time now)
{
	nctl_time at = d->helped ? earlier(d->held, d->help_at) : d->held;

	if (d->dirty && !d->since.usec)
		d->since = now;
	if (d->marked) {
		d->quiet =
			earlier(nctl_time_add_ms(d->since, SETTLE_MAX_MS), nctl_time_add_ms(now, SETTLE_MS));
		d->marked = false;
	}
	if (d->dirty)
		at = earlier(at, d->quiet);
	return nctl_time_cmp(at, d->allowed) < 0 ? d->allowed : at;
}

void nd_drift_turn(struct nd_reconcile *r)
{
	const struct nd_apply how = {.flags = ND_APPLY_KEEP_GOING};
	struct drift *d = &r->drift;
	nctl_time now, at;

	/* A job that ends asks again; what waits to be confirmed is left to its end. */
	if (!d->want || r->closing || r->journal.waiting || r->step != STEP_IDLE || r->n_jobs)
		return;
	if (!d->dirty && !d->helped && nctl_time_cmp(d->held, NCTL_TIME_NEVER) == 0)
		return;
	now = nctl_time_now();
	if (d->helped)
		help(d, now);
	at = when(d, now);
	if (nctl_time_cmp(now, at) < 0) {
		nd_timer_set(&d->timer, at);
		return;
	}
	d->dirty = d->marked = false;
	d->since = (nctl_time){0};
	d->held = NCTL_TIME_NEVER;
	renumber(d);
	d->began_us = nd_repair_clock_us();
	if (nd_job_queue(r, JOB_REPAIR, NULL, &how, NULL, NULL) < 0) {
		d->dirty = true;
		nd_timer_set(&d->timer, nctl_time_add_ms(now, BUSY_MS));
	}
}
