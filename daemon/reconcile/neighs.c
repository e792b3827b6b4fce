/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: neighbours that a plan needs to know. They are not mirrored, so the kernel is asked, namespace by
 * namespace, where the configuration names some, or the accepted one did: once for neighbours, once for
 * proxies. What was learnt is left out as it comes. Without an answer, a plan leaves neighbours alone.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>

#include "base/array.h"
#include "codec/route.h"
#include "exec/live.h"
#include "plan/want-route.h"

enum { NEIGHS_MAX = 1 << 20 };

static bool names_some(const struct nctl_want_netns *w)
{
	return w && w->routing && w->routing->n_neighs;
}

/* Of the accepted configuration, the namespace of that name. */
static const struct nctl_want_netns *accepted(const struct nd_reconcile *r, const char *name)
{
	const struct nctl_want *want = r->drift.want;

	if (!want)
		return NULL;
	return name ? nctl_want_netns_find(want, name) : want->netns[0];
}

static struct nctl_session *session_of(struct nd_reconcile *r, const struct nctl_want_netns *w)
{
	const struct nd_netns *n = w->name ? nd_netns_find(r->netns, w->name) : NULL;

	if (!w->name)
		return nctl_hub_home(r->hub);
	return n ? nd_netns_session(n) : NULL;
}

static int ask(struct gather *g)
{
	const struct ndmsg ndm = {.ndm_family = AF_UNSPEC, .ndm_flags = g->proxies ? NTF_PROXY : 0};
	_Alignas(4) uint8_t room[64];
	struct nctl_msgbuf m;

	nctl_msgbuf_init(&m, room, sizeof(room));
	nctl_msg_begin(&m, RTM_GETNEIGH, NLM_F_DUMP, &ndm, sizeof(ndm));
	return nctl_msg_commit(&m, 0) == 0 ? nctl_live_ask(g->live, &m) : -EMSGSIZE;
}

static int keep(struct nd_neighs *list, const struct nctl_neigh *n)
{
	if (n->family != AF_INET && n->family != AF_INET6)
		return 0;
	if (n->protocol != NCTL_PROTO && !(n->state & NUD_PERMANENT) && !(n->flags & NTF_PROXY))
		return 0; /* learnt */
	if (list->n >= NEIGHS_MAX)
		return -E2BIG;
	if (nctl_array_grow(&list->v, &list->cap, list->n, sizeof(*list->v)) < 0)
		return -ENOMEM;
	list->v[list->n] = *n;
	list->v[list->n++].rest = NCTL_BYTES_NULL;
	return 0;
}

/* What has come. NCTL_LIVE_WAIT, 0: all of it, -errno. */
static int read_answer(struct gather *g)
{
	struct nctl_route_scratch scratch = NCTL_ROUTE_SCRATCH_INIT;
	const struct nlmsghdr *nlh;
	struct nctl_neigh n;
	int r = 0;

	while (r == 0 && (nlh = nctl_live_next(g->live, &r))) {
		r = nctl_neigh_decode(nlh, &scratch, &n) == 0 ? keep(&g->neighs[g->neigh_next], &n) : 0;
	}
	nctl_route_scratch_fini(&scratch);
	return r;
}

static void on_ready(void *userdata)
{
	struct nd_reconcile *r = userdata;

	if (!r->closing && r->step == STEP_LOOKING)
		nd_gather_look(r);
}

static int begin(struct nd_reconcile *r, struct gather *g, struct nctl_session *s)
{
	int e = nctl_live_new(r->hub, s, on_ready, r, &g->live);

	g->proxies = false;
	return e < 0 ? e : ask(g);
}

static int cmp_link(const void *x, const void *y)
{
	const struct nctl_neigh *a = x, *b = y;

	return (a->ifindex > b->ifindex) - (a->ifindex < b->ifindex);
}

/* One namespace is through, well or not. */
static void end(struct gather *g, bool known)
{
	struct nd_neighs *list = &g->neighs[g->neigh_next];

	g->live = nctl_live_free(g->live);
	list->known = known;
	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), cmp_link);
	g->neigh_next++;
}

/* With what is on its way; true: it will go on later. */
static bool go_on(struct gather *g)
{
	int e = read_answer(g);

	if (e == NCTL_LIVE_WAIT)
		return true;
	if (e == 0 && !g->proxies) {
		g->proxies = true;
		e = ask(g);
		if (e == 0)
			return true;
	}
	end(g, e == 0 && g->proxies);
	return false;
}

bool nd_gather_neighs(struct nd_reconcile *r, struct job *job)
{
	struct gather *g = &job->gather;

	if (!g->neighs) {
		g->neighs = calloc(job->want->n_netns + 1, sizeof(*g->neighs));
		g->n_neighs = g->neighs ? job->want->n_netns : 0;
	}
	while (g->neigh_next < g->n_neighs) {
		const struct nctl_want_netns *w = job->want->netns[g->neigh_next];
		struct nctl_session *s = session_of(r, w);

		if (g->live) {
			if (go_on(g))
				return true;
			continue;
		}
		if ((!names_some(w) && !names_some(accepted(r, w->name))) || !s) {
			/* One that is to be made has none. */
			g->neighs[g->neigh_next++].known = !s && names_some(w);
			continue;
		}
		if (begin(r, g, s) < 0)
			end(g, false);
	}
	return false;
}

void nd_gather_neighs_fini(struct gather *g)
{
	g->live = nctl_live_free(g->live);
	for (size_t i = 0; i < g->n_neighs; i++)
		free(g->neighs[i].v);
	free(g->neighs);
	g->neighs = NULL;
}
