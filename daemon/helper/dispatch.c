/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: from a message to the operation that it asks for, and to the answer. Knows the operations by a table
 * alone, so that a test can put harmless ones in their place. Called by channels.c.
 */

#include <errno.h>

#include "base/cleanup.h"
#include "helper/private.h"

int nd_dispatch(const nd_operation operations[static ND_PROTO_TYPES], struct nd_place *p,
	enum nd_proto_channel channel, int fd, const void *message, size_t len)
{
	_cleanup_(nd_reply_fini) struct nd_reply a;
	struct nd_request q;
	int r;

	a = (struct nd_reply){.channel = fd};
	r = nd_request_parse(message, len, channel, &q);
	if (r < 0)
		return r;
	nd_reply_init(&a, fd, &q);
	r = operations[q.h.type](p, &q, &a);
	if (r < 0)
		nd_reply_set_error(&a, r);
	r = nd_reply_send(&a, false);
	return r == -EBADMSG ? -EIO : r; /* -EBADMSG has a meaning of its own here */
}
