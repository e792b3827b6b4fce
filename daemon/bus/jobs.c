/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Jobs and Cancel: what the daemon is busy with, for whom, and an end to it. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "bus/apply.h"

/* Which process waits for what was given this userdata: a call of one of the clients. */
static int pid_of(const void *userdata, void *arg)
{
	const struct nd_bus *b = arg;
	const struct nctl_list *c, *pos;

	nctl_list_for_each(c, &b->clients) {
		const struct nd_client *client = nctl_list_entry(c, struct nd_client, link);

		nctl_list_for_each(pos, &client->calls)
			if (nctl_list_entry(pos, struct nd_call, link) == userdata)
				return (int)client->pid;
	}
	return 0;
}

int nd_method_jobs(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_client *c = userdata;

	if (!nd_reconcile_is_ready(c->bus->reconcile))
		return nd_not_ready(error);
	nd_reconcile_jobs(c->bus->reconcile, pid_of, c->bus, &out);
	return out.err ? out.err : sd_bus_reply_method_return(m, "s", nctl_strbuf_str(&out));
}

int nd_method_cancel(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct nd_client *c = userdata;
	const char *number;
	uint64_t n;
	int r = nd_allow_change(c, error);

	if (r >= 0)
		r = sd_bus_message_read(m, "s", &number);
	if (r < 0)
		return r;
	if (nctl_parse_u64(number, 10, &n) < 0)
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "InvalidOption", "\"%.32s\" is no number of a job.", number);
	r = nd_reconcile_cancel(c->bus->reconcile, n);
	if (r == -ENOENT)
		return sd_bus_error_setf(error, ND_BUS_ERROR "NotFound", "There is no job %.32s.", number);
	if (r == -EBUSY)
		return sd_bus_error_setf(error, ND_BUS_ERROR "NotFound",
			"Job %.32s cannot be cancelled: it is on its way back, or it is the daemon's own.",
			number);
	return r < 0 ? r : sd_bus_reply_method_return(m, "s", "{\"exit\":0}");
}
