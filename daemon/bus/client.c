/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: One connection of the private socket: an sd-bus server whose descriptor and deadline the loop watches.
 * What sd-bus wants to wait for changes only when it is processed or when something is sent, so that
 * nd_client_update is called after those two instead of in each turn. A client that does not read its answers
 * is not read either; nothing here waits for a client.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bus/private.h"
#include "log/log.h"

#define PROCESS_A_TURN 16

static bool is_paused(const struct nd_client *c)
{
	uint64_t n;

	return sd_bus_get_n_queued_write(c->conn, &n) < 0 || n > ND_WRITE_QUEUE_PAUSE;
}

static void process(struct nd_client *c)
{
	int r = 0;

	if (c->doomed)
		return;
	/* Processing writes first: a paused client gets that, but no call of it is looked at. */
	for (int i = 0; i < PROCESS_A_TURN && (i == 0 || !is_paused(c)); i++) {
		r = sd_bus_process(c->conn, NULL);
		if (r <= 0)
			break;
	}
	if (r < 0)
		nd_client_doom(c);
	else
		nd_client_update(c);
}

static void io_event(struct nd_io *io, unsigned events)
{
	(void)events;
	process(io->userdata);
}

static void timer_event(struct nd_timer *t)
{
	process(t->userdata);
}

void nd_client_update(struct nd_client *c)
{
	uint64_t usec, queued;
	int events, r;

	if (c->doomed)
		return;
	events = sd_bus_get_events(c->conn);
	r = sd_bus_get_timeout(c->conn, &usec);
	if (events < 0 || r < 0 || sd_bus_get_n_queued_write(c->conn, &queued) < 0) {
		nd_client_doom(c);
		return;
	}
	if (queued > ND_WRITE_QUEUE_MAX) {
		nd_warn("bus: a client of uid %u does not read, it is dropped", c->uid);
		nd_client_doom(c);
		return;
	}
	if (queued > ND_WRITE_QUEUE_PAUSE) {
		events = POLLOUT;
		usec = UINT64_MAX;
	}
	nd_io_set_events(&c->io, (events & POLLIN ? ND_READ : 0u) | (events & POLLOUT ? ND_WRITE : 0u));
	/* UINT64_MAX is "never" on both sides, 0 is "at once". */
	nd_timer_set(&c->timer, (nctl_time){usec});
}

void nd_client_doom(struct nd_client *c)
{
	if (c->doomed)
		return;
	c->doomed = true;
	c->bus->n_clients--;
	c->bus->n_unprivileged -= !c->privileged;
	nd_io_stop(&c->io);
	nd_timer_stop(&c->timer);
	nctl_list_del(&c->link);
	nctl_list_add_tail(&c->bus->doomed, &c->link);
	nd_timer_set(&c->bus->reap, nctl_time_now());
}

struct nd_client *nd_client_free(struct nd_client *c)
{
	if (!c)
		return NULL;
	nd_client_doom(c);
	nd_calls_forget(c);
	nd_streams_end(c);
	nd_monitors_end(c);
	nctl_list_del(&c->link);
	sd_bus_close_unref(c->conn);
	free(c);
	return NULL;
}

/* fd is taken when this succeeds. */
static int start(struct nd_client *c, int fd)
{
	sd_id128_t id;
	int r;

	r = sd_id128_randomize(&id);
	if (r < 0)
		return r;
	r = sd_bus_set_server(c->conn, 1, id);
	if (r < 0)
		return r;
	/* The kernel has said who it is; what the client could add would only turn away user namespaces. */
	r = sd_bus_set_anonymous(c->conn, 1);
	if (r < 0)
		return r;
	r = sd_bus_negotiate_creds(c->conn, 0, 0);
	if (r < 0)
		return r;
	r = sd_bus_negotiate_fds(c->conn, 1);
	if (r < 0)
		return r;
	r = sd_bus_add_object_vtable(c->conn, NULL, ND_BUS_PATH, ND_BUS_INTERFACE, nd_bus_vtable, c);
	if (r < 0)
		return r;
	return sd_bus_set_fd(c->conn, fd, fd);
}

int nd_client_new(struct nd_bus *b, int fd, const struct ucred *cred, bool privileged)
{
	_cleanup_(nctl_closep) int taken = fd;
	struct nd_client *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->bus = b;
	c->uid = cred->uid;
	c->pid = cred->pid;
	c->privileged = privileged;
	nctl_list_init(&c->calls);
	nctl_list_init(&c->streams);
	nctl_list_init(&c->monitors);
	nctl_list_init(&c->link);
	nctl_list_add_tail(&b->clients, &c->link);
	b->n_clients++;
	b->counters.clients++;
	b->n_unprivileged += !c->privileged;
	nd_io_init(&c->io, b->loop, fd, 0, io_event, c);
	nd_timer_init(&c->timer, b->loop, timer_event, c);
	r = sd_bus_new(&c->conn);
	if (r >= 0)
		r = start(c, fd);
	if (r < 0) {
		nd_client_free(c);
		return r;
	}
	(void)take_fd(taken); /* from here on the connection's */
	r = sd_bus_start(c->conn);
	if (r < 0) {
		/* Somebody who went away at once, or sent garbage. */
		nd_client_free(c);
		return 0;
	}
	nd_client_update(c);
	return 0;
}
