/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Links with their counters for Query. These are not mirrored: for the links that pass the filters, some
 * at a time and in their order, the kernel is asked one by one (RTM_GETSTATS), and each answer becomes a
 * line. A link that is gone when it is asked for has none.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "bus/query/object.h"
#include "exec/live.h"
#include "nl/attr.h"

#define LINKS_A_TIME 64 /* an answer is 250 bytes: all of them fit into a receive buffer of the least size   \
	                 */

struct request {
	struct nctl_msgbuf m;
	_Alignas(4) uint8_t room[LINKS_A_TIME * NLMSG_ALIGN(NLMSG_LENGTH(sizeof(struct if_stats_msg)))];
};

static void add(const struct nd_query *q, struct nd_fill *f, const struct nctl_mirror_link *l,
	const struct nctl_names *names)
{
	struct request *rq = q->link.request;
	struct if_stats_msg ifsm = {.ifindex = l->v.ifindex, .filter_mask = 1U << (IFLA_STATS_LINK_64 - 1)};

	(void)names;
	nctl_msg_begin(&rq->m, RTM_GETSTATS, 0, &ifsm, sizeof(ifsm));
	(void)nctl_msg_commit(&rq->m, 0); /* fits: the walk ends when so many are there */
	/* So that the walk stops. */
	if (rq->m.n == LINKS_A_TIME)
		f->bytes = 0;
}

static void put_side(
	struct nctl_json *json, const char *side, const char *const *keys, const uint64_t *values)
{
	nctl_json_key(json, side);
	nctl_json_obj_begin(json);
	for (size_t i = 0; i < 6; i++)
		nctl_json_ku64(json, keys[i], values[i]);
	nctl_json_obj_end(json);
}

static void put_stats(const struct rtnl_link_stats64 *s, struct nctl_json *json)
{
	static const char *const rx[] = {"bytes", "packets", "errors", "dropped", "over_errors", "multicast"};
	static const char *const tx[] = {
		"bytes", "packets", "errors", "dropped", "carrier_errors", "collisions"};

	nctl_json_obj_begin(json);
	nctl_json_key(json, "stats64");
	nctl_json_obj_begin(json);
	put_side(json, "rx", rx,
		(const uint64_t[]){s->rx_bytes, s->rx_packets, s->rx_errors, s->rx_dropped, s->rx_over_errors,
			s->multicast});
	put_side(json, "tx", tx,
		(const uint64_t[]){s->tx_bytes, s->tx_packets, s->tx_errors, s->tx_dropped,
			s->tx_carrier_errors, s->collisions});
	nctl_json_obj_end(json);
	nctl_json_obj_end(json);
}

/* The members of the link, and one more. */
static void put(struct nd_fill *f, const struct nctl_mirror_link *l, const struct rtnl_link_stats64 *s)
{
	const struct nctl_names names = nctl_mirror_names(f->m);
	struct nctl_json json;
	size_t at;

	nd_fill_line(f, &json);
	nctl_link_json(&l->v, &names, &json);
	at = f->out->len - 1;
	nctl_json_init(&json, f->out);
	f->out->len = at + 1;
	put_stats(s, &json);
	/* "}{" becomes ",". */
	if (!f->out->err) {
		memmove(f->out->s + at, f->out->s + at + 1, f->out->len - at - 1);
		f->out->s[at] = ',';
		f->out->len--;
	}
	nd_fill_line_end(f, true);
}

static void take(struct nd_fill *f, const struct nlmsghdr *nlh)
{
	static const struct nctl_attr_policy policy[] = {
		[IFLA_STATS_LINK_64] = {.kind = NCTL_ATTR_BYTES, .min = 184}}; /* without rx_nohandler: 4.6 */
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)];
	const struct if_stats_msg *ifsm = (const void *)((const uint8_t *)nlh + NLMSG_HDRLEN);
	const struct nctl_mirror_link *l;
	struct rtnl_link_stats64 s = {0};

	if (nlh->nlmsg_type != RTM_NEWSTATS ||
		nctl_attr_parse_msg(nlh, sizeof(*ifsm), policy, tb, NCTL_ARRAY_SIZE(policy) - 1) < 0 ||
		!tb[IFLA_STATS_LINK_64])
		return;
	memcpy(&s, nctl_attr_data(tb[IFLA_STATS_LINK_64]),
		nctl_min(nctl_attr_len(tb[IFLA_STATS_LINK_64]), sizeof(s)));
	l = nctl_mirror_link_get(f->m, ifsm->ifindex);
	if (l)
		put(f, l, &s);
}

/* Asks for the next links. 0, or a negative errno; q->inside is false if there are none. */
static int ask(struct nd_query *q, struct nd_fill *f)
{
	struct request *rq = malloc(sizeof(*rq));
	size_t bytes = f->bytes;
	int r;

	if (!rq)
		return -ENOMEM;
	nctl_msgbuf_init(&rq->m, rq->room, sizeof(rq->room));
	q->link.request = rq;
	r = nd_query_links_fill(q, f, add);
	q->link.request = NULL;
	f->bytes = bytes;
	q->link.last = !q->inside;
	q->inside = true;
	if (r == 0 && rq->m.n) {
		q->link.asked = true;
		r = nctl_live_ask(q->live, &rq->m);
	} else {
		q->inside = !q->link.last;
	}
	free(rq);
	return r;
}

int nd_query_link_stats_fill(struct nd_query *q, struct nd_fill *f)
{
	const struct nlmsghdr *nlh;
	int r = nd_query_live(q, f);

	if (r == 0 && !q->link.asked)
		r = ask(q, f);
	while (r == 0 && q->link.asked && !nd_fill_is_full(f)) {
		nlh = nctl_live_next(q->live, &r);
		if (nlh) {
			take(f, nlh);
			r = 0;
		} else if (r == 0) {
			q->link.asked = false;
			q->inside = !q->link.last;
		}
	}
	if (r == NCTL_LIVE_WAIT) {
		q->waiting = true;
		return f->out->err;
	}
	return r < 0 ? r : f->out->err;
}
