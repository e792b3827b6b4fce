/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The words of netctl: objects, verbs and filters, named and cut short as in ip(8). Read by grammar.c.
 */
#include "netctl/words.h"

/* clang-format off */
/* As in ip(8), "show" may be left out. */
#define SHOW(filters_)                                                                                       \
	{WORD, "show", 2, .next = filters_},                                                                 \
	{WORD, "list", 3, .next = filters_},                                                                 \
	{WORD, "ls", .next = filters_},                                                                      \
	{ELSE, .next = filters_}
/* clang-format on */

/* clang-format off */
#define LINK_FILTERS                                                                                         \
	{PAIR, "dev", .what = "the name of a device"},                                                       \
	{PAIR, "index", .what = "the index of a device"},                                                    \
	{PAIR, "type", .what = "a kind of links"},                                                           \
	{PAIR, "master", .what = "the name of a device"},                                                    \
	{PAIR, "vrf", .what = "the name of a VRF"},                                                          \
	{FLAG, "up"},                                                                                        \
	{NAME, "dev", .what = "NAME"}
/* clang-format on */

static const struct token link_filters[] = {{END}, LINK_FILTERS, {LAST}};

/* As in ip(8), "-tentative" is all that are not. */
#define ADDRESS_FLAG(word_)                                                                                  \
	{FLAG, word_},                                                                                       \
	{                                                                                                    \
		FLAG, "-" word_, .what = "not", .key = word_                                                 \
	}

static const struct token address_filters[] = {
	{END},
	{PAIR, "to", .what = "a prefix"},
	{PAIR, "scope", .what = "global, site, link or host"},
	{PAIR, "label", .what = "a pattern of labels"},
	ADDRESS_FLAG("permanent"),
	ADDRESS_FLAG("dynamic"),
	ADDRESS_FLAG("primary"),
	ADDRESS_FLAG("secondary"),
	ADDRESS_FLAG("temporary"),
	ADDRESS_FLAG("tentative"),
	ADDRESS_FLAG("deprecated"),
	ADDRESS_FLAG("dadfailed"),
	ADDRESS_FLAG("home"),
	ADDRESS_FLAG("mngtmpaddr"),
	ADDRESS_FLAG("nodad"),
	ADDRESS_FLAG("optimistic"),
	ADDRESS_FLAG("noprefixroute"),
	ADDRESS_FLAG("autojoin"),
	LINK_FILTERS,
	{LAST},
};

static const struct token move_words[] = {
	{END},
	{PAIR, "netns", .what = "the name of a namespace, \"\" for the daemon's own, or a PID"},
	{PAIR, "name", .what = "the new name of the device"},
	{PAIR, "dev", .what = "the name of a device"},
	{NAME, "dev", .what = "NAME"},
	{LAST},
};

/* As in ip(8), "show" may be left out. */
static const struct token link_verbs[] = {
	{WORD, "move", 2, NULL, CLI_MOVE, move_words},
	SHOW(link_filters),
	{LAST},
};

static const struct token address_verbs[] = {SHOW(address_filters), {LAST}};

static const struct token route_filters[] = {
	{END},
	{PAIR, "table", .what = "main, local, default, all, or a number"},
	{PAIR, "vrf", .what = "the name of a VRF"},
	{PAIR, "dev", .what = "the name of a device"},
	{PAIR, "via", .what = "the address of a gateway, or a prefix"},
	{PAIR, "protocol", 5, .what = "the name or number of a routing protocol"},
	{PAIR, "type", .what = "unicast, local, blackhole, ..."},
	{PAIR, "scope", .what = "global, site, link or host"},
	{PAIR, "src", .what = "an address, or a prefix"},
	{PAIR, "from", .what = "a prefix"},
	{PAIR, "tos", .what = "a hexadecimal number"},
	{PAIR, "dsfield", .what = "a hexadecimal number", .key = "tos"},
	{PAIR, "metric", .what = "a number"},
	{PAIR, "nhid", .what = "the id of a next hop"},
	{PAIR, "root", .what = "a prefix, or default"},
	{PAIR, "match", .what = "a prefix, or default"},
	{PAIR, "exact", .what = "a prefix, or default"},
	{PARTICLE, "to", .what = "a prefix"},
	{NAME, "exact", .what = "PREFIX"},
	{LAST},
};

static const struct token route_get_words[] = {
	{END},
	{PAIR, "to", .what = "an address"},
	{PAIR, "from", .what = "an address"},
	{PAIR, "iif", .what = "the name of a device"},
	{PAIR, "oif", .what = "the name of a device"},
	{PAIR, "dev", .what = "the name of a device", .key = "oif"},
	{PAIR, "mark", .what = "a number"},
	{PAIR, "fwmark", .what = "a number", .key = "mark"},
	{PAIR, "vrf", .what = "the name of a VRF"},
	{PAIR, "uid", .what = "a number"},
	{PAIR, "ipproto", .what = "tcp, udp, icmp, or a number"},
	{PAIR, "sport", .what = "a port"},
	{PAIR, "dport", .what = "a port"},
	{PAIR, "tos", .what = "a hexadecimal number"},
	{PAIR, "dsfield", .what = "a hexadecimal number", .key = "tos"},
	{NAME, "to", .what = "ADDRESS"},
	{LAST},
};

static const struct token route_verbs[] = {
	{WORD, "get", 1, NULL, CLI_ROUTE_GET, route_get_words},
	SHOW(route_filters),
	{LAST},
};

static const struct token rule_filters[] = {
	{END},
	{PAIR, "priority", 2, .what = "a number"},
	{PAIR, "preference", 4, .what = "a number", .key = "priority"},
	{PAIR, "order", .what = "a number", .key = "priority"},
	{PAIR, "table", .what = "main, local, default, or a number"},
	{PAIR, "lookup", .what = "main, local, default, or a number", .key = "table"},
	{PAIR, "from", .what = "a prefix"},
	{PAIR, "to", .what = "a prefix"},
	{PAIR, "iif", .what = "the name of a device"},
	{PAIR, "oif", .what = "the name of a device"},
	{PAIR, "fwmark", .what = "MARK or MARK/MASK"},
	{PAIR, "protocol", 5, .what = "the name or number of a routing protocol"},
	{LAST},
};
static const struct token rule_verbs[] = {SHOW(rule_filters), {LAST}};

static const struct token nexthop_filters[] = {
	{END},
	{PAIR, "id", .what = "a number"},
	{PAIR, "dev", .what = "the name of a device"},
	{PAIR, "vrf", .what = "the name of a VRF"},
	{PAIR, "master", .what = "the name of a device"},
	{PAIR, "protocol", 5, .what = "the name or number of a routing protocol"},
	{FLAG, "groups", 5},
	{FLAG, "fdb"},
	{LAST},
};
static const struct token nexthop_verbs[] = {SHOW(nexthop_filters), {LAST}};

static const struct token neigh_filters[] = {
	{END},
	{PAIR, "to", .what = "a prefix"},
	{PAIR, "dev", .what = "the name of a device"},
	{PAIR, "nud", .what = "reachable, stale, permanent, ..., or all"},
	{PAIR, "master", .what = "the name of a device"},
	{PAIR, "vrf", .what = "the name of a VRF"},
	{FLAG, "proxy"},
	{FLAG, "router"},
	{FLAG, "extern_learn"},
	{FLAG, "unused"},
	{NAME, "to", .what = "PREFIX"},
	{LAST},
};
static const struct token fdb_filters[] = {
	{END},
	{PAIR, "br", .what = "the name of a bridge"},
	{PAIR, "dev", .what = "the name of a device"},
	{PAIR, "brport", .what = "the name of a device", .key = "dev"},
	{PAIR, "vlan", .what = "a number"},
	{PAIR, "state", .what = "permanent, static, stale, or all"},
	{FLAG, "dynamic"},
	{LAST},
};
static const struct token neigh_verbs[] = {
	{WORD, "bridge", .action = CLI_FDB, .next = fdb_filters},
	SHOW(neigh_filters),
	{LAST},
};
static const struct token fdb_verbs[] = {SHOW(fdb_filters), {LAST}};

static const struct token maddr_filters[] = {{END}, {FLAG, "why"}, LINK_FILTERS, {LAST}};
static const struct token maddr_verbs[] = {SHOW(maddr_filters), {LAST}};

static const struct token vlan_filters[] = {
	{END},
	{PAIR, "dev", .what = "the name of a device"},
	{PAIR, "master", .what = "the name of a bridge"},
	{NAME, "dev", .what = "NAME"},
	{LAST},
};

static const struct token vlan_verbs[] = {SHOW(vlan_filters), {LAST}};

static const struct token vrf_filters[] = {
	{END},
	{PAIR, "dev", .what = "the name of a VRF"},
	{FLAG, "up"},
	{NAME, "dev", .what = "NAME"},
	{LAST},
};
static const struct token vrf_verbs[] = {SHOW(vrf_filters), {LAST}};

static const struct token monitor_words[] = {
	{END},
	{FLAG, "all", 2},
	{FLAG, "link", 1},
	{FLAG, "address", 1},
	{FLAG, "route", 1},
	{FLAG, "rule", 2},
	{FLAG, "nexthop", 3},
	{FLAG, "netns", 3},
	{FLAG, "initial"},
	{FLAG, "dump", .key = "initial"},
	{LAST},
};

static const struct token no_more[] = {{END}, {LAST}};

static const struct token why_words[] = {
	{PAIR, "dev", .what = "the name of a device", .next = no_more},
	{NAME, "dev", .what = "NAME", .next = no_more},
	{LAST},
};

static const struct token netns_filters[] = {
	{END},
	{FLAG, "all"},
	{PAIR, "name", .what = "the name of a namespace"},
	{NAME, "name", .what = "NAME"},
	{LAST},
};

static const struct token netns_names[] = {{REST, .what = "NAME"}, {LAST}};

/* Options behind it are the command's. */
static const struct token netns_command[] = {{REST, .what = "NAME and a command", .min = 1}, {LAST}};

static const struct token netns_pid[] = {{END}, {NAME, "pid", .what = "PID", .next = no_more}, {LAST}};

static const struct token netns_name[] = {{NAME, "name", .what = "NAME", .next = no_more}, {LAST}};

static const struct token netns_verbs[] = {
	{WORD, "list", 1, .next = netns_filters},
	{WORD, "show", 1, .next = netns_filters},
	{WORD, "ls", .next = netns_filters},
	{WORD, "add", 1, NULL, CLI_NETNS_ADD, netns_names},
	{WORD, "delete", 1, NULL, CLI_NETNS_DEL, netns_names},
	{WORD, "exec", 1, NULL, CLI_NETNS_EXEC, netns_command},
	{WORD, "identify", 1, NULL, CLI_NETNS_IDENTIFY, netns_pid},
	{WORD, "pids", 1, NULL, CLI_NETNS_PIDS, netns_name},
	{ELSE, .next = netns_filters},
	{LAST},
};

static const struct token more_files[] = {
	{END},
	{FILES, .what = "FILE"},
	{LAST},
};

static const struct token files[] = {
	{FILES, .what = "FILE", .next = more_files},
	{LAST},
};

static const struct token job_number[] = {{END}, {NAME, "job", .what = "the number of a job", .next = no_more}, {LAST}};

static const struct token one_file[] = {{END}, {FILES, .what = "FILE", .next = no_more}, {LAST}};

static const struct token config_verbs[] = {
	{WORD, "show", 1, .next = more_files},
	{ELSE, .next = more_files},
	{LAST},
};

const struct token cli_words[] = {
	{WORD, "link", 1, NULL, CLI_LINK, link_verbs},
	{WORD, "address", 1, NULL, CLI_ADDRESS, address_verbs},
	{WORD, "route", 1, NULL, CLI_ROUTE, route_verbs},
	{WORD, "rule", 2, NULL, CLI_RULE, rule_verbs},
	{WORD, "neighbour", 1, NULL, CLI_NEIGH, neigh_verbs},
	{WORD, "neighbor", 1, NULL, CLI_NEIGH, neigh_verbs},
	{WORD, "nexthop", 3, NULL, CLI_NEXTHOP, nexthop_verbs},
	{WORD, "fdb", 1, NULL, CLI_FDB, fdb_verbs},
	{WORD, "vrf", 1, NULL, CLI_VRF, vrf_verbs},
	{WORD, "vlan", 2, NULL, CLI_VLAN, vlan_verbs},
	{WORD, "maddress", 1, NULL, CLI_MADDR, maddr_verbs},
	{WORD, "netns", 3, NULL, CLI_NETNS_LIST, netns_verbs},
	{WORD, "monitor", 2, NULL, CLI_MONITOR, monitor_words},
	{WORD, "check", 2, NULL, CLI_CHECK, files},
	{WORD, "config", 4, NULL, CLI_CONFIG_SHOW, config_verbs},
	{WORD, "plan", 2, NULL, CLI_PLAN, more_files},
	{WORD, "apply", 2, NULL, CLI_APPLY, more_files},
	{WORD, "batch", 2, NULL, CLI_BATCH, one_file},
	{WORD, "cancel", 2, NULL, CLI_CANCEL, job_number},
	{WORD, "reload", 3, NULL, CLI_RELOAD, NULL},
	{WORD, "confirm", 4, NULL, CLI_CONFIRM, NULL},
	{WORD, "rollback", 4, NULL, CLI_ROLLBACK, NULL},
	{WORD, "status", 2, NULL, CLI_STATUS, NULL},
	{WORD, "drift", 1, NULL, CLI_DRIFT, NULL},
	{WORD, "why", 1, NULL, CLI_WHY, why_words},
	{WORD, "stats", 5, NULL, CLI_STATS, NULL},
	{WORD, "verify", 2, NULL, CLI_VERIFY, NULL},
	{WORD, "resync", 3, NULL, CLI_RESYNC, NULL},
	{WORD, "help", 1, NULL, CLI_HELP, NULL},
	{LAST},
};
