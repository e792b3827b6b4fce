/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: {A..B} and {A..B..STEP} in a name: many names in one. For configuration files and command lines.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/range.h"

#define NUMBER_MAX UINT32_MAX /* no name, ID or ifindex goes beyond */

static const char ADVICE[] = "a range is like {1..1500} or {10..500..10}";

struct cursor {
	const char *text, *s;
	struct nctl_range_error *error;
};

static int fail_at(const struct cursor *c, const char *at, const char *message, const char *advice)
{
	*c->error = (struct nctl_range_error){(size_t)(at - c->text), message, advice};
	return -EINVAL;
}

/* One number of a range; `missing` is what to say if there is none. */
static int read_number(struct cursor *c, const char *missing, int64_t *ret)
{
	const char *start = c->s;
	int64_t v = 0;

	for (; *c->s >= '0' && *c->s <= '9'; c->s++) {
		v = v * 10 + (*c->s - '0');
		if (v > NUMBER_MAX)
			return fail_at(c, start, "the number is too large",
				"numbers of a range go up to 4294967295");
	}
	if (c->s == start)
		return fail_at(c, start, missing, ADVICE);
	if (*start == '0' && c->s > start + 1)
		return fail_at(c, start, "a number with a leading zero: octal, or padded names?",
			"write it without the zero; names are not padded");
	*ret = v;
	return 0;
}

/* "..", or false with nothing read. */
static bool read_dots(struct cursor *c)
{
	if (c->s[0] != '.' || c->s[1] != '.')
		return false;
	c->s += 2;
	return true;
}

/* From behind the opening brace to the closing one. */
static int read_range(struct cursor *c, struct nctl_range *ret)
{
	int64_t first = 0, last = 0, step = 1;
	const char *start = c->s;
	int r;

	r = read_number(c, "the range has no first number", &first);
	if (r < 0)
		return r;
	if (!read_dots(c))
		return fail_at(c, c->s, "\"..\" was expected here", ADVICE);
	r = read_number(c, "the range has no end", &last);
	if (r < 0)
		return r;
	if (read_dots(c)) {
		r = read_number(c, "the range has no step", &step);
		if (r < 0)
			return r;
	}
	if (*c->s != '}')
		return fail_at(
			c, c->s, *c->s ? "\"}\" was expected here" : "the range is not closed", ADVICE);
	if (last < first)
		return fail_at(c, start, "the range ends before it starts", "write the smaller number first");
	if (step == 0)
		return fail_at(c, start, "a step of 0 never ends", ADVICE);
	if ((uint64_t)(last - first) / (uint64_t)step >= NCTL_RANGE_MAX)
		return fail_at(c, start, "the range is too large", "a range holds at most 1000000 names");
	ret->first = first;
	ret->step = step;
	ret->count = (size_t)((last - first) / step) + 1;
	return 0;
}

int nctl_range_parse(const char *text, struct nctl_range *ret, struct nctl_range_error *ret_error)
{
	struct cursor c = {.text = text, .error = ret_error};
	struct nctl_range range = {0};
	const char *open = strpbrk(text, "{}"), *more;
	int r;

	if (!open)
		return NCTL_RANGE_NONE;
	if (*open == '}')
		return fail_at(&c, open, "a closing brace without an opening one", ADVICE);
	c.s = open + 1;
	r = read_range(&c, &range);
	if (r < 0)
		return r;
	c.s++;
	more = strpbrk(c.s, "{}");
	if (more)
		return fail_at(&c, more, "a second range in one name", "one name holds one range");
	range.head_len = (size_t)(open - text);
	range.tail = (size_t)(c.s - text);
	*ret = range;
	return 0;
}

void nctl_range_name(const struct nctl_range *r, const char *text, int64_t n, struct nctl_strbuf *out)
{
	nctl_strbuf_put(out, text, r->head_len);
	nctl_strbuf_printf(out, "%" PRId64, n);
	nctl_strbuf_puts(out, text + r->tail);
}
