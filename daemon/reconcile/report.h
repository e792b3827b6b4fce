/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/json.h"
#include "config/config.h"
#include "exec/hub.h"

/* Answers as JSON text, and their sentences. Internal to daemon/reconcile. */
enum { ND_EXIT_FINE, ND_EXIT_DIFFERENT, ND_EXIT_CONFIG, ND_EXIT_NO_DAEMON, ND_EXIT_REFUSED, ND_EXIT_TIMEOUT };
void nd_report_begin(struct nctl_json *j, struct nctl_strbuf *out, int exit_status, const char *error);
void nd_report_diagnostics(struct nctl_json *j, const struct nd_diagnostics *d);
void nd_report_plan(struct nctl_json *j, const struct nctl_plan *p);
void nd_report_result(struct nctl_json *j, const char *state, uint64_t generation, const struct nctl_plan *p,
	const struct nctl_outcome *o, unsigned confirm_s);
void nd_report_state(struct nctl_json *j, const char *state, uint64_t generation);
void nd_report_end(struct nctl_json *j);
/* "foo.yaml:3:1: create vlan foo.3: File exists (the kernel says: ...)" of one operation. */
void nd_report_refusal(const struct nctl_plan *p, const struct nctl_op *op, struct nctl_strbuf *out);
/* "foo.yaml:3:1: create vlan foo.3: File exists (the kernel says: …)" of the first refusal, for the log; ""
 * without one. */
void nd_report_first_refusal(const struct nctl_plan *p, struct nctl_strbuf *out);
/* The same of the first error in a configuration, and of the first problem that blocks a plan. */
void nd_report_first_error(const struct nd_diagnostics *d, struct nctl_strbuf *out);
void nd_report_first_problem(const struct nctl_plan *p, struct nctl_strbuf *out);
/* The first operation of a plan. */
void nd_report_first_change(const struct nctl_plan *p, struct nctl_strbuf *out);
/* The sentences of WAIT problems, a line each. */
void nd_report_waits(const struct nctl_plan *p, struct nctl_strbuf *out);
/* told.c: is it told to a driver, or to WireGuard? And the "fields" that it sets, also of VLANs; nothing of others. */
bool nd_report_is_told(const struct nctl_op *op);
void nd_report_told_fields(struct nctl_json *j, const struct nctl_op *op);
