/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: what all transports and kernels share, which is only how they end. Each kind of transport embeds
 * struct nctl_transport and frees itself in its destroy operation; a kernel likewise, when its last reference
 * goes.
 */

#include "nl/transport.h"

struct nctl_kernel *nctl_kernel_ref(struct nctl_kernel *k)
{
	atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
	return k;
}

struct nctl_kernel *nctl_kernel_unref(struct nctl_kernel *k)
{
	if (k && atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) == 0 && k->destroy)
		k->destroy(k);
	return NULL;
}

struct nctl_transport *nctl_transport_free(struct nctl_transport *t)
{
	if (t)
		t->ops->destroy(t);
	return NULL;
}

void nctl_transport_freep(struct nctl_transport **t)
{
	*t = nctl_transport_free(*t);
}
