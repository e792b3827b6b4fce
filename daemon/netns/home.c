/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The kernel of the daemon's own namespace. It needs nobody for its sockets but for the one that hears
 * all namespaces, which must be opened by someone who may (net/netlink/af_netlink.c asks the opener of the
 * file for CAP_NET_BROADCAST): that is the helper's.
 */
#include <errno.h>
#include <stdlib.h>

#include "netns/private.h"

struct home_kernel {
	struct nctl_kernel base;
	struct nctl_kernel *here, *helped;
};

static struct home_kernel *home_of(struct nctl_kernel *k)
{
	return nctl_container_of(k, struct home_kernel, base);
}

static int home_open(struct nctl_kernel *base, enum nctl_transport_role role, struct nctl_transport **ret)
{
	struct home_kernel *k = home_of(base);
	int e;

	switch (role) {
	case NCTL_TRANSPORT_EVENTS_ALL:
		e = k->helped->open(k->helped, role, ret);
		if (e >= 0)
			return e;
		break;
	case NCTL_TRANSPORT_EVENTS:
	case NCTL_TRANSPORT_REQUEST:
	case NCTL_TRANSPORT_GENERIC:
		break;
	}
	return k->here->open(k->here, role, ret);
}

static int home_get_cookie(struct nctl_kernel *base, uint64_t *ret)
{
	struct nctl_kernel *here = home_of(base)->here;

	return here->get_cookie(here, ret);
}

static void home_destroy(struct nctl_kernel *base)
{
	struct home_kernel *k = home_of(base);

	nctl_kernel_unref(k->helped);
	nctl_kernel_unref(k->here);
	free(k);
}

int nd_netns_home_kernel(struct nd_helper *h, struct nctl_kernel *here, struct nctl_kernel **ret)
{
	struct home_kernel *k = calloc(1, sizeof(*k));
	struct nd_netns_ref ref = {0};
	int e = k ? here->get_cookie(here, &ref.cookie) : -ENOMEM;

	if (e >= 0)
		e = nd_helper_kernel_new(h, &ref, &k->helped);
	if (e < 0) {
		free(k);
		return e;
	}
	k->base.open = home_open;
	k->base.get_cookie = home_get_cookie;
	k->base.destroy = home_destroy;
	k->here = nctl_kernel_ref(here);
	*ret = &k->base;
	return 0;
}
