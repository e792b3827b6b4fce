/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

/*
 * Reads fd from where it stands to its end. On 0 ret is the caller's: ret_len bytes and a NUL behind them.
 * -EFBIG when there are more than max bytes, -ENOMEM, or what read(2) says. A read that a signal interrupts
 * goes on.
 */
int nctl_read_all(int fd, size_t max, char **ret, size_t *ret_len);

/* Writes len bytes, whatever write(2) takes at once. 0 or a negative errno: some of them may be written. */
int nctl_write_all(int fd, const void *data, size_t len);
