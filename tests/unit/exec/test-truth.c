/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: mirrors of several namespaces under random changes of all objects and injected faults: lost, late and
 * cut events, interrupted and refused dumps, changes in the midst of dumps. Once all is quiet each mirror is
 * what its kernel says, in every field. An argument says how many runs; a run that fails prints its seed,
 * which NCTL_SEED repeats alone, its operations and the difference. Pauses cost no time: the clock is ours.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "exec/hub.h"
#include "fake/diff.h"
#include "random.h"
#include "test.h"
#include "truth-fib.h"
#include "truth.h"

enum { SPACES = 3, OPS_MAX = 80, PATIENCE_MS = 20 * 1000, QUIET_TURNS = 3 };

/* A namespace, its mirror, and who changes it. */
struct space {
	uint64_t cookie;
	struct nctl_session *session;
	struct diff_gen gen;
};

struct run {
	uint64_t seed;
	struct random rnd;
	struct nctl_fake *fake;
	struct nctl_hub *hub;
	int wake_fd;
	struct space spaces[SPACES];
	size_t n_spaces;
	struct random hook_rnd; /* of the requester's thread, under the fake's lock */
	struct diff_gen hook_gen;
	struct fk_lines hook_log;
	struct fk_lines log;
	bool in_dumps; /* changes are made in the midst of dumps */
};

static nctl_time clock_now;

static nctl_time clock_read(void)
{
	return clock_now;
}

static void on_wake(void *userdata)
{
	struct run *r = userdata;

	assert_int_equal(eventfd_write(r->wake_fd, 1), 0);
}

static void on_synced(struct nctl_session *s, void *userdata)
{
	(void)s;
	(void)userdata;
}

static void on_gone(struct nctl_session *s, void *userdata)
{
	(void)s;
	(void)userdata;
	fail_msg("a session is gone");
}

static const struct nctl_hub_ops ops = {.wake = on_wake, .synced = on_synced, .gone = on_gone};

/* -- changes -- */

static void learn(struct run *r, struct diff_gen *g, uint64_t cookie)
{
	struct fk_lines state = {0};
	char *text = nctl_fake_netns_print(r->fake, cookie), *save = NULL;

	assert_non_null(text);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		fk_lines_add(&state, line);
	diff_gen_learn(g, &state);
	fk_lines_clear(&state);
	free(text);
}

static void change(struct run *r, struct diff_gen *g, uint64_t cookie, struct fk_lines *log)
{
	struct diff_op op;
	char line[320];
	int e;

	learn(r, g, cookie);
	diff_gen_next(g, &op);
	e = nctl_fake_netns_exec(r->fake, cookie, op.b.p, op.b.len);
	snprintf(line, sizeof(line), "%" PRIu64 ": %s: %s", cookie, op.text, strerror(-e));
	fk_lines_add(log, line);
}

/* Between two datagrams of a dump. */
static void on_dump(void *userdata, unsigned chunk)
{
	struct run *r = userdata;

	(void)chunk;
	if (random_below(&r->hook_rnd, 3) == 0)
		change(r, &r->hook_gen, r->spaces[random_below(&r->hook_rnd, (unsigned)r->n_spaces)].cookie,
			&r->hook_log);
}

/* -- faults -- */

static const char *inject(struct run *r)
{
	struct nctl_fake_refusal f = {.skip = random_below(&r->rnd, 4),
		.count = 1 + random_below(&r->rnd, 3),
		.error = random_below(&r->rnd, 2) ? -EBUSY : -ENOBUFS};

	switch (random_below(&r->rnd, 9)) {
	case 0:
		nctl_fake_overrun_events(r->fake, random_below(&r->rnd, 20));
		return "overrun";
	case 1:
		nctl_fake_interrupt_dumps(r->fake, 1 + random_below(&r->rnd, 3));
		return "interrupted dumps";
	case 2:
		nctl_fake_truncate(r->fake, 1 + random_below(&r->rnd, 2), random_below(&r->rnd, 256));
		return "cut datagrams";
	case 3:
		nctl_fake_hold_events(r->fake);
		return "events are late";
	case 4:
		nctl_fake_release_events(r->fake);
		return "late events come";
	case 5:
		nctl_fake_set_rcvbuf(r->fake, NCTL_TRANSPORT_EVENTS_ALL, 8192u << random_below(&r->rnd, 4));
		return "a small buffer";
	case 6:
		nctl_fake_set_dump_chunk(r->fake, 4096);
		return "small datagrams";
	case 7:
		f.type = (uint16_t[]){RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE, RTM_GETNEXTHOP,
			RTM_GETRULE}[random_below(&r->rnd, 5)];
		assert_int_equal(nctl_fake_refuse(r->fake, &f), 0);
		return "refused dumps";
	default:
		return "no fault";
	}
}

static void heal(struct run *r)
{
	nctl_fake_on_dump(r->fake, NULL, NULL);
	nctl_fake_interrupt_dumps(r->fake, 0);
	nctl_fake_truncate(r->fake, 0, 0);
	nctl_fake_set_rcvbuf(r->fake, NCTL_TRANSPORT_EVENTS_ALL, 64 << 20);
	nctl_fake_set_dump_chunk(r->fake, 0);
	nctl_fake_clear_refusals(r->fake);
	nctl_fake_release_events(r->fake);
}

/* -- the loop -- */

/* False: nothing happened within timeout_ms. */
static bool turn(struct run *r, int timeout_ms)
{
	struct pollfd p[] = {
		{.fd = r->wake_fd, .events = POLLIN}, {.fd = nctl_hub_get_fd(r->hub), .events = POLLIN}};
	bool due = nctl_time_cmp(nctl_hub_deadline(r->hub), clock_now) <= 0;
	int n = poll(p, 2, due ? 0 : timeout_ms);
	eventfd_t v;

	if (due)
		nctl_hub_tick(r->hub, clock_now);
	if (n <= 0)
		return due;
	if (p[0].revents) {
		(void)eventfd_read(r->wake_fd, &v);
		while (nctl_hub_dispatch_results(r->hub, 4) == NCTL_PUMP_MORE)
			;
	}
	if (p[1].revents)
		assert_true(nctl_hub_dispatch_events(r->hub, 512) >= 0);
	return true;
}

static bool is_quiet(const struct run *r)
{
	struct nctl_hub_stats s;

	nctl_hub_get_stats(r->hub, &s);
	return !s.syncing && !s.dumping && !s.waiting;
}

/* Until nothing is left to do; when only time has to go by, it does. */
static bool settle(struct run *r)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), PATIENCE_MS);

	for (unsigned quiet = 0; quiet < QUIET_TURNS;) {
		struct nctl_hub_stats s;

		if (nctl_time_cmp(nctl_time_now(), end) > 0)
			return false;
		nctl_hub_get_stats(r->hub, &s);
		if (turn(r, s.dumping ? 100 : 0)) {
			quiet = 0;
			continue;
		}
		if (s.dumping || nctl_time_cmp(nctl_hub_deadline(r->hub), NCTL_TIME_NEVER) == 0) {
			quiet = is_quiet(r) ? quiet + 1 : 0;
			continue;
		}
		clock_now = nctl_hub_deadline(r->hub);
		quiet = 0;
	}
	return true;
}

/* -- a run -- */

static void start(struct run *r, uint64_t seed)
{
	const struct nctl_hub_options opts = {.clock = clock_read};

	*r = (struct run){.seed = seed,
		.rnd = {seed},
		.hook_rnd = {seed ^ 0x5555},
		.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.fake = nctl_fake_new(seed)};
	assert_true(r->wake_fd >= 0);
	assert_non_null(r->fake);
	nctl_fake_set_whole_dumps(r->fake, true);
	if (random_below(&r->rnd, 3) == 0)
		nctl_fake_set_version(r->fake, 6, 1);
	r->in_dumps = random_below(&r->rnd, 2);
	r->n_spaces = 1 + random_below(&r->rnd, SPACES);
	r->spaces[0].cookie = nctl_fake_home(r->fake);
	for (size_t i = 1; i < r->n_spaces; i++)
		assert_int_equal(nctl_fake_netns_new(r->fake, &r->spaces[i].cookie), 0);
	for (size_t i = 0; i < r->n_spaces; i++)
		diff_gen_init(&r->spaces[i].gen, random_next(&r->rnd), true);
	diff_gen_init(&r->hook_gen, random_next(&r->rnd), true);
	/* Something is there before the first dump. */
	for (unsigned n = random_below(&r->rnd, 30); n; n--) {
		struct space *s = &r->spaces[random_below(&r->rnd, (unsigned)r->n_spaces)];

		change(r, &s->gen, s->cookie, &r->log);
	}
	if (r->in_dumps)
		nctl_fake_on_dump(r->fake, on_dump, r);
	assert_int_equal(nctl_hub_new_with(nctl_fake_kernel(r->fake), &opts, &ops, r, &r->hub), 0);
	r->spaces[0].session = nctl_hub_home(r->hub);
	for (size_t i = 1; i < r->n_spaces; i++) {
		struct space *s = &r->spaces[i];
		struct nctl_kernel *k = nctl_fake_netns_kernel(r->fake, s->cookie);
		nctl_nsid nsid = nctl_fake_netns_assign_nsid(r->fake, s->cookie);

		assert_non_null(k);
		assert_int_equal(nctl_hub_join(r->hub, k, s->cookie, nsid, NULL, &s->session), 0);
		nctl_kernel_unref(k);
	}
}

static void stir(struct run *r)
{
	unsigned n = 10 + random_below(&r->rnd, OPS_MAX - 10), faults = random_below(&r->rnd, 3) * 6;

	for (unsigned i = 0; i < n; i++) {
		struct space *s = &r->spaces[random_below(&r->rnd, (unsigned)r->n_spaces)];

		if (random_below(&r->rnd, 100) < faults) {
			const char *what = inject(r);

			fk_lines_add(&r->log, what);
		}
		change(r, &s->gen, s->cookie, &r->log);
		for (unsigned k = random_below(&r->rnd, 4); k > 1; k--)
			turn(r, 0);
	}
}

/* What the kernel changes on a link without telling anybody, ever: this mode, and these while it is down. */
static const uint64_t untold = NCTL_LINK_BIT(ADDR_GEN_MODE) | NCTL_LINK_BIT(GROUP) | NCTL_LINK_BIT(ALIAS) |
                               NCTL_LINK_BIT(TXQLEN) | NCTL_LINK_BIT(ALTNAMES);

static bool is_true(struct run *r, uint64_t ignore)
{
	bool all = true;

	for (size_t i = 0; i < r->n_spaces; i++) {
		const struct nctl_mirror *m = nctl_session_mirror(r->spaces[i].session);
		struct nctl_mirror *truth = truth_new(r->fake, r->spaces[i].cookie);
		char label[64];

		snprintf(label, sizeof(label), "seed %" PRIu64 ", namespace %" PRIu64, r->seed,
			r->spaces[i].cookie);
		assert_non_null(truth);
		if (!truth_fib_is(r->fake, r->spaces[i].cookie, m)) {
			fprintf(stderr, "%s: differs\n", label);
			all = false;
		}
		all &= truth_equal(truth, m, ignore, label);
		nctl_mirror_free(truth);
	}
	return all;
}

static void finish(struct run *r)
{
	nctl_hub_free(r->hub);
	nctl_fake_free(r->fake);
	close(r->wake_fd);
	fk_lines_clear(&r->log);
	fk_lines_clear(&r->hook_log);
}

static bool one(uint64_t seed)
{
	struct run r;
	bool good = true;

	start(&r, seed);
	for (int round = 0; good && round < 2; round++) {
		stir(&r);
		fk_lines_add(&r.log, "-- all faults are over --");
		heal(&r);
		good = settle(&r);
		if (!good)
			fprintf(stderr, "seed %" PRIu64 ": it does not come to rest\n", seed);
		good = good && is_true(&r, untold);
		if (good && random_below(&r.rnd, 4) == 0) {
			fk_lines_add(&r.log, "-- all is lost, and all comes again --");
			nctl_fake_overrun_events(r.fake, 0);
			good = settle(&r) && is_true(&r, 0);
		}
		if (r.in_dumps)
			nctl_fake_on_dump(r.fake, on_dump, &r);
	}
	for (size_t i = 0; !good && i < r.log.n; i++)
		fprintf(stderr, "    %s\n", r.log.v[i]);
	nctl_fake_on_dump(r.fake, NULL, NULL);
	for (size_t i = 0; !good && i < r.hook_log.n; i++)
		fprintf(stderr, "    in a dump, %s\n", r.hook_log.v[i]);
	finish(&r);
	return good;
}

static unsigned runs = 300;
static uint64_t first_seed; /* 0: another one each time */

static void test_truth(void **state)
{
	struct random rnd = random_init("mirrors and the truth");
	unsigned wrong = 0;

	(void)state;
	if (first_seed)
		rnd.state = first_seed;
	clock_now = nctl_time_now();
	for (unsigned i = 0; i < (getenv("NCTL_SEED") ? 1 : runs); i++) {
		if (one(rnd.state + i))
			continue;
		fprintf(stderr, "NCTL_SEED=%" PRIu64 " is wrong\n", rnd.state + i);
		wrong++;
	}
	printf("# %u runs from seed %" PRIu64 ", %u wrong\n", runs, rnd.state, wrong);
	assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth)};

	if (argc > 1)
		runs = (unsigned)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		first_seed = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
