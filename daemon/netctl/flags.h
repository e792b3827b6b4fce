/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is passed between netctl, the daemon and the shell as numbers. */

enum cli_exit {
	CLI_OK = 0,
	CLI_DIFFERENT = 1, /* there is something to do */
	CLI_USAGE = 2,     /* wrong use, wrong configuration, no permission */
	CLI_NO_DAEMON = 3,
	CLI_REFUSED = 4, /* by the kernel */
	CLI_TIMEOUT = 5, /* or the daemon is too busy */
};

/* Flags of Plan, Apply and Reload on the bus. */
enum cli_flags {
	CLI_KEEP_GOING = 1 << 0,
	CLI_ALLOW_RECREATE = 1 << 1,
	CLI_ALLOW_FOREIGN_LOSS = 1 << 2,
	CLI_NO_GUARD = 1 << 3,
};
