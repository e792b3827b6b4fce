/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the fake kernel against a real one. Random sequences of requests go, byte for byte, to the fake and to
 * a network namespace of their own; after each request the two must agree on
 *  - the errno of the answer;
 *  - the state: a dump of all links and addresses, as describe.c prints them. Links: flags without PROMISC
 *    and ALLMULTI, MTU and its limits, MAC, broadcast, master, lower, operstate, carrier, group, queue
 *    length, alias, kind with its main parameter, port kind, address generation mode, alternative names.
 *    Addresses: all but timers. Routes of all tables: every attribute but cache information. Next-hop objects
 *    and groups; rules, with what state they are in;
 *  - the events of each link, in order: every RTM_*LINK and RTM_*ADDR with the same fields, and the AF_BRIDGE
 *    messages about bridge ports; and those of each route, next-hop object and priority of rules, of routes with
 *    the flags of the message. What a kernel changes without an event is in the state after the request.
 *
 * Normalised away, and why:
 *  - an event that says of its object what the last one, or the dump before the request, said: how often the
 *    kernel repeats itself, and thereby gives away earlier silent changes, differs between versions (feature
 *    changes, several notifiers for one cause) and means nothing;
 *  - in events, the carrier of a link that is down: it changes silently and shows in the next event by
 *    chance;
 *  - the order of events of different links, and of a link's events and those of its new IPv6 addresses:
 *    linkwatch and address work run from work queues;
 *  - the order of events of different routes, and NLM_F_EXCL of the kernel's own IPv6 routes: it says which of
 *    several links came first;
 *  - MAC addresses that the kernel invents (those without our prefix), and fe80:: addresses made from them;
 *  - seconds of lifetimes; sequence numbers and port ids; texts and offsets of extended acks.
 *
 * Waiting: the fake says what the state will be once all delayed work is done; the test reads the real one's
 * events until both agree, and a time-out is a difference. Duplicate address detection is off (accept_dad 0).
 *
 * Not generated, because the fake does not model it: macvlan passthru and source mode; spanning tree and any
 * bridge attribute; bond modes other than active-backup and balance-xor, MII monitoring, lo as a slave; ifb;
 * routes of encapsulations, classes and source prefixes, IPv6 routes by way of lo, fdb and resilient next hops;
 * rules by ports, users and tunnels; VLAN flags; promiscuity counts; finite lifetimes that run out; IFLA_NET_NS_*; IFLA_OPERSTATE and
 * IFLA_LINKMODE.
 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/if_addr.h>

#include "fake/diff.h"

enum { DIFF_SKIP = 77, DIFF_SETTLE_MS = 20000, DIFF_DAD_MS = 120000, DIFF_LAZY_MS = 1300, DIFF_MAX_JOBS = 64 };

struct options {
	bool all_kinds, verbose;
	FILE *silent; /* notes on what changes without an event; NULL: not wanted */
	unsigned sequences, length, jobs;
	uint64_t seed;
};

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	close(fd);
}

/* A namespace of our own for the real world. 0 or -errno. */
static int enter_namespace(void)
{
	struct nctl_kernel *k = nctl_kernel_here();
	uint64_t before = 0, after = 0;
	k->get_cookie(k, &before);
	if (unshare(CLONE_NEWNET) < 0)
		return -errno;
	if (k->get_cookie(k, &after) < 0 || before == after)
		return -EXDEV;
	write_file("/proc/sys/net/ipv6/conf/all/accept_dad", "0");
	write_file("/proc/sys/net/ipv6/conf/default/accept_dad", "0");
	write_file("/proc/sys/net/ipv6/conf/default/accept_ra", "0");
	write_file("/proc/sys/net/ipv4/conf/all/promote_secondaries", "0");
	write_file("/proc/sys/net/ipv4/conf/default/promote_secondaries", "0");
	return 0;
}

/* Prints the lines of text that other does not have. */
static bool print_surplus(const char *label, const char *text, const char *other)
{
	bool any = false;
	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *p = other;
		while (*p && (strncmp(p, text, len) != 0 || p[len] != '\n'))
			p += strcspn(p, "\n") + 1;
		if (!*p) {
			printf("  %s %.*s\n", label, (int)len, text);
			any = true;
		}
		text += len + 1;
	}
	return any;
}

static void print_difference(const char *what, const char *fake, const char *real)
{
	printf("  %s differ\n", what);
	bool any = print_surplus("fake:", fake, real);
	if (print_surplus("real:", real, fake) || any)
		return;
	printf("--- fake, in order\n%s--- real\n%s---\n", fake, real);
}

/* Do states and streams agree now? say: print how they differ. */
static bool agree(struct diff_world *fake, struct diff_world *real, bool say)
{
	char *fs = fk_lines_join(&fake->state), *rs = fk_lines_join(&real->state);
	char *fe = diff_world_streams(fake), *re = diff_world_streams(real);
	bool states = strcmp(fs, rs) == 0, events = strcmp(fe, re) == 0;
	if (say && !states)
		print_difference("states", fs, rs);
	if (say && !events)
		print_difference("events", fe, re);
	free(fs);
	free(rs);
	free(fe);
	free(re);
	return states && events;
}

/* Does a single RTM_GETLINK bring the operational state up to date (linkwatch_sync_dev(), since 6.8)? */
static bool can_nudge(void)
{
	struct utsname u;
	unsigned major = 0, minor = 0;
	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       major * 1000 + minor >= 6008;
}

/* Reads the real world anew. 1: it agrees with the fake; 0: it does not; -errno. */
static int look(struct diff_world *fake, struct diff_world *real)
{
	int r = diff_world_dump(real);
	if (r == 0)
		r = diff_world_drain(real);
	return r < 0 ? r : agree(fake, real, false);
}

/* An address that is tentative still: its work queue is behind, for as long as the machine is busy. */
static bool is_tentative(const struct diff_world *w)
{
	for (size_t i = 0; i < w->state.n; i++) {
		const char *at = strstr(w->state.v[i], " flags=");
		unsigned flags;
		if (w->state.v[i][0] == 'a' && at && sscanf(at, " flags=%x", &flags) == 1 &&
			flags & IFA_F_TENTATIVE)
			return true;
	}
	return false;
}

/*
 * Waits until the real world is where the fake says it will be. Urgent work of linkwatch runs at once; for
 * the rest, which may take a second, a newer kernel can be nudged. A last nudge leaves nothing pending for
 * later. Older kernels need that second, for nothing tells when work on a link that is down is over.
 */
static bool settle(struct nctl_fake *f, struct diff_world *fake, struct diff_world *real)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), DIFF_SETTLE_MS);
	nctl_time dad = nctl_time_add_ms(nctl_time_now(), DIFF_DAD_MS);
	unsigned rounds = can_nudge() ? 0 : nctl_fake_lazy_rounds(f);
	nctl_time lazy = nctl_time_add_ms(nctl_time_now(), rounds * DIFF_LAZY_MS);
	bool nudged = false;
	if (diff_world_dump(fake) < 0 || diff_world_drain(fake) < 0)
		return false;
	while (nctl_time_cmp(nctl_time_now(), lazy) < 0) {
		if (diff_world_drain(real) < 0)
			return false;
		diff_world_wait(real, DIFF_LAZY_MS / 4);
	}
	for (unsigned round = 0;; round++) {
		int r = look(fake, real);
		if (r < 0 || (r == 1 && nudged))
			return r == 1;
		if (r == 0 && nctl_time_cmp(nctl_time_now(), is_tentative(real) ? dad : end) > 0)
			return false;
		nudged = r == 1 || round > 1;
		if (r == 0)
			diff_world_wait(real, 20);
		if (nudged)
			diff_world_nudge(real);
	}
}

static void copy_lines(struct fk_lines *to, const struct fk_lines *from)
{
	for (size_t i = 0; i < from->n; i++)
		fk_lines_add(to, from->v[i]);
}

static bool run_op(const struct options *o, struct nctl_fake *f, struct diff_world *fake,
	struct diff_world *real, const struct diff_op *op)
{
	struct fk_lines before = {0};
	copy_lines(&before, &real->state);
	int want = diff_world_request(fake, op->b.p, op->b.len);
	int have = diff_world_request(real, op->b.p, op->b.len);
	bool settled = settle(f, fake, real), same = want == have;
	if (!same)
		printf("  answers differ: fake %d (%s), real %d (%s)\n", want, strerror(want), have,
			strerror(have));
	if (!settled)
		agree(fake, real, true);
	else if (o->silent)
		diff_silent_note(o->silent, &before, real);
	fk_lines_clear(&before);
	diff_world_clear_streams(fake);
	diff_world_clear_streams(real);
	diff_world_remember(fake);
	diff_world_remember(real);
	return same && settled;
}

static bool run_ops(const struct options *o, uint64_t seed, struct nctl_fake *f, struct diff_world *fake,
	struct diff_world *real)
{
	struct diff_gen g;
	diff_gen_init(&g, seed, o->all_kinds);
	for (unsigned i = 0; i < o->length; i++) {
		struct diff_op op;
		diff_gen_learn(&g, &fake->state);
		diff_gen_next(&g, &op);
		if (o->verbose)
			printf("seed %llu op %u: %s\n", (unsigned long long)seed, i, op.text);
		if (!run_op(o, f, fake, real, &op)) {
			printf("seed %llu op %u: %s: DIFFERENT\n", (unsigned long long)seed, i, op.text);
			return false;
		}
	}
	return true;
}

static int run_sequence(const struct options *o, uint64_t seed)
{
	struct diff_world fake = {0}, real = {0};
	struct utsname u;
	int r = enter_namespace();
	if (r < 0)
		return r;
	struct nctl_fake *f = nctl_fake_new(seed);
	if (!f)
		return -ENOMEM;
	if (uname(&u) == 0)
		nctl_fake_set_release(f, u.release);
	r = diff_world_open(&fake, "fake", nctl_fake_kernel(f));
	if (r == 0)
		r = diff_world_open(&real, "real", nctl_kernel_here());
	if (r == 0)
		r = settle(f, &fake, &real) ? run_ops(o, seed, f, &fake, &real)
		                            : (agree(&fake, &real, true), 0);
	diff_world_close(&fake);
	diff_world_close(&real);
	nctl_fake_free(f);
	return r;
}

/*
 * What differs must differ again: on a machine that is slow, work that the kernel puts off by up to a second
 * falls between two other requests than usual, and no fake can know that. What two more tries do not show is
 * told, and is no difference.
 */
static int run_sequence_well(const struct options *o, uint64_t seed)
{
	int r = run_sequence(o, seed);

	for (unsigned i = 0; r == 0 && i < 2; i++) {
		r = run_sequence(o, seed);
		if (r == 1)
			printf("seed %llu: not again, by the kernel's clock and not by its state\n",
				(unsigned long long)seed);
	}
	return r;
}

/* Every jobs'th sequence from the first-th on: an exit status. */
static int run_share(const struct options *o, unsigned first)
{
	unsigned different = 0, n = 0;
	for (unsigned i = first; i < o->sequences; i += o->jobs, n++) {
		int r = run_sequence_well(o, o->seed + i);
		if (r == -EPERM) {
			printf("skipped: no right to make a network namespace\n");
			return DIFF_SKIP;
		}
		if (r < 0) {
			printf("seed %llu: %s\n", (unsigned long long)(o->seed + i), strerror(-r));
			return 1;
		}
		different += r == 0;
	}
	printf("%u sequences of %u requests from seed %llu, every %u: %u different\n", n, o->length,
		(unsigned long long)(o->seed + first), o->jobs, different);
	return different ? 1 : 0;
}

/* Shares the sequences among processes, which mostly wait for linkwatch. The worst exit status of all. */
static int run_jobs(const struct options *o)
{
	int worst = 0, status;
	if (o->jobs <= 1)
		return run_share(o, 0);
	for (unsigned i = 0; i < o->jobs; i++) {
		pid_t pid = fork();
		if (pid == 0)
			exit(run_share(o, i));
		if (pid < 0)
			worst = 1;
	}
	while (wait(&status) > 0)
		worst = nctl_max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	return worst;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{"kinds", required_argument, NULL, 'k'}, {"silent", no_argument, NULL, 'q'}, {0}};
	for (;;) {
		int c = getopt_long(argc, argv, "j:k:n:s:l:v", longs, NULL);
		switch (c) {
		case -1:
			return optind == argc && o->jobs > 0 && o->jobs <= DIFF_MAX_JOBS ? 0 : -1;
		case 'j':
			o->jobs = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'k':
			o->all_kinds = strcmp(optarg, "all") == 0;
			break;
		case 'n':
			o->sequences = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'l':
			o->length = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 's':
			o->seed = strtoull(optarg, NULL, 10);
			break;
		case 'q':
			o->silent = tmpfile();
			if (!o->silent)
				return -1;
			break;
		case 'v':
			o->verbose = true;
			break;
		default:
			return -1;
		}
	}
}

int main(int argc, char **argv)
{
	struct options o = {.sequences = 100, .length = 16, .seed = 1, .jobs = 1};
	if (parse(argc, argv, &o) < 0) {
		fprintf(stderr, "usage: differential [--kinds native|all] [-n SEQUENCES] [-l LENGTH] [-s "
				"SEED] [-j JOBS] [-v] [--silent]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	int r = run_jobs(&o);
	if (o.silent)
		diff_silent_print(o.silent);
	return r;
}
