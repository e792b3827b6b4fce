/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Multicast memberships read back from the kernel, which tells of few changes, whenever somebody asks.
 * One namespace at a time: the helper opens three files there (at home nobody has to), a thread reads and
 * parses them, since 10,000 links cost the kernel a quarter of a second, and the loop lays the lines over the
 * mirror, some each turn. Who asks is served by a reading that begins after that; those who ask for a
 * namespace that waits for its turn share one.
 */
#include "netns/private.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "mirror/maddr.h"

enum {
	LINES_A_TURN = 1000, /* 1 to 3 ms (unit-mirror-maddr prints it) */
	WAITERS_MAX = 4096,
	READ_BYTES = 64 * 1024,
};

struct waiter {
	struct nctl_list link;
	void (*done)(int error, void *userdata);
	void *userdata;
};

enum state { WAITS, OPENS, READS, APPLIES, SWEEPS, DONE };

struct netns_reading {
	struct nctl_list link; /* in the set, the first one is at work */
	struct nd_netns_set *set;
	uint64_t cookie;
	enum state state;
	struct nctl_list waiters;
	struct nctl_maddr_list list;
	size_t next; /* line to lay over */
	/* The thread's, between its start and `finished`: */
	pthread_t thread;
	bool home;
	int fds[NCTL_MADDR_N_FILES];
	int error;
	atomic_bool finished;
};

static struct netns_reading *first_of(const struct nd_netns_set *s)
{
	struct nctl_list *pos = nctl_list_first(&s->readings);

	return pos ? nctl_list_entry(pos, struct netns_reading, link) : NULL;
}

static struct waiter *first_waiter(const struct netns_reading *r)
{
	struct nctl_list *pos = nctl_list_first(&r->waiters);

	return pos ? nctl_list_entry(pos, struct waiter, link) : NULL;
}

static void waiter_free(struct nd_netns_set *s, struct waiter *w)
{
	nctl_list_del(&w->link);
	s->n_maddr_waiters--;
	free(w);
}

static void reading_free(struct netns_reading *r)
{
	struct waiter *w;

	nctl_list_del(&r->link);
	while ((w = first_waiter(r)))
		waiter_free(r->set, w);
	for (size_t i = 0; i < NCTL_MADDR_N_FILES; i++)
		nctl_closep(&r->fds[i]);
	nctl_maddr_list_fini(&r->list);
	free(r);
}

static void tell(struct netns_reading *r, int error)
{
	struct waiter *w;

	while ((w = first_waiter(r))) {
		void (*done)(int, void *) = w->done;
		void *userdata = w->userdata;

		waiter_free(r->set, w);
		done(error, userdata);
	}
}

/* Who is told may ask again, or forget others. */
static void finish(struct netns_reading *r, int error)
{
	r->state = DONE;
	tell(r, error);
	nd_wake_send(&r->set->maddr_wake);
	reading_free(r);
}

static int read_file(int fd, enum nctl_maddr_file file, char *buf, struct nctl_maddr_list *list)
{
	struct nctl_maddr_parser p;
	ssize_t n;
	int e = 0;

	nctl_maddr_parser_init(&p, file, list);
	while (e == 0) {
		n = read(fd, buf, READ_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : nctl_maddr_parse_end(&p);
		e = nctl_maddr_parse(&p, buf, (size_t)n);
	}
	return e;
}

static int open_here(struct netns_reading *r)
{
	char path[64];

	for (int i = 0; i < NCTL_MADDR_N_FILES; i++) {
		snprintf(path, sizeof(path), "/proc/thread-self/net/%s", nctl_maddr_files[i]);
		r->fds[i] = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (r->fds[i] < 0 && (errno != ENOENT || i == NCTL_MADDR_DEV_MCAST))
			return -errno;
	}
	return 0;
}

static void *reader(void *userdata)
{
	struct netns_reading *r = userdata;
	struct nd_wake *wake = &r->set->maddr_wake;
	char *buf = malloc(READ_BYTES);
	int e = buf ? 0 : -ENOMEM;

	if (e == 0 && r->home)
		e = open_here(r);
	for (int i = 0; e == 0 && i < NCTL_MADDR_N_FILES; i++)
		if (r->fds[i] >= 0)
			e = read_file(r->fds[i], (enum nctl_maddr_file)i, buf, &r->list);
	free(buf);
	r->error = e;
	atomic_store(&r->finished, true);
	nd_wake_send(wake);
	return NULL;
}

static void start_reader(struct netns_reading *r)
{
	int e = pthread_create(&r->thread, NULL, reader, r);

	if (e) {
		finish(r, -e);
		return;
	}
	r->state = READS;
}

static void on_opened(const struct nd_helper_answer *a, void *userdata)
{
	struct netns_reading *r = userdata;

	if (a->error == -ECANCELED)
		return;
	if (a->error) {
		finish(r, a->error == -ESTALE ? -ENOENT : a->error);
		return;
	}
	for (size_t i = 0; i < a->n; i++)
		for (int k = 0; k < NCTL_MADDR_N_FILES; k++)
			if (strcmp(a->values[i], nctl_maddr_files[k]) == 0 && r->fds[k] < 0)
				r->fds[k] = take_fd(a->fds[i]);
	start_reader(r);
}

static void begin(struct netns_reading *r)
{
	struct nd_netns *n = nd_netns_find_cookie(r->set, r->cookie);
	struct nd_netns_ref ref = {.cookie = r->cookie};
	int e;

	if (!n || !n->session) {
		finish(r, -ENOENT);
		return;
	}
	r->home = n == r->set->home;
	if (r->home) {
		start_reader(r);
		return;
	}
	ref.name = nd_netns_name(n);
	ref.pid = ref.name ? 0 : n->pid;
	r->state = OPENS;
	e = nd_helper_open_maddr(r->set->helper, &ref, on_opened, r);
	if (e < 0)
		finish(r, e);
}

static struct nctl_mirror *mirror_of(const struct netns_reading *r)
{
	struct nd_netns *n = nd_netns_find_cookie(r->set, r->cookie);

	return n && n->session ? nctl_session_mirror(n->session) : NULL;
}

static void lay_over(struct netns_reading *r)
{
	size_t end = nctl_min(r->next + LINES_A_TURN, r->list.n);
	struct nctl_mirror *mirror = mirror_of(r);
	struct nctl_maddrs *m;

	if (!mirror) {
		finish(r, -ENOENT);
		return;
	}
	if (r->next == 0)
		nctl_mirror_maddrs_repair(mirror);
	m = nctl_mirror_maddrs(mirror);
	if (r->next == 0)
		nctl_maddrs_read_begin(m);
	for (; r->next < end; r->next++)
		nctl_maddrs_read_line(m, &r->list.v[r->next]);
	if (nctl_maddrs_is_incomplete(m))
		finish(r, -ENOMEM);
	else if (r->next == r->list.n)
		r->state = SWEEPS;
}

static void sweep(struct netns_reading *r)
{
	struct nctl_mirror *mirror = mirror_of(r);

	if (!mirror)
		finish(r, -ENOENT);
	else if (!nctl_maddrs_read_end(nctl_mirror_maddrs(mirror), LINES_A_TURN))
		finish(r, 0);
}

static void on_wake(struct nd_wake *w)
{
	struct nd_netns_set *s = w->userdata;
	struct netns_reading *r = first_of(s);
	int e;

	if (!r)
		return;
	switch (r->state) {
	case WAITS:
		begin(r);
		return;
	case OPENS:
	case DONE:
		return;
	case READS:
		if (!atomic_load(&r->finished))
			return;
		pthread_join(r->thread, NULL);
		e = r->error;
		r->state = APPLIES;
		if (e < 0)
			finish(r, e);
		break;
	case APPLIES:
		lay_over(r);
		break;
	case SWEEPS:
		sweep(r);
		break;
	}
	nd_wake_send(w);
}

void nd_netns_maddr_init(struct nd_netns_set *s)
{
	nctl_list_init(&s->readings);
	nd_wake_init(&s->maddr_wake, s->loop, on_wake, s);
}

/* Those that the helper was asked for are left as they are by the answer that there will be none. */
void nd_netns_maddr_fini(struct nd_netns_set *s)
{
	struct netns_reading *r;

	while ((r = first_of(s))) {
		if (r->state == READS)
			pthread_join(r->thread, NULL);
		tell(r, -ECANCELED);
		reading_free(r);
	}
	nd_wake_stop(&s->maddr_wake);
}

/* A reading of n that has not begun. */
static struct netns_reading *reading_of(struct nd_netns_set *s, uint64_t cookie)
{
	struct netns_reading *r;
	struct nctl_list *pos;

	for (pos = s->readings.prev; pos != &s->readings; pos = pos->prev) {
		r = nctl_list_entry(pos, struct netns_reading, link);
		if (r->cookie == cookie && r->state == WAITS)
			return r;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->set = s;
	r->cookie = cookie;
	nctl_list_init(&r->waiters);
	for (size_t i = 0; i < NCTL_MADDR_N_FILES; i++)
		r->fds[i] = -1;
	nctl_list_add_tail(&s->readings, &r->link);
	return r;
}

int nd_netns_maddr_read(const struct nd_netns *n, void (*done)(int error, void *userdata), void *userdata)
{
	struct nd_netns_set *s = n->set;
	struct netns_reading *r;
	struct waiter *w;

	if (!n->session)
		return -ENOENT;
	if (n != s->home && !s->helper)
		return -EPIPE;
	if (s->n_maddr_waiters >= WAITERS_MAX)
		return -EBUSY;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	r = reading_of(s, nctl_session_cookie(n->session));
	if (!r) {
		free(w);
		return -ENOMEM;
	}
	w->done = done;
	w->userdata = userdata;
	nctl_list_add_tail(&r->waiters, &w->link);
	s->n_maddr_waiters++;
	nd_wake_send(&s->maddr_wake);
	return 0;
}

void nd_netns_maddr_forget(struct nd_netns_set *s, void *userdata)
{
	struct nctl_list *pos, *inner, *tmp;

	nctl_list_for_each(pos, &s->readings) {
		struct netns_reading *r = nctl_list_entry(pos, struct netns_reading, link);

		nctl_list_for_each_safe(inner, tmp, &r->waiters) {
			struct waiter *w = nctl_list_entry(inner, struct waiter, link);

			if (w->userdata == userdata)
				waiter_free(s, w);
		}
	}
}
