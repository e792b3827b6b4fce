/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "obj/kind.h"

/* Of a PEERED kind: writes the peer's whole message into IFLA_INFO_DATA, or nothing without a peer. */
void nctl_pair_encode(const struct nctl_link *link, const struct nctl_link *peer, struct nctl_msgbuf *msg);
