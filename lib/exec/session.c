/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the session of one namespace: a mirror, how far it is in step (sync.c), and the kernel to ask. The hub
 * makes sessions, feeds them and ends them.
 */
#include "exec/private.h"

#include <errno.h>
#include <stdlib.h>

#include "exec/genl.h"
#include "mirror/route.h"

int nctl_session_new(struct nctl_hub *h, struct nctl_kernel *kernel, uint64_t cookie, nctl_nsid nsid,
	void *owner, struct nctl_session **ret)
{
	struct nctl_session *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->hub = h;
	s->cookie = cookie;
	s->nsid = nsid;
	s->owner = owner;
	nctl_list_init(&s->link);
	nctl_sync_init(s);
	r = nctl_mirror_new(&s->mirror);
	if (r >= 0)
		r = nctl_hash_insert(&h->by_cookie, &s->by_cookie, nctl_hash_u64(cookie));
	if (r >= 0 && nsid != NCTL_NSID_NONE) {
		r = nctl_hash_insert(&h->by_nsid, &s->by_nsid, nctl_hash_u64((uint32_t)nsid));
		if (r < 0)
			nctl_hash_remove(&h->by_cookie, &s->by_cookie);
	}
	if (r < 0) {
		nctl_mirror_free(s->mirror);
		free(s);
		return r;
	}
	s->kernel = nctl_kernel_ref(kernel);
	nctl_list_add_tail(&h->sessions, &s->link);
	h->n_sessions++;
	h->unsynced++;
	*ret = s;
	return 0;
}

struct nctl_session *nctl_session_free(struct nctl_session *s)
{
	struct nctl_hub *h = s->hub;

	nctl_run_gone(h, s);
	nctl_genl_gone(h, s);
	h->unsynced -= s->sync.state != SYNC_DONE;
	nctl_sync_fini(s);
	nctl_list_del(&s->link);
	nctl_hash_remove(&h->by_cookie, &s->by_cookie);
	if (s->nsid != NCTL_NSID_NONE)
		nctl_hash_remove(&h->by_nsid, &s->by_nsid);
	h->n_sessions--;
	nctl_mirror_free(s->mirror);
	nctl_kernel_unref(s->kernel);
	free(s);
	return NULL;
}

bool nctl_session_is_synced(const struct nctl_session *s)
{
	return s->sync.state == SYNC_DONE;
}

struct nctl_mirror *nctl_session_mirror(struct nctl_session *s)
{
	return s->mirror;
}

uint64_t nctl_session_cookie(const struct nctl_session *s)
{
	return s->cookie;
}

nctl_nsid nctl_session_nsid(const struct nctl_session *s)
{
	return s->nsid;
}

void *nctl_session_owner(const struct nctl_session *s)
{
	return s->owner;
}

void nctl_session_get_stats(const struct nctl_session *s, struct nctl_session_stats *ret)
{
	*ret = (struct nctl_session_stats){
		.epoch = s->epoch,
		.losses = s->losses,
		.resyncs = s->resyncs,
		.undecodable = s->undecodable,
		.retries = s->retries,
		.scoped = s->scoped,
		.ignored = s->ignored,
		.delay_us = s->sync.backoff.delay_us,
		.resync_us = s->resync_us,
		.suspects = s->scopes.n,
		.bytes = nctl_mirror_route_bytes(s->mirror),
		.dumping = s->sync.ticket,
	};
}
