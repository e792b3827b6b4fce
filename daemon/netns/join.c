/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Joining. Names wait in one queue, in their order, and NETNS_JOINS requests at most are with the
 * helper. A name is there before its namespace is (ip-netns(8) makes an empty file first, and no event tells
 * of the mount), so one that is no namespace rests for a while and is tried again, NETNS_TRIES times; then it
 * is broken until something happens to it. Names at rest stand in one list for each delay, so each list is in
 * the order of its times. A name that has a namespace already may be in the queue as well, to be told apart
 * from another incarnation of itself; until the answer it keeps what it has.
 *
 * While clients make and delete namespaces, those that nobody asks for are not joined at once: many are
 * deleted again before anybody does, and a join costs as much as a namespace's making (tests/bench/s3).
 */
#include "netns/private.h"

#include <errno.h>
#include <string.h>

#include "log/log.h"

enum {
	REST_FIRST_MS = 20,
	REST_LAST_MS = 2000,
	BUSY_MS = 20, /* the helper takes no more: when to ask again, if no answer comes before */
	/* How long a join is held back after the last request to make or delete; and altogether. */
	HOLD_MS = 200,
	HOLD_MAX_MS = 5000,
	HURRY_MS = 1000, /* somebody waits: for so long none is held back */
};

void nd_netns_join_init(struct nd_netns_set *s)
{
	nctl_list_init(&s->queue);
	for (size_t i = 0; i < NETNS_RESTS; i++)
		nctl_list_init(&s->resting[i]);
	for (size_t i = 0; i < NETNS_JOINS; i++) {
		s->joins[i].set = s;
		s->free_joins[i] = &s->joins[NETNS_JOINS - 1 - i];
	}
	s->n_free_joins = NETNS_JOINS;
}

void nd_netns_join_queue(struct nd_netns_set *s, struct netns_name *name, bool urgent)
{
	nctl_list_del(&name->waiting);
	name->urgent = urgent;
	name->at = nctl_time_now();
	if (urgent)
		nctl_list_add_head(&s->queue, &name->waiting);
	else
		nctl_list_add_tail(&s->queue, &name->waiting);
}

void nd_netns_join_hold(struct nd_netns_set *s)
{
	s->hold_until = nctl_time_add_ms(nctl_time_now(), HOLD_MS);
}

void nd_netns_set_hurry(struct nd_netns_set *s)
{
	nctl_time now = nctl_time_now();
	bool on = nctl_time_cmp(now, s->hurry_until) < 0;

	s->hurry_until = nctl_time_add_ms(now, HURRY_MS);
	if (!on)
		nd_wake_send(&s->wake);
}

void nd_netns_join_kick(struct nd_netns_set *s, struct netns_name *name, bool urgent)
{
	if (name->netns->cookie)
		return;
	name->tries = 0;
	nd_netns_set_error(name->netns, NULL, 0);
	if (name->join)
		name->again = true;
	else
		nd_netns_join_queue(s, name, urgent);
}

bool nd_netns_name_is_broken(const struct netns_name *name)
{
	return name->netns->error && !name->join && !nctl_list_linked(&name->waiting);
}

/* Nobody need wait for it; it may be a namespace yet, but not soon. */
static void report(struct nd_netns_set *s, struct netns_name *name, int error, const char *text)
{
	if (name->netns->cookie)
		return;
	nd_netns_set_error(name->netns, text, error);
	nd_netns_name_resolved(s, name);
	s->stirred = true;
}

static void failed(struct nd_netns_set *s, struct netns_name *name, int error, const char *text)
{
	unsigned level = nctl_min((unsigned)name->tries, NETNS_RESTS - 1u);
	uint64_t ms = nctl_min((uint64_t)REST_FIRST_MS << level, (uint64_t)REST_LAST_MS);
	bool last = name->tries + 1 >= NETNS_TRIES;

	/* Other errors say nothing of what it names; but what cannot be verified for good is not believed. */
	if (error == -ENXIO || error == -EINVAL || error == -ENOENT || error == -ESTALE || last)
		if (nd_netns_name_part(s, name) < 0)
			return;
	if (++name->tries >= NETNS_PATIENCE)
		report(s, name, error, text);
	if (last) {
		nd_debug("%s/%s is no network namespace: %s", s->folder, name->text,
			text ? text : strerror(-error));
		s->tasks_dirty = true;
		return;
	}
	name->at = nctl_time_add_ms(nctl_time_now(), ms);
	nctl_list_del(&name->waiting);
	nctl_list_add_tail(&s->resting[level], &name->waiting);
}

static void name_answered(struct nd_netns_set *s, struct netns_name *name, const struct nd_helper_answer *a)
{
	int error = a->error;

	if (!error && !a->cookie)
		error = -EINVAL;
	else if (!error && a->nsid == NCTL_NSID_NONE && a->cookie != s->home->cookie)
		error = -EINVAL;
	if (!error)
		error = nd_netns_met(s, name, 0, a->cookie, a->nsid);
	if (name->again || error == -EPIPE) {
		/* With the helper gone it waits for the next one. */
		name->again = false;
		nd_netns_join_queue(s, name, error == -EPIPE);
		return;
	}
	if (error)
		failed(s, name, error, a->error ? a->text : NULL);
}

/* At once the first time; but one that is joined and lost over and over comes to rest like one that cannot be
 * joined. */
void nd_netns_join_lost(struct nd_netns_set *s, struct netns_name *name)
{
	name->again = name->join;
	if (name->join)
		return;
	if (!name->tries++)
		nd_netns_join_queue(s, name, false);
	else
		failed(s, name, -ENOENT, "it is gone whenever its mirror is to be made");
}

static void pid_answered(struct nd_netns_set *s, pid_t pid, const struct nd_helper_answer *a)
{
	struct nd_netns *n = NULL;

	if (!a->error && a->cookie && a->nsid != NCTL_NSID_NONE && a->cookie != s->home->cookie) {
		nd_netns_met(s, NULL, pid, a->cookie, a->nsid);
		n = nd_netns_find_cookie(s, a->cookie);
	}
	nd_netns_scan_answered(s, n);
}

static void on_join(const struct nd_helper_answer *a, void *userdata)
{
	struct netns_join *join = userdata;
	struct nd_netns_set *s = join->set;
	struct netns_name *name;

	if (a->error == -ECANCELED)
		return;
	/* The name may be gone by now, or another one. */
	if (a->error != -EPIPE)
		nd_netns_set_look(s);
	name = join->name;
	s->free_joins[s->n_free_joins++] = join;
	if (join->pid) {
		pid_answered(s, join->pid, a);
	} else if (name) {
		name->join = NULL;
		name_answered(s, name, a);
	}
}

static struct netns_name *first_name(const struct nctl_list *list)
{
	struct nctl_list *pos = nctl_list_first(list);

	return pos ? nctl_list_entry(pos, struct netns_name, waiting) : NULL;
}

/* False: the helper takes no more. */
static bool send_join(struct nd_netns_set *s, struct netns_name *name, pid_t pid)
{
	struct netns_join *join = s->free_joins[--s->n_free_joins];
	struct nd_netns_ref ref = {.name = name ? name->text : NULL, .pid = pid};
	int e;

	join->name = name;
	join->pid = pid;
	if (name) {
		nctl_list_del(&name->waiting);
		name->join = join;
		name->again = false;
	}
	e = nd_helper_join(s->helper, &ref, on_join, join);
	if (e >= 0)
		return true;
	s->free_joins[s->n_free_joins++] = join;
	if (name) {
		name->join = NULL;
		nd_netns_join_queue(s, name, true);
	} else {
		nd_netns_scan_unsent(s);
	}
	s->retry_at = nctl_time_add_ms(nctl_time_now(), BUSY_MS);
	return false;
}

/* Until when the first name of the queue is held back; in the past: it is not. */
static nctl_time held_until(const struct nd_netns_set *s, const struct netns_name *name, nctl_time now)
{
	if (name->urgent || nctl_time_cmp(now, s->hurry_until) < 0)
		return now;
	return nd_netns_earlier(s->hold_until, nctl_time_add_ms(name->at, HOLD_MAX_MS));
}

static void wake_rested(struct nd_netns_set *s, nctl_time now)
{
	for (size_t i = 0; i < NETNS_RESTS; i++) {
		struct netns_name *name;

		while ((name = first_name(&s->resting[i])) && nctl_time_cmp(name->at, now) <= 0)
			nd_netns_join_queue(s, name, false);
	}
}

void nd_netns_join_chores(struct nd_netns_set *s, nctl_time now)
{
	wake_rested(s, now);
	/* Bounded, should a helper that dies just now answer from inside. */
	for (size_t budget = NETNS_JOINS; budget && s->n_free_joins; budget--) {
		struct netns_name *name = first_name(&s->queue);
		pid_t pid = 0;

		if (!s->helper || !nd_helper_is_alive(s->helper) || nctl_time_cmp(now, s->retry_at) < 0)
			return;
		if (name && nctl_time_cmp(held_until(s, name, now), now) > 0)
			name = NULL;
		if (!name)
			pid = nd_netns_scan_next(s);
		if ((!name && !pid) || !send_join(s, name, pid))
			return;
	}
}

nctl_time nd_netns_join_at(const struct nd_netns_set *s, nctl_time now)
{
	const struct netns_name *name = first_name(&s->queue);
	nctl_time at = NCTL_TIME_NEVER;

	if (name && s->n_free_joins)
		at = held_until(s, name, now);
	if (nctl_time_cmp(at, now) <= 0)
		at = NCTL_TIME_NEVER; /* the helper takes no more: its answers wake us */
	for (size_t i = 0; i < NETNS_RESTS; i++) {
		name = first_name(&s->resting[i]);
		if (name)
			at = nd_netns_earlier(at, name->at);
	}
	return at;
}
