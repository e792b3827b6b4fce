/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what became of the lines of a batch: those that failed one by one, with the kernel's text, and a count
 * of the others. A line counts as done if all that it asked for was.
 */
#include "reconcile/batches.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void nd_batch_note_wrong(struct batch *b, const struct nd_batch_line *line)
{
	char source[512];

	nd_batch_source(&b->lines, line, source, sizeof(source));
	nd_diagnostics_add(
		&b->diag, ND_ERROR, b->path, line->at_line, line->column, source, line->error, line->advice);
}

void nd_batch_note_failure(
	struct batch *b, const struct nd_batch_line *line, int error, const char *text, bool kernel)
{
	struct nctl_json j;

	if (b->failed++ >= BATCH_FAILURES_MAX) {
		b->not_listed++;
		return;
	}
	if (b->failures.len)
		nctl_strbuf_putc(&b->failures, ',');
	nctl_json_init(&j, &b->failures);
	nctl_json_obj_begin(&j);
	nctl_json_ku64(&j, "line", line->number);
	if (error) {
		nctl_json_ki64(&j, "errno", -error);
		nctl_json_kstr(&j, "error", strerror(-error));
		if (text)
			nctl_json_kstr(&j, kernel ? "kernel" : "detail", text);
	} else {
		nctl_json_kstr(&j, "error", text);
	}
	nctl_json_obj_end(&j);
}

static bool was_done(const struct nctl_op *op)
{
	switch ((enum nctl_op_state)op->state) {
	case NCTL_OP_ACKED:
	case NCTL_OP_DONE:
		return true;
	case NCTL_OP_PENDING:
	case NCTL_OP_SENT:
	case NCTL_OP_REFUSED:
	case NCTL_OP_POISONED:
	case NCTL_OP_UNSEEN:
		break;
	}
	return false;
}

static void note_poisoned(struct batch *b, const struct nd_batch_line *line, const struct nctl_op *op)
{
	const struct nctl_plan *p = b->window->plan;
	const struct nd_batch_line *to_blame = NULL;
	char text[64];

	/* The first one, if they hang on each other. */
	while (op->state == NCTL_OP_POISONED && op->blame != NCTL_OP_NONE)
		op = &p->ops[op->blame];
	to_blame = nd_batch_line_of(b->window, op);
	snprintf(text, sizeof(text), "not tried, since line %u failed", to_blame ? to_blame->number : 0);
	nd_batch_note_failure(b, line, 0, text, false);
}

/* 1: done; 0: not tried; -1: failed, which is noted. */
static int judge(struct batch *b, const struct nd_batch_line *line)
{
	const struct nctl_plan *p = b->window->plan;
	bool done = true;

	if (line->error && line->column && b->wrong++ < BATCH_DIAGNOSTICS_MAX)
		b->failed++; /* it is among the diagnostics */
	else if (line->error)
		nd_batch_note_failure(b, line, 0, line->error, false);
	else if (line->failure)
		nd_batch_note_failure(b, line, line->failure, NULL, false);
	if (line->error || line->failure)
		return -1;
	for (uint32_t i = line->first_op; i < line->first_op + line->n_ops && i < p->n_ops; i++) {
		const struct nctl_op *op = &p->ops[i];

		if (op->state == NCTL_OP_REFUSED)
			nd_batch_note_failure(b, line, op->error, op->text, op->by_kernel);
		else if (op->state == NCTL_OP_POISONED)
			note_poisoned(b, line, op);
		if (op->state == NCTL_OP_REFUSED || op->state == NCTL_OP_POISONED)
			return -1;
		done = done && was_done(op);
	}
	return done;
}

void nd_batch_count(struct batch *b)
{
	const struct nd_batch_window *w = b->window;
	bool strict = !(b->how.flags & ND_BATCH_FORCE);

	for (size_t i = 0; i < w->n_lines; i++) {
		int r = judge(b, &w->lines[i]);

		/* Of a line that goes on, the last part counts; a part that does nothing is no use to be
		 * repeated. */
		if (w->unfinished && r > 0 && !b->cancelled)
			continue;
		b->read += r != 0;
		if (r > 0 && b->stopped)
			b->beyond++;
		b->done += r > 0;
		b->stopped = b->stopped || (r < 0 && strict);
	}
}

static const char *state_name(const struct batch *b)
{
	if (b->error)
		return "broken-off";
	if (b->cancelled)
		return "cancelled";
	if (b->stopped)
		return "stopped";
	return b->failed ? "partly-done" : "done";
}

static const char *error_text(const struct batch *b)
{
	if (b->error == -ENOENT)
		return "there is no such network namespace";
	if (b->error == -ETIMEDOUT)
		return "the network namespace does not come in step";
	if (b->error == -EPIPE)
		return "there is no privileged helper that makes and deletes namespaces";
	return b->error ? strerror(-b->error) : NULL;
}

void nd_batch_report(struct batch *b, struct nctl_strbuf *out)
{
	bool wrong = b->diag.n_errors && !(b->how.flags & ND_BATCH_FORCE);
	const char *error = wrong ? "there are errors in the lines; nothing was changed" : error_text(b);
	struct nctl_json j;

	nd_report_begin(&j, out,
		wrong                                                           ? ND_EXIT_CONFIG
		: b->error == -ENOENT && !b->read                               ? ND_EXIT_CONFIG
		: b->error == -ETIMEDOUT                                        ? ND_EXIT_TIMEOUT
		: b->error || b->failed || (b->cancelled && b->read < b->total) ? ND_EXIT_REFUSED
										: ND_EXIT_FINE,
		error);
	nd_report_diagnostics(&j, &b->diag);
	nctl_json_key(&j, "batch");
	nctl_json_obj_begin(&j);
	nctl_json_ku64(&j, "job", b->id);
	nctl_json_kstr(&j, "state", wrong ? "refused" : state_name(b));
	nctl_json_ku64(&j, "lines", b->total);
	nctl_json_ku64(&j, "done", b->done);
	nctl_json_ku64(&j, "failed", b->failed);
	nctl_json_ku64(&j, "not_done", b->total - nctl_min(b->total, b->read));
	nctl_json_ku64(&j, "beyond", b->beyond);
	nctl_json_ku64(&j, "not_listed", b->not_listed);
	nctl_json_ku64(&j, "windows", b->windows);
	nctl_json_ku64(&j, "messages", b->messages);
	nctl_json_ku64(&j, "sends", b->sends);
	nctl_json_ku64(&j, "duration_us", (uint64_t)nctl_time_diff_us(nctl_time_now(), b->began));
	nctl_json_obj_end(&j);
	nctl_json_key(&j, "failures");
	nctl_json_arr_begin(&j);
	if (b->failures.len)
		nctl_json_raw(&j, nctl_strbuf_str(&b->failures), b->failures.len);
	nctl_json_arr_end(&j);
	if (b->failures.err)
		out->err = b->failures.err;
	nd_report_end(&j);
}
