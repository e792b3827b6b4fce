/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the life of a fake kernel and what tests tell it: injections, counters, direct changes. One recursive
 * mutex guards all of it; links.c and its neighbours are only ever called with it held.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/core.h"

void fk_lock(struct nctl_fake *f)
{
	pthread_mutex_lock(&f->lock);
}

void fk_unlock(struct nctl_fake *f)
{
	pthread_mutex_unlock(&f->lock);
}

static int fk_get_cookie(struct nctl_kernel *k, uint64_t *ret)
{
	*ret = nctl_container_of(k, struct fk_kernel, base)->cookie;
	return 0;
}

struct nctl_fake *nctl_fake_new(uint64_t seed)
{
	pthread_mutexattr_t attr;
	struct nctl_fake *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&f->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_cond_init(&f->gone, NULL);
	f->kernel = (struct fk_kernel){
		.base = {.open = fk_transport_open, .get_cookie = fk_get_cookie},
		.f = f,
		.cookie = seed + 0x1000,
	};
	f->rng = seed * 2 + 1;
	f->version = 6018;
	f->rcvbuf[NCTL_TRANSPORT_EVENTS] = f->rcvbuf[NCTL_TRANSPORT_EVENTS_ALL] = 64 << 20;
	f->rcvbuf[NCTL_TRANSPORT_REQUEST] = 2 << 20;
	nctl_list_init(&f->watch);
	nctl_list_init(&f->transports);
	nctl_list_init(&f->dad_spaces);
	nctl_list_init(&f->refusals);
	f->home = fk_netns_new(f);
	return f->home ? f : nctl_fake_free(f);
}

struct nctl_fake *nctl_fake_free(struct nctl_fake *f)
{
	if (!f)
		return NULL;
	for (size_t i = 0; i < f->n_spaces; i++)
		if (f->spaces[i])
			fk_netns_free(f->spaces[i]);
	nctl_fake_clear_refusals(f);
	pthread_cond_destroy(&f->gone);
	pthread_mutex_destroy(&f->lock);
	free(f->spaces);
	free(f);
	return NULL;
}

void nctl_fake_freep(struct nctl_fake **f)
{
	nctl_fake_free(*f);
}

struct nctl_kernel *nctl_fake_kernel(struct nctl_fake *f)
{
	return &f->kernel.base;
}

void nctl_fake_set_version(struct nctl_fake *f, unsigned major, unsigned minor)
{
	fk_lock(f);
	f->version = major * 1000 + minor;
	f->patch = 0;
	fk_unlock(f);
}

void nctl_fake_set_release(struct nctl_fake *f, const char *release)
{
	unsigned major, minor, patch = 0;
	if (sscanf(release, "%u.%u.%u", &major, &minor, &patch) < 2)
		return;
	fk_lock(f);
	f->version = major * 1000 + minor;
	f->patch = patch;
	fk_unlock(f);
}

void nctl_fake_set_dad(struct nctl_fake *f, bool on)
{
	fk_lock(f);
	f->dad = on;
	fk_unlock(f);
}

int nctl_fake_exec(struct nctl_fake *f, const void *msg, size_t len)
{
	return nctl_fake_netns_exec(f, f->home->cookie, msg, len);
}

unsigned nctl_fake_lazy_rounds(struct nctl_fake *f)
{
	fk_lock(f);
	unsigned rounds = f->lazy;
	fk_unlock(f);
	return rounds;
}

void nctl_fake_complete_dad(struct nctl_fake *f)
{
	fk_lock(f);
	fk_inet6_dad(f, true);
	fk_unlock(f);
}

uint64_t nctl_fake_count(struct nctl_fake *f, uint16_t type)
{
	fk_lock(f);
	uint64_t n = type < FK_N_TYPES ? f->counts[type] : 0;
	fk_unlock(f);
	return n;
}

uint64_t nctl_fake_count_changes(struct nctl_fake *f)
{
	uint64_t n = 0;
	fk_lock(f);
	for (unsigned i = RTM_BASE; i < FK_N_TYPES; i++)
		if (i % 4 != 2) /* rtnetlink numbers them NEW, DEL, GET, SET */
			n += f->counts[i];
	fk_unlock(f);
	return n;
}

void nctl_fake_reset_counts(struct nctl_fake *f)
{
	fk_lock(f);
	memset(f->counts, 0, sizeof f->counts);
	fk_unlock(f);
}

int nctl_fake_refuse(struct nctl_fake *f, const struct nctl_fake_refusal *r)
{
	struct fk_refusal *n = calloc(1, sizeof *n);
	if (!n)
		return -ENOMEM;
	n->r = *r;
	if (n->r.count == 0)
		n->r.count = 1;
	if (r->ifname) {
		snprintf(n->ifname, sizeof n->ifname, "%s", r->ifname);
		n->r.ifname = n->ifname;
	}
	if (r->text) {
		snprintf(n->text, sizeof n->text, "%s", r->text);
		n->r.text = n->text;
	}
	fk_lock(f);
	nctl_list_add_tail(&f->refusals, &n->node);
	fk_unlock(f);
	return 0;
}

void nctl_fake_clear_refusals(struct nctl_fake *f)
{
	struct nctl_list *pos, *tmp;
	fk_lock(f);
	nctl_list_for_each_safe(pos, tmp, &f->refusals) {
		nctl_list_del(pos);
		free(nctl_list_entry(pos, struct fk_refusal, node));
	}
	fk_unlock(f);
}

void nctl_fake_overrun_events(struct nctl_fake *f, unsigned n)
{
	struct nctl_list *pos;
	fk_lock(f);
	nctl_list_for_each(pos, &f->transports) {
		struct fk_transport *t = nctl_list_entry(pos, struct fk_transport, node);
		if (t->role == NCTL_TRANSPORT_REQUEST)
			continue;
		t->drop = n;
		if (n)
			continue;
		fk_queue_free(&t->queue);
		t->rmem = 0;
		fk_transport_overrun(t);
		t->congested = false;
	}
	fk_unlock(f);
}

void nctl_fake_set_rcvbuf(struct nctl_fake *f, enum nctl_transport_role role, size_t bytes)
{
	fk_lock(f);
	f->rcvbuf[role] = bytes;
	fk_unlock(f);
}

void nctl_fake_interrupt_dumps(struct nctl_fake *f, unsigned n)
{
	fk_lock(f);
	f->interrupt_dumps = n;
	fk_unlock(f);
}

void nctl_fake_set_dump_chunk(struct nctl_fake *f, size_t bytes)
{
	fk_lock(f);
	f->dump_chunk = bytes;
	fk_unlock(f);
}

void nctl_fake_set_whole_dumps(struct nctl_fake *f, bool on)
{
	fk_lock(f);
	f->whole_dumps = on;
	fk_unlock(f);
}

void nctl_fake_on_dump(struct nctl_fake *f, void (*fn)(void *userdata, unsigned chunk), void *userdata)
{
	fk_lock(f);
	f->dump_hook = fn;
	f->dump_userdata = userdata;
	fk_unlock(f);
}

void nctl_fake_lose_acks(struct nctl_fake *f, unsigned n)
{
	fk_lock(f);
	f->lose_acks = n;
	fk_unlock(f);
}

void nctl_fake_reverse_acks(struct nctl_fake *f, bool on)
{
	fk_lock(f);
	f->reverse_acks = on;
	fk_unlock(f);
}

void nctl_fake_truncate(struct nctl_fake *f, unsigned n, size_t len)
{
	fk_lock(f);
	f->truncate = n;
	f->truncate_len = len;
	fk_unlock(f);
}

void nctl_fake_hold_events(struct nctl_fake *f)
{
	fk_lock(f);
	f->hold = true;
	fk_unlock(f);
}

void nctl_fake_release_events(struct nctl_fake *f)
{
	fk_lock(f);
	fk_release_held(f);
	fk_unlock(f);
}
