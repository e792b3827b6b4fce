/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The folder of names. inotify(7) queues its events inside the system calls that change the folder, so
 * whoever reads them all before he takes an answer of the helper to heart sees the folder's changes in their
 * order; nothing is entered or dropped by an answer as long as there is a watch. After an overflow, or when
 * the folder itself was another one, the folder is read, and every name is joined once more: it may have been
 * taken away and made again meanwhile.
 */
#include "netns/private.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>

#include "base/cleanup.h"
#include "log/log.h"

enum {
	READ_BYTES = 16 * 1024,
	LOOK_READS = 256, /* 4 MiB, more than the kernel queues by default */
	TURN_READS = 4,
	FOLDER_FIRST_MS = 50, /* delay before the folder is set up again; doubles */
	FOLDER_LAST_MS = 30 * 1000,
};

static const uint32_t watched =
	IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

static void folder_later(struct nd_netns_set *s)
{
	uint64_t ms = nctl_min(
		(uint64_t)FOLDER_FIRST_MS << nctl_min(s->folder_tries, 16u), (uint64_t)FOLDER_LAST_MS);

	s->folder_tries++;
	s->folder_at = nctl_time_add_ms(nctl_time_now(), ms);
}

void nd_netns_reread(struct nd_netns_set *s)
{
	nd_warn("not all network namespaces are known: out of memory");
	folder_later(s);
}

static void enter(struct nd_netns_set *s, const char *text)
{
	int e = nd_netns_name_enter(s, text);

	if (e == -E2BIG)
		nd_warn("too many names in %s: %s is not looked at", s->folder, text);
	else if (e < 0)
		nd_netns_reread(s);
}

/* verify: a name that is known may be another incarnation of it. */
static void seen(struct nd_netns_set *s, const char *text, bool verify)
{
	struct netns_name *name = nd_netns_name_find(s, text);

	if (!name) {
		enter(s, text);
		return;
	}
	nctl_genset_touch(&s->in_folder, &name->in_folder);
	if (!verify)
		return;
	name->again = true;
	if (!name->join) {
		name->tries = 0;
		nd_netns_join_queue(s, name, false);
	}
}

static void sweep(struct nd_netns_set *s)
{
	struct nctl_genset_node *node;

	while ((node = nctl_genset_stale(&s->in_folder)))
		nd_netns_name_drop(s, nctl_container_of(node, struct netns_name, in_folder));
}

/* 0 or -errno; what was not read is left as it was. */
static int read_folder(struct nd_netns_set *s, bool verify)
{
	DIR *dir = opendir(s->folder);
	struct dirent *d;
	int e = 0;

	if (!dir && errno != ENOENT && errno != ENOTDIR)
		return -errno;
	nctl_genset_begin(&s->in_folder);
	while (dir) {
		errno = 0;
		d = readdir(dir);
		if (!d) {
			e = -errno;
			break;
		}
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, "..") && d->d_type != DT_DIR)
			seen(s, d->d_name, verify);
	}
	if (dir)
		closedir(dir);
	if (e >= 0)
		sweep(s);
	return e;
}

static void read_again(struct nd_netns_set *s, bool verify)
{
	int e = read_folder(s, verify);

	if (e < 0) {
		nd_warn("cannot read %s: %s", s->folder, strerror(-e));
		folder_later(s);
		return;
	}
	s->was_read = true;
}

static void taken_away(struct nd_netns_set *s, const char *text)
{
	struct netns_name *name = nd_netns_name_find(s, text);

	if (name)
		nd_netns_name_drop(s, name);
}

/* True: the folder must be read. */
static bool handle(struct nd_netns_set *s, const struct inotify_event *ev)
{
	struct netns_name *name;

	if (ev->mask & IN_Q_OVERFLOW)
		return true;
	if (ev->wd != s->watch || ev->mask & IN_ISDIR)
		return false;
	if (ev->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) {
		if (!(ev->mask & IN_IGNORED))
			inotify_rm_watch(s->inotify, s->watch);
		s->watch = -1;
		folder_later(s);
		return true;
	}
	if (!ev->len)
		return false;
	/* A file that is moved takes the place of another one without a word about that. */
	if (ev->mask & (IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO))
		taken_away(s, ev->name);
	if (!(ev->mask & (IN_CREATE | IN_MOVED_TO)))
		return false;
	name = nd_netns_name_find(s, ev->name);
	if (name)
		nd_netns_join_kick(s, name, false); /* met when the folder was read, just before */
	else
		enter(s, ev->name);
	return false;
}

static void read_events(struct nd_netns_set *s, unsigned reads)
{
	_Alignas(struct inotify_event) char buf[READ_BYTES];
	bool lost = false;

	while (reads--) {
		ssize_t n = read(s->inotify, buf, sizeof(buf));
		const char *p = buf;

		if (n <= 0)
			break;
		while ((size_t)(buf + n - p) >= sizeof(struct inotify_event)) {
			const struct inotify_event *ev = (const void *)p;

			if ((size_t)(buf + n - p) - sizeof(*ev) < ev->len)
				break;
			lost |= handle(s, ev);
			p += sizeof(*ev) + ev->len;
		}
	}
	if (lost)
		read_again(s, true);
}

void nd_netns_set_look(struct nd_netns_set *s)
{
	if (s->watch >= 0)
		read_events(s, LOOK_READS);
	else if (s->unwatched && s->was_read)
		read_again(s, true);
}

void nd_netns_look_after(struct nd_netns_set *s, const char *text, bool made)
{
	if (s->watch >= 0)
		read_events(s, LOOK_READS);
	else if (made && s->was_read && !nd_netns_name_find(s, text))
		enter(s, text);
	else if (!made)
		taken_away(s, text);
}

static void on_inotify(struct nd_io *io, unsigned events)
{
	(void)events;
	read_events(io->userdata, TURN_READS);
}

static void on_prepared(const struct nd_helper_answer *a, void *userdata)
{
	struct nd_netns_set *s = userdata;
	int watch = -1, before = s->watch;

	if (a->error == -ECANCELED)
		return;
	s->preparing = false;
	if (a->error < 0 && a->error != -EPIPE)
		nd_warn("cannot set %s up: %s", s->folder, a->text ? a->text : strerror(-a->error));
	if (s->inotify >= 0)
		watch = inotify_add_watch(s->inotify, s->folder, watched);
	if (watch < 0 && s->inotify >= 0 && errno != ENOENT && errno != ENOTDIR && !s->unwatched) {
		nd_warn("cannot watch %s: %s; it is read when somebody asks", s->folder, strerror(errno));
		s->unwatched = true;
	}
	if (before >= 0 && before != watch)
		inotify_rm_watch(s->inotify, before);
	s->watch = watch;
	if (watch >= 0)
		s->unwatched = false;
	if (watch < 0 && !s->unwatched)
		folder_later(s);
	else
		s->folder_tries = 0;
	/* Events that were queued before speak of what is read now; they may, since the last one is right. */
	read_again(s, s->was_read && watch != before);
}

void nd_netns_watch_chores(struct nd_netns_set *s, nctl_time now)
{
	if (nctl_time_cmp(now, s->folder_at) < 0)
		return;
	s->folder_at = NCTL_TIME_NEVER;
	if (s->preparing || !s->helper || !nd_helper_is_alive(s->helper))
		return; /* when the helper is back, the folder is set up in any case */
	s->preparing = true;
	if (nd_helper_prepare(s->helper, on_prepared, s) < 0) {
		s->preparing = false;
		folder_later(s);
	}
}

void nd_netns_on_alive(bool yes, void *userdata)
{
	struct nd_netns_set *s = userdata;

	if (!yes || !s->helper)
		return;
	s->folder_at = nctl_time_now();
	s->retry_at.usec = 0;
	nd_netns_pool(s, s->pool);
	nd_wake_send(&s->wake);
}

static int open_inotify(struct nd_netns_set *s)
{
	struct epoll_event e = {.events = EPOLLIN};

	s->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (s->inotify < 0)
		return -errno;
	s->ear = epoll_create1(EPOLL_CLOEXEC);
	if (s->ear < 0 || epoll_ctl(s->ear, EPOLL_CTL_ADD, s->inotify, &e) < 0)
		return -errno;
	return 0;
}

void nd_netns_watch_init(struct nd_netns_set *s)
{
	int e = open_inotify(s);

	if (e < 0) {
		nd_warn("cannot watch %s: %s; it is read when somebody asks", s->folder, strerror(-e));
		nctl_closep(&s->ear);
		nctl_closep(&s->inotify);
		s->ear = s->inotify = -1;
		s->unwatched = true;
		return;
	}
	nd_io_init(&s->inotify_io, s->loop, s->ear, ND_READ, on_inotify, s);
	nd_io_start(&s->inotify_io);
}

void nd_netns_watch_fini(struct nd_netns_set *s)
{
	if (s->inotify < 0)
		return;
	nd_io_stop(&s->inotify_io);
	nctl_closep(&s->ear);
	nctl_closep(&s->inotify);
	s->ear = s->inotify = -1;
}

void nd_netns_watch_close_ear(struct nd_netns_set *s, bool closed)
{
	struct epoll_event e = {.events = closed ? 0 : EPOLLIN};

	if (s->inotify >= 0 && closed != s->ear_closed &&
		epoll_ctl(s->ear, EPOLL_CTL_MOD, s->inotify, &e) == 0)
		s->ear_closed = closed;
}
