/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: batches. Only the last message asks for an acknowledgement: refusals are answered without being asked
 * for, an acknowledgement each would overrun the receive buffer (tests/bench), and the kernel handles
 * messages of a datagram in order. So the answer to the last message, be it good or bad, ends the batch, and
 * who has no answer by then has succeeded.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "nl/worker.h"

int nctl_batch_new(size_t cap, struct nctl_batch **ret)
{
	struct nctl_batch *b = malloc(sizeof(*b) + cap);

	if (!b)
		return -ENOMEM;
	*b = (struct nctl_batch){.first_seq = nctl_seq_take((uint32_t)(cap / NLMSG_HDRLEN + 1))};
	nctl_msgbuf_init(&b->msgs, b + 1, cap);
	*ret = b;
	return 0;
}

struct nctl_batch *nctl_batch_free(struct nctl_batch *b)
{
	if (!b)
		return NULL;
	for (size_t i = 0; i < b->n_errors; i++)
		free(b->errors[i].text);
	free(b->errors);
	free(b);
	return NULL;
}

int nctl_batch_commit(struct nctl_batch *b)
{
	return nctl_msg_commit(&b->msgs, b->first_seq + (uint32_t)b->msgs.n);
}

/*
 * Adds an empty reply; NULL without memory. The array grows by doubling: it is full when n_errors is a
 * power of 2.
 */
static struct nctl_reply *batch_add_error(struct nctl_batch *b)
{
	size_t n = b->n_errors;

	if ((n & (n - 1)) == 0) {
		struct nctl_reply *more = realloc(b->errors, nctl_max(2 * n, (size_t)1) * sizeof(*more));

		if (!more)
			return NULL;
		b->errors = more;
	}
	b->errors[n] = (struct nctl_reply){.error = 0};
	b->n_errors++;
	return &b->errors[n];
}

/*
 * Reads the extended acknowledgement behind struct nlmsgerr (linux/netlink.h): the request's payload is
 * echoed in between unless NLM_F_CAPPED. One that is malformed only costs us the kernel's words.
 */
static void reply_read_extack(struct nctl_reply *reply, const struct nlmsghdr *nlh)
{
	static const struct nctl_attr_policy policy[] = {
		[NLMSGERR_ATTR_MSG] = {.kind = NCTL_ATTR_STR},
		[NLMSGERR_ATTR_OFFS] = {.kind = NCTL_ATTR_U32},
	};
	const struct nlmsgerr *err = (const void *)((const uint8_t *)nlh + NLMSG_HDRLEN);
	const struct nlattr *tb[NCTL_ARRAY_SIZE(policy)];
	size_t skip = sizeof(*err);

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && err->msg.nlmsg_len > NLMSG_HDRLEN)
		skip += err->msg.nlmsg_len - NLMSG_HDRLEN;
	if (nctl_attr_parse_msg(nlh, skip, policy, tb, NCTL_ARRAY_SIZE(policy) - 1) < 0)
		return;
	if (tb[NLMSGERR_ATTR_MSG])
		reply->text = strdup(nctl_attr_str(tb[NLMSGERR_ATTR_MSG]));
	if (tb[NLMSGERR_ATTR_OFFS])
		reply->offset = nctl_attr_u32(tb[NLMSGERR_ATTR_OFFS]);
}

bool nctl_reply_read(const struct nlmsghdr *nlh, struct nctl_reply *ret)
{
	if (nlh->nlmsg_type != NLMSG_ERROR || nlh->nlmsg_len < NLMSG_HDRLEN + sizeof(struct nlmsgerr) ||
		nctl_msg_error(nlh) == 0)
		return false;
	*ret = (struct nctl_reply){.error = nctl_msg_error(nlh)};
	reply_read_extack(ret, nlh);
	return true;
}

/* Takes one answer. True if it is the one for the last message. */
static bool batch_take(struct nctl_worker *w, struct nctl_batch *b, const struct nlmsghdr *nlh)
{
	uint32_t index = nlh->nlmsg_seq - b->first_seq;
	struct nctl_reply *reply;

	if (nlh->nlmsg_type != NLMSG_ERROR || index >= b->msgs.n ||
		nlh->nlmsg_len < NLMSG_HDRLEN + sizeof(struct nlmsgerr))
		return false;
	if (nctl_msg_error(nlh) < 0) {
		w->stats.refusals++;
		reply = batch_add_error(b);
		if (reply && nctl_reply_read(nlh, reply))
			reply->index = index;
		else
			b->status = -ENOMEM;
	}
	return index == b->msgs.n - 1;
}

static bool batch_take_all(struct nctl_worker *w, struct nctl_batch *b, size_t k)
{
	bool last = false;

	for (size_t i = 0; i < k; i++) {
		const struct nctl_dgram *d = &w->dgrams.v[i];
		const struct nlmsghdr *nlh = NULL;

		while ((nlh = nctl_msg_next(d->buf, d->len, nlh)))
			last |= batch_take(w, b, nlh);
	}
	return last;
}

/*
 * Collects the answers until that for the last message came, and then what is there already: a full vector
 * may have left some behind.
 */
static int batch_collect(struct nctl_worker *w, struct nctl_batch *b)
{
	bool last = false;
	int k;

	do {
		k = last ? nctl_worker_recv_nowait(w) : nctl_worker_recv(w);
		if (k < 0)
			return k;
		last |= batch_take_all(w, b, (size_t)k);
	} while (!last || (size_t)k == w->dgrams.n);
	return 0;
}

static size_t batch_count_changes(const struct nctl_batch *b)
{
	const struct nlmsghdr *nlh = NULL;
	size_t n = 0;

	/* rtnetlink message types come in fours: new, delete, get, set. */
	while ((nlh = nctl_msg_next(b->msgs.buf, b->msgs.len, nlh)))
		n += (nlh->nlmsg_type - RTM_BASE) % 4 != RTM_GETLINK - RTM_BASE;
	return n;
}

void nctl_worker_run_batch(struct nctl_worker *w, struct nctl_batch *b)
{
	nctl_time start;
	int r;

	b->status = 0;
	if (b->msgs.n == 0)
		return;
	nctl_msgbuf_ack_last(&b->msgs);
	w->stats.changes += batch_count_changes(b);
	start = nctl_time_now();
	r = nctl_worker_send(w, b->msgs.buf, b->msgs.len, b->msgs.n);
	b->send_us = (uint64_t)nctl_time_diff_us(nctl_time_now(), start);
	w->stats.longest_send_us = nctl_max(w->stats.longest_send_us, b->send_us);
	if (r == 0)
		r = batch_collect(w, b);
	if (r < 0)
		b->status = r;
}
