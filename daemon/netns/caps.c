/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The capabilities of this process (capabilities(7)), by the system calls themselves: three of them are
 * all that is needed, and a library would have to be told the same.
 */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/capability.h>

#include "netns/drop.h"

enum { CAPS_MAX = 64 };

struct caps {
	struct __user_cap_data_struct v[_LINUX_CAPABILITY_U32S_3];
};

static int caps_get(struct caps *c)
{
	struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};

	return syscall(SYS_capget, &h, c->v) < 0 ? -errno : 0;
}

uint64_t nd_caps_effective(void)
{
	struct caps c;

	return caps_get(&c) < 0 ? 0 : c.v[0].effective | (uint64_t)c.v[1].effective << 32;
}

uint64_t nd_caps_left(void)
{
	uint64_t left = 0;
	struct caps c;

	if (caps_get(&c) < 0)
		return UINT64_MAX;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		left |= (uint64_t)(c.v[i].effective | c.v[i].permitted | c.v[i].inheritable) << (32 * i);
	for (unsigned long cap = 0; cap < CAPS_MAX; cap++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) > 0)
			left |= UINT64_C(1) << cap;
	return left;
}

int nd_caps_empty_bounds(void)
{
	if (!(nd_caps_effective() & UINT64_C(1) << CAP_SETPCAP))
		return 0;
	/* EINVAL: the kernel knows no more of them. */
	for (unsigned long cap = 0; cap < CAPS_MAX; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			return errno == EINVAL && cap > 0 ? 0 : -errno;
	return 0;
}

int nd_caps_limit(uint64_t keep)
{
	struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct caps c;
	int r = caps_get(&c);

	if (r < 0)
		return r;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -errno;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		c.v[i].permitted &= (uint32_t)(keep >> (32 * i));
		c.v[i].effective = c.v[i].permitted;
		c.v[i].inheritable = 0;
	}
	return syscall(SYS_capset, &h, c.v) < 0 ? -errno : 0;
}
