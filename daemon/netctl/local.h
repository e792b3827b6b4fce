/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "netctl/cli.h"

/* Questions about files, which netctld answers as a program of its own: no daemon, no rights. */

/* Flags of these requests, which no daemon sees. */
enum { CLI_NETPLAN = 1 << 16, CLI_ORIGIN = 1 << 17 };

int cli_local_check(const struct cli_request *q);
/* Of files; without any, the daemon is asked for its own. */
int cli_local_config(const struct cli_request *q);
