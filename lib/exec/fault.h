/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * For tests, and only in builds with them: the n-th operation (from 1) of the run that is started next is
 * refused as if by the kernel, or kills the process when all before it are answered for.
 */
struct nctl_hub;
enum nctl_fault_type { NCTL_FAULT_NONE, NCTL_FAULT_REFUSE, NCTL_FAULT_KILL };
struct nctl_fault {
	enum nctl_fault_type type;
	size_t n; /* operations until then */
};

#ifdef NCTL_TEST_FAULTS
void nctl_hub_fault(struct nctl_hub *h, enum nctl_fault_type type, size_t n);
#else
static inline void nctl_hub_fault(struct nctl_hub *h, enum nctl_fault_type type, size_t n)
{
	(void)h;
	(void)type;
	(void)n;
}
#endif
