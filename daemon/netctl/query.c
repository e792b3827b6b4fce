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
#include "netctl/query.h"
#include "netctl/rows.h"
#include "netctl/scan.h"

#define READ_BYTES (256 << 10)

struct reader {
	int (*line)(const char *text, size_t len, void *userdata);
	void (*pause)(void *userdata);
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
		if (rd->pause)
			rd->pause(rd->userdata);
	}
	return rd->complete && rd->rest.len == 0 ? 0 : -EPIPE;
}

int cli_lines_read(int fd, int (*line)(const char *text, size_t len, void *userdata),
	void (*pause)(void *userdata), void *userdata)
{
	struct reader rd = {.line = line, .pause = pause, .userdata = userdata, .rest = NCTL_STRBUF_INIT};
	int r = read_lines(fd, &rd);

	nctl_strbuf_fini(&rd.rest);
	return r;
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

static int show_json(int fd)
{
	struct array a = {0};
	int r;

	r = cli_lines_read(fd, array_line, NULL, &a);
	/* Half an answer is not made to look like a whole one. */
	if (r == 0)
		fputs(a.n ? "]\n" : "[]\n", stdout);
	return r;
}

static int show_table(int fd, const struct cli_rows *rows)
{
	struct cli_table t;
	int r;

	cli_table_begin(&t, rows->titles, rows->n_columns);
	r = cli_lines_read(fd, rows->line, NULL, &t);
	cli_table_end(&t);
	return r;
}

/* A table for each namespace. */
struct parts {
	const struct cli_rows *rows;
	struct cli_table t;
	bool begun;
	char title[1024]; /* of the part that is on; the first byte tells own, named and nameless ones apart
	                   */
};

/* Whose line is it? 0, -EBADMSG. */
static int read_title(const char *text, size_t len, char *title, size_t size)
{
	char key[CLI_SCAN_KEY_MAX], name[1000], cookie[32] = "", pid[32] = "";
	struct cli_scan s;

	cli_scan_init(&s, text, len);
	if (!cli_scan_object(&s) || !cli_scan_key(&s, key) || strcmp(key, "netns") != 0)
		return -EBADMSG;
	cli_scan_text(&s, name, sizeof(name));
	/* null, which comes with two more members. */
	while (!*name && cli_scan_key(&s, key) && strncmp(key, "netns_", 6) == 0)
		cli_scan_text(&s, key[6] == 'c' ? cookie : pid, sizeof(pid));
	if (s.bad)
		return -EBADMSG;
	if (*name)
		snprintf(title, size, "n%s", name);
	else if (*cookie)
		snprintf(title, size, "c(cookie %s, pid %s)", cookie, pid);
	else
		snprintf(title, size, "o(own)");
	return 0;
}

static int part_line(const char *text, size_t len, void *userdata)
{
	struct parts *p = userdata;
	char title[sizeof(p->title)];
	int r = read_title(text, len, title, sizeof(title));

	if (r < 0)
		return r;
	if (!p->begun || strcmp(title, p->title) != 0) {
		if (p->begun) {
			cli_table_end(&p->t);
			putchar('\n');
		}
		fputs("netns: ", stdout);
		cli_text_pad(title + 1, 0, CLI_BOLD);
		putchar('\n');
		strcpy(p->title, title);
		p->begun = true;
		cli_table_begin(&p->t, p->rows->titles, p->rows->n_columns);
	}
	return p->rows->line(text, len, &p->t);
}

static int show_parts(int fd, const struct cli_rows *rows)
{
	struct parts p = {.rows = rows};
	int r = cli_lines_read(fd, part_line, NULL, &p);

	if (p.begun)
		cli_table_end(&p.t);
	return r;
}

int cli_query_explain(int r)
{
	if (r == 0)
		return CLI_OK;
	if (r == -EPIPE)
		cli_error("the answer is cut short: the daemon or the namespace has gone, or the daemon did "
			  "not want "
			  "to wait any longer");
	else
		cli_error("the answer cannot be shown: %s", strerror(-r));
	return r == -EPIPE ? CLI_NO_DAEMON : CLI_USAGE;
}

static int put_pair(struct cli_msg *m, const char *key, const char *value)
{
	int r;

	cli_msg_align(m);
	r = cli_msg_str(m, key);
	return r < 0 ? r : cli_msg_str(m, value);
}

int cli_filters_put(struct cli_msg *m, const struct cli_request *q)
{
	size_t array = cli_msg_array(m, true);
	int r = 0;

	if (q->netns)
		r = put_pair(m, "netns", q->netns);
	if (q->all_netns && r >= 0)
		r = put_pair(m, "all-netns", "");
	for (size_t i = 0; i < q->n_filters && r >= 0; i++)
		r = put_pair(m, q->filters[i].key, q->filters[i].value);
	cli_msg_array_end(m, array, true);
	if (r >= 0)
		return CLI_OK;
	cli_error("this cannot be sent: %s", strerror(-r)); /* a word that is not UTF-8 */
	return CLI_USAGE;
}

int cli_pipe_open(struct cli_bus *bus, const struct cli_request *q, const char *method, const char *object,
	struct cli_reply *ret)
{
	_cleanup_(cli_msg_fini) struct cli_msg m;
	int status;

	cli_msg_init(&m, method, object ? "sa{ss}" : "a{ss}");
	if (object)
		(void)cli_msg_str(&m, object);
	status = cli_filters_put(&m, q);
	if (status == CLI_OK)
		status = cli_bus_call(bus, q, &m, ret);
	if (status != CLI_OK || ret->fd >= 0)
		return status;
	cli_error("the daemon's answer cannot be read");
	return CLI_NO_DAEMON;
}

static const struct {
	const char *name;
	const struct cli_rows *rows;
} objects[] = {
	[CLI_LINK] = {"link", &cli_link_rows},
	[CLI_ADDRESS] = {"address", &cli_address_rows},
	[CLI_ROUTE] = {"route", &cli_route_rows},
	[CLI_RULE] = {"rule", &cli_rule_rows},
	[CLI_NEXTHOP] = {"nexthop", &cli_nexthop_rows},
	[CLI_NEIGH] = {"neigh", &cli_neigh_rows},
	[CLI_FDB] = {"fdb", &cli_fdb_rows},
	[CLI_VLAN] = {"vlan", &cli_vlan_rows},
	[CLI_VRF] = {"vrf", &cli_vrf_rows},
	[CLI_MADDR] = {"maddr", &cli_maddr_rows},
	[CLI_STATS] = {"stats", &cli_stats_rows},
};

const char *cli_query_object(enum cli_action a)
{
	return (size_t)a < NCTL_ARRAY_SIZE(objects) ? objects[a].name : NULL;
}

const struct cli_rows *cli_rows_of(const char *object)
{
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(objects); i++)
		if (objects[i].name && strcmp(objects[i].name, object) == 0)
			return objects[i].rows;
	return NULL;
}

int cli_query_show(const struct cli_request *q, int fd)
{
	const struct cli_rows *rows = objects[q->action].rows;

	if (q->json)
		return cli_query_explain(show_json(fd));
	return cli_query_explain(q->all_netns ? show_parts(fd, rows) : show_table(fd, rows));
}
