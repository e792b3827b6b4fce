/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Reads a request by the tables of words.c. Whatever is no keyword of a table is a name or a file where
 * the table has one, else an error that says what could stand there. Values are not looked at: the daemon
 * knows better what it has.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "netctl/cli.h"
#include "netctl/query.h"
#include "netctl/words.h"

static bool is_keyword(const struct token *t)
{
	return t->type == WORD || t->type == FLAG || t->type == PARTICLE || t->type == PAIR;
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

enum { CHOICES_MAX = 64 };

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

/* What -n and -a may stand beside. */
static bool is_in_netns(enum cli_action a)
{
	static const enum cli_action with[] = {
		CLI_MONITOR, CLI_ROUTE_GET, CLI_STATS, CLI_VERIFY, CLI_RESYNC, CLI_WHY, CLI_BATCH};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(with); i++)
		if (a == with[i])
			return true;
	return cli_query_object(a);
}

int cli_request_check(const struct cli_request *q)
{
	bool inside = is_in_netns(q->action);

	if (q->netns && q->all_netns)
		cli_error("-n and -a: one namespace, or all?");
	else if (q->netns && !inside && q->action != CLI_MOVE)
		cli_error("-n means nothing here: it is for what is in a namespace");
	else if (q->all_netns && !inside && q->action != CLI_NETNS_EXEC)
		cli_error("-a means nothing here: it is for what is in namespaces, and for netns exec");
	else if (q->all_netns && q->action == CLI_WHY)
		cli_error("-a means nothing here: a link is in one namespace");
	else if (q->all_netns && q->action == CLI_ROUTE_GET)
		cli_error("-a means nothing here: a packet is in one namespace");
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

static int is_lacking(const struct token *t)
{
	cli_error("\"%s\" wants %s", t->word, t->what);
	return -EINVAL;
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
		return cli_request_filter(r->q, t->key ? t->key : t->word, t->what ? t->what : "");
	case PARTICLE:
		return r->i + 1 == r->n ? is_lacking(t) : 0;
	case PAIR:
		if (r->i + 1 == r->n)
			return is_lacking(t);
		r->table = t->next ? t->next : r->table;
		return cli_request_filter(r->q, t->key ? t->key : t->word, r->words[++r->i]);
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
	const struct token *table = cli_words, *t;

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
	struct reader r = {.q = q, .table = cli_words, .words = words, .n = n};
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
	if (q->action == CLI_ROUTE_GET && !cli_request_get(q, "to")) {
		cli_error("\"get\" wants an address");
		return -EINVAL;
	}
	return q->action == CLI_MOVE ? check_move(q) : 0;
}
