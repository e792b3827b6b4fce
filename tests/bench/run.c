/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: runs the variants of a benchmark by turns, each in a network namespace of its own, and writes one JSON object
 * a run. What makes the figures comparable: the variants take turns within a round and the first one changes from
 * round to round; the next begins when the namespace before it is gone; a command is measured from its start to its
 * end with as little around it as possible, and so is a request to a daemon that runs already.
 *
 *   bench-run [-n ROUNDS] PLAN RESULTS
 *
 * PLAN is described in plan.h. RESULTS gets, a line:
 *   {"variant": V, "round": R, "steps": [{"phase": P, "wall_us": …, "user_us": …, "sys_us": …, "output": …},
 *    {"phase": P, "wall_us": …, "answer": …, "before": …, "after": …},
 *    {"background": N, "user_us": …, "sys_us": …, "output": …}]}
 * where output is the JSON object that a command printed, and before and after are the daemon's Status.
 *
 * That a namespace is gone is told by its end of a veth pair: the other end, out here, goes when the kernel takes
 * apart the devices inside.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "client.h"
#include "plan.h"

enum {
	BACKGROUND_MAX = 8,
	DAEMON_WAIT_MS = 60 * 1000,
	GONE_WAIT_MS = 300 * 1000,
	OUTPUT_MAX = 64 * 1024 * 1024,
};

#define ANCHOR "anchor"

struct background {
	pid_t pid;
	int out; /* its standard output, or -1 */
	const char *name;
};

/* One variant in its namespace. */
struct run {
	const struct bench_variant *variant;
	FILE *record;
	bool first; /* nothing in the array of steps yet */
	sd_bus *bus;
	struct background background[BACKGROUND_MAX];
	size_t n_background;
	uint64_t measured_us;
};

_Noreturn static void fail(const struct run *run, const struct bench_step *s, const char *what)
{
	for (size_t i = 0; i < run->n_background; i++)
		kill(run->background[i].pid, SIGKILL);
	errx(1, "variant %s, line %u: %s", run->variant->name, s->line, what);
}

/* The text in fd from its start; "" if there is none. To be freed. */
static char *read_all(int fd)
{
	size_t cap = 65536, n = 0;
	char *text = malloc(cap);
	ssize_t k = 1;

	while (text && n < OUTPUT_MAX && (k = read(fd, text + n, cap - n - 1)) > 0) {
		n += (size_t)k;
		if (cap - n < 2)
			text = realloc(text, cap *= 2);
	}
	if (!text || k < 0)
		err(1, "output");
	text[n] = '\0';
	return text;
}

static void put_begin(struct run *run, const char *key, const char *name)
{
	fprintf(run->record, "%s{\"%s\":\"%s\"", run->first ? "" : ",", key, name);
	run->first = false;
}

/* text is a JSON object on the first line, or no concern of ours. */
static void put_output(struct run *run, char *text)
{
	text[strcspn(text, "\n")] = '\0';
	if (text[0] == '{')
		fprintf(run->record, ",\"output\":%s", text);
}

static uint64_t timeval_us(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void put_usage(struct run *run, const struct rusage *u)
{
	fprintf(run->record, ",\"user_us\":%" PRIu64 ",\"sys_us\":%" PRIu64, timeval_us(u->ru_utime),
		timeval_us(u->ru_stime));
}

static void step_do(struct run *run, const struct bench_step *s)
{
	int status = system(s->text);

	if (status != 0)
		fail(run, s, "has failed");
}

static void step_time(struct run *run, const struct bench_step *s)
{
	_cleanup_(nctl_closep) int out = memfd_create("output", MFD_CLOEXEC);
	_cleanup_(nctl_freep) char *text = NULL;
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	uint64_t start, end;
	int status, r;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	start = bench_now_us();
	r = posix_spawnp(&pid, s->argv[0], &actions, NULL, s->argv, environ);
	if (r == 0)
		wait4(pid, &status, 0, &usage);
	end = bench_now_us();
	posix_spawn_file_actions_destroy(&actions);
	if (r != 0)
		fail(run, s, strerror(r));
	if (status != 0)
		fail(run, s, "has failed");
	run->measured_us += end - start;
	put_begin(run, "phase", s->label);
	fprintf(run->record, ",\"wall_us\":%" PRIu64, end - start);
	put_usage(run, &usage);
	lseek(out, 0, SEEK_SET);
	text = read_all(out);
	put_output(run, text);
	fputc('}', run->record);
}

static void launch(struct run *run, const struct bench_step *s, bool with_output)
{
	struct background *b = &run->background[run->n_background];
	int pipe_fds[2] = {-1, -1};

	if (run->n_background == BACKGROUND_MAX)
		fail(run, s, "too much in the background");
	if (with_output && pipe2(pipe_fds, O_CLOEXEC) < 0)
		fail(run, s, strerror(errno));
	fflush(NULL);
	*b = (struct background){.pid = fork(), .out = pipe_fds[0], .name = s->label};
	if (b->pid < 0)
		fail(run, s, strerror(errno));
	if (b->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(with_output ? pipe_fds[1] : STDERR_FILENO, STDOUT_FILENO);
		execvp(s->argv[0], s->argv);
		err(127, "%s", s->argv[0]);
	}
	if (with_output)
		close(pipe_fds[1]);
	run->n_background++;
}

static void step_daemon(struct run *run, const struct bench_step *s)
{
	uint64_t deadline = bench_now_us() + (uint64_t)DAEMON_WAIT_MS * 1000;
	bool settled = false;

	launch(run, s, false);
	if (bench_bus_open(s->label, DAEMON_WAIT_MS, &run->bus) < 0)
		fail(run, s, "the daemon does not answer");
	while (!settled) {
		_cleanup_(nctl_freep) char *json = NULL;

		if (bench_bus_status(run->bus, &json) < 0 || bench_now_us() > deadline)
			fail(run, s, "the daemon does not settle");
		settled = strstr(json, "\"state\":\"settled\"") || strstr(json, "\"state\":\"idle\"");
		if (!settled)
			usleep(3000);
	}
}

static void step_apply(struct run *run, const struct bench_step *s)
{
	_cleanup_(nctl_freep) char *before = NULL, *answer = NULL, *after = NULL;
	uint64_t start, end;

	if (!run->bus || bench_bus_status(run->bus, &before) < 0)
		fail(run, s, "there is no daemon");
	start = bench_now_us();
	if (bench_bus_apply(run->bus, s->argv[0], &answer) < 0)
		fail(run, s, "no answer");
	end = bench_now_us();
	if (bench_json_number(answer, "exit") != 0) {
		fprintf(stderr, "%.2000s\n", answer);
		fail(run, s, "the daemon has not applied it");
	}
	if (bench_bus_status(run->bus, &after) < 0)
		fail(run, s, "the daemon is gone");
	run->measured_us += end - start;
	put_begin(run, "phase", s->label);
	fprintf(run->record, ",\"wall_us\":%" PRIu64 ",\"answer\":%s,\"before\":%s,\"after\":%s}",
		end - start, answer, before, after);
}

/* Reads up to the line "ready", byte by byte, for what follows is the output. */
static void step_start(struct run *run, const struct bench_step *s)
{
	static const char word[] = "ready\n";
	size_t at = 0;
	char c;

	launch(run, s, true);
	while (at < sizeof(word) - 1) {
		if (read(run->background[run->n_background - 1].out, &c, 1) != 1 || c != word[at++])
			fail(run, s, "is not ready");
	}
}

static void stop_last(struct run *run)
{
	struct background *b = &run->background[--run->n_background];
	_cleanup_(nctl_freep) char *text = NULL;
	struct rusage usage;
	int status;

	kill(b->pid, SIGTERM);
	if (b->out >= 0) {
		text = read_all(b->out);
		close(b->out);
	}
	wait4(b->pid, &status, 0, &usage);
	put_begin(run, "background", b->name);
	put_usage(run, &usage);
	if (text)
		put_output(run, text);
	fputc('}', run->record);
}

static void step_stop(struct run *run, const struct bench_step *s)
{
	if (!run->n_background)
		fail(run, s, "nothing was started");
	stop_last(run);
}

static void perform(struct run *run, const struct bench_step *s)
{
	switch (s->type) {
	case BENCH_DO:
		step_do(run, s);
		return;
	case BENCH_TIME:
		step_time(run, s);
		return;
	case BENCH_DAEMON:
		step_daemon(run, s);
		return;
	case BENCH_APPLY:
		step_apply(run, s);
		return;
	case BENCH_START:
		step_start(run, s);
		return;
	case BENCH_STOP:
		step_stop(run, s);
		return;
	}
}

/* In the child: all steps in the namespace; then the record goes out in one piece. */
static int run_variant(const struct bench_variant *v, unsigned round, int results)
{
	struct run run = {.variant = v, .first = true};
	char *text = NULL;
	size_t size = 0;

	run.record = open_memstream(&text, &size);
	if (!run.record)
		err(1, "record");
	fprintf(run.record, "{\"variant\":\"%s\",\"round\":%u,\"steps\":[", v->name, round);
	for (size_t i = 0; i < v->n_steps; i++)
		perform(&run, &v->steps[i]);
	while (run.n_background)
		stop_last(&run);
	sd_bus_flush_close_unref(run.bus);
	fputs("]}\n", run.record);
	fclose(run.record);
	if (write(results, text, size) != (ssize_t)size)
		err(1, "results");
	free(text);
	fprintf(stderr, "  round %u  %-16s %9.1f ms\n", round, v->name, (double)run.measured_us / 1000);
	return 0;
}

/* A socket that hears of links that go, here. */
static int watch_links(void)
{
	struct sockaddr_nl self = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0 || bind(fd, (struct sockaddr *)&self, sizeof(self)) < 0)
		err(1, "netlink socket");
	return fd;
}

static void add_anchor(pid_t pid)
{
	char command[128];

	snprintf(command, sizeof(command),
		"ip link add name " ANCHOR " type veth peer name " ANCHOR " netns %d", (int)pid);
	if (system(command) != 0)
		errx(1, "%s has failed", command);
}

static void wait_until_gone(int fd)
{
	uint64_t deadline = bench_now_us() + (uint64_t)GONE_WAIT_MS * 1000;
	char buf[32768];

	while (if_nametoindex(ANCHOR)) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (bench_now_us() > deadline)
			errx(1, "a namespace does not go away");
		if (poll(&p, 1, 1000) > 0)
			(void)!read(fd, buf, sizeof(buf));
	}
}

/* A round's run of one variant in a child that enters a new namespace. */
static void run_in_namespace(const struct bench_variant *v, unsigned round, int results)
{
	int entered[2], go[2], status;
	pid_t pid;
	int links = watch_links();
	char c = 0;

	if (pipe2(entered, O_CLOEXEC) < 0 || pipe2(go, O_CLOEXEC) < 0)
		err(1, "pipe");
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(links);
		if (unshare(CLONE_NEWNET) < 0 || write(entered[1], &c, 1) != 1)
			err(1, "network namespace");
		close(go[1]);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		exit(run_variant(v, round, results));
	}
	close(entered[1]);
	if (read(entered[0], &c, 1) != 1)
		errx(1, "no network namespace");
	close(entered[0]);
	add_anchor(pid);
	if (write(go[1], &c, 1) != 1)
		err(1, "pipe");
	close(go[0]);
	close(go[1]);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		exit(1);
	wait_until_gone(links);
	close(links);
}

/* The kernel's default helper would be forked for each link: many times the cost of the link itself. */
static void check_uevent_helper(void)
{
	_cleanup_(nctl_closep) int fd = open("/sys/kernel/uevent_helper", O_RDONLY | O_CLOEXEC);
	char c;

	if (fd >= 0 && read(fd, &c, 1) == 1 && c != '\n')
		errx(1, "/sys/kernel/uevent_helper is set: no figure would mean anything");
}

int main(int argc, char **argv)
{
	static struct bench_plan plan; /* never freed */
	unsigned rounds = 5;
	int c, results;

	while ((c = getopt(argc, argv, "n:")) == 'n')
		rounds = (unsigned)atoi(optarg);
	if (c != -1 || optind + 2 != argc || rounds < 1) {
		fputs("usage: bench-run [-n ROUNDS] PLAN RESULTS\n", stderr);
		return 2;
	}
	bench_plan_read(argv[optind], &plan);
	check_uevent_helper();
	/* Out here nothing else happens, so that nobody sees the anchors. */
	if (unshare(CLONE_NEWNET) < 0)
		err(77, "no right to make network namespaces");
	results = open(argv[optind + 1], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (results < 0)
		err(1, "%s", argv[optind + 1]);
	for (unsigned round = 1; round <= rounds; round++)
		for (size_t i = 0; i < plan.n_variants; i++)
			run_in_namespace(&plan.variants[(i + round - 1) % plan.n_variants], round, results);
	return 0;
}
