/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <string.h>

#include "base/strbuf.h"
#include "plan/want.h"

/* All that is wanted of routing, a line each. */
void put_routing(const struct nctl_want *w, struct nctl_strbuf *out);
