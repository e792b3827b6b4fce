/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "netctl/cli.h"

/* What comes through a pipe of the daemon. */

/* Asks method for a pipe (ret->fd): of the object, unless that is NULL, with q's filters. cli_exit. */
int cli_pipe_open(struct cli_bus *bus, const struct cli_request *q, const char *method, const char *object,
	struct cli_reply *ret);
/* q's filters, -n and -a as a{ss}. cli_exit. */
int cli_filters_put(struct cli_msg *m, const struct cli_request *q);
/* The answer of Query, as JSON or as a table. */
int cli_query_show(const struct cli_request *q, int fd);
const char *cli_query_object(enum cli_action a); /* NULL: it asks for none */
int cli_query_explain(int r);                    /* r: of cli_lines_read */
/*
 * Calls line for each line, and, unless it is NULL, pause when all that is there was handed out. 0, -EPIPE:
 * the end is missing, or what line gave.
 */
int cli_lines_read(int fd, int (*line)(const char *text, size_t len, void *userdata),
	void (*pause)(void *userdata), void *userdata);

/* monitor.c, stats.c, verify.c */
int cli_monitor_show(struct cli_bus *bus, const struct cli_request *q);
int cli_stats_show(struct cli_bus *bus, const struct cli_request *q);
int cli_resync_show(const struct cli_request *q, const char *text); /* the answer of Resync */
int cli_verify_show(struct cli_bus *bus, const struct cli_request *q);
/* One line of the answer of RouteGet. */
int cli_route_get_show(const struct cli_request *q, const char *text);
