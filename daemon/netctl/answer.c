/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Answers of check, plan, apply and reload for people: what the configuration's findings are, what is or
 * was to be done, a line for each entry of the plan (a range is one), what the kernel refused and where it
 * was asked for, and one sentence at the end that tells how it went. The shape is that of daemon/reconcile.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/cli.h"
#include "netctl/table.h"

#define ENTRIES_AFTER_APPLY 40 /* plan shows all */

static const struct {
	const char *action, *mark;
	enum cli_style style;
} marks[] = {
	{"create", "+", CLI_GREEN},
	{"add", "+", CLI_GREEN},
	{"adopt", "=", CLI_CYAN},
	{"change", "~", CLI_YELLOW},
	{"set", "~", CLI_YELLOW},
	{"delete", "-", CLI_RED},
	{"remove", "-", CLI_RED},
};

/* "FILE:LINE:COL", as much of it as is known. */
static void put_place(struct nctl_strbuf *out, struct json_object *o)
{
	int64_t line = cli_json_int(o, "line"), column = cli_json_int(o, "column");

	nctl_strbuf_puts(out, cli_json_str(o, "file"));
	if (out->len && line > 0)
		nctl_strbuf_printf(out, ":%" PRId64, line);
	if (out->len && line > 0 && column > 0)
		nctl_strbuf_printf(out, ":%" PRId64, column);
}

/* "change mtu, vrf (flap)" or "create 1500". */
static void put_what(struct nctl_strbuf *out, struct json_object *entry)
{
	struct json_object *fields = cli_json_get(entry, "fields");
	const char *class = cli_json_str(entry, "class");
	int64_t count = cli_json_int(entry, "count");
	size_t n = 0;

	if (fields && json_object_is_type(fields, json_type_array))
		n = json_object_array_length(fields);
	nctl_strbuf_puts(out, cli_json_str(entry, "action"));
	for (size_t i = 0; i < n; i++)
		nctl_strbuf_printf(out, "%s %s", i ? "," : "",
			json_object_get_string(json_object_array_get_idx(fields, i)));
	if (count > 1)
		nctl_strbuf_printf(out, " %" PRId64, count);
	if (*class && strcmp(class, "live") != 0)
		nctl_strbuf_printf(out, " (%s)", class);
	if (strcmp(cli_json_str(entry, "undo"), "never") == 0)
		nctl_strbuf_puts(out, ", cannot be undone nor wait");
}

/* "eth0", "eth0 in t{1..9}" */
static void put_name(struct nctl_strbuf *out, struct json_object *o, const char *key)
{
	const char *netns = cli_json_str(o, "netns");

	nctl_strbuf_puts(out, cli_json_str(o, key));
	if (*netns)
		nctl_strbuf_printf(out, " in %s", netns);
}

static void add_entry(struct cli_table *t, struct json_object *entry)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf what = NCTL_STRBUF_INIT, place = NCTL_STRBUF_INIT;
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf name = NCTL_STRBUF_INIT;
	const char *kind = cli_json_str(entry, "kind"), *class = cli_json_str(entry, "class");
	const char *action = cli_json_str(entry, "action"), *mark = " ";
	enum cli_style style = CLI_PLAIN;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(marks); i++) {
		if (strcmp(marks[i].action, action) == 0) {
			mark = marks[i].mark;
			style = marks[i].style;
		}
	}
	put_what(&what, entry);
	put_place(&place, entry);
	put_name(&name, entry, "label");
	cli_table_row(
		t, (struct cli_cell[]){
			   {mark, style},
			   {*kind ? kind : cli_json_str(entry, "object"), CLI_PLAIN},
			   {nctl_strbuf_str(&name), style},
			   {nctl_strbuf_str(&what), strcmp(class, "recreate") == 0 ? CLI_RED : CLI_PLAIN},
			   {nctl_strbuf_str(&place), CLI_DIM},
		   });
}

static bool is_last(struct json_object *entry)
{
	return strcmp(cli_json_str(entry, "undo"), "last") == 0;
}

/* Those that are carried out last, or all others. Returns how many there are. */
static size_t show_some(struct json_object *entries, bool last, size_t max)
{
	size_t n = json_object_array_length(entries), shown = 0;
	struct cli_table t;

	cli_table_begin(&t, NULL, 5);
	for (size_t i = 0; i < n; i++) {
		struct json_object *e = json_object_array_get_idx(entries, i);

		if (is_last(e) == last && shown++ < max)
			add_entry(&t, e);
	}
	cli_table_end(&t);
	if (shown > max)
		printf("  ... and %zu more\n", shown - max);
	return shown;
}

static size_t count_last(struct json_object *entries)
{
	size_t n = json_object_array_length(entries), last = 0;

	for (size_t i = 0; i < n; i++)
		last += is_last(json_object_array_get_idx(entries, i));
	return last;
}

/* The line between what can be undone and what cannot. */
static void show_entries(struct json_object *entries, size_t max, bool applied)
{
	show_some(entries, false, max);
	if (!count_last(entries))
		return;
	if (applied) {
		show_some(entries, true, max);
		return;
	}
	cli_text_pad(
		"--- point of no return: with --confirm, what follows waits for the confirm ---", 0, CLI_DIM);
	putchar('\n');
	show_some(entries, true, max);
}

static void show_problems(struct json_object *problems, bool blocked)
{
	size_t n = json_object_array_length(problems);

	for (size_t i = 0; i < n; i++) {
		_cleanup_(nctl_strbuf_fini) struct nctl_strbuf place = NCTL_STRBUF_INIT;
		struct json_object *p = json_object_array_get_idx(problems, i);
		const char *type = cli_json_str(p, "type");
		bool waits = strcmp(type, "wait") == 0 || (strcmp(type, "foreign-loss") == 0 && !blocked);

		put_place(&place, p);
		cli_text_pad(waits ? "?" : "!", 0, waits ? CLI_YELLOW : CLI_RED);
		printf(" %s: ", type);
		cli_text_put(stdout, cli_json_str(p, "text"), false);
		fputs("  ", stdout);
		cli_text_pad(nctl_strbuf_str(&place), 0, CLI_DIM);
		putchar('\n');
	}
}

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

static bool is_array(struct json_object *o)
{
	return o && json_object_is_type(o, json_type_array);
}

/* "1501 to create, 3 to change." by the entries' actions. */
static void show_plan_sum(struct json_object *plan, struct json_object *entries)
{
	int64_t sum[NCTL_ARRAY_SIZE(marks)] = {0}, blocked = cli_json_int(plan, "blocked");
	size_t n = is_array(entries) ? json_object_array_length(entries) : 0, said = 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *e = json_object_array_get_idx(entries, i);

		for (size_t j = 0; j < NCTL_ARRAY_SIZE(marks); j++)
			if (strcmp(marks[j].action, cli_json_str(e, "action")) == 0)
				sum[j] += nctl_max(cli_json_int(e, "count"), (int64_t)1);
	}
	for (size_t j = 0; j < NCTL_ARRAY_SIZE(marks); j++)
		if (sum[j])
			printf("%s%" PRId64 " to %s", said++ ? ", " : "", sum[j], marks[j].action);
	if (!said)
		fputs(blocked ? "Nothing can be done now" : "Nothing to do: all is as configured", stdout);
	if (blocked)
		printf("; %" PRId64 " blocked", blocked);
	fputs(".\n", stdout);
}

static void show_plan(struct json_object *plan, bool applied)
{
	struct json_object *entries = cli_json_get(plan, "entries"),
			   *problems = cli_json_get(plan, "problems");

	if (is_array(entries))
		show_entries(entries, applied ? ENTRIES_AFTER_APPLY : SIZE_MAX, applied);
	if (is_array(problems))
		show_problems(problems, cli_json_int(plan, "blocked"));
	if (!applied)
		show_plan_sum(plan, entries);
}

/* Of one definition, and refused for the same reason? Then one stands for both. */
static bool is_alike(struct json_object *a, struct json_object *b)
{
	static const char *const keys[] = {"file", "action", "object", "error", "kernel", "detail"};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(keys); i++)
		if (strcmp(cli_json_str(a, keys[i]), cli_json_str(b, keys[i])) != 0)
			return false;
	return cli_json_int(a, "line") == cli_json_int(b, "line") &&
	       cli_json_int(a, "column") == cli_json_int(b, "column");
}

static void show_refusal(struct json_object *o, size_t alike)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf place = NCTL_STRBUF_INIT, name = NCTL_STRBUF_INIT;
	const char *kernel = cli_json_str(o, "kernel"), *error = cli_json_str(o, "error");
	const char *detail = cli_json_str(o, "detail");

	put_place(&place, o);
	if (place.len) {
		cli_text_pad(nctl_strbuf_str(&place), 0, CLI_BOLD);
		fputs(": ", stdout);
	}
	cli_text_pad("refused", 0, CLI_RED);
	fputs(": ", stdout);
	cli_text_put(stdout, cli_json_str(o, "action"), false);
	putchar(' ');
	cli_text_put(stdout, cli_json_str(o, "object"), false);
	putchar(' ');
	put_name(&name, o, "name");
	cli_text_put(stdout, nctl_strbuf_str(&name), false);
	fputs(": ", stdout);
	cli_text_put(stdout, *error ? error : strerror((int)cli_json_int(o, "errno")), false);
	if (*detail) {
		fputs(", ", stdout);
		cli_text_put(stdout, detail, false);
	}
	putchar('\n');
	if (alike)
		printf("    and %zu more like it\n", alike);
	if (*kernel) {
		fputs("    the kernel says: ", stdout);
		cli_text_put(stdout, kernel, false);
		putchar('\n');
	}
}

static void show_refusals(struct json_object *refusals)
{
	size_t n = json_object_array_length(refusals), alike;

	for (size_t i = 0; i < n; i += alike) {
		struct json_object *o = json_object_array_get_idx(refusals, i);

		for (alike = 1; i + alike < n; alike++)
			if (!is_alike(o, json_object_array_get_idx(refusals, i + alike)))
				break;
		show_refusal(o, alike - 1);
	}
}

static void show_duration(int64_t us)
{
	if (us < 10000)
		printf("%.1f ms", (double)us / 1e3);
	else if (us < 1000000)
		printf("%.0f ms", (double)us / 1e3);
	else
		printf("%.2f s", (double)us / 1e6);
}

static void show_count(struct json_object *result, const char *key, const char *what)
{
	int64_t n = cli_json_int(result, key);

	if (n)
		printf(", %" PRId64 " %s", n, what);
}

static enum cli_style style_of_state(const char *state)
{
	static const char *const good[] = {"applied", "unchanged", "confirmed", "rolled-back"};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(good); i++)
		if (strcmp(state, good[i]) == 0)
			return CLI_GREEN;
	return strcmp(state, "to-be-confirmed") == 0 ? CLI_YELLOW : CLI_RED;
}

/* What an apply that is to be confirmed has left to do, and until when. */
static void show_waiting(struct json_object *result)
{
	int64_t held = cli_json_int(result, "held"), seconds = cli_json_int(result, "confirm_s");

	if (!seconds)
		return;
	if (held)
		printf("%" PRId64 " step%s that cannot be undone wait%s for the confirm.\n", held,
			plural(held), held == 1 ? "s" : "");
	printf("Within %" PRId64 " seconds: netctl confirm, else all of it is taken back.\n", seconds);
}

/* "applied, generation 3: 3001 done; 3001 messages in 12 sends, 250 ms" */
static void show_result(struct json_object *result)
{
	struct json_object *refusals = cli_json_get(result, "refusals");
	const char *state = cli_json_str(result, "state");
	int64_t messages = cli_json_int(result, "messages"), sends = cli_json_int(result, "sends");

	if (is_array(refusals))
		show_refusals(refusals);
	cli_text_pad(state, 0, style_of_state(state));
	if (!cli_json_get(result, "done")) { /* there was no plan */
		printf(", generation %" PRId64 "\n", cli_json_int(result, "generation"));
		return;
	}
	printf(", generation %" PRId64 ": %" PRId64 " done", cli_json_int(result, "generation"),
		cli_json_int(result, "done"));
	show_count(result, "refused", "refused");
	show_count(result, "poisoned", "not tried because of that");
	show_count(result, "unseen", "not seen in the kernel afterwards");
	printf("; %" PRId64 " message%s in %" PRId64 " send%s, ", messages, plural(messages), sends,
		plural(sends));
	show_duration(cli_json_int(result, "duration_us"));
	putchar('\n');
	show_waiting(result);
}

static void show_parts(const struct cli_request *q, struct json_object *o)
{
	struct json_object *plan = cli_json_get(o, "plan"), *result = cli_json_get(o, "result");
	const char *error = cli_json_str(o, "error"), *findings = cli_json_str(o, "diagnostics_text");

	if (*findings) {
		fflush(stdout);
		cli_text_put(stderr, findings, true);
		if (findings[strlen(findings) - 1] != '\n')
			fputc('\n', stderr);
	}
	if (plan)
		show_plan(plan, q->action != CLI_PLAN && q->action != CLI_DRIFT);
	if (result)
		show_result(result);
	if (*error)
		cli_error("%s", error);
	if (*cli_json_str(o, "yaml"))
		cli_text_put(stdout, cli_json_str(o, "yaml"), true);
	if (q->action == CLI_CHECK && !*error && cli_json_int(o, "exit") == CLI_OK)
		puts("The configuration is right.");
}

struct json_object *cli_answer_parse(const char *text)
{
	struct json_object *o = json_tokener_parse(text);

	if (o && json_object_is_type(o, json_type_object) && cli_json_get(o, "exit"))
		return o;
	json_object_put(o);
	cli_error("the daemon's answer makes no sense; are netctl and netctld of one version?");
	return NULL;
}

int cli_answer_show(const struct cli_request *q, const char *text)
{
	struct json_object *o = cli_answer_parse(text);
	int status;

	if (!o)
		return CLI_NO_DAEMON;
	status = (int)cli_json_int(o, "exit");
	if (q->json)
		puts(text);
	else
		show_parts(q, o);
	json_object_put(o);
	return status;
}
