/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: netctl, the client of netctld: options, then one call a run. Each action names its method on the bus,
 * what it sends and how its answer is shown, in one table.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/cli.h"

static const char help[] =
	"netctl [-r DIR] [-4 | -6] [-j] OBJECT [VERB] [filters]\n"
	"\n"
	"  check FILE...      is the configuration right?\n"
	"  plan [FILE...]     what would apply change?\n"
	"  apply FILE...      make these files the configuration until the next reload\n"
	"  apply, reload      read the daemon's own files again and bring the kernel to them\n"
	"  status             what the daemon is doing, and what it has done\n"
	"  link [show] [[dev] NAME | index N] [type KIND] [master NAME] [vrf NAME] [up]\n"
	"  address [show] [[dev] NAME] [to PREFIX] [scope SCOPE] [and the filters of link]\n"
	"  help\n"
	"\n"
	"  -r, --runtime DIR    runtime folder of the daemon ($NETCTL_RUNTIME, /run/netctld)\n"
	"  -4, -6               addresses of this family only\n"
	"  -j, --json           JSON as from \"ip -j -d\", and the daemon's own answers\n"
	"  --keep-going         apply: a refusal stops only what depends on it\n"
	"  --allow-recreate     apply, plan: links may be deleted and made again to change them\n"
	"  --version\n"
	"\n"
	"Words may be cut short as for ip(8): netctl l, netctl a. FILE \"-\" is the standard input.\n"
	"Exit status: 0 fine, 1 there is something to do, 2 wrong use or configuration, 3 no daemon,\n"
	"4 the kernel refused, 5 time-out.\n";

static int show_text(const struct cli_request *q, sd_bus_message *reply,
	int (*show)(const struct cli_request *q, const char *text))
{
	const char *text;
	int r = sd_bus_message_read(reply, "s", &text);

	if (r >= 0)
		return show(q, text);
	cli_error("the daemon's answer cannot be read: %s", strerror(-r));
	return CLI_NO_DAEMON;
}

static int show_answer(const struct cli_request *q, sd_bus_message *reply)
{
	return show_text(q, reply, cli_answer_show);
}

static int show_status(const struct cli_request *q, sd_bus_message *reply)
{
	return show_text(q, reply, cli_status_show);
}

static int show_query(const struct cli_request *q, sd_bus_message *reply)
{
	int fd, r = sd_bus_message_read(reply, "h", &fd);

	if (r >= 0)
		return cli_query_show(q, fd);
	cli_error("the daemon's answer cannot be read: %s", strerror(-r));
	return CLI_NO_DAEMON;
}

static int put_files(sd_bus_message *m, const struct cli_request *q)
{
	return cli_bus_append_files(m, q);
}

static int put_flags(sd_bus_message *m, const struct cli_request *q)
{
	return sd_bus_message_append(m, "u", (uint32_t)q->flags) < 0 ? CLI_USAGE : CLI_OK;
}

static int put_files_flags(sd_bus_message *m, const struct cli_request *q)
{
	int status = cli_bus_append_files(m, q);

	return status == CLI_OK ? put_flags(m, q) : status;
}

static int put_query(sd_bus_message *m, const struct cli_request *q)
{
	int r = sd_bus_message_append(m, "s", q->action == CLI_LINK ? "link" : "address");

	if (r >= 0)
		r = sd_bus_message_open_container(m, 'a', "{ss}");
	for (size_t i = 0; i < q->n_filters && r >= 0; i++)
		r = sd_bus_message_append(m, "{ss}", q->filters[i].key, q->filters[i].value);
	if (r >= 0)
		r = sd_bus_message_close_container(m);
	if (r >= 0)
		return CLI_OK;
	cli_error("this cannot be sent: %s", strerror(-r)); /* a word that is not UTF-8 */
	return CLI_USAGE;
}

static const struct {
	const char *method;
	int (*put)(sd_bus_message *m, const struct cli_request *q); /* cli_exit; NULL: no arguments */
	int (*show)(const struct cli_request *q, sd_bus_message *reply);
} actions[] = {
	[CLI_CHECK] = {"Check", put_files, show_answer},
	[CLI_PLAN] = {"Plan", put_files_flags, show_answer},
	[CLI_APPLY] = {"Apply", put_files_flags, show_answer},
	[CLI_RELOAD] = {"Reload", put_flags, show_answer},
	[CLI_STATUS] = {"Status", NULL, show_status},
	[CLI_LINK] = {"Query", put_query, show_query},
	[CLI_ADDRESS] = {"Query", put_query, show_query},
};

static int run(const struct cli_request *q)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL, *reply = NULL;
	_cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
	int status = cli_bus_connect(q->runtime_dir, &bus);

	if (status != CLI_OK)
		return status;
	m = cli_bus_method(bus, actions[q->action].method);
	if (!m)
		return CLI_NO_DAEMON;
	status = actions[q->action].put ? actions[q->action].put(m, q) : CLI_OK;
	if (status == CLI_OK)
		status = cli_bus_call(bus, m, &reply);
	return status == CLI_OK ? actions[q->action].show(q, reply) : status;
}

/* 0: go on; -EINVAL; > 0: done, nothing more to do. */
static int read_options(struct cli_request *q, int argc, char **argv)
{
	enum { KEEP_GOING = 256, ALLOW_RECREATE, VERSION };
	static const struct option options[] = {
		{"runtime", required_argument, NULL, 'r'},
		{"json", no_argument, NULL, 'j'},
		{"help", no_argument, NULL, 'h'},
		{"keep-going", no_argument, NULL, KEEP_GOING},
		{"allow-recreate", no_argument, NULL, ALLOW_RECREATE},
		{"version", no_argument, NULL, VERSION},
		{0},
	};
	const char *family = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "r:jh46V", options, NULL)) >= 0) {
		if (c == 'r')
			q->runtime_dir = optarg;
		else if (c == 'j')
			q->json = true;
		else if (c == 'h')
			q->action = CLI_HELP;
		else if (c == '4' || c == '6')
			family = c == '4' ? "inet" : "inet6";
		else if (c == KEEP_GOING)
			q->flags |= CLI_KEEP_GOING;
		else if (c == ALLOW_RECREATE)
			q->flags |= CLI_ALLOW_RECREATE;
		else if (c == VERSION || c == 'V')
			return printf("netctl %s\n", NETCTL_VERSION);
		else
			return -EINVAL;
	}
	if (q->action != CLI_HELP && cli_grammar_parse(q, argv + optind, (size_t)(argc - optind)) < 0)
		return -EINVAL;
	/* As with ip(8), links have no family. */
	return family && q->action == CLI_ADDRESS ? cli_request_filter(q, "family", family) : 0;
}

int main(int argc, char **argv)
{
	const char *env = getenv("NETCTL_RUNTIME");
	struct cli_request q = {.runtime_dir = env && *env ? env : "/run/netctld"};
	int r, status;

	cli_text_init();
	r = read_options(&q, argc, argv);
	if (r != 0)
		return r < 0 ? CLI_USAGE : CLI_OK;
	if (q.action == CLI_HELP) {
		fputs(help, stdout);
		return CLI_OK;
	}
	/* Without files, apply takes the daemon's own. */
	if (q.action == CLI_APPLY && q.n_files == 0)
		q.action = CLI_RELOAD;
	status = run(&q);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_error("cannot write the answer: %m");
		return CLI_USAGE;
	}
	return status;
}
