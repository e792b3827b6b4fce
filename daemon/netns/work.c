/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Making and deleting namespaces by name. Names come in groups; those that have names to send stand in
 * one of two rings, and each turn takes one name of the first group of a ring, making and deleting in turns.
 * NETNS_WINDOW requests are with the helper at most. The kernel takes namespaces down slower than they can be
 * deleted, and each costs memory until then, so deleting stops while NETNS_UNDEAD are undead: those that are
 * mirrored until the hub says that they are gone, or for LIVING_MS (a process may hold them); others, of
 * whose end nobody tells, for FAINT_MS, about the pace of the kernel.
 */
#include "netns/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/filename.h"
#include "log/log.h"

enum {
	LIVING_MS = 1000,
	FAINT_MS = 250,
	SENDS_A_TURN = 1024, /* while there is no helper each is answered from inside */
	BUSY_MS = 20,
};

void nd_netns_work_init(struct nd_netns_set *s)
{
	nctl_list_init(&s->groups);
	nctl_list_init(&s->makes);
	nctl_list_init(&s->deletes);
	nctl_list_init(&s->undead);
	for (size_t i = 0; i < NETNS_WINDOW; i++)
		s->free_requests[i] = &s->requests[i];
	s->n_free_requests = NETNS_WINDOW;
}

static void group_free(struct netns_group *g)
{
	nctl_list_del(&g->link);
	nctl_list_del(&g->turn);
	free(g->names);
	free(g->errors);
	free(g);
}

void nd_netns_work_fini(struct nd_netns_set *s)
{
	struct nctl_list *pos;

	while ((pos = nctl_list_first(&s->groups)))
		group_free(nctl_list_entry(pos, struct netns_group, link));
}

void nd_netns_bury(struct nd_netns *n)
{
	if (nctl_list_linked(&n->undead))
		n->set->n_undead--;
	nctl_list_del(&n->undead);
}

static struct nd_netns *first_undead(const struct nd_netns_set *s)
{
	struct nctl_list *pos = nctl_list_first(&s->undead);

	return pos ? nctl_list_entry(pos, struct nd_netns, undead) : NULL;
}

size_t nd_netns_undead(const struct nd_netns_set *s)
{
	return s->n_undead + s->n_faint;
}

static void expire(struct nd_netns_set *s, nctl_time now)
{
	struct nd_netns *n;

	while ((n = first_undead(s)) && nctl_time_cmp(n->undead_until, now) <= 0)
		nd_netns_bury(n);
	while (s->n_faint && nctl_time_cmp(s->faint[s->faint_first], now) <= 0) {
		s->faint_first = (s->faint_first + 1) % NETNS_UNDEAD;
		s->n_faint--;
	}
}

/* cookie: of the one deleted, if it was mirrored then. */
static void count_undead(struct nd_netns_set *s, uint64_t cookie)
{
	struct nd_netns *n = cookie ? nd_netns_find_cookie(s, cookie) : NULL;
	nctl_time now = nctl_time_now();

	if (!cookie) {
		if (s->n_faint < NETNS_UNDEAD)
			s->faint[(s->faint_first + s->n_faint++) % NETNS_UNDEAD] =
				nctl_time_add_ms(now, FAINT_MS);
		return;
	}
	if (!n || n == s->home || !nctl_list_empty(&n->names) || nctl_list_linked(&n->undead))
		return; /* gone already, or not to go at all */
	n->undead_until = nctl_time_add_ms(now, LIVING_MS);
	nctl_list_add_tail(&s->undead, &n->undead);
	s->n_undead++;
}

static bool may_delete(const struct nd_netns_set *s)
{
	return !nctl_list_empty(&s->deletes) && nd_netns_undead(s) + s->n_deleting < NETNS_UNDEAD;
}

static void finish(struct nd_netns_set *s, struct netns_group *g)
{
	nctl_list_del(&g->link);
	if (!g->planned)
		s->n_waiting -= g->n;
	if (g->done)
		g->done(g->names, g->errors, g->n, g->userdata);
	group_free(g);
}

void nd_netns_work_cancel(struct nd_netns_set *s, struct netns_group *g)
{
	for (; g->sent < g->n; g->sent++, g->answered++)
		g->errors[g->sent] = -ECANCELED;
	nctl_list_del(&g->turn);
	if (g->answered == g->n)
		finish(s, g);
}

static void answered(struct netns_request *r, int error, const struct nd_helper_answer *a)
{
	struct netns_group *g = r->group;
	struct nd_netns_set *s = g->set;

	s->free_requests[s->n_free_requests++] = r;
	g->errors[r->i] = error;
	g->answered++;
	if (g->task)
		nd_netns_task_answered(take_ptr(g->task), a);
	if (g->answered == g->n)
		finish(s, g);
}

static void on_made(const struct nd_helper_answer *a, void *userdata)
{
	struct netns_request *r = userdata;
	struct nd_netns_set *s = r->group->set;
	const char *text = r->group->names[r->i];
	bool urgent = r->group->planned;

	if (a->error == -ECANCELED)
		return;
	if (!urgent)
		nd_netns_join_hold(s);
	if (!a->error) {
		struct netns_name *name;

		nd_netns_pool_taken(s);
		nd_netns_look_after(s, text, true);
		name = nd_netns_name_find(s, text);
		if (name)
			nd_netns_join_kick(s, name, urgent);
	}
	answered(r, a->error, a);
}

static void on_deleted(const struct nd_helper_answer *a, void *userdata)
{
	struct netns_request *r = userdata;
	struct nd_netns_set *s = r->group->set;

	if (a->error == -ECANCELED)
		return;
	s->n_deleting--;
	if (!a->error) {
		nd_netns_look_after(s, r->group->names[r->i], false);
		count_undead(s, r->cookie);
	}
	answered(r, a->error, a);
}

/* Asks the helper. Negative: it was not asked. */
static int ask(struct netns_group *g, struct netns_request *r)
{
	struct nd_netns_set *s = g->set;
	const char *text = g->names[r->i];
	const struct nd_netns *n;

	if (!nctl_is_file_name(text))
		return -EINVAL;
	if (!g->planned)
		nd_netns_join_hold(s);
	if (!g->del) {
		bool repair = g->task && nd_netns_task_is_unfinished(g->task);

		return nd_helper_create(s->helper, text, repair, on_made, r);
	}
	n = nd_netns_find(s, text);
	r->cookie = n && n->session ? n->cookie : 0;
	return nd_helper_delete(s->helper, text, g->cookie, on_deleted, r);
}

/* Sends the next name of g, which may be freed then. False: the helper takes no more. */
static bool send_next(struct nd_netns_set *s, struct netns_group *g)
{
	struct netns_request *r = s->free_requests[--s->n_free_requests];
	bool del = g->del;
	int e;

	*r = (struct netns_request){.group = g, .i = g->sent++};
	nctl_list_del(&g->turn);
	if (g->sent < g->n)
		nctl_list_add_tail(del ? &s->deletes : &s->makes, &g->turn);
	if (del)
		s->n_deleting++;
	e = ask(g, r);
	if (e >= 0)
		return true;
	if (del)
		s->n_deleting--;
	if (e != -EBUSY) {
		answered(r, e, &(struct nd_helper_answer){.error = e});
		return true;
	}
	s->free_requests[s->n_free_requests++] = r;
	g->sent--;
	nctl_list_del(&g->turn);
	nctl_list_add_head(del ? &s->deletes : &s->makes, &g->turn);
	s->retry_at = nctl_time_add_ms(nctl_time_now(), BUSY_MS);
	return false;
}

static struct netns_group *next_group(struct nd_netns_set *s)
{
	struct nctl_list *make = nctl_list_first(&s->makes);
	struct nctl_list *del = may_delete(s) ? nctl_list_first(&s->deletes) : NULL;
	struct nctl_list *pos = !make || (del && s->delete_next) ? del : make;

	s->delete_next = !s->delete_next;
	return pos ? nctl_list_entry(pos, struct netns_group, turn) : NULL;
}

static bool send_some(struct nd_netns_set *s)
{
	for (size_t budget = SENDS_A_TURN; budget; budget--) {
		struct netns_group *g = s->n_free_requests ? next_group(s) : NULL;

		if (!g || !send_next(s, g))
			return false;
	}
	return true;
}

bool nd_netns_work_chores(struct nd_netns_set *s, nctl_time now)
{
	bool more = false;

	expire(s, now);
	if (nctl_time_cmp(now, s->retry_at) >= 0)
		more = send_some(s);
	/* Each answer has the folder read: being woken by its events in between costs as much as the making.
	 */
	nd_netns_watch_close_ear(s, s->n_free_requests < NETNS_WINDOW);
	return more;
}

nctl_time nd_netns_work_at(const struct nd_netns_set *s)
{
	nctl_time at = NCTL_TIME_NEVER;
	const struct nd_netns *n = first_undead(s);

	if (nctl_list_empty(&s->deletes) || may_delete(s))
		return at;
	if (n)
		at = n->undead_until;
	if (s->n_faint)
		at = nd_netns_earlier(at, s->faint[s->faint_first]);
	return at;
}

/* The names and, behind them, their strings. */
static const char **copy_names(const char *const *names, size_t n)
{
	size_t size = 0;
	const char **v;
	char *p;

	for (size_t i = 0; i < n; i++)
		size += strlen(names[i]) + 1;
	v = malloc(n * sizeof(*v) + size + 1);
	if (!v)
		return NULL;
	p = (char *)(v + n);
	for (size_t i = 0; i < n; i++) {
		v[i] = p;
		p = stpcpy(p, names[i]) + 1;
	}
	return v;
}

int nd_netns_work_add(struct nd_netns_set *s, bool del, const char *const *names, size_t n, uint64_t cookie,
	struct netns_task *task, nd_netns_done done, void *userdata)
{
	struct netns_group *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	*g = (struct netns_group){
		.set = s, .n = n, .cookie = cookie, .del = del, .done = done, .userdata = userdata};
	nctl_list_init(&g->link);
	nctl_list_init(&g->turn);
	g->task = task;
	g->planned = task;
	g->began = nctl_time_now();
	g->names = copy_names(names, n);
	g->errors = calloc(n + 1, sizeof(*g->errors));
	if (!g->names || !g->errors) {
		group_free(g);
		return -ENOMEM;
	}
	nctl_list_add_tail(&s->groups, &g->link);
	nctl_list_add_tail(del ? &s->deletes : &s->makes, &g->turn);
	if (!task)
		s->n_waiting += n;
	return 0;
}

static int add(struct nd_netns_set *s, bool del, const char *const *names, size_t n, nd_netns_done done,
	void *userdata)
{
	if (n > NETNS_GROUP)
		return -E2BIG;
	if (!s->helper || !nd_helper_is_alive(s->helper))
		return -EPIPE;
	if (!n || s->n_waiting + n > NETNS_WAITING)
		return n ? -EBUSY : -EINVAL;
	return nd_netns_work_add(s, del, names, n, 0, NULL, done, userdata);
}

int nd_netns_create(
	struct nd_netns_set *s, const char *const *names, size_t n, nd_netns_done done, void *userdata)
{
	return add(s, false, names, n, done, userdata);
}

int nd_netns_delete(
	struct nd_netns_set *s, const char *const *names, size_t n, nd_netns_done done, void *userdata)
{
	return add(s, true, names, n, done, userdata);
}

void nd_netns_forget(struct nd_netns_set *s, void *userdata)
{
	struct nctl_list *pos;

	nctl_list_for_each(pos, &s->groups) {
		struct netns_group *g = nctl_list_entry(pos, struct netns_group, link);

		if (g->userdata == userdata)
			g->done = NULL;
	}
	nd_netns_scan_forget(s, userdata);
}
