/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: tun and tap (drivers/net/tun.c tun_fill_info): made by a program that opens /dev/net/tun, never by
 * netlink, so all of it is state. How many queues are open changes without a word. ip(8) shows users and
 * groups by name; they are looked for in the local files alone, as other sources may take as long as they
 * please.
 */
#include <grp.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <pwd.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "obj/kind.h"

struct tun_data {
	uint32_t owner, group, n_queues, n_disabled;
	uint8_t type, pi, vnet_hdr, persist, multi_queue;
};

enum { LINE_MAX_BYTES = 4096 }; /* of a group's or user's line; a longer one is passed over */

/* Indexes into tun_fields of those that are shown by value. */
enum { N_QUEUES, N_DISABLED };

static void owner_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	uint64_t id = nctl_field_get(f, data);
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd pw, *found = NULL;
	char buf[LINE_MAX_BYTES];

	while (file && fgetpwent_r(file, &pw, buf, sizeof(buf), &found) == 0 && found && pw.pw_uid != id)
		found = NULL;
	if (found)
		nctl_json_str(json, pw.pw_name);
	else
		nctl_json_u64(json, id);
	if (file)
		fclose(file);
}

static void group_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	uint64_t id = nctl_field_get(f, data);
	FILE *file = fopen("/etc/group", "re");
	struct group gr, *found = NULL;
	char buf[LINE_MAX_BYTES];

	while (file && fgetgrent_r(file, &gr, buf, sizeof(buf), &found) == 0 && found && gr.gr_gid != id)
		found = NULL;
	if (found)
		nctl_json_str(json, gr.gr_name);
	else
		nctl_json_u64(json, id);
	if (file)
		fclose(file);
}

static const struct nctl_field_ops owner_ops = {.print = owner_print};
static const struct nctl_field_ops group_ops = {.print = group_print};
static const struct nctl_name type_names[] = {{"tun", IFF_TUN, NULL}, {"tap", IFF_TAP, NULL}, {0}};

/* clang-format off */
#define T(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct tun_data, member_), .attr = IFLA_TUN_##attr_,                      \
		.type = NCTL_FIELD_##type_, .flags = NCTL_FIELD_READONLY

static const struct nctl_field tun_fields[] = {
	[N_QUEUES] = T(n_queues, NUM_QUEUES, "numqueues", UINT) | NCTL_FIELD_VOLATILE},
	[N_DISABLED] = T(n_disabled, NUM_DISABLED_QUEUES, "numdisabled", UINT) | NCTL_FIELD_VOLATILE},
	T(type, TYPE, "type", ENUM), .names = type_names},
	T(pi, PI, "pi", BOOL)},
	T(vnet_hdr, VNET_HDR, "vnet_hdr", BOOL)},
	T(multi_queue, MULTI_QUEUE, "multi_queue", BOOL)},
	T(persist, PERSIST, "persist", BOOL)},
	T(owner, OWNER, "user", UINT), .ops = &owner_ops},
	T(group, GROUP, "group", UINT), .ops = &group_ops},
};
/* clang-format on */

static uint64_t tun_shown(const void *data, uint64_t has)
{
	const struct tun_data *d = data;

	return d->multi_queue ? has : has & ~(UINT64_C(1) << N_QUEUES | UINT64_C(1) << N_DISABLED);
}

const struct nctl_kind nctl_kind_tun = {
	.name = "tun",
	.help = "interfaces whose other end is a program",
	.data_size = sizeof(struct tun_data),
	.data = {tun_fields, NCTL_ARRAY_SIZE(tun_fields)},
	.shown = tun_shown,
};
