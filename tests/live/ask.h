/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <linux/netlink.h>

#include "nl/msg.h"
#include "nl/transport.h"

/*
 * Sends what msg holds, empties it, and hands each message of the answer to take until the answer ends. 0, or
 * a negative errno: the kernel's, or take's.
 */
int ask(struct nctl_transport *t, struct nctl_msgbuf *msg,
	int (*take)(void *userdata, const struct nlmsghdr *nlh), void *userdata);
