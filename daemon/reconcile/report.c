/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: answers as JSON text, in the shape that reconcile.h shows. A plan is told in the user's words: one
 * entry for each definition and action, so that a range of 1,500 VLANs is one line; deletions have no
 * definition any more and are folded by their names ("foo.{1491..1500}").
 */
#include "reconcile/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 1000, REFUSALS_MAX = 100 };

void nd_report_begin(struct nctl_json *j, struct nctl_strbuf *out, int exit_status, const char *error)
{
	nctl_json_init(j, out);
	nctl_json_obj_begin(j);
	nctl_json_ki64(j, "exit", exit_status);
	if (error)
		nctl_json_kstr(j, "error", error);
}

void nd_report_end(struct nctl_json *j)
{
	nctl_json_obj_end(j);
}

void nd_report_diagnostics(struct nctl_json *j, const struct nd_diagnostics *d)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf text = NCTL_STRBUF_INIT;

	if (!d->n)
		return;
	nctl_json_key(j, "diagnostics");
	nd_diagnostics_json(d, j);
	nd_diagnostics_print(d, &text);
	nctl_json_kstr(j, "diagnostics_text", nctl_strbuf_str(&text));
}

static const char *pos_file(const struct nctl_want *want, const struct nctl_pos *pos)
{
	return pos->line && pos->file < want->n_files ? want->files[pos->file] : NULL;
}

static void put_pos(struct nctl_json *j, const struct nctl_want *want, const struct nctl_pos *pos)
{
	const char *file = pos_file(want, pos);

	if (!file)
		return;
	nctl_json_kstr(j, "file", file);
	nctl_json_ku64(j, "line", pos->line);
	nctl_json_ku64(j, "column", pos->column);
}

static const char *action_of(const struct nctl_op *op)
{
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		return "create";
	case NCTL_OP_LINK_SET:
		return "change";
	case NCTL_OP_LINK_DEL:
		return "delete";
	case NCTL_OP_ALTNAME_NEW:
	case NCTL_OP_ADDR_NEW:
		return "add";
	case NCTL_OP_ALTNAME_DEL:
	case NCTL_OP_ADDR_DEL:
		return "remove";
	}
	return "";
}

static const char *object_of(const struct nctl_op *op)
{
	if (op->type == NCTL_OP_ALTNAME_NEW || op->type == NCTL_OP_ALTNAME_DEL)
		return "altname";
	return op->type == NCTL_OP_ADDR_NEW || op->type == NCTL_OP_ADDR_DEL ? "address" : "link";
}

/* One line of the plan while it grows. */
struct entry {
	const struct nctl_op *first;
	const struct nctl_want_def *def; /* NULL: by name */
	char stem[IF_NAMESIZE];          /* of a name that ends in a number */
	unsigned long from, to;
	size_t count;
	uint8_t cls;
	struct nctl_link_diff diff;
};

/* Setting a link that is being made is part of making it. */
static bool is_told_apart(const struct nctl_op *op)
{
	bool sets = op->type == NCTL_OP_LINK_SET || op->type == NCTL_OP_ALTNAME_NEW;

	return !sets || op->need[0] == NCTL_OP_NONE;
}

/* Splits "foo.12" into "foo." and 12; false when there is no number, or it has leading zeros. */
static bool split_name(const char *name, char stem[IF_NAMESIZE], unsigned long *ret)
{
	size_t n = strlen(name);

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	if (!name[n] || (name[n] == '0' && name[n + 1]))
		return false;
	memcpy(stem, name, n);
	stem[n] = '\0';
	*ret = strtoul(name + n, NULL, 10);
	return true;
}

static void start_entry(struct entry *e, const struct nctl_op *op)
{
	*e = (struct entry){.first = op, .count = 1, .cls = op->cls, .diff = op->diff};
	if (op->want)
		e->def = op->want->def;
	else if (split_name(op->name, e->stem, &e->from))
		e->to = e->from;
	else
		e->stem[0] = '\0';
	if (op->pair)
		e->count++;
}

/* Does op go into e? Then it is counted there. */
static bool extend_entry(struct entry *e, const struct nctl_op *op)
{
	char stem[IF_NAMESIZE];
	unsigned long number;

	if (!e->count || e->first->type != op->type || strcmp(e->first->kind, op->kind))
		return false;
	if (op->want) {
		if (e->def != op->want->def)
			return false;
	} else {
		bool numbered = split_name(op->name, stem, &number);

		if (e->def || !strcmp(op->name, e->first->name))
			numbered =
				!e->def && op->type == NCTL_OP_ADDR_DEL && !strcmp(op->name, e->first->name);
		else
			numbered = numbered && !strcmp(stem, e->stem) &&
			           (number == e->to + 1 || number == e->to);
		if (!numbered)
			return false;
		if (strcmp(op->name, e->first->name))
			e->to = number;
	}
	e->count += op->pair ? 2 : 1;
	if (op->cls > e->cls)
		e->cls = op->cls;
	e->diff.common |= op->diff.common;
	e->diff.data |= op->diff.data;
	e->diff.port |= op->diff.port;
	return true;
}

static void put_fields(struct nctl_json *j, const struct nctl_field_table *t, uint64_t mask)
{
	for (size_t i = 0; i < t->n; i++)
		if (mask & (UINT64_C(1) << i))
			nctl_json_str(j, t->v[i].key ? t->v[i].key : t->v[i].json ? t->v[i].json : "flags");
}

static void put_label(struct nctl_json *j, const struct entry *e)
{
	char label[2 * IF_NAMESIZE + 48];

	if (e->def)
		nctl_json_kstr(j, "label", e->def->label);
	else if (e->from == e->to)
		nctl_json_kstr(j, "label", e->first->name);
	else {
		snprintf(label, sizeof(label), "%s{%lu..%lu}", e->stem, e->from, e->to);
		nctl_json_kstr(j, "label", label);
	}
}

static void put_entry(struct nctl_json *j, const struct nctl_plan *p, const struct entry *e)
{
	const struct nctl_kind *k = e->first->want ? e->first->want->v.kind : NULL;
	const struct nctl_kind *port = e->first->want ? e->first->want->v.port_kind : NULL;

	nctl_json_obj_begin(j);
	nctl_json_kstr(j, "action", action_of(e->first));
	nctl_json_kstr(j, "object", object_of(e->first));
	nctl_json_kstr(j, "kind", e->first->kind);
	put_label(j, e);
	nctl_json_ku64(j, "count", e->count);
	nctl_json_kstr(j, "class", nctl_change_class_name(e->cls));
	if (e->first->type == NCTL_OP_LINK_SET) {
		nctl_json_key(j, "fields");
		nctl_json_arr_begin(j);
		put_fields(j, &nctl_link_fields, e->diff.common);
		if (k)
			put_fields(j, &k->data, e->diff.data);
		if (port)
			put_fields(j, &port->port, e->diff.port);
		nctl_json_arr_end(j);
	}
	put_pos(j, p->want, &e->first->pos);
	nctl_json_obj_end(j);
}

static void put_entries(struct nctl_json *j, const struct nctl_plan *p)
{
	struct entry open[NCTL_OP_ADDR_DEL + 1] = {0}; /* one a type, since types interleave within a phase */
	size_t told = 0;

	nctl_json_key(j, "entries");
	nctl_json_arr_begin(j);
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct nctl_op *op = &p->ops[i];
		struct entry *e = &open[op->type];

		if (!is_told_apart(op) || extend_entry(e, op))
			continue;
		if (e->count && told++ < ENTRIES_MAX)
			put_entry(j, p, e);
		start_entry(e, op);
	}
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(open); i++)
		if (open[i].count && told++ < ENTRIES_MAX)
			put_entry(j, p, &open[i]);
	nctl_json_arr_end(j);
	if (told > ENTRIES_MAX)
		nctl_json_ku64(j, "entries_left_out", told - ENTRIES_MAX);
}

static const char *problem_type(const struct nctl_problem *pr)
{
	switch (pr->type) {
	case NCTL_PROBLEM_WAIT:
		return "wait";
	case NCTL_PROBLEM_CONSENT:
		return "consent";
	case NCTL_PROBLEM_CONFLICT:
		return "conflict";
	}
	return "";
}

void nd_report_plan(struct nctl_json *j, const struct nctl_plan *p)
{
	nctl_json_key(j, "plan");
	nctl_json_obj_begin(j);
	nctl_json_ku64(j, "changes", p->n_ops);
	nctl_json_kbool(j, "blocked", p->blocked);
	put_entries(j, p);
	nctl_json_key(j, "problems");
	nctl_json_arr_begin(j);
	for (size_t i = 0; i < p->n_problems && i < REFUSALS_MAX; i++) {
		nctl_json_obj_begin(j);
		nctl_json_kstr(j, "type", problem_type(&p->problems[i]));
		nctl_json_kstr(j, "text", p->problems[i].text);
		put_pos(j, p->want, &p->problems[i].pos);
		nctl_json_obj_end(j);
	}
	nctl_json_arr_end(j);
	nctl_json_obj_end(j);
}

static bool is_failure(const struct nctl_op *op)
{
	return op->state == NCTL_OP_REFUSED || op->state == NCTL_OP_UNSEEN;
}

static const char *why(const struct nctl_op *op)
{
	return op->state == NCTL_OP_UNSEEN ? "the kernel agreed, but the change never showed"
	                                   : strerror(-op->error);
}

static void put_refusal(struct nctl_json *j, const struct nctl_plan *p, const struct nctl_op *op)
{
	nctl_json_obj_begin(j);
	nctl_json_kstr(j, "action", action_of(op));
	nctl_json_kstr(j, "object", object_of(op));
	nctl_json_kstr(j, "kind", op->kind);
	nctl_json_kstr(j, "name", op->name);
	nctl_json_ki64(j, "errno", -op->error);
	nctl_json_kstr(j, "error", why(op));
	if (op->text)
		nctl_json_kstr(j, "kernel", op->text);
	put_pos(j, p->want, &op->pos);
	nctl_json_obj_end(j);
}

void nd_report_result(struct nctl_json *j, const char *state, uint64_t generation, const struct nctl_plan *p,
	const struct nctl_outcome *o)
{
	size_t told = 0;

	nctl_json_key(j, "result");
	nctl_json_obj_begin(j);
	nctl_json_kstr(j, "state", state);
	nctl_json_ku64(j, "generation", generation);
	nctl_json_ku64(j, "done", o->done);
	nctl_json_ku64(j, "refused", o->refused);
	nctl_json_ku64(j, "poisoned", o->poisoned);
	nctl_json_ku64(j, "unseen", o->unseen);
	nctl_json_ku64(j, "sends", o->sends);
	nctl_json_ku64(j, "messages", o->messages);
	nctl_json_ku64(j, "duration_us", o->duration_us);
	nctl_json_key(j, "refusals");
	nctl_json_arr_begin(j);
	for (size_t i = 0; i < p->n_ops && told < REFUSALS_MAX; i++) {
		if (!is_failure(&p->ops[i]))
			continue;
		put_refusal(j, p, &p->ops[i]);
		told++;
	}
	nctl_json_arr_end(j);
	nctl_json_obj_end(j);
}

void nd_report_first_refusal(const struct nctl_plan *p, struct nctl_strbuf *out)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct nctl_op *op = &p->ops[i];
		const char *file = pos_file(p->want, &op->pos);

		if (!is_failure(op))
			continue;
		if (file)
			nctl_strbuf_printf(out, "%s:%u:%u: ", file, op->pos.line, op->pos.column);
		nctl_strbuf_printf(out, "%s %s %s: %s", action_of(op), op->kind, op->name, why(op));
		if (op->text)
			nctl_strbuf_printf(out, " (the kernel says: %s)", op->text);
		return;
	}
}

void nd_report_waits(const struct nctl_plan *p, struct nctl_strbuf *out)
{
	for (size_t i = 0; i < p->n_problems; i++)
		if (p->problems[i].type == NCTL_PROBLEM_WAIT)
			nctl_strbuf_printf(out, "%s\n", p->problems[i].text);
}
