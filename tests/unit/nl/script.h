/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "base/list.h"
#include "nl/transport.h"

/*
 * A kernel whose answers a test writes down: on_send is called, in the sender's thread, for each datagram
 * sent and queues what shall be received by script_put. Opening a transport empties the queue, as a new
 * socket has none.
 */
struct script {
	struct nctl_kernel kernel;
	void (*on_send)(struct script *s, const struct nlmsghdr *first, size_t len);
	void *userdata;
	pthread_mutex_t lock;
	struct nctl_list queue;
	int fd;     /* eventfd, readable while the queue is not empty */
	sem_t sent; /* posted behind each send */
	unsigned opens, sends, alive;
	bool no_open; /* opening fails from now on */
};

void script_init(struct script *s);
void script_fini(struct script *s);

/* Queues one datagram of the kernel. */
void script_put(struct script *s, const void *data, size_t len);
void script_put_nsid(struct script *s, const void *data, size_t len, int32_t nsid);
/* Queues a failure of recv. */
void script_put_error(struct script *s, int error);

struct script_ack {
	uint32_t seq;
	int error;
	const char *text;
	uint32_t offset;
	size_t echo; /* bytes of the request's payload that are echoed; 0: NLM_F_CAPPED */
};
void script_put_ack(struct script *s, const struct script_ack *ack);
