/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: when routes end that end by themselves (those of router advertisements): a side table of the few that
 * do. The kernel tells the seconds left; we keep the time.
 */
#include "mirror/parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"

#define SECOND 1000000

struct expiry {
	struct nctl_hash_node by_route;
	nctl_time at;
};

/* Each route has a key of its own: nctl_hash_u64 can be undone. */
static struct nctl_hash_node *find(const struct nctl_fib *f, uint32_t route)
{
	return nctl_hash_find(&f->m->expiries, nctl_hash_u64((uint64_t)f->family << 32 | route));
}

int nctl_expiry_set(struct nctl_fib *f, uint32_t route, int32_t seconds)
{
	struct nctl_hash_node *n = find(f, route);
	struct expiry *e = n ? nctl_container_of(n, struct expiry, by_route) : NULL;

	if (seconds <= 0) {
		if (e) {
			nctl_hash_remove(&f->m->expiries, n);
			free(e);
		}
		nctl_rec_at(f, route)->timed = 0;
		return 0;
	}
	if (!e) {
		e = calloc(1, sizeof(*e));
		if (!e || nctl_hash_insert(&f->m->expiries, &e->by_route,
				  nctl_hash_u64((uint64_t)f->family << 32 | route)) < 0) {
			free(e);
			return -ENOMEM;
		}
		nctl_rec_at(f, route)->timed = 1;
	}
	e->at = nctl_time_add_us(nctl_time_now(), (uint64_t)seconds * SECOND);
	return 0;
}

int32_t nctl_expiry_get(const struct nctl_fib *f, uint32_t route)
{
	struct nctl_hash_node *n = find(f, route);
	int64_t us;

	if (!n)
		return 0;
	us = nctl_time_diff_us(nctl_container_of(n, struct expiry, by_route)->at, nctl_time_now());
	/* One that is over and not told so yet has this second left: 0 would mean for ever. */
	return us < SECOND ? 1 : (int32_t)((us + SECOND / 2) / SECOND);
}

void nctl_expiry_fini(struct nctl_mirror *m)
{
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;

	nctl_hash_iter_init(&it, &m->expiries);
	while ((n = nctl_hash_iter_next(&it)))
		free(nctl_container_of(n, struct expiry, by_route));
	nctl_hash_fini(&m->expiries);
}
