/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The pool of namespaces that the helper keeps ready. It fills it by itself while nothing else is to be
 * done; here is only how many there should be, which each new helper is told, and how many there are, which
 * it is asked again and again until the pool is full.
 */
#include "netns/private.h"

#include <errno.h>
#include <string.h>

#include "log/log.h"

enum { ASK_MS = 20 };

static void on_pool(const struct nd_helper_answer *a, void *userdata)
{
	struct nd_netns_set *s = userdata;

	if (a->error == -ECANCELED)
		return;
	s->pool_ready = a->error ? 0 : (unsigned)nctl_max(a->nsid, 0);
	if (a->error && a->error != -EPIPE)
		nd_warn("cannot keep network namespaces ready: %s", a->text ? a->text : strerror(-a->error));
	else if (!a->error && s->pool_ready < s->pool)
		s->pool_at = nctl_time_add_ms(nctl_time_now(), ASK_MS);
}

static void ask(struct nd_netns_set *s)
{
	s->pool_at = NCTL_TIME_NEVER;
	if (s->helper && nd_helper_is_alive(s->helper))
		nd_helper_pool(s->helper, s->pool, on_pool, s);
}

void nd_netns_pool(struct nd_netns_set *s, unsigned n)
{
	bool changed = s->pool || n;

	s->pool = n;
	if (changed)
		ask(s);
}

unsigned nd_netns_pool_ready(const struct nd_netns_set *s)
{
	return s->pool_ready;
}

void nd_netns_pool_taken(struct nd_netns_set *s)
{
	if (!s->pool)
		return;
	s->pool_ready -= s->pool_ready > 0;
	s->pool_at = nctl_time_add_ms(nctl_time_now(), ASK_MS);
}

void nd_netns_pool_chores(struct nd_netns_set *s, nctl_time now)
{
	if (nctl_time_cmp(now, s->pool_at) >= 0)
		ask(s);
}
