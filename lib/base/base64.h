/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys of 32 bytes as text: 44 characters of base64, the last one '='. */
enum { NCTL_KEY_BYTES = 32, NCTL_KEY_TEXT = 44 };

/* text may have blanks and newlines around the key, and nothing else. False: it is no key; ret is unchanged.
 */
bool nctl_key_parse(const char *text, size_t len, uint8_t ret[NCTL_KEY_BYTES]);
/* The key that is all that the file holds, as text. 0, -EBADMSG: it holds something else, -errno. */
int nctl_key_read(int fd, char ret[NCTL_KEY_TEXT + 1]);
