/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <pthread.h>

#include "fake/parts.h"

/* The fake kernel itself, its transports and the datagrams in them. */

enum { FK_N_TYPES = 256, FK_DUMP_MAX = 32768 };

struct fk_refusal {
	struct nctl_list node;
	struct nctl_fake_refusal r;
	char ifname[128], text[256];
};

struct nctl_fake {
	struct nctl_kernel kernel;
	pthread_mutex_t lock; /* recursive: a dump hook may use exec */
	uint64_t cookie, rng;
	unsigned version; /* major * 1000 + minor */
	bool dad;
	unsigned lazy; /* rounds of linkwatch */
	struct nctl_list links, by_index, watch, transports;
	int last_index;
	unsigned joins;
	uint64_t counts[FK_N_TYPES];
	/* injections */
	struct nctl_list refusals, held;
	size_t rcvbuf[2];
	size_t dump_chunk, truncate_len;
	unsigned interrupt_dumps, lose_acks, truncate;
	bool reverse_acks, hold;
	void (*dump_hook)(void *userdata, unsigned chunk);
	void *dump_userdata;
};

/* A datagram in a queue, or an event held back. */
struct fk_dgram {
	struct nctl_list node;
	unsigned group; /* of a held event */
	size_t len, charge;
	uint8_t data[];
};

/* A dump under way: made piece by piece as the reader takes them, from the state of that moment. */
struct fk_dump {
	bool active, interrupted;
	uint16_t type;
	uint8_t family; /* AF_UNSPEC: all */
	uint32_t seq;
	int ifindex, master; /* filters, 0: none */
	char kind[16];
	unsigned chunk;       /* number of the next datagram */
	int next_index, pass; /* where to go on: the link, and for addresses 0 IPv4, 1 IPv6 */
	unsigned next_addr;
};

struct fk_transport {
	struct nctl_transport base;
	struct nctl_list node, queue;
	struct nctl_fake *f;
	enum nctl_transport_role role;
	int efd;
	bool signalled, overrun, congested;
	size_t rmem;
	uint64_t groups;
	unsigned drop; /* injected: lose that many events more */
	struct fk_dump dump;
};

void fk_lock(struct nctl_fake *f);
void fk_unlock(struct nctl_fake *f);

/* transport.c */
int fk_transport_open(struct nctl_kernel *k, enum nctl_transport_role role, struct nctl_transport **ret);
void fk_transport_push(struct fk_transport *t, const void *data, size_t len);
void fk_transport_overrun(struct fk_transport *t);
void fk_broadcast(struct nctl_fake *f, unsigned group, const void *data, size_t len);
void fk_release_held(struct nctl_fake *f);

/* request.c: all messages of a datagram; t NULL: exec, the answer's errno is the result */
int fk_datagram(struct nctl_fake *f, struct fk_transport *t, const void *data, size_t len);

/* dump.c */
int fk_dump_start(struct fk_req *rq, struct fk_transport *t);
void fk_dump_next(struct fk_transport *t);
int fk_get_one(struct fk_req *rq, struct fk_transport *t);
