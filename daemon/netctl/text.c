/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Text for people. Names of devices and files, and words of the kernel, come from others: what could
 * control a terminal is replaced. Colours are for terminals only, and not where NO_COLOR (no-color.org) is
 * set.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netctl/cli.h"

static bool colours;

void cli_text_init(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	colours = isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

const char *cli_style_begin(enum cli_style style)
{
	if (!colours)
		return "";
	switch (style) {
	case CLI_PLAIN:
		return "";
	case CLI_BOLD:
		return "\033[1m";
	case CLI_DIM:
		return "\033[2m";
	case CLI_RED:
		return "\033[31m";
	case CLI_GREEN:
		return "\033[32m";
	case CLI_YELLOW:
		return "\033[33m";
	case CLI_CYAN:
		return "\033[36m";
	}
	return "";
}

const char *cli_style_end(enum cli_style style)
{
	return colours && style != CLI_PLAIN ? "\033[0m" : "";
}

static bool is_control(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;

	/* C0, DEL, and C1 in UTF-8. */
	return u[0] < 0x20 || u[0] == 0x7f || (u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0);
}

void cli_text_put(FILE *f, const char *s, bool keep_lines)
{
	for (; *s; s++) {
		if (!is_control(s) || (keep_lines && (*s == '\n' || *s == '\t'))) {
			putc_unlocked(*s, f);
			continue;
		}
		putc_unlocked('?', f);
		s += (unsigned char)*s == 0xc2;
	}
}

size_t cli_text_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

void cli_text_pad(const char *s, size_t width, enum cli_style style)
{
	fputs(cli_style_begin(style), stdout);
	cli_text_put(stdout, s, false);
	fputs(cli_style_end(style), stdout);
	for (size_t n = cli_text_width(s); n < width; n++)
		putchar_unlocked(' ');
}

void cli_error(const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fflush(stdout);
	fputs("netctl: ", stderr);
	cli_text_put(stderr, text, true);
	fputc('\n', stderr);
}

struct json_object *cli_json_get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	return o && json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, key, &v) ? v
	                                                                                              : NULL;
}

const char *cli_json_str(struct json_object *o, const char *key)
{
	struct json_object *v = cli_json_get(o, key);

	return v && json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";
}

int64_t cli_json_int(struct json_object *o, const char *key)
{
	return json_object_get_int64(cli_json_get(o, key));
}
