/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <pthread.h>

#include "base/rbtree.h"
#include "fake/parts.h"

/* The fake kernel itself, its transports and the datagrams in them. */

enum { FK_N_TYPES = 256, FK_DUMP_MAX = 32768, FK_N_ROLES = NCTL_TRANSPORT_GENERIC + 1 };

struct fk_refusal {
	struct nctl_list node;
	struct nctl_fake_refusal r;
	char ifname[128], text[256];
};

/* A namespace lives while its creator or a transport holds it, as files and sockets do. */
struct fk_netns {
	struct nctl_fake *f;
	uint64_t cookie;
	bool held, dying;
	unsigned n_transports;
	struct nctl_list links, by_index;
	int last_index;
	struct fk_netns **ids; /* by nsid; NULL: free */
	size_t n_ids;
	struct nctl_list dad; /* in the fake's, while its links may have addresses that wait for detection */
	struct nctl_list routes4, routes6, nexthops, rules4, rules6;
	struct nctl_rb_tree prefixes4, prefixes6; /* of the routes */
	uint32_t *tables4, *tables6;              /* that exist beside the fixed ones, with routes or not */
	size_t n_tables4, n_tables6;
	uint32_t last_nhid;
	uint64_t births; /* of next-hop objects */
	bool vrf_rules;  /* the rule of the first VRF has been made */
};

/* The way to a namespace; does not hold it. */
struct fk_kernel {
	struct nctl_kernel base;
	struct nctl_fake *f;
	uint64_t cookie;
};

struct nctl_fake {
	struct fk_kernel kernel; /* of home */
	pthread_mutex_t lock;    /* recursive: a dump hook may use exec */
	pthread_cond_t gone;     /* a namespace is */
	uint64_t rng;
	struct fk_netns *home, **spaces; /* by cookie, from home's on; NULL: gone */
	size_t n_spaces;
	unsigned version, patch; /* version: major * 1000 + minor */
	bool dad, deaf;
	unsigned lazy; /* rounds of linkwatch */
	struct nctl_list watch, transports, dad_spaces;
	unsigned joins;
	uint64_t counts[FK_N_TYPES];
	/* injections */
	struct nctl_list refusals;
	size_t rcvbuf[FK_N_ROLES];
	size_t dump_chunk, truncate_len;
	unsigned interrupt_dumps, lose_acks, truncate;
	bool reverse_acks, hold, whole_dumps;
	void (*dump_hook)(void *userdata, unsigned chunk);
	void *dump_userdata;
};

/* A datagram in a queue, or an event held back. */
struct fk_dgram {
	struct nctl_list node;
	int32_t nsid; /* -1: none */
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
	/* routes, next-hop objects, rules: filters, and behind what to go on */
	bool filtered, groups, begun;
	uint8_t protocol, rtype, at_len, at[16];
	uint32_t table, at_table;
	uint64_t next; /* id or priority */
	unsigned nth;  /* within a prefix whose routes no datagram can hold */
};

struct fk_transport {
	struct nctl_transport base;
	struct nctl_list node, queue, held; /* held: events not delivered yet */
	struct nctl_fake *f;
	struct fk_netns *ns;
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
void fk_transport_push(struct fk_transport *t, const void *data, size_t len, int32_t nsid);
void fk_transport_overrun(struct fk_transport *t);
void fk_broadcast(struct fk_netns *ns, unsigned group, const void *data, size_t len);
void fk_queue_free(struct nctl_list *queue);
void fk_release_held(struct nctl_fake *f);

/* netns.c */
struct fk_netns *fk_netns_new(struct nctl_fake *f); /* with lo; NULL: no memory */
void fk_netns_free(struct fk_netns *ns);
struct fk_netns *fk_netns_find(struct nctl_fake *f, uint64_t cookie); /* NULL: gone */
void fk_netns_unhold(struct fk_netns *ns);                            /* takes it down if nothing holds it */

/* request.c: all messages of a datagram; t NULL: exec, the answer's errno is the result */
int fk_datagram(struct fk_netns *ns, struct fk_transport *t, const void *data, size_t len);

/* dump.c */
int fk_dump_start(struct fk_req *rq, struct fk_transport *t);
void fk_dump_next(struct fk_transport *t);
int fk_get_one(struct fk_req *rq, struct fk_transport *t);

struct fk_buf;

/* fibdump.c */
int fk_fib_dump_filters(struct fk_req *rq, struct fk_dump *d);
bool fk_fib_dump_fill(struct fk_netns *ns, struct fk_dump *d, struct fk_buf *b);
