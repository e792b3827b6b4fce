/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What the daemon has counted: groups of numbers, by name, whatever they are; then a table of
 * namespaces, if these were asked for, and of the lengths of the loop's turns.
 */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/query.h"
#include "netctl/row.h"

enum { EPOCH, LOSSES, RESYNCS, LINKS, ADDRESSES, ROUTES, NEXTHOPS, RULES, BYTES, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {
	"EPOCH", "LOSSES", "RESYNCS", "LINKS", "ADDRESSES", "ROUTES", "NEXTHOPS", "RULES", "ROUTE BYTES"};
static const enum cli_style styles[N_COLUMNS] = {CLI_PLAIN};
static const struct cli_row_member members[] = {{"epoch", EPOCH}, {"losses", LOSSES}, {"resyncs", RESYNCS},
	{"links", LINKS}, {"addresses", ADDRESSES}, {"routes", ROUTES}, {"nexthops", NEXTHOPS},
	{"rules", RULES}, {"route_bytes", BYTES}, {0}};

/* The others are for -j. */
static const struct cli_row_shape shape = {members, -1, styles, N_COLUMNS, NULL, NULL};

static int stats_line(const char *text, size_t len, void *userdata)
{
	return cli_row_line(&shape, text, len, userdata);
}

const struct cli_rows cli_stats_rows = {titles, N_COLUMNS, stats_line};

/* Turns below each length; what is zero at the end is left out. */
static void put_turns(struct json_object *list)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		int64_t below = cli_json_int(o, "below_us");

		if (cli_json_int(o, "turns") == 0)
			continue;
		if (below)
			printf("  turns below %-8" PRId64 " us  %" PRId64 "\n", below,
				cli_json_int(o, "turns"));
		else
			printf("  longer turns             %" PRId64 "\n", cli_json_int(o, "turns"));
	}
}

static void put_group(const char *title, struct json_object *group)
{
	struct json_object_iterator it = json_object_iter_begin(group), end = json_object_iter_end(group);

	cli_text_pad(title, 0, CLI_BOLD);
	putchar('\n');
	for (; !json_object_iter_equal(&it, &end); json_object_iter_next(&it)) {
		const char *key = json_object_iter_peek_name(&it);
		struct json_object *v = json_object_iter_peek_value(&it);

		if (json_object_is_type(v, json_type_array)) {
			put_turns(v);
			continue;
		}
		fputs("  ", stdout);
		cli_text_pad(key, 24, CLI_PLAIN);
		cli_text_put(stdout, json_object_get_string(v), false);
		putchar('\n');
	}
}

static int show_groups(const struct cli_request *q, const char *text)
{
	struct json_object *o = json_tokener_parse(text);
	struct json_object_iterator it, end;

	if (!o || !json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		cli_error("the daemon's answer makes no sense; are netctl and netctld of one version?");
		return CLI_NO_DAEMON;
	}
	if (q->json) {
		puts(text);
	} else {
		it = json_object_iter_begin(o);
		end = json_object_iter_end(o);
		for (; !json_object_iter_equal(&it, &end); json_object_iter_next(&it))
			if (json_object_is_type(json_object_iter_peek_value(&it), json_type_object))
				put_group(json_object_iter_peek_name(&it), json_object_iter_peek_value(&it));
	}
	json_object_put(o);
	return CLI_OK;
}

int cli_stats_show(struct cli_bus *bus, const struct cli_request *q)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	_cleanup_(cli_msg_fini) struct cli_msg m;
	const char *text;
	int status;

	cli_msg_init(&m, "Stats", "");
	/* Of namespaces, as any other object. */
	if (q->netns || q->all_netns) {
		status = cli_pipe_open(bus, q, "Query", "stats", &reply);
		return status == CLI_OK ? cli_query_show(q, reply.fd) : status;
	}
	status = cli_bus_call(bus, q, &m, &reply);
	if (status == CLI_OK)
		status = cli_bus_text(&reply, &text);
	return status == CLI_OK ? show_groups(q, text) : status;
}

int cli_resync_show(const struct cli_request *q, const char *text)
{
	struct json_object *o = json_tokener_parse(text);
	int status = CLI_NO_DAEMON;

	if (!o || !cli_json_get(o, "exit")) {
		cli_error("the daemon's answer makes no sense; are netctl and netctld of one version?");
	} else {
		status = (int)cli_json_int(o, "exit");
		if (q->json)
			puts(text);
		else if (status == CLI_OK)
			printf("%" PRId64 " %s in step again, %.1f ms\n", cli_json_int(o, "namespaces"),
				cli_json_int(o, "namespaces") == 1 ? "namespace" : "namespaces",
				(double)cli_json_int(o, "us") / 1000);
		else
			cli_error("%s", cli_json_str(o, "error"));
	}
	json_object_put(o);
	return status;
}
