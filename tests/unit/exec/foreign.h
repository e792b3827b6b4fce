/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fake/fake.h"
#include "net/types.h"

/* What somebody else does in a namespace of a fake kernel. 0 or the kernel's errno. */

int foreign_new(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, const char *name, const char *kind,
	nctl_ifindex lower);
/* A pair: one end in netns, the other one in a namespace that netns knows as nsid. */
int foreign_pair(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, const char *name, nctl_nsid nsid,
	nctl_ifindex far_ifindex, const char *far_name);
int foreign_del(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex);
int foreign_up(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, bool up);
int foreign_mtu(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, nctl_mtu mtu);
int foreign_name(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, const char *name);
int foreign_addr(struct nctl_fake *f, uint64_t netns, nctl_ifindex ifindex, const char *prefix, bool add);
