/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

struct nctl_field_table;

/*
 * The keys that are read by hand, beside those of the field tables: for the JSON schema, the tests of all
 * keys, and whoever else wants to know what there is. A test compares this with the parser.
 */

struct nd_grammar_key {
	const char *key; /* NULL ends the list */
	/*
	 * What may stand behind it:
	 *   bool, true, false, text, name (of a link), ip, prefix, mac
	 *   number, number:MIN:MAX
	 *   word:A|B|C       one of these
	 *   [TYPE]           a list
	 *   {LIST}           a mapping with the keys of that list of nd_grammar
	 *   {*:TYPE}         a mapping from any keys
	 *   TYPE/TYPE        either
	 */
	const char *type;
	const char *help; /* half a sentence */
};

struct nctl_field_table;

struct nd_grammar_list {
	const char *name; /* NULL ends the array */
	const struct nd_grammar_key *keys;
	const struct nctl_field_table *table; /* more keys of the same mapping; NULL: none */
};

/* "network", "netns" (one namespace), "device" (all kinds), and the mappings that types name. */
extern const struct nd_grammar_list nd_grammar[];
/* Is this a key of the list with this name? */
bool nd_grammar_has(const char *list, const char *key);
/* keys.c: an older word of netplan's for this key, or NULL. */
const char *nd_grammar_older(const char *key);
