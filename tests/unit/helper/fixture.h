/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "helper/protocol.h"

/* A helper as the daemon has it: started by us, talked to by raw messages. Failures fail the running test. */
struct helper {
	pid_t keeper, worker;
	int control;
	int channels[ND_PROTO_CHANNELS];
	uint64_t id;
};

/* The last answer of ask(), all its parts together. */
struct answer {
	struct nd_proto_answer h; /* of the last part */
	const char *strings[8192];
	size_t n_strings, n_fds, n_processes, n_parts;
	int fds[8192]; /* owned */
	struct nd_proto_process processes[8192];
};

struct question {
	enum nd_proto_type type;
	const char *strings[6]; /* up to the first NULL */
	uint64_t cookie[2];
	pid_t pid[2];
	uint32_t number, flags;
};

enum { WAIT_MS = 60 * 1000 };

/* A network and a mount namespace of our own with an empty /run. false: there is no right to that. */
bool sandbox(void);

/* paths: up to NULL. Returns when the helper is there. */
void helper_start(struct helper *h, const char *program, const char *const *paths);
/* Waits for the hello of the next helper. */
void helper_hello(struct helper *h);
/* Closes the control socket, and waits until keeper and helper are gone. Returns the keeper's wait status. */
int helper_stop(struct helper *h);
/* The channels are closed by the other side, and nothing more comes. */
bool channel_is_over(int fd);
/* A pidfd; and waiting for it. */
int watch(pid_t pid);
bool is_gone(int pidfd);

void send_raw(struct helper *h, enum nd_proto_channel c, const void *data, size_t len);
size_t build(struct helper *h, const struct question *q, void *buf);
enum nd_proto_channel channel_of(enum nd_proto_type type);
/* Returns the error. Frees what the answer before had. */
int ask(struct helper *h, const struct question *q);
#define ASK(h, ...) ask(h, &(struct question){__VA_ARGS__})
extern struct answer answer;

/* CREATE, which must succeed, with its cookie; and DELETE. */
uint64_t helper_create(struct helper *h, const char *name);
void helper_drop(struct helper *h, const char *name);

/* system(3) of a formatted command; its exit status. */
int run(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The cookie of a namespace file, by going there in a child. */
uint64_t cookie_of(const char *path);
void write_file(const char *path, const char *text);
size_t count_fds(pid_t pid);
size_t count_mounts(void);
