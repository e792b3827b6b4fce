/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "netctl/table.h"

/* How lines of one object become rows of a table. line: 0, -EBADMSG; its userdata is the struct cli_table. */
struct cli_rows {
	const char *const *titles;
	size_t n_columns;
	int (*line)(const char *text, size_t len, void *userdata);
};

extern const struct cli_rows cli_link_rows, cli_address_rows, cli_route_rows, cli_rule_rows, cli_nexthop_rows,
	cli_neigh_rows, cli_fdb_rows, cli_vlan_rows, cli_vrf_rows, cli_stats_rows, cli_maddr_rows;
/* Of an object of Query, by its name; NULL: it has none. */
const struct cli_rows *cli_rows_of(const char *object);
