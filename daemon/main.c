/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: netctld's command line and life: leaves its privileges to the helper, puts loop, reconciler and bus
 * together, tells the service manager (sd_notify(3)) when the first pass has been attempted, and ends on
 * SIGTERM or SIGINT without touching the network.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bus/bus.h"
#include "log/log.h"
#include "loop/loop.h"
#include "netns/privileges.h"
#include "nl/filter.h"
#include "nl/transport.h"
#include "obj/route.h"
#include "reconcile/check.h"
#include "reconcile/reconcile.h"

enum {
	PATHS_MAX = 64,
	/* rtm_protocol of what is made here */
	PROTOCOL_NETCTL = 78,
	PROTOCOL_NETCTL_PMTU = 79,
};

/* As in netplan(5), a file shadows those of the same name in the folders behind. */
static const char *const default_paths[] = {"/run/netctld", "/etc/netctld", "/usr/lib/netctld"};

struct settings {
	const char *paths[PATHS_MAX];
	size_t n_paths;
	const char *runtime_dir;
	char runtime_path[32]; /* the same, by descriptor */
	const char *user;      /* NULL: the usual one */
	int log_level;
	struct nctl_hub_options hub;
	bool observe;
	bool check, show; /* the paths are files to check, or to show, then leave */
	bool netplan, origin, json;
};

struct daemon {
	struct nd_loop *loop;
	struct nd_reconcile *reconcile;
	struct nd_bus *bus;
	struct nd_signal term, interrupt, hangup;
};

static void usage(FILE *f)
{
	fputs("Usage: netctld [-c PATH]... [-r DIR] [-u USER] [-l LEVEL] [--observe]\n"
	      "       netctld --check [--netplan] [--json] FILE...\n"
	      "       netctld --show [--origin] [--json] [FILE...]\n"
	      "\n"
	      "  -c, --config PATH    a configuration file or folder, repeatable; default:\n"
	      "                       /run/netctld, /etc/netctld, /usr/lib/netctld\n"
	      "  -r, --runtime DIR    the runtime folder (socket, ledger); default $RUNTIME_DIRECTORY\n"
	      "                       or /run/netctld\n"
	      "  -u, --user USER      run as this user, if started by root; default netctld\n"
	      "  -l, --log-level N    0 to 7 as in syslog(3); default 6\n"
	      "      --observe        keep the mirror and answer, change nothing at start\n"
	      "      --receive-buffer BYTES\n"
	      "                       for events that wait to be read; default 33554432\n"
	      "      --ignore-protocol P\n"
	      "      --ignore-table T leave routes of this protocol or table out of the mirror;\n"
	      "                       repeatable\n"
	      "      --check          check the files and exit: 0 fine, 2 errors\n"
	      "      --netplan        is it netplan's language as well? 1 if not\n"
	      "      --show           print what the files say together, and exit\n"
	      "      --origin         with the place of each value\n"
	      "      --json           answer in JSON\n"
	      "  -V, --version\n"
	      "  -h, --help\n"
	      "\n"
	      "See netctld(8), netctl(1), netctld.yaml(5).\n",
		f);
}

static int parse_level(const char *text)
{
	return text[0] >= '0' && text[0] <= '7' && !text[1] ? text[0] - '0' : -1;
}

static int add_path(struct settings *s, const char *path)
{
	if (s->n_paths == PATHS_MAX) {
		fprintf(stderr, "netctld: more than %d paths\n", PATHS_MAX);
		return -E2BIG;
	}
	s->paths[s->n_paths++] = path;
	return 0;
}

enum {
	OPT_OBSERVE = 256,
	OPT_CHECK,
	OPT_SHOW,
	OPT_NETPLAN,
	OPT_ORIGIN,
	OPT_JSON,
	OPT_RECEIVE_BUFFER,
	OPT_IGNORE_PROTOCOL,
	OPT_IGNORE_TABLE
};

/* A socket has at least some 2 KiB, whatever is asked for (net/core/sock.c SOCK_MIN_RCVBUF). */
static int take_receive_buffer(struct settings *s, const char *text)
{
	enum { BYTES_MAX = 1 << 30 };
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9' || !n || n > BYTES_MAX) {
		fprintf(stderr, "netctld: a receive buffer has 1 to %d bytes, not '%s'\n", BYTES_MAX, text);
		return -EINVAL;
	}
	s->hub.receive_buffer = n;
	return 0;
}

/* What netctld makes itself it must see. */
static int take_protocol(struct settings *s, const char *text)
{
	uint8_t protocol;

	if (nctl_route_protocol_parse(text, &protocol) < 0) {
		fprintf(stderr, "netctld: '%s' is no routing protocol\n", text);
		return -EINVAL;
	}
	if (protocol == PROTOCOL_NETCTL || protocol == PROTOCOL_NETCTL_PMTU) {
		fprintf(stderr, "netctld: its own protocol %u cannot be ignored\n", protocol);
		return -EINVAL;
	}
	nctl_event_filter_add_protocol(&s->hub.filter, protocol);
	return 0;
}

static int take_table(struct settings *s, const char *text)
{
	nctl_table table;

	if (nctl_route_table_parse(text, &table) < 0) {
		fprintf(stderr, "netctld: '%s' is no routing table\n", text);
		return -EINVAL;
	}
	if (nctl_event_filter_add_table(&s->hub.filter, table) < 0) {
		fprintf(stderr, "netctld: more than %d tables to ignore\n", NCTL_FILTER_TABLES);
		return -E2BIG;
	}
	return 0;
}

static const struct option long_options[] = {
	{"config", required_argument, NULL, 'c'},
	{"runtime", required_argument, NULL, 'r'},
	{"user", required_argument, NULL, 'u'},
	{"log-level", required_argument, NULL, 'l'},
	{"observe", no_argument, NULL, OPT_OBSERVE},
	{"check", no_argument, NULL, OPT_CHECK},
	{"show", no_argument, NULL, OPT_SHOW},
	{"netplan", no_argument, NULL, OPT_NETPLAN},
	{"origin", no_argument, NULL, OPT_ORIGIN},
	{"json", no_argument, NULL, OPT_JSON},
	{"receive-buffer", required_argument, NULL, OPT_RECEIVE_BUFFER},
	{"ignore-protocol", required_argument, NULL, OPT_IGNORE_PROTOCOL},
	{"ignore-table", required_argument, NULL, OPT_IGNORE_TABLE},
	{"version", no_argument, NULL, 'V'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* One option. 0: go on; 1: done, exit with 0; -errno. */
static int take_option(struct settings *s, int c)
{
	switch (c) {
	case 'c':
		return add_path(s, optarg);
	case 'r':
		s->runtime_dir = optarg;
		return 0;
	case 'u':
		s->user = optarg;
		return 0;
	case 'l':
		s->log_level = parse_level(optarg);
		if (s->log_level < 0)
			fprintf(stderr, "netctld: the log level must be 0 to 7, not '%s'\n", optarg);
		return s->log_level < 0 ? -EINVAL : 0;
	case OPT_OBSERVE:
		s->observe = true;
		return 0;
	case OPT_CHECK:
		s->check = true;
		return 0;
	case OPT_SHOW:
		s->show = true;
		return 0;
	case OPT_NETPLAN:
		s->netplan = true;
		return 0;
	case OPT_ORIGIN:
		s->origin = true;
		return 0;
	case OPT_JSON:
		s->json = true;
		return 0;
	case OPT_RECEIVE_BUFFER:
		return take_receive_buffer(s, optarg);
	case OPT_IGNORE_PROTOCOL:
		return take_protocol(s, optarg);
	case OPT_IGNORE_TABLE:
		return take_table(s, optarg);
	case 'V':
		puts("netctld " NETCTLD_VERSION);
		return 1;
	case 'h':
		usage(stdout);
		return 1;
	}
	usage(stderr);
	return -EINVAL;
}

static int parse_args(int argc, char **argv, struct settings *s)
{
	int c, r = 0;

	while (r == 0 && (c = getopt_long(argc, argv, "c:r:u:l:Vh", long_options, NULL)) >= 0)
		r = take_option(s, c);
	for (; r == 0 && (s->check || s->show) && optind < argc; optind++)
		r = add_path(s, argv[optind]);
	if (r == 0 && optind < argc) {
		fprintf(stderr, "netctld: unexpected argument '%s'\n", argv[optind]);
		r = -EINVAL;
	}
	if (r == 0 && s->check && !s->n_paths) {
		fputs("netctld: --check needs a file\n", stderr);
		r = -EINVAL;
	}
	for (size_t i = 0; r == 0 && !s->n_paths && i < NCTL_ARRAY_SIZE(default_paths); i++)
		s->paths[i] = default_paths[i];
	if (r == 0 && !s->n_paths)
		s->n_paths = NCTL_ARRAY_SIZE(default_paths);
	return r;
}

static bool any_folder(const struct settings *s)
{
	struct stat st;

	for (size_t i = 0; i < s->n_paths; i++)
		if (stat(s->paths[i], &st) == 0 && S_ISDIR(st.st_mode))
			return true;
	return false;
}

/* Folders as the daemon reads them, files in the order in which netctl hands them over. */
static int read_texts(const struct settings *s, struct nd_config_texts *texts, struct nd_diagnostics *diag)
{
	int r = 0;

	if (any_folder(s))
		return nd_config_read_paths(s->paths, s->n_paths, texts, diag);
	for (size_t i = 0; r >= 0 && i < s->n_paths; i++)
		r = strcmp(s->paths[i], "-") ? nd_config_read_paths(&s->paths[i], 1, texts, diag)
		                             : nd_config_read_fd(STDIN_FILENO, "stdin", texts, diag);
	return r;
}

/* --check and --show. */
static int look(const struct settings *s)
{
	_cleanup_(nd_config_texts_fini) struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	_cleanup_(nd_diagnostics_fini) struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf answer = NCTL_STRBUF_INIT, text = NCTL_STRBUF_INIT;
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf yaml = NCTL_STRBUF_INIT;
	int r = read_texts(s, &texts, &diag), status = 2;

	if (r >= 0 && s->show && s->json)
		r = nd_check_show(&texts, &diag, s->origin, &answer, &status);
	else if (r >= 0 && s->show)
		status = diag.n_errors || (r = nd_config_show(&texts, s->origin, &diag, &yaml)) ? 2 : 0;
	else if (r >= 0)
		r = nd_check_texts(&texts, &diag, s->netplan, &answer, &status);
	if (r < 0) {
		fprintf(stderr, "netctld: %s\n", strerror(-r));
		return 2;
	}
	nd_diagnostics_print(&diag, &text);
	if (s->json)
		puts(nctl_strbuf_str(&answer));
	else
		fputs(nctl_strbuf_str(&text), stderr);
	if (s->show && !s->json && status == 0)
		fputs(nctl_strbuf_str(&yaml), stdout);
	return status;
}

static void on_ready(void *userdata)
{
	(void)userdata;
	sd_notify(0, "READY=1\nSTATUS=The first pass has been attempted; see netctl status.");
}

static void on_stop(struct nd_signal *s, int signum)
{
	struct daemon *d = s->userdata;

	nd_info("signal %d: leaving, the network stays as it is", signum);
	sd_notify(0, "STOPPING=1");
	nd_loop_stop(d->loop, 0);
}

static void on_hangup(struct nd_signal *s, int signum)
{
	struct daemon *d = s->userdata;
	int r = nd_reconcile_apply(d->reconcile, NULL, &(struct nd_apply){0}, NULL, NULL);

	(void)signum;
	if (r < 0)
		nd_error("cannot reload: %s", strerror(-r));
}

/*
 * A turn of the loop must not be spent on page faults: one costs 0.7 us on bare metal, but 50 us and more in
 * a guest, and a plan for 1,500 VLANs touches a thousand new pages (tests/bench/latency). So the heap is
 * touched once, large pieces come from it as well, it is not given back after each job, and the program's own
 * code is mapped (madvise(2), Linux 5.14; an older kernel refuses, and all is as it would be without).
 */
static void warm_up(void)
{
	enum { WARM_BYTES = 8 * 1024 * 1024, KEEP_BYTES = 16 * 1024 * 1024 };
	extern const char __executable_start[], etext[];
	uintptr_t from = (uintptr_t)__executable_start & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	void *p;

	madvise((void *)from, (uintptr_t)etext - from, MADV_POPULATE_READ);
	mallopt(M_MMAP_THRESHOLD, KEEP_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEEP_BYTES);
	p = malloc(WARM_BYTES);
	if (p)
		explicit_bzero(p, WARM_BYTES); /* a memset before a free is dropped by the compiler */
	free(p);
}

static const char lock_dir[] = "/run/netctld.locks";

/* What only root may do is the helper's from here. */
static int drop_privileges(const struct settings *s, int *ret_control_fd)
{
	const struct nd_privileges p = {
		.user = s->user,
		.paths = s->paths,
		.n_paths = s->n_paths,
		.runtime_dir = s->runtime_dir,
		.lock_dir = lock_dir,
	};

	return nd_privileges_drop(&p, ret_control_fd);
}

/*
 * The folder by a descriptor of it: the user that we are about to become may have no way through the folders
 * above, and the path of a socket in it is short then (unix(7)). The descriptor stays open.
 */
static int open_runtime_dir(struct settings *s)
{
	int fd;

	if (mkdir(s->runtime_dir, 0755) < 0 && errno != EEXIST)
		return -errno;
	fd = open(s->runtime_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(s->runtime_path, sizeof(s->runtime_path), "/proc/self/fd/%d", fd);
	return 0;
}

static int run(const struct settings *s, int control_fd)
{
	struct nd_reconcile_options opts = {
		.paths = s->paths,
		.n_paths = s->n_paths,
		.runtime_dir = s->runtime_path,
		.runtime_name = s->runtime_dir,
		.lock_dir = lock_dir,
		.kernel = nctl_kernel_here(),
		.control_fd = control_fd,
		.observe = s->observe,
		.hub = &s->hub,
	};
	struct daemon d = {0};
	int r = nd_loop_new(&d.loop);

	if (r >= 0)
		r = nd_reconcile_new(d.loop, &opts, on_ready, NULL, &d.reconcile);
	if (r >= 0)
		r = nd_bus_new(d.loop, d.reconcile, s->runtime_path, -1, &d.bus);
	if (r >= 0) {
		nd_signal_init(&d.term, d.loop, SIGTERM, on_stop, &d);
		nd_signal_init(&d.interrupt, d.loop, SIGINT, on_stop, &d);
		nd_signal_init(&d.hangup, d.loop, SIGHUP, on_hangup, &d);
		r = nd_loop_run(d.loop);
		nd_signal_stop(&d.hangup);
		nd_signal_stop(&d.interrupt);
		nd_signal_stop(&d.term);
	} else {
		nd_error("cannot start: %s", strerror(-r));
	}
	d.reconcile = nd_reconcile_free(d.reconcile); /* answers the bus's waiting clients */
	nd_bus_free(d.bus);
	nd_loop_free(d.loop);
	return r ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Were one of these closed, a file of ours would take its number, and messages would be written into it. */
static void open_std_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const char *dir = getenv("RUNTIME_DIRECTORY");
	struct settings s = {.runtime_dir = dir && *dir ? dir : "/run/netctld", .log_level = 6};
	int r, control_fd = -1;

	open_std_fds();
	r = parse_args(argc, argv, &s);
	if (r)
		return r < 0 ? 2 : 0;
	if (s.check || s.show)
		return look(&s);
	nd_log_open("netctld", s.log_level);
	signal(SIGPIPE, SIG_IGN);
	r = open_runtime_dir(&s);
	if (r < 0) {
		nd_error("cannot start: the runtime folder %s: %s", s.runtime_dir, strerror(-r));
		return EXIT_FAILURE;
	}
	r = drop_privileges(&s, &control_fd);
	if (r < 0) {
		nd_error("cannot start: the privileges cannot be given up: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	warm_up();
	return run(&s, control_fd);
}
