/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: damping: how often one wanted link is brought back. What drifts again and again is put off for longer
 * each time, up to a minute, and so is what the kernel refuses; after a quiet time all is forgotten. Others
 * are not held up by it.
 */
#include "reconcile/private.h"

#include <stdlib.h>
#include <string.h>

enum {
	FREE_REPAIRS = 6, /* at once: accidents of a clumsy hand */
	DOUBT_MS = 50,
	FIRST_MS = 1000,
	LONGEST_MS = 60 * 1000,
	QUIET_MS = 10 * 1000, /* after the time for which it was put off */
	HELPED_MS = 1000,     /* a refused one, after something came that it may have lacked */
};

struct care *nd_care_of(const struct drift *d, const struct nctl_want_link *w)
{
	return &d->cares[nd_drift_slot(d, w)];
}

bool nd_care_is_held(const struct care *c, nctl_time now)
{
	return c->until.usec && nctl_time_cmp(now, c->until) < 0;
}

static uint64_t delay_ms(uint32_t times)
{
	uint64_t ms = FIRST_MS;

	while (--times && ms < LONGEST_MS)
		ms *= 2;
	return ms < LONGEST_MS ? ms : LONGEST_MS;
}

static void count(struct care *c, nctl_time now)
{
	nctl_time end = c->until.usec ? c->until : c->at;

	if (c->times && nctl_time_cmp(now, nctl_time_add_ms(end, QUIET_MS)) > 0)
		c->times = 0;
	c->times++;
	c->seen = false;
	c->at = now;
}

static void give_up_reason(struct drift *d, struct care *c)
{
	d->n_refused -= c->refused;
	c->refused = c->blocked = c->doubted = false;
	free(c->reason);
	c->reason = NULL;
}

void nd_care_repaired(struct drift *d, struct care *c, nctl_time now)
{
	give_up_reason(d, c);
	count(c, now);
	c->met = true;
	c->until = (nctl_time){0};
	if (c->times >= FREE_REPAIRS)
		c->until = nctl_time_add_ms(now, delay_ms(c->times - FREE_REPAIRS + 1));
}

bool nd_care_doubts(struct care *c, nctl_time now)
{
	c->doubted = !c->doubted && !c->refused;
	if (c->doubted)
		c->until = nctl_time_add_ms(now, DOUBT_MS);
	return c->doubted;
}

void nd_care_refused(struct drift *d, struct care *c, nctl_time now, const char *reason)
{
	give_up_reason(d, c);
	count(c, now);
	c->until = nctl_time_add_ms(now, delay_ms(c->times));
	c->refused = true;
	c->reason = strdup(reason); /* without memory, it has none */
	d->n_refused++;
}

void nd_care_blocked(struct drift *d, struct care *c, const char *reason)
{
	give_up_reason(d, c);
	c->blocked = true;
	c->reason = strdup(reason);
}

void nd_care_fine(struct drift *d, struct care *c)
{
	give_up_reason(d, c);
	c->told = false;
	c->met = true;
}

nctl_time nd_care_help(struct drift *d, nctl_time now)
{
	nctl_time next = NCTL_TIME_NEVER;

	for (size_t i = 0; d->n_refused && i <= d->want->n_links; i++) {
		struct care *c = &d->cares[i];
		nctl_time soon = nctl_time_add_ms(c->at, HELPED_MS);

		if (!c->refused)
			continue;
		if (nctl_time_cmp(soon, c->until) < 0)
			c->until = nctl_time_cmp(soon, now) < 0 ? now : soon;
		if (nctl_time_cmp(c->until, next) < 0)
			next = c->until;
	}
	return next;
}

nctl_time nd_care_next(const struct drift *d, nctl_time now)
{
	nctl_time next = NCTL_TIME_NEVER;

	for (size_t i = 0; i <= d->want->n_links; i++)
		if (nd_care_is_held(&d->cares[i], now) && nctl_time_cmp(d->cares[i].until, next) < 0)
			next = d->cares[i].until;
	return next;
}

void nd_cares_free(struct drift *d)
{
	for (size_t i = 0; d->cares && i <= d->want->n_links; i++)
		free(d->cares[i].reason);
	free(d->cares);
	d->cares = NULL;
	d->n_refused = 0;
}
