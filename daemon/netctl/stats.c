/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What the daemon has counted: groups of numbers, by name, whatever they are; then a table of
 * namespaces, if these were asked for, and of the lengths of the loop's turns.
 */
#include <inttypes.h>

#include "base/cleanup.h"
#include "netctl/query.h"
#include "netctl/table.h"

enum { NETNS, EPOCH, LOSSES, RESYNCS, LINKS, ADDRESSES, ROUTES, NEXTHOPS, RULES, BYTES, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {
	"NETNS", "EPOCH", "LOSSES", "RESYNCS", "LINKS", "ADDRESSES", "ROUTES", "NEXTHOPS", "RULES", "BYTES"};
static const char *const keys[N_COLUMNS] = {
	NULL, "epoch", "losses", "resyncs", "links", "addresses", "routes", "nexthops", "rules", "bytes"};

static void put_netns(struct json_object *list)
{
	char cell[N_COLUMNS][32];
	struct cli_cell cells[N_COLUMNS];
	struct cli_table t;

	cli_table_begin(&t, titles, N_COLUMNS);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		const char *name = cli_json_str(o, "netns");

		for (size_t c = 1; c < N_COLUMNS; c++) {
			snprintf(cell[c], sizeof(cell[c]), "%" PRId64, cli_json_int(o, keys[c]));
			cells[c] = (struct cli_cell){cell[c], CLI_PLAIN};
		}
		snprintf(cell[NETNS], sizeof(cell[NETNS]), "(cookie %" PRId64 ")",
			cli_json_int(o, "netns_cookie"));
		cells[NETNS] = (struct cli_cell){*name                      ? name
						 : cli_json_get(o, "netns") ? "(own)"
									    : cell[NETNS],
			CLI_CYAN};
		cli_table_row(&t, cells);
	}
	cli_table_end(&t);
}

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

int cli_stats_show(const struct cli_request *q, const char *text)
{
	struct json_object *o = json_tokener_parse(text), *list = cli_json_get(o, "netns");
	struct json_object_iterator it, end;

	if (!o || !json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		cli_error("the daemon's answer makes no sense; are netctl and netctld of one version?");
		return CLI_NO_DAEMON;
	}
	if (q->json) {
		puts(text);
	} else if (list && json_object_is_type(list, json_type_array)) {
		put_netns(list);
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
