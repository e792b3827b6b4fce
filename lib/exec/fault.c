/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: makes a run fail at one of its steps, for tests of the way back (tests/live/matrix.py). A release has
 * none of it.
 */
#include "exec/fault.h"

#include <errno.h>
#include <signal.h>

#include "exec/private.h"

#ifdef NCTL_TEST_FAULTS
void nctl_hub_fault(struct nctl_hub *h, enum nctl_fault_type type, size_t n)
{
	h->fault = (struct nctl_fault){type, n};
}

enum nctl_fault_says nctl_run_fault(struct nctl_hub *h, const struct run_batch *rb)
{
	struct nctl_fault *f = &h->run.fault;

	if (f->type == NCTL_FAULT_NONE)
		return NCTL_FAULT_GO_ON;
	/* What is before it has been done. */
	if (f->type == NCTL_FAULT_KILL && (rb->n || h->run.in_flight || h->run.ops_in_flight))
		return NCTL_FAULT_WAIT;
	if (--f->n)
		return NCTL_FAULT_GO_ON;
	if (f->type == NCTL_FAULT_KILL)
		raise(SIGKILL);
	f->type = NCTL_FAULT_NONE;
	return NCTL_FAULT_FAIL;
}
#endif
