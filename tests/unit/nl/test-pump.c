/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: the receive pump against a scripted transport. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "nl/msg.h"
#include "nl/pump.h"
#include "script.h"

struct fixture {
	struct script script;
	struct nctl_pump *pump;
	unsigned messages, lost;
	int32_t nsid;      /* of the last message */
	uint32_t last_seq; /* of the last message */
	uint32_t seq_at_loss;
};

static void on_message(void *userdata, int32_t nsid, const struct nlmsghdr *nlh)
{
	struct fixture *f = userdata;

	f->messages++;
	f->nsid = nsid;
	f->last_seq = nlh->nlmsg_seq;
}

static void on_lost(void *userdata)
{
	struct fixture *f = userdata;

	f->lost++;
	f->seq_at_loss = f->last_seq;
}

static int set_up(void **state)
{
	static const struct nctl_pump_ops ops = {.message = on_message, .lost = on_lost};
	struct fixture *f = calloc(1, sizeof(*f));
	struct nctl_transport *t;

	script_init(&f->script);
	assert_int_equal(f->script.kernel.open(&f->script.kernel, NCTL_TRANSPORT_EVENTS, &t), 0);
	assert_int_equal(nctl_pump_new(t, &ops, f, &f->pump), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nctl_pump_freep(&f->pump);
	assert_int_equal(f->script.alive, 0);
	script_fini(&f->script);
	free(f);
	return 0;
}

/* A datagram with n messages of this type, numbered from seq. */
static size_t build(uint8_t *buf, size_t cap, uint16_t type, uint32_t seq, size_t n)
{
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, buf, cap);
	for (size_t i = 0; i < n; i++) {
		nctl_msg_begin(&m, type, 0, &seq, sizeof(seq));
		nctl_msg_commit(&m, seq + (uint32_t)i);
	}
	return m.len;
}

static void put(struct fixture *f, uint32_t seq, size_t n)
{
	_Alignas(8) uint8_t buf[4096];

	script_put(&f->script, buf, build(buf, sizeof(buf), 16, seq, n));
}

static void test_messages(void **state)
{
	struct fixture *f = *state;
	_Alignas(8) uint8_t buf[256];

	assert_int_equal(nctl_pump_dispatch(f->pump, 100), 0);
	put(f, 1, 1);
	put(f, 2, 3);
	assert_int_equal(nctl_pump_dispatch(f->pump, 100), 0);
	assert_int_equal(f->messages, 4);
	assert_int_equal(f->nsid, -1);
	script_put_nsid(&f->script, buf, build(buf, sizeof(buf), 16, 5, 1), 12);
	script_put(&f->script, buf, build(buf, sizeof(buf), NLMSG_NOOP, 6, 1));
	assert_int_equal(nctl_pump_dispatch(f->pump, 100), 0);
	assert_int_equal(f->messages, 5);
	assert_int_equal(f->nsid, 12);
	assert_int_equal(f->lost, 0);
	/* A receive call that gave less than asked for needs no successor. */
	assert_int_equal(nctl_pump_get_stats(f->pump)->receives, 3);
	assert_int_equal(nctl_pump_get_stats(f->pump)->datagrams, 4);
}

static void test_budget(void **state)
{
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 300; i++)
		put(f, i, 1);
	assert_int_equal(nctl_pump_dispatch(f->pump, 10), NCTL_PUMP_MORE);
	assert_int_equal(f->messages, 10);
	assert_int_equal(nctl_pump_dispatch(f->pump, 200), NCTL_PUMP_MORE);
	assert_int_equal(f->messages, 210);
	assert_int_equal(nctl_pump_dispatch(f->pump, 200), 0);
	assert_int_equal(f->messages, 300);
	put(f, 300, 50); /* never split */
	assert_int_equal(nctl_pump_dispatch(f->pump, 1), NCTL_PUMP_MORE);
	assert_int_equal(f->messages, 350);
	assert_int_equal(f->last_seq, 349);
}

static void test_overrun(void **state)
{
	struct fixture *f = *state;

	put(f, 1, 1);
	script_put_error(&f->script, -ENOBUFS);
	put(f, 2, 1);
	while (nctl_pump_dispatch(f->pump, 1) == NCTL_PUMP_MORE)
		;
	assert_int_equal(f->messages, 2);
	assert_int_equal(f->lost, 1);
	assert_int_equal(f->seq_at_loss, 1);
	assert_int_equal(nctl_pump_get_stats(f->pump)->overruns, 1);
	script_put_error(&f->script, -EBADF);
	assert_int_equal(nctl_pump_dispatch(f->pump, 10), -EBADF);
}

/* What was too long once fits the next time. */
static void test_truncated(void **state)
{
	static _Alignas(8) uint8_t buf[60000];
	struct fixture *f = *state;
	size_t len = build(buf, sizeof(buf), 16, 1, 2000);

	assert_true(len > 32768);
	script_put(&f->script, buf, len);
	put(f, 5000, 1);
	assert_int_equal(nctl_pump_dispatch(f->pump, 10000), 0);
	assert_int_equal(f->lost, 1);
	assert_int_equal(f->messages, 1);
	script_put(&f->script, buf, len);
	assert_int_equal(nctl_pump_dispatch(f->pump, 10000), 0);
	assert_int_equal(f->lost, 1);
	assert_int_equal(f->messages, 2001);
	assert_int_equal(nctl_pump_get_stats(f->pump)->truncated, 1);
}

static void test_malformed(void **state)
{
	_Alignas(8) uint8_t buf[256];
	struct fixture *f = *state;
	size_t len = build(buf, sizeof(buf), 16, 1, 3);

	script_put(&f->script, buf, len - 4);
	script_put(&f->script, buf, len + 4);
	script_put(&f->script, buf, 3);
	script_put(&f->script, buf, 0);
	assert_int_equal(nctl_pump_dispatch(f->pump, 100), 0);
	assert_int_equal(f->messages, 5);
	assert_int_equal(f->lost, 3);
	assert_int_equal(nctl_pump_get_stats(f->pump)->malformed, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_messages, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_budget, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_overrun, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_truncated, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_malformed, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
