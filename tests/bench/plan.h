/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

/*
 * What bench-run is to do, as a text of lines; words are divided by blanks, # begins a comment:
 *
 *   variant NAME            begins a variant; the steps below are its
 *   do COMMAND...           a line for sh that must succeed, not measured
 *   time PHASE COMMAND...   a command, measured from its start to its end; what it prints goes into the record
 *   daemon DIR COMMAND...   starts it in the background and waits until DIR/private answers and it is settled
 *   apply PHASE FILE        one Apply to that daemon over a connection that exists already, measured
 *   start NAME COMMAND...   starts it in the background and waits until it has printed "ready"
 *   stop                    ends the last that was started; what it printed goes into the record
 */

enum bench_step_type {
	BENCH_DO,
	BENCH_TIME,
	BENCH_DAEMON,
	BENCH_APPLY,
	BENCH_START,
	BENCH_STOP,
};

struct bench_step {
	enum bench_step_type type;
	unsigned line;
	char *label; /* PHASE, DIR or NAME; NULL for do and stop */
	char *text;  /* do: the line */
	char **argv; /* else: NULL-terminated; apply: the file */
	size_t argc;
};

struct bench_variant {
	char *name;
	struct bench_step *steps;
	size_t n_steps;
};

struct bench_plan {
	struct bench_variant *variants;
	size_t n_variants;
};

/* Ends the program with a message if the file cannot be read or understood. The plan lives as long as the program. */
void bench_plan_read(const char *path, struct bench_plan *ret);
