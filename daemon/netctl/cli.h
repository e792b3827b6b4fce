/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "base/strbuf.h"
#include "netctl/dbus.h"
#include "netctl/flags.h"

/* What the files of netctl share: the request, the connection, and the ways to show an answer. */

enum cli_action {
	CLI_NOTHING,
	CLI_CHECK,
	CLI_CONFIG_SHOW,
	CLI_PLAN,
	CLI_APPLY, CLI_RELOAD,
	CLI_CONFIRM, CLI_ROLLBACK,
	CLI_BATCH, CLI_CANCEL,
	CLI_STATUS, CLI_DRIFT, CLI_WHY,
	CLI_LINK,
	CLI_ADDRESS,
	CLI_ROUTE,
	CLI_ROUTE_GET,
	CLI_RULE,
	CLI_NEXTHOP,
	CLI_NEIGH,
	CLI_FDB,
	CLI_VLAN,
	CLI_VRF,
	CLI_MADDR,
	CLI_MONITOR,
	CLI_STATS,
	CLI_VERIFY,
	CLI_RESYNC,
	CLI_MOVE,
	CLI_NETNS_LIST,
	CLI_NETNS_ADD,
	CLI_NETNS_DEL,
	CLI_NETNS_EXEC,
	CLI_NETNS_IDENTIFY,
	CLI_NETNS_PIDS,
	CLI_HELP,
};

#define CLI_FILES_MAX   64 /* of one call */
#define CLI_FILTERS_MAX 16

struct cli_request {
	enum cli_action action;
	const char *runtime_dir;
	bool json;
	unsigned flags;
	bool cancel_on_interrupt;
	bool force;          /* CLI_KEEP_GOING, by batch's word for it */
	const char *confirm; /* seconds, NULL: none */
	char session[2][64]; /* peer and local address, for filters */
	const char *files[CLI_FILES_MAX];
	size_t n_files;
	struct cli_filter {
		const char *key, *value;
	} filters[CLI_FILTERS_MAX];
	size_t n_filters; /* of other actions: their arguments by name */
	const char *netns; /* NULL: the daemon's own */
	bool all_netns;
	char *const *rest; /* names, or a command */
	size_t n_rest;
};

/* grammar.c: reads the words behind the options into q. 0, or -EINVAL with a sentence on stderr. */
int cli_grammar_parse(struct cli_request *q, char *const *words, size_t n);
int cli_request_filter(struct cli_request *q, const char *key, const char *value);
const char *cli_request_get(const struct cli_request *q, const char *key); /* NULL: not given */
/* What follows these words belongs to a command, options included. */
bool cli_grammar_ends_options(char *const *words, size_t n);
/* -n and -a where they mean something; as above. */
int cli_request_check(const struct cli_request *q);

/* bus.c: all print what goes wrong, and give a cli_exit. */
int cli_bus_connect(const char *runtime_dir, struct cli_bus *ret);
/* The same without a word: 0 or a negative errno. */
int cli_bus_open(const char *runtime_dir, struct cli_bus *ret);
int cli_bus_call(struct cli_bus *bus, const struct cli_request *q, const struct cli_msg *m, struct cli_reply *ret);
int cli_bus_text(const struct cli_reply *reply, const char **ret); /* the string that was wanted */
/* Opens q's files as this user; adds them to m as a(sh), copies in memory. */
int cli_bus_append_files(struct cli_msg *m, const struct cli_request *q);

/* answer.c, batch.c, status.c, why.c: an answer of the daemon for people. answer gives the answer's own exit status. */
int cli_answer_show(const struct cli_request *q, const char *text);
struct json_object *cli_answer_parse(const char *text); /* NULL: it is none, as was said */
int cli_batch_show(const struct cli_request *q, const char *text);
int cli_status_show(const struct cli_request *q, const char *text);
int cli_why_show(const struct cli_request *q, const char *text);

int cli_session_add(struct cli_request *q); /* session.c: of an apply; 0, or -EINVAL with a sentence */

/* names.c: names of namespaces, one after the other, each ended by NUL. */
struct cli_names {
	struct nctl_strbuf text;
	size_t n;
};
#define CLI_NAMES_MAX 1000000 /* of one call */
#define CLI_NETNS_DIR "/run/netns"
int cli_name_check(const char *name); /* cli_exit, with a sentence */
/* Words, of which each may hold a range; names of an unfinished one are taken as they are if literal. */
int cli_names_expand(struct cli_names *names, char *const *words, size_t n, bool literal);
int cli_names_read(struct cli_names *names); /* those there are, sorted; cli_exit */
static inline const char *cli_names_next(const struct cli_names *names, const char *name) /* NULL: the first */
{
	name = name ? name + strlen(name) + 1 : names->text.s;
	return name && name < names->text.s + names->text.len ? name : NULL;
}
static inline void cli_names_fini(struct cli_names *names)
{
	nctl_strbuf_fini(&names->text);
}

int cli_cancel(struct cli_bus *bus, const struct cli_request *q); /* cancel.c */
/* netns.c: lists, and names added or deleted, as many calls as it takes. */
int cli_netns_list(struct cli_bus *bus, const struct cli_request *q);
int cli_netns_change(const struct cli_request *q); /* connects, once it knows what to ask for */

/* enter.c: without the daemon. */
int cli_enter_exec(const struct cli_request *q);
int cli_enter_identify(const struct cli_request *q);
int cli_enter_pids(const struct cli_request *q);

/* text.c: output that is safe for terminals. */
enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_GREEN, CLI_YELLOW, CLI_CYAN };
void cli_text_init(void);
const char *cli_style_begin(enum cli_style style); /* on stdout; "" where colours are not wanted */
const char *cli_style_end(enum cli_style style);
/* s with control characters replaced; keep_lines: but for newlines and tabs. */
void cli_text_put(FILE *f, const char *s, bool keep_lines);
size_t cli_text_width(const char *s); /* columns on a terminal: characters of UTF-8, not bytes */
/* s in this style, filled with blanks up to width. */
void cli_text_pad(const char *s, size_t width, enum cli_style style);
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Members of a json-c object; "" and 0 where there is none. */
const char *cli_json_str(struct json_object *o, const char *key);
int64_t cli_json_int(struct json_object *o, const char *key);
struct json_object *cli_json_get(struct json_object *o, const char *key); /* NULL: none, or null */
