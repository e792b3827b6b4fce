/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: {EXPR} in the body of a range: integer expressions over n and N, evaluated while they are read.
 *
 * Texts are short, and evaluating one takes less time than the allocations around it, so nothing is compiled.
 * Every error names the byte at which it is.
 *
 *	sum     = product { ("+" | "-") product }
 *	product = unary { ("*" | "/" | "%") unary }
 *	unary   = "-" unary | primary
 *	primary = number | "n" | "N" | "(" sum ")"
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/num.h"
#include "config/expr.h"

#define NESTING_MAX 32 /* of parentheses and signs */
#define WIDTH_MAX   32 /* of a padded number */

static const char ADVICE[] = "an expression is like {n}, {n / 256 + 1} or {n:04x}";

struct cursor {
	const char *text, *s;
	const struct nd_numbers *numbers;
	unsigned nesting;
	struct nd_expr_error *error; /* message NULL: none yet */
};

static int64_t fail_at(struct cursor *c, const char *at, const char *message, const char *advice)
{
	if (!c->error->message)
		*c->error = (struct nd_expr_error){(size_t)(at - c->text), message, advice};
	return 0;
}

static void skip_blanks(struct cursor *c)
{
	while (*c->s == ' ')
		c->s++;
}

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static int64_t read_number(struct cursor *c)
{
	const char *start = c->s;
	bool hex = start[0] == '0' && (start[1] | 0x20) == 'x';
	int64_t v = 0;
	unsigned digit;

	if (hex)
		c->s += 2;
	else if (start[0] == '0' && is_digit(start[1]))
		return fail_at(c, start, "a number with a leading zero: octal or decimal?",
			"write it without the zero");
	if (hex && nctl_digit(*c->s) > 15)
		return fail_at(c, c->s, "hexadecimal digits are missing here", ADVICE);
	for (;; c->s++) {
		digit = nctl_digit(*c->s);
		if (digit >= (hex ? 16U : 10U))
			return v;
		if (__builtin_mul_overflow(v, hex ? 16 : 10, &v) || __builtin_add_overflow(v, digit, &v))
			return fail_at(
				c, start, "the number is too large", "numbers have 63 bits and a sign");
	}
}

static int64_t apply(struct cursor *c, const char *at, char op, int64_t a, int64_t b)
{
	bool overflow = false;
	int64_t v = 0;

	if ((op == '/' || op == '%') && b == 0)
		return fail_at(c, at, "division by zero", "it must not be 0 for any n of the range");
	if ((op == '/' || op == '%') && a == INT64_MIN && b == -1)
		overflow = true;
	else if (op == '+')
		overflow = __builtin_add_overflow(a, b, &v);
	else if (op == '-')
		overflow = __builtin_sub_overflow(a, b, &v);
	else if (op == '*')
		overflow = __builtin_mul_overflow(a, b, &v);
	else
		v = op == '/' ? a / b : a % b;
	return overflow ? fail_at(c, at, "the result is too large", "numbers have 63 bits and a sign") : v;
}

/* A number, n or N. */
static int64_t read_atom(struct cursor *c)
{
	if (is_digit(*c->s))
		return read_number(c);
	if (*c->s == 'N' && !c->numbers->has_N)
		return fail_at(c, c->s,
			"N is the number of a range of namespaces, and there is none around this",
			"write n for the number of the device, or give the namespace a name like "
			"\"x{1..10}\"");
	if (*c->s != 'n' && *c->s != 'N')
		return fail_at(c, c->s, "a number, n or \"(\" was expected here", ADVICE);
	return *c->s++ == 'n' ? c->numbers->n : c->numbers->N;
}

/* Behind the sum in parentheses that were opened at `open`. */
static int64_t close_parenthesis(struct cursor *c, const char *open, int64_t v)
{
	if (*c->s != ')')
		return fail_at(c, open, "this parenthesis is not closed", "add the \")\"");
	c->s++;
	return v;
}

enum level { SUM, PRODUCT, UNARY };

/* With its operators; afterwards c stands at what is none of them. */
static int64_t read_level(struct cursor *c, enum level level)
{
	static const char *const operators[] = {[SUM] = "+-", [PRODUCT] = "*/%"};
	const char *at;
	int64_t v;

	if (level == UNARY) {
		skip_blanks(c);
		at = c->s;
		if (c->nesting == NESTING_MAX)
			return fail_at(c, at, "nested too deeply", "use fewer parentheses");
		c->nesting++;
		if (*at == '-') {
			c->s++;
			v = apply(c, at, '-', 0, read_level(c, UNARY));
		} else if (*at == '(') {
			c->s++;
			v = close_parenthesis(c, at, read_level(c, SUM));
		} else {
			v = read_atom(c);
		}
		c->nesting--;
		skip_blanks(c);
		return v;
	}
	v = read_level(c, level + 1);
	while (!c->error->message && *c->s && strchr(operators[level], *c->s)) {
		at = c->s++;
		v = apply(c, at, *at, v, read_level(c, level + 1));
	}
	return v;
}

/* What may stand behind the ":"; then the value in that form. */
static void put_formatted(struct cursor *c, int64_t v, struct nctl_strbuf *out)
{
	const char *start = c->s;
	bool zeros = false, hex = false;
	int width = 0;

	if (*c->s == ':') {
		c->s++;
		zeros = *c->s == '0';
		for (; is_digit(*c->s) && width <= WIDTH_MAX; c->s++)
			width = width * 10 + (*c->s - '0');
		hex = *c->s == 'x';
		if (hex || *c->s == 'd')
			c->s++;
		if (width > WIDTH_MAX || (width && !zeros) || *c->s != '}' || c->s == start + 1) {
			fail_at(c, start, "no such format", "formats are :x, :d, :04 and :04x");
			return;
		}
	}
	if (hex && v < 0) {
		fail_at(c, start, "a negative number has no hexadecimal form here",
			"subtract from something larger");
		return;
	}
	if (hex)
		nctl_strbuf_printf(out, "%0*" PRIx64, width, (uint64_t)v);
	else
		nctl_strbuf_printf(out, "%0*" PRId64, width, v);
}

/* c stands behind the opening brace at `open`, and behind the closing one afterwards. */
static void expand_one(struct cursor *c, const char *open, struct nctl_strbuf *out)
{
	const char *close = strchr(open, '}');
	int64_t v;

	if (!close) {
		fail_at(c, open, "this brace is not closed",
			"add the \"}\"; a brace that is meant as such is written {{");
		return;
	}
	v = read_level(c, SUM);
	if (!c->error->message && *c->s != ':' && *c->s != '}')
		fail_at(c, c->s, "an operator or \"}\" was expected here", ADVICE);
	if (!c->error->message)
		put_formatted(c, v, out);
	c->s++;
}

int nd_expr_expand(const char *text, const struct nd_numbers *numbers, struct nctl_strbuf *out,
	struct nd_expr_error *ret_error)
{
	struct nd_expr_error error = {0};
	struct cursor c = {.text = text, .s = text, .numbers = numbers, .error = &error};
	const char *open;

	for (;;) {
		open = strchr(c.s, '{');
		if (!open)
			break;
		nctl_strbuf_put(out, c.s, (size_t)(open - c.s));
		c.s = open + 1;
		if (*c.s == '{') {
			nctl_strbuf_putc(out, '{');
			c.s++;
			continue;
		}
		expand_one(&c, open, out);
		if (error.message) {
			*ret_error = error;
			return -EINVAL;
		}
	}
	nctl_strbuf_puts(out, c.s);
	return out->err;
}
