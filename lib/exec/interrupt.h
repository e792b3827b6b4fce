/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "exec/hub.h"

/* What may be done to a run that is on. */

/*
 * Lets another run pass: idle is called once as soon as the run that is on, if any, has nothing on its way
 * (it does not send more until then), perhaps from inside this call; then nctl_hub_run takes another plan,
 * and the first one goes on with nctl_hub_resume. idle only marks work. What a run is told meanwhile of
 * namespaces that are gone it knows.
 */
void nctl_hub_interrupt(struct nctl_hub *h, void (*idle)(void *userdata), void *userdata);
void nctl_hub_resume(struct nctl_hub *h);
/* The run of that plan, if there is one, sends no more, and ends with -ECANCELED when all is answered for. */
void nctl_hub_stop(struct nctl_hub *h, const struct nctl_plan *plan);
/*
 * The same of a script, but it ends well, and where a line ends: before an operation with another pos.line
 * than the one before it. What was not sent is PENDING.
 */
void nctl_hub_cut(struct nctl_hub *h, const struct nctl_plan *plan);
/* How many of its operations are dealt with or on their way; 0: it is not on. */
void nctl_hub_get_progress(const struct nctl_hub *h, const struct nctl_plan *plan, size_t *ret_done);
