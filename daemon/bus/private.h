/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

#include "base/list.h"
#include "bus/bus.h"
#include "mirror/mirror.h"

/* What the files of this folder share. */

#define ND_BUS_PATH	 "/org/netctld"
#define ND_BUS_INTERFACE "org.netctld.Manager"
#define ND_BUS_ERROR	 "org.netctld.Error."

/* Bounds (S18), and what happens there. */
enum {
	ND_CLIENTS_MAX = 256,		    /* further connections are closed at once */
	ND_CLIENTS_MAX_UNPRIVILEGED = 224,  /* so that root always gets in */
	ND_CLIENTS_MAX_PER_UID = 32,	    /* but for uid 0 and our own */
	ND_CALLS_MAX = 16,		    /* unanswered calls of a connection: LimitsExceeded */
	ND_FILES_MAX = 64,		    /* files of a call: LimitsExceeded */
	ND_STREAMS_MAX = 64,		    /* answers of Query under way: LimitsExceeded */
	ND_STREAMS_MAX_PER_CLIENT = 8,
	ND_FILES_BYTES = 64 << 20,	    /* all files of a call: TooLarge */
	ND_FILES_BYTES_UNPRIVILEGED = 4 << 20, /* parsing takes the loop's time */
	ND_WRITE_QUEUE_PAUSE = 4,	    /* messages to a client: it is not read until it reads */
	ND_WRITE_QUEUE_MAX = 1000,	    /* it is dropped */
};

struct nd_bus {
	struct nd_loop *loop;
	struct nd_reconcile *reconcile;
	int listen_fd;
	char *path; /* of the socket if it was bound here; removed at the end */
	struct nd_io listen_io;
	struct nd_timer listen_again; /* after the lack of descriptors */
	struct nd_timer reap;
	struct nctl_list clients, doomed; /* struct nd_client by .link */
	struct nctl_list hungry;	  /* streams that want to be fed, in turn */
	struct nd_timer feed;
	size_t n_clients, n_unprivileged; /* without the doomed ones */
	size_t n_streams;
};

/* One connection. It is never freed inside one of its own callbacks: doom it, and the reaper does. */
struct nd_client {
	struct nctl_list link;
	struct nd_bus *bus;
	sd_bus *conn;
	uid_t uid; /* SO_PEERCRED at accept */
	bool privileged, doomed;
	struct nd_io io;
	struct nd_timer timer;
	struct nctl_list calls, streams;
	size_t n_calls, n_streams;
};

/* socket.c: a listening socket at path; -EADDRINUSE if somebody answers there. */
int nd_socket_listen(const char *path, int *ret_fd);

/* client.c; nd_client_new takes fd in any case. */
int nd_client_new(struct nd_bus *b, int fd, uid_t uid, bool privileged);
void nd_client_doom(struct nd_client *c);
struct nd_client *nd_client_free(struct nd_client *c);
/* After something was sent outside of the client's own callbacks. */
void nd_client_update(struct nd_client *c);

/* method.c */
extern const sd_bus_vtable nd_bus_vtable[]; /* userdata is the struct nd_client */
void nd_calls_forget(struct nd_client *c);

/* query.c: which objects, from where on, and their lines. */
enum nd_query_object { ND_QUERY_LINK, ND_QUERY_ADDRESS };

struct nd_query {
	enum nd_query_object object;
	nctl_ifindex next; /* the cursor; 0: all has been told */
	nctl_ifindex dev;  /* this one only, 0 all */
	nctl_ifindex master;
	const struct nctl_kind *kind;
	char kind_name[32]; /* of a kind that we do not know; "" none */
	bool up;
	uint8_t family; /* AF_UNSPEC any */
	bool scoped;
	uint8_t scope;
	struct nctl_prefix to; /* AF_UNSPEC any */
};

int nd_query_init(struct nd_query *q, const char *object, sd_bus_error *error);
int nd_query_filter(struct nd_query *q, const struct nctl_mirror *m, const char *key, const char *value,
	sd_bus_error *error);
/* Adds lines to out until it holds `bytes` or enough was looked at; q->next is 0 at the end. 0 or -ENOMEM. */
int nd_query_fill(struct nd_query *q, const struct nctl_mirror *m, size_t bytes, struct nctl_strbuf *out);

/* stream.c: sends q's lines into a pipe, whose reading end is given back. */
int nd_stream_new(struct nd_client *c, const struct nd_query *q, int *ret_fd);
void nd_streams_end(struct nd_client *c);
void nd_streams_feed(struct nd_bus *b); /* from the bus's feed timer */
