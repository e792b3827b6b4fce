/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "netctl/cli.h"

/* How far the daemon is with what it was asked for, while its answer is waited for. */

struct cli_progress_state {
	const char *what, *doing; /* "batch"; "create vlan" or "" */
	int64_t done, total, failed;
	int64_t rate; /* a second; -1: not known yet */
};
/* One line of at most `width` columns, without a newline, in buf. Returns buf. */
const char *cli_progress_line(const struct cli_progress_state *s, size_t width, char *buf, size_t size);

struct cli_progress {
	const struct cli_request *q;
	struct cli_bus bus;  /* of its own: the other one waits */
	bool shows, records; /* a line on the terminal; or JSON records */
	bool drawn;          /* the line is there */
	bool broken;
	int64_t job, first_done;
	nctl_time began, first;
};
void cli_progress_init(struct cli_progress *p, const struct cli_request *q);
/* Some time has passed, or (interrupted) the user wants to leave. 0: wait on; -EINTR: leave, all is said. */
int cli_progress_tick(struct cli_progress *p, bool interrupted);
/* The answer is there. */
void cli_progress_end(struct cli_progress *p);
