/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: reads the plan of a benchmark (plan.h). It is written by a script of ours, so that a mistake in it ends
 * bench-run at once.
 */
#include "plan.h"

#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

static const struct {
	const char *word;
	enum bench_step_type type;
	bool has_label;
	size_t min_args;
} step_words[] = {
	{"do", BENCH_DO, false, 0},
	{"time", BENCH_TIME, true, 1},
	{"daemon", BENCH_DAEMON, true, 1},
	{"apply", BENCH_APPLY, true, 1},
	{"start", BENCH_START, true, 1},
	{"stop", BENCH_STOP, false, 0},
};

static char *copy(const char *text)
{
	char *s = strdup(text);

	if (!s)
		err(1, "plan");
	return s;
}

/* Room for one more in an array of n. */
static void *grow(void *array, size_t n, size_t size)
{
	array = reallocarray(array, n + 1, size);
	if (!array)
		err(1, "plan");
	return array;
}

static void read_words(struct bench_step *s, char *rest)
{
	char *word, *save = NULL;

	s->argv = grow(NULL, 0, sizeof(*s->argv));
	for (word = strtok_r(rest, BLANKS, &save); word; word = strtok_r(NULL, BLANKS, &save)) {
		s->argv = grow(s->argv, s->argc + 1, sizeof(*s->argv));
		s->argv[s->argc++] = copy(word);
	}
	s->argv[s->argc] = NULL;
}

static void read_step(struct bench_variant *v, const char *path, unsigned line, const char *word, char *rest)
{
	for (size_t i = 0; i < sizeof(step_words) / sizeof(*step_words); i++) {
		struct bench_step s = {.type = step_words[i].type, .line = line};

		if (strcmp(word, step_words[i].word) != 0)
			continue;
		if (s.type == BENCH_DO)
			s.text = copy(rest);
		else
			read_words(&s, rest);
		if (step_words[i].has_label && s.argc > 0) {
			s.label = s.argv[0];
			memmove(s.argv, s.argv + 1, s.argc-- * sizeof(*s.argv));
		}
		if (s.argc < step_words[i].min_args || (step_words[i].has_label && !s.label))
			errx(2, "%s:%u: %s needs more words", path, line, word);
		v->steps = grow(v->steps, v->n_steps, sizeof(s));
		v->steps[v->n_steps++] = s;
		return;
	}
	errx(2, "%s:%u: unknown word %s", path, line, word);
}

void bench_plan_read(const char *path, struct bench_plan *ret)
{
	struct bench_plan p = {0};
	FILE *f = fopen(path, "re");
	unsigned number = 0;
	char *line = NULL;
	size_t cap = 0;

	if (!f)
		err(2, "%s", path);
	while (getline(&line, &cap, f) > 0) {
		char *save = NULL, *word = strtok_r(line, BLANKS, &save), *rest = save;

		number++;
		if (!word || word[0] == '#')
			continue;
		if (strcmp(word, "variant") == 0) {
			word = strtok_r(NULL, BLANKS, &save);
			if (!word)
				errx(2, "%s:%u: variant needs a name", path, number);
			p.variants = grow(p.variants, p.n_variants, sizeof(*p.variants));
			p.variants[p.n_variants++] = (struct bench_variant){.name = copy(word)};
		} else if (p.n_variants) {
			read_step(&p.variants[p.n_variants - 1], path, number, word, rest);
		} else {
			errx(2, "%s:%u: %s before the first variant", path, number, word);
		}
	}
	free(line);
	fclose(f);
	if (!p.n_variants)
		errx(2, "%s: no variant", path);
	*ret = p;
}
