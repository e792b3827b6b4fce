/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "bus/private.h"

/* What applies configurations, and ends an apply that waits. */

/* method.c */
/* What the reconciler could not do, in words; the error is the result in any case. */
int nd_explain(int r, sd_bus_error *error);
void nd_call_finished(const char *json, size_t len, void *userdata); /* an answer of the reconciler */

/* apply.c */
int nd_read_apply(sd_bus_message *m, struct nd_apply *ret, sd_bus_error *error); /* the arguments ua{ss} */
/* The argument a(sh): 0, ND_CONFIG_INVALID with the reasons in diag, or -errno. */
struct nd_config_texts;
struct nd_diagnostics;
int nd_read_files(const struct nd_client *c, sd_bus_message *m, struct nd_config_texts *texts,
	struct nd_diagnostics *diag, sd_bus_error *error);
int nd_answer_diagnostics(sd_bus_message *m, const struct nd_diagnostics *diag);
/* The same of a call that changes something. 0, 1: it was answered with the reasons; or -errno. */
int nd_read_change(
	const struct nd_client *c, sd_bus_message *m, struct nd_config_texts *texts, sd_bus_error *error);
int nd_method_jobs(sd_bus_message *m, void *userdata, sd_bus_error *error); /* jobs.c */
int nd_method_cancel(sd_bus_message *m, void *userdata, sd_bus_error *error);
int nd_method_batch(sd_bus_message *m, void *userdata, sd_bus_error *error); /* batch.c */
int nd_method_drift(sd_bus_message *m, void *userdata, sd_bus_error *error);
int nd_method_confirm(sd_bus_message *m, void *userdata, sd_bus_error *error);
int nd_method_rollback(sd_bus_message *m, void *userdata, sd_bus_error *error);
