/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-bus.h>

#include "bus/bus.h"
#include "mirror/mirror.h"

/* A reconciler that does nothing but answer, and clients in processes of their own. */

enum stub_apply { STUB_APPLY_NOW, STUB_APPLY_HOLD, STUB_APPLY_BUSY };

struct nctl_session {
	struct nctl_mirror *mirror;
};

struct nd_netns {
	struct nd_netns_set *set;
	uint64_t serial, cookie;
	char names[2][64]; /* "" none */
	struct nctl_session session;
	bool joined;
	const char *error;
};

enum stub_helper { STUB_HELPER_NOW, STUB_HELPER_HOLD, STUB_HELPER_GONE, STUB_HELPER_REFUSES };

/* The first one is home. */
struct nd_netns_set {
	struct nd_netns **v;
	size_t n;
	uint64_t last_serial;
	size_t n_looks, n_forgotten, n_moves;
	enum stub_helper helper;
	nd_helper_done held_done;
	void *held_userdata;
	struct nd_timer join; /* joins all that are not */
	pid_t to_pid;         /* of the last move */
	struct nctl_subs subs;
	struct nd_loop *loop;
	unsigned neighs, pieces; /* that the kernel has; pieces of them that were asked for */
};

struct nd_reconcile {
	struct nd_netns_set set;
	struct nctl_mirror *mirror; /* of home */
	enum stub_apply apply;
	struct {
		void (*answer)(const char *json, size_t len, void *userdata);
		void *userdata;
	} held[64]; /* answered by the next Status */
	size_t n_held, n_applies, n_forgotten;
	size_t status_bytes; /* the least length of a Status answer */
	void (*step)(struct nd_reconcile *r, unsigned n); /* called by each Status, from 1 on */
	unsigned n_steps;
};

struct fixture {
	struct nd_loop *loop;
	struct nd_reconcile stub;
	struct nd_bus *bus;
	char dir[64], path[80];
	struct nd_signal child;
	struct nd_timer guard;
	int pid;
};

int setup(void **state);
int teardown(void **state);

/* A namespace with lo; later: it is joined after a while. */
struct nd_netns *add_netns(struct fixture *f, const char *name, bool later);
void drop_netns(struct nd_netns *n);
/* lo, and n - 1 others. */
void fill_netns(struct nd_netns *n, unsigned links);

/* Adds n links "l1"… to the mirror, every tenth of them up, and gives each an address. */
void add_links(struct fixture *f, unsigned n);

/* Runs client in a child, as user uid unless that is -1, and the bus here until it ends: its exit status. */
int run_client(struct fixture *f, int uid, void (*client)(struct fixture *f));
/* The same, as this user, and how many bytes the heap grew by at most. */
int run_client_measured(struct fixture *f, void (*client)(struct fixture *f), size_t *ret_bytes);
/* Turns the loop for this long. */
void run_for(struct fixture *f, unsigned ms);

/* For clients: a failed check ends the process with 1. */
void client_fail(const char *file, int line, const char *what);
#define CHECK(x) ((x) ? (void)0 : client_fail(__FILE__, __LINE__, #x))
int client_socket(struct fixture *f);
sd_bus *client_connect(struct fixture *f);
int client_memfd(const char *content);
sd_bus_message *client_call(sd_bus *bus, const char *method);
/* Sends m and releases it. The error's name must end in want; or want is NULL: gives the reply. */
sd_bus_message *client_send(sd_bus *bus, sd_bus_message *m, const char *want);
/* Calls a method that gives a pipe, with an object (NULL: it takes none) and key, value pairs up to a NULL. */
int client_pipe(sd_bus *bus, const char *want, const char *method, const char *object, va_list ap);
/* Query with key=value pairs, ended by NULL; the pipe, or -1 where an error was wanted. */
int client_query(sd_bus *bus, const char *want, const char *object, ...) __attribute__((sentinel));
/* Reads fd to its end, closes it; a NUL-terminated text. */
char *client_slurp(int fd, size_t *ret_len);
