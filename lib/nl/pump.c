/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the receive pump of an event transport. Owns the transport and its receive buffers; the loop calls
 * dispatch when the descriptor is readable. A receive call that gives fewer datagrams than asked for has
 * emptied the socket, so no further call is spent to hear so. Callbacks run inside dispatch only and may not
 * free the pump.
 */

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "nl/attr.h"
#include "nl/dgvec.h"
#include "nl/pump.h"

enum { PUMP_VECTOR = 64 };

struct nctl_pump {
	struct nctl_transport *transport;
	const struct nctl_pump_ops *ops;
	void *userdata;
	struct nctl_dgvec dgrams;
	struct nctl_pump_stats stats;
};

int nctl_pump_new(
	struct nctl_transport *t, const struct nctl_pump_ops *ops, void *userdata, struct nctl_pump **ret)
{
	_cleanup_(nctl_freep) struct nctl_pump *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return -ENOMEM;
	p->ops = ops;
	p->userdata = userdata;
	r = nctl_dgvec_init(&p->dgrams, PUMP_VECTOR);
	if (r < 0)
		return r;
	p->transport = t;
	*ret = take_ptr(p);
	return 0;
}

struct nctl_pump *nctl_pump_free(struct nctl_pump *p)
{
	if (!p)
		return NULL;
	nctl_transport_free(p->transport);
	nctl_dgvec_fini(&p->dgrams);
	free(p);
	return NULL;
}

void nctl_pump_freep(struct nctl_pump **p)
{
	*p = nctl_pump_free(*p);
}

int nctl_pump_get_fd(const struct nctl_pump *p)
{
	return p->transport->ops->get_fd(p->transport);
}

int nctl_pump_get_queue(const struct nctl_pump *p, struct nctl_transport_queue *ret)
{
	if (!p->transport->ops->get_queue)
		return -EOPNOTSUPP;
	return p->transport->ops->get_queue(p->transport, ret);
}

const struct nctl_pump_stats *nctl_pump_get_stats(const struct nctl_pump *p)
{
	return &p->stats;
}

static int32_t nsid_of(const struct nctl_dgram *d)
{
	return d->has_nsid ? d->nsid : -1;
}

static void pump_damaged(struct nctl_pump *p, const struct nctl_dgram *d)
{
	if (p->ops->damaged)
		p->ops->damaged(p->userdata, nsid_of(d));
	else
		p->ops->lost(p->userdata);
}

/* Hands out the messages of one datagram and returns how many there were. */
static size_t pump_hand_out(struct nctl_pump *p, const struct nctl_dgram *d)
{
	int32_t nsid = nsid_of(d);
	const struct nlmsghdr *nlh = NULL;
	size_t n = 0, seen = 0;

	while ((nlh = nctl_msg_next(d->buf, d->len, nlh))) {
		seen = (size_t)((const uint8_t *)nlh - (const uint8_t *)d->buf) + NLMSG_ALIGN(nlh->nlmsg_len);
		n++;
		if (nlh->nlmsg_type >= NLMSG_MIN_TYPE)
			p->ops->message(p->userdata, nsid, nlh);
	}
	p->stats.messages += n;
	if (seen < d->len) {
		p->stats.malformed++;
		pump_damaged(p, d);
	}
	return n;
}

/*
 * Hands out k datagrams. Returns the number of messages; ret_truncated says that the buffers are too small.
 */
static size_t pump_hand_out_all(struct nctl_pump *p, size_t k, bool *ret_truncated)
{
	bool truncated = false;
	size_t n = 0;

	for (size_t i = 0; i < k; i++) {
		if (p->dgrams.v[i].truncated) {
			truncated = true;
			p->stats.truncated++;
			pump_damaged(p, &p->dgrams.v[i]);
			continue;
		}
		n += pump_hand_out(p, &p->dgrams.v[i]);
	}
	*ret_truncated = truncated;
	return n;
}

int nctl_pump_dispatch(struct nctl_pump *p, size_t budget)
{
	size_t done = 0;

	p->stats.wakeups++;
	while (done < budget) {
		size_t want = nctl_min(budget - done, p->dgrams.n);
		int k = p->transport->ops->recv(p->transport, p->dgrams.v, want);
		bool truncated;

		p->stats.receives++;
		if (k == -ENOBUFS) {
			p->stats.overruns++;
			p->ops->lost(p->userdata);
			done++; /* so that a storm of overruns ends, too */
			continue;
		}
		if (k < 0)
			return k;
		p->stats.datagrams += (size_t)k;
		done += nctl_max(pump_hand_out_all(p, (size_t)k, &truncated), (size_t)k);
		if (truncated)
			(void)nctl_dgvec_grow(
				&p->dgrams); /* if not, the same may be lost again, and be told again */
		if ((size_t)k < want)
			return 0;
	}
	return NCTL_PUMP_MORE;
}
