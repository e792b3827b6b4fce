/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

#include "nl/transport.h"

/* A vector of datagrams to receive into, all with buffers of one size out of one allocation. */
struct nctl_dgvec {
	struct nctl_dgram *v;
	size_t n;
	size_t cap; /* bytes a datagram */
	void *mem;
};

#define NCTL_DGVEC_INIT ((struct nctl_dgvec){.v = NULL})

enum {
	NCTL_DGRAM_CAP =
		32 * 1024, /* the kernel makes no dump datagram longer, but for a single huge message */
	NCTL_DGRAM_CAP_MAX = 1024 * 1024, /* a link with all its virtual functions stays far below */
};

/* n datagrams of NCTL_DGRAM_CAP bytes. 0 or -ENOMEM. */
int nctl_dgvec_init(struct nctl_dgvec *d, size_t n);
void nctl_dgvec_fini(struct nctl_dgvec *d);
/*
 * Doubles the buffers; what they hold is lost. 0, -EMSGSIZE at NCTL_DGRAM_CAP_MAX, -ENOMEM; d is usable in
 * any case.
 */
int nctl_dgvec_grow(struct nctl_dgvec *d);
