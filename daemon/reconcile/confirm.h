/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "reconcile/private.h"

/* The journal, what waits to be confirmed, and the way back to a snapshot. */

/* confirm.c */
/* The way back is on disk when this returns 0. */
int nd_journal_begin(struct nd_reconcile *r, struct job *job);
int nd_journal_drop(struct nd_reconcile *r);
/* The plan is carried out but for what waits: so does its configuration. */
int nd_confirm_wait(struct nd_reconcile *r, struct job *job);
void nd_confirm_late(struct nd_timer *t);
uint64_t nd_confirm_seconds_left(const struct nd_reconcile *r);
/* What a daemon before this one left: it may have to be undone (queued), or still wait. */
enum nd_resume { RESUME_NOTHING, RESUME_BACK, RESUME_WAITING };
enum nd_resume nd_confirm_resume(struct nd_reconcile *r);

/* reconcile.c: brings the kernel to what was accepted. */
void nd_first_pass(struct nd_reconcile *r);

/* guard.c: true if the plan of job would cut off whoever asked for it; says so. */
bool nd_guard(const struct nd_reconcile *r, const struct job *job, char *ret, size_t size);

/* networkd.c: is there one that takes away what is not its own? */
void nd_networkd_look(struct nd_reconcile *r);

/* restore.c: the next plan of the way back, or the end of it. */
void nd_restore_turn(struct nd_reconcile *r);
