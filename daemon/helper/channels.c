/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the helper proper: a thread for each channel, since each of them goes into namespaces and back, and
 * one more for the pool. The main thread does nothing, so that the process as such is always at home. The
 * first thread that is done, because the daemon went away or sent what is no request, ends the process; the
 * keeper sees to the rest.
 */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "helper/private.h"

struct lane {
	enum nd_proto_channel channel;
	int fd;
	struct nd_place place;
	uint8_t message[ND_PROTO_MESSAGE_MAX] __attribute__((aligned(8)));
};

/* Held until the threads may start: when the filter of system calls is in force for all of them. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

const nd_operation nd_operations[ND_PROTO_TYPES] = {
	[ND_PROTO_CREATE] = nd_op_create,
	[ND_PROTO_DELETE] = nd_op_delete,
	[ND_PROTO_JOIN] = nd_op_join,
	[ND_PROTO_NSID_IN] = nd_op_nsid_in,
	[ND_PROTO_SYSCTL_READ] = nd_op_sysctl_read,
	[ND_PROTO_SYSCTL_WRITE] = nd_op_sysctl_write,
	[ND_PROTO_LINK_MOVE] = nd_op_link_move,
	[ND_PROTO_OPEN_FILES] = nd_op_open_files,
	[ND_PROTO_SCAN] = nd_op_scan,
	[ND_PROTO_POOL] = nd_op_pool,
	[ND_PROTO_PREPARE] = nd_op_prepare,
	[ND_PROTO_OPEN_SOCKET] = nd_op_socket,
	[ND_PROTO_OPEN_MADDR] = nd_op_open_maddr,
	[ND_PROTO_READ_KEY] = nd_op_read_key,
};

/* The kernel says who sent it (SO_PASSCRED, set by the keeper): the daemon, or root before it became the
 * daemon. */
static bool sender_is_right(struct msghdr *m, uid_t user)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct ucred sender;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS ||
		c->cmsg_len != CMSG_LEN(sizeof(sender)))
		return false;
	memcpy(&sender, CMSG_DATA(c), sizeof(sender));
	return sender.uid == user || sender.uid == 0;
}

/*
 * How long the message is; 0: the daemon is gone; or -errno, -EAGAIN with MSG_DONTWAIT. A message with
 * descriptors does not fit into control, and is wrong like one that is too long: the kernel throws them away.
 */
static ssize_t receive(struct lane *l, int flags)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = {l->message, sizeof(l->message)};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t k;

	do {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
		k = recvmsg(l->fd, &m, flags | MSG_CMSG_CLOEXEC);
	} while (k < 0 && errno == EINTR);
	if (k < 0)
		return errno == ECONNRESET ? 0 : -errno;
	if (k == 0)
		return 0;
	if (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || !sender_is_right(&m, l->place.options->user))
		return -EBADMSG;
	return k;
}

/* The same, and in between tells the pool that there is time. */
static ssize_t receive_for_make(struct lane *l)
{
	ssize_t k = receive(l, MSG_DONTWAIT);

	if (k != -EAGAIN)
		return k;
	nd_pool_set_busy(l->place.pool, false);
	k = receive(l, 0);
	nd_pool_set_busy(l->place.pool, true);
	return k;
}

static bool makes(enum nd_proto_channel channel)
{
	return channel == ND_PROTO_MAKE || channel == ND_PROTO_MAKE_TOO;
}

static int serve(struct lane *l)
{
	ssize_t k;
	int r;

	for (;;) {
		k = makes(l->channel) ? receive_for_make(l) : receive(l, 0);
		if (k <= 0)
			return (int)k;
		r = nd_dispatch(nd_operations, &l->place, l->channel, l->fd, l->message, (size_t)k);
		if (r < 0)
			return r;
	}
}

static void wait_for_gate(void)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
}

static void *lane_main(void *userdata)
{
	struct lane *l = userdata;
	int r;

	wait_for_gate();
	r = serve(l);
	if (r < 0 && r != -EPIPE)
		fprintf(stderr, "netctld-helper: channel %d: %s\n", (int)l->channel,
			r == -EBADMSG ? "a wrong message" : strerror(-r));
	_exit(r < 0 && r != -EPIPE);
}

static void *pool_main(void *userdata)
{
	struct nd_place *p = userdata;

	wait_for_gate();
	nd_pool_serve(p->pool, p);
}

static int start_thread(void *(*fn)(void *), void *userdata)
{
	pthread_t thread;
	int r = pthread_create(&thread, NULL, fn, userdata);

	if (r == 0)
		(void)pthread_detach(thread);
	return -r;
}

static int start(const int channels[static ND_PROTO_CHANNELS], const struct nd_helper_options *o)
{
	static struct lane lanes[ND_PROTO_CHANNELS];
	static struct nd_place pool_place;
	struct nd_pool *pool = NULL;
	int i, r = nd_pool_new(&pool);

	if (r < 0)
		return r;
	for (i = 0; i < ND_PROTO_CHANNELS; i++) {
		lanes[i].channel = (enum nd_proto_channel)i;
		lanes[i].fd = channels[i];
		if (makes(lanes[i].channel))
			nd_pool_set_busy(pool, true);
		r = nd_place_init(&lanes[i].place, pool, o);
		if (r == 0)
			r = start_thread(lane_main, &lanes[i]);
		if (r < 0)
			return r;
	}
	r = nd_place_init(&pool_place, pool, o);
	return r < 0 ? r : start_thread(pool_main, &pool_place);
}

int nd_channels_serve(const int channels[static ND_PROTO_CHANNELS], const struct nd_helper_options *o)
{
	int r;

	pthread_mutex_lock(&gate);
	r = start(channels, o);
	if (r == 0)
		r = nd_confine_calls();
	if (r < 0) {
		fprintf(stderr, "netctld-helper: %s\n", strerror(-r));
		return 1;
	}
	pthread_mutex_unlock(&gate);
	for (;;)
		pause();
}
