/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: the mirror of routes compared with the naive kernel: walks, indexes, the sum of the records. */
#include "route-model.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

/* -- a walk -- */

static bool is_there(const struct rmodel *m, const struct rm_route *r)
{
	struct nctl_route v;
	nctl_route_ref ref;
	struct rm_route x;

	for (ref = nctl_mirror_route_get(m->mirror, r->v.table, &r->v.dst); ref;
		ref = nctl_mirror_route_sibling(m->mirror, ref)) {
		nctl_mirror_route_view(m->mirror, ref, &v);
		rmodel_take(&x, &v);
		if (rmodel_equal(&x, r))
			return true;
	}
	return false;
}

static unsigned read_all(const struct rmodel *m, struct rm_route *ret)
{
	struct nctl_route_cursor c = {.family = AF_UNSPEC};
	struct nctl_route v;
	nctl_route_ref ref;
	unsigned n = 0;

	while ((ref = nctl_mirror_route_next(m->mirror, &c))) {
		assert_true(n < RM_ROUTES);
		nctl_mirror_route_view(m->mirror, ref, &v);
		rmodel_take(&ret[n++], &v);
	}
	return n;
}

void rmodel_walk(struct rmodel *m)
{
	static struct rm_route all[RM_ROUTES];
	static unsigned given[RM_ROUTES];
	unsigned n = read_all(m, all);
	struct nctl_route_cursor c = {.family = AF_UNSPEC};
	nctl_route_ref ref;

	memset(given, 0, sizeof(given));
	do {
		ref = nctl_mirror_route_next(m->mirror, &c);
		if (ref) {
			struct nctl_route v;
			struct rm_route x;

			nctl_mirror_route_view(m->mirror, ref, &v);
			rmodel_take(&x, &v);
			for (unsigned i = 0; i < n; i++)
				given[i] += rmodel_equal(&x, &all[i]);
		}
		rmodel_change(m);
		/* One by one: what goes and comes back is not there all the time. */
		for (unsigned k = random_below(&m->rng, 5); k; k--) {
			rmodel_read(m, 1);
			for (unsigned i = 0; i < n; i++)
				if (!is_there(m, &all[i]))
					all[i].v.table = UINT32_MAX;
		}
	} while (ref);
	for (unsigned i = 0; i < n; i++)
		if (all[i].v.table != UINT32_MAX)
			assert_int_equal(given[i], 1);
}

/* -- the check -- */

static void print_route(const char *who, const struct rm_route *r)
{
	char dst[NCTL_PREFIX_STR], via[NCTL_ADDR_STR];

	printf("# %s: table %u %s tos %u metric %u proto %u%s", who, r->v.table,
		nctl_prefix_format(&r->v.dst, dst), r->v.tos, r->v.metric, r->v.protocol,
		r->v.multipath ? " multipath" : "");
	for (uint32_t i = 0; i < r->v.n_hops; i++)
		printf(" [%u %s w%u f%x]", r->hops[i].oif, nctl_addr_format(&r->hops[i].via, via),
			r->hops[i].weight, r->hops[i].flags);
	printf("\n");
}

static void print_all(const struct rmodel *m, const struct rm_route *got, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		print_route("mirror", &got[i]);
	for (unsigned i = 0; i < m->n; i++)
		print_route("kernel", &m->kernel[i]);
}

/* After races, siblings too may stand in another order. */
static bool equivalent(const struct rm_route *a, const struct rm_route *b)
{
	struct rm_route x = *b;

	if (a->v.n_hops != b->v.n_hops)
		return false;
	for (uint32_t i = 0; i < a->v.n_hops; i++) {
		int k = rmodel_find_hop(b, &a->hops[i]);

		if (k < 0)
			return false;
		x.hops[i] = b->hops[k];
	}
	return rmodel_equal(a, &x);
}

static void compare(struct rmodel *m, const struct rm_route *got, unsigned n)
{
	if (n != m->n)
		print_all(m, got, n);
	assert_int_equal(n, m->n);
	for (unsigned i = 0; i < n; i++) {
		unsigned k = i;

		if (!m->raced) {
			if (!rmodel_equal(&got[i], &m->kernel[i]))
				print_all(m, got, n);
			assert_true(rmodel_equal(&got[i], &m->kernel[i]));
			continue;
		}
		for (k = 0; k < n && !equivalent(&got[i], &m->kernel[k]);)
			k++;
		if (k == n)
			print_all(m, got, n);
		assert_true(k < n);
	}
}

static void check_links(struct rmodel *m)
{
	for (nctl_ifindex ifindex = 1; ifindex <= RM_LINKS; ifindex++) {
		size_t n = 0;

		for (unsigned i = 0; i < m->n; i++) {
			bool on = false;

			for (uint32_t k = 0; k < m->kernel[i].v.n_hops; k++)
				on |= m->kernel[i].hops[k].oif == ifindex;
			n += on;
		}
		assert_int_equal(nctl_mirror_route_count_link(m->mirror, ifindex), n);
	}
}

void rmodel_check(struct rmodel *m)
{
	static struct rm_route got[RM_ROUTES];
	unsigned n = read_all(m, got);

	compare(m, got, n);
	assert_int_equal(nctl_mirror_route_count(m->mirror, AF_UNSPEC), n);
	assert_int_equal(m->n_told, n);
	for (unsigned i = 0; i < n; i++) {
		struct nctl_route v = rmodel_view(&got[i]);

		rmodel_told(m, &v);
	}
	check_links(m);
}
