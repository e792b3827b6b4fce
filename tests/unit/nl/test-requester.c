/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: batches in a requester against a scripted kernel; dumps are in test-dump.c. */

#include <errno.h>
#include <sched.h>
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

static struct nctl_batch *make_batch(size_t n)
{
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	struct nctl_batch *b;

	assert_int_equal(nctl_batch_new(4096, &b), 0);
	for (size_t i = 0; i < n; i++) {
		nctl_msg_begin(&b->msgs, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
		assert_int_equal(nctl_batch_commit(b), 0);
	}
	return b;
}

/* Sends n messages and gives the batch back as it came. */
static struct nctl_batch *run_batch(struct fixture *f, size_t n)
{
	struct nctl_batch *b = make_batch(n);
	struct nctl_result *r;

	assert_int_equal(nctl_requester_submit(f->requester, &f->script.kernel, b), 0);
	r = fixture_wait(f);
	assert_int_equal(r->type, NCTL_RESULT_BATCH);
	assert_ptr_equal(take_ptr(r->batch), b);
	nctl_result_free(r);
	return b;
}

static void answer_fine(struct script *s, const struct nlmsghdr *first, size_t len)
{
	const struct nlmsghdr *nlh = NULL;

	while ((nlh = nctl_msg_next(first, len, nlh)))
		if (nlh->nlmsg_flags & NLM_F_ACK)
			script_put_ack(s, &(struct script_ack){.seq = nlh->nlmsg_seq});
}

static void test_fine(void **state)
{
	struct fixture *f = fixture_start(state, answer_fine, NULL);
	struct nctl_requester_stats stats;
	struct nctl_batch *b = run_batch(f, 5);

	assert_int_equal(b->status, 0);
	assert_int_equal(b->n_errors, 0);
	nctl_batch_free(b);
	nctl_requester_get_stats(f->requester, &stats);
	assert_int_equal(stats.sends, 1);
	assert_int_equal(stats.receives, 1);
	assert_int_equal(stats.messages, 5);
	assert_int_equal(stats.changes, 5);

	b = run_batch(f, 0); /* nothing to send, nothing to wait for */
	assert_int_equal(b->status, 0);
	nctl_batch_free(b);
	assert_int_equal(f->script.sends, 1);
}

static void answer_refusals(struct script *s, const struct nlmsghdr *first, size_t len)
{
	uint32_t seq = first->nlmsg_seq;

	(void)len;
	script_put_ack(s,
		&(struct script_ack){.seq = seq + 1, .error = -EEXIST, .text = "There is one", .offset = 24});
	script_put_ack(s, &(struct script_ack){.seq = seq + 3, .error = -EPERM, .text = "No", .echo = 20});
	script_put_ack(s, &(struct script_ack){.seq = seq + 4, .error = -EINVAL});
}

/* Refusals carry the kernel's words, capped or not; that of the last message ends the batch. */
static void test_refusals(void **state)
{
	struct fixture *f = fixture_start(state, answer_refusals, NULL);
	struct nctl_batch *b = run_batch(f, 5);

	assert_int_equal(b->status, 0);
	assert_int_equal(b->n_errors, 3);
	assert_int_equal(b->errors[0].index, 1);
	assert_int_equal(b->errors[0].error, -EEXIST);
	assert_int_equal(b->errors[0].offset, 24);
	assert_string_equal(b->errors[0].text, "There is one");
	assert_int_equal(b->errors[1].index, 3);
	assert_string_equal(b->errors[1].text, "No");
	assert_int_equal(b->errors[1].offset, 0);
	assert_int_equal(b->errors[2].index, 4);
	assert_int_equal(b->errors[2].error, -EINVAL);
	assert_null(b->errors[2].text);
	nctl_batch_free(b);
}

static void answer_reordered(struct script *s, const struct nlmsghdr *first, size_t len)
{
	uint32_t seq = first->nlmsg_seq;

	(void)len;
	script_put_ack(s, &(struct script_ack){.seq = seq - 1, .error = -EIO}); /* somebody else's */
	script_put_ack(s, &(struct script_ack){.seq = seq + 70, .error = -EIO});
	script_put_ack(s, &(struct script_ack){.seq = seq + 69});
	for (uint32_t i = 69; i-- > 0;)
		script_put_ack(s, &(struct script_ack){.seq = seq + i, .error = -EBUSY});
}

/* All that is there is taken, also behind the last answer and when it fills the vector more than once. */
static void test_reordered(void **state)
{
	struct fixture *f = fixture_start(state, answer_reordered, NULL);
	struct nctl_batch *b = run_batch(f, 70);

	assert_int_equal(b->status, 0);
	assert_int_equal(b->n_errors, 69);
	for (uint32_t i = 0; i < 69; i++)
		assert_int_equal(b->errors[i].index, 68 - i);
	nctl_batch_free(b);
}

static void answer_nothing(struct script *s, const struct nlmsghdr *first, size_t len)
{
	(void)len;
	*(uint32_t *)s->userdata = first->nlmsg_seq;
}

static void test_late(void **state)
{
	struct fixture *f = fixture_start(state, answer_nothing, NULL);
	struct nctl_batch *b = make_batch(2);
	struct nctl_result *r;
	uint32_t seq = 0;

	f->script.userdata = &seq;
	assert_int_equal(nctl_requester_submit(f->requester, &f->script.kernel, b), 0);
	sem_wait(&f->script.sent);
	script_put_ack(&f->script, &(struct script_ack){.seq = seq, .error = -EBUSY});
	script_put_ack(&f->script, &(struct script_ack){.seq = seq + 1});
	r = fixture_wait(f);
	assert_int_equal(r->batch->status, 0);
	assert_int_equal(r->batch->n_errors, 1);
	nctl_result_free(r);
}

static void answer_short(struct script *s, const struct nlmsghdr *first, size_t len)
{
	(void)len;
	script_put_ack(s, &(struct script_ack){.seq = first->nlmsg_seq, .error = -EBUSY});
}

/* Without the last answer the outcome is unknown, but what was heard is kept. */
static void test_timeout(void **state)
{
	struct fixture *f =
		fixture_start(state, answer_short, &(struct nctl_requester_options){.timeout_ms = 30});
	struct nctl_batch *b = run_batch(f, 2);

	assert_int_equal(b->status, -ETIMEDOUT);
	assert_int_equal(b->n_errors, 1);
	nctl_batch_free(b);
}

static void answer_overrun(struct script *s, const struct nlmsghdr *first, size_t len)
{
	(void)first;
	(void)len;
	script_put_error(s, -ENOBUFS);
}

static void test_overrun(void **state)
{
	struct fixture *f = fixture_start(state, answer_overrun, NULL);
	struct nctl_batch *b = run_batch(f, 2);
	struct nctl_requester_stats stats;

	assert_int_equal(b->status, -ENOBUFS);
	nctl_batch_free(b);
	nctl_requester_get_stats(f->requester, &stats);
	assert_int_equal(stats.lost_acks, 1);
}

/* Answers with the right sequence number and random bytes behind it; then a good one. */
static void answer_garbage(struct script *s, const struct nlmsghdr *first, size_t len)
{
	(void)len;
	for (unsigned i = 0; i < 500; i++) {
		uint32_t words[16];
		struct nlmsghdr *nlh = (void *)words;
		size_t bytes = 16 + (size_t)random() % 48;

		for (size_t j = 0; j < NCTL_ARRAY_SIZE(words); j++)
			words[j] = (uint32_t)random() % 30;
		nlh->nlmsg_len = (uint32_t)(random() % 8 ? bytes : (size_t)random() % 100);
		nlh->nlmsg_type = NLMSG_ERROR;
		nlh->nlmsg_flags = (uint16_t)(random() & (NLM_F_CAPPED | NLM_F_ACK_TLVS));
		nlh->nlmsg_seq = first->nlmsg_seq;
		words[4] = (uint32_t) - (random() % 5);
		script_put(s, words, bytes);
	}
	answer_fine(s, first, len);
}

static void test_garbage(void **state)
{
	struct fixture *f = fixture_start(state, answer_garbage, NULL);
	struct nctl_batch *b;

	srandom(1);
	b = run_batch(f, 3);
	assert_int_equal(b->status, 0);
	nctl_batch_free(b);
}

struct gate {
	sem_t reached, open;
};

static void answer_behind_gate(struct script *s, const struct nlmsghdr *first, size_t len)
{
	struct gate *g = s->userdata;

	sem_post(&g->reached);
	sem_wait(&g->open);
	answer_fine(s, first, len);
}

/*
 * While the kernel is busy with a job, two more fit; behind them the answer is "full", never a wait or a
 * loss.
 */
static void test_full(void **state)
{
	struct nctl_requester_options opts = {.queue_max = 2};
	struct fixture *f = fixture_start(state, answer_behind_gate, &opts);
	struct nctl_batch *b = make_batch(1);
	struct gate gate;

	sem_init(&gate.reached, 0, 0);
	sem_init(&gate.open, 0, 0);
	f->script.userdata = &gate;
	assert_int_equal(nctl_requester_submit(f->requester, &f->script.kernel, make_batch(1)), 0);
	sem_wait(&gate.reached);
	assert_int_equal(nctl_requester_submit(f->requester, &f->script.kernel, make_batch(2)), 0);
	assert_int_equal(nctl_requester_submit(f->requester, &f->script.kernel, make_batch(3)), 0);
	assert_int_equal(nctl_requester_submit(f->requester, &f->script.kernel, b), NCTL_REQUESTER_FULL);
	assert_int_equal(
		nctl_requester_dump(f->requester, &f->script.kernel, RTM_GETLINK, NULL, 0, NULL, 0, NULL),
		NCTL_REQUESTER_FULL);
	nctl_batch_free(b);
	for (size_t i = 1; i <= 3; i++)
		sem_post(&gate.open);
	for (size_t i = 1; i <= 3; i++) {
		struct nctl_result *r = fixture_wait(f);

		assert_int_equal(r->batch->msgs.n, i);
		nctl_result_free(r);
	}
	assert_null(nctl_requester_pop(f->requester));
	sem_destroy(&gate.open);
	sem_destroy(&gate.reached);
}

/* Ends while a batch waits for an answer that never comes, with another one queued behind. */
static void test_free_while_waiting(void **state)
{
	struct fixture *f = fixture_start(state, answer_nothing, NULL);
	nctl_time start;
	uint32_t seq;

	f->script.userdata = &seq;
	assert_int_equal(nctl_requester_submit(f->requester, &f->script.kernel, make_batch(1)), 0);
	assert_int_equal(nctl_requester_submit(f->requester, &f->script.kernel, make_batch(1)), 0);
	sem_wait(&f->script.sent);
	start = nctl_time_now();
	nctl_requester_freep(&f->requester);
	assert_true(nctl_time_diff_us(nctl_time_now(), start) < 2000000);
	assert_int_equal(f->script.sends, 1);
}

static void test_free_while_full(void **state)
{
	struct fixture *f =
		fixture_start(state, answer_fine, &(struct nctl_requester_options){.queue_max = 1});

	for (unsigned sent = 0; sent < 2;) {
		struct nctl_batch *b = make_batch(1);

		if (nctl_requester_submit(f->requester, &f->script.kernel, b) != 0) {
			nctl_batch_free(b);
			sem_wait(&f->script.sent);
			sent++;
		}
	}
	nctl_requester_freep(&f->requester);
}

static void test_no_transport(void **state)
{
	struct nctl_requester *r = NULL;
	struct script s;

	(void)state;
	script_init(&s);
	s.no_open = true;
	assert_int_equal(nctl_requester_new(&s.kernel, NULL, NULL, NULL, &r), -EMFILE);
	assert_null(r);
	script_fini(&s);
}

enum { ABROAD = NCTL_REQUESTER_TRANSPORTS + 4 };

static void run_one(struct fixture *f, struct nctl_kernel *k, int want)
{
	struct nctl_result *r;

	assert_int_equal(nctl_requester_submit(f->requester, k, make_batch(1)), 0);
	r = fixture_wait(f);
	assert_int_equal(r->batch->status, want);
	nctl_result_free(r);
}

/* The requester's thread closes what is idle; nothing else changes the count meanwhile. */
static unsigned wait_closed(struct script *s)
{
	unsigned alive;

	do {
		pthread_mutex_lock(&s->lock);
		alive = s->alive;
		pthread_mutex_unlock(&s->lock);
		sched_yield();
	} while (alive);
	return alive;
}

/* One transport a namespace, the last few of them kept, home for ever; one that is gone ends only its own
 * jobs. */
static void test_namespaces(void **state)
{
	struct fixture *f = fixture_start(state, answer_fine, NULL);
	struct script abroad[ABROAD];
	unsigned alive = 0;

	for (size_t i = 0; i < ABROAD; i++) {
		script_init(&abroad[i]);
		abroad[i].on_send = answer_fine;
	}
	abroad[1].no_open = true;
	for (size_t i = 0; i < ABROAD; i++)
		run_one(f, &abroad[i].kernel, i == 1 ? -EMFILE : 0);
	for (size_t i = 0; i < ABROAD; i++) {
		assert_int_equal(abroad[i].sends, i == 1 ? 0 : 1);
		assert_true(abroad[i].alive <= 1);
		alive += abroad[i].alive;
	}
	assert_true(alive < NCTL_REQUESTER_TRANSPORTS);
	run_one(f, &f->script.kernel, 0);
	assert_int_equal(f->script.opens, 1);
	for (size_t i = 0; i < ABROAD; i++)
		assert_int_equal(wait_closed(&abroad[i]), 0);
	assert_int_equal(f->script.alive, 1);
	for (size_t i = 0; i < ABROAD; i++) {
		assert_int_equal(abroad[i].kernel.refs, 0);
		script_fini(&abroad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fine, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_refusals, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_reordered, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_late, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_timeout, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_overrun, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_garbage, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_full, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_free_while_waiting, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_free_while_full, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(test_namespaces, fixture_set_up, fixture_tear_down),
		cmocka_unit_test(test_no_transport),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
