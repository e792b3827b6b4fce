/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The daemon's status as an overview: a line for what matters most, then a section for each group of
 * counters, in the order in which the daemon tells them. What is new there shows up here without a change.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/cli.h"

#define LABEL_WIDTH 16

/* Counters that deserve words. */
static const struct {
	const char *section, *key, *label;
} labels[] = {
	{NULL, "state", "state"},
	{NULL, "owned_links", "links of ours"},
	{NULL, "epoch", "epoch"},
	{NULL, "losses", "events lost"},
	{NULL, "last_error", "last error"},
	{"kernel", "changes", "changing"},
};

static const struct {
	const char *state;
	enum cli_style style;
} states[] = {
	{"settled", CLI_GREEN},
	{"idle", CLI_GREEN},
	{"failed", CLI_RED},
	{"waiting", CLI_YELLOW},
	{"applying", CLI_YELLOW},
	{"synchronising", CLI_YELLOW},
	{"repairing", CLI_YELLOW},
};

static const char *label_of(const char *section, const char *key)
{
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(labels); i++) {
		bool here = labels[i].section ? section && strcmp(section, labels[i].section) == 0 : !section;

		if (here && strcmp(key, labels[i].key) == 0)
			return labels[i].label;
	}
	return key;
}

static enum cli_style style_of(const char *key, const char *value)
{
	if (strcmp(key, "last_error") == 0)
		return CLI_RED;
	if (strcmp(key, "state") != 0)
		return CLI_PLAIN;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(states); i++)
		if (strcmp(value, states[i].state) == 0)
			return states[i].style;
	return CLI_PLAIN;
}

static void put_label(const char *section, const char *key)
{
	char text[64];
	size_t i;

	snprintf(text, sizeof(text), "%s", label_of(section, key));
	for (i = 0; text[i]; i++)
		text[i] = text[i] == '_' ? ' ' : text[i];
	cli_text_pad(text, LABEL_WIDTH, CLI_DIM);
	putchar(' ');
}

/* An entry of a list: a string, or an object's members on one line. */
static void put_item(struct json_object *v)
{
	bool first = true;

	if (!json_object_is_type(v, json_type_object)) {
		cli_text_put(stdout, v ? json_object_get_string(v) : "", false);
		return;
	}
	json_object_object_foreach(v, key, member)
	{
		if (!member)
			continue;
		printf("%s%s ", first ? "" : ", ", key);
		cli_text_put(stdout, json_object_get_string(member), false);
		first = false;
	}
}

static void put_list(const char *key, struct json_object *list)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++) {
		if (i == 0)
			put_label(NULL, key);
		else
			printf("%*s ", LABEL_WIDTH, "");
		put_item(json_object_array_get_idx(list, i));
		putchar('\n');
	}
}

static void put_member(const char *key, struct json_object *v)
{
	const char *text;

	if (!v)
		return;
	if (json_object_is_type(v, json_type_array)) {
		put_list(key, v);
		return;
	}
	text = json_object_get_string(v);
	put_label(NULL, key);
	cli_text_pad(text, 0, style_of(key, text));
	putchar('\n');
}

/* "kernel   changing 12, sends 3, messages 14": the counter of changes first. */
static void put_section(const char *key, struct json_object *section)
{
	struct json_object *changes = cli_json_get(section, "changes");
	size_t column = LABEL_WIDTH + 1, n = 0;

	put_label(NULL, key);
	if (changes) {
		column += (size_t)printf(
			"%s messages %s", label_of(key, "changes"), json_object_get_string(changes));
		n++;
	}
	json_object_object_foreach(section, name, v)
	{
		char text[160];

		if (v == changes || !v)
			continue;
		snprintf(text, sizeof(text), "%s %s", label_of(key, name), json_object_get_string(v));
		if (n && column + strlen(text) > 90) {
			printf(",\n%*s ", LABEL_WIDTH, "");
			column = LABEL_WIDTH + 1;
			n = 0;
		}
		column += strlen(text) + 2;
		fputs(n++ ? ", " : "", stdout);
		for (char *p = text; *p; p++)
			*p = *p == '_' ? ' ' : *p;
		cli_text_put(stdout, text, false);
	}
	putchar('\n');
}

int cli_status_show(const struct cli_request *q, const char *text)
{
	struct json_object *o;

	if (q->json) {
		puts(text);
		return CLI_OK;
	}
	o = json_tokener_parse(text);
	if (!o || !json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		cli_error("the daemon's answer makes no sense; are netctl and netctld of one version?");
		return CLI_NO_DAEMON;
	}
	json_object_object_foreach(o, key, v)
	{
		if (v && json_object_is_type(v, json_type_object))
			put_section(key, v);
		else
			put_member(key, v);
	}
	json_object_put(o);
	return CLI_OK;
}
