/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: progress. While a change is waited for, the daemon is asked twice a second which jobs it has; the one
 * that waits for this process is shown: as one line on a terminal, drawn over itself, or with -j as JSON
 * records on the standard error, so that the standard output has the answer alone. An interrupt lets the job
 * go on, and says its number, or cancels it. Whatever goes wrong here is no error: the answer is all that
 * counts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "netctl/progress.h"

enum {
	PATIENCE_MS = 400, /* what is done by then is not worth a line */
	ANSWER_US = 2 * 1000 * 1000,
	WIDTH_MIN = 20,
	WIDTH_MAX = 200,
	BAR_MAX = 40,
};

static bool is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

void cli_progress_init(struct cli_progress *p, const struct cli_request *q)
{
	*p = (struct cli_progress){.q = q, .bus = CLI_BUS_INIT, .began = nctl_time_now()};
	p->records = q->json;
	p->shows = !q->json && is_terminal();
}

static size_t terminal_width(void)
{
	struct winsize w = {0};

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_col < WIDTH_MIN)
		return 80;
	return w.ws_col < WIDTH_MAX ? w.ws_col : WIDTH_MAX;
}

static void put_bar(struct nctl_strbuf *b, const struct cli_progress_state *s, size_t cells)
{
	size_t full = s->total > 0 ? (size_t)(s->done * (int64_t)cells / s->total) : 0;

	nctl_strbuf_puts(b, " [");
	for (size_t i = 0; i < cells; i++)
		nctl_strbuf_putc(b, i < full ? '=' : i == full ? '>' : ' ');
	nctl_strbuf_putc(b, ']');
}

const char *cli_progress_line(const struct cli_progress_state *s, size_t width, char *buf, size_t size)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf tail = NCTL_STRBUF_INIT, line = NCTL_STRBUF_INIT;
	size_t room, head = strlen(s->what);

	if (s->total > 0)
		nctl_strbuf_printf(&tail, " %3" PRId64 " %% %" PRId64 "/%" PRId64, s->done * 100 / s->total,
			s->done, s->total);
	if (s->failed)
		nctl_strbuf_printf(&tail, ", %" PRId64 " failed", s->failed);
	if (s->rate >= 0)
		nctl_strbuf_printf(&tail, ", %" PRId64 "/s", s->rate);
	if (*s->doing)
		nctl_strbuf_printf(&tail, ", %s", s->doing);
	nctl_strbuf_puts(&line, s->what);
	room = width > head + tail.len + 3 ? width - head - tail.len - 3 : 0;
	if (room >= 5 && s->total > 0)
		put_bar(&line, s, room < BAR_MAX ? room : BAR_MAX);
	nctl_strbuf_puts(&line, nctl_strbuf_str(&tail));
	snprintf(buf, size, "%.*s", (int)width, nctl_strbuf_str(&line));
	return buf;
}

static int ask(struct cli_progress *p, const char *method, const char *argument, struct cli_reply *ret)
{
	_cleanup_(cli_msg_fini) struct cli_msg m;
	int r = 0;

	if (p->bus.fd < 0)
		r = cli_bus_open(p->q->runtime_dir, &p->bus);
	cli_msg_init(&m, method, argument ? "s" : "");
	if (r >= 0 && argument)
		r = cli_msg_str(&m, argument);
	if (r >= 0)
		r = cli_dbus_call(&p->bus, &m, nctl_time_add_us(nctl_time_now(), ANSWER_US), ret);
	return r < 0 ? r : ret->error ? -EIO : 0;
}

/* The job that waits for this process, or NULL; it belongs to root. */
static struct json_object *find_job(struct json_object *root)
{
	struct json_object *jobs = cli_json_get(root, "jobs");
	size_t n = jobs && json_object_is_type(jobs, json_type_array) ? json_object_array_length(jobs) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *job = json_object_array_get_idx(jobs, i);

		if (cli_json_int(job, "pid") == getpid())
			return job;
	}
	return NULL;
}

/* NULL: it cannot be had. root is the caller's. */
static struct json_object *look(struct cli_progress *p, struct json_object **root)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	struct json_object *job;

	*root = NULL;
	if (p->broken || ask(p, "Jobs", NULL, &reply) < 0) {
		p->broken = true; /* an older daemon, or one that is too busy */
		return NULL;
	}
	*root = reply.text ? json_tokener_parse(reply.text) : NULL;
	job = *root ? find_job(*root) : NULL;
	if (job)
		p->job = cli_json_int(job, "job");
	return job;
}

/* What it is at: "waiting", or the operation. */
static const char *doing(struct json_object *job, char *buf, size_t size)
{
	struct json_object *d = cli_json_get(job, "doing");
	const char *state = cli_json_str(job, "state");

	if (strcmp(state, "running") != 0)
		return state;
	if (!d || !json_object_is_type(d, json_type_array) || json_object_array_length(d) != 2)
		return "";
	snprintf(buf, size, "%s %s", json_object_get_string(json_object_array_get_idx(d, 0)),
		json_object_get_string(json_object_array_get_idx(d, 1)));
	return buf;
}

/* What was done a second, since the first look. */
static int64_t rate(struct cli_progress *p, int64_t done)
{
	nctl_time now = nctl_time_now();
	int64_t us;

	if (!p->first.usec || done < p->first_done) {
		p->first = now;
		p->first_done = done;
		return -1;
	}
	us = nctl_time_diff_us(now, p->first);
	return us > 0 ? (done - p->first_done) * 1000000 / us : -1;
}

static void draw(struct cli_progress *p, struct json_object *job)
{
	char line[WIDTH_MAX + 1], what[64];
	struct cli_progress_state s = {
		.what = cli_json_str(job, "what"),
		.doing = doing(job, what, sizeof(what)),
		.done = cli_json_int(job, "done"),
		.total = cli_json_int(job, "total"),
		.failed = cli_json_int(job, "failed"),
	};

	s.rate = rate(p, s.done);
	/* The last column stays free: some terminals begin a new line behind it. */
	fprintf(stderr, "\r%s\033[K", cli_progress_line(&s, terminal_width() - 1, line, sizeof(line)));
	fflush(stderr);
	p->drawn = true;
}

static void clear(struct cli_progress *p)
{
	if (!p->drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	p->drawn = false;
}

static int leave(struct cli_progress *p)
{
	clear(p);
	if (p->job)
		cli_error("interrupted; job %" PRId64
			  " goes on: netctl status shows it, netctl cancel %" PRId64 " ends it",
			p->job, p->job);
	else
		cli_error("interrupted; the daemon goes on with the job, see netctl status");
	return -EINTR;
}

static int cancel(struct cli_progress *p)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	char number[24];

	snprintf(number, sizeof(number), "%" PRId64, p->job);
	clear(p);
	if (!p->job || ask(p, "Cancel", number, &reply) < 0)
		return leave(p);
	cli_error("interrupted; job %s is being cancelled", number);
	return 0;
}

int cli_progress_tick(struct cli_progress *p, bool interrupted)
{
	struct json_object *root = NULL, *job = NULL;

	if (interrupted || ((p->shows || p->records) &&
				   nctl_time_diff_us(nctl_time_now(), p->began) >= PATIENCE_MS * 1000))
		job = look(p, &root);
	if (job && p->records && !interrupted)
		fprintf(stderr, "%s\n",
			json_object_to_json_string_ext(
				job, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	else if (job && p->shows && !interrupted)
		draw(p, job);
	json_object_put(root);
	if (!interrupted)
		return 0;
	return p->q->cancel_on_interrupt ? cancel(p) : leave(p);
}

void cli_progress_end(struct cli_progress *p)
{
	clear(p);
	cli_dbus_close(&p->bus);
}
