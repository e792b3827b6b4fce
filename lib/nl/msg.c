/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the bounded message builder. Invariants: len, open and the offsets of nests are multiples of 4; len +
 * open never exceeds cap; whatever lies between committed bytes is zeroed, so no stale memory reaches the
 * kernel.
 */

#include <string.h>

#include "nl/msg.h"

void nctl_msgbuf_init(struct nctl_msgbuf *m, void *buf, size_t cap)
{
	*m = (struct nctl_msgbuf){.buf = buf, .cap = cap};
}

void nctl_msgbuf_reset(struct nctl_msgbuf *m)
{
	nctl_msgbuf_init(m, m->buf, m->cap);
}

/*
 * Takes len bytes, and zeroed padding behind them, at the end of the open message. NULL if they do not fit.
 */
static uint8_t *msg_take(struct nctl_msgbuf *m, size_t len)
{
	size_t padded = NLMSG_ALIGN(len);
	uint8_t *p;

	if (m->overflow)
		return NULL;
	if (padded < len || padded > m->cap - m->len - m->open) {
		m->overflow = true;
		return NULL;
	}
	p = m->buf + m->len + m->open;
	memset(p + len, 0, padded - len);
	m->open += padded;
	return p;
}

void nctl_msg_begin(struct nctl_msgbuf *m, uint16_t type, uint16_t flags, const void *hdr, size_t hdr_len)
{
	struct nlmsghdr nlh = {.nlmsg_type = type, .nlmsg_flags = flags | NLM_F_REQUEST};
	uint8_t *p;

	nctl_msg_cancel(m);
	p = msg_take(m, sizeof(nlh));
	if (!p)
		return;
	memcpy(p, &nlh, sizeof(nlh));
	nctl_msg_put_raw(m, hdr, hdr_len);
}

void nctl_msg_put_raw(struct nctl_msgbuf *m, const void *data, size_t len)
{
	uint8_t *p = msg_take(m, len);

	if (p && len > 0)
		memcpy(p, data, len);
}

void nctl_msg_set_flags(struct nctl_msgbuf *m, uint16_t flags)
{
	struct nlmsghdr h;
	uint8_t *p = m->buf + m->len;

	if (m->overflow || m->open < sizeof(h))
		return;
	memcpy(&h, p, sizeof(h));
	h.nlmsg_flags = flags | NLM_F_REQUEST;
	memcpy(p, &h, sizeof(h));
}

void nctl_msg_put(struct nctl_msgbuf *m, uint16_t attr, const void *data, size_t len)
{
	struct nlattr a = {.nla_type = attr};
	uint8_t *p;

	if (len > UINT16_MAX - NLA_HDRLEN) {
		m->overflow = true;
		return;
	}
	p = msg_take(m, NLA_HDRLEN + len);
	if (!p)
		return;
	a.nla_len = (uint16_t)(NLA_HDRLEN + len);
	memcpy(p, &a, sizeof(a));
	if (len > 0)
		memcpy(p + NLA_HDRLEN, data, len);
}

void nctl_msg_put_u8(struct nctl_msgbuf *m, uint16_t attr, uint8_t v)
{
	nctl_msg_put(m, attr, &v, sizeof(v));
}

void nctl_msg_put_u16(struct nctl_msgbuf *m, uint16_t attr, uint16_t v)
{
	nctl_msg_put(m, attr, &v, sizeof(v));
}

void nctl_msg_put_u32(struct nctl_msgbuf *m, uint16_t attr, uint32_t v)
{
	nctl_msg_put(m, attr, &v, sizeof(v));
}

void nctl_msg_put_u64(struct nctl_msgbuf *m, uint16_t attr, uint64_t v)
{
	nctl_msg_put(m, attr, &v, sizeof(v));
}

void nctl_msg_put_str(struct nctl_msgbuf *m, uint16_t attr, const char *s)
{
	nctl_msg_put(m, attr, s, strlen(s) + 1);
}

size_t nctl_msg_nest_begin(struct nctl_msgbuf *m, uint16_t attr)
{
	size_t nest = m->open;

	nctl_msg_put(m, attr, NULL, 0);
	return nest;
}

void nctl_msg_nest_end(struct nctl_msgbuf *m, size_t nest)
{
	struct nlattr a;
	uint8_t *p = m->buf + m->len + nest;

	if (m->overflow)
		return;
	if (m->open - nest > UINT16_MAX) {
		m->overflow = true;
		return;
	}
	memcpy(&a, p, sizeof(a));
	a.nla_len = (uint16_t)(m->open - nest);
	memcpy(p, &a, sizeof(a));
}

void nctl_msg_nest_cancel(struct nctl_msgbuf *m, size_t nest)
{
	if (!m->overflow)
		m->open = nest;
}

int nctl_msg_commit(struct nctl_msgbuf *m, uint32_t seq)
{
	struct nlmsghdr nlh;
	uint8_t *p = m->buf + m->len;

	if (m->overflow || m->open == 0) {
		nctl_msg_cancel(m);
		return NCTL_MSG_FULL;
	}
	memcpy(&nlh, p, sizeof(nlh));
	nlh.nlmsg_len = (uint32_t)m->open;
	nlh.nlmsg_seq = seq;
	memcpy(p, &nlh, sizeof(nlh));
	m->last = m->len;
	m->len += m->open;
	m->open = 0;
	m->n++;
	return 0;
}

void nctl_msg_cancel(struct nctl_msgbuf *m)
{
	m->open = 0;
	m->overflow = false;
}

void nctl_msgbuf_ack_last(struct nctl_msgbuf *m)
{
	struct nlmsghdr nlh;

	if (m->n == 0)
		return;
	memcpy(&nlh, m->buf + m->last, sizeof(nlh));
	nlh.nlmsg_flags |= NLM_F_ACK;
	memcpy(m->buf + m->last, &nlh, sizeof(nlh));
}
