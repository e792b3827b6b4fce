/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The daemon's end of the helper. Owns the control socket, by which the keeper sends the channels of
 * each helper that it starts, and the two channels for requests of the loop. What breaks one channel, be it
 * the helper's death or a message that no honest helper sends, closes all of them, answers what is
 * outstanding and so ends that helper. Calls of others are made last, with no state in the air: they may ask
 * again, or free this.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/filename.h"
#include "log/log.h"
#include "netns/client.h"

enum { RECVS_A_TURN = 64, SYSCTLS_MAX = 64, WAIT_MS = 10000 };

struct nd_helper {
	struct nd_loop *loop;
	void (*alive_fn)(bool yes, void *userdata);
	void *userdata;
	struct nd_io control;
	int control_fd;
	struct nd_channel make, make_too, look;
	struct nctl_list orphans; /* requests of channels that are closed, to be answered */
	struct nd_line *line;
	pid_t pid;
	bool alive;
	bool dead;      /* nd_helper_free was called; */
	unsigned depth; /* by somebody whom we call, in so many calls of us */
	struct nd_message m;
};

static void enter(struct nd_helper *h)
{
	h->depth++;
}

static void leave(struct nd_helper *h)
{
	if (--h->depth == 0 && h->dead)
		free(h);
}

/* If one of them frees h, the others are answered by that, and there are none left when it comes back. */
static void end_all(struct nd_helper *h, int error)
{
	struct nctl_list *l;

	while ((l = nctl_list_first(&h->orphans))) {
		struct nd_request *q = nctl_list_entry(l, struct nd_request, link);

		free(take_ptr(q->answer.text));
		q->answer.a.text = NULL;
		nd_answer_fail(&q->answer, error);
		nd_request_end(q);
	}
}

static void close_channels(struct nd_helper *h)
{
	h->alive = false;
	h->pid = 0;
	nd_channel_close(&h->make, &h->orphans);
	nd_channel_close(&h->make_too, &h->orphans);
	nd_channel_close(&h->look, &h->orphans);
	nd_line_replace(h->line, -1);
}

/* why: of a wrong message, or NULL: the helper ended. */
static void lose_helper(struct nd_helper *h, int error, const char *why)
{
	if (!h->alive)
		return;
	if (error == -EBADMSG)
		nd_error("the helper (process %d) sent a message that is wrong: %s", (int)h->pid,
			why ? why : "it is too long");
	else if (error == -EPIPE)
		nd_warn("the helper (process %d) is gone", (int)h->pid);
	else
		nd_error("the helper (process %d) is lost: %s", (int)h->pid, strerror(-error));
	close_channels(h);
	end_all(h, -EPIPE);
	/* Were it freed by one of them, there is nobody to tell. */
	if (!h->dead)
		h->alive_fn(false, h->userdata);
}

static struct nd_channel *channel_of(struct nd_helper *h, const struct nd_io *io)
{
	if (io == &h->look.io)
		return &h->look;
	return io == &h->make.io ? &h->make : &h->make_too;
}

static void on_channel(struct nd_io *io, unsigned events)
{
	struct nd_helper *h = io->userdata;
	struct nd_channel *c = channel_of(h, io);
	const char *why = NULL;
	int sent = events & ND_WRITE ? nd_channel_send(c) : 0, r = 0;

	enter(h);
	/* What was answered before the end counts, so the end is looked for by reading. */
	for (unsigned i = 0; r >= 0 && i < RECVS_A_TURN && !h->dead; i++) {
		struct nd_request *q = NULL;

		r = nd_channel_recv(c, &h->m, &q, &why);
		if (q)
			nd_request_end(q);
	}
	if (r == -EAGAIN)
		r = sent;
	if (r < 0 && !h->dead)
		lose_helper(h, r, why);
	leave(h);
}

static void close_control(struct nd_helper *h)
{
	nd_io_stop(&h->control);
	nctl_closep(&h->control_fd);
	h->control_fd = -1;
}

static void take_channels(struct nd_helper *h, pid_t pid)
{
	lose_helper(h, -EPIPE, NULL);
	if (h->dead)
		return;
	nd_channel_open(&h->make, h->loop, take_fd(h->m.fds[ND_PROTO_MAKE]), on_channel, h);
	nd_channel_open(&h->make_too, h->loop, take_fd(h->m.fds[ND_PROTO_MAKE_TOO]), on_channel, h);
	nd_channel_open(&h->look, h->loop, take_fd(h->m.fds[ND_PROTO_LOOK]), on_channel, h);
	nd_line_replace(h->line, take_fd(h->m.fds[ND_PROTO_SOCKET]));
	h->pid = pid;
	h->alive = true;
	nd_info("the helper is there: process %d", (int)pid);
	h->alive_fn(true, h->userdata);
}

static bool is_hello(const struct nd_message *m, struct nd_proto_hello *ret)
{
	if (m->len != sizeof(*ret) || m->n_fds != ND_PROTO_CHANNELS || m->lost_fds)
		return false;
	memcpy(ret, m->buf, sizeof(*ret));
	return ret->magic == ND_PROTO_MAGIC && ret->pid > 0;
}

static void on_control(struct nd_io *io, unsigned events)
{
	struct nd_helper *h = io->userdata;
	struct nd_proto_hello hello;
	int r = nd_message_recv(&h->m, h->control_fd);

	(void)events;
	if (r == -EAGAIN)
		return;
	enter(h);
	if (r == 0 && is_hello(&h->m, &hello)) {
		take_channels(h, hello.pid);
	} else {
		if (r == 0 || r == -EBADMSG)
			nd_error("the keeper of the helper sent a message that is wrong");
		nd_error("the keeper of the helper is gone: there will be no helper again");
		close_control(h);
	}
	nd_message_fini(&h->m);
	leave(h);
}

int nd_helper_wait(struct nd_helper *h)
{
	nctl_time deadline = nctl_time_add_ms(nctl_time_now(), WAIT_MS);

	while (!h->alive && h->control_fd >= 0) {
		struct pollfd p = {.fd = h->control_fd, .events = POLLIN};
		int64_t us = nctl_time_diff_us(deadline, nctl_time_now());

		if (us <= 0)
			return -ETIMEDOUT;
		if (poll(&p, 1, (int)(us / 1000) + 1) > 0)
			on_control(&h->control, ND_READ);
	}
	return h->alive ? 0 : -EPIPE;
}

int nd_helper_new(struct nd_loop *loop, int control_fd, void (*alive)(bool yes, void *userdata),
	void *userdata, struct nd_helper **ret)
{
	_cleanup_(nctl_closep) int fd = control_fd;
	_cleanup_(nctl_freep) struct nd_helper *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return -ENOMEM;
	r = nd_line_new(&h->line);
	if (r < 0)
		return r;
	h->loop = loop;
	h->alive_fn = alive;
	h->userdata = userdata;
	nctl_list_init(&h->orphans);
	nd_channel_init(&h->make);
	nd_channel_init(&h->make_too);
	nd_channel_init(&h->look);
	h->control_fd = take_fd(fd);
	nd_io_init(&h->control, loop, h->control_fd, ND_READ, on_control, h);
	nd_io_start(&h->control);
	*ret = take_ptr(h);
	return 0;
}

struct nd_helper *nd_helper_free(struct nd_helper *h)
{
	if (!h || h->dead)
		return NULL;
	enter(h);
	h->dead = true;
	close_control(h);
	close_channels(h);
	end_all(h, -ECANCELED);
	h->line = nd_line_unref(h->line);
	leave(h);
	return NULL;
}

bool nd_helper_is_alive(const struct nd_helper *h)
{
	return h->alive;
}

pid_t nd_helper_pid(const struct nd_helper *h)
{
	return h->pid;
}

void nd_helper_set_open_timeout(struct nd_helper *h, unsigned ms)
{
	nd_line_set_timeout(h->line, ms);
}

static int ask(struct nd_helper *h, struct nd_channel *c, const struct nd_call *call, nd_helper_done done,
	void *userdata)
{
	static const struct nd_helper_answer none = {.error = -EPIPE, .nsid = NCTL_NSID_NONE};

	if (h->alive)
		return nd_channel_add(c, call, done, userdata);
	if (done)
		done(&none, userdata);
	return 0;
}

static bool is_netns_name(const char *name)
{
	return name && nctl_is_file_name(name);
}

static struct nd_channel *shorter(struct nd_helper *h)
{
	return h->make.n <= h->make_too.n ? &h->make : &h->make_too;
}

int nd_helper_create(struct nd_helper *h, const char *name, bool repair, nd_helper_done done, void *userdata)
{
	struct nd_call c = {
		.type = ND_PROTO_CREATE,
		.flags = repair ? ND_PROTO_REPAIR : 0,
		.strings = &name,
		.n_strings = 1,
	};

	return is_netns_name(name) ? ask(h, shorter(h), &c, done, userdata) : -EINVAL;
}

int nd_helper_delete(
	struct nd_helper *h, const char *name, uint64_t cookie, nd_helper_done done, void *userdata)
{
	struct nd_call c = {.type = ND_PROTO_DELETE, .cookie = cookie, .strings = &name, .n_strings = 1};

	return is_netns_name(name) ? ask(h, shorter(h), &c, done, userdata) : -EINVAL;
}

int nd_helper_join(struct nd_helper *h, const struct nd_netns_ref *ref, nd_helper_done done, void *userdata)
{
	struct nd_call c = {.type = ND_PROTO_JOIN, .refs = {ref}, .n_refs = 1};

	return ask(h, &h->look, &c, done, userdata);
}

int nd_helper_nsid_in(struct nd_helper *h, const struct nd_netns_ref *in, const struct nd_netns_ref *of,
	nd_helper_done done, void *userdata)
{
	struct nd_call c = {.type = ND_PROTO_NSID_IN, .refs = {in, of}, .n_refs = 2};

	return ask(h, &h->look, &c, done, userdata);
}

int nd_helper_sysctl_read(struct nd_helper *h, const struct nd_netns_ref *ref, const char *const *names,
	size_t n, nd_helper_done done, void *userdata)
{
	struct nd_call c = {
		.type = ND_PROTO_SYSCTL_READ,
		.refs = {ref},
		.n_refs = 1,
		.strings = names,
		.n_strings = n,
	};

	if (!n)
		return -EINVAL;
	return n <= SYSCTLS_MAX ? ask(h, &h->look, &c, done, userdata) : -E2BIG;
}

int nd_helper_sysctl_write(struct nd_helper *h, const struct nd_netns_ref *ref, const char *name,
	const char *value, nd_helper_done done, void *userdata)
{
	const char *const strings[] = {name, value};
	struct nd_call c = {
		.type = ND_PROTO_SYSCTL_WRITE,
		.refs = {ref},
		.n_refs = 1,
		.strings = strings,
		.n_strings = 2,
	};

	return ask(h, &h->make, &c, done, userdata);
}

int nd_helper_link_move(struct nd_helper *h, const struct nd_netns_ref *from, uint32_t ifindex,
	const struct nd_netns_ref *to, const char *new_name, nd_helper_done done, void *userdata)
{
	const char *name = new_name ? new_name : "";
	struct nd_call c = {
		.type = ND_PROTO_LINK_MOVE,
		.refs = {from, to},
		.n_refs = 2,
		.number = ifindex,
		.strings = &name,
		.n_strings = 1,
	};

	return ask(h, &h->make, &c, done, userdata);
}

int nd_helper_open_files(struct nd_helper *h, nd_helper_done done, void *userdata)
{
	return ask(h, &h->look, &(struct nd_call){.type = ND_PROTO_OPEN_FILES}, done, userdata);
}

int nd_helper_open_maddr(
	struct nd_helper *h, const struct nd_netns_ref *ref, nd_helper_done done, void *userdata)
{
	struct nd_call c = {.type = ND_PROTO_OPEN_MADDR, .refs = {ref}, .n_refs = 1};

	return ask(h, &h->look, &c, done, userdata);
}

int nd_helper_read_key(struct nd_helper *h, const char *path, nd_helper_done done, void *userdata)
{
	struct nd_call c = {.type = ND_PROTO_READ_KEY, .strings = &path, .n_strings = 1};

	return ask(h, &h->look, &c, done, userdata);
}

int nd_helper_scan(struct nd_helper *h, nd_helper_done done, void *userdata)
{
	return ask(h, &h->look, &(struct nd_call){.type = ND_PROTO_SCAN}, done, userdata);
}

int nd_helper_pool(struct nd_helper *h, unsigned n, nd_helper_done done, void *userdata)
{
	return ask(h, &h->make, &(struct nd_call){.type = ND_PROTO_POOL, .number = n}, done, userdata);
}

int nd_helper_prepare(struct nd_helper *h, nd_helper_done done, void *userdata)
{
	return ask(h, &h->make, &(struct nd_call){.type = ND_PROTO_PREPARE}, done, userdata);
}

int nd_helper_kernel_new(struct nd_helper *h, const struct nd_netns_ref *ref, struct nctl_kernel **ret)
{
	return nd_line_kernel(h->line, ref, ret);
}
