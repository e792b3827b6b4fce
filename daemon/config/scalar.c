/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Plain scalars that YAML 1.1 (the types int and bool of its type repository) takes for something else
 * than people mean. We never resolve by looks: the key decides; these tests only choose the error.
 */
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "config/device.h"

bool nd_is_null(const struct nd_node *node)
{
	return node->plain && (!*node->text || !strcmp(node->text, "~") || !strcasecmp(node->text, "null"));
}

bool nd_parse_bool(const char *text, bool *ret)
{
	static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "n", "y"};
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(words); i++) {
		if (!strcasecmp(text, words[i])) {
			*ret = i & 1;
			return true;
		}
	}
	return false;
}

/* "n" and "y" are names to most parsers. */
bool nd_looks_bool(const char *text)
{
	bool ignored;

	return strlen(text) > 1 && nd_parse_bool(text, &ignored);
}

bool nd_looks_octal(const char *text)
{
	return text[0] == '0' && text[1] && !text[1 + strspn(text + 1, "0123456789")];
}

bool nd_looks_base60(const char *text)
{
	size_t n = strspn(text, "0123456789");

	if (!n || text[n] != ':')
		return false;
	while (text[n] == ':') {
		text += n + 1;
		n = strspn(text, "0123456789");
		if (n < 1 || n > 2 || (n == 2 && text[0] > '5'))
			return false;
	}
	return !text[n];
}
