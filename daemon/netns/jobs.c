/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: groups of names (work.c) as jobs: numbered, shown, and cancelled. */
#include "netns/jobs.h"

#include <errno.h>

#include "netns/private.h"

uint64_t nd_netns_job_number(struct nd_netns_set *s)
{
	return ++s->job_number;
}

void nd_netns_job_name(struct nd_netns_set *s, const void *userdata)
{
	struct nctl_list *pos;

	nctl_list_for_each(pos, &s->groups) {
		struct netns_group *g = nctl_list_entry(pos, struct netns_group, link);

		if (g->userdata == userdata && !g->number)
			g->number = nd_netns_job_number(s);
	}
}

bool nd_netns_job_at(const struct nd_netns_set *s, size_t i, struct nd_netns_job *ret)
{
	struct nctl_list *pos;

	nctl_list_for_each(pos, &s->groups) {
		const struct netns_group *g = nctl_list_entry(pos, struct netns_group, link);

		if (!g->number || i--)
			continue;
		*ret = (struct nd_netns_job){
			.number = g->number,
			.del = g->del,
			.done = g->answered,
			.total = g->n,
			.userdata = g->done ? g->userdata : NULL,
			.began = g->began,
		};
		return true;
	}
	return false;
}

bool nd_netns_job_cancel(struct nd_netns_set *s, uint64_t number)
{
	struct nctl_list *pos;

	nctl_list_for_each(pos, &s->groups) {
		struct netns_group *g = nctl_list_entry(pos, struct netns_group, link);

		if (g->number != number)
			continue;
		nd_netns_work_cancel(s, g);
		return true;
	}
	return false;
}
