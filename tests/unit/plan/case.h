/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "test.h"
#include "world.h"

/* What most tests of plans begin with: a world for each case. Included once, by the test. */

static struct world w;

static int setup(void **state)
{
	(void)state;
	world_init(&w);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_fini(&w);
	return 0;
}

__attribute__((unused)) static void plan_is(const char *body, const char *text)
{
	world_expect(world_plan(&w, body, false), text);
}

__attribute__((unused)) static void recreate_is(const char *body, const char *text)
{
	world_expect(world_plan(&w, body, true), text);
}
