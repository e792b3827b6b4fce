/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: confirms parts of a mirror that is in step otherwise. The kernel makes some changes without a word;
 * lib/mirror predicts them and names what must be dumped to be sure. That waits until the events of the same
 * change are read, then for a pause that doubles while changes go on, and one such dump is on its way at a
 * time; what comes meanwhile is gathered, and becomes whole types when it is much. The session counts as in
 * step all the time. A round of dumps makes all of it unnecessary.
 */
#include "exec/private.h"

#include <errno.h>

enum { GATHER_MAX = 256 }; /* scopes taken at once */

void nctl_scopes_init(struct nctl_session *s)
{
	nctl_list_init(&s->scopes.due);
}

void nctl_scopes_fini(struct nctl_session *s)
{
	nctl_list_del(&s->scopes.due);
}

/* Drops those that scope covers. */
static void absorb(struct scopes *c, const struct nctl_dump_scope *scope)
{
	c->n = nctl_dump_scopes_absorb(c->v, c->n, scope);
}

void nctl_scopes_forget(struct nctl_session *s, nctl_ifindex oif)
{
	struct scopes *c = &s->scopes;

	c->n = nctl_dump_scopes_forget(c->v, c->n, oif);
	if (c->n)
		return;
	nctl_list_del(&c->due);
	if (s->sync.state == SYNC_DONE)
		nctl_sync_stop_waiting(s); /* there is nothing more to wait for: the wake-up is saved */
}

/* Too many: whole types instead. There are fewer types, and VLANs, than places. */
static void widen(struct scopes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct nctl_dump_scope whole = {.type = c->v[0].type, .vlans = c->v[0].vlans};

		absorb(c, &whole);
		c->v[c->n++] = whole;
	}
}

void nctl_scopes_add(struct nctl_session *s, const struct nctl_dump_scope *scope)
{
	struct scopes *c = &s->scopes;

	for (size_t i = 0; i < c->n; i++)
		if (nctl_dump_scope_covers(&c->v[i], scope))
			return;
	absorb(c, scope);
	if (c->n == NCTL_SCOPES) {
		widen(c);
		nctl_scopes_add(s, scope);
		return;
	}
	c->v[c->n++] = *scope;
	nctl_turn_touch(s);
}

void nctl_scopes_due(struct nctl_session *s)
{
	nctl_fence_set(s->hub, &s->scopes.fence);
	if (!nctl_list_linked(&s->scopes.due))
		nctl_list_add_tail(&s->hub->suspects, &s->scopes.due);
}

static void schedule(struct nctl_session *s)
{
	struct scopes *c = &s->scopes;
	nctl_time now = nctl_hub_now(s->hub), at;

	if (!c->n || c->dumping || s->sync.state != SYNC_DONE || s->sync.waits || nctl_list_linked(&c->due))
		return;
	at = nctl_backoff_next(&c->backoff, now);
	if (nctl_time_cmp(at, now) <= 0)
		nctl_scopes_due(s);
	else
		nctl_sync_wait(s, at);
}

void nctl_scopes_gather(struct nctl_session *s)
{
	struct nctl_dump_scope scope;
	size_t n = 0;

	while (n < GATHER_MAX && nctl_mirror_next_suspect(s->mirror, &scope)) {
		nctl_scopes_add(s, &scope);
		n++;
	}
	if (n == GATHER_MAX)
		nctl_turn_touch(s);
	else
		nctl_list_del(&s->touched); /* as adding did */
	schedule(s);
}

void nctl_scopes_abandon(struct nctl_session *s, bool all)
{
	struct scopes *c = &s->scopes;

	nctl_list_del(&c->due);
	if (c->dumping) {
		nctl_mirror_dump_end(s->mirror, false);
		s->sync.ticket->session = NULL;
		s->sync.ticket = NULL;
		c->dumping = false;
		nctl_scopes_add(s, &c->now);
	}
	if (all)
		c->n = 0;
}

void nctl_scopes_over(struct nctl_session *s, const struct nctl_result *r)
{
	struct scopes *c = &s->scopes;
	int status = nctl_request_is_empty(&c->now, r) ? 0 : r->status;

	c->dumping = false;
	nctl_mirror_dump_end(s->mirror, status == 0);
	nctl_turn_touch(s);
	if (status == -ENOENT && s != s->hub->home) {
		nctl_hub_find_gone(s->hub, s);
		return;
	}
	if (status < 0) {
		s->retries++;
		nctl_scopes_add(s, &c->now);
	} else {
		s->scoped++;
		s->hub->scoped++;
	}
	schedule(s);
}

static bool start(struct nctl_session *s)
{
	struct scopes *c = &s->scopes;

	c->now = c->v[0];
	if (!nctl_sync_dump(s, &c->now))
		return false;
	c->dumping = true;
	c->n--;
	for (size_t i = 0; i < c->n; i++)
		c->v[i] = c->v[i + 1];
	return true;
}

/* Behind the rounds: who is not in step at all comes first. */
void nctl_scopes_advance(struct nctl_hub *h)
{
	struct nctl_list *n, *next;

	for (n = nctl_list_first(&h->suspects); n && !h->shut && h->dumping < NCTL_DUMPS_IN_FLIGHT;
		n = next) {
		struct nctl_session *s = nctl_list_entry(n, struct nctl_session, scopes.due);

		next = n->next == &h->suspects ? NULL : n->next;
		/* A dump waits for the mirror's work. */
		if (!nctl_fence_is_passed(h, &s->scopes.fence) || nctl_list_linked(&s->touched))
			continue;
		nctl_list_del(n);
		if (s->scopes.n && !start(s))
			schedule(s);
	}
}

bool nctl_scopes_pending(const struct nctl_session *s, enum nctl_object_type type)
{
	for (size_t i = 0; i < s->scopes.n; i++)
		if (s->scopes.v[i].type == type)
			return true;
	return s->scopes.dumping && s->scopes.now.type == type;
}
