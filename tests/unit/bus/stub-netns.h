/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "stub.h"

/* Makes the set of the fixture, with home in it, and ends it. */
int stub_start(struct fixture *f);
void stub_end(struct fixture *f);
