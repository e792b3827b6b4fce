/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: an end to a job: by its number, or the only one that can be cancelled. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "netctl/cli.h"

static bool can_be_cancelled(struct json_object *job)
{
	static const char *const what[] = {"batch", "apply", "reload", "plan", "netns-add", "netns-delete"};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(what); i++)
		if (strcmp(cli_json_str(job, "what"), what[i]) == 0)
			return true;
	return false;
}

/* 0: there is none, or there are several, as is said. */
static int64_t only_job(struct json_object *root)
{
	struct json_object *jobs = cli_json_get(root, "jobs");
	size_t n = jobs && json_object_is_type(jobs, json_type_array) ? json_object_array_length(jobs) : 0;
	int64_t number = 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *job = json_object_array_get_idx(jobs, i);

		if (!can_be_cancelled(job))
			continue;
		if (number) {
			cli_error("there are several jobs: name one by its number, see netctl status");
			return 0;
		}
		number = cli_json_int(job, "job");
	}
	if (!number)
		cli_error("there is no job that could be cancelled");
	return number;
}

static int find(struct cli_bus *bus, const struct cli_request *q, char *number, size_t size)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	_cleanup_(cli_msg_fini) struct cli_msg m;
	struct json_object *root;
	const char *text;
	int64_t n;
	int status;

	cli_msg_init(&m, "Jobs", "");
	status = cli_bus_call(bus, q, &m, &reply);
	if (status == CLI_OK)
		status = cli_bus_text(&reply, &text);
	if (status != CLI_OK)
		return status;
	root = json_tokener_parse(text);
	n = root ? only_job(root) : 0;
	json_object_put(root);
	snprintf(number, size, "%" PRId64, n);
	return n ? CLI_OK : CLI_DIFFERENT;
}

int cli_cancel(struct cli_bus *bus, const struct cli_request *q)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	_cleanup_(cli_msg_fini) struct cli_msg m;
	const char *given = cli_request_get(q, "job");
	char number[24];
	int status = CLI_OK;

	cli_msg_init(&m, "Cancel", "s");
	if (!given)
		status = find(bus, q, number, sizeof(number));
	if (status != CLI_OK)
		return status;
	if (cli_msg_str(&m, given ? given : number) < 0) {
		cli_error("this is no number of a job");
		return CLI_USAGE;
	}
	return cli_bus_call(bus, q, &m, &reply);
}
