/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: nexthop add, replace and del, as ip-nexthop(8) has them, but for resilient groups and encapsulations.
 */
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "batch/lines.h"
#include "plan/fib.h"

enum { MEMBERS_MAX = 256 };

struct nexthop_words {
	struct nctl_nexthop v;
	struct nctl_nexthop_member members[MEMBERS_MAX];
	struct found dev;
};

static bool read_via(struct reader *r, struct nexthop_words *x)
{
	if (!nd_batch_gateway(r, &x->v.hop.via))
		return false;
	x->v.family = x->v.hop.via.family;
	return true;
}

/* "ID", or "ID,WEIGHT". */
static bool read_member(struct reader *r, const char *text, size_t n, struct nctl_nexthop_member *ret)
{
	char buf[32], *comma;
	uint32_t id, weight = 1;

	if (n >= sizeof(buf))
		return nd_batch_wrong(r, NULL, "this is no group");
	memcpy(buf, text, n);
	buf[n] = '\0';
	comma = strchr(buf, ',');
	if (comma)
		*comma = '\0';
	if (nctl_parse_u32(buf, 10, 1, UINT32_MAX, &id) < 0 ||
		(comma && nctl_parse_u32(comma + 1, 10, 1, 256, &weight) < 0))
		return nd_batch_wrong(
			r, "write ID or ID,WEIGHT between slashes", "\"%.32s\" is no member of a group", buf);
	*ret = (struct nctl_nexthop_member){.id = id, .weight = (uint16_t)weight};
	return true;
}

static bool read_group(struct reader *r, struct nexthop_words *x)
{
	const char *text = nd_batch_value(r, "ids between slashes");

	for (x->v.group = true; text; text = *text ? text + 1 : NULL) {
		size_t n = strcspn(text, "/");

		if (x->v.n_members == MEMBERS_MAX)
			return nd_batch_wrong(r, NULL, "a group has at most %d members here", MEMBERS_MAX);
		if (!read_member(r, text, n, &x->members[x->v.n_members++]))
			return false;
		text += n;
	}
	return x->v.n_members;
}

static bool read_word(struct reader *r, struct nexthop_words *x, const char *word)
{
	static const char *const words[] = {
		"id", "via", "dev", "group", "blackhole", "fdb", "onlink", "protocol"};

	if (!strcmp(word, "id"))
		return nd_batch_u32(r, "a number", &x->v.id);
	if (!strcmp(word, "via"))
		return read_via(r, x);
	if (!strcmp(word, "dev")) {
		word = nd_batch_value(r, "the name of a device");
		return word && nd_batch_find(r, word, &x->dev);
	}
	if (!strcmp(word, "group"))
		return read_group(r, x);
	if (nd_batch_is(word, "protocol", 5))
		return nd_batch_protocol(r, &x->v.protocol);
	if (!strcmp(word, "blackhole"))
		x->v.blackhole = true;
	else if (!strcmp(word, "fdb"))
		x->v.fdb = true;
	else if (!strcmp(word, "onlink"))
		x->v.flags |= RTNH_F_ONLINK;
	else
		return nd_batch_unknown(r, "of next hops", words, NCTL_ARRAY_SIZE(words));
	return true;
}

/* Refused by the kernel, as things are. */
static bool is_foreseen(const struct reader *r, enum nctl_op_type type, uint16_t nlm_flags, nctl_nhid id)
{
	const struct nctl_mirror *m = nd_batch_have(r, r->room->in);
	bool there = m && nctl_mirror_nexthop_get(m, id);

	return type == NCTL_OP_NEXTHOP_DEL ? !there : nlm_flags & NLM_F_EXCL && there;
}

bool nd_batch_nexthop(struct reader *r, enum nctl_op_type type, uint16_t nlm_flags)
{
	struct nexthop_words x = {.v.hop.weight = 1, .dev.made_by = NCTL_OP_NONE};
	struct nctl_op_fib fib = {0}, *copy;
	const char *word;
	struct nctl_op *op;

	while ((word = nd_batch_take(r)))
		if (!read_word(r, &x, word))
			return false;
	if (!x.v.id)
		return nd_batch_wrong(r, "say id N", "which next hop? its number is missing");
	if (!x.v.group && !x.v.family && type == NCTL_OP_NEXTHOP_NEW)
		x.v.family = AF_INET;
	x.v.hop.oif = x.dev.ifindex;
	x.v.members = x.members;
	if (is_foreseen(r, type, nlm_flags, x.v.id))
		nd_batch_foresee_refusal(r);
	fib.v.nexthop = x.v;
	op = nd_batch_op(r, type);
	copy = op ? nctl_fib_copy(&r->w->plan->arena, NCTL_OP_NEXTHOP_NEW, &fib) : NULL;
	if (!copy)
		return nd_batch_no_memory(r);
	copy->nlm_flags = nlm_flags;
	op->fib = copy;
	op->name = "";
	nd_batch_needs(op, &x.dev);
	return true;
}
