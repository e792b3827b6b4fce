/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

struct nctl_lladdr;

/*
 * The bounded message builder (S16). A buffer holds messages one behind the other; at most one is open.
 * A put that does not fit marks the open message as too long and does nothing; commit then drops the message
 * and says so, the earlier ones stay. So callers put without checking and look at commit alone.
 */
struct nctl_msgbuf {
	uint8_t *buf;
	size_t cap;
	size_t len;    /* bytes of committed messages, NLMSG_ALIGNed */
	size_t n;      /* committed messages */
	size_t last;   /* offset of the last committed message, if n */
	size_t open;   /* bytes of the open message so far, NLMSG_ALIGNed; 0: none open */
	bool overflow; /* the open message did not fit */
};

enum { NCTL_MSG_FULL = 1 }; /* commit: the message did not fit and was dropped */

/* Uses cap bytes at buf (4-aligned), which stay the caller's. */
void nctl_msgbuf_init(struct nctl_msgbuf *m, void *buf, size_t cap);
void nctl_msgbuf_reset(struct nctl_msgbuf *m);

/*
 * Opens a message: type (RTM_*), flags (NLM_F_REQUEST is added), a copy of the family header. seq is written
 * at commit. A message that is still open is dropped.
 */
void nctl_msg_begin(struct nctl_msgbuf *m, uint16_t type, uint16_t flags, const void *hdr, size_t hdr_len);
/* Other flags for the open message (NLM_F_REQUEST is added). */
void nctl_msg_set_flags(struct nctl_msgbuf *m, uint16_t flags);
void nctl_msg_put(struct nctl_msgbuf *m, uint16_t attr, const void *data, size_t len);
void nctl_msg_put_u8(struct nctl_msgbuf *m, uint16_t attr, uint8_t v);
void nctl_msg_put_u16(struct nctl_msgbuf *m, uint16_t attr, uint16_t v);
void nctl_msg_put_u32(struct nctl_msgbuf *m, uint16_t attr, uint32_t v);
void nctl_msg_put_u64(struct nctl_msgbuf *m, uint16_t attr, uint64_t v);
void nctl_msg_put_str(struct nctl_msgbuf *m, uint16_t attr, const char *s); /* with its NUL */
/* Raw bytes without an attribute header, aligned to 4: struct ifinfomsg inside VETH_INFO_PEER. */
void nctl_msg_put_raw(struct nctl_msgbuf *m, const void *data, size_t len);
/* Opens a nest (without NLA_F_NESTED, as iproute2); returns its offset for nest_end. An empty nest stays. */
size_t nctl_msg_nest_begin(struct nctl_msgbuf *m, uint16_t attr);
void nctl_msg_nest_end(struct nctl_msgbuf *m, size_t nest);
/* Drops an open nest, with all inside. A message that overflowed stays so. */
void nctl_msg_nest_cancel(struct nctl_msgbuf *m, size_t nest);

/* Closes the open message with this sequence number. 0, or NCTL_MSG_FULL: dropped, nothing of it is left. */
int nctl_msg_commit(struct nctl_msgbuf *m, uint32_t seq);
void nctl_msg_cancel(struct nctl_msgbuf *m);

/* Adds NLM_F_ACK to the last committed message; nothing without one. */
void nctl_msgbuf_ack_last(struct nctl_msgbuf *m);
