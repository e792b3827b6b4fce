/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "exec/fault.h"
#include "exec/hub.h"

/*
 * For tests, and only in builds with them: the file that NETCTLD_TEST_FAULT names says how the next run is to
 * fail, as "refuse N" or "kill N" of an apply, and "kill-back N" of the way back, a line each.
 */
#ifdef NCTL_TEST_FAULTS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void nd_fault(struct nctl_hub *h, bool back)
{
	const char *path = getenv("NETCTLD_TEST_FAULT");
	FILE *f = path ? fopen(path, "re") : NULL;
	char word[16];
	size_t n;

	if (!f)
		return;
	while (fscanf(f, "%15s %zu", word, &n) == 2 && n) {
		if (!back && !strcmp(word, "refuse"))
			nctl_hub_fault(h, NCTL_FAULT_REFUSE, n);
		else if (!strcmp(word, back ? "kill-back" : "kill"))
			nctl_hub_fault(h, NCTL_FAULT_KILL, n);
	}
	fclose(f);
}
#else
static inline void nd_fault(struct nctl_hub *h, bool back)
{
	(void)h;
	(void)back;
}
#endif
