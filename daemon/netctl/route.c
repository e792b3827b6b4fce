/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Routes as rows: one a route, and one more for each further hop. The answer of RouteGet is a table of
 * one route.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/query.h"
#include "netctl/row.h"

enum { TO, VIA, DEV, TABLE, TYPE, PROTO, SCOPE, SOURCE, METRIC, DETAILS, N_COLUMNS };

static const char *const titles[N_COLUMNS] = {
	"TO", "VIA", "DEV", "TABLE", "TYPE", "PROTOCOL", "SCOPE", "SOURCE", "METRIC", "DETAILS"};

static const enum cli_style styles[N_COLUMNS] = {[TO] = CLI_CYAN, [DETAILS] = CLI_DIM};

static const struct cli_row_member members[] = {{"dst", TO}, {"gateway", VIA}, {"dev", DEV}, {"table", TABLE},
	{"type", TYPE}, {"protocol", PROTO}, {"scope", SCOPE}, {"prefsrc", SOURCE}, {"metric", METRIC}, {0}};

static void scan_via(struct cli_scan *s, struct cli_row *row)
{
	char key[CLI_SCAN_KEY_MAX], value[64];

	if (!cli_scan_object(s))
		return;
	while (cli_scan_key(s, key)) {
		cli_scan_text(s, value, sizeof(value));
		if (strcmp(key, "host") == 0)
			snprintf(row->cell[VIA], CLI_CELL_MAX, "%s", value);
	}
}

static void finish(struct cli_row *row)
{
	/* These go without saying. */
	if (strcmp(row->cell[TYPE], "unicast") == 0)
		row->cell[TYPE][0] = '\0';
	if (strcmp(row->cell[SCOPE], "global") == 0)
		row->cell[SCOPE][0] = '\0';
	if (strcmp(row->cell[TABLE], "main") == 0)
		row->cell[TABLE][0] = '\0';
}

static bool hop_special(struct cli_scan *s, const char *key, struct cli_row *row, struct cli_table *t)
{
	(void)t;
	if (strcmp(key, "via") != 0)
		return false;
	scan_via(s, row);
	return true;
}

static const struct cli_row_shape hop_shape = {members, DETAILS, styles, N_COLUMNS, hop_special, finish};

/* The members of the route come first in the line, its hops last: the first of them joins the route's row. */
static void scan_hops(struct cli_scan *s, struct cli_row *row, struct cli_table *t)
{
	if (!cli_scan_array(s))
		return;
	while (cli_scan_item(s)) {
		if (!cli_scan_object(s))
			continue;
		cli_row_scan(&hop_shape, s, row, t);
		if (!s->bad)
			cli_row_put(&hop_shape, row, t);
	}
}

static bool special(struct cli_scan *s, const char *key, struct cli_row *row, struct cli_table *t)
{
	if (strcmp(key, "nexthops") != 0)
		return hop_special(s, key, row, t);
	scan_hops(s, row, t);
	return true;
}

static const struct cli_row_shape shape = {members, DETAILS, styles, N_COLUMNS, special, finish};

static int route_line(const char *text, size_t len, void *userdata)
{
	return cli_row_line(&shape, text, len, userdata);
}

const struct cli_rows cli_route_rows = {titles, N_COLUMNS, route_line};

/* A positive errno: there is no way, and why. */
static int error_of(const char *text)
{
	char key[CLI_SCAN_KEY_MAX], value[32] = "";
	struct cli_scan s;
	int error = 0;

	cli_scan_init(&s, text, strlen(text));
	if (!cli_scan_object(&s))
		return 0;
	while (cli_scan_key(&s, key)) {
		if (strcmp(key, "error") != 0) {
			cli_scan_skip(&s);
			continue;
		}
		cli_scan_text(&s, value, sizeof(value));
		error = atoi(value);
	}
	return abs(error);
}

int cli_route_get_show(const struct cli_request *q, const char *text)
{
	int r, error = error_of(text);
	struct cli_table t;

	if (q->json)
		printf("[%s]\n", text);
	if (error)
		cli_error("%s", strerror(error));
	if (q->json || error)
		return error ? CLI_DIFFERENT : CLI_OK;
	cli_table_begin(&t, titles, N_COLUMNS);
	r = route_line(text, strlen(text), &t);
	cli_table_end(&t);
	return cli_query_explain(r);
}
