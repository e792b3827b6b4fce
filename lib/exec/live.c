/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: questions to the kernel that somebody waits for (live.h), by an asker of the hub's that is started
 * with the first one. Messages that are no answer (acks, ends, refusals of one of many) are left out here.
 */
#include "exec/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exec/private.h"
#include "nl/asker.h"
#include "nl/attr.h"

struct nctl_live {
	struct nctl_list link; /* in the hub's lives */
	struct nctl_ask *ask;  /* NULL: the hub has ended */
	void (*ready)(void *userdata);
	void *userdata;
	bool waiting;               /* a step is under way */
	bool refusals;              /* are given, too */
	const struct nlmsghdr *nlh; /* the last one given */
};

static int live_new(struct nctl_hub *h, struct nctl_session *s, enum nctl_transport_role role,
	void (*ready)(void *userdata), void *userdata, struct nctl_live **ret)
{
	struct nctl_live *l;
	int r = h->asker ? 0 : nctl_asker_new(h->ops->wake, h->userdata, &h->asker);

	if (r < 0)
		return r;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	r = nctl_ask_new(h->asker, s->kernel, role, l, &l->ask);
	if (r < 0) {
		free(l);
		return r;
	}
	l->ready = ready;
	l->userdata = userdata;
	nctl_list_init(&l->link);
	nctl_list_add_tail(&h->lives, &l->link);
	*ret = l;
	return 0;
}

int nctl_live_new(struct nctl_hub *h, struct nctl_session *s, void (*ready)(void *userdata), void *userdata,
	struct nctl_live **ret)
{
	return live_new(h, s, NCTL_TRANSPORT_REQUEST, ready, userdata, ret);
}

int nctl_live_new_generic(struct nctl_hub *h, struct nctl_session *s, void (*ready)(void *userdata), void *userdata,
	struct nctl_live **ret)
{
	int r = live_new(h, s, NCTL_TRANSPORT_GENERIC, ready, userdata, ret);

	if (r == 0)
		(*ret)->refusals = true;
	return r;
}

struct nctl_live *nctl_live_free(struct nctl_live *l)
{
	if (!l)
		return NULL;
	nctl_ask_free(l->ask);
	nctl_list_del(&l->link);
	free(l);
	return NULL;
}

static bool is_refusal(const struct nlmsghdr *nlh)
{
	int error;

	if (nlh->nlmsg_type != NLMSG_ERROR || nlh->nlmsg_len < NLMSG_HDRLEN + sizeof(error))
		return false;
	memcpy(&error, (const uint8_t *)nlh + NLMSG_HDRLEN, sizeof(error));
	return error;
}

static int step(struct nctl_live *l, const struct nctl_msgbuf *m)
{
	int r = l->ask ? nctl_ask_step(l->ask, m) : -ECANCELED;

	l->nlh = NULL;
	l->waiting = r == 0;
	return r;
}

int nctl_live_ask(struct nctl_live *l, const struct nctl_msgbuf *m)
{
	return step(l, m);
}

const struct nlmsghdr *nctl_live_next(struct nctl_live *l, int *ret)
{
	if (!l->ask) {
		*ret = -ECANCELED;
		return NULL;
	}
	if (l->waiting) {
		*ret = NCTL_LIVE_WAIT;
		return NULL;
	}
	while ((l->nlh = nctl_msg_next(l->ask->data, l->ask->len, l->nlh)))
		if (l->nlh->nlmsg_type >= NLMSG_MIN_TYPE || (l->refusals && is_refusal(l->nlh)))
			return l->nlh;
	if (!l->ask->over) {
		*ret = step(l, NULL);
		*ret = *ret == 0 ? NCTL_LIVE_WAIT : *ret;
		return NULL;
	}
	/* Asked once more, it is still over. */
	l->ask->len = 0;
	*ret = l->ask->status == 0 && l->ask->interrupted ? -EINTR : l->ask->status;
	return NULL;
}

void nctl_live_dispatch(struct nctl_hub *h)
{
	struct nctl_ask *q;

	while (h->asker && (q = nctl_asker_pop(h->asker))) {
		struct nctl_live *l = q->userdata;

		l->waiting = false;
		l->ready(l->userdata);
	}
}

void nctl_live_end(struct nctl_hub *h)
{
	struct nctl_list *n;

	while ((n = nctl_list_first(&h->lives))) {
		struct nctl_live *l = nctl_list_entry(n, struct nctl_live, link);

		nctl_list_del(n);
		l->ask = nctl_ask_free(l->ask);
	}
	h->asker = nctl_asker_free(h->asker);
}
