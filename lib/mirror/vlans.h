/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mirror/mirror.h"
#include "obj/vlans.h"

/* Is there a bridge? Else no link has VLANs of that sort, and the dump need not be made. */
bool nctl_mirror_has_vlans(const struct nctl_mirror *m);
/* All VLANs of a bridge or a port; takes the reference. A dump of them belongs behind that of the links. */
void nctl_mirror_link_vlans_put(
	struct nctl_mirror *m, nctl_ifindex ifindex, struct nctl_vlans *vlans, enum nctl_source src);
