/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the sysctls are that the configuration names: those of namespaces and of the links in them. The
 * helper is asked for the values, as many at a time as go into one message, namespace by namespace; a bounded
 * number of questions is open at a time. What a link is called is the mirror's word, so a namespace's turn
 * comes when its mirror is in step.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <stdlib.h>

#include "plan/match.h"

enum {
	QUESTIONS_MAX = 64,
	NAMES_MAX = 64, /* in one question */
};

/* Names names[first] to names[first + n - 1] of the namespace; the first ones are its own. */
struct question {
	struct nd_reconcile *r;
	const char *const *names, *const *wanted;
	uint32_t netns;
	size_t first, n;
};

static bool has_helper(const struct nd_reconcile *r)
{
	struct nd_helper *h = nd_netns_set_helper(r->netns);

	return h && nd_helper_is_alive(h);
}

/* Numbers of the links with sysctls, by namespace. */
static int sort_links(struct gather *g, const struct nctl_want *want)
{
	size_t n = 0;
	uint32_t *fill;

	g->first_link = nctl_arena_alloc(&g->arena, (want->n_netns + 1) * sizeof(*g->first_link));
	fill = nctl_arena_alloc(&g->arena, (want->n_netns + 1) * sizeof(*fill));
	if (!g->first_link || !fill)
		return -ENOMEM;
	for (size_t i = 0; i < want->n_links; i++) {
		g->first_link[want->links[i]->netns->number + 1] += !!want->links[i]->n_sysctls;
		n += !!want->links[i]->n_sysctls;
	}
	g->links = n ? nctl_arena_alloc(&g->arena, n * sizeof(*g->links)) : NULL;
	if (n && !g->links)
		return -ENOMEM;
	for (size_t i = 0; i < want->n_netns; i++) {
		g->first_link[i + 1] += g->first_link[i];
		fill[i + 1] = g->first_link[i + 1];
	}
	for (size_t i = 0; n && i < want->n_links; i++)
		if (want->links[i]->n_sysctls)
			g->links[fill[want->links[i]->netns->number]++] = (uint32_t)i;
	return 0;
}

int nd_sysctls_begin(struct gather *g, const struct nctl_want *want)
{
	g->sysctls = nctl_arena_alloc(&g->arena, want->n_netns * sizeof(char **));
	g->now = nctl_arena_alloc(&g->arena, want->n_netns * sizeof(*g->now));
	if (!g->sysctls || !g->now)
		return -ENOMEM;
	for (; g->n_now < want->n_netns; g->n_now++)
		nctl_hash_init(&g->now[g->n_now]);
	return sort_links(g, want);
}

void nd_sysctls_fini(struct gather *g)
{
	for (size_t i = 0; i < g->n_now; i++)
		nctl_hash_fini(&g->now[i]);
	g->n_now = 0;
}

bool nd_sysctls_are_wanted(const struct gather *g, const struct nctl_want_netns *w)
{
	return w->n_sysctls || g->first_link[w->number] < g->first_link[w->number + 1];
}

/* What it is now; NULL: not known. Memory that is missing leaves it unknown: then it is set. */
static void note(
	struct gather *g, const struct nctl_want_netns *w, size_t i, const char *name, const char *value)
{
	struct nctl_sysctl_now *now;

	value = value ? nctl_arena_strdup(&g->arena, value) : NULL;
	if (i < w->n_sysctls) {
		if (g->sysctls[w->number])
			g->sysctls[w->number][i] = value;
		return;
	}
	now = value ? nctl_arena_alloc(&g->arena, sizeof(*now)) : NULL;
	if (!now)
		return;
	now->name = name;
	now->value = value;
	(void)nctl_hash_insert(&g->now[w->number], &now->node, nctl_hash_str(name));
}

static const struct nctl_mirror_link *next_physical(const struct nctl_mirror_link *l)
{
	do
		l = nctl_mirror_link_next(l);
	while (l && !nctl_match_is_physical(&l->v));
	return l;
}

/* What l may be about: the link of its name, or, with a match, any physical one (what does not fit is asked
 * for in vain). */
static const struct nctl_mirror_link *first_device(
	const struct nctl_want_link *l, const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *have;

	if (!m || !l->match)
		return m ? nctl_mirror_link_find(m, l->v.name) : NULL;
	have = nctl_mirror_link_from(m, 1);
	return !have || nctl_match_is_physical(&have->v) ? have : next_physical(have);
}

static const struct nctl_mirror_link *next_device(
	const struct nctl_want_link *l, const struct nctl_mirror_link *have)
{
	return l->match ? next_physical(have) : NULL;
}

static size_t count_devices(const struct nctl_want_link *l, const struct nctl_mirror *m)
{
	const struct nctl_mirror_link *have = first_device(l, m);
	size_t n = 0;

	for (; have; have = next_device(l, have))
		n++;
	return n;
}

static void add_names(struct gather *g, const struct nctl_want_link *l, const char *link)
{
	char buf[NCTL_SYSCTL_NAME_MAX];

	for (size_t k = 0; k < l->n_sysctls; k++) {
		const char *name = nctl_sysctl_name(&l->sysctls[k], link, buf);

		g->names[g->n_names] = name ? nctl_arena_strdup(&g->arena, name) : NULL;
		g->wanted[g->n_names] = l->sysctls[k].value;
		g->n_names += !!g->names[g->n_names];
	}
}

/* All names to be asked for in w: of those links that are there. wanted: what they should be, likewise. */
static int list_names(struct gather *g, const struct nctl_want *want, const struct nctl_want_netns *w,
	const struct nctl_mirror *m)
{
	size_t n = w->n_sysctls, first = g->first_link[w->number], end = g->first_link[w->number + 1];

	for (size_t i = first; i < end; i++)
		n += want->links[g->links[i]]->n_sysctls * count_devices(want->links[g->links[i]], m);
	g->names = nctl_arena_alloc(&g->arena, n * sizeof(char *));
	g->wanted = nctl_arena_alloc(&g->arena, n * sizeof(char *));
	g->sysctls[w->number] = nctl_arena_alloc(&g->arena, (w->n_sysctls + 1) * sizeof(char *));
	if (!g->names || !g->wanted || !g->sysctls[w->number])
		return -ENOMEM;
	for (g->n_names = 0; g->n_names < w->n_sysctls; g->n_names++) {
		g->names[g->n_names] = w->sysctls[g->n_names].name;
		g->wanted[g->n_names] = w->sysctls[g->n_names].value;
	}
	for (size_t i = first; i < end; i++) {
		const struct nctl_want_link *l = want->links[g->links[i]];
		const struct nctl_mirror_link *have = first_device(l, m);

		for (; have; have = next_device(l, have))
			add_names(g, l, have->v.name);
	}
	return 0;
}

/* Without a helper they can be neither read nor set: taken for right, and said so. */
static void pass_over(struct job *job, const struct question *q)
{
	struct gather *g = &job->gather;

	for (size_t i = 0; i < q->n; i++)
		note(g, job->want->netns[q->netns], q->first + i, q->names[i], q->wanted[i]);
	if (!g->blind)
		nd_diagnostics_add(&job->diag, ND_WARNING, NULL, 0, 0, NULL,
			"the sysctls were not looked at: the privileged helper is gone",
			"start netctld again");
	g->blind = true;
}

static void on_values(const struct nd_helper_answer *a, void *userdata)
{
	_cleanup_(nctl_freep) struct question *q = userdata;
	struct nd_reconcile *r = q->r;
	const struct nctl_want_netns *w;
	struct job *job;

	if (r->closing)
		return;
	job = nd_job_current(r);
	w = job->want->netns[q->netns];
	job->gather.waiting--;
	if (a->error == -EPIPE)
		pass_over(job, q);
	/* What cannot be read is set, and then the error tells. */
	for (size_t i = 0; a->error == 0 && i < q->n && i < a->n; i++)
		note(&job->gather, w, q->first + i, q->names[i], a->values[i]);
	if (!job->gather.asking)
		nd_gather_look(r);
}

/* The next question. What cannot be asked stays unknown. */
static void ask(struct nd_reconcile *r, const struct nctl_want_netns *w, const struct nd_netns *n)
{
	const struct nd_netns_ref ref = {.name = w->name, .cookie = w->name ? nd_netns_cookie(n) : 0};
	struct gather *g = &nd_job_current(r)->gather;
	struct question q = {.r = r,
		.netns = w->number,
		.names = &g->names[g->next_name],
		.wanted = &g->wanted[g->next_name],
		.first = g->next_name,
		.n = nctl_min(g->n_names - g->next_name, (size_t)NAMES_MAX)};
	struct question *copy;

	g->next_name += q.n;
	if (!has_helper(r)) {
		pass_over(nd_job_current(r), &q);
		return;
	}
	copy = malloc(sizeof(*copy));
	if (!copy)
		return;
	*copy = q;
	g->waiting++;
	g->asking = true;
	if (nd_helper_sysctl_read(nd_netns_set_helper(r->netns), &ref, q.names, q.n, on_values, copy) < 0) {
		g->waiting--;
		free(copy);
	}
	g->asking = false;
}

bool nd_sysctls_ask(struct nd_reconcile *r, const struct nctl_want_netns *w, struct nd_netns *n)
{
	struct job *job = nd_job_current(r);
	struct gather *g = &job->gather;
	struct nctl_session *s = nd_netns_session(n);

	if (!g->names && list_names(g, job->want, w, s ? nctl_session_mirror(s) : NULL) < 0)
		g->n_names = 0; /* unknown, so they are set */
	while (g->next_name < g->n_names && g->waiting < QUESTIONS_MAX)
		ask(r, w, n);
	if (g->next_name < g->n_names)
		return false;
	g->names = NULL;
	g->n_names = g->next_name = 0;
	return true;
}
