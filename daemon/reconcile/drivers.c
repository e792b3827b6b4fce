/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the drivers of devices, for definitions that match by them. rtnetlink tells the bus and the name of
 * the device that a link belongs to (IFLA_PARENT_DEV_*, Linux 5.14), and sysfs its driver: of all buses,
 * whatever the network namespace. What is not told there is matched by no driver.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plan/match.h"

/* Both stand for one folder. */
static bool is_part(const char *s)
{
	return s && *s && !strchr(s, '/') && strcmp(s, ".") && strcmp(s, "..");
}

static const char *driver_of(struct gather *g, const struct nctl_link *l)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *slash;
	ssize_t n;

	if (!is_part(l->parent_bus) || !is_part(l->parent_dev))
		return NULL;
	if (snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/driver", l->parent_bus, l->parent_dev) >=
		(int)sizeof(path))
		return NULL;
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return NULL;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return nctl_arena_strdup(&g->arena, slash ? slash + 1 : target);
}

static bool are_wanted(const struct nctl_want *want)
{
	for (size_t i = 0; i < want->n_links; i++)
		if (want->links[i]->match && want->links[i]->match->n_drivers)
			return true;
	return false;
}

static int look_at(struct gather *g, const struct nctl_mirror *m, struct nctl_hash *drivers)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_from(m, 1);

	for (; l; l = nctl_mirror_link_next(l)) {
		const char *driver = nctl_match_is_physical(&l->v) ? driver_of(g, &l->v) : NULL;
		struct nctl_driver_of *d = driver ? nctl_arena_alloc(&g->arena, sizeof(*d)) : NULL;

		if (!driver)
			continue;
		if (!d)
			return -ENOMEM;
		*d = (struct nctl_driver_of){.ifindex = l->v.ifindex, .driver = driver};
		if (nctl_hash_insert(drivers, &d->node, nctl_hash_u64(d->ifindex)) < 0)
			return -ENOMEM;
	}
	return 0;
}

int nd_drivers_look(struct gather *g, const struct nctl_want *want, struct nctl_plan_netns *v)
{
	int r = 0;

	if (!are_wanted(want))
		return 0;
	nd_drivers_fini(g);
	g->drivers = nctl_arena_alloc(&g->arena, want->n_netns * sizeof(*g->drivers));
	if (!g->drivers)
		return -ENOMEM;
	for (; g->n_drivers < want->n_netns; g->n_drivers++)
		nctl_hash_init(&g->drivers[g->n_drivers]);
	for (size_t i = 0; r >= 0 && i < want->n_netns; i++) {
		v[i].drivers = &g->drivers[i];
		if (v[i].have)
			r = look_at(g, v[i].have, &g->drivers[i]);
	}
	return r;
}

void nd_drivers_fini(struct gather *g)
{
	for (size_t i = 0; i < g->n_drivers; i++)
		nctl_hash_fini(&g->drivers[i]);
	g->n_drivers = 0;
}
