/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Tables with fixed columns. One pass and a bounded memory, whatever comes; used for links, addresses
 * and the entries of plans.
 */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/table.h"

#define ROWS_KEPT 500
#define GAP       2

void cli_table_begin(struct cli_table *t, const char *const *titles, size_t n_columns)
{
	*t = (struct cli_table){.titles = titles, .n_columns = n_columns, .kept = NCTL_STRBUF_INIT};
}

static void put_row(const struct cli_table *t, const struct cli_cell *cells)
{
	size_t pad = 0;

	for (size_t i = 0; i < t->n_columns; i++) {
		const char *text = cells[i].text ? cells[i].text : "";

		if (!t->used[i])
			continue;
		/* The gap in front of a text, so that no line ends in blanks. */
		if (*text) {
			for (; pad; pad--)
				putchar_unlocked(' ');
			cli_text_pad(text, 0, cells[i].style);
		}
		pad += nctl_max(cli_text_width(text), t->width[i]) + GAP - (*text ? cli_text_width(text) : 0);
	}
	putchar_unlocked('\n');
}

void cli_table_begin_words(struct cli_table *t, const char *const *titles, size_t n_columns)
{
	cli_table_begin(t, titles, n_columns);
	t->flowing = t->words = true;
}

static void put_words(struct cli_table *t, const struct cli_cell *cells)
{
	bool any = t->begun; /* a further row goes on in the line */

	for (size_t i = 0; i < t->n_columns; i++) {
		if (!cells[i].text || !*cells[i].text)
			continue;
		if (any)
			putchar_unlocked(' ');
		if (i && strcmp(t->titles[i], "DETAILS") != 0) {
			for (const char *p = t->titles[i]; *p; p++)
				putchar_unlocked(tolower((unsigned char)*p));
			putchar_unlocked(' ');
		}
		cli_text_pad(cells[i].text, 0, cells[i].style);
		any = true;
	}
	t->begun = any;
}

static void put_titles(const struct cli_table *t)
{
	struct cli_cell cells[CLI_COLUMNS_MAX];

	if (!t->titles)
		return;
	for (size_t i = 0; i < t->n_columns; i++)
		cells[i] = (struct cli_cell){t->titles[i], CLI_BOLD};
	put_row(t, cells);
}

/* The next kept row, from *p on. */
static void kept_row(const struct cli_table *t, const char **p, struct cli_cell *cells)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		cells[i].style = (enum cli_style)((unsigned char)**p - 1);
		cells[i].text = *p + 1;
		*p += strlen(*p) + 1;
	}
}

static void flow(struct cli_table *t)
{
	struct cli_cell cells[CLI_COLUMNS_MAX];
	const char *p = nctl_strbuf_str(&t->kept);

	for (size_t row = 0; row < t->n_kept; row++) {
		kept_row(t, &p, cells);
		for (size_t i = 0; i < t->n_columns; i++) {
			t->used[i] |= *cells[i].text != '\0';
			t->width[i] = nctl_max(t->width[i], cli_text_width(cells[i].text));
		}
	}
	for (size_t i = 0; i < t->n_columns && t->titles; i++)
		t->width[i] = nctl_max(t->width[i], strlen(t->titles[i]));
	t->flowing = true;
	if (t->n_kept)
		put_titles(t);
	p = nctl_strbuf_str(&t->kept);
	for (size_t row = 0; row < t->n_kept; row++) {
		kept_row(t, &p, cells);
		put_row(t, cells);
	}
	nctl_strbuf_fini(&t->kept);
}

void cli_table_row(struct cli_table *t, const struct cli_cell *cells)
{
	if (t->words) {
		put_words(t, cells);
		return;
	}
	if (t->flowing) {
		put_row(t, cells);
		return;
	}
	for (size_t i = 0; i < t->n_columns; i++) {
		nctl_strbuf_putc(&t->kept, (char)(cells[i].style + 1));
		nctl_strbuf_puts(&t->kept, cells[i].text ? cells[i].text : "");
		nctl_strbuf_putc(&t->kept, '\0');
	}
	t->n_kept += t->kept.err == 0;
	if (t->n_kept < ROWS_KEPT)
		return;
	/* More are likely to come: any column may be used then. */
	for (size_t i = 0; i < t->n_columns; i++)
		t->used[i] = true;
	flow(t);
}

void cli_table_end(struct cli_table *t)
{
	if (!t->flowing)
		flow(t);
}
