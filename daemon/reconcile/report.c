/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: answers as JSON text, in the shape that reconcile.h shows. A plan is told in the user's words: one
 * entry for each definition and action, so that a range of 1,500 VLANs is one line; deletions have no
 * definition any more and are folded by their names ("foo.{1491..1500}").
 */
#include "base/array.h"
#include "plan/op-fib.h"
#include "reconcile/private.h"

#include <errno.h>
#include <limits.h>
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
	const struct nctl_op_info *info = nctl_op_info(op);

	return info->fib && !info->deletes && op->fib->old ? "change" : info->action;
}

static const char *object_of(const struct nctl_op *op)
{
	if (op->type == NCTL_OP_ETHTOOL_SET)
		return nctl_ethtool_group_name(op->group);
	return nctl_op_info(op)->object;
}

static bool is_of_netns(const struct nctl_op *op)
{
	return op->type == NCTL_OP_NETNS_NEW || op->type == NCTL_OP_NETNS_DEL;
}

/* An operation that is told, and what it is told with. */
struct told {
	const struct nctl_op *op;
	const struct nctl_want_def *def;       /* of a link or namespace that is wanted; NULL: by name */
	const struct nctl_want_def *netns_def; /* of the namespace that it is in, if that is wanted */
	size_t stem;                           /* bytes of the name before its number */
	bool numbered;
	unsigned long number;
};

/* One line of the plan while it grows. */
struct entry {
	struct told first, last;
	size_t count;
	uint8_t cls;
	struct nctl_link_diff diff;
};

static bool is_part_of_making(const struct nctl_plan *p, const struct nctl_op *op)
{
	const struct nctl_op *need = op->need[0] != NCTL_OP_NONE ? &p->ops[op->need[0]] : NULL;

	return need && need->type == NCTL_OP_LINK_NEW;
}

/* Setting a link that is being made is part of making it. */
static bool is_told_apart(const struct nctl_plan *p, const struct nctl_op *op)
{
	bool sets = op->type == NCTL_OP_LINK_SET || op->type == NCTL_OP_ALTNAME_NEW ||
	            op->type == NCTL_OP_VLANS_ADD || op->type == NCTL_OP_VLANS_DEL || nd_report_is_told(op);

	if (op->type == NCTL_OP_NETNS_ID || op->if_missing)
		return false;
	return !sets || !is_part_of_making(p, op);
}

/* Splits "foo.12" into "foo." and 12; a number with leading zeros belongs to the stem. */
static struct told tell(const struct nctl_plan *p, const struct nctl_op *op)
{
	const struct nctl_want_netns *netns = p->netns[op->netns].want;
	struct told t = {.op = op, .def = op->want ? op->want->def : NULL};
	size_t n = strlen(op->name);

	t.netns_def = netns ? netns->def : NULL;
	if (op->type == NCTL_OP_NETNS_NEW)
		t.def = t.netns_def;
	if (op->type == NCTL_OP_SYSCTL_SET || nctl_op_is_fib(op)) {
		t.stem = n;
		return t;
	}

	t.stem = n;
	while (n && op->name[n - 1] >= '0' && op->name[n - 1] <= '9')
		n--;
	if (!op->name[n] || (op->name[n] == '0' && op->name[n + 1]))
		return t;
	t.stem = n;
	t.numbered = true;
	t.number = strtoul(op->name + n, NULL, 10);
	return t;
}

/* 0: one line may tell both. */
static int told_apart(const struct told *a, const struct told *b)
{
	const struct nctl_op *x = a->op, *y = b->op;
	bool deletes = x->type == NCTL_OP_LINK_DEL;
	int r = (x->type > y->type) - (x->type < y->type);

	if (!r && x->type == NCTL_OP_ETHTOOL_SET)
		r = (x->group > y->group) - (x->group < y->group);
	if (!r && deletes) /* for good, or to be made again */
		r = (x->cls > y->cls) - (x->cls < y->cls);
	if (!r)
		r = (a->def > b->def) - (a->def < b->def);
	if (!r)
		r = (a->netns_def > b->netns_def) - (a->netns_def < b->netns_def);
	if (r || a->def)
		return r;
	/* Of namespaces that are told by their names, each has its own links. */
	if (!a->netns_def && !is_of_netns(x))
		r = (x->netns > y->netns) - (x->netns < y->netns);
	if (!r)
		r = strcmp(x->kind, y->kind);
	if (!r)
		r = a->numbered - b->numbered;
	if (!r)
		r = (a->stem > b->stem) - (a->stem < b->stem);
	return r ? r : strncmp(x->name, y->name, a->stem);
}

static int told_cmp(const void *a, const void *b)
{
	const struct told *x = a, *y = b;
	int r = told_apart(x, y);

	if (!r && !x->def)
		r = (x->number > y->number) - (x->number < y->number);
	return r ? r : (x->op > y->op) - (x->op < y->op);
}

static int entry_cmp_told(const void *a, const void *b)
{
	return told_cmp(&((const struct entry *)a)->first, &((const struct entry *)b)->first);
}

static int entry_cmp_place(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->first.op > y->first.op) - (x->first.op < y->first.op);
}

static struct entry new_entry(const struct nctl_plan *p, const struct nctl_op *op)
{
	struct told t = tell(p, op);
	struct entry e = {.first = t, .last = t, .count = op->pair ? 2 : 1, .cls = op->cls, .diff = op->diff};

	e.diff.data &= ~op->along;
	return e;
}

/* Does b go on where a ends? Then it is counted there. */
static bool join_entries(struct entry *a, const struct entry *b)
{
	if (told_apart(&a->last, &b->first) || (!a->last.def && b->first.number - a->last.number > 1))
		return false;
	a->last = b->last;
	a->count += b->count;
	if (b->cls > a->cls)
		a->cls = b->cls;
	a->diff.common |= b->diff.common;
	a->diff.data |= b->diff.data;
	a->diff.port |= b->diff.port;
	return true;
}

struct entries {
	struct entry *v;
	size_t n, cap;
};

static int add_entry(struct entries *es, const struct nctl_plan *p, const struct nctl_op *op)
{
	struct entry e = new_entry(p, op);

	if (es->n && join_entries(&es->v[es->n - 1], &e))
		return 0;
	if (nctl_array_grow(&es->v, &es->cap, es->n, sizeof(e)) < 0)
		return -ENOMEM;
	es->v[es->n++] = e;
	return 0;
}

static void put_fields(struct nctl_json *j, const struct nctl_field_table *t, uint64_t mask)
{
	for (size_t i = 0; i < t->n; i++)
		if (mask & (UINT64_C(1) << i))
			nctl_json_str(j, t->v[i].key ? t->v[i].key : t->v[i].json ? t->v[i].json : "flags");
}

static void put_label(struct nctl_json *j, const struct entry *e)
{
	char label[NAME_MAX + 64];

	if (e->first.def)
		nctl_json_kstr(j, "label", e->first.def->label);
	else if (e->first.number == e->last.number)
		nctl_json_kstr(j, "label", e->first.op->name);
	else {
		snprintf(label, sizeof(label), "%.*s{%lu..%lu}", (int)e->first.stem, e->first.op->name,
			e->first.number, e->last.number);
		nctl_json_kstr(j, "label", label);
	}
}

/* Where the link is; absent for the daemon's own namespace, and where the entry is about namespaces. */
static void put_netns(struct nctl_json *j, const struct nctl_plan *p, const struct entry *e)
{
	if (is_of_netns(e->first.op))
		return;
	if (e->first.netns_def)
		nctl_json_kstr(j, "netns", e->first.netns_def->label);
	else if (p->netns[e->first.op->netns].name)
		nctl_json_kstr(j, "netns", p->netns[e->first.op->netns].name);
}

/* What was there is lost, even if it is made again: its queueing disciplines, forwarding entries, sockets. */
static bool is_for_good(const struct nctl_op *op)
{
	return op->type == NCTL_OP_LINK_DEL || op->type == NCTL_OP_NETNS_DEL;
}

static void put_entry(struct nctl_json *j, const struct nctl_plan *p, const struct entry *e)
{
	const struct nctl_op *first = e->first.op;
	const struct nctl_kind *k = first->want ? first->want->v.kind : NULL;
	const struct nctl_kind *port = first->want ? first->want->v.port_kind : NULL;

	nctl_json_obj_begin(j);
	nctl_json_kstr(j, "action", action_of(first));
	nctl_json_kstr(j, "object", object_of(first));
	nctl_json_kstr(j, "kind", first->kind);
	put_label(j, e);
	put_netns(j, p, e);
	nctl_json_ku64(j, "count", e->count);
	nctl_json_kstr(j, "class", nctl_change_class_name(e->cls));
	if (is_for_good(first))
		nctl_json_kstr(j, "undo", first->phase == NCTL_PHASE_REMOVE ? "last" : "never");
	if (first->type == NCTL_OP_LINK_SET) {
		nctl_json_key(j, "fields");
		nctl_json_arr_begin(j);
		put_fields(j, &nctl_link_fields, e->diff.common);
		if (k)
			put_fields(j, &k->data, e->diff.data);
		if (port)
			put_fields(j, &port->port, e->diff.port);
		nctl_json_arr_end(j);
	}
	nd_report_told_fields(j, first);
	put_pos(j, p->want, &first->pos);
	nctl_json_obj_end(j);
}

/*
 * Folded as they come, which makes one entry of a range; what interleaves is then sorted by what goes
 * together, folded again, and put back in the order of the plan.
 */
static int fold(const struct nctl_plan *p, struct entries *es)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < p->n_ops; i++)
		if (is_told_apart(p, &p->ops[i]))
			r = add_entry(es, p, &p->ops[i]);
	if (r < 0 || !es->n)
		return r;
	qsort(es->v, es->n, sizeof(*es->v), entry_cmp_told);
	for (size_t i = 1; i < es->n; i++)
		if (!join_entries(&es->v[n], &es->v[i]))
			es->v[++n] = es->v[i];
	es->n = n + 1;
	qsort(es->v, es->n, sizeof(*es->v), entry_cmp_place);
	return 0;
}

static void put_entries(struct nctl_json *j, const struct nctl_plan *p)
{
	struct entries es = {0};

	if (fold(p, &es) < 0)
		j->out->err = -ENOMEM;
	nctl_json_key(j, "entries");
	nctl_json_arr_begin(j);
	for (size_t i = 0; i < es.n && i < ENTRIES_MAX; i++)
		put_entry(j, p, &es.v[i]);
	nctl_json_arr_end(j);
	if (es.n > ENTRIES_MAX)
		nctl_json_ku64(j, "entries_left_out", es.n - ENTRIES_MAX);
	free(es.v);
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
	case NCTL_PROBLEM_FOREIGN_LOSS:
		return "foreign-loss";
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
	if (!is_of_netns(op) && p->netns[op->netns].name)
		nctl_json_kstr(j, "netns", p->netns[op->netns].name);
	nctl_json_ki64(j, "errno", -op->error);
	nctl_json_kstr(j, "error", why(op));
	if (op->text)
		nctl_json_kstr(j, op->by_kernel ? "kernel" : "detail", op->text);
	put_pos(j, p->want, &op->pos);
	nctl_json_obj_end(j);
}

/* What is left to do when it is confirmed. */
static void put_waiting(struct nctl_json *j, const struct nctl_plan *p, unsigned confirm_s)
{
	size_t held = 0;

	if (!confirm_s)
		return;
	for (size_t i = 0; i < p->n_ops; i++)
		held += p->ops[i].phase == NCTL_PHASE_REMOVE;
	nctl_json_ku64(j, "confirm_s", confirm_s);
	nctl_json_ku64(j, "held", held);
}

void nd_report_result(struct nctl_json *j, const char *state, uint64_t generation, const struct nctl_plan *p,
	const struct nctl_outcome *o, unsigned confirm_s)
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
	put_waiting(j, p, confirm_s);
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

/* What is told where there is no plan to tell of. */
void nd_report_state(struct nctl_json *j, const char *state, uint64_t generation)
{
	nctl_json_key(j, "result");
	nctl_json_obj_begin(j);
	nctl_json_kstr(j, "state", state);
	nctl_json_ku64(j, "generation", generation);
	nctl_json_obj_end(j);
}

void nd_report_first_change(const struct nctl_plan *p, struct nctl_strbuf *out)
{
	if (p->n_ops)
		nctl_strbuf_printf(out, "%s %s %s", action_of(&p->ops[0]), p->ops[0].kind, p->ops[0].name);
}

void nd_report_refusal(const struct nctl_plan *p, const struct nctl_op *op, struct nctl_strbuf *out)
{
	const char *file = pos_file(p->want, &op->pos);

	if (file)
		nctl_strbuf_printf(out, "%s:%u:%u: ", file, op->pos.line, op->pos.column);
	nctl_strbuf_printf(out, "%s %s%s%s %s", action_of(op), nd_report_is_told(op) ? object_of(op) : "",
		nd_report_is_told(op) ? " of " : "", op->kind, op->name);
	if (!is_of_netns(op) && p->netns[op->netns].name)
		nctl_strbuf_printf(out, " in %s", p->netns[op->netns].name);
	nctl_strbuf_printf(out, ": %s", why(op));
	if (op->text)
		nctl_strbuf_printf(out, op->by_kernel ? " (the kernel says: %s)" : ", %s", op->text);
}

void nd_report_first_refusal(const struct nctl_plan *p, struct nctl_strbuf *out)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		if (!is_failure(&p->ops[i]))
			continue;
		nd_report_refusal(p, &p->ops[i], out);
		return;
	}
}

void nd_report_first_error(const struct nd_diagnostics *d, struct nctl_strbuf *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct nd_diagnostic *e = &d->v[i];

		if (e->severity != ND_ERROR)
			continue;
		if (e->file && e->line)
			nctl_strbuf_printf(out, "%s:%u:%u: ", e->file, e->line, e->column);
		else if (e->file)
			nctl_strbuf_printf(out, "%s: ", e->file);
		nctl_strbuf_puts(out, e->message);
		return;
	}
}

void nd_report_first_problem(const struct nctl_plan *p, struct nctl_strbuf *out)
{
	for (size_t i = 0; i < p->n_problems; i++) {
		const struct nctl_problem *pr = &p->problems[i];
		const char *file = pos_file(p->want, &pr->pos);

		if (pr->type == NCTL_PROBLEM_WAIT)
			continue;
		if (file)
			nctl_strbuf_printf(out, "%s:%u:%u: ", file, pr->pos.line, pr->pos.column);
		nctl_strbuf_puts(out, pr->text);
		return;
	}
}

void nd_report_waits(const struct nctl_plan *p, struct nctl_strbuf *out)
{
	for (size_t i = 0; i < p->n_problems; i++)
		if (p->problems[i].type == NCTL_PROBLEM_WAIT)
			nctl_strbuf_printf(out, "%s\n", p->problems[i].text);
}
