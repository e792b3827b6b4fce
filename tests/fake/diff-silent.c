/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what a kernel changes without telling: objects of which the dumps before and after a request differ
 * and no event spoke. Each is noted with the events that there were, which are all that a watcher has to go
 * by.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>

#include "fake/diff.h"

enum { DIFF_WHAT = 256, DIFF_LOWER_UP = 0x10000 };

static bool diff_has_line(const struct fk_lines *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i], text) == 0)
			return true;
	return false;
}

/* A line about the same object; NULL: none. */
static const char *diff_line_of(const struct fk_lines *l, const char *id)
{
	size_t len = strlen(id);
	for (size_t i = 0; i < l->n; i++)
		if (strncmp(l->v[i], id, len) == 0 && (l->v[i][len] == ' ' || l->v[i][len] == '/'))
			return l->v[i];
	return NULL;
}

/* One that was not there before: several objects may have one id. */
static const char *diff_new_line_of(const struct fk_lines *l, const char *id, const struct fk_lines *before)
{
	size_t len = strlen(id);
	for (size_t i = 0; i < l->n; i++)
		if (strncmp(l->v[i], id, len) == 0 && (l->v[i][len] == ' ' || l->v[i][len] == '/') &&
			!diff_has_line(before, l->v[i]))
			return l->v[i];
	return NULL;
}

static bool diff_was_told(const struct diff_world *w, const char *id)
{
	size_t len = strlen(id);
	for (size_t i = 0; i < w->n_streams; i++) {
		const struct fk_lines *lines = &w->streams[i].lines;
		for (size_t j = 0; j < lines->n; j++)
			if (strncmp(lines->v[j] + 4, id, len) == 0)
				return true;
	}
	return false;
}

static void diff_add_word(char *words, size_t size, const char *word)
{
	size_t len = strlen(words);
	if (!strstr(words, word))
		snprintf(words + len, size - len, "%s%s", len ? ", " : "", word);
}

static unsigned diff_link_flags(const char *line)
{
	const char *at = strstr(line, " flags=");
	unsigned flags = 0;
	if (at)
		sscanf(at, " flags=%x", &flags);
	return flags;
}

static bool diff_value_differs(const char *a, const char *b, const char *key)
{
	const char *x = strstr(a, key), *y = strstr(b, key);
	size_t n = x ? strcspn(x + 1, " ") : 0;
	return !x != !y || (x && (strcspn(y + 1, " ") != n || strncmp(x, y, n + 1) != 0));
}

/* What the event of a link says that the dump before did not. */
static void diff_link_words(const struct fk_lines *before, const char *text, char *words)
{
	char id[DIFF_WHAT];
	diff_id(text, id);
	const char *old = diff_line_of(before, id);
	unsigned flags = diff_link_flags(text), was = old ? diff_link_flags(old) : 0;
	if (!old) {
		diff_add_word(words, DIFF_WHAT, "new link");
		return;
	}
	if ((was ^ flags) & IFF_UP)
		diff_add_word(words, DIFF_WHAT, flags & IFF_UP ? "link up" : "link down");
	else if (flags & IFF_UP && (was ^ flags) & (DIFF_LOWER_UP | IFF_RUNNING))
		diff_add_word(
			words, DIFF_WHAT, flags & (DIFF_LOWER_UP | IFF_RUNNING) ? "carrier" : "no carrier");
	if (diff_value_differs(old, text, " mtu="))
		diff_add_word(words, DIFF_WHAT, "mtu");
	if (diff_value_differs(old, text, " master="))
		diff_add_word(words, DIFF_WHAT, "master");
	char name[2][IFNAMSIZ] = {"", ""};
	sscanf(old, "link %*d %15s", name[0]);
	sscanf(text, "link %*d %15s", name[1]);
	if (strcmp(name[0], name[1]) != 0)
		diff_add_word(words, DIFF_WHAT, "name");
}

static void diff_event_words(const struct fk_lines *before, const struct diff_world *w, char *words)
{
	for (size_t i = 0; i < w->n_streams; i++) {
		const struct fk_lines *lines = &w->streams[i].lines;
		for (size_t j = 0; j < lines->n; j++) {
			const char *text = lines->v[j];
			char word[32], type[24] = "";
			if (strncmp(text, "new link ", 9) == 0) {
				diff_link_words(before, text + 4, words);
				continue;
			}
			sscanf(text + 4, "%23s", type);
			if (strcmp(type, "addr") == 0)
				strcpy(type, strchr(text, ':') ? "addr6" : "addr4");
			snprintf(word, sizeof word, "%.3s %s", text, type);
			diff_add_word(words, DIFF_WHAT, word);
		}
	}
}

/* Which words of two lines about one object differ, by their keys. */
static void diff_field_words(const char *old, const char *new, char *words)
{
	static const char *const keys[] = {" flags=", " nhid=", " via=", " dev=", " src=", " metric2=",
		" type=", " mtu=", " oper=", " carrier=", " addrgen="};
	char bracket[2][DIFF_WHAT] = {"", ""};
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(keys); i++) {
		char key[16];
		snprintf(key, sizeof key, "%.*s", (int)strlen(keys[i]) - 2, keys[i] + 1);
		const char *end = strchr(old, '[');
		const char *at = strstr(old, keys[i]);
		if ((!end || !at || at < end) && diff_value_differs(old, new, keys[i]))
			diff_add_word(words, DIFF_WHAT, key);
	}
	if (strchr(old, '['))
		snprintf(bracket[0], DIFF_WHAT, "%s", strchr(old, '['));
	if (strchr(new, '['))
		snprintf(bracket[1], DIFF_WHAT, "%s", strchr(new, '['));
	if (strcmp(bracket[0], bracket[1]) != 0)
		diff_add_word(words, DIFF_WHAT, "hops");
}

static void diff_class(const char *line, char class[static 64])
{
	char type[24] = "";
	sscanf(line, "%23s", type);
	snprintf(class, 64, "%s%s%s%s", type,
		strstr(line, " scope=254") && type[0] == 'r' ? " of scope host" : "",
		strstr(line, " nhid=") ? " with nhid" : "",
		strchr(line, '[') && type[0] == 'r' ? " multipath" : "");
}

static void diff_note(FILE *f, const char *events, const char *line, const char *what)
{
	char class[64];
	diff_class(line, class);
	fprintf(f, "%-44s | %-30s | %s\n", *events ? events : "nothing", class, what);
}

void diff_silent_note(FILE *f, const struct fk_lines *before, const struct diff_world *w)
{
	char events[DIFF_WHAT] = "";
	diff_event_words(before, w, events);
	for (size_t i = 0; i < before->n; i++) {
		char id[DIFF_WHAT], what[DIFF_WHAT] = "";
		const char *old = before->v[i];
		diff_id(old, id);
		if (diff_has_line(&w->state, old) || diff_was_told(w, id))
			continue;
		const char *new = diff_new_line_of(&w->state, id, before);
		if (!new) {
			diff_note(f, events, old, "gone");
			continue;
		}
		diff_field_words(old, new, what);
		diff_note(f, events, old, *what ? what : "changed");
	}
	for (size_t i = 0; i < w->state.n; i++) {
		char id[DIFF_WHAT];
		diff_id(w->state.v[i], id);
		if (!diff_line_of(before, id) && !diff_was_told(w, id))
			diff_note(f, events, w->state.v[i], "there");
	}
	fflush(f);
}

/* The notes, sorted and counted. */
void diff_silent_print(FILE *f)
{
	struct fk_lines notes = {0};
	char line[1024];
	unsigned n = 0;
	rewind(f);
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		fk_lines_add(&notes, line);
	}
	fk_lines_sort(&notes);
	printf("changed without an event\n%6s  %-44s | %-30s | %s\n", "times", "there were events of",
		"object", "what");
	for (size_t i = 0; i < notes.n; i++) {
		n++;
		if (i + 1 == notes.n || strcmp(notes.v[i], notes.v[i + 1]) != 0) {
			printf("%6u  %s\n", n, notes.v[i]);
			n = 0;
		}
	}
	fk_lines_clear(&notes);
}
