/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "config/parse.h"

/* The first thing about text number `file` that no YAML parser should see; true if there is none. */
bool nd_bytes_check(struct nd_parse *p, uint32_t file);
/* One character of UTF-8 (RFC 3629): its bytes, or 0 if s (of n > 0 bytes) does not start with one. */
size_t nd_bytes_decode(const char *s, size_t n, uint32_t *ret);
/* The text without its byte order mark. */
const char *nd_bytes_start(const struct nd_config_text *t, size_t *ret_len);
