/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

#include "base/list.h"
#include "bus/bus.h"

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
	ND_NAMES_MAX = 100000,		    /* names of a call: LimitsExceeded */
	ND_FAILURES_MAX = 100,		    /* told one by one; of the others the number */
	ND_STREAMS_MAX = 64,		    /* answers of Query under way: LimitsExceeded */
	ND_STREAMS_MAX_PER_CLIENT = 8,
	ND_MONITORS_MAX = 32,		    /* streams of Monitor: LimitsExceeded */
	ND_MONITORS_MAX_PER_CLIENT = 4,
	ND_FILES_BYTES = 64 << 20,	    /* all files of a call: TooLarge */
	ND_FILES_BYTES_UNPRIVILEGED = 4 << 20, /* parsing takes the loop's time */
	ND_DEVICES_UNPRIVILEGED = 20000,    /* devices, and namespaces, of a configuration; likewise */
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
	struct nctl_list waiting; /* calls that look in each turn whether they can go on */
	struct nd_prepare turn;	  /* while there are any */
	size_t n_clients, n_unprivileged; /* without the doomed ones */
	size_t n_streams;
	struct nctl_list monitors, hungry_monitors; /* struct nd_monitor; hungry ones want more to be put */
	size_t n_monitors;
	struct nd_watch *watch; /* while there are any */
	struct nd_bus_counters {
		uint64_t clients, queries, monitors; /* ever */
		uint64_t bytes;			     /* written into pipes */
		uint64_t gaps, stuck;		     /* monitors that fell behind; answers cut short */
	} counters;
};

/* One connection. It is never freed inside one of its own callbacks: doom it, and the reaper does. */
struct nd_client {
	struct nctl_list link;
	struct nd_bus *bus;
	sd_bus *conn;
	uid_t uid; /* SO_PEERCRED at accept */
	pid_t pid; /* likewise; who asks is shown as that */
	bool privileged, doomed;
	struct nd_io io;
	struct nd_timer timer;
	struct nctl_list calls, streams, monitors;
	size_t n_calls, n_streams, n_monitors;
};

/* socket.c: a listening socket at path; -EADDRINUSE if somebody answers there. */
int nd_socket_listen(const char *path, int *ret_fd);

/* client.c; nd_client_new takes fd in any case. */
struct ucred;
int nd_client_new(struct nd_bus *b, int fd, const struct ucred *cred, bool privileged);
void nd_client_doom(struct nd_client *c);
struct nd_client *nd_client_free(struct nd_client *c);
/* After something was sent outside of the client's own callbacks. */
void nd_client_update(struct nd_client *c);

/*
 * A call that is answered later. call.c; a client that goes away forgets its calls, the jobs behind them go on.
 * Once it is answered, or failed, it is gone.
 */
struct nd_call {
	struct nctl_list link;	  /* in the client's calls */
	struct nctl_list waiting; /* in the bus's */
	struct nd_client *client; /* NULL: gone, but `kept` */
	sd_bus_message *m;
	bool kept; /* the helper has its address: it outlives its client */
	void (*look)(struct nd_call *call, bool late);
	struct nd_timer late;
	void *data; /* of its method; free() */
};

int nd_call_new(struct nd_client *c, sd_bus_message *m, sd_bus_error *error, struct nd_call **ret);
struct nd_call *nd_call_free(struct nd_call *call);
void nd_call_answer(struct nd_call *call, const char *json);
void nd_call_answer_buf(struct nd_call *call, struct nctl_strbuf *out); /* frees out */
/* By error, which is freed, or, where it is not set, by r. */
void nd_call_fail(struct nd_call *call, int r, sd_bus_error *error);
void nd_call_stopping(struct nd_call *call);
/* look is called at the end of each turn, and with late once when ms are over: then it must stop waiting. */
void nd_call_wait(struct nd_call *call, unsigned ms, void (*look)(struct nd_call *call, bool late));
void nd_call_stop_waiting(struct nd_call *call);
void nd_calls_forget(struct nd_client *c);
int nd_too_many(sd_bus_error *error, const char *what, unsigned n);
int nd_not_ready(sd_bus_error *error);

/* method.c */
extern const sd_bus_vtable nd_bus_vtable[]; /* userdata is the struct nd_client */
int nd_allow_change(const struct nd_client *c, sd_bus_error *error);

/* netns.c */
int nd_method_netns_add(sd_bus_message *m, void *userdata, sd_bus_error *error);
int nd_method_netns_del(sd_bus_message *m, void *userdata, sd_bus_error *error);
int nd_method_netns_scan(sd_bus_message *m, void *userdata, sd_bus_error *error);
int nd_method_link_move(sd_bus_message *m, void *userdata, sd_bus_error *error);

/* ask.c: Query; its object, filters and cursor are in query.h */
int nd_method_query(sd_bus_message *m, void *userdata, sd_bus_error *error);

/* stream.c: sends q's lines into a pipe, whose reading end is given back. */
struct nd_query;
int nd_stream_new(struct nd_client *c, const struct nd_query *q, int *ret_fd);
void nd_streams_end(struct nd_client *c);
void nd_streams_feed(struct nd_bus *b);		   /* from the bus's feed timer */
int nd_pipe_new(int *ret_reader, int *ret_writer); /* the writer does not block */

/* monitor.c */
int nd_method_monitor(sd_bus_message *m, void *userdata, sd_bus_error *error);
void nd_monitors_end(struct nd_client *c);
void nd_monitors_feed(struct nd_bus *b); /* likewise */

/* stats.c, route-get.c, resync.c */
int nd_method_resync(sd_bus_message *m, void *userdata, sd_bus_error *error);
int nd_method_stats(sd_bus_message *m, void *userdata, sd_bus_error *error);
int nd_method_route_get(sd_bus_message *m, void *userdata, sd_bus_error *error);
