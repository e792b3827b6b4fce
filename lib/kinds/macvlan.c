/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: macvlan (drivers/net/macvlan.c). The mode may change while the link lives, but never to or from
 * passthru, which must be alone on its lower link. macvtap is the same with a file as well.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "codec/codec.h"
#include "kinds/stacked.h"
#include "net/lladdr.h"
#include "nl/attr.h"

enum {
	MACVLAN_MODE,
	MACVLAN_FLAGS,
	MACVLAN_NOPROMISC,
	MACVLAN_NODST,
	MACVLAN_BCQUEUELEN,
	MACVLAN_USEDBCQUEUELEN,
	MACVLAN_MACADDR_COUNT,
	MACVLAN_MACADDR_DATA,
	MACVLAN_N_FIELDS
};
_Static_assert(
	(int)MACVLAN_N_FIELDS == (int)NCTL_MACVLAN_N_FIELDS, "the header says how many fields there are");

static void macaddr_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	const struct nctl_bytes *b = (const void *)((const char *)data + f->offset);
	struct nctl_lladdr lladdr = {.len = 6};
	const struct nlattr *a = NULL;
	char buf[NCTL_LLADDR_STR];

	nctl_json_arr_begin(json);
	while ((a = nctl_attr_next(b->p, b->n, a))) {
		if (nctl_attr_type(a) != IFLA_MACVLAN_MACADDR || nctl_attr_len(a) < lladdr.len)
			continue;
		memcpy(lladdr.b, nctl_attr_data(a), lladdr.len);
		nctl_json_str(json, nctl_lladdr_format(&lladdr, buf));
	}
	nctl_json_arr_end(json);
}

static const struct nctl_field_ops macaddr_ops = {.print = macaddr_print};

static const struct nctl_name mode_names[] = {
	{"private", MACVLAN_MODE_PRIVATE, NULL},
	{"vepa", MACVLAN_MODE_VEPA, NULL},
	{"bridge", MACVLAN_MODE_BRIDGE, NULL},
	{"passthru", MACVLAN_MODE_PASSTHRU, NULL},
	{"source", MACVLAN_MODE_SOURCE, NULL},
	{0},
};

static const struct nctl_name flag_names[] = {
	{"nopromisc", MACVLAN_FLAG_NOPROMISC, NULL},
	{"nodst", MACVLAN_FLAG_NODST, NULL},
	{0},
};

#define FLAG(json_, bit_)                                                                                    \
	{                                                                                                    \
		.json = json_, .ops = &nctl_codec_bit_ops, NCTL_FIELD(struct nctl_macvlan_data, flags),      \
		.attr = IFLA_MACVLAN_FLAGS, .type = NCTL_FIELD_UINT, .flags = NCTL_FIELD_READONLY,           \
		.dflt = bit_                                                                                 \
	}

const struct nctl_field nctl_macvlan_fields[NCTL_MACVLAN_N_FIELDS] = {
	[MACVLAN_MODE] = {.key = "mode",
		.json = "mode",
		.help = "who may talk to whom on one lower link",
		.names = mode_names,
		NCTL_FIELD(struct nctl_macvlan_data, mode),
		.attr = IFLA_MACVLAN_MODE,
		.type = NCTL_FIELD_ENUM,
		.dflt = MACVLAN_MODE_BRIDGE},
	[MACVLAN_FLAGS] = {.key = "flags",
		.help = "nopromisc of passthru: the lower link does not become promiscuous; nodst of source: "
			"others get the frame, too",
		.names = flag_names,
		NCTL_FIELD(struct nctl_macvlan_data, flags),
		.attr = IFLA_MACVLAN_FLAGS,
		.type = NCTL_FIELD_BITS},
	[MACVLAN_NOPROMISC] = FLAG("nopromisc", MACVLAN_FLAG_NOPROMISC),
	[MACVLAN_NODST] = FLAG("nodst", MACVLAN_FLAG_NODST),
	[MACVLAN_BCQUEUELEN] = {.key = "bc-queue-length",
		.json = "bcqueuelen",
		.help = "broadcasts that may wait to be spread",
		NCTL_FIELD(struct nctl_macvlan_data, bcqueuelen),
		.attr = IFLA_MACVLAN_BC_QUEUE_LEN,
		.type = NCTL_FIELD_UINT},
	[MACVLAN_USEDBCQUEUELEN] = {.json = "usedbcqueuelen",
		NCTL_FIELD(struct nctl_macvlan_data, usedbcqueuelen),
		.attr = IFLA_MACVLAN_BC_QUEUE_LEN_USED,
		.type = NCTL_FIELD_UINT,
		/* The longest of all on the lower link: changes here without a word. */
		.flags = NCTL_FIELD_READONLY | NCTL_FIELD_VOLATILE},
	[MACVLAN_MACADDR_COUNT] = {.json = "macaddr_count",
		NCTL_FIELD(struct nctl_macvlan_data, macaddr_count),
		.attr = IFLA_MACVLAN_MACADDR_COUNT,
		.type = NCTL_FIELD_UINT,
		.flags = NCTL_FIELD_READONLY},
	[MACVLAN_MACADDR_DATA] = {.json = "macaddr_data",
		.ops = &macaddr_ops,
		NCTL_FIELD(struct nctl_macvlan_data, macaddr_data),
		.attr = IFLA_MACVLAN_MACADDR_DATA,
		.type = NCTL_FIELD_BYTES,
		.flags = NCTL_FIELD_READONLY},
};

enum nctl_change_class nctl_macvlan_change_class(const void *have, const void *want, uint64_t mask)
{
	const struct nctl_macvlan_data *h = have, *w = want;

	if (mask & UINT64_C(1) << MACVLAN_MODE &&
		(h->mode == MACVLAN_MODE_PASSTHRU || w->mode == MACVLAN_MODE_PASSTHRU))
		return NCTL_CHANGE_RECREATE;
	return NCTL_CHANGE_LIVE;
}

/* The count is sent in every mode and means something in one. */
uint64_t nctl_macvlan_shown(const void *data, uint64_t has)
{
	const struct nctl_macvlan_data *d = data;

	return d->mode == MACVLAN_MODE_SOURCE ? has : has & ~(UINT64_C(1) << MACVLAN_MACADDR_COUNT);
}

const struct nctl_kind nctl_kind_macvlan = {
	.name = "macvlan",
	.section = "macvlans",
	.lower_key = "link",
	.help = "links with a MAC address of their own on another link",
	.traits = NCTL_KIND_LOWER_REQUIRED | NCTL_KIND_MULTICAST_TO_LOWER,
	.data_size = sizeof(struct nctl_macvlan_data),
	.data = {nctl_macvlan_fields, NCTL_MACVLAN_N_FIELDS},
	.change_class = nctl_macvlan_change_class,
	.shown = nctl_macvlan_shown,
};
