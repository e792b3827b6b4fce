/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Namespaces in the daemon's eyes: the list, in the order of names and in the words of ip-netns(8), and
 * names added and deleted, some thousands a call, with what failed told at the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/query.h"
#include "netctl/scan.h"

#define NAMES_A_CALL 10000
#define FAILURES_MAX 100 /* shown; the daemon tells no more of a call */

struct entry {
	size_t at, len; /* its line in the list's text */
	size_t name;    /* in the list's names; ends with NUL; "" none */
	char id[16], cookie[24], pid[16];
};

struct list {
	struct nctl_strbuf text, names;
	struct entry *v;
	size_t n, cap;
};

static void list_fini(struct list *l)
{
	nctl_strbuf_fini(&l->text);
	nctl_strbuf_fini(&l->names);
	free(l->v);
}

static int read_entry(const char *text, size_t len, struct entry *e, struct nctl_strbuf *names)
{
	char key[CLI_SCAN_KEY_MAX], name[NAME_MAX * 3 + 1] = ""; /* bytes that are no UTF-8 come as three */
	struct cli_scan s;

	cli_scan_init(&s, text, len);
	if (cli_scan_object(&s)) {
		while (cli_scan_key(&s, key)) {
			if (strcmp(key, "name") == 0)
				cli_scan_text(&s, name, sizeof(name));
			else if (strcmp(key, "id") == 0)
				cli_scan_text(&s, e->id, sizeof(e->id));
			else if (strcmp(key, "cookie") == 0)
				cli_scan_text(&s, e->cookie, sizeof(e->cookie));
			else if (strcmp(key, "pid") == 0)
				cli_scan_text(&s, e->pid, sizeof(e->pid));
			else
				cli_scan_skip(&s);
		}
	}
	nctl_strbuf_put(names, name, strlen(name) + 1);
	return cli_scan_done(&s) ? names->err : -EBADMSG;
}

static int list_line(const char *text, size_t len, void *userdata)
{
	struct list *l = userdata;
	struct entry e = {.at = l->text.len, .len = len, .name = l->names.len}, *v;
	size_t cap = l->cap ? 2 * l->cap : 256;
	int r = read_entry(text, len, &e, &l->names);

	if (r < 0)
		return r;
	if (l->n == l->cap) {
		v = realloc(l->v, cap * sizeof(*v));
		if (!v)
			return -ENOMEM;
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = e;
	nctl_strbuf_put(&l->text, text, len);
	return l->text.err;
}

/* By name; then those that have none. */
static int compare(const void *pa, const void *pb, void *userdata)
{
	const struct entry *a = pa, *b = pb;
	const char *names = userdata;
	bool a_named = names[a->name], b_named = names[b->name];

	if (a_named && b_named)
		return strcmp(names + a->name, names + b->name);
	if (a_named || b_named)
		return b_named - a_named;
	return (a->at > b->at) - (a->at < b->at);
}

static void show_json(const struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		fputs(i ? ",\n" : "[", stdout);
		fwrite(l->text.s + l->v[i].at, 1, l->v[i].len, stdout);
	}
	fputs(l->n ? "]\n" : "[]\n", stdout);
}

static void show_text(const struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct entry *e = l->v + i;
		const char *name = l->names.s + e->name;

		if (*name)
			cli_text_pad(name, 0, CLI_CYAN);
		else if (*e->pid && strcmp(e->pid, "0") != 0)
			printf("(cookie %s, pid %s)", e->cookie, e->pid);
		else
			fputs("(own)", stdout);
		if (*e->id)
			printf(" (id: %s)", e->id);
		putchar('\n');
	}
}

/* Asks the daemon to look for namespaces without a name. */
static int scan(struct cli_bus *bus, const struct cli_request *q)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	_cleanup_(cli_msg_fini) struct cli_msg m;

	cli_msg_init(&m, "NetnsScan", "");
	return cli_bus_call(bus, q, &m, &reply);
}

int cli_netns_list(struct cli_bus *bus, const struct cli_request *q)
{
	_cleanup_(list_fini) struct list l = {.text = NCTL_STRBUF_INIT, .names = NCTL_STRBUF_INIT};
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	const char *name = cli_request_get(q, "name");
	int status = CLI_OK;

	if (name)
		status = cli_name_check(name);
	if (status == CLI_OK && cli_request_get(q, "all"))
		status = scan(bus, q);
	if (status == CLI_OK)
		status = cli_pipe_open(bus, q, "Query", "netns", &reply);
	if (status == CLI_OK)
		status = cli_query_explain(cli_lines_read(reply.fd, list_line, NULL, &l));
	if (status != CLI_OK)
		return status;
	if (l.n)
		qsort_r(l.v, l.n, sizeof(*l.v), compare, l.names.s);
	if (q->json)
		show_json(&l);
	else
		show_text(&l);
	return CLI_OK;
}

/* What has come of all calls so far. */
struct sum {
	int64_t done, n_failed;
	struct json_object *failed; /* an array of at most FAILURES_MAX */
};

static int add_answer(struct sum *sum, const struct cli_reply *reply)
{
	struct json_object *o = reply->text ? json_tokener_parse(reply->text) : NULL, *failed;
	int status = CLI_OK;

	failed = cli_json_get(o, "failed");
	if (!failed || !json_object_is_type(failed, json_type_array)) {
		cli_error("the daemon's answer makes no sense; are netctl and netctld of one version?");
		status = CLI_NO_DAEMON;
	} else {
		sum->done += cli_json_int(o, "done");
		sum->n_failed += cli_json_int(o, "failed_count");
		for (size_t i = 0; i < json_object_array_length(failed) &&
				   json_object_array_length(sum->failed) < FAILURES_MAX;
			i++)
			json_object_array_add(
				sum->failed, json_object_get(json_object_array_get_idx(failed, i)));
	}
	json_object_put(o);
	return status;
}

/* One call with names from *at on, which becomes the first that is left. */
static int change_some(struct cli_bus *bus, const struct cli_request *q, const char *method, const struct cli_names *names, const char **at,
	struct sum *sum)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	_cleanup_(cli_msg_fini) struct cli_msg m;
	size_t array;
	int r = 0, status;

	cli_msg_init(&m, method, "as");
	array = cli_msg_array(&m, false);
	for (size_t i = 0; *at && i < NAMES_A_CALL && r >= 0; i++) {
		r = cli_msg_str(&m, *at);
		if (r >= 0)
			*at = cli_names_next(names, *at);
	}
	cli_msg_array_end(&m, array, false);
	if (r < 0) {
		/* A name that is not UTF-8. */
		cli_error("%s cannot be sent: %s", *at ? *at : "this", strerror(-r));
		return CLI_USAGE;
	}
	status = cli_bus_call(bus, q, &m, &reply);
	return status == CLI_OK ? add_answer(sum, &reply) : status;
}

static void show_sum(const struct cli_request *q, const struct sum *sum, int status)
{
	size_t n = json_object_array_length(sum->failed);

	if (q->json) {
		printf("{\"exit\":%d,\"done\":%" PRId64 ",\"failed_count\":%" PRId64 ",\"failed\":%s}\n",
			status, sum->done, sum->n_failed,
			json_object_to_json_string_ext(
				sum->failed, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
		return;
	}
	for (size_t i = 0; i < n; i++)
		cli_error("%s", cli_json_str(json_object_array_get_idx(sum->failed, i), "error"));
	if (sum->n_failed > (int64_t)n)
		cli_error("... and %" PRId64 " more", sum->n_failed - (int64_t)n);
}

int cli_netns_change(const struct cli_request *q)
{
	_cleanup_(cli_names_fini) struct cli_names names = {.text = NCTL_STRBUF_INIT};
	_cleanup_(cli_dbus_close) struct cli_bus bus = CLI_BUS_INIT;
	bool add = q->action == CLI_NETNS_ADD;
	struct sum sum = {0};
	const char *at;
	int status;

	/* Somebody may have made one with a name that looks like half a range: it can be deleted. */
	status = cli_names_expand(&names, q->rest, q->n_rest, !add);
	if (status == CLI_OK)
		status = cli_bus_connect(q->runtime_dir, &bus);
	if (status != CLI_OK)
		return status;
	sum.failed = json_object_new_array();
	at = cli_names_next(&names, NULL);
	while (at && status == CLI_OK)
		status = change_some(&bus, q, add ? "NetnsAdd" : "NetnsDel", &names, &at, &sum);
	if (status == CLI_OK && sum.n_failed)
		status = CLI_REFUSED;
	/* When a later call goes wrong, what came of the earlier ones is still of interest. */
	if (status == CLI_OK || sum.done || sum.n_failed)
		show_sum(q, &sum, status);
	json_object_put(sum.failed);
	return status;
}
