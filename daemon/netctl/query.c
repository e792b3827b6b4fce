/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What comes through the pipe of Query: JSON lines, then an empty one if nothing is missing. As JSON
 * they are passed on as they are; for people, link.c and address.c make rows of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "netctl/cli.h"
#include "netctl/rows.h"

#define READ_BYTES (256 << 10)

struct reader {
	int (*line)(const char *text, size_t len, void *userdata);
	void *userdata;
	struct nctl_strbuf rest; /* the beginning of a line */
	bool complete;           /* the empty line was there */
};

static int take_line(struct reader *rd, const char *text, size_t len)
{
	if (rd->complete)
		return -EBADMSG;
	if (len == 0) {
		rd->complete = true;
		return 0;
	}
	return rd->line(text, len, rd->userdata);
}

static int take_bytes(struct reader *rd, const char *p, size_t n)
{
	const char *end = p + n, *nl;
	int r = 0;

	while (r == 0 && (nl = memchr(p, '\n', (size_t)(end - p)))) {
		if (rd->rest.len) {
			nctl_strbuf_put(&rd->rest, p, (size_t)(nl - p));
			r = rd->rest.err ? rd->rest.err : take_line(rd, rd->rest.s, rd->rest.len);
			nctl_strbuf_reset(&rd->rest);
		} else {
			r = take_line(rd, p, (size_t)(nl - p));
		}
		p = nl + 1;
	}
	nctl_strbuf_put(&rd->rest, p, (size_t)(end - p));
	return r < 0 ? r : rd->rest.err;
}

static int read_lines(int fd, struct reader *rd)
{
	_cleanup_(nctl_freep) char *buf = malloc(READ_BYTES);
	ssize_t n;
	int r;

	if (!buf)
		return -ENOMEM;
	while ((n = read(fd, buf, READ_BYTES)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		r = take_bytes(rd, buf, (size_t)n);
		if (r < 0)
			return r;
	}
	return rd->complete && rd->rest.len == 0 ? 0 : -EPIPE;
}

struct array {
	size_t n;
};

static int array_line(const char *text, size_t len, void *userdata)
{
	struct array *a = userdata;

	fputs(a->n++ ? ",\n" : "[", stdout);
	return fwrite_unlocked(text, 1, len, stdout) == len ? 0 : -EIO;
}

static int show_json(struct reader *rd, int fd)
{
	struct array a = {0};
	int r;

	rd->line = array_line;
	rd->userdata = &a;
	r = read_lines(fd, rd);
	/* Half an answer is not made to look like a whole one. */
	if (r == 0)
		fputs(a.n ? "]\n" : "[]\n", stdout);
	return r;
}

static int show_table(struct reader *rd, int fd, const struct cli_rows *rows)
{
	struct cli_table t;
	int r;

	cli_table_begin(&t, rows->titles, rows->n_columns);
	rd->line = rows->line;
	rd->userdata = &t;
	r = read_lines(fd, rd);
	cli_table_end(&t);
	return r;
}

int cli_query_show(const struct cli_request *q, int fd)
{
	struct reader rd = {.rest = NCTL_STRBUF_INIT};
	int r;

	if (q->json)
		r = show_json(&rd, fd);
	else
		r = show_table(&rd, fd, q->action == CLI_LINK ? &cli_link_rows : &cli_address_rows);
	nctl_strbuf_fini(&rd.rest);
	if (r == 0)
		return CLI_OK;
	if (r == -EPIPE)
		cli_error("the answer is cut short: the daemon has gone, or did not want to wait any longer");
	else
		cli_error("the answer cannot be shown: %s", strerror(-r));
	return r == -EPIPE ? CLI_NO_DAEMON : CLI_USAGE;
}
