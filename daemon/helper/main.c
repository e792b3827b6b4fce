/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the start of netctld-helper, which netctld starts as root before it gives up root's rights: checks
 * what it was called with, leaves behind what it does not need, and becomes the keeper.
 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "helper/private.h"

enum { EXIT_USAGE = 2, CONTROL_FD = 3 };

static const char usage[] = "Usage: netctld-helper --control-fd N --user-id UID [--runtime DIR] [PATH]...\n"
			    "\n"
			    "Is started by netctld, and carries out what needs more rights than that has.\n"
			    "\n"
			    "      --control-fd N   the socket to netctld\n"
			    "      --user-id UID    the user of netctld; nobody else is served, but root\n"
			    "      --runtime DIR    accepted and ignored\n"
			    "  -h, --help\n"
			    "  -V, --version\n"
			    "\n"
			    "PATH is a file or folder with configuration that it may open for netctld.\n";

/* -1: o is complete; else the exit status. */
static int parse_arguments(int argc, char **argv, struct nd_helper_options *o)
{
	static const struct option options[] = {
		{"control-fd", required_argument, NULL, 'c'},
		{"user-id", required_argument, NULL, 'u'},
		{"runtime", required_argument, NULL, 'r'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{0},
	};
	uint32_t fd = 0, user = UINT32_MAX;
	int c, r = 0;

	while (r == 0 && (c = getopt_long(argc, argv, "hV", options, NULL)) >= 0) {
		switch (c) {
		case 'c':
			r = nctl_parse_u32(optarg, 10, STDERR_FILENO + 1, INT32_MAX, &fd);
			break;
		case 'u':
			r = nctl_parse_u32(optarg, 10, 0, UINT32_MAX - 1, &user);
			break;
		case 'r':
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'V':
			puts("netctld-helper " NETCTLD_VERSION);
			return 0;
		default:
			r = -EINVAL;
		}
	}
	if (r < 0 || !fd || user == UINT32_MAX) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	*o = (struct nd_helper_options){
		.control_fd = (int)fd,
		.user = user,
		.paths = (const char *const *)argv + optind,
		.n_paths = (size_t)(argc - optind),
	};
	return -1;
}

/* The socket becomes CONTROL_FD, and all other descriptors of the daemon are closed. */
static int take_control(struct nd_helper_options *o)
{
	int type;
	socklen_t len = sizeof(type);

	if (getsockopt(o->control_fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0)
		return -errno;
	if (type != SOCK_SEQPACKET)
		return -EPROTOTYPE;
	if (o->control_fd != CONTROL_FD && dup2(o->control_fd, CONTROL_FD) < 0)
		return -errno;
	o->control_fd = CONTROL_FD;
	return close_range(CONTROL_FD + 1, ~0U, 0) < 0 ? -errno : 0;
}

/* The daemon ends us by closing the socket; what the terminal sends is meant for the daemon. */
static void set_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
}

/* A pool and files under way are many descriptors; a lower limit does no harm but to large configurations. */
static void raise_limits(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int main(int argc, char **argv)
{
	struct nd_helper_options o;
	int r = parse_arguments(argc, argv, &o);

	if (r >= 0)
		return r;
	set_signals();
	raise_limits();
	umask(022);
	r = take_control(&o);
	if (r < 0) {
		fprintf(stderr, "netctld-helper: --control-fd: %s\n", strerror(-r));
		return EXIT_USAGE;
	}
	r = nd_confine_capabilities();
	if (r < 0) {
		fprintf(stderr, "netctld-helper: cannot limit its capabilities: %s\n", strerror(-r));
		return 1;
	}
	return nd_keeper_run(&o);
}
