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

#define SEPARATOR "\n%%%\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_want(const struct nctl_want *w)
{
	const struct nctl_want_link *l;
	size_t i;

	for (i = 0; i < w->n_links; i++) {
		l = w->links[i];
		if (nctl_want_find(w, l->v.name) != l || l->number != i || l->pos.file >= w->n_files ||
			!l->pos.line)
			abort();
		if (l->lower.link && nctl_want_find(w, l->lower.name) != l->lower.link)
			abort();
		if (l->master.link && nctl_want_find(w, l->master.name) != l->master.link)
			abort();
	}
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
