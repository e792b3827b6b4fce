/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Subscribers that may come and go while they are being called.
 *
 * Each notification under way has a walk on its stack frame, known to the list. A walk
 * holds the subscriber to call next; removing that one pushes every walk that points to it
 * one further. Rounds are numbered: a subscriber born in round r is called from
 * round r + 1 on, in the outer rounds of a nested notification too.
 */
#include "base/subs.h"

struct nctl_subs_walk {
	struct nctl_subs_walk *outer;
	struct nctl_list
		*next; /* the list's head at the end; NULL: the list is gone, its memory perhaps too */
};

void nctl_subs_init(struct nctl_subs *list)
{
	nctl_list_init(&list->subs);
	list->walks = NULL;
	list->round = 0;
}

void nctl_subs_fini(struct nctl_subs *list)
{
	struct nctl_subs_walk *walk;
	struct nctl_list *pos;

	while ((pos = nctl_list_first(&list->subs)))
		nctl_sub_remove(nctl_list_entry(pos, struct nctl_sub, link));
	for (walk = list->walks; walk; walk = walk->outer)
		walk->next = NULL;
	list->walks = NULL;
}

void nctl_subs_add(struct nctl_subs *list, struct nctl_sub *sub, nctl_sub_fn fn, void *userdata)
{
	sub->list = list;
	sub->fn = fn;
	sub->userdata = userdata;
	sub->born = list->round;
	nctl_list_add_tail(&list->subs, &sub->link);
}

void nctl_sub_remove(struct nctl_sub *sub)
{
	struct nctl_subs_walk *walk;

	if (!sub->list)
		return;
	for (walk = sub->list->walks; walk; walk = walk->outer)
		if (walk->next == &sub->link)
			walk->next = sub->link.next;
	nctl_list_del(&sub->link);
	sub->list = NULL;
}

void nctl_subs_notify(struct nctl_subs *list, const void *arg)
{
	uint64_t round = ++list->round;
	struct nctl_subs_walk walk = {list->walks, list->subs.next};
	struct nctl_sub *sub;

	list->walks = &walk;
	while (walk.next && walk.next != &list->subs) {
		sub = nctl_list_entry(walk.next, struct nctl_sub, link);
		/* Those behind are younger still. */
		if (sub->born >= round)
			break;
		walk.next = walk.next->next;
		sub->fn(sub->userdata, arg);
	}
	if (walk.next)
		list->walks = walk.outer;
}
