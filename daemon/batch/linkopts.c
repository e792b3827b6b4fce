/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what ip-link(8) lets a line say of any link, and the operation that sets it. Words that this tool does
 * not know (VFs, XDP) are refused like any other.
 */
#include "batch/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "obj/rtname.h"

struct option;
typedef bool (*option_fn)(struct reader *r, struct link_words *l, const struct option *o);

struct option {
	struct known_word word;
	option_fn fn;
	unsigned value; /* a field of links, or a flag */
};

static void say(struct link_words *l, unsigned field)
{
	l->diff.common |= UINT64_C(1) << field;
	l->want->v.has |= UINT64_C(1) << field;
}

static bool read_name(struct reader *r, struct link_words *l, const struct option *o)
{
	(void)o;
	l->new_name = nd_batch_value(r, "the name of a device");
	return l->new_name && nd_batch_is_link_name(r, l->new_name);
}

static bool read_dev(struct reader *r, struct link_words *l, const struct option *o)
{
	(void)o;
	l->name = nd_batch_value(r, "the name of a device");
	return l->name;
}

static bool read_lower(struct reader *r, struct link_words *l, const struct option *o)
{
	const char *name = nd_batch_value(r, "the name of a device");

	(void)o;
	return name && nd_batch_find(r, name, &l->lower);
}

static bool read_master(struct reader *r, struct link_words *l, const struct option *o)
{
	const char *name = nd_batch_value(r, "the name of a device");

	say(l, o->value);
	return name && nd_batch_find(r, name, &l->master);
}

static bool read_nomaster(struct reader *r, struct link_words *l, const struct option *o)
{
	(void)r;
	say(l, o->value);
	l->master = (struct found){.made_by = NCTL_OP_NONE};
	return true;
}

static bool read_field(struct reader *r, struct link_words *l, const struct option *o)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf why = NCTL_STRBUF_INIT;
	const char *text = nd_batch_value(r, "a value");

	if (!text)
		return false;
	say(l, o->value);
	if (nctl_field_parse(&nctl_link_fields.v[o->value], text, &l->want->v, &why) == 0)
		return true;
	return nd_batch_wrong(r, NULL, "%s %s", o->word.word, nctl_strbuf_str(&why));
}

static bool read_group(struct reader *r, struct link_words *l, const struct option *o)
{
	const char *text = nd_batch_value(r, "a group");

	if (!text)
		return false;
	say(l, o->value);
	if (nctl_rtname_parse(NCTL_RTNAME_GROUP, text, UINT32_MAX, &l->want->v.group) == 0)
		return true;
	return nd_batch_wrong(r, NULL, "\"%.64s\" is no group", text);
}

static bool read_flag(struct reader *r, struct link_words *l, const struct option *o)
{
	bool on;

	if (!nd_batch_on_off(r, &on))
		return false;
	l->diff.flags |= o->value;
	/* "arp on" is the flag that is off. */
	if (on != (o->value == IFF_NOARP))
		l->flags |= o->value;
	else
		l->flags &= ~o->value;
	return true;
}

static bool read_up(struct reader *r, struct link_words *l, const struct option *o)
{
	(void)r;
	l->diff.flags |= IFF_UP;
	l->flags = o->value ? l->flags | IFF_UP : l->flags & ~(uint32_t)IFF_UP;
	return true;
}

static bool read_index(struct reader *r, struct link_words *l, const struct option *o)
{
	uint64_t v;

	(void)o;
	if (!nd_batch_number(r, "an index", INT32_MAX, &v))
		return false;
	if (!v)
		return nd_batch_wrong(r, NULL, "an index is not 0");
	l->index = (nctl_ifindex)v;
	return true;
}

static bool read_netns(struct reader *r, struct link_words *l, const struct option *o)
{
	(void)o;
	l->netns = nd_batch_value(r, "the name of a namespace");
	return l->netns;
}

static const struct option options[] = {
	{{"dev", 3}, read_dev, 0},
	{{"name", 4}, read_name, 0},
	{{"index", 5}, read_index, 0},
	{{"link", 4}, read_lower, 0},
	{{"up", 2}, read_up, 1},
	{{"down", 4}, read_up, 0},
	{{"master", 6}, read_master, NCTL_LINK_MASTER},
	{{"vrf", 3}, read_master, NCTL_LINK_MASTER},
	{{"nomaster", 3}, read_nomaster, NCTL_LINK_MASTER},
	{{"mtu", 3}, read_field, NCTL_LINK_MTU},
	{{"address", 2}, read_field, NCTL_LINK_ADDRESS},
	{{"txqueuelen", 3}, read_field, NCTL_LINK_TXQLEN},
	{{"txqlen", 4}, read_field, NCTL_LINK_TXQLEN},
	{{"qlen", 2}, read_field, NCTL_LINK_TXQLEN},
	{{"alias", 4}, read_field, NCTL_LINK_ALIAS},
	{{"addrgenmode", 5}, read_field, NCTL_LINK_ADDR_GEN_MODE},
	{{"group", 5}, read_group, NCTL_LINK_GROUP},
	{{"arp", 3}, read_flag, IFF_NOARP},
	{{"multicast", 5}, read_flag, IFF_MULTICAST},
	{{"allmulticast", 5}, read_flag, IFF_ALLMULTI},
	{{"promisc", 4}, read_flag, IFF_PROMISC},
	{{"dynamic", 3}, read_flag, IFF_DYNAMIC},
	{{"netns", 5}, read_netns, 0},
};

static bool unknown(struct reader *r)
{
	return nd_batch_unknown_of(r, "here", (const char *[]){"type"}, 1, &options[0].word,
		NCTL_ARRAY_SIZE(options), sizeof(options[0]));
}

static const struct option *find_option(const char *word)
{
	int i = nd_batch_known(word, &options[0].word, NCTL_ARRAY_SIZE(options), sizeof(options[0]));

	return i < 0 ? NULL : &options[i];
}

bool nd_batch_link_words(struct reader *r, struct link_words *l, bool adds)
{
	const struct option *o;
	const char *word;

	while ((word = nd_batch_take(r))) {
		o = find_option(word);
		if (!o && nd_batch_is(word, "type", 2)) {
			l->type = nd_batch_value(r, "a kind of links");
			return l->type;
		}
		/* As ip(8): what is no word is the name, once. */
		if (!o && l->name)
			return unknown(r);
		if (!o && adds && !nd_batch_is_link_name(r, word))
			return false;
		if (!o)
			l->name = word;
		else if (!o->fn(r, l, o))
			return false;
	}
	return true;
}

static uint32_t nsid_op(struct reader *r, uint32_t carrier, uint32_t target)
{
	struct nctl_op *op;

	if (!carrier)
		return NCTL_OP_NONE;
	op = nd_batch_op(r, NCTL_OP_NETNS_ID);
	if (!op)
		return NCTL_OP_NONE;
	op->netns = carrier;
	op->peer_netns = target;
	op->name = "";
	return (uint32_t)(r->w->plan->n_ops - 1);
}

bool nd_batch_link_set_op(struct reader *r, const struct link_words *l, const struct found *f, uint32_t netns)
{
	struct nctl_link_diff d = l->diff;
	struct found nsid = {.made_by = NCTL_OP_NONE};
	struct nctl_op *op;
	uint32_t to = 0;

	if (l->netns) {
		if (!nd_batch_netns(r, l->netns, &to))
			return false;
		nsid.made_by = nsid_op(r, netns, to);
		r->alone = r->last = true;
	}
	if (d.flags)
		d.common |= NCTL_LINK_BIT(FLAGS);
	op = nd_batch_op(r, NCTL_OP_LINK_SET);
	if (!op)
		return false;
	op->netns = netns;
	op->ifindex = f->ifindex;
	op->want = l->want;
	op->diff = d;
	op->link_flags = l->flags;
	op->master = l->master.ifindex;
	op->name = nd_batch_strdup(r, l->name ? l->name : "");
	op->moves = l->netns;
	op->peer_netns = to;
	nd_batch_needs(op, f);
	nd_batch_needs(op, &l->master);
	nd_batch_needs(op, &nsid);
	return true;
}
