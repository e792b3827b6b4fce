/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The stream of changes: with -j the daemon's lines as they are, else one line a change in the manner of
 * ip-monitor(8). Each piece is shown as soon as it has come. It ends with the daemon.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/query.h"
#include "netctl/row.h"

static int json_line(const char *text, size_t len, void *userdata)
{
	(void)userdata;
	if (fwrite_unlocked(text, 1, len, stdout) != len || putchar_unlocked('\n') == EOF)
		return -EIO;
	return 0;
}

static void pause_here(void *userdata)
{
	(void)userdata;
	fflush(stdout);
}

struct record {
	char netns[300], cookie[24], op[16], object[16], lost[24], epoch[24];
	char changed[256];
	const char *value; /* NULL: none */
	size_t len;
};

static void scan_changed(struct cli_scan *s, struct record *rec)
{
	char name[64];
	size_t len;

	if (!cli_scan_array(s))
		return;
	while (cli_scan_item(s)) {
		cli_scan_text(s, name, sizeof(name));
		len = strlen(rec->changed);
		snprintf(rec->changed + len, sizeof(rec->changed) - len, "%s%s", len ? ", " : "", name);
	}
}

static int scan_record(const char *text, size_t len, struct record *rec)
{
	const struct {
		const char *key;
		char *to;
		size_t size;
	} words[] = {{"netns", rec->netns, sizeof(rec->netns)},
		{"netns_cookie", rec->cookie, sizeof(rec->cookie)}, {"op", rec->op, sizeof(rec->op)},
		{"object", rec->object, sizeof(rec->object)}, {"lost", rec->lost, sizeof(rec->lost)},
		{"epoch", rec->epoch, sizeof(rec->epoch)}};
	char key[CLI_SCAN_KEY_MAX];
	struct cli_scan s;
	size_t i;

	cli_scan_init(&s, text, len);
	if (!cli_scan_object(&s))
		return -EBADMSG;
	while (cli_scan_key(&s, key)) {
		for (i = 0; i < NCTL_ARRAY_SIZE(words) && strcmp(key, words[i].key) != 0; i++)
			continue;
		if (i < NCTL_ARRAY_SIZE(words)) {
			cli_scan_text(&s, words[i].to, words[i].size);
		} else if (strcmp(key, "changed") == 0) {
			scan_changed(&s, rec);
		} else if (strcmp(key, "value") == 0) {
			cli_scan_peek(&s);
			rec->value = s.p;
			cli_scan_skip(&s);
			rec->len = (size_t)(s.p - rec->value);
		} else {
			cli_scan_skip(&s);
		}
	}
	return cli_scan_done(&s) ? 0 : -EBADMSG;
}

static int put_value(const struct record *rec)
{
	const struct cli_rows *rows = cli_rows_of(rec->object);
	char key[CLI_SCAN_KEY_MAX], name[300] = "";
	struct cli_table t;
	struct cli_scan s;

	if (rows) {
		cli_table_begin_words(&t, rows->titles, rows->n_columns);
		return rows->line(rec->value, rec->len, &t);
	}
	cli_scan_init(&s, rec->value, rec->len);
	if (cli_scan_object(&s)) {
		while (cli_scan_key(&s, key)) {
			if (strcmp(key, "name") == 0)
				cli_scan_text(&s, name, sizeof(name));
			else
				cli_scan_skip(&s);
		}
	}
	cli_text_pad(name, 0, CLI_CYAN);
	return s.bad ? -EBADMSG : 0;
}

static enum cli_style style_of(const char *op)
{
	static const struct {
		const char *op;
		enum cli_style style;
	} v[] = {{"added", CLI_GREEN}, {"removed", CLI_RED}, {"changed", CLI_YELLOW}, {"present", CLI_DIM}};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(v); i++)
		if (strcmp(op, v[i].op) == 0)
			return v[i].style;
	return CLI_BOLD;
}

static int text_line(const char *text, size_t len, void *userdata)
{
	const struct cli_request *q = userdata;
	struct record rec = {.value = NULL};
	int r = scan_record(text, len, &rec);

	if (r < 0)
		return r;
	if (q->all_netns && *rec.op) {
		cli_text_pad(*rec.netns ? rec.netns : *rec.cookie ? rec.cookie : "(own)", 0, CLI_PLAIN);
		fputs(": ", stdout);
	}
	cli_text_pad(rec.op, *rec.object ? 9 : 0, style_of(rec.op));
	if (*rec.object) {
		putchar_unlocked(' ');
		cli_text_pad(rec.object, 8, CLI_PLAIN);
	}
	if (rec.value)
		putchar_unlocked(' ');
	r = rec.value ? put_value(&rec) : 0;
	if (*rec.changed) {
		fputs(" (", stdout);
		cli_text_pad(rec.changed, 0, CLI_DIM);
		putchar_unlocked(')');
	}
	if (*rec.lost)
		printf(" %s records; ask again", rec.lost);
	if (*rec.epoch)
		printf(" epoch %s", rec.epoch);
	putchar_unlocked('\n');
	return r;
}

int cli_monitor_show(struct cli_bus *bus, const struct cli_request *q)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	int status = cli_pipe_open(bus, q, "Monitor", NULL, &reply);

	if (status != CLI_OK)
		return status;
	return cli_query_explain(cli_lines_read(
		reply.fd, q->json ? json_line : text_line, pause_here, (void *)(uintptr_t)q));
}
