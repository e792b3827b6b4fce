/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: dumps in a requester against a scripted kernel: interruption, truncation, overrun, refusal, a slow
 * taker.
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>
#include <linux/rtnetlink.h>

#include "fixture.h"
#include "nl/attr.h"

/* How the scripted kernel answers one attempt at a dump. */
struct answer {
	size_t datagrams, per_datagram;
	size_t payload;      /* bytes of attribute in each message */
	size_t interrupt_at; /* datagram from 1 whose messages have NLM_F_DUMP_INTR; 0: none */
	size_t overrun_at;   /* datagram from 1 before which messages are lost */
	bool no_done;        /* the end never comes */
	bool error;          /* NLMSG_ERROR ends the dump */
	int status;          /* in the ending message */
};

struct plan {
	const struct answer *answers;
	size_t n, next; /* the last answer is repeated */
};

/* Messages carry their number in their family header. */
static void put_datagram(
	struct script *s, const struct answer *a, uint32_t seq, uint32_t number, bool interrupt)
{
	static _Alignas(8) uint8_t buf[64 * 1024], payload[60 * 1024];
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, buf, sizeof(buf));
	for (size_t i = 0; i < a->per_datagram; i++, number++) {
		nctl_msg_begin(&m, RTM_NEWLINK, NLM_F_MULTI | (interrupt ? NLM_F_DUMP_INTR : 0), &number,
			sizeof(number));
		nctl_msg_put(&m, 1, payload, a->payload);
		assert_int_equal(nctl_msg_commit(&m, seq), 0);
	}
	script_put(s, buf, m.len);
}

static void put_end(struct script *s, const struct answer *a, uint32_t seq)
{
	_Alignas(8) uint8_t buf[64];
	struct nctl_msgbuf m;

	if (a->error) {
		script_put_ack(s, &(struct script_ack){.seq = seq, .error = a->status});
		return;
	}
	nctl_msgbuf_init(&m, buf, sizeof(buf));
	nctl_msg_begin(&m, NLMSG_DONE, NLM_F_MULTI, &a->status, sizeof(a->status));
	nctl_msg_commit(&m, seq);
	script_put(s, buf, m.len);
}

static void answer_plan(struct script *s, const struct nlmsghdr *first, size_t len)
{
	struct plan *p = s->userdata;
	const struct answer *a = &p->answers[p->next];
	uint32_t number = 0;

	assert_int_equal(first->nlmsg_len, len);
	assert_int_equal(first->nlmsg_flags, NLM_F_REQUEST | NLM_F_DUMP);
	if (p->next + 1 < p->n)
		p->next++;
	put_datagram(s, a, first->nlmsg_seq - 1, 7777, false); /* of somebody else's dump */
	for (size_t i = 1; i <= a->datagrams; i++) {
		if (a->overrun_at == i)
			script_put_error(s, -ENOBUFS);
		put_datagram(s, a, first->nlmsg_seq, number, a->interrupt_at == i);
		number += (uint32_t)a->per_datagram;
	}
	if (!a->no_done)
		put_end(s, a, first->nlmsg_seq);
}

struct outcome {
	int status;
	unsigned attempt;
	size_t chunks;
	size_t messages; /* of the last attempt, in order */
};

static void count_chunk(struct outcome *o, const struct nctl_result *r)
{
	const struct nlmsghdr *nlh = NULL;
	uint32_t number;
	size_t len = 0;

	if (r->attempt != o->attempt)
		*o = (struct outcome){.attempt = r->attempt};
	o->chunks++;
	while ((nlh = nctl_msg_next(r->data, r->len, nlh))) {
		memcpy(&number, NLMSG_DATA(nlh), sizeof(number));
		assert_int_equal(number, o->messages++);
		len += NLMSG_ALIGN(nlh->nlmsg_len);
	}
	assert_int_equal(len, r->len);
}

static struct outcome run_dump(void **state, struct plan *p, const struct nctl_requester_options *opts)
{
	struct rtgenmsg gen = {.rtgen_family = AF_UNSPEC};
	struct fixture *f = *state;
	struct outcome o = {.attempt = 0};
	struct nctl_result *r;

	f->script.userdata = p;
	if (!f->requester)
		fixture_start(state, answer_plan, opts);
	assert_int_equal(nctl_requester_dump(
				 f->requester, &f->script.kernel, RTM_GETLINK, &gen, sizeof(gen), NULL, 0, p),
		0);
	while ((r = fixture_wait(f))->type == NCTL_RESULT_DUMP) {
		assert_ptr_equal(r->userdata, p);
		count_chunk(&o, r);
		nctl_result_free(r);
	}
	assert_int_equal(r->type, NCTL_RESULT_DUMP_END);
	assert_ptr_equal(r->userdata, p);
	assert_true(r->attempt >= o.attempt);
	o.attempt = r->attempt;
	o.status = r->status;
	nctl_result_free(r);
	return o;
}

/* 200 datagrams with 3.2 MB come as few chunks, through a queue of two. */
static void test_chunks(void **state)
{
	const struct answer a = {.datagrams = 200, .per_datagram = 10, .payload = 1601};
	struct plan p = {.answers = &a, .n = 1};
	struct outcome o = run_dump(state, &p, &(struct nctl_requester_options){.queue_max = 2});

	assert_int_equal(o.status, 0);
	assert_int_equal(o.messages, 2000);
	assert_int_equal(o.attempt, 1);
	assert_in_range(o.chunks, 2, 30);
}

static void test_empty(void **state)
{
	const struct answer answers[] = {{.status = 0}, {.error = true}, {.status = -EOPNOTSUPP},
		{.error = true, .status = -EPERM}, {.datagrams = 1, .per_datagram = 2, .status = -EIO}};
	const int statuses[] = {0, 0, -EOPNOTSUPP, -EPERM, -EIO};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(answers); i++) {
		struct plan p = {.answers = &answers[i], .n = 1};
		struct outcome o = run_dump(state, &p, NULL);

		assert_int_equal(o.status, statuses[i]);
		assert_int_equal(o.attempt, 1);
		assert_int_equal(o.messages, answers[i].datagrams * 2);
	}
	assert_int_equal(((struct fixture *)*state)->script.opens, 1);
}

static void test_interrupted(void **state)
{
	const struct answer answers[] = {
		{.datagrams = 30, .per_datagram = 5, .payload = 4000, .interrupt_at = 10},
		{.datagrams = 30, .per_datagram = 5, .payload = 4000},
	};
	struct plan p = {.answers = answers, .n = 2};
	struct outcome o = run_dump(state, &p, NULL);
	struct nctl_requester_stats stats;
	struct fixture *f = *state;

	assert_int_equal(o.status, 0);
	assert_int_equal(o.attempt, 2);
	assert_int_equal(o.messages, 150);
	assert_int_equal(f->script.opens, 1);
	nctl_requester_get_stats(f->requester, &stats);
	assert_int_equal(stats.dumps, 1);
	assert_int_equal(stats.dump_retries, 1);
	assert_int_equal(stats.changes, 0);
}

/* The last attempt is handed out as a whole, with the warning. */
static void test_always_interrupted(void **state)
{
	const struct answer a = {.datagrams = 30, .per_datagram = 5, .payload = 4000, .interrupt_at = 10};
	struct plan p = {.answers = &a, .n = 1};
	struct outcome o = run_dump(state, &p, &(struct nctl_requester_options){.dump_tries = 3});

	assert_int_equal(o.status, -EINTR);
	assert_int_equal(o.attempt, 3);
	assert_int_equal(o.messages, 150);
}

static void test_overrun(void **state)
{
	const struct answer answers[] = {
		{.datagrams = 5, .per_datagram = 5, .overrun_at = 3, .no_done = true},
		{.datagrams = 5, .per_datagram = 5},
	};
	struct plan p = {.answers = answers, .n = 2};
	struct outcome o = run_dump(state, &p, NULL);
	struct fixture *f = *state;

	assert_int_equal(o.status, 0);
	assert_int_equal(o.attempt, 2);
	assert_int_equal(o.messages, 25);
	assert_int_equal(f->script.opens, 2);
}

static void test_overrun_without_socket(void **state)
{
	const struct answer a = {.datagrams = 5, .per_datagram = 5, .overrun_at = 3, .no_done = true};
	struct plan p = {.answers = &a, .n = 1};
	struct fixture *f = fixture_start(state, answer_plan, NULL);

	f->script.no_open = true;
	assert_int_equal(run_dump(state, &p, NULL).status, -EMFILE);
}

/* A message longer than the buffers is read by a later attempt with longer ones. */
static void test_truncated(void **state)
{
	const struct answer a = {.datagrams = 3, .per_datagram = 1, .payload = 50000};
	struct plan p = {.answers = &a, .n = 1};
	struct outcome o = run_dump(state, &p, NULL);

	assert_int_equal(o.status, 0);
	assert_int_equal(o.attempt, 2);
	assert_int_equal(o.messages, 3);
}

static void test_timeout(void **state)
{
	const struct answer a = {.datagrams = 1, .per_datagram = 1, .no_done = true};
	const struct answer good = {.datagrams = 1, .per_datagram = 1};
	struct plan p = {.answers = &a, .n = 1};
	struct outcome o = run_dump(state, &p, &(struct nctl_requester_options){.timeout_ms = 30});

	assert_int_equal(o.status, -ETIMEDOUT);
	p.answers = &good;
	o = run_dump(state, &p, NULL);
	assert_int_equal(o.status, 0);
	assert_int_equal(((struct fixture *)*state)->script.opens, 2);
}

/* Ends while chunks wait for room that nobody makes. */
static void test_free_amid(void **state)
{
	const struct answer a = {.datagrams = 200, .per_datagram = 10, .payload = 1600};
	struct plan p = {.answers = &a, .n = 1};
	struct fixture *f =
		fixture_start(state, answer_plan, &(struct nctl_requester_options){.queue_max = 1});

	f->script.userdata = &p;
	assert_int_equal(
		nctl_requester_dump(f->requester, &f->script.kernel, RTM_GETLINK, NULL, 0, NULL, 0, NULL), 0);
	nctl_result_free(fixture_wait(f));
	nctl_requester_freep(&f->requester);
	assert_int_equal(f->script.sends, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_chunks, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_empty, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_interrupted, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_always_interrupted, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_overrun, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			test_overrun_without_socket, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_truncated, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_timeout, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_free_amid, fixture_set_up, fixture_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
