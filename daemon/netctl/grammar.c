/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The language of netctl as tables: a table lists what may come next. A keyword may be cut down to its
 * first `min` letters, which are chosen as in ip(8): a is address, l is link. Whatever is no keyword of a
 * table is a name or a file where the table has one, else an error that says what could stand there. Values
 * are not looked at: the daemon knows better what it has.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "netctl/cli.h"

enum token_type {
	LAST,  /* ends the table */
	END,   /* the request may end here */
	WORD,  /* keyword; goes on in .next, or nothing may follow */
	FLAG,  /* keyword: a filter without a value; stays in this table, as the ones below */
	PAIR,  /* keyword and a value, described by .what: a filter */
	NAME,  /* any other word, described by .what: a filter's value */
	FILES, /* any word: a file */
	ELSE,  /* what is in .next may come as well */
};

struct token {
	enum token_type type;
	const char *word;
	size_t min;       /* letters that are enough, 0: all */
	const char *what; /* stands there, in messages */
	enum cli_action action;
	const struct token *next;
};

static const struct token link_filters[] = {
	{END},
	{PAIR, "dev", .what = "the name of a device"},
	{PAIR, "index", .what = "the index of a device"},
	{PAIR, "type", .what = "a kind of links"},
	{PAIR, "master", .what = "the name of a device"},
	{PAIR, "vrf", .what = "the name of a VRF"},
	{FLAG, "up"},
	{NAME, "dev", .what = "NAME"},
	{LAST},
};

static const struct token address_filters[] = {
	{END},
	{PAIR, "to", .what = "a prefix"},
	{PAIR, "scope", .what = "global, site, link or host"},
	{ELSE, .next = link_filters},
	{LAST},
};

/* As in ip(8), "show" may be left out. */
static const struct token link_verbs[] = {
	{WORD, "show", 2, .next = link_filters},
	{WORD, "list", 3, .next = link_filters},
	{WORD, "ls", .next = link_filters},
	{ELSE, .next = link_filters},
	{LAST},
};

static const struct token address_verbs[] = {
	{WORD, "show", 2, .next = address_filters},
	{WORD, "list", 3, .next = address_filters},
	{WORD, "ls", .next = address_filters},
	{ELSE, .next = address_filters},
	{LAST},
};

static const struct token more_files[] = {
	{END},
	{FILES, .what = "FILE"},
	{LAST},
};

static const struct token files[] = {
	{FILES, .what = "FILE", .next = more_files},
	{LAST},
};

static const struct token top[] = {
	{WORD, "link", 1, NULL, CLI_LINK, link_verbs},
	{WORD, "address", 1, NULL, CLI_ADDRESS, address_verbs},
	{WORD, "check", 2, NULL, CLI_CHECK, files},
	{WORD, "plan", 2, NULL, CLI_PLAN, more_files},
	{WORD, "apply", 2, NULL, CLI_APPLY, more_files},
	{WORD, "reload", 3, NULL, CLI_RELOAD, NULL},
	{WORD, "status", 2, NULL, CLI_STATUS, NULL},
	{WORD, "help", 1, NULL, CLI_HELP, NULL},
	{LAST},
};

static bool is_keyword(const struct token *t)
{
	return t->type == WORD || t->type == FLAG || t->type == PAIR;
}

static bool matches(const struct token *t, const char *word)
{
	size_t len = strlen(word);

	if (!is_keyword(t) || strncmp(t->word, word, len) != 0)
		return false;
	return t->word[len] == '\0' || (t->min && len >= t->min);
}

/* The keyword that word is or abbreviates, else the token that takes any word, else NULL. *table is where it
 * was. */
static const struct token *find(const struct token **table, const char *word)
{
	const struct token *any = NULL;

	for (const struct token *t = *table; t->type != LAST; t++) {
		if (matches(t, word))
			return t;
		if (t->type == ELSE) {
			*table = t->next;
			return find(table, word);
		}
		if (t->type == NAME || t->type == FILES)
			any = t;
	}
	return any;
}

static bool may_end(const struct token *table)
{
	for (const struct token *t = table; t && t->type != LAST; t++)
		if (t->type == END || (t->type == ELSE && may_end(t->next)))
			return true;
	return !table;
}

static size_t list_choices(const struct token *table, const char **words, size_t n, size_t max)
{
	for (const struct token *t = table; t->type != LAST && n < max; t++) {
		if (t->type == ELSE)
			n = list_choices(t->next, words, n, max);
		else if (t->type != END)
			words[n++] = is_keyword(t) ? t->word : t->what;
	}
	return n;
}

static int wrong(const struct token *table, const char *word)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf list = NCTL_STRBUF_INIT;
	const char *words[32], *near;
	size_t n = list_choices(table, words, 0, NCTL_ARRAY_SIZE(words));

	near = word ? nctl_suggest(word, words, n) : NULL;
	for (size_t i = 0; i < n; i++)
		nctl_strbuf_printf(&list, "%s%s", i ? ", " : "", words[i]);
	if (near)
		cli_error("there is no \"%s\"; did you mean \"%s\"?", word, near);
	else if (word)
		cli_error("there is no \"%s\"; there are: %s", word, nctl_strbuf_str(&list));
	else
		cli_error("something is missing at the end: %s; see netctl help", nctl_strbuf_str(&list));
	return -EINVAL;
}

int cli_request_filter(struct cli_request *q, const char *key, const char *value)
{
	for (size_t i = 0; i < q->n_filters; i++) {
		if (strcmp(q->filters[i].key, key) != 0)
			continue;
		if (*value)
			cli_error("\"%s\" is given twice: %s and %s", key, q->filters[i].value, value);
		else
			cli_error("\"%s\" is given twice", key);
		return -EINVAL;
	}
	if (q->n_filters == CLI_FILTERS_MAX)
		return -EINVAL;
	q->filters[q->n_filters++] = (struct cli_filter){key, value};
	return 0;
}

static int add_file(struct cli_request *q, const char *path)
{
	if (q->n_files == CLI_FILES_MAX) {
		cli_error("at most %d files at once", CLI_FILES_MAX);
		return -EINVAL;
	}
	q->files[q->n_files++] = path;
	return 0;
}

/* One word, and the value behind it: *i is the last one used. */
static int take(struct cli_request *q, const struct token *t, const struct token **table, char *const *words,
	size_t n, size_t *i)
{
	switch (t->type) {
	case WORD:
		q->action = t->action ? t->action : q->action;
		*table = t->next;
		return 0;
	case FLAG:
		return cli_request_filter(q, t->word, "");
	case PAIR:
		if (*i + 1 < n)
			return cli_request_filter(q, t->word, words[++*i]);
		cli_error("\"%s\" wants %s", t->word, t->what);
		return -EINVAL;
	case NAME:
		return cli_request_filter(q, t->word, words[*i]);
	case FILES:
		*table = t->next ? t->next : *table;
		return add_file(q, words[*i]);
	case LAST:
	case END:
	case ELSE:
		break;
	}
	return -EINVAL;
}

int cli_grammar_parse(struct cli_request *q, char *const *words, size_t n)
{
	const struct token *table = top, *t;
	int r;

	for (size_t i = 0; i < n; i++) {
		if (!table) {
			cli_error("\"%s\" is one word too many; see netctl help", words[i]);
			return -EINVAL;
		}
		t = find(&table, words[i]);
		if (!t)
			return wrong(table, words[i]);
		r = take(q, t, &table, words, n, &i);
		if (r < 0)
			return r;
	}
	return may_end(table) ? 0 : wrong(table, NULL);
}
