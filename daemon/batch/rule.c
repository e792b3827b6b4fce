/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: rule add and del, as ip-rule(8) has them. Its family is that of its prefixes, or IPv4.
 */
#include "batch/lines.h"

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "obj/rtname.h"
#include "plan/fib.h"

struct rule_words {
	struct nctl_rule v;
	bool has_priority, has_table;
	uint8_t family;
};

static bool read_network(struct reader *r, struct rule_words *x, struct nctl_prefix *ret)
{
	const char *text = nd_batch_value(r, "a prefix");

	if (!text || !nd_batch_prefix(r, text, AF_UNSPEC, ret))
		return false;
	if (ret->family && x->family && ret->family != x->family)
		return nd_batch_wrong(r, NULL, "\"%.64s\" is of the other family", text);
	x->family = ret->family ? ret->family : x->family;
	if (!ret->len)
		*ret = NCTL_PREFIX_NULL;
	return true;
}

/* N, or N/MASK. */
static bool read_mark(struct reader *r, struct rule_words *x)
{
	const char *text = nd_batch_value(r, "a mark");
	char *end;
	unsigned long mark, mask = UINT32_MAX;

	if (!text)
		return false;
	mark = strtoul(text, &end, 0);
	if (end != text && *end == '/')
		mask = strtoul(end + 1, &end, 0);
	if (end == text || *end || *text == '-' || mark > UINT32_MAX || mask > UINT32_MAX)
		return nd_batch_wrong(r, NULL, "\"%.64s\" is no mark", text);
	x->v.has_mark = true;
	x->v.mark = (uint32_t)mark;
	x->v.mask = (uint32_t)mask;
	return true;
}

/* N, or N-N. */
static bool read_range(struct reader *r, unsigned long max, unsigned long *first, unsigned long *last)
{
	const char *text = nd_batch_value(r, "a number, or FIRST-LAST");
	char *end;

	if (!text)
		return false;
	*first = *last = strtoul(text, &end, 0);
	if (end != text && *end == '-')
		*last = strtoul(end + 1, &end, 0);
	return (end != text && !*end && *text != '-' && *first <= *last && *last <= max) ||
	       nd_batch_wrong(r, NULL, "\"%.64s\" is no range", text);
}

static bool read_ports(struct reader *r, bool *has, struct nctl_port_range *ret)
{
	unsigned long first, last;

	if (!read_range(r, UINT16_MAX, &first, &last))
		return false;
	*has = true;
	*ret = (struct nctl_port_range){(uint16_t)first, (uint16_t)last};
	return true;
}

static bool read_uids(struct reader *r, struct rule_words *x)
{
	unsigned long first, last;

	if (!read_range(r, UINT32_MAX - 1, &first, &last))
		return false;
	x->v.has_uids = true;
	x->v.uid_first = (uint32_t)first;
	x->v.uid_last = (uint32_t)last;
	return true;
}

static bool read_link_name(struct reader *r, char ret[IF_NAMESIZE])
{
	const char *name = nd_batch_value(r, "the name of a device");

	if (!name || !nd_batch_is_link_name(r, name))
		return false;
	strcpy(ret, name);
	return true;
}

static bool read_name(
	struct reader *r, enum nctl_rtname_kind kind, const char *what, uint32_t max, uint32_t *ret)
{
	const char *text = nd_batch_value(r, what);

	if (!text)
		return false;
	return nctl_rtname_parse(kind, text, max, ret) == 0 ||
	       nd_batch_wrong(r, NULL, "\"%.64s\" is not %s", text, what);
}

static bool read_byte(struct reader *r, enum nctl_rtname_kind kind, const char *what, uint8_t *ret)
{
	uint32_t v;

	if (!read_name(r, kind, what, UINT8_MAX, &v))
		return false;
	*ret = (uint8_t)v;
	return true;
}

static bool read_small(struct reader *r, int32_t *ret)
{
	uint64_t v;

	if (!nd_batch_number(r, "a number", INT32_MAX, &v))
		return false;
	*ret = (int32_t)v;
	return true;
}

static bool read_goto(struct reader *r, struct rule_words *x)
{
	x->v.action = FR_ACT_GOTO;
	return nd_batch_u32(r, "a priority", &x->v.target);
}

enum {
	W_FROM,
	W_TO,
	W_TABLE,
	W_PRIORITY,
	W_MARK,
	W_TOS,
	W_IIF,
	W_OIF,
	W_IPPROTO,
	W_SPORT,
	W_DPORT,
	W_UIDS,
	W_SUPPRESS,
	W_SUPPRESS_GROUP,
	W_L3MDEV,
	W_GOTO,
	W_NOT,
	W_PROTO,
	W_TUN,
	W_NOP,
	W_BLACKHOLE,
	W_UNREACHABLE,
	W_PROHIBIT,
	W_TYPE
};

static const struct {
	struct known_word word;
	int what;
} rule_words[] = {
	{{"not", 3}, W_NOT},
	{{"from", 4}, W_FROM},
	{{"to", 2}, W_TO},
	{{"table", 3}, W_TABLE},
	{{"lookup", 3}, W_TABLE},
	{{"priority", 2}, W_PRIORITY},
	{{"preference", 4}, W_PRIORITY},
	{{"order", 3}, W_PRIORITY},
	{{"fwmark", 2}, W_MARK},
	{{"tos", 3}, W_TOS},
	{{"dsfield", 2}, W_TOS},
	{{"iif", 3}, W_IIF},
	{{"dev", 3}, W_IIF},
	{{"oif", 3}, W_OIF},
	{{"ipproto", 3}, W_IPPROTO},
	{{"sport", 5}, W_SPORT},
	{{"dport", 5}, W_DPORT},
	{{"uidrange", 3}, W_UIDS},
	{{"suppress_prefixlength", 16}, W_SUPPRESS},
	{{"sup_pl", 6}, W_SUPPRESS},
	{{"suppress_ifgroup", 16}, W_SUPPRESS_GROUP},
	{{"sup_group", 9}, W_SUPPRESS_GROUP},
	{{"l3mdev", 2}, W_L3MDEV},
	{{"goto", 2}, W_GOTO},
	{{"protocol", 5}, W_PROTO},
	{{"tun_id", 6}, W_TUN},
	{{"nop", 3}, W_NOP},
	{{"blackhole", 5}, W_BLACKHOLE},
	{{"unreachable", 5}, W_UNREACHABLE},
	{{"prohibit", 4}, W_PROHIBIT},
	{{"type", 4}, W_TYPE},
};

static bool set_action(struct rule_words *x, uint8_t action)
{
	x->v.action = action;
	return true;
}

static bool read_word(struct reader *r, struct rule_words *x, int what)
{
	struct nctl_rule *v = &x->v;

	switch (what) {
	case W_NOT:
		v->flags |= FIB_RULE_INVERT;
		return true;
	case W_FROM:
		return read_network(r, x, &v->src);
	case W_TO:
		return read_network(r, x, &v->dst);
	case W_TABLE:
		x->has_table = true;
		return read_name(r, NCTL_RTNAME_TABLE, "a table", UINT32_MAX, &v->table);
	case W_PRIORITY:
		x->has_priority = true;
		return nd_batch_u32(r, "a number", &v->priority);
	case W_MARK:
		return read_mark(r, x);
	case W_TOS:
		return read_byte(r, NCTL_RTNAME_DSFIELD, "a type of service", &v->tos);
	case W_IIF:
		return read_link_name(r, v->iif);
	case W_OIF:
		return read_link_name(r, v->oif);
	case W_IPPROTO:
		return read_byte(r, NCTL_RTNAME_IP_PROTO, "a protocol", &v->ip_proto);
	case W_SPORT:
		return read_ports(r, &v->has_sport, &v->sport);
	case W_DPORT:
		return read_ports(r, &v->has_dport, &v->dport);
	case W_UIDS:
		return read_uids(r, x);
	case W_SUPPRESS:
		return read_small(r, &v->suppress_prefixlen);
	case W_SUPPRESS_GROUP:
		return read_small(r, &v->suppress_ifgroup);
	case W_L3MDEV:
		v->l3mdev = true;
		return true;
	case W_GOTO:
		return read_goto(r, x);
	case W_PROTO:
		return read_byte(r, NCTL_RTNAME_PROTOCOL, "a protocol", &v->protocol);
	case W_TUN:
		return nd_batch_number(r, "a number", UINT64_MAX, &v->tun_id);
	case W_NOP:
		return set_action(x, FR_ACT_NOP);
	case W_BLACKHOLE:
		return set_action(x, FR_ACT_BLACKHOLE);
	case W_UNREACHABLE:
		return set_action(x, FR_ACT_UNREACHABLE);
	case W_PROHIBIT:
		return set_action(x, FR_ACT_PROHIBIT);
	case W_TYPE:
		return true; /* the next word is it */
	}
	return false;
}

static bool read_words(struct reader *r, struct rule_words *x)
{
	const size_t n = NCTL_ARRAY_SIZE(rule_words), size = sizeof(rule_words[0]);
	const char *word;

	while ((word = nd_batch_take(r))) {
		int i = nd_batch_known(word, &rule_words[0].word, n, size);

		if (i < 0)
			return nd_batch_unknown_of(r, "of rules", NULL, 0, &rule_words[0].word, n, size);
		if (!read_word(r, x, rule_words[i].what))
			return false;
	}
	return true;
}

static bool has_rule(const struct reader *r, const struct nctl_rule *v)
{
	const struct nctl_mirror *m = nd_batch_have(r, r->room->in);

	return m && nctl_mirror_rule_has(m, v);
}

bool nd_batch_rule(struct reader *r, enum nctl_op_type type)
{
	bool adds = type == NCTL_OP_RULE_NEW;
	struct rule_words x = {.v = {.suppress_prefixlen = -1, .suppress_ifgroup = -1}};
	struct nctl_op_fib fib = {0};
	struct nctl_op *op;

	if (r->i == r->words->n)
		return nd_batch_wrong(r, NULL, "which rule? say from, to, priority or the like");
	x.v.action = adds ? FR_ACT_TO_TBL : FR_ACT_UNSPEC;
	if (!read_words(r, &x))
		return false;
	x.v.family = x.family ? x.family : AF_INET;
	if (adds && x.v.action == FR_ACT_TO_TBL && !x.has_table && !x.v.l3mdev)
		x.v.table = RT_TABLE_MAIN;
	fib.v.rule = x.v;
	if (adds && x.has_priority && has_rule(r, &x.v))
		nd_batch_foresee_refusal(r);
	op = nd_batch_op(r, type);
	if (!op)
		return false;
	op->fib = nctl_fib_copy(&r->w->plan->arena, NCTL_OP_RULE_NEW, &fib);
	if (!op->fib)
		return nd_batch_no_memory(r);
	((struct nctl_op_fib *)(uintptr_t)op->fib)->has_priority = x.has_priority;
	op->name = "";
	return true;
}
