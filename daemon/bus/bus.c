/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The bus: the listening socket and the set of connections. Counts them against the bounds of private.h
 * and takes from the kernel who is at the other end (SO_PEERCRED), once, when a connection is accepted;
 * nothing that a client says about itself counts. Connections that are over wait in `doomed` for the reaper,
 * a timer of the next turn, so that no callback frees what it stands on. Owned by main.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bus/private.h"
#include "log/log.h"

#define ACCEPTS_A_TURN 16

static bool is_privileged(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

static bool has_room(const struct nd_bus *b, uid_t uid)
{
	const struct nctl_list *pos;
	size_t n = 0;

	if (b->n_clients >= ND_CLIENTS_MAX)
		return false;
	if (is_privileged(uid))
		return true;
	if (b->n_unprivileged >= ND_CLIENTS_MAX_UNPRIVILEGED)
		return false;
	nctl_list_for_each(pos, &b->clients)
		n += nctl_list_entry(pos, struct nd_client, link)->uid == uid;
	return n < ND_CLIENTS_MAX_PER_UID;
}

static int add_client(struct nd_bus *b, int taken)
{
	_cleanup_(nctl_closep) int fd = taken;
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	if (!has_room(b, cred.uid)) {
		nd_debug("bus: too many connections, one of uid %u is turned away", cred.uid);
		return 0;
	}
	return nd_client_new(b, take_fd(fd), &cred, is_privileged(cred.uid));
}

static void listen_event(struct nd_io *io, unsigned events)
{
	struct nd_bus *b = io->userdata;
	int fd, r;

	(void)events;
	for (int i = 0; i < ACCEPTS_A_TURN; i++) {
		fd = accept4(b->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
			/* The connection stays in the queue, and the socket readable: look again later. */
			nd_warn("bus: cannot accept a connection: %m");
			nd_io_stop(io);
			nd_timer_set(&b->listen_again, nctl_time_add_ms(nctl_time_now(), 1000));
			return;
		}
		if (fd < 0)
			return;
		r = add_client(b, fd);
		if (r < 0) {
			errno = -r;
			nd_warn("bus: cannot take a connection: %m");
		}
	}
}

static void listen_again_event(struct nd_timer *t)
{
	struct nd_bus *b = t->userdata;

	nd_io_start(&b->listen_io);
}

static void reap_event(struct nd_timer *t)
{
	struct nd_bus *b = t->userdata;
	struct nctl_list *pos;

	while ((pos = nctl_list_first(&b->doomed)))
		nd_client_free(nctl_list_entry(pos, struct nd_client, link));
}

static void feed_event(struct nd_timer *t)
{
	nd_streams_feed(t->userdata);
	nd_monitors_feed(t->userdata);
}

static void nd_bus_freep(struct nd_bus **b)
{
	nd_bus_free(*b);
}

int nd_bus_new(struct nd_loop *loop, struct nd_reconcile *reconcile, const char *runtime_dir, int listen_fd,
	struct nd_bus **ret)
{
	_cleanup_(nd_bus_freep) struct nd_bus *b = calloc(1, sizeof(*b));
	_cleanup_(nctl_freep) char *path = NULL;
	int r;

	if (!b) {
		if (listen_fd >= 0)
			close(listen_fd);
		return -ENOMEM;
	}
	b->loop = loop;
	b->reconcile = reconcile;
	b->listen_fd = listen_fd;
	nctl_list_init(&b->clients);
	nctl_list_init(&b->doomed);
	nctl_list_init(&b->hungry);
	nctl_list_init(&b->monitors);
	nctl_list_init(&b->hungry_monitors);
	nctl_list_init(&b->waiting);
	if (listen_fd < 0) {
		if (asprintf(&path, "%s/private", runtime_dir) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		r = nd_socket_listen(path, &b->listen_fd);
		if (r < 0)
			return r;
		b->path = take_ptr(path);
	} else if (fcntl(listen_fd, F_SETFL, O_NONBLOCK) < 0) {
		return -errno;
	}
	/* A reader of Query that goes away is an error of one write. */
	signal(SIGPIPE, SIG_IGN);
	nd_timer_init(&b->reap, loop, reap_event, b);
	nd_timer_init(&b->feed, loop, feed_event, b);
	nd_timer_init(&b->listen_again, loop, listen_again_event, b);
	nd_io_init(&b->listen_io, loop, b->listen_fd, ND_READ, listen_event, b);
	nd_io_start(&b->listen_io);
	*ret = take_ptr(b);
	return 0;
}

struct nd_bus *nd_bus_free(struct nd_bus *b)
{
	struct nctl_list *pos;

	if (!b)
		return NULL;
	while ((pos = nctl_list_first(&b->clients)))
		nd_client_free(nctl_list_entry(pos, struct nd_client, link));
	while ((pos = nctl_list_first(&b->doomed)))
		nd_client_free(nctl_list_entry(pos, struct nd_client, link));
	nd_timer_stop(&b->reap);
	nd_timer_stop(&b->feed);
	nd_timer_stop(&b->listen_again);
	nd_io_stop(&b->listen_io);
	if (b->listen_fd >= 0)
		close(b->listen_fd);
	if (b->path)
		unlink(b->path);
	free(b->path);
	free(b);
	return NULL;
}
