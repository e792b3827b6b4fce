/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: netctl, the client of netctld: options, then one action a run. Most are one call of the daemon, for
 * which a table names the method, what is sent, and how its answer is shown.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/local.h"
#include "netctl/query.h"

static const char help[] =
	"netctl [-r DIR] [-n NETNS | -a] [-4 | -6] [-j] OBJECT [VERB] [filters]\n"
	"\n"
	"  check [--netplan] FILE...   is the configuration right? is it netplan's as well?\n"
	"  config [show] [--origin] [FILE...]\n"
	"                     what the files say together, and where\n"
	"  plan [FILE...]     what would apply change?\n"
	"  apply FILE...      make these files the configuration until the next reload\n"
	"  apply, reload      read the daemon's own files again and bring the kernel to them\n"
	"  apply --confirm SEC ...\n"
	"                     ... and go back to the state before, unless within SEC seconds comes\n"
	"  confirm            keep it; what cannot be undone is done now\n"
	"  rollback           go back now\n"
	"  batch [FILE]       carry out lines of ip(8), many at a time; without FILE those of standard input\n"
	"  cancel [JOB]       no more of this job; see status\n"
	"  status             what the daemon is doing, and what it has done\n"
	"  drift              what differs from the configuration now?\n"
	"  why LINK           what is wrong with it, and what it waits for\n"
	"  stats              what it has counted, with -n or -a of namespaces\n"
	"  verify             is its memory what the kernel says?\n"
	"  resync             read all of it from the kernel once more\n"
	"  link [show] [[dev] NAME | index N] [type KIND] [master NAME] [vrf NAME] [up]\n"
	"  address [show] [to PREFIX] [scope SCOPE] [label PATTERN] [FLAG] [and the filters of link]\n"
	"  route [show] [root|match|exact] [PREFIX] [table T|all] [vrf NAME] [dev NAME] [via A] [src A]\n"
	"               [from PREFIX] [proto P] [type T] [scope S] [tos T] [metric M] [nhid N]\n"
	"  route get ADDRESS [from A] [iif D] [oif D] [mark M] [vrf V] [uid U] [ipproto P]\n"
	"               [sport P] [dport P] [tos T]\n"
	"  rule [show] [priority P] [table T] [from PREFIX] [to PREFIX] [iif D] [oif D] [fwmark M[/M]]\n"
	"               [proto P]\n"
	"  nexthop [show] [id N] [dev NAME] [vrf NAME] [master NAME] [groups] [fdb] [proto P]\n"
	"  neighbour [show] [[to] PREFIX] [dev NAME] [nud STATE] [master NAME] [vrf NAME] [proxy] [router]\n"
	"  fdb [show] [br NAME] [dev NAME] [vlan N] [state S] [dynamic]\n"
	"  vlan [show] [[dev] NAME] [master NAME]\n"
	"  vrf [show] [NAME] [up]\n"
	"  maddress [show] [--why] [and the filters of link]\n"
	"  monitor [link] [address] [route] [rule] [nexthop] [netns] [initial]\n"
	"                     what changes, as it does; initial: what is there first\n"
	"  link move [dev] NAME netns TO [name NEW]\n"
	"                     TO: a name, \"\" for the daemon's own namespace, or a PID\n"
	"  netns [list] [NAME | all]   all: those without a name as well\n"
	"  netns add NAME..., netns del NAME...   NAME may hold a range: t{1..100}\n"
	"  netns exec NAME COMMAND..., -a netns exec COMMAND...\n"
	"  netns identify [PID], netns pids NAME\n"
	"  help\n"
	"\n"
	"  -r, --runtime DIR    runtime folder of the daemon ($NETCTL_RUNTIME, /run/netctld)\n"
	"  -n, --netns NETNS    what is in this network namespace\n"
	"  -a, --all-netns      in all of them\n"
	"  -4, -6               this family only\n"
	"  -s, --statistics     link: with counters\n"
	"  -j, --json           JSON as from \"ip -j -d\", and the daemon's own answers\n"
	"  --confirm SEC        apply, reload: go back unless confirmed within SEC seconds\n"
	"  -force               batch: go on behind a line that fails\n"
	"  --keep-going         apply: a refusal stops only what depends on it\n"
	"  --allow-recreate     apply, plan: links may be deleted and made again to change them\n"
	"  --allow-foreign-loss\n"
	"                       likewise: deletions may take along what others have put there\n"
	"  --cancel-on-interrupt\n"
	"                       Ctrl-C cancels the job; else it goes on\n"
	"  --no-guard           apply, reload: though it touches what carries your own session\n"
	"  --version\n"
	"\n"
	"Words may be cut short as for ip(8): netctl l, netctl a. FILE \"-\" is the standard input.\n"
	"Exit status: 0 fine, 1 there is something to do, 2 wrong use or configuration, 3 no daemon,\n"
	"4 the kernel refused, 5 time-out.\n";

/* And the options, by name. */
static int put_flags(struct cli_msg *m, const struct cli_request *q)
{
	cli_msg_u32(m, q->flags);
	return cli_filters_put(m, q);
}

static int put_files_flags(struct cli_msg *m, const struct cli_request *q)
{
	int status = cli_bus_append_files(m, q);

	return status == CLI_OK ? put_flags(m, q) : status;
}

static int put_words(struct cli_msg *m, const char *const *words, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = cli_msg_str(m, words[i]);
	if (r >= 0)
		return CLI_OK;
	cli_error("this cannot be sent: %s", strerror(-r)); /* a word that is not UTF-8 */
	return CLI_USAGE;
}

static int put_move(struct cli_msg *m, const struct cli_request *q)
{
	const char *name = cli_request_get(q, "name");
	const char *words[] = {q->netns ? q->netns : "", cli_request_get(q, "dev"),
		cli_request_get(q, "netns"), name ? name : ""};

	return put_words(m, words, NCTL_ARRAY_SIZE(words));
}

static int put_why(struct cli_msg *m, const struct cli_request *q)
{
	return put_words(m, (const char *[]){q->netns ? q->netns : "", cli_request_get(q, "dev")}, 2);
}

static int query(struct cli_bus *bus, const struct cli_request *q)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	int status = cli_pipe_open(bus, q, "Query", cli_query_object(q->action), &reply);

	return status == CLI_OK ? cli_query_show(q, reply.fd) : status;
}

static const struct {
	int (*local)(const struct cli_request *q);                     /* all by itself; else */
	int (*talk)(struct cli_bus *bus, const struct cli_request *q); /* as many calls as it takes; else */
	const char *method, *signature;                                /* one call, and its arguments */
	int (*put)(struct cli_msg *m, const struct cli_request *q);    /* cli_exit; NULL: no arguments */
	int (*show)(const struct cli_request *q, const char *text);
} actions[] = {
	[CLI_CHECK] = {cli_local_check},
	[CLI_CONFIG_SHOW] = {cli_local_config},
	[CLI_PLAN] = {NULL, NULL, "Plan", "a(sh)ua{ss}", put_files_flags, cli_answer_show},
	[CLI_APPLY] = {NULL, NULL, "Apply", "a(sh)ua{ss}", put_files_flags, cli_answer_show},
	[CLI_RELOAD] = {NULL, NULL, "Reload", "ua{ss}", put_flags, cli_answer_show},
	[CLI_BATCH] = {NULL, NULL, "Batch", "a(sh)ua{ss}", put_files_flags, cli_batch_show},
	[CLI_CANCEL] = {.talk = cli_cancel},
	[CLI_CONFIRM] = {NULL, NULL, "Confirm", "", NULL, cli_answer_show},
	[CLI_ROLLBACK] = {NULL, NULL, "Rollback", "", NULL, cli_answer_show},
	[CLI_STATUS] = {NULL, NULL, "Status", "", NULL, cli_status_show},
	[CLI_DRIFT] = {NULL, NULL, "Drift", "", NULL, cli_answer_show},
	[CLI_WHY] = {NULL, NULL, "Why", "ss", put_why, cli_why_show},
	[CLI_MOVE] = {NULL, NULL, "LinkMove", "ssss", put_move, cli_answer_show},
	[CLI_LINK] = {.talk = query},
	[CLI_ADDRESS] = {.talk = query},
	[CLI_ROUTE] = {.talk = query},
	[CLI_RULE] = {.talk = query},
	[CLI_NEXTHOP] = {.talk = query},
	[CLI_NEIGH] = {.talk = query},
	[CLI_FDB] = {.talk = query},
	[CLI_VLAN] = {.talk = query},
	[CLI_VRF] = {.talk = query},
	[CLI_MADDR] = {.talk = query},
	[CLI_ROUTE_GET] = {NULL, NULL, "RouteGet", "a{ss}", cli_filters_put, cli_route_get_show},
	[CLI_MONITOR] = {.talk = cli_monitor_show},
	[CLI_STATS] = {.talk = cli_stats_show},
	[CLI_VERIFY] = {.talk = cli_verify_show},
	[CLI_RESYNC] = {NULL, NULL, "Resync", "a{ss}", cli_filters_put, cli_resync_show},
	[CLI_NETNS_LIST] = {.talk = cli_netns_list},
	[CLI_NETNS_ADD] = {cli_netns_change},
	[CLI_NETNS_DEL] = {cli_netns_change},
	[CLI_NETNS_EXEC] = {cli_enter_exec},
	[CLI_NETNS_IDENTIFY] = {cli_enter_identify},
	[CLI_NETNS_PIDS] = {cli_enter_pids},
};

static int run(const struct cli_request *q)
{
	_cleanup_(cli_dbus_close) struct cli_bus bus = CLI_BUS_INIT;
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	_cleanup_(cli_msg_fini) struct cli_msg m;
	const char *text;
	int status;

	cli_msg_init(&m, actions[q->action].method, actions[q->action].signature);
	if (actions[q->action].local)
		return actions[q->action].local(q);
	status = cli_bus_connect(q->runtime_dir, &bus);
	if (status != CLI_OK)
		return status;
	if (actions[q->action].talk)
		return actions[q->action].talk(&bus, q);
	if (actions[q->action].put)
		status = actions[q->action].put(&m, q);
	if (status == CLI_OK)
		status = cli_bus_call(&bus, q, &m, &reply);
	if (status == CLI_OK)
		status = cli_bus_text(&reply, &text);
	return status == CLI_OK ? actions[q->action].show(q, text) : status;
}

enum {
	OPTION_KEEP_GOING = 256,
	OPTION_ALLOW_RECREATE,
	OPTION_WHY,
	OPTION_CONFIRM,
	OPTION_ALLOW_FOREIGN_LOSS,
	OPTION_NO_GUARD,
	OPTION_FORCE,
	OPTION_CANCEL,
	OPTION_NETPLAN,
	OPTION_ORIGIN
};

/* 0, or -EINVAL; the family is kept for later. */
static int take_option(struct cli_request *q, int c, const char **family)
{
	switch (c) {
	case 'r':
		q->runtime_dir = optarg;
		return 0;
	case 'n':
		q->netns = optarg;
		return 0;
	case 'a':
		q->all_netns = true;
		return 0;
	case 'j':
		q->json = true;
		return 0;
	case 's':
	case OPTION_WHY:
		return 0;
	case 'h':
		q->action = CLI_HELP;
		return 0;
	case '4':
	case '6':
		*family = c == '4' ? "inet" : "inet6";
		return 0;
	case OPTION_KEEP_GOING:
		q->flags |= CLI_KEEP_GOING;
		return 0;
	case OPTION_CANCEL:
		q->cancel_on_interrupt = true;
		return 0;
	case OPTION_FORCE:
		q->flags |= CLI_KEEP_GOING;
		q->force = true;
		return 0;
	case OPTION_ALLOW_RECREATE:
		q->flags |= CLI_ALLOW_RECREATE;
		return 0;
	case OPTION_NETPLAN:
		q->flags |= CLI_NETPLAN;
		return 0;
	case OPTION_ORIGIN:
		q->flags |= CLI_ORIGIN;
		return 0;
	case OPTION_ALLOW_FOREIGN_LOSS:
		q->flags |= CLI_ALLOW_FOREIGN_LOSS;
		return 0;
	case OPTION_NO_GUARD:
		q->flags |= CLI_NO_GUARD;
		return 0;
	case OPTION_CONFIRM:
		q->confirm = optarg;
		return 0;
	}
	return -EINVAL;
}

static bool has_family(enum cli_action a)
{
	static const enum cli_action with[] = {
		CLI_ADDRESS, CLI_ROUTE, CLI_RULE, CLI_NEXTHOP, CLI_NEIGH, CLI_MONITOR, CLI_MADDR};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(with); i++)
		if (a == with[i])
			return true;
	return false;
}

/* Flags that only one action has. */
static int check_flags(const struct cli_request *q)
{
	if (q->flags & CLI_NETPLAN && q->action != CLI_CHECK)
		cli_error("--netplan is for check");
	else if (q->flags & CLI_ORIGIN && q->action != CLI_CONFIG_SHOW)
		cli_error("--origin is for config show");
	else if (q->force && q->action != CLI_BATCH)
		cli_error("--force is for batch");
	else if (q->flags & ~CLI_KEEP_GOING && q->action == CLI_BATCH)
		cli_error("of these options, batch has --force");
	else
		return 0;
	return -EINVAL;
}

/* What an apply is told beside files and flags. */
static int add_apply_options(struct cli_request *q)
{
	bool applies = q->action == CLI_APPLY || q->action == CLI_RELOAD;

	if (q->confirm && !applies && q->action != CLI_PLAN) {
		cli_error("--confirm is for apply and reload");
		return -EINVAL;
	}
	if (q->confirm && cli_request_filter(q, "confirm", q->confirm) < 0)
		return -EINVAL;
	return applies ? cli_session_add(q) : 0;
}

static char ip_force[] = "--force"; /* where ip(8) says -force */

/*
 * Options may stand between the words, but not in a command: "netns exec NAME ls -l". words has room for all.
 * 0: go on; -EINVAL; > 0: done, nothing more to do.
 */
static int read_options(struct cli_request *q, int argc, char **argv, char **words)
{
	static const struct option options[] = {
		{"runtime", required_argument, NULL, 'r'},
		{"netns", required_argument, NULL, 'n'},
		{"all-netns", no_argument, NULL, 'a'},
		{"json", no_argument, NULL, 'j'},
		{"statistics", no_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},
		{"force", no_argument, NULL, OPTION_FORCE},
		{"cancel-on-interrupt", no_argument, NULL, OPTION_CANCEL},
		{"keep-going", no_argument, NULL, OPTION_KEEP_GOING},
		{"allow-recreate", no_argument, NULL, OPTION_ALLOW_RECREATE},
		{"allow-foreign-loss", no_argument, NULL, OPTION_ALLOW_FOREIGN_LOSS},
		{"no-guard", no_argument, NULL, OPTION_NO_GUARD},
		{"confirm", required_argument, NULL, OPTION_CONFIRM},
		{"netplan", no_argument, NULL, OPTION_NETPLAN},
		{"origin", no_argument, NULL, OPTION_ORIGIN},
		{"why", no_argument, NULL, OPTION_WHY},
		{"version", no_argument, NULL, 'V'},
		{0},
	};
	const char *family = NULL;
	bool stats = false, why = false;
	size_t n = 0;
	int c;

	/* ip(8)'s own form of it. */
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "-force"))
			argv[i] = ip_force;
	/* "-": each word comes as an option 1, in its place. */
	while ((c = getopt_long(argc, argv, "-r:n:ajhs46V", options, NULL)) >= 0) {
		if (c == 'V')
			return printf("netctl %s\n", NETCTL_VERSION);
		stats |= c == 's';
		why |= c == OPTION_WHY;
		if (c == 1)
			words[n++] = optarg;
		else if (take_option(q, c, &family) < 0)
			return -EINVAL;
		if (c == 1 && cli_grammar_ends_options(words, n))
			break;
	}
	while (optind < argc)
		words[n++] = argv[optind++];
	if (q->action == CLI_HELP)
		return 0;
	if (cli_grammar_parse(q, words, n) < 0 || cli_request_check(q) < 0)
		return -EINVAL;
	if (add_apply_options(q) < 0 || check_flags(q) < 0)
		return -EINVAL;
	if (stats && q->action == CLI_LINK && cli_request_filter(q, "stats", "") < 0)
		return -EINVAL;
	if (why && q->action == CLI_MADDR && cli_request_filter(q, "why", "") < 0)
		return -EINVAL;
	/* As with ip(8), links have no family. */
	return family && has_family(q->action) ? cli_request_filter(q, "family", family) : 0;
}

int main(int argc, char **argv)
{
	const char *env = getenv("NETCTL_RUNTIME");
	struct cli_request q = {.runtime_dir = env && *env ? env : "/run/netctld"};
	_cleanup_(nctl_freep) char **words = calloc((size_t)argc + 1, sizeof(*words));
	int r, status;

	cli_text_init();
	r = words ? read_options(&q, argc, argv, words) : -ENOMEM;
	if (r != 0)
		return r < 0 ? CLI_USAGE : CLI_OK;
	if (q.action == CLI_HELP) {
		fputs(help, stdout);
		return CLI_OK;
	}
	/* Without files, apply takes the daemon's own. */
	if (q.action == CLI_APPLY && q.n_files == 0)
		q.action = CLI_RELOAD;
	if (q.action == CLI_BATCH && q.n_files == 0)
		q.files[q.n_files++] = "-";
	status = run(&q);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_error("cannot write the answer: %m");
		return CLI_USAGE;
	}
	return status;
}
