/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: links by their indexes, for the programs that print what a kernel has. */
#include <stdlib.h>

#include "known.h"

void known_add(struct known *k, struct nctl_link *l)
{
	struct nctl_link *v = realloc(k->v, (k->n + 1) * sizeof(*v));

	if (!v)
		abort();
	k->v = v;
	v[k->n] = NCTL_LINK_INIT;
	nctl_link_move(&v[k->n++], l);
}

const struct nctl_link *known_find(const struct known *k, uint32_t ifindex)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].ifindex == ifindex)
			return &k->v[i];
	return NULL;
}

static const char *link_name(const void *userdata, uint32_t ifindex)
{
	const struct nctl_link *l = known_find(userdata, ifindex);

	return l ? l->name : NULL;
}

static bool link_is_up(const void *userdata, uint32_t ifindex)
{
	const struct nctl_link *l = known_find(userdata, ifindex);

	return l && nctl_link_is_up(l);
}

struct nctl_names known_names(const struct known *k)
{
	return (struct nctl_names){.link_name = link_name, .link_is_up = link_is_up, .userdata = k};
}

void known_fini(struct known *k)
{
	for (size_t i = 0; i < k->n; i++)
		nctl_link_fini(&k->v[i]);
	free(k->v);
	*k = (struct known){0};
}
