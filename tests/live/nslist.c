/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: nslist [-n STEPS] [-N NAMES] [-s SEED] [-c EVERY] [-i | DIR]: creations and deletions of namespaces by
 * iproute2 and by netctld, mixed at random; after each one the list of either must be what it has to be.
 * iproute2 is one `ip -batch`, fed a line at a time, so that it is ip's own code that works, 10,000 times,
 * without a process for each; netctld is asked over its private socket in DIR, as netctl does. Every EVERY
 * (100) steps the commands themselves are run, and a name made by either one is used by the other. Then both
 * at the same time: the same name, of which exactly one may win, and different ones, of which none may get
 * lost.
 *
 * -i: a second ip instead of netctld, which tests this test.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench/client.h"
#include "base/cleanup.h"

enum { NAMES_MAX = 512, NAME_BYTES = 32, BUS_WAIT_MS = 60000, SPIN_MAX_US = 1500 };

/* What one of them says is there: by the index of the name. */
struct list {
	bool there[NAMES_MAX];
	unsigned foreign; /* names that this test has not made */
};

/* Somebody who makes and deletes namespaces: an ip that reads commands, or, if bus, the daemon. */
struct party {
	const char *what;
	FILE *to, *from;
	sd_bus *bus;
	unsigned made, deleted, refused;
};

struct test {
	struct party party[2];
	unsigned n_names, steps, every;
	bool daemon;
	bool want[NAMES_MAX];
	unsigned step;
};

static void name_of(unsigned i, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "ns-%u", i);
}

static void mark(struct list *l, const char *name, unsigned n_names)
{
	unsigned i;
	char end;

	if (sscanf(name, "ns-%u%c", &i, &end) == 1 && i < n_names && !l->there[i])
		l->there[i] = true;
	else
		l->foreign++; /* or twice */
}

/* A coprocess, line by line in both directions. Its errors come the same way, in their place. */
static void start_ip(struct party *p)
{
	int to[2], from[2];
	posix_spawn_file_actions_t actions;
	static const char *const argv[] = {"stdbuf", "-oL", "ip", "-o", "-force", "-batch", "-", NULL};
	pid_t pid;

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		err(1, "pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, from[1], STDERR_FILENO);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ) != 0)
		errx(1, "cannot start %s", argv[0]);
	posix_spawn_file_actions_destroy(&actions);
	close(to[0]);
	close(from[1]);
	p->to = fdopen(to[1], "we");
	p->from = fdopen(from[0], "re");
	if (!p->to || !p->from)
		err(1, "fdopen");
}

/* The answer to ip_send: what the command has said of errors, then the list, then a line that ends it. */
static bool ip_receive(const struct test *t, struct party *p, struct list *ret_list)
{
	char line[1024];
	bool refused = false;

	*ret_list = (struct list){0};
	while (fgets(line, sizeof(line), p->from)) {
		if (!strncmp(line, "1: lo:", 6))
			return refused;
		line[strcspn(line, " \n")] = '\0';
		if (!strcmp(line, "Cannot") || !strcmp(line, "Command") || !strcmp(line, "Bind") ||
			!strcmp(line, "Failed"))
			refused = true;
		else
			mark(ret_list, line, t->n_names);
	}
	errx(1, "ip has ended");
}

static void ip_send(struct party *p, const char *verb, const char *name)
{
	if (verb)
		fprintf(p->to, "netns %s %s\n", verb, name);
	if (fprintf(p->to, "netns list\nlink show dev lo\n") < 0 || fflush(p->to) != 0)
		err(1, "ip has ended");
}

static void bus_list(const struct test *t, struct party *p, struct list *ret_list)
{
	static const char key[] = "\"name\":\"";
	_cleanup_(nctl_freep) char *lines = NULL;
	int r = bench_bus_query(p->bus, "netns", &lines);

	if (r < 0)
		errx(1, "step %u: no list: %s", t->step, strerror(-r));
	*ret_list = (struct list){0};
	for (char *line = lines, *next; line; line = next) {
		char *name = NULL;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		name = strstr(line, key);
		if (!name)
			continue; /* ours, or without a name */
		name += sizeof(key) - 1;
		name[strcspn(name, "\"")] = '\0';
		mark(ret_list, name, t->n_names);
	}
}

static void list(const struct test *t, struct party *p, struct list *ret_list)
{
	if (p->bus) {
		bus_list(t, p, ret_list);
		return;
	}
	ip_send(p, NULL, NULL);
	ip_receive(t, p, ret_list);
}

/* Refused? */
static bool bus_do(const struct test *t, struct party *p, const char *verb, const char *name)
{
	bool failed = false;
	int r = bench_bus_netns(
		p->bus, !strcmp(verb, "add") ? "NetnsAdd" : "NetnsDel", &name, 1, true, &failed);

	if (r < 0)
		errx(1, "step %u: %s %s: %s", t->step, verb, name, strerror(-r));
	return failed;
}

static bool perform(const struct test *t, struct party *p, const char *verb, const char *name)
{
	struct list ignored;

	if (p->bus)
		return bus_do(t, p, verb, name);
	ip_send(p, verb, name);
	return ip_receive(t, p, &ignored);
}

/* After a command of p both must show what is wanted. */
static void check_lists(const struct test *t, const char *after)
{
	for (unsigned k = 0; k < 2; k++) {
		struct party *p = (struct party *)&t->party[k];
		struct list l;

		list(t, p, &l);
		if (l.foreign)
			errx(1, "step %u, after %s: %s lists %u strangers", t->step, after, p->what,
				l.foreign);
		for (unsigned i = 0; i < t->n_names; i++)
			if (l.there[i] != t->want[i])
				errx(1, "step %u, after %s: %s %s ns-%u", t->step, after, p->what,
					l.there[i] ? "still has" : "has not", i);
	}
}

static void run(const struct test *t, const char *before, const char *name, const char *after)
{
	char command[256];

	snprintf(command, sizeof(command), "%s%s%s", before, name, after);
	if (system(command) != 0)
		errx(1, "step %u: has failed: %s", t->step, command);
}

/* The commands themselves. ip's order is the folder's, netctl's ascending. */
static void check_commands(const struct test *t, unsigned last)
{
	char name[NAME_BYTES];

	if (!t->daemon)
		return;
	run(t, "test \"$(netctl netns list | sed 's/ .*//')\" = ", "",
		"\"$(ip netns list | sed 's/ .*//' | LC_ALL=C sort)\"");
	if (!t->want[last])
		return;
	name_of(last, name);
	run(t, "netctl -n ", name, " link show dev lo >/dev/null");
	run(t, "ip -n ", name, " link show dev lo >/dev/null");
}

/* One in eight is a command that must be refused. */
static void one_step(struct test *t)
{
	struct party *p = &t->party[random() % 2];
	unsigned i = (unsigned)random() % t->n_names;
	bool wrong = random() % 8 == 0, add = wrong ? t->want[i] : !t->want[i], refused;
	char name[NAME_BYTES], text[96];

	name_of(i, name);
	snprintf(text, sizeof(text), "%s: %s %s", p->what, add ? "add" : "del", name);
	refused = perform(t, p, add ? "add" : "del", name);
	if (refused != wrong)
		errx(1, "step %u: %s was %s", t->step, text, refused ? "refused" : "not refused");
	if (refused) {
		p->refused++;
	} else {
		t->want[i] = add;
		*(add ? &p->made : &p->deleted) += 1;
	}
	check_lists(t, text);
	if (t->step % t->every == 0)
		check_commands(t, i);
}

static void spin(unsigned us)
{
	uint64_t end = bench_now_us() + us;

	while (bench_now_us() < end)
		;
}

/* ip and the other one at the same time. Bits: 1 ip was refused, 2 the other one was. */
static unsigned both(struct test *t, const char *verb, unsigned a, const char *other_verb, unsigned b)
{
	char name[NAME_BYTES], other[NAME_BYTES];
	struct list ignored;
	unsigned refused = 0;

	name_of(a, name);
	name_of(b, other);
	ip_send(&t->party[0], verb, name);
	spin((unsigned)random() % SPIN_MAX_US);
	refused |= perform(t, &t->party[1], other_verb, other) ? 2 : 0;
	refused |= ip_receive(t, &t->party[0], &ignored) ? 1 : 0;
	return refused;
}

static void same_name(struct test *t, unsigned i)
{
	const char *verb = t->want[i] ? "del" : "add";
	unsigned refused = both(t, verb, i, verb, i);

	if (refused != 1 && refused != 2)
		errx(1, "step %u: both %s ns-%u, and %s has won", t->step, verb, i,
			refused ? "nobody" : "everybody");
	t->want[i] = !t->want[i];
	check_lists(t, "both with the same name");
}

static void different_names(struct test *t, unsigned i, unsigned j)
{
	if (both(t, t->want[i] ? "del" : "add", i, t->want[j] ? "del" : "add", j) != 0)
		errx(1, "step %u: ns-%u and ns-%u at the same time: one was refused", t->step, i, j);
	t->want[i] = !t->want[i];
	t->want[j] = !t->want[j];
	check_lists(t, "both with different names");
}

/* One deletes what the other makes: anything may come of it, but both must see the same. */
static void against(struct test *t, unsigned i)
{
	bool add = random() % 2;
	char name[NAME_BYTES];
	struct list l;

	both(t, add ? "add" : "del", i, add ? "del" : "add", i);
	list(t, &t->party[0], &l);
	t->want[i] = l.there[i];
	check_lists(t, "one against the other");
	name_of(i, name);
	if (t->want[i] && perform(t, &t->party[0], "del", name))
		errx(1, "step %u: what is left of %s cannot be deleted", t->step, name);
	t->want[i] = false;
	check_lists(t, "one against the other");
}

static void at_once(struct test *t)
{
	unsigned i = (unsigned)random() % t->n_names,
		 j = (i + 1 + (unsigned)random() % (t->n_names - 1)) % t->n_names;

	switch (random() % 5) {
	case 0:
		against(t, i);
		break;
	case 1:
	case 2:
		different_names(t, i, j);
		break;
	default:
		same_name(t, i);
	}
}

static void clean_up(struct test *t)
{
	char name[NAME_BYTES];

	for (unsigned i = 0; i < t->n_names; i++) {
		name_of(i, name);
		if (t->want[i] && perform(t, &t->party[i % 2], "del", name))
			errx(1, "%s cannot be deleted by %s at the end", name, t->party[i % 2].what);
		t->want[i] = false;
	}
	check_lists(t, "the end");
}

int main(int argc, char **argv)
{
	static struct test t = {.n_names = 24, .steps = 10000, .every = 100, .daemon = true};
	unsigned seed = (unsigned)getpid(), concurrent;
	int c;

	while ((c = getopt(argc, argv, "n:N:s:c:i")) >= 0) {
		if (c == 'n')
			t.steps = (unsigned)atoi(optarg);
		else if (c == 'N')
			t.n_names = (unsigned)atoi(optarg);
		else if (c == 's')
			seed = (unsigned)atoi(optarg);
		else if (c == 'c')
			t.every = (unsigned)atoi(optarg);
		else if (c == 'i')
			t.daemon = false;
		else
			return 2;
	}
	if (t.n_names < 2 || t.n_names > NAMES_MAX || !t.every || optind + t.daemon != argc)
		errx(2, "usage: nslist [-n STEPS] [-N NAMES] [-s SEED] [-c EVERY] -i|DIR");
	signal(SIGPIPE, SIG_IGN);
	printf("seed %u\n", seed);
	fflush(stdout);
	srandom(seed);
	t.party[0].what = "ip";
	t.party[1].what = t.daemon ? "netctld" : "the other ip";
	start_ip(&t.party[0]);
	if (!t.daemon)
		start_ip(&t.party[1]);
	else if (bench_bus_open(argv[optind], BUS_WAIT_MS, &t.party[1].bus) < 0)
		errx(1, "the daemon does not answer");
	for (t.step = 1; t.step <= t.steps; t.step++)
		one_step(&t);
	concurrent = t.steps / 10;
	for (; t.step <= t.steps + concurrent; t.step++)
		at_once(&t);
	clean_up(&t);
	for (unsigned k = 0; k < 2; k++)
		printf("%s: %u made, %u deleted, %u refused\n", t.party[k].what, t.party[k].made,
			t.party[k].deleted, t.party[k].refused);
	printf("%u steps one after the other, %u at the same time; no list ever differed\n", t.steps,
		concurrent);
	sd_bus_flush_close_unref(t.party[1].bus);
	return 0;
}
