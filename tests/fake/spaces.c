/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what tests tell a fake kernel about its namespaces: to make and drop them, ids, and what happens in
 * one of them.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fake/core.h"

static int fk_kernel_cookie(struct nctl_kernel *k, uint64_t *ret)
{
	*ret = nctl_container_of(k, struct fk_kernel, base)->cookie;
	return 0;
}

static void fk_kernel_destroy(struct nctl_kernel *k)
{
	free(nctl_container_of(k, struct fk_kernel, base));
}

struct nctl_kernel *nctl_fake_netns_kernel(struct nctl_fake *f, uint64_t cookie)
{
	struct fk_kernel *k = calloc(1, sizeof *k);
	if (!k)
		return NULL;
	k->base.open = fk_transport_open;
	k->base.get_cookie = fk_kernel_cookie;
	k->base.destroy = fk_kernel_destroy;
	k->f = f;
	k->cookie = cookie;
	return &k->base;
}

uint64_t nctl_fake_home(struct nctl_fake *f)
{
	return f->home->cookie;
}

int nctl_fake_netns_new(struct nctl_fake *f, uint64_t *ret_cookie)
{
	fk_lock(f);
	struct fk_netns *ns = fk_netns_new(f);
	if (ns)
		*ret_cookie = ns->cookie;
	fk_unlock(f);
	return ns ? 0 : -ENOMEM;
}

void nctl_fake_netns_drop(struct nctl_fake *f, uint64_t cookie)
{
	fk_lock(f);
	struct fk_netns *ns = fk_netns_find(f, cookie);
	if (ns && ns != f->home) {
		ns->held = false;
		fk_netns_unhold(ns);
	}
	fk_unlock(f);
}

bool nctl_fake_netns_is_alive(struct nctl_fake *f, uint64_t cookie)
{
	fk_lock(f);
	bool alive = fk_netns_find(f, cookie);
	fk_unlock(f);
	return alive;
}

bool nctl_fake_netns_wait(struct nctl_fake *f, uint64_t cookie, unsigned ms)
{
	struct timespec at;
	int r = 0;
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += ms % 1000 * 1000000L;
	if (at.tv_nsec >= 1000000000L) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000L;
	}
	fk_lock(f);
	while (r == 0 && fk_netns_find(f, cookie))
		r = pthread_cond_timedwait(&f->gone, &f->lock, &at);
	bool gone = !fk_netns_find(f, cookie);
	fk_unlock(f);
	return gone;
}

int32_t nctl_fake_netns_nsid_in(struct nctl_fake *f, uint64_t viewer, uint64_t cookie, bool assign)
{
	int32_t id = -1;
	fk_lock(f);
	struct fk_netns *from = fk_netns_find(f, viewer), *ns = fk_netns_find(f, cookie);
	if (from && ns)
		id = assign ? fk_netns_id_alloc(from, ns) : fk_netns_id(from, ns);
	fk_unlock(f);
	return id;
}

int32_t nctl_fake_netns_nsid(struct nctl_fake *f, uint64_t cookie)
{
	return nctl_fake_netns_nsid_in(f, f->home->cookie, cookie, false);
}

int32_t nctl_fake_netns_assign_nsid(struct nctl_fake *f, uint64_t cookie)
{
	return nctl_fake_netns_nsid_in(f, f->home->cookie, cookie, true);
}

int nctl_fake_netns_exec(struct nctl_fake *f, uint64_t cookie, const void *msg, size_t len)
{
	fk_lock(f);
	struct fk_netns *ns = fk_netns_find(f, cookie);
	int r = ns ? fk_datagram(ns, NULL, msg, len) : -ENOENT;
	fk_unlock(f);
	return r;
}

static int fk_add_card(struct fk_netns *ns, int ifindex, const char *name)
{
	struct fk_req rq = {.f = ns->f, .ns = ns, .target = ns};
	struct fk_link *l = fk_link_new(ns, &fk_kind_card);
	if (!l)
		return -ENOMEM;
	snprintf(l->name, sizeof l->name, "%s", name);
	l->ifindex = ifindex;
	int r = fk_link_register(&rq, l);
	if (r < 0) {
		fk_link_destroy(l);
		return r;
	}
	l->announced = true;
	fk_link_event(ns->f, l);
	fk_settle(ns->f);
	return 0;
}

int nctl_fake_netns_add_card(struct nctl_fake *f, uint64_t cookie, int ifindex, const char *name)
{
	fk_lock(f);
	struct fk_netns *ns = fk_netns_find(f, cookie);
	int r = ns ? fk_add_card(ns, ifindex, name) : -ENOENT;
	fk_unlock(f);
	return r;
}

static int fk_move_named(
	struct nctl_fake *f, struct fk_netns *from, int ifindex, struct fk_netns *to, const char *name)
{
	struct fk_req rq = {.f = f, .ns = from, .target = to};
	struct fk_link *l = fk_link_by_index(from, ifindex);
	if (!l)
		return -ENODEV;
	int r = fk_move(f, l, to, name, 0);
	if (r == 0 && name)
		r = fk_rename(&rq, l, name);
	fk_settle(f);
	return r;
}

int nctl_fake_netns_move(struct nctl_fake *f, uint64_t from, int ifindex, uint64_t to, const char *name)
{
	fk_lock(f);
	struct fk_netns *a = fk_netns_find(f, from), *b = fk_netns_find(f, to);
	int r = a && b ? fk_move_named(f, a, ifindex, b, name) : -ENOENT;
	fk_unlock(f);
	return r;
}

void nctl_fake_deny_all(struct nctl_fake *f, bool on)
{
	fk_lock(f);
	f->deaf = on;
	fk_unlock(f);
}
