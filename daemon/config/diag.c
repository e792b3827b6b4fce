/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The findings of one load: kept in order of file and place, printed with a caret, or as JSON.
 *
 * Names and source lines come from files that others wrote and go to terminals: the text form shows
 * no control characters.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/bytes.h"
#include "config/config.h"

#define KEEP_MAX 100

static void diagnostic_fini(struct nd_diagnostic *d)
{
	free(d->file);
	free(d->message);
	free(d->advice);
	free(d->source);
	*d = (struct nd_diagnostic){0};
}

void nd_diagnostics_fini(struct nd_diagnostics *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		diagnostic_fini(&d->v[i]);
	free(d->v);
	*d = ND_DIAGNOSTICS_INIT;
}

/* A copy of s, which may be NULL, in *ret. */
static int copy_text(const char *s, char **ret)
{
	if (!s)
		return 0;
	*ret = strdup(s);
	return *ret ? 0 : -ENOMEM;
}

/* Room for one more entry: at the end, or, for an error in a full list, that of the last lesser finding. */
static struct nd_diagnostic *take_slot(struct nd_diagnostics *d, enum nd_severity severity)
{
	size_t i;

	if (d->n < KEEP_MAX)
		return &d->v[d->n++];
	d->n_dropped++;
	if (severity != ND_ERROR)
		return NULL;
	for (i = d->n; i > 0; i--) {
		if (d->v[i - 1].severity == ND_ERROR)
			continue;
		diagnostic_fini(&d->v[i - 1]);
		return &d->v[i - 1];
	}
	return NULL;
}

int nd_diagnostics_add(struct nd_diagnostics *d, enum nd_severity severity, const char *file, uint32_t line,
	uint32_t column, const char *source, const char *message, const char *advice)
{
	struct nd_diagnostic new = {.severity = severity, .line = line, .column = column}, *slot;

	if (!d->v) {
		d->v = calloc(KEEP_MAX, sizeof(*d->v));
		if (!d->v)
			return -ENOMEM;
	}
	if (copy_text(file, &new.file) < 0 || copy_text(message, &new.message) < 0 ||
		copy_text(advice, &new.advice) < 0 || copy_text(source, &new.source) < 0) {
		diagnostic_fini(&new);
		return -ENOMEM;
	}
	if (severity == ND_ERROR)
		d->n_errors++;
	slot = take_slot(d, severity);
	if (slot)
		*slot = new;
	else
		diagnostic_fini(&new);
	return 0;
}

static const char *severity_name(enum nd_severity s)
{
	switch (s) {
	case ND_ERROR:
		return "error";
	case ND_WARNING:
		return "warning";
	case ND_NOTICE:
		return "notice";
	}
	return "?";
}

/* Would this character move the cursor, turn the writing direction, or worse? Tabs are fine. */
static bool is_harmful(uint32_t c)
{
	return (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e ||
	       c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void put_clean(struct nctl_strbuf *out, const char *s)
{
	size_t left = strlen(s), len;
	uint32_t c = 0;

	for (; left; s += len, left -= len) {
		len = nd_bytes_decode(s, left, &c);
		if (len && !is_harmful(c)) {
			nctl_strbuf_put(out, s, len);
			continue;
		}
		nctl_strbuf_putc(out, '?');
		len = len ? len : 1;
	}
}

/* A caret below character `column` of source: blanks as wide as what stands above them. */
static void put_caret(struct nctl_strbuf *out, const char *source, uint32_t column)
{
	uint32_t at = 1;

	nctl_strbuf_puts(out, "    ");
	for (; *source && at < column; source++) {
		if (((unsigned char)source[1] & 0xc0) == 0x80)
			continue;
		nctl_strbuf_putc(out, *source == '\t' ? '\t' : ' ');
		at++;
	}
	nctl_strbuf_puts(out, "^\n");
}

static void print_one(const struct nd_diagnostic *d, struct nctl_strbuf *out)
{
	if (d->file) {
		put_clean(out, d->file);
		if (d->line)
			nctl_strbuf_printf(out, ":%u:%u", d->line, d->column);
		nctl_strbuf_puts(out, ": ");
	}
	nctl_strbuf_printf(out, "%s: ", severity_name(d->severity));
	put_clean(out, d->message);
	nctl_strbuf_putc(out, '\n');
	if (d->source) {
		nctl_strbuf_puts(out, "    ");
		put_clean(out, d->source);
		nctl_strbuf_putc(out, '\n');
		if (d->column)
			put_caret(out, d->source, d->column);
	}
	if (d->advice) {
		nctl_strbuf_puts(out, "  advice: ");
		put_clean(out, d->advice);
		nctl_strbuf_putc(out, '\n');
	}
}

void nd_diagnostics_print(const struct nd_diagnostics *d, struct nctl_strbuf *out)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		print_one(&d->v[i], out);
	if (d->n_dropped)
		nctl_strbuf_printf(out, "and %zu more\n", d->n_dropped);
}

void nd_diagnostics_json(const struct nd_diagnostics *d, struct nctl_json *json)
{
	const struct nd_diagnostic *v;
	size_t i;

	nctl_json_arr_begin(json);
	for (i = 0; i < d->n; i++) {
		v = &d->v[i];
		nctl_json_obj_begin(json);
		nctl_json_kstr(json, "severity", severity_name(v->severity));
		if (v->file)
			nctl_json_kstr(json, "file", v->file);
		if (v->line) {
			nctl_json_ku64(json, "line", v->line);
			nctl_json_ku64(json, "column", v->column);
		}
		nctl_json_kstr(json, "message", v->message);
		if (v->advice)
			nctl_json_kstr(json, "advice", v->advice);
		if (v->source)
			nctl_json_kstr(json, "source", v->source);
		nctl_json_obj_end(json);
	}
	nctl_json_arr_end(json);
}
