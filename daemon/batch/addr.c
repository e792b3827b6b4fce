/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: addr add, change, replace, del and flush, as ip-address(8) has them: with no broadcast address unless
 * one is asked for, and the scope of a loopback address of IPv4 is host.
 */
#include "batch/lines.h"

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "obj/rtname.h"

struct addr_words {
	struct nctl_addr v;
	const char *dev;
	bool has_scope, has_length;
	int broadcast; /* '+': all ones, '-': all zeros */
};

struct option;
typedef bool (*option_fn)(struct reader *r, struct addr_words *a, const struct option *o);

struct option {
	struct known_word word;
	option_fn fn;
	uint32_t flag;
};

static bool read_local(struct reader *r, struct addr_words *a, const char *text)
{
	struct nctl_prefix *p = &a->v.local;

	if (p->family)
		return nd_batch_wrong(r, NULL, "\"%.64s\" is one address too many", text);
	if (!nd_batch_prefix(r, text, AF_UNSPEC, p))
		return false;
	if (!p->family)
		return nd_batch_wrong(r, NULL, "\"%.64s\" is no address", text);
	a->has_length = a->has_length || strchr(text, '/');
	return true;
}

static bool read_local_word(struct reader *r, struct addr_words *a, const struct option *o)
{
	const char *text = nd_batch_value(r, "an address");

	(void)o;
	return text && read_local(r, a, text);
}

static bool read_peer(struct reader *r, struct addr_words *a, const struct option *o)
{
	const char *text = nd_batch_value(r, "an address");

	(void)o;
	return text && nd_batch_prefix(r, text, AF_UNSPEC, &a->v.peer);
}

static bool read_broadcast(struct reader *r, struct addr_words *a, const struct option *o)
{
	const char *text = nd_batch_value(r, "an address, + or -");

	(void)o;
	if (!text)
		return false;
	if (!strcmp(text, "+") || !strcmp(text, "-")) {
		a->broadcast = *text;
		return true;
	}
	return nd_batch_address(r, text, &a->v.broadcast);
}

static bool read_label(struct reader *r, struct addr_words *a, const struct option *o)
{
	const char *text = nd_batch_value(r, "a label");

	(void)o;
	if (!text)
		return false;
	if (!*text || strlen(text) >= sizeof(a->v.label))
		return nd_batch_wrong(r, NULL, "a label has 1 to %zu bytes", sizeof(a->v.label) - 1);
	strcpy(a->v.label, text);
	return true;
}

static bool read_scope(struct reader *r, struct addr_words *a, const struct option *o)
{
	const char *text = nd_batch_value(r, "a scope");

	(void)o;
	if (!text)
		return false;
	a->has_scope = true;
	return nctl_route_scope_parse(text, &a->v.scope) == 0 ||
	       nd_batch_wrong(r, NULL, "\"%.64s\" is no scope", text);
}

static bool read_lifetime(struct reader *r, struct addr_words *a, const struct option *o)
{
	const char *text = nd_batch_value(r, "a number of seconds, or forever");
	uint64_t n = NCTL_ADDR_FOREVER;
	char *end;

	if (!text)
		return false;
	if (strcmp(text, "forever")) {
		/* ip(8) also takes "10sec". */
		n = strtoull(text, &end, 10);
		if (end == text || (*end && strcmp(end, "sec")) || n >= NCTL_ADDR_FOREVER || *text == '-')
			return nd_batch_wrong(r, NULL, "\"%.64s\" is no lifetime", text);
	}
	*(o->flag ? &a->v.valid : &a->v.preferred) = (uint32_t)n;
	return true;
}

static bool read_metric(struct reader *r, struct addr_words *a, const struct option *o)
{
	(void)o;
	return nd_batch_u32(r, "a number", &a->v.metric);
}

static bool read_proto(struct reader *r, struct addr_words *a, const struct option *o)
{
	uint64_t v;

	(void)o;
	if (!nd_batch_number(r, "a number up to 255", UINT8_MAX, &v))
		return false;
	a->v.proto = (uint8_t)v;
	return true;
}

static bool read_flag(struct reader *r, struct addr_words *a, const struct option *o)
{
	(void)r;
	a->v.flags |= o->flag;
	return true;
}

static bool read_dev(struct reader *r, struct addr_words *a, const struct option *o)
{
	(void)o;
	a->dev = nd_batch_value(r, "the name of a device");
	return a->dev;
}

static const struct option options[] = {
	{{"dev", 3}, read_dev, 0},
	{{"local", 3}, read_local_word, 0},
	{{"peer", 4}, read_peer, 0},
	{{"remote", 6}, read_peer, 0},
	{{"broadcast", 3}, read_broadcast, 0},
	{{"brd", 3}, read_broadcast, 0},
	{{"label", 5}, read_label, 0},
	{{"scope", 5}, read_scope, 0},
	{{"valid_lft", 3}, read_lifetime, 1},
	{{"preferred_lft", 3}, read_lifetime, 0},
	{{"metric", 6}, read_metric, 0},
	{{"priority", 8}, read_metric, 0},
	{{"preference", 10}, read_metric, 0},
	{{"proto", 5}, read_proto, 0},
	{{"home", 4}, read_flag, IFA_F_HOMEADDRESS},
	{{"nodad", 5}, read_flag, IFA_F_NODAD},
	{{"optimistic", 10}, read_flag, IFA_F_OPTIMISTIC},
	{{"mngtmpaddr", 10}, read_flag, IFA_F_MANAGETEMPADDR},
	{{"noprefixroute", 13}, read_flag, IFA_F_NOPREFIXROUTE},
	{{"autojoin", 8}, read_flag, IFA_F_MCAUTOJOIN},
};

static bool unknown(struct reader *r)
{
	return nd_batch_unknown_of(
		r, "of addresses", NULL, 0, &options[0].word, NCTL_ARRAY_SIZE(options), sizeof(options[0]));
}

static bool read_words(struct reader *r, struct addr_words *a)
{
	const char *word;
	int i;

	while ((word = nd_batch_take(r))) {
		i = nd_batch_known(word, &options[0].word, NCTL_ARRAY_SIZE(options), sizeof(options[0]));
		if (i >= 0) {
			if (!options[i].fn(r, a, &options[i]))
				return false;
		} else if (a->v.local.family || !(*word == ':' || strspn(word, "0123456789abcdefABCDEF"))) {
			return unknown(r);
		} else if (!read_local(r, a, word)) {
			return false;
		}
	}
	return true;
}

/* All ones, or zeros, in the part of the hosts. */
static void make_broadcast(struct addr_words *a)
{
	struct nctl_prefix *b = &a->v.broadcast;
	unsigned bits = nctl_prefix_bits(a->v.local.family);

	*b = a->v.local;
	b->len = (uint8_t)bits;
	for (unsigned i = a->v.local.len; i < bits; i++) {
		uint8_t bit = (uint8_t)(0x80 >> i % 8);

		b->addr[i / 8] = a->broadcast == '+' ? b->addr[i / 8] | bit : b->addr[i / 8] & (uint8_t)~bit;
	}
}

static bool complete(struct reader *r, struct addr_words *a, bool adds)
{
	struct nctl_addr *v = &a->v;

	if (!v->local.family)
		return nd_batch_wrong(r, NULL, "which address? it is missing");
	if (!a->dev)
		return nd_batch_wrong(r, "say dev NAME", "an address is on a device");
	if (v->peer.family && v->peer.family != v->local.family)
		return nd_batch_wrong(r, NULL, "the address and its peer are of two families");
	/* The length is said with the peer. */
	if (v->peer.family && !a->has_length)
		v->local.len = v->peer.len;
	if (v->peer.family)
		v->peer.len = (uint8_t)nctl_prefix_bits(v->peer.family);
	if (v->peer.family && !memcmp(v->peer.addr, v->local.addr, sizeof(v->peer.addr)))
		v->peer = NCTL_PREFIX_NULL;
	if (a->broadcast && v->local.family == AF_INET && v->local.len <= 30)
		make_broadcast(a);
	if (adds && !a->has_scope && v->local.family == AF_INET && v->local.addr[0] == 127)
		v->scope = RT_SCOPE_HOST;
	return true;
}

static bool is_there(const struct reader *r, const struct nctl_addr *a)
{
	const struct nctl_mirror *m = nd_batch_have(r, r->room->in);

	return m && nctl_mirror_addr_get(m, a);
}

bool nd_batch_addr(struct reader *r, enum nctl_op_type type, uint16_t nlm_flags)
{
	struct addr_words a = {.v = NCTL_ADDR_INIT};
	struct nctl_want_addr *want;
	struct found f;
	struct nctl_op *op;

	if (!read_words(r, &a) || !complete(r, &a, type == NCTL_OP_ADDR_NEW) || !nd_batch_find(r, a.dev, &f))
		return false;
	a.v.ifindex = f.ifindex;
	if (type == NCTL_OP_ADDR_DEL ? !is_there(r, &a.v) : nlm_flags & NLM_F_EXCL && is_there(r, &a.v))
		nd_batch_foresee_refusal(r);
	want = nd_batch_alloc(r, sizeof(*want));
	op = want ? nd_batch_op(r, type) : NULL;
	if (!op)
		return false;
	want->v = a.v;
	op->ifindex = f.ifindex;
	op->want_addr = type == NCTL_OP_ADDR_NEW ? want : NULL;
	op->addr = type == NCTL_OP_ADDR_DEL ? &want->v : NULL;
	op->verbatim = true;
	op->nlm_flags = nlm_flags;
	op->name = "";
	nd_batch_needs(op, &f);
	return true;
}

static bool is_meant(const struct nctl_addr *v, const struct addr_words *a)
{
	if (a->v.local.family && !nctl_prefix_contains(&a->v.local, &v->local))
		return false;
	if (a->has_scope && v->scope != a->v.scope)
		return false;
	return !a->v.label[0] || !strcmp(v->label, a->v.label);
}

/* flush dev NAME [scope S] [label L] [to PREFIX] */
bool nd_batch_addr_flush(struct reader *r)
{
	struct addr_words a = {.v = NCTL_ADDR_INIT};
	const struct nctl_mirror_addr *m;
	struct nctl_addr *copy;
	struct nctl_op *op;
	struct found f;

	nd_batch_skip(r, "to", 2);
	if (!read_words(r, &a))
		return false;
	if (!a.dev)
		return nd_batch_wrong(r, "say dev NAME", "of which device? its name is missing");
	if (!nd_batch_find(r, a.dev, &f))
		return false;
	r->alone = r->last = true;
	for (m = f.have ? nctl_mirror_addr_first(f.have) : NULL; m; m = nctl_mirror_addr_next(m)) {
		if (!is_meant(&m->v, &a))
			continue;
		copy = nd_batch_alloc(r, sizeof(*copy));
		op = copy ? nd_batch_op(r, NCTL_OP_ADDR_DEL) : NULL;
		if (!op)
			return false;
		*copy = m->v;
		op->ifindex = f.ifindex;
		op->addr = copy;
		op->if_missing = true; /* others go with the first one of their subnet */
		op->name = "";
	}
	return true;
}
