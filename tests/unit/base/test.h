/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* cmocka.h wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
