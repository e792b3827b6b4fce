/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "fake/describe.h"
#include "fake/fake.h"
#include "fake/wire.h"

/* The parts of the differential test: worlds that answer requests, and a generator of requests. */

/* Events of one link with its addresses, or of one other object, in order, without those that say nothing
 * new. */
struct diff_stream {
	char key[96];
	struct fk_lines lines;
};

/* The last that was said of an object. */
struct diff_seen {
	char *id, *text;
};

struct diff_world {
	const char *label;
	struct nctl_transport *req, *events;
	uint32_t seq;
	uint8_t *buf;          /* of 32 KiB */
	struct fk_lines state; /* sorted, of the last dump */
	struct diff_stream *streams;
	size_t n_streams;
	struct diff_seen *seen;
	size_t n_seen;
};

/* Opens transports from k, joined to the groups that the test compares. 0 or -errno. */
int diff_world_open(struct diff_world *w, const char *label, struct nctl_kernel *k);
void diff_world_close(struct diff_world *w);
/* Sends the message and waits for its answer: 0, or the errno of it; 1000 and more: no answer. */
int diff_world_request(struct diff_world *w, const void *msg, size_t len);
/* Dumps all objects into w->state. 0 or -errno. */
int diff_world_dump(struct diff_world *w);
/* Single RTM_GETLINKs of all links; newer kernels bring the operational state up to date for them. */
void diff_world_nudge(struct diff_world *w);
/* Takes the events that are there. 0 or -errno. */
int diff_world_drain(struct diff_world *w);
/* Waits until there may be more events, at most ms. */
void diff_world_wait(struct diff_world *w, unsigned ms);
/* Takes the last dump as said: events that only repeat it are not new. */
void diff_world_remember(struct diff_world *w);
void diff_world_clear_streams(struct diff_world *w);
/* All streams as text, by ascending key; owned by the caller. */
char *diff_world_streams(const struct diff_world *w);

/* What identifies the object of a line. */
enum { DIFF_ID = 96 };
void diff_id(const char *text, char id[static DIFF_ID]);

/* diff-silent.c: notes what changed since before and had no event, and prints all notes. */
void diff_silent_note(FILE *f, const struct fk_lines *before, const struct diff_world *w);
void diff_silent_print(FILE *f);

enum { DIFF_MAX_LINKS = 64 };

struct diff_gen {
	uint64_t rng;
	bool all_kinds;            /* false: those that the development kernel has */
	bool inherit;              /* this sequence has links without a MAC of their own, and no bridges */
	unsigned macs;             /* MAC addresses handed out */
	unsigned n_ops;            /* made since there are links */
	bool fib;                  /* routes and what belongs to them, more than links */
	int links[DIFF_MAX_LINKS]; /* existing ones */
	size_t n_links;
};

struct diff_op {
	_Alignas(8) uint8_t bytes[1024];
	struct fk_buf b;
	char text[256]; /* what it does, for the reader of a failure */
};

void diff_gen_init(struct diff_gen *g, uint64_t seed, bool all_kinds);
/* Notes which links exist, from a dump. */
void diff_gen_learn(struct diff_gen *g, const struct fk_lines *state);
void diff_gen_next(struct diff_gen *g, struct diff_op *op);

/* for diff-ops.c and diff-links.c */
unsigned diff_rand(struct diff_gen *g, unsigned n);
bool diff_chance(struct diff_gen *g, unsigned percent);
int diff_pick(struct diff_gen *g);
void diff_say(struct diff_op *op, const char *format, ...) __attribute__((format(printf, 2, 3)));
void diff_put_mac(struct diff_gen *g, struct diff_op *op, uint16_t attr);
void diff_op_create(struct diff_gen *g, struct diff_op *op);
void diff_op_address(struct diff_gen *g, struct diff_op *op);
/* The first address of the family. */
void diff_op_add_address(struct diff_gen *g, struct diff_op *op, uint8_t family, int ifindex);
/* diff-fib.c */
void diff_op_route(struct diff_gen *g, struct diff_op *op);
void diff_op_unroute(struct diff_gen *g, struct diff_op *op);
void diff_op_nexthop(struct diff_gen *g, struct diff_op *op);
void diff_op_rule(struct diff_gen *g, struct diff_op *op);
