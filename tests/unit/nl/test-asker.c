/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The asker against a kernel that is a script: pieces come when they are wanted and not before; what
 * ends an answer; failures; askers and asks that end while the kernel is silent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "nl/asker.h"
#include "nl/attr.h"

#define OBJECT 30 /* some type of message */

/* What it answers to the n-th receive. */
struct piece {
	int error;      /* a negative errno instead */
	bool truncated; /* the datagram does not fit */
	int objects;
	bool intr; /* NLM_F_DUMP_INTR */
	bool done; /* NLMSG_DONE with .status, else, if ack, an NLMSG_ERROR with it for each request */
	bool ack;
	int status;
	bool silent; /* nothing comes */
};

static int heard; /* an eventfd: something was sent */

static struct script {
	struct nctl_kernel kernel;
	const struct piece *v;
	atomic_int received, opened, closed;
	int open_error;
	uint32_t first_seq, n_requests, flags;
} script;

struct end {
	struct nctl_transport t;
	int never;
};

static int end_fd(struct nctl_transport *t)
{
	return nctl_container_of(t, struct end, t)->never;
}

static int end_send(struct nctl_transport *t, const void *buf, size_t len)
{
	const struct nlmsghdr *nlh = NULL;

	(void)t;
	script.n_requests = 0;
	while ((nlh = nctl_msg_next(buf, len, nlh))) {
		if (script.n_requests++ == 0)
			script.first_seq = nlh->nlmsg_seq;
		script.flags = nlh->nlmsg_flags;
	}
	(void)eventfd_write(heard, 1);
	return 0;
}

static uint8_t *put(uint8_t *p, uint16_t type, uint16_t flags, uint32_t seq, const int *status)
{
	struct nlmsghdr nlh = {.nlmsg_type = type,
		.nlmsg_flags = flags,
		.nlmsg_seq = seq,
		.nlmsg_len = NLMSG_LENGTH(status ? sizeof(*status) : 0)};

	memcpy(p, &nlh, sizeof(nlh));
	if (status)
		memcpy(p + NLMSG_HDRLEN, status, sizeof(*status));
	return p + nlh.nlmsg_len;
}

static int end_recv(struct nctl_transport *t, struct nctl_dgram *d, size_t n)
{
	const struct piece *piece = script.v + atomic_load(&script.received);
	uint8_t *p = d->buf;

	(void)t;
	assert_true(n >= 1);
	if (piece->silent)
		return 0;
	atomic_fetch_add(&script.received, 1);
	if (piece->error)
		return piece->error;
	for (int i = 0; i < piece->objects; i++)
		p = put(p, OBJECT, piece->intr ? NLM_F_DUMP_INTR : 0, script.first_seq, NULL);
	if (piece->done)
		p = put(p, NLMSG_DONE, 0, script.first_seq, &piece->status);
	for (uint32_t i = 0; piece->ack && i < script.n_requests; i++)
		p = put(p, NLMSG_ERROR, 0, script.first_seq + i, &piece->status);
	d->len = (size_t)(p - (uint8_t *)d->buf);
	d->truncated = piece->truncated;
	return 1;
}

static int end_wait(struct nctl_transport *t, nctl_time deadline)
{
	(void)t;
	(void)deadline;
	return -ETIMEDOUT;
}

static int end_join(struct nctl_transport *t, unsigned group)
{
	(void)t;
	(void)group;
	return -EOPNOTSUPP;
}

static void end_destroy(struct nctl_transport *t)
{
	struct end *e = nctl_container_of(t, struct end, t);

	close(e->never);
	free(e);
	atomic_fetch_add(&script.closed, 1);
}

static int open_end(struct nctl_kernel *k, enum nctl_transport_role role, struct nctl_transport **ret)
{
	static const struct nctl_transport_ops ops = {.get_fd = end_fd,
		.send = end_send,
		.recv = end_recv,
		.wait = end_wait,
		.join = end_join,
		.destroy = end_destroy};
	struct end *e;

	(void)k;
	assert_int_equal(role, NCTL_TRANSPORT_REQUEST);
	if (script.open_error)
		return script.open_error;
	e = malloc(sizeof(*e));
	assert_non_null(e);
	e->t.ops = &ops;
	e->never = eventfd(0, EFD_CLOEXEC);
	atomic_fetch_add(&script.opened, 1);
	*ret = &e->t;
	return 0;
}

static int bell;

static void wake(void *userdata)
{
	(void)userdata;
	(void)eventfd_write(bell, 1);
}

static struct nctl_asker *begin(const struct piece *v)
{
	struct nctl_asker *a;

	script.kernel.open = open_end;
	script.v = v;
	script.open_error = 0;
	script.received = script.opened = script.closed = 0;
	bell = eventfd(0, EFD_CLOEXEC);
	heard = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(nctl_asker_new(wake, NULL, &a), 0);
	return a;
}

static void end(struct nctl_asker *a)
{
	nctl_asker_free(a);
	assert_int_equal(script.opened, script.closed);
	close(bell);
	close(heard);
}

static struct nctl_ask *pop(struct nctl_asker *a)
{
	struct nctl_ask *q;
	eventfd_t n;

	while (!(q = nctl_asker_pop(a)))
		assert_int_equal(eventfd_read(bell, &n), 0);
	return q;
}

static void ask(struct nctl_ask *q, uint16_t flags, unsigned n)
{
	_Alignas(4) uint8_t room[256];
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, room, sizeof(room));
	for (unsigned i = 0; i < n; i++) {
		nctl_msg_begin(&m, OBJECT, flags, NULL, 0);
		assert_int_equal(nctl_msg_commit(&m, 0), 0);
	}
	assert_int_equal(nctl_ask_step(q, &m), 0);
}

static size_t count(const struct nctl_ask *q)
{
	const struct nlmsghdr *nlh = NULL;
	size_t n = 0;

	while ((nlh = nctl_msg_next(q->data, q->len, nlh)))
		n += nlh->nlmsg_type == OBJECT;
	return n;
}

static void piecemeal(void **state)
{
	static const struct piece v[] = {{.objects = 3}, {.objects = 5}, {.objects = 1, .done = true},
		{.objects = 2}, {.done = true, .intr = true, .objects = 1}, {.silent = true}};
	struct nctl_asker *a = begin(v);
	struct nctl_ask *q;

	(void)state;
	assert_int_equal(nctl_ask_new(a, &script.kernel, NCTL_TRANSPORT_REQUEST, &script, &q), 0);
	ask(q, NLM_F_DUMP, 1);
	assert_ptr_equal(pop(a), q);
	assert_int_equal(count(q), 3);
	assert_false(q->over);
	/* Nobody wants more: nothing more is received. */
	assert_null(nctl_asker_pop(a));
	assert_int_equal(script.received, 1);
	assert_int_equal(nctl_ask_step(q, NULL), 0);
	assert_ptr_equal(pop(a), q);
	assert_int_equal(count(q), 5);
	assert_int_equal(nctl_ask_step(q, NULL), 0);
	assert_ptr_equal(pop(a), q);
	assert_true(q->over && q->status == 0 && !q->interrupted);
	assert_int_equal(count(q), 1);
	/* The next question, over the same socket. */
	ask(q, NLM_F_DUMP, 1);
	assert_ptr_equal(pop(a), q);
	assert_int_equal(nctl_ask_step(q, NULL), 0);
	assert_ptr_equal(pop(a), q);
	assert_true(q->over && q->interrupted);
	assert_int_equal(script.opened, 1);
	nctl_ask_free(q);
	end(a);
}

static void many_at_once(void **state)
{
	static const struct piece v[] = {{.objects = 2}, {.ack = true, .status = -ENODEV}, {.silent = true}};
	struct nctl_asker *a = begin(v);
	struct nctl_ask *q;

	(void)state;
	assert_int_equal(nctl_ask_new(a, &script.kernel, NCTL_TRANSPORT_REQUEST, NULL, &q), 0);
	ask(q, 0, 3);
	pop(a);
	assert_int_equal(script.n_requests, 3);
	assert_true(script.flags & NLM_F_ACK);
	assert_false(q->over);
	assert_int_equal(nctl_ask_step(q, NULL), 0);
	pop(a);
	/* That some are refused is no failure of the whole. */
	assert_true(q->over && q->status == 0);
	nctl_ask_free(q);
	end(a);
}

static void failures(void **state)
{
	static const struct piece overrun[] = {{.error = -ENOBUFS}},
				  cut[] = {{.objects = 1, .truncated = true}},
				  refused[] = {{.done = true, .status = -EPERM}};
	static const struct {
		const struct piece *v;
		int open_error, want;
	} cases[] = {{overrun, 0, -ENOBUFS}, {cut, 0, -EMSGSIZE}, {refused, 0, -EPERM},
		{overrun, -ENOENT, -ENOENT}};

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(cases); i++) {
		struct nctl_asker *a = begin(cases[i].v);
		struct nctl_ask *q;

		script.open_error = cases[i].open_error;
		assert_int_equal(nctl_ask_new(a, &script.kernel, NCTL_TRANSPORT_REQUEST, NULL, &q), 0);
		ask(q, NLM_F_DUMP, 1);
		assert_ptr_equal(pop(a), q);
		assert_true(q->over);
		assert_int_equal(q->status, cases[i].want);
		nctl_ask_free(q);
		end(a);
	}
}

/* The kernel says nothing: neither an ask that is given up nor the end of all waits for it. */
static void silence(void **state)
{
	static const struct piece v[] = {{.silent = true}};
	struct nctl_asker *a = begin(v);
	struct nctl_ask *v_q[3];
	eventfd_t n;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(nctl_ask_new(a, &script.kernel, NCTL_TRANSPORT_REQUEST, NULL, v_q + i), 0);
		ask(v_q[i], NLM_F_DUMP, 1);
	}
	assert_int_equal(eventfd_read(heard, &n), 0);
	for (int i = 0; i < 3; i++)
		nctl_ask_free(v_q[i]);
	assert_null(nctl_asker_pop(a));
	end(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(piecemeal),
		cmocka_unit_test(many_at_once),
		cmocka_unit_test(failures),
		cmocka_unit_test(silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
