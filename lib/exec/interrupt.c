/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a run that lets another one pass. It goes on with nothing new; when all that is on its way is answered
 * for, it is put aside as it is, whatever it waits for, and the hub has none. Nothing of it is known to the
 * kernel that the run itself does not know.
 */
#include "exec/interrupt.h"
#include "exec/private.h"

#include <errno.h>

void nctl_hub_interrupt(struct nctl_hub *h, void (*idle)(void *userdata), void *userdata)
{
	h->idle = idle;
	h->idle_userdata = userdata;
	nctl_run_make_way(h);
}

/* Is the way free? Then whoever wants it is told. */
bool nctl_run_make_way(struct nctl_hub *h)
{
	void (*idle)(void *userdata) = h->idle;

	if (!idle || h->run.in_flight || h->run.ops_in_flight || h->run.sending)
		return false;
	if (h->run.plan && h->aside.plan)
		return false; /* one that has pushed the other aside goes on to its end */
	h->idle = NULL;
	if (h->run.plan)
		h->aside = h->run;
	h->run = (struct run){0};
	idle(h->idle_userdata);
	return true;
}

void nctl_hub_resume(struct nctl_hub *h)
{
	if (h->run.plan || !h->aside.plan)
		return;
	h->run = h->aside;
	h->aside = (struct run){0};
	nctl_run_back(h);
	nctl_run_advance(h);
}

void nctl_hub_stop(struct nctl_hub *h, const struct nctl_plan *plan)
{
	struct run *run = h->run.plan == plan ? &h->run : h->aside.plan == plan ? &h->aside : NULL;

	if (!run || !plan)
		return;
	run->stopping = true;
	run->outcome.status = -ECANCELED;
	if (run == &h->run && !run->sending)
		nctl_run_advance(h);
}

void nctl_hub_cut(struct nctl_hub *h, const struct nctl_plan *plan)
{
	if (h->run.plan == plan && plan)
		h->run.cutting = true;
}

void nctl_hub_get_progress(const struct nctl_hub *h, const struct nctl_plan *plan, size_t *ret_done)
{
	const struct run *run = h->run.plan == plan ? &h->run : h->aside.plan == plan ? &h->aside : NULL;

	*ret_done = !run || !plan ? 0 : run->again ? plan->n_ops : run->cursor;
}
