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
	NAME,  /* any other word, described by .what: a filter's value; goes on in .next, if there is one */
	FILES, /* any word: a file */
	REST,  /* any word, and all behind it, as they are */
	ELSE,  /* any other word: the request goes on in .next */
};

struct token {
	enum token_type type;
	const char *word;
	size_t min;       /* letters that are enough, 0: all */
	const char *what; /* stands there, in messages */
	enum cli_action action;
	const struct token *next;
};

/* clang-format off */
#define LINK_FILTERS                                                                                         \
	{PAIR, "dev", .what = "the name of a device"},                                                       \
	{PAIR, "index", .what = "the index of a device"},                                                    \
	{PAIR, "type", .what = "a kind of links"},                                                           \
	{PAIR, "master", .what = "the name of a device"},                                                    \
	{PAIR, "vrf", .what = "the name of a VRF"},                                                          \
	{FLAG, "up"},                                                                                        \
	{NAME, "dev", .what = "NAME"}
/* clang-format on */

static const struct token link_filters[] = {{END}, LINK_FILTERS, {LAST}};

static const struct token address_filters[] = {
	{END},
	{PAIR, "to", .what = "a prefix"},
	{PAIR, "scope", .what = "global, site, link or host"},
	LINK_FILTERS,
	{LAST},
};

static const struct token move_words[] = {
	{END},
	{PAIR, "netns", .what = "the name of a namespace, \"\" for the daemon's own, or a PID"},
	{PAIR, "name", .what = "the new name of the device"},
	{PAIR, "dev", .what = "the name of a device"},
	{NAME, "dev", .what = "NAME"},
	{LAST},
};

/* As in ip(8), "show" may be left out. */
static const struct token link_verbs[] = {
	{WORD, "move", 2, NULL, CLI_MOVE, move_words},
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

static const struct token no_more[] = {{END}, {LAST}};

static const struct token netns_filters[] = {
	{END},
	{FLAG, "all"},
	{PAIR, "name", .what = "the name of a namespace"},
	{NAME, "name", .what = "NAME"},
	{LAST},
};

static const struct token netns_names[] = {{REST, .what = "NAME"}, {LAST}};

/* Options behind it are the command's. */
static const struct token netns_command[] = {{REST, .what = "NAME and a command", .min = 1}, {LAST}};

static const struct token netns_pid[] = {{END}, {NAME, "pid", .what = "PID", .next = no_more}, {LAST}};

static const struct token netns_name[] = {{NAME, "name", .what = "NAME", .next = no_more}, {LAST}};

static const struct token netns_verbs[] = {
	{WORD, "list", 1, .next = netns_filters},
	{WORD, "show", 1, .next = netns_filters},
	{WORD, "ls", .next = netns_filters},
	{WORD, "add", 1, NULL, CLI_NETNS_ADD, netns_names},
	{WORD, "delete", 1, NULL, CLI_NETNS_DEL, netns_names},
	{WORD, "exec", 1, NULL, CLI_NETNS_EXEC, netns_command},
	{WORD, "identify", 1, NULL, CLI_NETNS_IDENTIFY, netns_pid},
	{WORD, "pids", 1, NULL, CLI_NETNS_PIDS, netns_name},
	{ELSE, .next = netns_filters},
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
	{WORD, "netns", 3, NULL, CLI_NETNS_LIST, netns_verbs},
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

/* The keyword that word is or abbreviates, else the token that takes any word, else NULL. *table becomes the
 * one where that was. */
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
		if (t->type == NAME || t->type == FILES || t->type == REST)
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

static size_t list_choices(
	const struct token *table, bool keywords_only, const char **words, size_t n, size_t max)
{
	for (const struct token *t = table; t->type != LAST && n < max; t++) {
		if (t->type == ELSE)
			n = list_choices(t->next, keywords_only, words, n, max);
		else if (is_keyword(t))
			words[n++] = t->word;
		else if (t->type != END && !keywords_only)
			words[n++] = t->what;
	}
	return n;
}

enum { CHOICES_MAX = 32 };

/* The keyword of table that somebody who wrote word may have meant, or NULL. */
static const char *nearest(const struct token *table, const char *word)
{
	const char *words[CHOICES_MAX];

	return nctl_suggest(word, words, list_choices(table, true, words, 0, CHOICES_MAX));
}

static int wrong(const struct token *table, const char *word)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf list = NCTL_STRBUF_INIT;
	const char *words[CHOICES_MAX], *near = word ? nearest(table, word) : NULL;
	size_t n = list_choices(table, false, words, 0, CHOICES_MAX);

	for (size_t i = 0; i < n; i++)
		nctl_strbuf_printf(&list, "%s%s", i ? ", " : "", words[i]);
	if (near)
		cli_error("there is no \"%s\"; did you mean \"%s\"?", word, near);
	else if (word && n)
		cli_error("there is no \"%s\"; there are: %s", word, nctl_strbuf_str(&list));
	else if (word)
		cli_error("\"%s\" is one word too many; see netctl help", word);
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

const char *cli_request_get(const struct cli_request *q, const char *key)
{
	for (size_t i = 0; i < q->n_filters; i++)
		if (strcmp(q->filters[i].key, key) == 0)
			return q->filters[i].value;
	return NULL;
}

int cli_request_check(const struct cli_request *q)
{
	bool links = q->action == CLI_LINK || q->action == CLI_ADDRESS;

	if (q->netns && q->all_netns)
		cli_error("-n and -a: one namespace, or all?");
	else if (q->netns && !links && q->action != CLI_MOVE)
		cli_error("-n means nothing here: it is for link and address");
	else if (q->all_netns && !links && q->action != CLI_NETNS_EXEC)
		cli_error("-a means nothing here: it is for link, address and netns exec");
	else if (q->action == CLI_NETNS_EXEC && q->n_rest < (q->all_netns ? 1 : 2))
		cli_error("No command specified"); /* ip(8)'s words */
	else
		return q->netns && cli_name_check(q->netns) != CLI_OK ? -EINVAL : 0;
	return -EINVAL;
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

/* A request while it is read. */
struct reader {
	struct cli_request *q;
	const struct token *table; /* what may come next */
	const struct token *verbs; /* the one in which a verb was left out */
	char *const *words;
	size_t n, i;      /* words[i] is the current one */
	const char *name; /* the word that was taken for a name, since it is no keyword */
};

/* Where two names would stand, one may be a keyword with a slip in it. */
static int take_name(struct reader *r, const struct token *t)
{
	const char *word = r->words[r->i];

	if (r->name && r->verbs && nearest(r->verbs, r->name))
		return wrong(r->verbs, r->name);
	if (r->name && nearest(r->table, r->name))
		return wrong(r->table, r->name);
	if (r->name && nearest(r->table, word))
		return wrong(r->table, word);
	r->name = word;
	r->table = t->next ? t->next : r->table;
	return cli_request_filter(r->q, t->word, word);
}

/* The current word, and the value behind it. */
static int take(struct reader *r, const struct token *t)
{
	switch (t->type) {
	case WORD:
		r->q->action = t->action ? t->action : r->q->action;
		r->table = t->next;
		return 0;
	case FLAG:
		return cli_request_filter(r->q, t->word, "");
	case PAIR:
		if (r->i + 1 < r->n)
			return cli_request_filter(r->q, t->word, r->words[++r->i]);
		cli_error("\"%s\" wants %s", t->word, t->what);
		return -EINVAL;
	case NAME:
		return take_name(r, t);
	case FILES:
		r->table = t->next ? t->next : r->table;
		return add_file(r->q, r->words[r->i]);
	case REST:
		r->q->rest = r->words + r->i;
		r->q->n_rest = r->n - r->i;
		r->i = r->n - 1;
		r->table = NULL;
		return 0;
	case LAST:
	case END:
	case ELSE:
		break;
	}
	return -EINVAL;
}

bool cli_grammar_ends_options(char *const *words, size_t n)
{
	const struct token *table = top, *t;

	for (size_t i = 0; i < n; i++) {
		t = table ? find(&table, words[i]) : NULL;
		if (!t || t->type != WORD)
			return false;
		table = t->next;
	}
	return table && table->type == REST && table->min;
}

static int check_move(const struct cli_request *q)
{
	if (!cli_request_get(q, "dev"))
		cli_error("\"move\" wants the name of a device");
	else if (!cli_request_get(q, "netns"))
		cli_error("\"move\" wants to know where to: netns NAME");
	else
		return 0;
	return -EINVAL;
}

int cli_grammar_parse(struct cli_request *q, char *const *words, size_t n)
{
	struct reader r = {.q = q, .table = top, .words = words, .n = n};
	const struct token *t, *table;
	int e;

	for (; r.i < n; r.i++) {
		if (!r.table) {
			cli_error("\"%s\" is one word too many; see netctl help", words[r.i]);
			return -EINVAL;
		}
		table = r.table;
		t = find(&r.table, words[r.i]);
		r.verbs = r.table != table ? table : r.verbs;
		if (!t)
			return wrong(r.table, words[r.i]);
		e = take(&r, t);
		if (e < 0)
			return e;
	}
	if (!may_end(r.table))
		return wrong(r.table, NULL);
	return q->action == CLI_MOVE ? check_move(q) : 0;
}
