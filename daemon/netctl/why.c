/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Why a link is not as it should be: the daemon's tree of causes, a line each, below what it explains.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/cli.h"

enum { DEPTH_MAX = 64 }; /* the daemon says less */

/* "3 min 20 s" */
static void put_time(int64_t s)
{
	if (s >= 86400)
		printf("%" PRId64 " d %" PRId64 " h", s / 86400, s % 86400 / 3600);
	else if (s >= 3600)
		printf("%" PRId64 " h %" PRId64 " min", s / 3600, s % 3600 / 60);
	else if (s >= 60)
		printf("%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
	else
		printf("%" PRId64 " s", s);
}

static enum cli_style style_of(struct json_object *node)
{
	const char *type = cli_json_str(node, "type"), *state = cli_json_str(node, "state");

	if (strcmp(type, "refused") == 0 || strcmp(type, "blocked") == 0)
		return CLI_RED;
	if (strcmp(state, "up") == 0)
		return CLI_GREEN;
	return *state ? CLI_YELLOW : CLI_PLAIN;
}

static void put_details(struct json_object *node)
{
	const char *file = cli_json_str(node, "file");
	int64_t attempts = cli_json_int(node, "attempts");

	if (cli_json_get(node, "since_s")) {
		fputs(strcmp(cli_json_str(node, "type"), "refused") ? ", for " : "; tried ", stdout);
		put_time(cli_json_int(node, "since_s"));
		if (strcmp(cli_json_str(node, "type"), "refused") == 0)
			fputs(" ago", stdout);
	}
	if (attempts > 1)
		printf(", %" PRId64 " times", attempts);
	if (cli_json_get(node, "again_in_s")) {
		fputs(", again in ", stdout);
		put_time(cli_json_int(node, "again_in_s"));
	}
	if (!*file)
		return;
	fputs("  ", stdout);
	fputs(cli_style_begin(CLI_DIM), stdout);
	cli_text_put(stdout, file, false);
	printf(":%" PRId64 ":%" PRId64, cli_json_int(node, "line"), cli_json_int(node, "column"));
	fputs(cli_style_end(CLI_DIM), stdout);
}

/* One bit of `open` for each level above: is there another one to come on it? */
static void put_node(struct json_object *node, unsigned depth, uint64_t open)
{
	struct json_object *causes = cli_json_get(node, "because");
	size_t n = causes && json_object_is_type(causes, json_type_array) && depth + 1 < DEPTH_MAX
	                   ? json_object_array_length(causes)
	                   : 0;

	for (unsigned i = 1; i < depth; i++)
		fputs(open >> i & 1 ? "|  " : "   ", stdout);
	if (depth)
		fputs(open >> depth & 1 ? "|- " : "`- ", stdout);
	cli_text_pad(cli_json_str(node, "text"), 0, style_of(node));
	put_details(node);
	putchar('\n');
	for (size_t i = 0; i < n; i++)
		put_node(json_object_array_get_idx(causes, i), depth + 1,
			i + 1 < n ? open | UINT64_C(1) << (depth + 1) : open);
}

int cli_why_show(const struct cli_request *q, const char *text)
{
	struct json_object *o = json_tokener_parse(text), *why;
	const char *error;
	int status;

	why = json_object_is_type(o, json_type_object) ? cli_json_get(o, "why") : NULL;
	if (!json_object_is_type(why, json_type_object) && !*cli_json_str(o, "error")) {
		json_object_put(o);
		cli_error("the daemon's answer makes no sense; are netctl and netctld of one version?");
		return CLI_NO_DAEMON;
	}
	status = (int)cli_json_int(o, "exit");
	error = cli_json_str(o, "error");
	if (q->json)
		puts(text);
	else if (why)
		put_node(why, 0, 0);
	if (*error && !q->json)
		cli_error("%s", error);
	json_object_put(o);
	return status;
}
