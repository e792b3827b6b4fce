/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

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

struct nd_grammar_list {
	const char *name; /* NULL ends the array */
	const struct nd_grammar_key *keys;
};

/* "network", "netns" (one namespace), "device" (all kinds), and the mappings that types name. */
extern const struct nd_grammar_list nd_grammar[];
