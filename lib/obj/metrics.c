/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what a route says of the connections over it (RTA_METRICS), as the kernel shows it: in the order of
 * the numbers, without what is 0 (net/core/rtnetlink.c rtnetlink_put_metrics).
 */
#include <linux/rtnetlink.h>
#include <string.h>

#include "obj/fib-keys.h"

static size_t put(uint8_t *to, unsigned type, const void *data, size_t n)
{
	const struct rtattr head = {
		.rta_type = (unsigned short)type, .rta_len = (unsigned short)(RTA_LENGTH(n))};

	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), data, n);
	return RTA_ALIGN(head.rta_len);
}

uint32_t nctl_route_metrics_put(
	const uint32_t v[NCTL_RTAX_N], const char *congestion_control, uint8_t buf[NCTL_ROUTE_METRICS_ROOM])
{
	uint32_t n = 0;

	memset(buf, 0, NCTL_ROUTE_METRICS_ROOM);
	for (unsigned i = 1; i < NCTL_RTAX_N; i++) {
		if (i == RTAX_CC_ALGO && congestion_control)
			n += (uint32_t)put(buf + n, i, congestion_control,
				strnlen(congestion_control, NCTL_CONGESTION_MAX) + 1);
		else if (v[i])
			n += (uint32_t)put(buf + n, i, &v[i], sizeof(v[i]));
	}
	return n;
}
