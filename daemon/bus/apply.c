/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: How to apply, as a client says it: flags, and options by name, so that older clients need not know
 * newer ones. And the two words that end an apply that waits, confirm and rollback; and drift,
 * a plan without a question.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bus/apply.h"

#define APPLY_FLAGS                                                                                          \
	((unsigned)ND_APPLY_KEEP_GOING | (unsigned)ND_APPLY_ALLOW_RECREATE |                                 \
		(unsigned)ND_APPLY_ALLOW_FOREIGN_LOSS | (unsigned)ND_APPLY_NO_GUARD)

enum { CONFIRM_SECONDS_MAX = 24 * 3600 };

static int invalid(sd_bus_error *error, const char *key, const char *value)
{
	return sd_bus_error_setf(
		error, ND_BUS_ERROR "InvalidOption", "Option %.64s cannot be \"%.64s\".", key, value);
}

static int read_seconds(const char *key, const char *value, unsigned *ret, sd_bus_error *error)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (errno || end == value || *end || *value < '0' || *value > '9' || !n || n > CONFIRM_SECONDS_MAX)
		return invalid(error, key, value);
	*ret = (unsigned)n;
	return 0;
}

static int read_option(const char *key, const char *value, struct nd_apply *how, sd_bus_error *error)
{
	if (strcmp(key, "confirm") == 0)
		return read_seconds(key, value, &how->confirm_s, error);
	if (strcmp(key, "session-peer") == 0)
		return nctl_addr_parse(value, &how->peer) == 0 ? 0 : invalid(error, key, value);
	if (strcmp(key, "session-local") == 0)
		return nctl_addr_parse(value, &how->local) == 0 ? 0 : invalid(error, key, value);
	return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidOption", "There is no option %.64s.", key);
}

int nd_read_apply(sd_bus_message *m, struct nd_apply *ret, sd_bus_error *error)
{
	const char *key, *value;
	int r = sd_bus_message_read(m, "u", &ret->flags);

	if (r >= 0 && (ret->flags & ~APPLY_FLAGS))
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "InvalidFlags", "Unknown flags 0x%x.", ret->flags & ~APPLY_FLAGS);
	if (r >= 0)
		r = sd_bus_message_enter_container(m, 'a', "{ss}");
	while (r >= 0 && (r = sd_bus_message_read(m, "{ss}", &key, &value)) > 0)
		r = read_option(key, value, ret, error);
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

typedef int (*job_fn)(
	struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata), void *userdata);

/* A job without arguments. */
static int start(struct nd_client *c, sd_bus_message *m, job_fn job, sd_bus_error *error)
{
	struct nd_call *call;
	int r = nd_call_new(c, m, error, &call);

	if (r < 0)
		return r;
	/* The answer may come, and call be gone, before this returns. */
	r = job(c->bus->reconcile, nd_call_finished, call);
	if (r < 0) {
		nd_call_free(call);
		return nd_explain(r, error);
	}
	return 1;
}

int nd_method_drift(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return start(userdata, m, nd_reconcile_drift, error);
}

/* Both alike. */
static int end_waiting(struct nd_client *c, sd_bus_message *m, job_fn job, sd_bus_error *error)
{
	int r = nd_allow_change(c, error);

	return r < 0 ? r : start(c, m, job, error);
}

int nd_method_confirm(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return end_waiting(userdata, m, nd_reconcile_confirm, error);
}

int nd_method_rollback(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return end_waiting(userdata, m, nd_reconcile_rollback, error);
}
