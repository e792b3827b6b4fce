/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: route add, change, replace, prepend, append and del, as ip-route(8) has them: of the main table, by
 * protocol boot, with the scope that follows from the type and from whether there is a gateway (iproute.c
 * iproute_modify).
 */
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "batch/route.h"
#include "obj/rtname.h"
#include "plan/fib.h"

enum { LOOK_MAX = 16 }; /* routes of one prefix that are looked at */

struct metric {
	struct known_word word;
	unsigned rtax;
	unsigned scale; /* of milliseconds, with a unit; 0: a plain number */
};

static const struct metric metrics[] = {
	{{"mtu", 3}, RTAX_MTU, 0},
	{{"advmss", 6}, RTAX_ADVMSS, 0},
	{{"hoplimit", 3}, RTAX_HOPLIMIT, 0},
	{{"reordering", 4}, RTAX_REORDERING, 0},
	{{"rtt", 3}, RTAX_RTT, 8},
	{{"rttvar", 6}, RTAX_RTTVAR, 4},
	{{"rto_min", 7}, RTAX_RTO_MIN, 1},
	{{"window", 3}, RTAX_WINDOW, 0},
	{{"cwnd", 4}, RTAX_CWND, 0},
	{{"initcwnd", 8}, RTAX_INITCWND, 0},
	{{"initrwnd", 8}, RTAX_INITRWND, 0},
	{{"ssthresh", 4}, RTAX_SSTHRESH, 0},
	{{"quickack", 8}, RTAX_QUICKACK, 0},
};

static bool read_metric(struct reader *r, struct route_words *x, const struct metric *m)
{
	const char *text;
	char *end;
	uint64_t v;

	if (nd_batch_skip(r, "lock", 4))
		x->metrics[RTAX_LOCK] |= 1u << m->rtax;
	text = nd_batch_value(r, "a number");
	if (!text)
		return false;
	v = strtoull(text, &end, 0);
	if (m->scale && end != text && !strcmp(end, "s"))
		v *= 1000ULL * m->scale;
	else if (m->scale && end != text && !strcmp(end, "ms"))
		v *= m->scale;
	else if (end == text || *end || *text == '-')
		return nd_batch_wrong(r, NULL, "\"%.64s\" is no number", text);
	if (v > UINT32_MAX)
		return nd_batch_wrong(r, NULL, "\"%.64s\" is too large", text);
	x->metrics[m->rtax] = (uint32_t)v;
	return true;
}

static bool read_dev(struct reader *r, struct found *ret)
{
	const char *name = nd_batch_value(r, "the name of a device");

	return name && nd_batch_find(r, name, ret);
}

static bool read_hop(struct reader *r, struct nctl_hop *hop, struct found *dev)
{
	static const char *const words[] = {"via", "dev", "weight", "onlink"};
	const char *word;
	bool good = true;
	uint64_t weight;

	while (good && (word = nd_batch_word(r)) && strcmp(word, "nexthop")) {
		r->i++;
		if (nd_batch_is(word, "via", 3)) {
			good = nd_batch_gateway(r, &hop->via);
		} else if (nd_batch_is(word, "dev", 3)) {
			good = read_dev(r, dev);
		} else if (nd_batch_is(word, "weight", 6)) {
			good = nd_batch_number(r, "a weight, 1 to 256", 256, &weight) &&
			       (weight || nd_batch_wrong(r, NULL, "a weight is at least 1"));
			hop->weight = good ? (uint16_t)weight : 1;
		} else if (!strcmp(word, "onlink")) {
			hop->flags |= RTNH_F_ONLINK;
		} else {
			good = nd_batch_unknown(r, "of a next hop", words, NCTL_ARRAY_SIZE(words));
		}
	}
	return good;
}

static bool read_hops(struct reader *r, struct route_words *x)
{
	if (x->n_hops && !x->v.multipath)
		return nd_batch_wrong(r, "say it in each nexthop", "via, dev and nexthop exclude each other");
	x->v.multipath = true;
	do {
		if (x->n_hops == HOPS_MAX)
			return nd_batch_wrong(r, NULL, "there are more than %d next hops", HOPS_MAX);
		x->hops[x->n_hops].weight = 1;
		x->devs[x->n_hops].made_by = NCTL_OP_NONE;
		if (!read_hop(r, &x->hops[x->n_hops], &x->devs[x->n_hops]))
			return false;
		x->n_hops++;
	} while (nd_batch_skip(r, "nexthop", 7));
	return true;
}

/* The only hop, which via, dev and onlink are about. */
static struct nctl_hop *hop(struct route_words *x)
{
	if (!x->n_hops) {
		x->n_hops = 1;
		x->hops[0].weight = 1;
		x->devs[0].made_by = NCTL_OP_NONE;
	}
	return &x->hops[0];
}

static bool read_word(struct reader *r, struct route_words *x, const char *word)
{
	uint64_t v;

	if (nd_batch_is(word, "via", 3)) {
		x->has_gateway = true;
		return nd_batch_gateway(r, &hop(x)->via);
	}
	if (nd_batch_is(word, "src", 3)) {
		word = nd_batch_value(r, "an address");
		return word && nd_batch_address(r, word, &x->v.prefsrc);
	}
	if (nd_batch_is(word, "from", 4)) {
		word = nd_batch_value(r, "a prefix");
		return word && nd_batch_prefix(r, word, AF_UNSPEC, &x->v.src);
	}
	if (!strcmp(word, "onlink")) {
		hop(x)->flags |= RTNH_F_ONLINK;
		return true;
	}
	if (!strcmp(word, "nexthop"))
		return read_hops(r, x);
	if (!strcmp(word, "nhid"))
		return nd_batch_u32(r, "the id of a next hop", &x->v.nhid);
	if (nd_batch_is(word, "realms", 5))
		return nd_batch_u32(r, "a number", &x->v.realms);
	if (!strcmp(word, "expires")) {
		if (!nd_batch_number(r, "a number of seconds", INT32_MAX, &v))
			return false;
		x->v.expires = (int32_t)v;
		return true;
	}
	if (nd_batch_is(word, "congctl", 4)) {
		x->congestion_control = nd_batch_value(r, "a name");
		return x->congestion_control;
	}
	if (!strcmp(word, "features")) {
		x->metrics[RTAX_FEATURES] |= 1;
		word = nd_batch_value(r, "ecn");
		return word && (!strcmp(word, "ecn") ||
				       nd_batch_unknown(r, "as a feature", (const char *[]){"ecn"}, 1));
	}
	if (!strcmp(word, "pref")) {
		static const char *const names[] = {"medium", "high", "low"};
		static const uint8_t values[] = {0, 1, 3};

		word = nd_batch_value(r, "high, medium or low");
		for (size_t i = 0; word && i < NCTL_ARRAY_SIZE(names); i++) {
			if (strcmp(word, names[i]))
				continue;
			x->v.has_pref = true;
			x->v.pref = values[i];
			return true;
		}
		return word && nd_batch_unknown(r, "as a preference", names, NCTL_ARRAY_SIZE(names));
	}
	return false;
}

/* A word that read_word knows; it says false for a refusal as well. */
static bool is_word(const char *word)
{
	static const char *const whole[] = {"onlink", "nexthop", "nhid", "expires", "features", "pref"};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(whole); i++)
		if (!strcmp(word, whole[i]))
			return true;
	return nd_batch_is(word, "via", 3) || nd_batch_is(word, "src", 3) || nd_batch_is(word, "from", 4) ||
	       nd_batch_is(word, "realms", 5) || nd_batch_is(word, "congctl", 4);
}

static const struct metric *find_metric(const char *word)
{
	int i = nd_batch_known(word, &metrics[0].word, NCTL_ARRAY_SIZE(metrics), sizeof(metrics[0]));

	return i < 0 ? NULL : &metrics[i];
}

static bool unknown(struct reader *r)
{
	static const char *const words[] = {"via", "dev", "table", "metric", "proto", "scope", "src", "type",
		"tos", "onlink", "nexthop", "nhid", "vrf", "pref", "from", "expires"};

	return nd_batch_unknown_of(r, "of routes", words, NCTL_ARRAY_SIZE(words), &metrics[0].word,
		NCTL_ARRAY_SIZE(metrics), sizeof(metrics[0]));
}

/* [to] [TYPE] PREFIX */
static bool read_prefix(struct reader *r, struct route_words *x, const char *word)
{
	uint8_t type;

	if (x->v.dst.family || x->ref)
		return unknown(r);
	if (word[0] >= 'a' && word[0] <= 'z' && !x->has_type && nctl_route_type_parse(word, &type) == 0) {
		x->v.type = type;
		x->has_type = true;
		word = nd_batch_value(r, "a prefix");
		if (!word)
			return false;
	}
	x->ref = '=';
	return nd_batch_prefix(r, word, AF_UNSPEC, &x->v.dst);
}

static bool read_words(struct reader *r, struct route_words *x)
{
	const char *word;
	bool good = true;
	int done;

	while (good && (word = nd_batch_take(r))) {
		const struct metric *m = find_metric(word);

		if (is_word(word)) {
			good = read_word(r, x, word);
		} else if (m) {
			good = read_metric(r, x, m);
		} else if (nd_batch_is(word, "to", 2)) {
			word = nd_batch_value(r, "a prefix");
			good = word && read_prefix(r, x, word);
		} else {
			done = nd_batch_route_word(r, x, word);
			good = done > 0 || (done == 0 && read_prefix(r, x, word));
		}
	}
	return good;
}

static uint8_t family_of(const struct route_words *x)
{
	const struct nctl_route *v = &x->v;

	if (v->dst.family)
		return v->dst.family;
	if (x->n_hops && x->hops[0].via.family)
		return x->hops[0].via.family;
	return v->prefsrc.family ? v->prefsrc.family : v->src.family ? v->src.family : AF_INET;
}

static uint8_t scope_of(const struct route_words *x, bool del)
{
	const struct nctl_route *v = &x->v;

	if (x->has_scope)
		return v->scope;
	if (v->dst.family == AF_INET6)
		return RT_SCOPE_UNIVERSE;
	if (v->type == RTN_LOCAL)
		return RT_SCOPE_HOST;
	if (v->type == RTN_BROADCAST || v->type == RTN_MULTICAST || v->type == RTN_ANYCAST)
		return RT_SCOPE_LINK;
	if (v->type != RTN_UNICAST && v->type != RTN_UNSPEC)
		return RT_SCOPE_UNIVERSE;
	if (del)
		return RT_SCOPE_NOWHERE;
	return x->has_gateway || v->multipath || v->nhid ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
}

static bool complete(struct reader *r, struct route_words *x, bool del)
{
	struct nctl_route *v = &x->v;

	if (!x->ref)
		return nd_batch_wrong(r, NULL, "which route? its prefix is missing");
	if (x->all_tables)
		return nd_batch_wrong(r, NULL, "a route is in one table");
	v->dst.family = family_of(x);
	nctl_prefix_mask(&v->dst);
	if (!del && !x->has_type)
		v->type = RTN_UNICAST;
	if (!del && !v->protocol)
		v->protocol = RTPROT_BOOT;
	v->scope = scope_of(x, del);
	if (!x->has_table)
		v->table = v->type == RTN_LOCAL || v->type == RTN_BROADCAST || v->type == RTN_ANYCAST
		                   ? RT_TABLE_LOCAL
		                   : RT_TABLE_MAIN;
	for (uint32_t i = 0; i < x->n_hops; i++)
		x->hops[i].oif = x->devs[i].ifindex;
	return true;
}

/* Some route to it is there. */
static bool has_prefix(const struct reader *r, const struct nctl_route *v)
{
	const struct nctl_mirror *m = nd_batch_have(r, r->room->in);

	return m && nctl_mirror_route_get(m, v->table, &v->dst);
}

/* A route that the kernel takes for the same is there. */
static bool is_there(const struct reader *r, const struct nctl_route *v)
{
	const struct nctl_mirror *m = nd_batch_have(r, r->room->in);
	uint32_t metric = v->dst.family == AF_INET6 && !v->metric ? 1024 : v->metric;
	nctl_route_ref ref = m ? nctl_mirror_route_get(m, v->table, &v->dst) : 0;
	struct nctl_route have;

	for (int i = 0; ref && i < LOOK_MAX; i++, ref = nctl_mirror_route_sibling(m, ref)) {
		nctl_mirror_route_view(m, ref, &have);
		if (have.metric == metric && have.tos == v->tos)
			return true;
	}
	return false;
}

bool nd_batch_route(struct reader *r, enum nctl_op_type type, uint16_t nlm_flags)
{
	_Alignas(4) uint8_t room[NCTL_ROUTE_METRICS_ROOM];
	_cleanup_(nctl_freep) struct route_words *x = calloc(1, sizeof(*x));
	struct nctl_op_fib fib = {0};
	struct nctl_op *op;

	if (!x)
		return nd_batch_no_memory(r);
	x->vrf.made_by = NCTL_OP_NONE;
	if (!read_words(r, x) || !complete(r, x, type == NCTL_OP_ROUTE_DEL))
		return false;
	if (type == NCTL_OP_ROUTE_DEL ? !has_prefix(r, &x->v) : nlm_flags & NLM_F_EXCL && is_there(r, &x->v))
		nd_batch_foresee_refusal(r);
	fib.v.route = x->v;
	fib.v.route.hops = x->hops;
	fib.v.route.n_hops = x->n_hops;
	fib.v.route.metrics =
		(struct nctl_bytes){room, nctl_route_metrics_put(x->metrics, x->congestion_control, room)};
	op = nd_batch_op(r, type);
	if (!op)
		return false;
	op->fib = nctl_fib_copy(&r->w->plan->arena, NCTL_OP_ROUTE_NEW, &fib);
	if (!op->fib)
		return nd_batch_no_memory(r);
	((struct nctl_op_fib *)(uintptr_t)op->fib)->nlm_flags = nlm_flags;
	op->name = "";
	nd_batch_needs(op, &x->vrf);
	for (uint32_t i = 0; i < x->n_hops; i++)
		nd_batch_needs(op, &x->devs[i]);
	return true;
}
