/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the answer to a batch: what is wrong with its lines, or each line that failed, in the words of the
 * kernel, and a sentence for the rest. As with ip(8), nothing is said if all went well.
 */
#include <inttypes.h>

#include "netctl/cli.h"

static void show_failure(const char *path, struct json_object *f)
{
	const char *kernel = cli_json_str(f, "kernel"), *detail = cli_json_str(f, "detail");

	cli_text_put(stderr, path, false);
	fprintf(stderr, ":%" PRId64 ": ", cli_json_int(f, "line"));
	cli_text_put(stderr, cli_json_str(f, "error"), false);
	if (*kernel || *detail) {
		fputs(" (", stderr);
		cli_text_put(stderr, *kernel ? kernel : detail, false);
		fputc(')', stderr);
	}
	fputc('\n', stderr);
}

static void show_failures(const char *path, struct json_object *failures)
{
	size_t n = failures && json_object_is_type(failures, json_type_array)
	                   ? json_object_array_length(failures)
	                   : 0;

	for (size_t i = 0; i < n; i++)
		show_failure(path, json_object_array_get_idx(failures, i));
}

static void show_batch(struct json_object *b)
{
	int64_t lines = cli_json_int(b, "lines"), done = cli_json_int(b, "done"),
		left = cli_json_int(b, "not_done");
	int64_t failed = cli_json_int(b, "failed"), beyond = cli_json_int(b, "beyond");
	const char *state = cli_json_str(b, "state");

	if (strcmp(state, "done") == 0 || strcmp(state, "refused") == 0)
		return;
	cli_error("%s: of %" PRId64 " lines %" PRId64 " done, %" PRId64 " failed, %" PRId64 " not tried",
		state, lines, done, failed, left);
	if (cli_json_int(b, "not_listed"))
		cli_error("%" PRId64 " of those that failed are not listed", cli_json_int(b, "not_listed"));
	if (beyond)
		cli_error("%" PRId64 " line%s behind the one that failed %s on the way with it, and done",
			beyond, beyond == 1 ? "" : "s", beyond == 1 ? "was" : "were");
}

int cli_batch_show(const struct cli_request *q, const char *text)
{
	struct json_object *o = cli_answer_parse(text), *batch;
	const char *path = strcmp(q->files[0], "-") == 0 ? "stdin" : q->files[0];
	const char *findings, *error;
	int status;

	if (!o)
		return CLI_NO_DAEMON;
	status = (int)cli_json_int(o, "exit");
	findings = cli_json_str(o, "diagnostics_text");
	error = cli_json_str(o, "error");
	batch = cli_json_get(o, "batch");
	if (q->json)
		puts(text);
	if (*findings && !q->json)
		cli_text_put(stderr, findings, true);
	if (!q->json)
		show_failures(path, cli_json_get(o, "failures"));
	if (batch && !q->json)
		show_batch(batch);
	if (*error && !q->json)
		cli_error("%s", error);
	json_object_put(o);
	return status;
}
