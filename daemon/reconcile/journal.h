/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "nl/msg.h"
#include "plan/snapshot.h"

/* Records of the journal that have a file of their own; for journal.c. */

/* Leaves the object's message open in m, and gives it to put with the numbers before it. */
void nd_journal_put_fib(const struct nctl_snap_fib *f, struct nctl_msgbuf *m, void *userdata,
	void (*put)(void *userdata, const void *numbers, size_t n_numbers, struct nctl_msgbuf *m));
/* 0, -EBADMSG or -ENOMEM. */
int nd_journal_read_fib(struct nctl_snapshot *s, const char *p, size_t len);
