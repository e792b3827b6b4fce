/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: what all transports share, which is only how they end. Each kind of transport embeds struct
 * nctl_transport and frees itself in its destroy operation.
 */

#include "nl/transport.h"

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
