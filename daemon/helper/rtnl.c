/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: the few questions that the helper itself asks of rtnetlink(7): which nsid a namespace has, and to move
 * a link to another namespace. The kernel answers inside send(2), so that nothing here ever waits. Used by
 * enter.c.
 */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "helper/private.h"
#include "nl/attr.h"
#include "nl/msg.h"
#include "nl/transport.h"

enum { REQUEST_MAX = 512, REPLY_MAX = 8192, SEQ_ACK = 1, SEQ_ANSWER = 2 };

/* What the kernel said to the messages SEQ_ACK and SEQ_ANSWER. */
struct reply {
	int error[SEQ_ANSWER + 1]; /* by sequence number; 1: nothing was said */
	int32_t nsid;
	struct nctl_strbuf *text; /* or NULL */
};

int nd_rtnl_open(int *ret_fd)
{
	_cleanup_(nctl_closep) int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int r;

	if (fd < 0)
		return -errno;
	r = nctl_socket_set_up(fd, NCTL_TRANSPORT_REQUEST);
	if (r < 0)
		return r;
	*ret_fd = take_fd(fd);
	return 0;
}

static void read_error(const struct nlmsghdr *nlh, struct reply *ret)
{
	static const struct nctl_attr_policy policy[NLMSGERR_ATTR_MSG + 1] = {
		[NLMSGERR_ATTR_MSG] = {.kind = NCTL_ATTR_STR},
	};
	const struct nlattr *tb[NLMSGERR_ATTR_MSG + 1];
	const struct nlmsgerr *e = NLMSG_DATA(nlh);

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*e)) || e->error > 0)
		return;
	ret->error[nlh->nlmsg_seq] = e->error;
	/* Without NLM_F_CAPPED the request itself stands before the attributes, and we always set the option.
	 */
	if (!ret->text || !(nlh->nlmsg_flags & NLM_F_ACK_TLVS) || !(nlh->nlmsg_flags & NLM_F_CAPPED))
		return;
	if (nctl_attr_parse_msg(nlh, sizeof(*e), policy, tb, NLMSGERR_ATTR_MSG) == 0 && tb[NLMSGERR_ATTR_MSG])
		nctl_strbuf_puts(ret->text, nctl_attr_str(tb[NLMSGERR_ATTR_MSG]));
}

static void read_nsid(const struct nlmsghdr *nlh, struct reply *ret)
{
	static const struct nctl_attr_policy policy[NETNSA_NSID + 1] = {
		[NETNSA_NSID] = {.kind = NCTL_ATTR_U32},
	};
	const struct nlattr *tb[NETNSA_NSID + 1];

	if (nctl_attr_parse_msg(nlh, sizeof(struct rtgenmsg), policy, tb, NETNSA_NSID) < 0 ||
		!tb[NETNSA_NSID])
		return;
	ret->nsid = (int32_t)nctl_attr_u32(tb[NETNSA_NSID]);
	ret->error[nlh->nlmsg_seq] = 0;
}

/* Takes the answers that lie in the socket. 0 or -errno. */
static int read_replies(int rtnl, struct reply *ret)
{
	char buf[REPLY_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *nlh;
	struct sockaddr_nl from;
	socklen_t from_len;
	ssize_t k;

	for (;;) {
		from_len = sizeof(from);
		k = recvfrom(rtnl, buf, sizeof(buf), MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (from_len < sizeof(from) || from.nl_pid != 0)
			continue; /* anyone may send to a netlink port */
		for (nlh = nctl_msg_next(buf, (size_t)k, NULL); nlh;
			nlh = nctl_msg_next(buf, (size_t)k, nlh)) {
			if (nlh->nlmsg_seq != SEQ_ACK && nlh->nlmsg_seq != SEQ_ANSWER)
				continue;
			if (nlh->nlmsg_type == NLMSG_ERROR)
				read_error(nlh, ret);
			else if (nlh->nlmsg_type == RTM_NEWNSID)
				read_nsid(nlh, ret);
		}
	}
}

static int ask(int rtnl, const struct nctl_msgbuf *m, struct reply *ret)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	ssize_t k;

	do
		k = sendto(rtnl, m->buf, m->len, 0, (struct sockaddr *)&kernel, sizeof(kernel));
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return -errno;
	return read_replies(rtnl, ret);
}

static void put_nsid(struct nctl_msgbuf *m, uint16_t type, uint16_t flags, int target_fd)
{
	struct rtgenmsg header = {.rtgen_family = AF_UNSPEC};

	nctl_msg_begin(m, type, flags, &header, sizeof(header));
	nctl_msg_put_u32(m, NETNSA_FD, (uint32_t)target_fd);
}

int nd_rtnl_nsid(int rtnl, int target_fd, bool assign, int32_t *ret)
{
	char buf[REQUEST_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct reply reply = {.error = {1, 1, 1}, .nsid = -1};
	struct nctl_msgbuf m;
	int r;

	nctl_msgbuf_init(&m, buf, sizeof(buf));
	if (assign) {
		put_nsid(&m, RTM_NEWNSID, NLM_F_ACK, target_fd);
		nctl_msg_put_u32(&m, NETNSA_NSID, (uint32_t)-1); /* any that is free */
		(void)nctl_msg_commit(&m, SEQ_ACK);
	}
	put_nsid(&m, RTM_GETNSID, 0, target_fd);
	(void)nctl_msg_commit(&m, SEQ_ANSWER);
	r = ask(rtnl, &m, &reply);
	if (r < 0)
		return r;
	/* -EEXIST: it has one. The second answer tells in any case. */
	if (assign && reply.error[SEQ_ACK] < 0 && reply.error[SEQ_ACK] != -EEXIST)
		return reply.error[SEQ_ACK];
	if (reply.error[SEQ_ANSWER])
		return nctl_min(reply.error[SEQ_ANSWER], 0) ?: -EIO;
	*ret = reply.nsid;
	return 0;
}

int nd_rtnl_move(int rtnl, uint32_t ifindex, int target_fd, const char *name, struct nctl_strbuf *text)
{
	char buf[REQUEST_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct ifinfomsg header = {.ifi_family = AF_UNSPEC, .ifi_index = (int)ifindex};
	struct reply reply = {.error = {1, 1, 1}, .text = text};
	struct nctl_msgbuf m;
	int r;

	nctl_msgbuf_init(&m, buf, sizeof(buf));
	nctl_msg_begin(&m, RTM_NEWLINK, NLM_F_ACK, &header, sizeof(header));
	nctl_msg_put_u32(&m, IFLA_NET_NS_FD, (uint32_t)target_fd);
	if (*name)
		nctl_msg_put_str(&m, IFLA_IFNAME, name);
	(void)nctl_msg_commit(&m, SEQ_ACK);
	r = ask(rtnl, &m, &reply);
	if (r < 0)
		return r;
	return reply.error[SEQ_ACK] > 0 ? -EIO : reply.error[SEQ_ACK];
}
