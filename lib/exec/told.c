/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: operations of a plan that are told to a driver or to WireGuard, as jobs of device.h. Each is answered
 * when what reads back is what was wanted.
 */
#include <errno.h>
#include <stdlib.h>

#include "exec/device.h"
#include "exec/private.h"

struct telling {
	struct nctl_device_job job;
	struct nctl_hub *hub;
	const struct nctl_plan *plan;
	uint32_t i;
};

static void told(struct nctl_device_job *j)
{
	struct telling *t = j->userdata;
	struct nctl_hub *h = t->hub;
	struct run *run = &h->run;

	/* The hub may be about to end. */
	if (run->plan == t->plan) {
		run->plan->ops[t->i].by_kernel = j->by_kernel;
		nctl_hub_op_done(h, t->i, j->error, j->text);
	}
	nctl_device_job_fini(j);
	free(t);
}

static int tell(struct nctl_hub *h, const struct nctl_op *op, struct telling *t)
{
	struct nctl_session *s = h->run.sessions[op->netns];

	t->job.ifindex = op->ifindex;
	t->job.done = told;
	t->job.userdata = t;
	if (op->type == NCTL_OP_WG_SET) {
		t->job.want_wg = op->wg;
		t->job.have_wg = op->old_wg;
		return nctl_device_wireguard(h, s, &t->job);
	}
	t->job.groups = 1u << op->group;
	t->job.want = op->ethtool;
	return nctl_device_ethtool(h, s, &t->job);
}

bool nctl_run_tell(struct nctl_hub *h, uint32_t i)
{
	const struct nctl_op *op = &h->run.plan->ops[i];
	struct telling *t;
	int r;

	if (op->type != NCTL_OP_ETHTOOL_SET && op->type != NCTL_OP_WG_SET)
		return false;
	t = calloc(1, sizeof(*t));
	r = t ? 0 : -ENOMEM;
	if (r == 0) {
		t->hub = h;
		t->plan = h->run.plan;
		t->i = i;
		r = tell(h, op, t);
	}
	if (r < 0) {
		if (t)
			nctl_device_job_fini(&t->job);
		free(t);
		nctl_hub_op_done(h, i, r, NULL);
	}
	return true;
}
