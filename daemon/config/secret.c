/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: lines of configuration files as they may be shown: without what is, or may have been meant as, a
 * secret. Each byte that is hidden becomes an asterisk, so that a caret below the line stays where it
 * belongs.
 */
#include <string.h>

#include "base/cleanup.h"
#include "config/parse.h"

enum { SECRET_MIN = 40 }; /* digits of base64 in a row: a key has 43 */

/* Keys behind which secrets stand. "key" of other tunnels is a number. */
static const char *const words[] = {"key", "private", "shared", "password", "private-key", "preshared-key"};

static bool is_digit(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
	       c == '/' || c == '=';
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || c == '-';
}

/* Is that the end of the word, with what stands before it none of its letters? */
static bool ends_with(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !memcmp(line + len - n, word, n) && (len == n || !is_word_char(line[len - n - 1]));
}

/* A number or an address is no secret, nor is a path, and what a mapping holds is looked at by itself. */
static bool is_harmless(const char *value, size_t len)
{
	return !len || strchr("/{[", *value) || strspn(value, "0123456789.") >= len;
}

/* Hides a scalar that begins at i; returns where it ends. */
static size_t hide_value(char *line, size_t i)
{
	size_t len;

	while (line[i] == ' ')
		i++;
	len = strcspn(line + i, ",}]# ");
	if (is_harmless(line + i, len))
		return i;
	for (; len; len--, i++)
		if (line[i] != '"' && line[i] != '\'')
			line[i] = '*';
	return i;
}

/* Do these digits look like those of a key: of all sorts? */
static bool is_mixed(const char *s, size_t len)
{
	bool upper = false, lower = false, number = false;

	for (; len; len--, s++) {
		upper |= *s >= 'A' && *s <= 'Z';
		lower |= *s >= 'a' && *s <= 'z';
		number |= *s >= '0' && *s <= '9';
	}
	return upper && lower && number;
}

static bool is_secret_key(const char *line, size_t len)
{
	while (len && (line[len - 1] == '"' || line[len - 1] == '\'' || line[len - 1] == ' '))
		len--;
	for (size_t k = 0; k < NCTL_ARRAY_SIZE(words); k++)
		if (ends_with(line, len, words[k]))
			return true;
	return false;
}

void nd_hide_secrets(char *line)
{
	size_t i, run = 0;

	for (i = 0; line[i]; i++)
		if (line[i] == ':' && is_secret_key(line, i))
			i = hide_value(line, i + 1) - 1;
	/* A key alone on its line, say: the value of the line before. Public ones look the same. */
	for (i = 0; line[i]; i++) {
		run = is_digit(line[i]) ? run + 1 : 0;
		if (run >= SECRET_MIN && !is_digit(line[i + 1]) && is_mixed(line + i + 1 - run, run))
			memset(line + i + 1 - run, '*', run);
	}
}
