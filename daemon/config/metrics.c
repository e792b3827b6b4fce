/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: what a route says of the connections over it, from the keys to the kernel's numbers. */
#include <linux/rtnetlink.h>
#include <string.h>

#include "config/routing.h"

/* The kernel keeps times of TCP in parts of a millisecond (ip-route(8)). */
static uint32_t scaled(unsigned rtax, uint32_t value)
{
	return rtax == RTAX_RTT ? value * 8 : rtax == RTAX_RTTVAR ? value * 4 : value;
}

struct nctl_bytes nd_route_metrics(struct nd_parse *p, const struct nctl_route_form *form)
{
	_Alignas(4) uint8_t buf[NCTL_ROUTE_METRICS_ROOM];
	uint32_t values[NCTL_RTAX_N], n;
	uint8_t *copy;

	for (unsigned i = 0; i < NCTL_RTAX_N; i++)
		values[i] = scaled(i, form->metrics[i]);
	n = nctl_route_metrics_put(values, form->congestion_control, buf);
	copy = n ? nd_want_alloc(p, n) : NULL;
	if (!copy)
		return NCTL_BYTES_NULL;
	memcpy(copy, buf, n);
	return (struct nctl_bytes){.p = copy, .n = n};
}
