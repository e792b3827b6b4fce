/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/rtnetlink.h>

#include "reconcile/reconcile.h"
#include "rig.h"
#include "test.h"

/* What tests of the reconciler begin with: one over the fake kernel, in a folder of its own, for each case.
 */

extern struct nctl_fake *fake;
extern struct nd_loop *loop;
extern struct nd_reconcile *reconcile;
extern struct nd_timer guard; /* ends a test that takes too long */
extern const char *paths[1];
extern char dir[64], file[128];          /* the runtime folder, and the configuration in it */
extern unsigned readies, answers, nulls; /* calls */
extern json_object *last;                /* the last answer */

void on_ready(void *userdata);
void on_answer(const char *json, size_t len, void *userdata);
void write_text(const char *path, const char *body);
void open_reconciler(void);
void run(void);
void until_answers(unsigned n);
void start(void);
void stop(void);
int setup(void **state);
int teardown(void **state);
int queue_with(const char *body, const struct nd_apply *how, void *userdata);
int queue(const char *body, unsigned flags, void *userdata);
void apply(const char *body, unsigned flags);
json_object *field(const char *path);
void answer_is(int exit_status, const char *state);
const char *status(const char *key);
void refuse(uint16_t type, const char *name);
bool has(const char *name);
