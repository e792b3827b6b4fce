/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "netns/netns.h"

/* Making and deleting of names as jobs that people can see and cancel; and the numbers of all jobs. */

struct nd_netns_job {
	uint64_t number;
	bool del;
	size_t done, total;
	void *userdata; /* as given to nd_netns_create; NULL: nobody waits for it */
	nctl_time began;
};

/* One more number, which no job had. */
uint64_t nd_netns_job_number(struct nd_netns_set *s);
/* What was begun last with this userdata is a job of its own. */
void nd_netns_job_name(struct nd_netns_set *s, const void *userdata);
/* The i-th of them; false: there are no more. */
bool nd_netns_job_at(const struct nd_netns_set *s, size_t i, struct nd_netns_job *ret);
/* Names that the helper was not asked for yet are answered with -ECANCELED; done may be called from inside.
 * False: there is no such job. */
bool nd_netns_job_cancel(struct nd_netns_set *s, uint64_t number);
