/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

#include "obj/kind.h"

/* Tables that two kinds share which differ in how programs reach them: a device for packets, or a file too.
 */

struct nctl_macvlan_data {
	struct nctl_bytes macaddr_data; /* IFLA_MACVLAN_MACADDR, as the kernel sends them */
	uint32_t mode, bcqueuelen, usedbcqueuelen, macaddr_count;
	uint16_t flags;
};
enum { NCTL_MACVLAN_N_FIELDS = 8 };
extern const struct nctl_field nctl_macvlan_fields[NCTL_MACVLAN_N_FIELDS];
enum nctl_change_class nctl_macvlan_change_class(const void *have, const void *want, uint64_t mask);
uint64_t nctl_macvlan_shown(const void *data, uint64_t has);

struct nctl_ipvlan_data {
	uint16_t mode, flags;
};
enum { NCTL_IPVLAN_N_FIELDS = 5 };
extern const struct nctl_field nctl_ipvlan_fields[NCTL_IPVLAN_N_FIELDS];
uint64_t nctl_ipvlan_shown(const void *data, uint64_t has);
