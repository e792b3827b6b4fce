/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Namespaces without a name, found by their processes when somebody asks. What is known by name is left
 * out: the daemon may stat(2) the names by itself. The rest is joined by pid, behind all names. Who asks
 * while a scan is on waits for the next one, since what he means may be newer than what the one under way has
 * seen.
 */
#include "netns/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "log/log.h"

enum {
	SCAN_WAITERS = 256,
	SCAN_MS = 10 * 1000, /* a namespace that does not answer holds nobody up for longer */
};

struct waiter {
	struct nctl_list link;
	void (*done)(int error, void *userdata);
	void *userdata;
};

struct inode {
	uint64_t dev, ino;
};

void nd_netns_scan_init(struct nd_netns_set *s)
{
	nctl_list_init(&s->scan.now);
	nctl_list_init(&s->scan.next);
}

static struct waiter *first_waiter(const struct nctl_list *list)
{
	struct nctl_list *pos = nctl_list_first(list);

	return pos ? nctl_list_entry(pos, struct waiter, link) : NULL;
}

static void tell(struct nd_netns_set *s, struct nctl_list *waiters, int error)
{
	struct nctl_list told = NCTL_LIST_INIT(told);
	struct waiter *w;

	nctl_list_splice_tail(&told, waiters);
	while ((w = first_waiter(&told))) {
		nctl_list_del(&w->link);
		s->scan.n_waiters--;
		if (w->done)
			w->done(error, w->userdata);
		free(w);
	}
}

static void forget(struct nctl_list *waiters, const void *userdata)
{
	struct nctl_list *pos;

	nctl_list_for_each(pos, waiters) {
		struct waiter *w = nctl_list_entry(pos, struct waiter, link);

		if (w->userdata == userdata)
			w->done = NULL;
	}
}

void nd_netns_scan_forget(struct nd_netns_set *s, void *userdata)
{
	forget(&s->scan.now, userdata);
	forget(&s->scan.next, userdata);
}

static void free_waiters(struct nctl_list *waiters)
{
	struct waiter *w;

	while ((w = first_waiter(waiters))) {
		nctl_list_del(&w->link);
		free(w);
	}
}

void nd_netns_scan_fini(struct nd_netns_set *s)
{
	free_waiters(&s->scan.now);
	free_waiters(&s->scan.next);
	free(take_ptr(s->scan.pids));
}

/* What is outstanding with the helper is still to be answered. */
static void end_scan(struct nd_netns_set *s, int error)
{
	s->scan.on = false;
	s->scan.n = s->scan.sent = s->scan.unsynced = 0;
	free(take_ptr(s->scan.pids));
	tell(s, &s->scan.now, error);
}

pid_t nd_netns_scan_next(struct nd_netns_set *s)
{
	if (s->scan.sent >= s->scan.n)
		return 0;
	s->scan.unanswered++;
	return s->scan.pids[s->scan.sent++];
}

void nd_netns_scan_unsent(struct nd_netns_set *s)
{
	s->scan.unanswered--;
	s->scan.sent--;
}

void nd_netns_scan_answered(struct nd_netns_set *s, struct nd_netns *n)
{
	s->scan.unanswered--;
	if (!s->scan.on || !n || !n->session || nctl_session_is_synced(n->session) ||
		n->scan == s->scan.number)
		return;
	n->scan = s->scan.number;
	s->scan.unsynced++;
}

void nd_netns_scan_resolved(struct nd_netns *n)
{
	struct netns_scan *scan = &n->set->scan;

	if (scan->on && n->scan == scan->number)
		scan->unsynced--;
	n->scan = 0;
}

static int cmp_inode(const void *a, const void *b)
{
	const struct inode *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino > y->ino ? 1 : -1;
	return (x->dev > y->dev) - (x->dev < y->dev);
}

/* The inodes of all names that are joined, in order. NULL: there are none, or no memory to leave them out. */
static struct inode *known_inodes(struct nd_netns_set *s, size_t *ret_n)
{
	_cleanup_(nctl_closep) int dir = open(s->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct inode *v = calloc(nctl_hash_count(&s->by_name) + 1, sizeof(*v));
	struct nctl_hash_node *node;
	struct nctl_hash_iter it;

	*ret_n = 0;
	nctl_hash_iter_init(&it, &s->by_name);
	while (v && dir >= 0 && (node = nctl_hash_iter_next(&it))) {
		struct netns_name *name = nctl_container_of(node, struct netns_name, by_name);
		struct stat st;

		if (!name->netns->cookie || fstatat(dir, name->text, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		v[(*ret_n)++] = (struct inode){.dev = st.st_dev, .ino = st.st_ino};
	}
	if (v)
		qsort(v, *ret_n, sizeof(*v), cmp_inode);
	return v;
}

static void on_scan(const struct nd_helper_answer *a, void *userdata)
{
	struct nd_netns_set *s = userdata;
	_cleanup_(nctl_freep) struct inode *known = NULL;
	size_t n_known;

	if (a->error == -ECANCELED)
		return;
	s->scan.asked = false;
	if (!s->scan.on)
		return;
	if (a->error < 0) {
		end_scan(s, a->error);
		return;
	}
	nd_netns_set_look(s);
	known = known_inodes(s, &n_known);
	s->scan.pids = calloc(a->n + 1, sizeof(*s->scan.pids));
	if (!s->scan.pids || !known) {
		end_scan(s, -ENOMEM);
		return;
	}
	for (size_t i = 0; i < a->n; i++) {
		struct inode v = {.dev = a->processes[i].dev, .ino = a->processes[i].ino};

		if (a->processes[i].pid > 0 && !bsearch(&v, known, n_known, sizeof(v), cmp_inode))
			s->scan.pids[s->scan.n++] = a->processes[i].pid;
	}
}

static void begin_scan(struct nd_netns_set *s, nctl_time now)
{
	int e;

	if (!++s->scan.number)
		s->scan.number++;
	s->scan.on = s->scan.asked = true;
	s->scan.until = nctl_time_add_ms(now, SCAN_MS);
	nctl_list_splice_tail(&s->scan.now, &s->scan.next);
	e = nd_helper_scan(s->helper, on_scan, s);
	if (e >= 0)
		return;
	s->scan.asked = false;
	end_scan(s, e);
}

void nd_netns_scan_chores(struct nd_netns_set *s, nctl_time now)
{
	struct netns_scan *scan = &s->scan;

	if (scan->on && !scan->asked && scan->sent == scan->n && !scan->unanswered && !scan->unsynced)
		end_scan(s, 0);
	if (scan->on && nctl_time_cmp(scan->until, now) <= 0)
		end_scan(s, -ETIMEDOUT);
	if (!scan->on && !scan->asked && !scan->unanswered && !nctl_list_empty(&scan->next))
		begin_scan(s, now);
}

nctl_time nd_netns_scan_at(const struct nd_netns_set *s)
{
	return s->scan.on ? s->scan.until : NCTL_TIME_NEVER;
}

int nd_netns_scan(struct nd_netns_set *s, void (*done)(int error, void *userdata), void *userdata)
{
	struct waiter *w;

	if (!s->helper || !nd_helper_is_alive(s->helper))
		return -EPIPE;
	if (s->scan.n_waiters >= SCAN_WAITERS)
		return -EBUSY;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->done = done;
	w->userdata = userdata;
	nctl_list_add_tail(&s->scan.next, &w->link);
	s->scan.n_waiters++;
	return 0;
}
