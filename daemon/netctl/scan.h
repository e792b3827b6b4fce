/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A strict reader of one JSON value (RFC 8259) in one pass, without memory of its own: the caller walks the
 * value and takes what it knows. After the first error everything is at its end and bad is set.
 */
struct cli_scan {
	const char *p, *end;
	unsigned depth;
	uint32_t first; /* bit by depth: nothing of this container was read yet */
	bool bad;
};

#define CLI_SCAN_DEPTH   31
#define CLI_SCAN_KEY_MAX 32

void cli_scan_init(struct cli_scan *s, const char *text, size_t len);
/* Enters the object or array that comes; false, and it is skipped, if something else comes. */
bool cli_scan_object(struct cli_scan *s);
bool cli_scan_array(struct cli_scan *s);
/* Is there another member, or item? Its key (cut down to the room), then the value comes. false leaves the
 * container. */
bool cli_scan_key(struct cli_scan *s, char key[CLI_SCAN_KEY_MAX]);
bool cli_scan_item(struct cli_scan *s);
/* Takes any value: a string decoded, another scalar as it is written, "" for null and containers; cut at
 * size. */
void cli_scan_text(struct cli_scan *s, char *buf, size_t size);
/* What comes next: its first character; '\0' at the end. */
char cli_scan_peek(struct cli_scan *s);
void cli_scan_skip(struct cli_scan *s);
/* Nothing is left, and nothing was wrong. */
bool cli_scan_done(struct cli_scan *s);
