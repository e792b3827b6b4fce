/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <linux/netlink.h>

#include "base/list.h"
#include "exec/hub.h"
#include "nl/requester.h"

/* Questions and changes by generic netlink, one after the other; internal to lib/exec but for device.h. */

enum nctl_genl_family { NCTL_GENL_ETHTOOL, NCTL_GENL_WIREGUARD, NCTL_GENL_N_FAMILIES };

/* Several messages, of which each is answered before the next one is sent. */
struct nctl_genl_job {
	struct nctl_list link;
	struct nctl_session *session; /* NULL: its namespace is gone */
	enum nctl_genl_family family;
	/* The next message, left open in msg; family is the number. False: there are no more. */
	bool (*ask)(struct nctl_genl_job *j, uint16_t family, struct nctl_msgbuf *msg);
	/* A message of the answer. */
	void (*take)(struct nctl_genl_job *j, const struct nlmsghdr *nlh);
	/* The message is answered, by a refusal or (NULL) without. False: the job ends. */
	bool (*answered)(struct nctl_genl_job *j, const struct nctl_reply *refusal);
	/* error: 0, or why no more could be asked, with a text or NULL. Frees j or not. */
	void (*done)(struct nctl_genl_job *j, int error, const char *text);
};

/* Queues j; done is called from a dispatch, or with -ECANCELED when the hub ends. 0 or -ENOMEM. */
int nctl_genl_submit(struct nctl_hub *h, struct nctl_genl_job *j);

/* For the hub: */
void nctl_genl_dispatch(struct nctl_hub *h);
void nctl_genl_gone(struct nctl_hub *h, const struct nctl_session *s);
void nctl_genl_end(struct nctl_hub *h);
