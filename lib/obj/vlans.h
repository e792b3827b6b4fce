/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nctl_json;

enum {
	NCTL_VLAN_PVID = 1 << 0,     /* untagged frames that come in are of it */
	NCTL_VLAN_UNTAGGED = 1 << 1, /* frames of it leave without a tag */
};

/* VLANs first..last of a bridge or a port of it, with equal flags. */
struct nctl_vlan_range {
	uint16_t first, last; /* 1..4094 */
	uint16_t flags;       /* NCTL_VLAN_* */
};

/*
 * The VLANs of a bridge or a port, in ascending order, neighbours with equal flags in one range (but for a
 * PVID, which stands alone). Shared by reference count, as a link's versions mostly have the same; never
 * changed once made. NULL stands for none.
 */
struct nctl_vlans {
	uint32_t refs, n;
	struct nctl_vlan_range v[];
};

/* A copy of n ranges in any order (a later one wins where two speak of one VLAN); NULL for none. Ranges that
 * end before they begin or behind 4095 are left out. 0 or -ENOMEM. */
int nctl_vlans_new(const struct nctl_vlan_range *v, size_t n, struct nctl_vlans **ret);
struct nctl_vlans *nctl_vlans_ref(struct nctl_vlans *s);
struct nctl_vlans *nctl_vlans_unref(struct nctl_vlans *s); /* gives NULL */
bool nctl_vlans_equal(const struct nctl_vlans *a, const struct nctl_vlans *b);

/*
 * New sets from old ones: VLANs of a that b has not (flags: or has with other flags), or has, too; all that s
 * has not. 0 or -ENOMEM.
 */
int nctl_vlans_except(
	const struct nctl_vlans *a, const struct nctl_vlans *b, bool flags, struct nctl_vlans **ret);
int nctl_vlans_common(const struct nctl_vlans *a, const struct nctl_vlans *b, struct nctl_vlans **ret);
int nctl_vlans_others(const struct nctl_vlans *s, struct nctl_vlans **ret);
/* All of them with the same flags; any of them. */
bool nctl_vlans_has_all(const struct nctl_vlans *s, const struct nctl_vlans *all);
bool nctl_vlans_has_any(const struct nctl_vlans *s, const struct nctl_vlans *any);
const struct nctl_vlan_range *nctl_vlans_pvid(const struct nctl_vlans *s); /* or NULL */

/* The array behind "vlans" as `bridge -compressvlans -j vlan` prints it. */
void nctl_vlans_json(const struct nctl_vlans *s, struct nctl_json *json);
