/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>
#include <systemd/sd-bus.h>

#include "base/strbuf.h"

/* What the files of netctl share: the request, the connection, and the ways to show an answer. */

enum cli_exit {
	CLI_OK = 0,
	CLI_DIFFERENT = 1, /* there is something to do */
	CLI_USAGE = 2,     /* wrong use, wrong configuration, no permission */
	CLI_NO_DAEMON = 3,
	CLI_REFUSED = 4, /* by the kernel */
	CLI_TIMEOUT = 5, /* or the daemon is too busy */
};

enum cli_action {
	CLI_NOTHING,
	CLI_CHECK,
	CLI_PLAN,
	CLI_APPLY,
	CLI_RELOAD,
	CLI_STATUS,
	CLI_LINK,
	CLI_ADDRESS,
	CLI_HELP,
};

/* Flags of Plan, Apply and Reload on the bus. */
enum { CLI_KEEP_GOING = 1 << 0, CLI_ALLOW_RECREATE = 1 << 1 };

#define CLI_FILES_MAX   64 /* of one call */
#define CLI_FILTERS_MAX 16

struct cli_request {
	enum cli_action action;
	const char *runtime_dir;
	bool json;
	unsigned flags;
	const char *files[CLI_FILES_MAX];
	size_t n_files;
	struct cli_filter {
		const char *key, *value;
	} filters[CLI_FILTERS_MAX];
	size_t n_filters;
};

/* grammar.c: reads the words behind the options into q. 0, or -EINVAL with a sentence on stderr. */
int cli_grammar_parse(struct cli_request *q, char *const *words, size_t n);
int cli_request_filter(struct cli_request *q, const char *key, const char *value);

/* bus.c: all print what goes wrong, and give a cli_exit. */
int cli_bus_connect(const char *runtime_dir, sd_bus **ret);
sd_bus_message *cli_bus_method(sd_bus *bus, const char *name);
int cli_bus_call(sd_bus *bus, sd_bus_message *m, sd_bus_message **ret_reply);
/* Opens q's files as this user and adds them to m as a(sh), each a copy in memory. */
int cli_bus_append_files(sd_bus_message *m, const struct cli_request *q);

/* answer.c, status.c: an answer of the daemon for people. answer gives the answer's own exit status. */
int cli_answer_show(const struct cli_request *q, const char *text);
int cli_status_show(const struct cli_request *q, const char *text);

/* query.c: the pipe of Query, as JSON or as a table. */
int cli_query_show(const struct cli_request *q, int fd);

/* text.c: output that is safe for terminals. */
enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_GREEN, CLI_YELLOW, CLI_CYAN };
void cli_text_init(void);
/* Starts and ends a style on stdout; nothing where colours are not wanted. */
const char *cli_style_begin(enum cli_style style);
const char *cli_style_end(enum cli_style style);
/* s with control characters replaced; keep_lines: but for newlines and tabs. */
void cli_text_put(FILE *f, const char *s, bool keep_lines);
/* Columns on a terminal: characters of UTF-8, not bytes. */
size_t cli_text_width(const char *s);
/* s in this style, filled with blanks up to width. */
void cli_text_pad(const char *s, size_t width, enum cli_style style);
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Members of a json-c object; "" and 0 where there is none. */
const char *cli_json_str(struct json_object *o, const char *key);
int64_t cli_json_int(struct json_object *o, const char *key);
struct json_object *cli_json_get(struct json_object *o, const char *key); /* NULL: none, or null */
