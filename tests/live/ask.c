/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: a request and its answer, one after the other, for the programs that print what a kernel has. */
#include <linux/rtnetlink.h>

#include "ask.h"
#include "nl/attr.h"

/* Takes the messages of one datagram. 1 at the end of the answer, or a negative errno. */
static int take_all(
	const struct nctl_dgram *d, int (*take)(void *userdata, const struct nlmsghdr *nlh), void *userdata)
{
	const struct nlmsghdr *nlh = NULL;
	const struct nlmsgerr *e;
	int r;

	while ((nlh = nctl_msg_next(d->buf, d->len, nlh))) {
		if (nlh->nlmsg_type == NLMSG_DONE)
			return 1;
		if (nlh->nlmsg_type == NLMSG_ERROR) {
			e = NLMSG_DATA(nlh);
			return e->error ? e->error : 1;
		}
		r = take(userdata, nlh);
		if (r < 0)
			return r;
	}
	return 0;
}

int ask(struct nctl_transport *t, struct nctl_msgbuf *msg,
	int (*take)(void *userdata, const struct nlmsghdr *nlh), void *userdata)
{
	static uint32_t buf[16384];
	struct nctl_dgram d = {.buf = buf, .cap = sizeof(buf)};
	int r = t->ops->send(t, msg->buf, msg->len);

	nctl_msgbuf_reset(msg);
	while (r == 0) {
		r = t->ops->wait(t, NCTL_TIME_NEVER);
		if (r == 0)
			r = t->ops->recv(t, &d, 1);
		if (r > 0)
			r = take_all(&d, take, userdata);
	}
	return r > 0 ? 0 : r;
}
