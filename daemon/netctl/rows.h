/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "netctl/table.h"

/* How lines of one object become rows of a table. line: 0, -EBADMSG; its userdata is the struct cli_table. */
struct cli_rows {
	const char *const *titles;
	size_t n_columns;
	int (*line)(const char *text, size_t len, void *userdata);
};

extern const struct cli_rows cli_link_rows, cli_address_rows;
