/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: buffers to receive into, for the pump and the requester. Pages that no datagram was long enough to
 * reach are never touched, so the size given costs address space only.
 */

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "nl/dgvec.h"

/* Makes a vector; d is written only on success. */
static int dgvec_make(struct nctl_dgvec *d, size_t n, size_t cap)
{
	_cleanup_(nctl_freep) struct nctl_dgram *v = calloc(n, sizeof(*v));
	_cleanup_(nctl_freep) uint8_t *mem = malloc(n * cap);

	if (!v || !mem)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		v[i] = (struct nctl_dgram){.buf = mem + i * cap, .cap = cap};
	*d = (struct nctl_dgvec){.v = take_ptr(v), .n = n, .cap = cap, .mem = take_ptr(mem)};
	return 0;
}

int nctl_dgvec_init(struct nctl_dgvec *d, size_t n)
{
	return dgvec_make(d, n, NCTL_DGRAM_CAP);
}

void nctl_dgvec_fini(struct nctl_dgvec *d)
{
	free(d->v);
	free(d->mem);
	*d = NCTL_DGVEC_INIT;
}

int nctl_dgvec_grow(struct nctl_dgvec *d)
{
	struct nctl_dgvec bigger;
	int r;

	if (d->cap >= NCTL_DGRAM_CAP_MAX)
		return -EMSGSIZE;
	r = dgvec_make(&bigger, d->n, d->cap * 2);
	if (r < 0)
		return r;
	nctl_dgvec_fini(d);
	*d = bigger;
	return 0;
}
