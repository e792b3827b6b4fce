/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: settings of drivers as messages of the ethtool family and back. Fields go by their table; switches are
 * bitsets in the form with names (net/ethtool/bitset.c), so that no list of strings is needed first.
 */
#include "codec/ethtool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/ethtool_netlink.h>

#include "base/cleanup.h"
#include "codec/codec.h"
#include "nl/attr.h"
#include "nl/genl.h"

static const struct commands {
	uint8_t get, set, reply;
	uint8_t header; /* attribute */
	uint8_t bitset; /* of switches: what is set; FEATURES: asked for by WANTED */
} commands[NCTL_ETHTOOL_N_GROUPS] = {
	[NCTL_ETHTOOL_FEATURES] = {ETHTOOL_MSG_FEATURES_GET, ETHTOOL_MSG_FEATURES_SET,
		ETHTOOL_MSG_FEATURES_GET_REPLY, ETHTOOL_A_FEATURES_HEADER, ETHTOOL_A_FEATURES_WANTED},
	[NCTL_ETHTOOL_PRIVATE_FLAGS] = {ETHTOOL_MSG_PRIVFLAGS_GET, ETHTOOL_MSG_PRIVFLAGS_SET,
		ETHTOOL_MSG_PRIVFLAGS_GET_REPLY, ETHTOOL_A_PRIVFLAGS_HEADER, ETHTOOL_A_PRIVFLAGS_FLAGS},
	[NCTL_ETHTOOL_WAKE] = {ETHTOOL_MSG_WOL_GET, ETHTOOL_MSG_WOL_SET, ETHTOOL_MSG_WOL_GET_REPLY,
		ETHTOOL_A_WOL_HEADER, ETHTOOL_A_WOL_MODES},
	[NCTL_ETHTOOL_RINGS] = {ETHTOOL_MSG_RINGS_GET, ETHTOOL_MSG_RINGS_SET, ETHTOOL_MSG_RINGS_GET_REPLY,
		ETHTOOL_A_RINGS_HEADER},
	[NCTL_ETHTOOL_CHANNELS] = {ETHTOOL_MSG_CHANNELS_GET, ETHTOOL_MSG_CHANNELS_SET,
		ETHTOOL_MSG_CHANNELS_GET_REPLY, ETHTOOL_A_CHANNELS_HEADER},
	[NCTL_ETHTOOL_COALESCE] = {ETHTOOL_MSG_COALESCE_GET, ETHTOOL_MSG_COALESCE_SET,
		ETHTOOL_MSG_COALESCE_GET_REPLY, ETHTOOL_A_COALESCE_HEADER},
	[NCTL_ETHTOOL_PAUSE] = {ETHTOOL_MSG_PAUSE_GET, ETHTOOL_MSG_PAUSE_SET, ETHTOOL_MSG_PAUSE_GET_REPLY,
		ETHTOOL_A_PAUSE_HEADER},
	[NCTL_ETHTOOL_LINK] = {ETHTOOL_MSG_LINKMODES_GET, ETHTOOL_MSG_LINKMODES_SET,
		ETHTOOL_MSG_LINKMODES_GET_REPLY, ETHTOOL_A_LINKMODES_HEADER},
};

/* The fields of a group alone: groups use the same attribute numbers. */
static struct nctl_field_table table_of(enum nctl_ethtool_group g)
{
	return (struct nctl_field_table){
		nctl_ethtool_fields.v + nctl_ethtool_groups[g].first, nctl_ethtool_groups[g].n};
}

static void begin(uint16_t family, uint8_t cmd, nctl_ifindex ifindex, enum nctl_ethtool_group g,
	uint32_t flags, struct nctl_msgbuf *msg)
{
	size_t nest;

	nctl_genl_begin(msg, family, 0, cmd, ETHTOOL_GENL_VERSION);
	nest = nctl_msg_nest_begin(msg, NLA_F_NESTED | commands[g].header);
	nctl_msg_put_u32(msg, ETHTOOL_A_HEADER_DEV_INDEX, ifindex);
	if (flags)
		nctl_msg_put_u32(msg, ETHTOOL_A_HEADER_FLAGS, flags);
	nctl_msg_nest_end(msg, nest);
}

void nctl_ethtool_encode_get(
	uint16_t family, nctl_ifindex ifindex, enum nctl_ethtool_group g, struct nctl_msgbuf *msg)
{
	begin(family, commands[g].get, ifindex, g, 0, msg);
}

static void put_bitset(uint16_t attr, const struct nctl_switches *s, struct nctl_msgbuf *msg)
{
	size_t set = nctl_msg_nest_begin(msg, NLA_F_NESTED | attr);
	size_t bits = nctl_msg_nest_begin(msg, NLA_F_NESTED | ETHTOOL_A_BITSET_BITS), bit;

	for (size_t i = 0; i < s->n; i++) {
		bit = nctl_msg_nest_begin(msg, NLA_F_NESTED | ETHTOOL_A_BITSET_BITS_BIT);
		nctl_msg_put_str(msg, ETHTOOL_A_BITSET_BIT_NAME, s->v[i].name);
		if (s->v[i].on)
			nctl_msg_put(msg, ETHTOOL_A_BITSET_BIT_VALUE, NULL, 0);
		nctl_msg_nest_end(msg, bit);
	}
	nctl_msg_nest_end(msg, bits);
	nctl_msg_nest_end(msg, set);
}

void nctl_ethtool_encode_set(uint16_t family, nctl_ifindex ifindex, enum nctl_ethtool_group g,
	const struct nctl_ethtool *v, uint64_t mask, const struct nctl_switches *switches,
	struct nctl_msgbuf *msg)
{
	const struct nctl_field_table t = table_of(g);
	bool is_features = g == NCTL_ETHTOOL_FEATURES;

	begin(family, commands[g].set, ifindex, g, is_features ? ETHTOOL_FLAG_OMIT_REPLY : 0, msg);
	if (g < NCTL_ETHTOOL_N_SWITCHES)
		put_bitset(commands[g].bitset, switches, msg);
	else
		nctl_codec_fields_encode(&t, v, mask >> nctl_ethtool_groups[g].first, msg);
}

static struct nctl_switch *add_switch(struct nctl_switches *s, const char *name)
{
	struct nctl_switch *v;

	if (!s->v)
		s->v = calloc(NCTL_SWITCHES_MAX, sizeof(*s->v));
	if (!s->v || s->n == NCTL_SWITCHES_MAX)
		return NULL;
	v = &s->v[s->n++];
	*v = (struct nctl_switch){0};
	strcpy(v->name, name); /* as long as the policy allows */
	return v;
}

/* What the names in a bitset mean. */
enum meaning {
	ARE_ON,   /* those with VALUE, or, without a mask, all */
	ARE_FREE, /* those with VALUE can be changed, the others not; all names there are */
};

static int take_bit(const struct nlattr *bit, enum meaning m, bool nomask, struct nctl_switches *s)
{
	static const struct nctl_attr_policy policy[] = {
		[ETHTOOL_A_BITSET_BIT_NAME] = {.kind = NCTL_ATTR_STR, .max = NCTL_SWITCH_NAME},
		[ETHTOOL_A_BITSET_BIT_VALUE] = {.kind = NCTL_ATTR_ANY},
	};
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)];
	struct nctl_switch *v;
	bool value;

	if (nctl_attr_parse_nest(bit, policy, tb, NCTL_ARRAY_SIZE(policy) - 1) < 0 ||
		!tb[ETHTOOL_A_BITSET_BIT_NAME])
		return -EBADMSG;
	value = nomask || tb[ETHTOOL_A_BITSET_BIT_VALUE];
	v = (struct nctl_switch *)nctl_switches_find(s, nctl_attr_str(tb[ETHTOOL_A_BITSET_BIT_NAME]));
	if (!v)
		v = add_switch(s, nctl_attr_str(tb[ETHTOOL_A_BITSET_BIT_NAME]));
	if (!v)
		return s->v ? -EBADMSG : -ENOMEM;
	if (m == ARE_FREE)
		v->fixed = !value;
	else
		v->on = value;
	return 0;
}

static int take_bitset(const struct nlattr *set, enum meaning m, struct nctl_switches *s)
{
	static const struct nctl_attr_policy policy[] = {
		[ETHTOOL_A_BITSET_NOMASK] = {.kind = NCTL_ATTR_ANY},
		[ETHTOOL_A_BITSET_BITS] = {.kind = NCTL_ATTR_NEST},
	};
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)], *bit = NULL, *bits;
	int r = 0;

	if (!set)
		return 0;
	if (nctl_attr_parse_nest(set, policy, tb, NCTL_ARRAY_SIZE(policy) - 1) < 0)
		return -EBADMSG;
	bits = tb[ETHTOOL_A_BITSET_BITS];
	while (r == 0 && bits && (bit = nctl_attr_next(nctl_attr_data(bits), nctl_attr_len(bits), bit)))
		r = take_bit(bit, m, tb[ETHTOOL_A_BITSET_NOMASK], s);
	return r;
}

int nctl_ethtool_decode(const struct nlmsghdr *nlh, enum nctl_ethtool_group g, struct nctl_ethtool *ret)
{
	static const struct nctl_attr_policy any[NCTL_CODEC_ATTR_MAX + 1];
	const struct nctl_field_table t = table_of(g);
	const struct nlattr *tb[NCTL_ARRAY_SIZE(any)];
	struct nctl_codec_taken taken = NCTL_CODEC_TAKEN_NONE;
	uint64_t has = 0;
	int r;

	if (nctl_genl_cmd(nlh) != commands[g].reply || nctl_genl_parse(nlh, any, tb, NCTL_CODEC_ATTR_MAX) < 0)
		return -EBADMSG;
	if (g == NCTL_ETHTOOL_FEATURES) {
		r = take_bitset(tb[ETHTOOL_A_FEATURES_HW], ARE_FREE, &ret->switches[g]);
		return r < 0 ? r : take_bitset(tb[ETHTOOL_A_FEATURES_ACTIVE], ARE_ON, &ret->switches[g]);
	}
	if (g < NCTL_ETHTOOL_N_SWITCHES)
		return take_bitset(tb[commands[g].bitset], ARE_ON, &ret->switches[g]);
	r = nctl_codec_fields_take(&t, tb, NCTL_CODEC_ATTR_MAX, ret, &has, &taken);
	ret->has |= has << nctl_ethtool_groups[g].first;
	return r;
}
