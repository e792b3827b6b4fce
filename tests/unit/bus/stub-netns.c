/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: A stub of daemon/netns for the tests of the bus: namespaces that are nothing but mirrors, and a helper
 * that moves links between them, later, or never.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "netns/jobs.h"
#include "stub-netns.h"

bool nctl_session_is_synced(const struct nctl_session *s)
{
	(void)s;
	return true;
}

struct nctl_mirror *nctl_session_mirror(struct nctl_session *s)
{
	return s->mirror;
}

nctl_nsid nctl_session_nsid(const struct nctl_session *s)
{
	(void)s;
	return 7;
}

void nctl_session_get_stats(const struct nctl_session *s, struct nctl_session_stats *ret)
{
	(void)s;
	*ret = (struct nctl_session_stats){.resyncs = 1};
}

struct nd_helper *nd_netns_set_helper(const struct nd_netns_set *s)
{
	return (struct nd_helper *)(uintptr_t)s;
}

struct nd_loop *nd_netns_set_loop(const struct nd_netns_set *s)
{
	(void)s;
	return NULL;
}

struct nctl_hub *nd_netns_set_hub(const struct nd_netns_set *s)
{
	return (struct nctl_hub *)(uintptr_t)s;
}

void nctl_hub_resync(struct nctl_hub *h, struct nctl_session *s)
{
	(void)h;
	(void)s;
}

void nctl_hub_get_stats(const struct nctl_hub *h, struct nctl_hub_stats *ret)
{
	(void)h;
	*ret = (struct nctl_hub_stats){.sessions = 4711};
}

struct nctl_subs *nd_netns_subs(struct nd_netns_set *s)
{
	return &s->subs;
}

void nd_netns_set_hurry(struct nd_netns_set *s)
{
	(void)s;
}

void nd_netns_set_look(struct nd_netns_set *s)
{
	s->n_looks++;
}

int nd_netns_maddr_read(const struct nd_netns *n, void (*done)(int error, void *userdata), void *userdata)
{
	(void)n;
	(void)done;
	(void)userdata;
	return -EPIPE;
}

void nd_netns_maddr_forget(struct nd_netns_set *s, void *userdata)
{
	(void)s;
	(void)userdata;
}

struct nd_netns *nd_netns_from(const struct nd_netns_set *s, uint64_t serial)
{
	size_t begin = 0, end = s->n;

	while (begin < end) {
		size_t at = (begin + end) / 2;

		if (s->v[at]->serial < serial)
			begin = at + 1;
		else
			end = at;
	}
	return begin < s->n ? s->v[begin] : NULL;
}

struct nd_netns *nd_netns_next(const struct nd_netns *n)
{
	return nd_netns_from(n->set, n->serial + 1);
}

struct nd_netns *nd_netns_find(const struct nd_netns_set *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i]->names[0], name) == 0 || strcmp(s->v[i]->names[1], name) == 0)
			return s->v[i];
	return NULL;
}

uint64_t nd_netns_serial(const struct nd_netns *n)
{
	return n->serial;
}

const char *nd_netns_name_at(const struct nd_netns *n, size_t i)
{
	return i < 2 && n->names[i][0] ? n->names[i] : NULL;
}

bool nd_netns_is_home(const struct nd_netns *n)
{
	return n == n->set->v[0];
}

const char *nd_netns_name(const struct nd_netns *n)
{
	return nd_netns_is_home(n) ? NULL : nd_netns_name_at(n, 0);
}

pid_t nd_netns_pid(const struct nd_netns *n)
{
	return n->names[0][0] ? 0 : 4711;
}

struct nctl_session *nd_netns_session(const struct nd_netns *n)
{
	return n->joined ? (struct nctl_session *)(uintptr_t)&n->session : NULL;
}

uint64_t nd_netns_cookie(const struct nd_netns *n)
{
	return n->joined ? n->cookie : 0;
}

const char *nd_netns_error(const struct nd_netns *n)
{
	return n->error;
}

void nd_netns_json(const struct nd_netns *n, struct nctl_json *j)
{
	nctl_json_obj_begin(j);
	if (nd_netns_name(n))
		nctl_json_kstr(j, "name", nd_netns_name(n));
	nctl_json_ku64(j, "id", 7);
	nctl_json_obj_end(j);
}

/* Names that begin with "no" cannot be made. */
int nd_netns_create(
	struct nd_netns_set *s, const char *const *names, size_t n, nd_netns_done done, void *userdata)
{
	int *errors = calloc(n, sizeof(*errors));

	if (s->helper == STUB_HELPER_GONE) {
		free(errors);
		return -EPIPE;
	}
	for (size_t i = 0; i < n; i++)
		errors[i] = strncmp(names[i], "no", 2) == 0 ? -EEXIST : 0;
	if (s->helper == STUB_HELPER_NOW)
		done(names, errors, n, userdata);
	free(errors);
	return 0;
}

int nd_netns_delete(
	struct nd_netns_set *s, const char *const *names, size_t n, nd_netns_done done, void *userdata)
{
	int errors[1] = {-ENOENT};

	assert_int_equal(n, 1);
	if (nd_netns_find(s, names[0])) {
		drop_netns(nd_netns_find(s, names[0]));
		errors[0] = 0;
	}
	done(names, errors, n, userdata);
	return 0;
}

void nd_netns_forget(struct nd_netns_set *s, void *userdata)
{
	(void)userdata;
	s->n_forgotten++;
}

int nd_netns_scan(struct nd_netns_set *s, void (*done)(int error, void *userdata), void *userdata)
{
	done(s->helper == STUB_HELPER_GONE ? -EPIPE : 0, userdata);
	return 0;
}

static struct nd_netns *resolve(struct nd_netns_set *s, const struct nd_netns_ref *ref)
{
	return ref->pid ? NULL : *ref->name ? nd_netns_find(s, ref->name) : s->v[0];
}

static void put_link(struct nctl_mirror *m, unsigned ifindex, const char *name)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	l.mtu = 1500;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(MTU);
	snprintf(l.name, sizeof(l.name), "%s", name);
	assert_int_equal(nctl_mirror_link_put(m, &l, NCTL_SOURCE_EVENT), 0);
	nctl_link_fini(&l);
}

int nd_helper_link_move(struct nd_helper *h, const struct nd_netns_ref *from, uint32_t ifindex,
	const struct nd_netns_ref *to, const char *new_name, nd_helper_done done, void *userdata)
{
	struct nd_netns_set *s = (struct nd_netns_set *)(void *)h;
	struct nd_netns *a = resolve(s, from), *b = resolve(s, to);
	struct nd_helper_answer answer = {0};
	const struct nctl_mirror_link *l;

	s->n_moves++;
	s->to_pid = to->pid;
	if (s->helper == STUB_HELPER_HOLD) {
		s->held_done = done;
		s->held_userdata = userdata;
		return 0;
	}
	if (s->helper == STUB_HELPER_GONE || s->helper == STUB_HELPER_REFUSES) {
		answer.error = s->helper == STUB_HELPER_GONE ? -EPIPE : -EEXIST;
		done(&answer, userdata);
		return 0;
	}
	l = nctl_mirror_link_get(a->session.mirror, ifindex);
	assert_non_null(l);
	assert_true(from->cookie == a->cookie);
	if (b)
		put_link(b->session.mirror, ifindex, new_name ? new_name : l->v.name);
	nctl_mirror_link_drop(a->session.mirror, ifindex);
	done(&answer, userdata);
	return 0;
}

void fill_netns(struct nd_netns *n, unsigned links)
{
	char name[16];

	put_link(n->session.mirror, 1, "lo");
	for (unsigned i = 2; i <= links; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		put_link(n->session.mirror, i, name);
	}
}

static struct nd_netns *new_netns(struct nd_netns_set *s, const char *name)
{
	struct nd_netns *n = calloc(1, sizeof(*n));

	assert_non_null(n);
	assert_int_equal(nctl_mirror_new(&n->session.mirror), 0);
	snprintf(n->names[0], sizeof(n->names[0]), "%s", name);
	n->set = s;
	n->serial = s->last_serial += 3;
	n->cookie = 1000 + n->serial;
	n->joined = true;
	s->v = realloc(s->v, (s->n + 1) * sizeof(struct nd_netns *));
	assert_non_null(s->v);
	s->v[s->n++] = n;
	return n;
}

static void join_event(struct nd_timer *t)
{
	struct nd_netns_set *s = t->userdata;

	for (size_t i = 0; i < s->n; i++)
		s->v[i]->joined = !s->v[i]->error;
}

struct nd_netns *add_netns(struct fixture *f, const char *name, bool later)
{
	struct nd_netns *n = new_netns(&f->stub.set, name);

	fill_netns(n, 1);
	n->joined = !later;
	if (later)
		nd_timer_set(&f->stub.set.join, nctl_time_add_ms(nctl_time_now(), 100));
	return n;
}

void drop_netns(struct nd_netns *n)
{
	struct nd_netns_set *s = n->set;
	size_t i = 0;

	while (s->v[i] != n)
		i++;
	memmove(s->v + i, s->v + i + 1, (s->n - i - 1) * sizeof(struct nd_netns *));
	s->n--;
	nctl_mirror_free(n->session.mirror);
	free(n);
}

int stub_start(struct fixture *f)
{
	f->stub.mirror = new_netns(&f->stub.set, "")->session.mirror;
	nctl_subs_init(&f->stub.set.subs);
	f->stub.set.loop = f->loop;
	nd_timer_init(&f->stub.set.join, f->loop, join_event, &f->stub.set);
	return 0;
}

void stub_end(struct fixture *f)
{
	while (f->stub.set.n)
		drop_netns(f->stub.set.v[0]);
	free(f->stub.set.v);
	nd_timer_stop(&f->stub.set.join);
}

void nd_netns_job_name(struct nd_netns_set *s, const void *userdata)
{
	(void)s;
	(void)userdata;
}
