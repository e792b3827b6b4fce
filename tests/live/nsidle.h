/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

/*
 * Waits until the kernel has taken down all network namespaces that were given up before the call. Not for a
 * program with threads: it leaves the caller's namespace for moments. 0 or -errno; -ETIMEDOUT after ms
 * milliseconds.
 */
int nsidle_wait(unsigned ms);
