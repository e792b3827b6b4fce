/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: one of the two worlds of the differential test, behind the transport vtable: requests, dumps, and
 * events as one stream a link.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <linux/rtnetlink.h>

#include "fake/diff.h"

enum { DIFF_BUF = 32768, DIFF_NO_ANSWER = 1000, DIFF_ANSWER_MS = 5000 };

int diff_world_open(struct diff_world *w, const char *label, struct nctl_kernel *k)
{
	static const unsigned groups[] = {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
		RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE,
		RTNLGRP_NEXTHOP};
	*w = (struct diff_world){.label = label, .buf = malloc(DIFF_BUF)};
	if (!w->buf)
		return -ENOMEM;
	int r = k->open(k, NCTL_TRANSPORT_EVENTS, &w->events);
	if (r == 0)
		r = k->open(k, NCTL_TRANSPORT_REQUEST, &w->req);
	for (size_t i = 0; r == 0 && i < NCTL_ARRAY_SIZE(groups); i++)
		r = w->events->ops->join(w->events, groups[i]);
	return r;
}

void diff_world_close(struct diff_world *w)
{
	if (w->events)
		w->events->ops->destroy(w->events);
	if (w->req)
		w->req->ops->destroy(w->req);
	diff_world_clear_streams(w);
	for (size_t i = 0; i < w->n_seen; i++) {
		free(w->seen[i].id);
		free(w->seen[i].text);
	}
	free(w->seen);
	fk_lines_clear(&w->state);
	free(w->buf);
	*w = (struct diff_world){0};
}

/* One datagram of the request transport: its length, 0 after a long silence, or -errno. */
static int diff_recv(struct diff_world *w)
{
	struct nctl_dgram d = {.buf = w->buf, .cap = DIFF_BUF};
	for (;;) {
		int r = w->req->ops->recv(w->req, &d, 1);
		if (r < 0)
			return r;
		if (r == 1)
			return (int)d.len;
		r = w->req->ops->wait(w->req, nctl_time_add_ms(nctl_time_now(), DIFF_ANSWER_MS));
		if (r < 0)
			return r == -ETIMEDOUT ? 0 : r;
	}
}

int diff_world_request(struct diff_world *w, const void *msg, size_t len)
{
	_Alignas(8) uint8_t copy[1024];
	struct nlmsghdr *nlh = (void *)copy;
	memcpy(copy, msg, len);
	nlh->nlmsg_seq = ++w->seq;
	int r = w->req->ops->send(w->req, copy, len);
	if (r < 0)
		return DIFF_NO_ANSWER - r;
	for (;;) {
		const struct nlmsghdr *answer = (const void *)w->buf;
		r = diff_recv(w);
		if (r <= 0)
			return DIFF_NO_ANSWER - r;
		if (answer->nlmsg_type == NLMSG_ERROR && answer->nlmsg_seq == w->seq)
			return -((const struct nlmsgerr *)NLMSG_DATA(answer))->error;
	}
}

static int diff_dump(struct diff_world *w, uint16_t type)
{
	_Alignas(8) uint8_t bytes[64];
	struct fk_buf b = FK_BUF(bytes);
	const uint8_t header[16] = {0}; /* of any family */
	const size_t len = type == RTM_GETLINK                             ? sizeof(struct ifinfomsg)
	                   : type == RTM_GETADDR || type == RTM_GETNEXTHOP ? 8
	                                                                   : sizeof(struct rtmsg);
	size_t start = fk_msg_begin(&b, type, NLM_F_REQUEST | NLM_F_DUMP, ++w->seq, header, len);
	fk_msg_end(&b, start);
	int r = w->req->ops->send(w->req, bytes, b.len);
	while (r == 0) {
		int got = diff_recv(w);
		if (got <= 0)
			return got ? got : -ETIMEDOUT;
		for (int off = 0; off < got;) {
			const struct nlmsghdr *nlh = (const void *)(w->buf + off);
			struct fk_words words;
			if (nlh->nlmsg_type == NLMSG_DONE)
				return 0;
			if (nlh->nlmsg_type == NLMSG_ERROR)
				return ((const struct nlmsgerr *)NLMSG_DATA(nlh))->error;
			if (fk_describe(nlh, true, &words))
				fk_lines_add(&w->state, words.text);
			off += (int)NLMSG_ALIGN(nlh->nlmsg_len);
		}
	}
	return r;
}

int diff_world_dump(struct diff_world *w)
{
	static const uint16_t types[] = {RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE, RTM_GETNEXTHOP, RTM_GETRULE};
	int r = 0;
	fk_lines_clear(&w->state);
	for (size_t i = 0; r == 0 && i < NCTL_ARRAY_SIZE(types); i++)
		r = diff_dump(w, types[i]);
	fk_lines_sort(&w->state);
	return r;
}

static void diff_nudge_one(struct diff_world *w, int ifindex)
{
	_Alignas(8) uint8_t bytes[64];
	struct fk_buf b = FK_BUF(bytes);
	struct ifinfomsg ifi = {.ifi_index = ifindex};
	size_t start = fk_msg_begin(&b, RTM_GETLINK, NLM_F_REQUEST, ++w->seq, &ifi, sizeof ifi);
	fk_msg_end(&b, start);
	if (w->req->ops->send(w->req, bytes, b.len) == 0)
		diff_recv(w);
}

void diff_world_nudge(struct diff_world *w)
{
	/* Ports before their masters: in the order in which linkwatch would have come to them. */
	for (int masters = 0; masters < 2; masters++) {
		for (size_t i = 0; i < w->state.n; i++) {
			int ifindex;
			bool port = strstr(w->state.v[i], " master=") != NULL;
			if (port != masters && sscanf(w->state.v[i], "link %d ", &ifindex) == 1)
				diff_nudge_one(w, ifindex);
		}
	}
}

static struct diff_stream *diff_stream_of(struct diff_world *w, const char *key)
{
	size_t at = 0;
	while (at < w->n_streams && strcmp(w->streams[at].key, key) < 0)
		at++;
	if (at < w->n_streams && strcmp(w->streams[at].key, key) == 0)
		return &w->streams[at];
	w->streams = realloc(w->streams, (w->n_streams + 1) * sizeof *w->streams);
	if (!w->streams)
		abort();
	memmove(&w->streams[at + 1], &w->streams[at], (w->n_streams - at) * sizeof *w->streams);
	w->streams[at] = (struct diff_stream){0};
	snprintf(w->streams[at].key, sizeof w->streams[at].key, "%s", key);
	w->n_streams++;
	return &w->streams[at];
}

/* The carrier of a link that is down changes without an event, and shows in the next one, whatever its cause.
 */
static void diff_drop_carrier(char *text)
{
	unsigned flags;
	char *at = strstr(text, " flags="), *carrier = strstr(text, " carrier=");
	if (!at || !carrier || sscanf(at, " flags=%x", &flags) != 1 || flags & IFF_UP)
		return;
	size_t len = strlen(" carrier=0");
	memmove(carrier, carrier + len, strlen(carrier + len) + 1);
}

/* Does text say of the object what was said last? Remembers it. */
static bool diff_repeated(struct diff_world *w, const char *id, const char *text)
{
	size_t i = 0;
	while (i < w->n_seen && strcmp(w->seen[i].id, id) != 0)
		i++;
	if (i == w->n_seen) {
		w->seen = realloc(w->seen, ++w->n_seen * sizeof *w->seen);
		if (!w->seen)
			abort();
		w->seen[i] = (struct diff_seen){.id = strdup(id)};
	}
	bool same = w->seen[i].text && strcmp(w->seen[i].text, text) == 0;
	free(w->seen[i].text);
	w->seen[i].text = strdup(text);
	return same;
}

/* "link 10", "addr 10 fe80::1", "route4 254 10.0.0.0/8 metric=0 tos=0", "nexthop 1" or "rule4 100" of a line.
 */
void diff_id(const char *text, char id[static DIFF_ID])
{
	unsigned blanks = text[0] == 'a' ? 3 : strncmp(text, "route", 5) == 0 ? 5 : 2;
	size_t i = 0;
	for (; text[i] && i < DIFF_ID - 1; i++) {
		if (text[i] == ' ' && --blanks == 0)
			break;
		id[i] = text[i];
	}
	id[i] = '\0';
}

void diff_world_remember(struct diff_world *w)
{
	for (size_t i = 0; i < w->state.n; i++) {
		char id[DIFF_ID], text[1040];
		diff_id(w->state.v[i], id);
		snprintf(text, sizeof text, "new %s", w->state.v[i]);
		diff_drop_carrier(text);
		diff_repeated(w, id, text);
	}
}

static void diff_event(struct diff_world *w, const struct nlmsghdr *nlh)
{
	struct fk_words words;
	char text[sizeof words.text + 32], id[DIFF_ID], key[DIFF_ID];
	if (!fk_describe(nlh, true, &words))
		return;
	diff_id(words.text, id);
	snprintf(text, sizeof text, "%s %s", words.removed ? "del" : "new", words.text);
	diff_drop_carrier(text);
	if (id[0] == 'n' || id[0] == 'r') {
		size_t len = strlen(text);
		/* two links are told of in the order of notifiers or of work queues */
		bool six = strncmp(id, "route6", 6) == 0;
		bool local = six && strstr(text, " proto=2 ");
		snprintf(key, sizeof key, "%.80s %d", id, six ? words.ifindex : 0);
		if (local)
			words.nlm_flags &= ~(unsigned)NLM_F_EXCL;
		if (id[0] == 'r' && id[1] == 'o' && !words.removed)
			snprintf(text + len, sizeof text - len, " (%x)", words.nlm_flags);
		fk_lines_add(&diff_stream_of(w, key)->lines, text);
		return;
	}
	/* New IPv6 addresses are told of from a work queue of their own, so they are a stream of their own.
	 */
	bool apart = !words.removed && id[0] == 'a' && strchr(id, ':');
	snprintf(key, sizeof key, "%010d%s", words.ifindex, apart ? "+" : "");
	if (!diff_repeated(w, id, text))
		fk_lines_add(&diff_stream_of(w, key)->lines, text);
}

int diff_world_drain(struct diff_world *w)
{
	for (;;) {
		struct nctl_dgram d = {.buf = w->buf, .cap = DIFF_BUF};
		int r = w->events->ops->recv(w->events, &d, 1);
		if (r <= 0)
			return r;
		for (size_t off = 0; off + NLMSG_HDRLEN <= d.len;) {
			const struct nlmsghdr *nlh = (const void *)(w->buf + off);
			diff_event(w, nlh);
			off += NLMSG_ALIGN(nlh->nlmsg_len);
		}
	}
}

void diff_world_wait(struct diff_world *w, unsigned ms)
{
	w->events->ops->wait(w->events, nctl_time_add_ms(nctl_time_now(), ms));
}

void diff_world_clear_streams(struct diff_world *w)
{
	for (size_t i = 0; i < w->n_streams; i++)
		fk_lines_clear(&w->streams[i].lines);
	free(w->streams);
	w->streams = NULL;
	w->n_streams = 0;
}

char *diff_world_streams(const struct diff_world *w)
{
	struct fk_lines all = {0};
	for (size_t i = 0; i < w->n_streams; i++)
		for (size_t j = 0; j < w->streams[i].lines.n; j++)
			fk_lines_add(&all, w->streams[i].lines.v[j]);
	char *text = fk_lines_join(&all);
	fk_lines_clear(&all);
	return text;
}
