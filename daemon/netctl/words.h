/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "netctl/cli.h"

/*
 * The words of netctl as tables: a table lists what may come next. A keyword may be cut down to its first
 * `min` letters, which are chosen as in ip(8): a is address, l is link.
 */

enum token_type {
	LAST,     /* ends the table */
	END,      /* the request may end here */
	WORD,     /* keyword; goes on in .next, or nothing may follow */
	FLAG,     /* keyword: a filter without a value; stays in this table, as the ones below */
	PARTICLE, /* keyword that only leads to another word, described by .what */
	PAIR,     /* keyword and a value, described by .what: a filter; goes on in .next, if there is one */
	NAME,  /* any other word, described by .what: a filter's value; goes on in .next, if there is one */
	FILES, /* any word: a file */
	REST,  /* any word, and all behind it, as they are */
	ELSE,  /* any other word: the request goes on in .next */
};

struct token {
	enum token_type type;
	const char *word;
	size_t min;       /* letters that are enough, 0: all */
	const char *what; /* stands there, in messages; of a FLAG: its value, NULL none */
	enum cli_action action;
	const struct token *next;
	const char *key; /* of the filter, NULL: the word */
};

extern const struct token cli_words[]; /* with which a request begins */
