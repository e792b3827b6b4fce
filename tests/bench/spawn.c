/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: how long commands take from their start to their end, by turns, so that what the machine does besides
 * hits all of them alike. Their output goes to /dev/null.
 *
 *   bench-spawn [-n RUNS] [-f FILE] COMMAND... [-- COMMAND...]...
 *
 * A word @ of a command is an address from FILE, where each line begins with one ("10.0.0.0/8" is 10.0.0.0);
 * all commands of a turn get the same one, chosen at random. Prints a JSON array, an object for each command:
 * medians and 90th percentiles of the wall time, and what the processor took, in microseconds. Exit status 1
 * if one fails.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MAX = 8, LINE_MAX_BYTES = 64 };

extern char **environ;

struct command {
	char **argv;
	uint32_t *wall_us, *cpu_us;
};

static char (*lines)[LINE_MAX_BYTES];
static size_t n_lines;

static void *must(void *p)
{
	if (!p)
		err(1, "memory");
	return p;
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void read_lines(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[LINE_MAX_BYTES];
	size_t cap = 0;

	if (!f)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "/ \n")] = '\0';
		if (n_lines == cap) {
			cap = cap ? 2 * cap : 4096;
			lines = must(reallocarray(lines, cap, sizeof(*lines)));
		}
		memcpy(lines[n_lines++], line, sizeof(line));
	}
	fclose(f);
	if (!n_lines)
		errx(1, "%s is empty", path);
}

/* @ becomes address. */
static void run(const struct command *c, const char *address, unsigned turn)
{
	posix_spawn_file_actions_t actions;
	char *argv[64];
	struct rusage usage;
	uint64_t start;
	int status, r;
	size_t n = 0;
	pid_t pid;

	for (char **word = c->argv; *word && n < 63; word++)
		argv[n++] = strcmp(*word, "@") == 0 ? (char *)(uintptr_t)address : *word;
	argv[n] = NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	start = now_us();
	r = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	if (r != 0)
		errx(1, "%s: %s", argv[0], strerror(r));
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			err(1, "wait");
	c->wall_us[turn] = (uint32_t)(now_us() - start);
	c->cpu_us[turn] = (uint32_t)((usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
				     usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	posix_spawn_file_actions_destroy(&actions);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		errx(1, "%s %s: exit status %d", argv[0], address ? address : "", WEXITSTATUS(status));
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print(struct command *c, unsigned runs)
{
	qsort(c->wall_us, runs, sizeof(*c->wall_us), compare);
	qsort(c->cpu_us, runs, sizeof(*c->cpu_us), compare);
	printf("{\"p50_us\":%" PRIu32 ",\"p90_us\":%" PRIu32 ",\"least_us\":%" PRIu32 ",\"cpu_us\":%" PRIu32
	       "}",
		c->wall_us[runs / 2], c->wall_us[runs * 9 / 10], c->wall_us[0], c->cpu_us[runs / 2]);
}

/* Splits the words at each "--". */
static size_t split(char **words, struct command *commands, unsigned runs)
{
	size_t n = 0;

	for (char **word = words; *word; word++) {
		if (word != words && strcmp(*word, "--") != 0)
			continue;
		if (n == COMMANDS_MAX)
			errx(2, "at most %d commands", COMMANDS_MAX);
		if (word != words)
			*word++ = NULL;
		commands[n++] = (struct command){
			word, must(calloc(runs, sizeof(uint32_t))), must(calloc(runs, sizeof(uint32_t)))};
		if (!*word)
			errx(2, "an empty command");
	}
	return n;
}

int main(int argc, char **argv)
{
	struct command commands[COMMANDS_MAX];
	unsigned runs = 5;
	size_t n;
	int c;

	while ((c = getopt(argc, argv, "+n:f:")) != -1) {
		if (c == 'n')
			runs = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'f')
			read_lines(optarg);
		else
			return 2;
	}
	if (optind == argc || !runs) {
		fputs("usage: bench-spawn [-n RUNS] [-f FILE] COMMAND... [-- COMMAND...]...\n", stderr);
		return 2;
	}
	n = split(argv + optind, commands, runs);
	srandom(1);
	for (unsigned turn = 0; turn < runs; turn++) {
		const char *address = n_lines ? lines[(size_t)random() % n_lines] : NULL;

		for (size_t i = 0; i < n; i++)
			run(&commands[(i + turn) % n], address, turn);
	}
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "[", stdout);
		print(&commands[i], runs);
		free(commands[i].wall_us);
		free(commands[i].cpu_us);
	}
	puts("]");
	free(lines);
	return 0;
}
