/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: jobs that read and change a driver's settings by generic netlink, over a fake kernel that has one link
 * with some features and rings: what is asked, what is told only if it differs, refusals with the kernel's
 * words, drivers that do something else, and an end in the middle.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "base/cleanup.h"
#include "exec/device.h"
#include "exec/hub.h"
#include "fake/fake.h"
#include "nl/attr.h"
#include "nl/genl.h"
#include "test.h"

enum { FAMILY = 20, LINK = 7, RX_MAX = 4096, LIMIT_MS = 10000 };

/* The kernel's side. The asker's thread is in it while the test waits. */
static struct {
	struct nctl_fake *fake;
	struct nctl_kernel kernel;
	bool no_family, stubborn, silent;
	bool feature; /* "rx-gro"; "loopback" is off and fixed */
	uint32_t rx;
	unsigned gets, sets, families, sockets;
	int open_error;
} k;

struct answering {
	struct nctl_transport t;
	int fd;
	_Alignas(8) uint8_t queue[16384]; /* one datagram, or empty */
	size_t len;
};

static struct answering *of(struct nctl_transport *t)
{
	return nctl_container_of(t, struct answering, t);
}

static void put_error(struct nctl_msgbuf *m, const struct nlmsghdr *q, int error, const char *text)
{
	struct nlmsgerr e = {.error = error, .msg = *q};

	nctl_msg_begin(m, NLMSG_ERROR, NLM_F_CAPPED | (text ? NLM_F_ACK_TLVS : 0), &e, sizeof(e));
	if (text)
		nctl_msg_put_str(m, NLMSGERR_ATTR_MSG, text);
	assert_int_equal(nctl_msg_commit(m, q->nlmsg_seq), 0);
}

static void put_bit(struct nctl_msgbuf *m, const char *name, bool value)
{
	size_t bit = nctl_msg_nest_begin(m, NLA_F_NESTED | ETHTOOL_A_BITSET_BITS_BIT);

	nctl_msg_put_str(m, ETHTOOL_A_BITSET_BIT_NAME, name);
	if (value)
		nctl_msg_put(m, ETHTOOL_A_BITSET_BIT_VALUE, NULL, 0);
	nctl_msg_nest_end(m, bit);
}

static void put_features(struct nctl_msgbuf *m)
{
	size_t set = nctl_msg_nest_begin(m, NLA_F_NESTED | ETHTOOL_A_FEATURES_HW), bits;

	bits = nctl_msg_nest_begin(m, NLA_F_NESTED | ETHTOOL_A_BITSET_BITS);
	put_bit(m, "rx-gro", true);
	put_bit(m, "loopback", false);
	nctl_msg_nest_end(m, bits);
	nctl_msg_nest_end(m, set);
	set = nctl_msg_nest_begin(m, NLA_F_NESTED | ETHTOOL_A_FEATURES_ACTIVE);
	nctl_msg_put(m, ETHTOOL_A_BITSET_NOMASK, NULL, 0);
	bits = nctl_msg_nest_begin(m, NLA_F_NESTED | ETHTOOL_A_BITSET_BITS);
	if (k.feature)
		put_bit(m, "rx-gro", false);
	nctl_msg_nest_end(m, bits);
	nctl_msg_nest_end(m, set);
}

static void answer_get(struct nctl_msgbuf *m, const struct nlmsghdr *q, int cmd)
{
	k.gets++;
	if (cmd == ETHTOOL_MSG_CHANNELS_GET) {
		put_error(m, q, -EOPNOTSUPP, NULL);
		return;
	}
	nctl_genl_begin(m, FAMILY, 0,
		cmd == ETHTOOL_MSG_RINGS_GET ? ETHTOOL_MSG_RINGS_GET_REPLY : ETHTOOL_MSG_FEATURES_GET_REPLY,
		1);
	if (cmd == ETHTOOL_MSG_RINGS_GET)
		nctl_msg_put_u32(m, ETHTOOL_A_RINGS_RX, k.rx);
	else
		put_features(m);
	assert_int_equal(nctl_msg_commit(m, q->nlmsg_seq), 0);
	put_error(m, q, 0, NULL);
}

static void answer_set(struct nctl_msgbuf *m, const struct nlmsghdr *q, int cmd)
{
	static const struct nctl_attr_policy any[16];
	const struct nlattr *tb[16];
	const uint8_t *text = (const void *)q;

	k.sets++;
	assert_int_equal(nctl_genl_parse(q, any, tb, 15), 0);
	if (cmd == ETHTOOL_MSG_RINGS_SET) {
		uint32_t rx = nctl_attr_u32(tb[ETHTOOL_A_RINGS_RX]);

		if (rx > RX_MAX) {
			put_error(m, q, -EINVAL, "requested ring size exceeds maximum");
			return;
		}
		k.rx = k.stubborn ? k.rx : rx;
	} else if (memmem(text, q->nlmsg_len, "rx-gro", 6) && !k.stubborn) {
		k.feature = !k.feature;
	}
	put_error(m, q, 0, NULL);
}

static void answer(struct nctl_msgbuf *m, const struct nlmsghdr *q)
{
	int cmd = nctl_genl_cmd(q);

	if (q->nlmsg_type == GENL_ID_CTRL) {
		k.families++;
		if (k.no_family) {
			put_error(m, q, -ENOENT, NULL);
			return;
		}
		nctl_genl_begin(m, GENL_ID_CTRL, 0, CTRL_CMD_NEWFAMILY, 2);
		nctl_msg_put_u16(m, CTRL_ATTR_FAMILY_ID, FAMILY);
		assert_int_equal(nctl_msg_commit(m, q->nlmsg_seq), 0);
		put_error(m, q, 0, NULL);
	} else if (cmd == ETHTOOL_MSG_RINGS_SET || cmd == ETHTOOL_MSG_FEATURES_SET) {
		answer_set(m, q, cmd);
	} else {
		answer_get(m, q, cmd);
	}
}

static int fake_send(struct nctl_transport *t, const void *buf, size_t len)
{
	struct answering *a = of(t);
	struct nctl_msgbuf m;

	(void)len;
	if (k.silent)
		return 0;
	nctl_msgbuf_init(&m, a->queue, sizeof(a->queue));
	answer(&m, buf);
	a->len = m.len;
	return eventfd_write(a->fd, 1);
}

static int fake_recv(struct nctl_transport *t, struct nctl_dgram *v, size_t n)
{
	struct answering *a = of(t);
	eventfd_t ignored;

	if (!n || !a->len)
		return 0;
	eventfd_read(a->fd, &ignored);
	memcpy(v->buf, a->queue, a->len);
	v->len = a->len;
	v->truncated = v->has_nsid = false;
	a->len = 0;
	return 1;
}

static int fake_fd(struct nctl_transport *t)
{
	return of(t)->fd;
}

static void fake_destroy(struct nctl_transport *t)
{
	close(of(t)->fd);
	free(of(t));
}

static const struct nctl_transport_ops ops = {
	.get_fd = fake_fd, .send = fake_send, .recv = fake_recv, .destroy = fake_destroy};

static int fake_open(struct nctl_kernel *base, enum nctl_transport_role role, struct nctl_transport **ret)
{
	struct nctl_kernel *rest = nctl_fake_kernel(k.fake);
	struct answering *a;

	(void)base;
	if (role != NCTL_TRANSPORT_GENERIC)
		return rest->open(rest, role, ret);
	k.sockets++;
	if (k.open_error)
		return k.open_error;
	a = calloc(1, sizeof(*a));
	assert_non_null(a);
	a->t.ops = &ops;
	a->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	*ret = &a->t;
	return 0;
}

static int fake_cookie(struct nctl_kernel *base, uint64_t *ret)
{
	struct nctl_kernel *rest = nctl_fake_kernel(k.fake);

	(void)base;
	return rest->get_cookie(rest, ret);
}

/* -- the owner of a hub -- */

static struct nctl_hub *hub;
static int wake_fd;
static unsigned n_done;

static void wake(void *userdata)
{
	(void)userdata;
	eventfd_write(wake_fd, 1);
}

static void ignore_session(struct nctl_session *s, void *userdata)
{
	(void)s;
	(void)userdata;
}

static const struct nctl_hub_ops hub_ops = {.wake = wake, .synced = ignore_session, .gone = ignore_session};

static int setup(void **state)
{
	(void)state;
	memset(&k, 0, sizeof(k));
	k.fake = nctl_fake_new(1);
	k.kernel = (struct nctl_kernel){.open = fake_open, .get_cookie = fake_cookie};
	k.rx = 512;
	n_done = 0;
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_int_equal(nctl_hub_new(&k.kernel, &hub_ops, NULL, &hub), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	hub = nctl_hub_free(hub);
	nctl_fake_free(k.fake);
	close(wake_fd);
	return 0;
}

static void done(struct nctl_device_job *j)
{
	(void)j;
	n_done++;
}

static void run_until(unsigned n)
{
	while (n_done < n) {
		struct pollfd p[] = {
			{.fd = wake_fd, .events = POLLIN}, {.fd = nctl_hub_get_fd(hub), .events = POLLIN}};
		eventfd_t ignored;

		assert_true(poll(p, 2, LIMIT_MS) > 0);
		eventfd_read(wake_fd, &ignored);
		nctl_hub_dispatch_results(hub, 64);
		nctl_hub_dispatch_events(hub, 64);
	}
}

static void start(struct nctl_device_job *j, unsigned groups, const struct nctl_ethtool *want)
{
	*j = (struct nctl_device_job){.ifindex = LINK, .done = done, .groups = groups, .want = want};
	assert_int_equal(nctl_device_ethtool(hub, nctl_hub_home(hub), j), 0);
	assert_int_equal(n_done, 0);
}

static void test_read(void **state)
{
	const unsigned rings = 1u << NCTL_ETHTOOL_RINGS, features = 1u << NCTL_ETHTOOL_FEATURES;
	struct nctl_device_job j;

	(void)state;
	start(&j, rings | features | 1u << NCTL_ETHTOOL_CHANNELS, NULL);
	run_until(1);
	assert_int_equal(j.error, 0);
	assert_int_equal(j.known, rings | features);
	assert_int_equal(j.now.ring_rx, 512);
	assert_int_equal(j.now.switches[NCTL_ETHTOOL_FEATURES].n, 2);
	assert_int_equal(k.sets, 0);
	assert_int_equal(k.families, 1);
	assert_int_equal(k.sockets, 1);
	nctl_device_job_fini(&j);
}

static void test_set(void **state)
{
	struct nctl_ethtool want = {.has = 1, .ring_rx = 1024};
	struct nctl_device_job j;

	(void)state;
	start(&j, 1u << NCTL_ETHTOOL_RINGS, &want);
	run_until(1);
	assert_int_equal(j.error, 0);
	assert_int_equal(k.rx, 1024);
	assert_int_equal(k.sets, 1);
	assert_int_equal(k.gets, 2);
	nctl_device_job_fini(&j);
	/* It is so: nothing is told. */
	n_done = 0;
	start(&j, 1u << NCTL_ETHTOOL_RINGS, &want);
	run_until(1);
	assert_int_equal(j.error, 0);
	assert_int_equal(k.sets, 1);
	nctl_device_job_fini(&j);
}

static void test_refusals(void **state)
{
	struct nctl_ethtool want = {.has = 1, .ring_rx = 2 * RX_MAX};
	struct nctl_device_job j, other;

	(void)state;
	start(&j, 1u << NCTL_ETHTOOL_RINGS, &want);
	start(&other, 1u << NCTL_ETHTOOL_CHANNELS, &(struct nctl_ethtool){.has = 1 << 4, .channels_rx = 2});
	run_until(2);
	assert_int_equal(j.error, -EINVAL);
	assert_string_equal(j.text, "requested ring size exceeds maximum");
	assert_true(j.by_kernel);
	assert_int_equal(other.error, -EOPNOTSUPP);
	assert_int_equal(k.sockets, 1); /* one conversation for both */
	nctl_device_job_fini(&j);
	nctl_device_job_fini(&other);
}

static void test_stubborn(void **state)
{
	struct nctl_switch gro = {.name = "rx-gro", .on = true};
	struct nctl_ethtool want = {.switches = {[NCTL_ETHTOOL_FEATURES] = {&gro, 1}}};
	struct nctl_device_job j;

	(void)state;
	k.stubborn = true;
	start(&j, 1u << NCTL_ETHTOOL_FEATURES, &want);
	run_until(1);
	assert_int_equal(j.error, -EOPNOTSUPP);
	assert_string_equal(j.text, "rx-gro is off, and the driver keeps it so");
	assert_false(j.by_kernel);
	nctl_device_job_fini(&j);
}

static void test_no_family(void **state)
{
	struct nctl_device_job j;

	(void)state;
	k.no_family = true;
	start(&j, 1u << NCTL_ETHTOOL_RINGS, NULL);
	run_until(1);
	assert_int_equal(j.error, -EOPNOTSUPP);
	assert_string_equal(j.text, "this kernel has no ethtool netlink");
	assert_int_equal(j.known, 0);
	nctl_device_job_fini(&j);
}

static void test_no_socket(void **state)
{
	struct nctl_device_job j;

	(void)state;
	k.open_error = -ENOENT;
	start(&j, 1u << NCTL_ETHTOOL_RINGS, NULL);
	run_until(1);
	assert_int_equal(j.error, -ENOENT);
	assert_string_equal(j.text, "the network namespace is gone");
	nctl_device_job_fini(&j);
}

static void test_end(void **state)
{
	struct nctl_device_job j, waiting;

	(void)state;
	k.silent = true;
	start(&j, 1u << NCTL_ETHTOOL_RINGS, NULL);
	start(&waiting, 1u << NCTL_ETHTOOL_RINGS, NULL);
	nctl_hub_dispatch_results(hub, 64);
	hub = nctl_hub_free(hub);
	assert_int_equal(n_done, 2);
	assert_int_equal(j.error, -ECANCELED);
	assert_int_equal(waiting.error, -ECANCELED);
	nctl_device_job_fini(&j);
	nctl_device_job_fini(&waiting);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(read),
		CASE(set),
		CASE(refusals),
		CASE(stubborn),
		CASE(no_family),
		CASE(no_socket),
		CASE(end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
