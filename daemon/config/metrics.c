/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what a route says of the connections over it (RTA_METRICS), as the kernel shows it: in the order of
 * the numbers, without what is 0 (net/core/rtnetlink.c rtnetlink_put_metrics).
 */
#include <linux/rtnetlink.h>
#include <string.h>

#include "config/routing.h"

enum { ROOM = NCTL_RTAX_N * 8 + 32 };

/* The kernel keeps times of TCP in parts of a millisecond (ip-route(8)). */
static uint32_t scaled(unsigned rtax, uint32_t value)
{
	return rtax == RTAX_RTT ? value * 8 : rtax == RTAX_RTTVAR ? value * 4 : value;
}

static size_t put(uint8_t *to, unsigned type, const void *data, size_t n)
{
	const struct rtattr head = {
		.rta_type = (unsigned short)type, .rta_len = (unsigned short)(RTA_LENGTH(n))};

	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), data, n);
	return RTA_ALIGN(head.rta_len);
}

struct nctl_bytes nd_route_metrics(struct nd_parse *p, const struct nctl_route_form *form)
{
	_Alignas(4) uint8_t buf[ROOM] = {0};
	uint8_t *copy;
	uint32_t n = 0, value;

	for (unsigned i = 1; i < NCTL_RTAX_N; i++) {
		value = scaled(i, form->metrics[i]);
		if (i == RTAX_CC_ALGO && form->congestion_control)
			n += (uint32_t)put(
				buf + n, i, form->congestion_control, strlen(form->congestion_control) + 1);
		else if (value)
			n += (uint32_t)put(buf + n, i, &value, sizeof(value));
	}
	copy = n ? nd_want_alloc(p, n) : NULL;
	if (!copy)
		return NCTL_BYTES_NULL;
	memcpy(copy, buf, n);
	return (struct nctl_bytes){.p = copy, .n = n};
}
