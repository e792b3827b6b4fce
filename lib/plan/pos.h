/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

/* A place in the configuration; file is an index into nctl_want.files. line and column from 1; line 0:
 * nowhere. */
struct nctl_pos {
	uint32_t file, line, column;
};
