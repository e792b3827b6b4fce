/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Any bytes as configuration: nd_config_parse neither crashes nor leaks, and either gives a want or says
 *why not. "%%%" on a line of its own starts the next file.
 *
 *	fuzz-config -dict=tests/fuzz/config.dict CORPUS tests/golden/config
 */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "obj/kind.h"

#define SEPARATOR "\n%%%\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static bool is_place(const struct nctl_want *w, struct nctl_pos pos)
{
	return pos.file < w->n_files && pos.line && pos.column;
}

/* A reference leads to the link of that name, in the namespace of the one that refers. */
static void check_ref(
	const struct nctl_want *w, const struct nctl_want_link *l, const struct nctl_want_ref *ref)
{
	expect(!ref->link || (ref->name && ref->link->netns == l->netns &&
				     nctl_want_find(w, l->netns->number, ref->name) == ref->link));
}

static void check_link(const struct nctl_want *w, const struct nctl_want_link *l)
{
	const struct nctl_want_link *other = l->peer.link;

	expect(l->netns == w->netns[l->netns->number]);
	expect(nctl_want_find(w, l->netns->number, l->v.name) == l);
	expect(is_place(w, l->pos) && l->def->kind == l->v.kind && l->def->netns_def == l->netns->def);
	check_ref(w, l, &l->lower);
	check_ref(w, l, &l->master);
	expect(!!l->peer.name == !!(l->v.kind->traits & NCTL_KIND_PEERED) && !l->peer.name == !other);
	expect(!other || (other != l && other->peer.link == l && !strcmp(other->v.name, l->peer.name)));
}

static void check_netns(const struct nctl_want *w, const struct nctl_want_netns *n)
{
	const struct nctl_want_sysctl *s;
	size_t i;

	expect(*n->name && strlen(n->name) < 256 && !strchr(n->name, '/') && strcmp(n->name, ".") &&
		strcmp(n->name, ".."));
	expect(nctl_want_netns_find(w, n->name) == n && is_place(w, n->pos) && n->def && !n->def->kind);
	expect(n->n_sysctls <= 64);
	for (i = 0; i < n->n_sysctls; i++) {
		s = &n->sysctls[i];
		expect(is_place(w, s->pos) && *s->name && *s->name != '/' && strlen(s->name) < 256);
		expect(!strstr(s->name, "//") && !strstr(s->name, "/../") && strncmp(s->name, "../", 3));
		expect(s->value && strlen(s->value) <= 512 && *s->value != ' ' && !strstr(s->value, "  "));
	}
}

static void check_want(const struct nctl_want *w)
{
	size_t i, n = 0;

	expect(w->n_netns >= 1 && !w->netns[0]->name && w->netns_pool <= 1024);
	for (i = 0; i < w->n_netns; i++) {
		expect(w->netns[i]->number == i);
		if (i)
			check_netns(w, w->netns[i]);
	}
	for (i = 0; i < w->n_links; i++) {
		expect(w->links[i]->number == i);
		check_link(w, w->links[i]);
	}
	for (i = 0; i < w->n_defs; i++)
		n += w->defs[i]->n_links;
	expect(n == w->n_links);
}

static void add_texts(struct nd_config_texts *texts, const char *s, size_t size)
{
	const char *end = s + size, *next;

	for (; s; s = next ? next + strlen(SEPARATOR) : NULL) {
		next = memmem(s, (size_t)(end - s), SEPARATOR, strlen(SEPARATOR));
		nd_config_texts_add(texts, "f.yaml", s, (size_t)((next ? next : end) - s));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_want *want = NULL;
	int r;

	add_texts(&texts, (const char *)data, size);
	r = nd_config_parse(&texts, &diag, &want);
	nd_diagnostics_print(&diag, &out);
	if (r < 0 || (r == 0) != (want != NULL) || (r == ND_CONFIG_INVALID) != (diag.n_errors > 0))
		abort();
	if (want)
		check_want(want);
	nctl_want_freep(&want);
	nd_diagnostics_fini(&diag);
	nd_config_texts_fini(&texts);
	nctl_strbuf_fini(&out);
	return 0;
}
