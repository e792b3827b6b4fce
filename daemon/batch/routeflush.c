/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the words that tell routes, and route flush, which deletes those that the mirror shows, as many at a
 * time as a window has room for: what is left is there when the line is read again.
 */
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "batch/route.h"
#include "obj/rtname.h"
#include "plan/fib.h"

static bool read_table(struct reader *r, struct route_words *x)
{
	const char *text = nd_batch_value(r, "a table");

	if (!text)
		return false;
	x->has_table = true;
	x->all_tables = !strcmp(text, "all");
	return x->all_tables || nctl_rtname_parse(NCTL_RTNAME_TABLE, text, UINT32_MAX, &x->v.table) == 0 ||
	       nd_batch_wrong(r, NULL, "\"%.64s\" is no table", text);
}

/* The table of a VRF that is there, or is made. */
static bool read_vrf(struct reader *r, struct route_words *x)
{
	const char *name = nd_batch_value(r, "the name of a VRF");
	const struct nctl_link *v = NULL;
	int field = -1;

	if (!name || !nd_batch_find(r, name, &x->vrf))
		return false;
	x->has_table = true;
	if (!r->view)
		return true;
	if (x->vrf.have)
		v = &x->vrf.have->v;
	else if (x->vrf.made_by != NCTL_OP_NONE)
		v = &r->w->plan->ops[x->vrf.made_by].want->v;
	if (v && v->kind && v->kind->traits & NCTL_KIND_VRF)
		field = nctl_fields_find(&v->kind->data, "table");
	if (field < 0)
		return nd_batch_lacks(r, "argument \"%.64s\" is wrong: Invalid VRF", name);
	x->v.table = (nctl_table)nctl_field_get(&v->kind->data.v[field], v->data);
	return true;
}

static bool read_tos(struct reader *r, struct route_words *x)
{
	const char *text = nd_batch_value(r, "a type of service");
	uint32_t v;
	char *end;

	if (!text)
		return false;
	if (nctl_rtname_parse(NCTL_RTNAME_DSFIELD, text, UINT8_MAX, &v) < 0) {
		/* Numbers are hexadecimal there (lib/rt_names.c rtnl_dsfield_a2n). */
		v = (uint32_t)strtoul(text, &end, 16);
		if (end == text || *end || v > UINT8_MAX)
			return nd_batch_wrong(r, NULL, "\"%.64s\" is no type of service", text);
	}
	x->v.tos = (uint8_t)v;
	return true;
}

static bool read_dev(struct reader *r, struct route_words *x)
{
	const char *name = nd_batch_value(r, "the name of a device");

	if (x->v.multipath)
		return nd_batch_wrong(r, "say it in each nexthop", "dev and nexthop exclude each other");
	if (!x->n_hops)
		x->hops[0].weight = 1;
	x->n_hops = 1;
	return name && nd_batch_find(r, name, &x->devs[0]);
}

static int told(bool good)
{
	return good ? 1 : -1;
}

int nd_batch_route_word(struct reader *r, struct route_words *x, const char *word)
{
	if (nd_batch_is(word, "dev", 3) || !strcmp(word, "oif"))
		return told(read_dev(r, x));
	if (nd_batch_is(word, "table", 3))
		return told(read_table(r, x));
	if (!strcmp(word, "vrf"))
		return told(read_vrf(r, x));
	if (nd_batch_is(word, "metric", 4) || nd_batch_is(word, "priority", 4) ||
		nd_batch_is(word, "preference", 5))
		return told(nd_batch_u32(r, "a number", &x->v.metric));
	if (nd_batch_is(word, "tos", 3) || nd_batch_is(word, "dsfield", 2))
		return told(read_tos(r, x));
	if (nd_batch_is(word, "protocol", 5))
		return told(nd_batch_protocol(r, &x->v.protocol));
	if (nd_batch_is(word, "scope", 5)) {
		x->has_scope = true;
		word = nd_batch_value(r, "a scope");
		return told(word && (nctl_route_scope_parse(word, &x->v.scope) == 0 ||
					    nd_batch_wrong(r, NULL, "\"%.64s\" is no scope", word)));
	}
	if (nd_batch_is(word, "type", 4)) {
		x->has_type = true;
		word = nd_batch_value(r, "a type");
		return told(word && (nctl_route_type_parse(word, &x->v.type) == 0 ||
					    nd_batch_wrong(r, NULL, "\"%.64s\" is no type of routes", word)));
	}
	return 0;
}

/* root PREFIX: it, and all that is in it; exact PREFIX, or PREFIX alone: that one; match is of no use here.
 */
static bool read_words(struct reader *r, struct route_words *x)
{
	static const char *const words[] = {"table", "vrf", "dev", "proto", "scope", "type", "metric", "tos",
		"root", "exact", "to", "cache"};
	const char *word;
	int done;

	while ((word = nd_batch_take(r))) {
		done = nd_batch_route_word(r, x, word);
		if (done < 0)
			return false;
		if (done > 0)
			continue;
		if (x->ref)
			return nd_batch_unknown(r, "of routes", words, NCTL_ARRAY_SIZE(words));
		if (nd_batch_is(word, "to", 2) && !(word = nd_batch_value(r, "a prefix")))
			return false;
		x->ref = nd_batch_is(word, "root", 4) ? '<' : '=';
		if (nd_batch_is(word, "root", 4) || nd_batch_is(word, "exact", 5))
			word = nd_batch_value(r, "a prefix");
		if (!word || !nd_batch_prefix(r, word, AF_UNSPEC, &x->v.dst))
			return false;
	}
	return true;
}

static bool leaves_by(const struct nctl_route *v, nctl_ifindex oif)
{
	for (uint32_t i = 0; i < v->n_hops; i++)
		if (v->hops[i].oif == oif)
			return true;
	return false;
}

static bool is_meant(const struct nctl_route *v, const struct route_words *x)
{
	const struct nctl_route *w = &x->v;

	if (x->ref == '=' && (v->dst.len != w->dst.len || !nctl_prefix_contains(&w->dst, &v->dst)))
		return false;
	if (!x->has_table && v->table != RT_TABLE_MAIN)
		return false;
	if (x->has_table && !x->all_tables && v->table != w->table)
		return false;
	if ((w->protocol && v->protocol != w->protocol) || (w->metric && v->metric != w->metric) ||
		(w->tos && v->tos != w->tos))
		return false;
	if ((x->has_type && v->type != w->type) || (x->has_scope && v->scope != w->scope))
		return false;
	return !x->n_hops || leaves_by(v, x->devs[0].ifindex);
}

static bool add_op(struct reader *r, const struct nctl_route *v)
{
	const struct nctl_op_fib fib = {.v.route = *v};
	struct nctl_op *op = nd_batch_op(r, NCTL_OP_ROUTE_DEL);

	if (!op)
		return false;
	op->fib = nctl_fib_copy(&r->w->plan->arena, NCTL_OP_ROUTE_NEW, &fib);
	op->if_missing = true;
	op->name = "";
	return op->fib || nd_batch_no_memory(r);
}

static bool flush(struct reader *r, const struct nctl_mirror *m, const struct route_words *x)
{
	struct nctl_route_cursor c = {
		.family = x->v.dst.family ? x->v.dst.family : AF_INET,
		.one_table = !x->all_tables,
		.table = x->has_table ? x->v.table : RT_TABLE_MAIN,
		.within = x->v.dst.family ? x->v.dst : NCTL_PREFIX_NULL,
	};
	struct nctl_route v;
	nctl_route_ref ref;

	while ((ref = nctl_mirror_route_next(m, &c))) {
		nctl_mirror_route_view(m, ref, &v);
		if (!is_meant(&v, x))
			continue;
		if (r->w->plan->n_ops >= r->max_ops) {
			r->more = true;
			return true;
		}
		if (!add_op(r, &v))
			return false;
	}
	return true;
}

bool nd_batch_route_flush(struct reader *r)
{
	_cleanup_(nctl_freep) struct route_words *x = calloc(1, sizeof(*x));
	const struct nctl_mirror *m;

	if (!x)
		return nd_batch_no_memory(r);
	x->vrf.made_by = x->devs[0].made_by = NCTL_OP_NONE;
	/* The kernel has no such cache since 3.6, and ip(8) flushes it all the same. */
	if (nd_batch_skip(r, "cache", 5))
		return !nd_batch_take(r) || nd_batch_wrong(r, NULL, "the line should end here");
	if (r->i == r->words->n)
		return nd_batch_wrong(
			r, "say table main, or what else is meant", "\"flush\" wants to know which routes");
	if (!read_words(r, x))
		return false;
	r->alone = r->last = true;
	m = nd_batch_have(r, r->room->in);
	return !m || flush(r, m, x);
}
