/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: what the helper may do, should it ever be made to do something else: five capabilities, and the system
 * calls that its operations are made of, some of them with one purpose only. Called by the keeper and by
 * channels.c.
 */

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/nsfs.h>

#include "base/cleanup.h"
#include "helper/private.h"

static const unsigned kept[] = {
	CAP_SYS_ADMIN,     /* unshare(2), setns(2), mount(2): all that has to do with namespaces */
	CAP_NET_ADMIN,     /* nsids, links that move, sysctls, receive buffers past the limit */
	CAP_NET_BROADCAST, /* netlink sockets that hear all namespaces: asked of who opens them */
	CAP_NET_RAW,       /* raw sockets in other namespaces, for path MTU discovery */
	CAP_SYS_PTRACE,    /* /proc/PID/ns/net of others' processes */
};

static uint64_t kept_mask(void)
{
	uint64_t mask = 0;
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(kept); i++)
		mask |= UINT64_C(1) << kept[i];
	return mask;
}

int nd_confine_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	uint64_t keep = kept_mask();
	unsigned long cap;
	size_t i;

	/* The bounding set first, as that needs a capability itself. */
	for (cap = 0; cap < 64 && prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (!(keep >> cap & 1) && prctl(PR_CAPBSET_DROP, cap) < 0)
			return -errno;
	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	if (!(data[0].permitted & UINT32_C(1) << CAP_SYS_ADMIN))
		return -EPERM;
	for (i = 0; i < NCTL_ARRAY_SIZE(data); i++) {
		data[i].permitted &= (uint32_t)(keep >> (32 * i));
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
		syscall(SYS_capset, &header, data) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return 0;
}

/* With any arguments. */
static const int allowed[] = {
	/* messages and netlink */
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendmsg),
	SCMP_SYS(recvfrom),
	SCMP_SYS(sendto),
	SCMP_SYS(bind),
	SCMP_SYS(setsockopt),
	SCMP_SYS(getsockopt),
	SCMP_SYS(getsockname),
	/* files */
	SCMP_SYS(open),
	SCMP_SYS(openat),
	SCMP_SYS(openat2),
	SCMP_SYS(fsopen),
	SCMP_SYS(fsconfig),
	SCMP_SYS(fsmount),
	SCMP_SYS(read),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(close),
	SCMP_SYS(fcntl),
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(lstat),
	SCMP_SYS(stat),
	SCMP_SYS(statx),
	SCMP_SYS(statfs),
	SCMP_SYS(fstatfs),
	SCMP_SYS(getdents64),
	SCMP_SYS(lseek),
	SCMP_SYS(mkdir),
	SCMP_SYS(mkdirat),
	SCMP_SYS(unlink),
	SCMP_SYS(unlinkat),
	SCMP_SYS(flock),
	/* memory, threads and time */
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(madvise),
	SCMP_SYS(mremap),
	SCMP_SYS(futex),
	SCMP_SYS(gettid),
	SCMP_SYS(getpid),
	SCMP_SYS(geteuid),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq),
	SCMP_SYS(sched_yield),
	SCMP_SYS(getrandom),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(pause),
	SCMP_SYS(ppoll),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
#ifdef __SANITIZE_ADDRESS__
	/* for what the sanitizer does on its own */
	SCMP_SYS(sigaltstack),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(prctl),
	SCMP_SYS(readlink),
	SCMP_SYS(tgkill),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(prlimit64),
	SCMP_SYS(getuid),
	SCMP_SYS(kill),
#endif
};

/* With one argument as it is meant. */
static const struct limited {
	int call;
	struct scmp_arg_cmp argument;
} limited[] = {
	{SCMP_SYS(socket), {0, SCMP_CMP_EQ, AF_UNIX, 0}},
	{SCMP_SYS(socket), {0, SCMP_CMP_EQ, AF_NETLINK, 0}},
	{SCMP_SYS(setns), {1, SCMP_CMP_EQ, CLONE_NEWNET, 0}},
	{SCMP_SYS(unshare), {0, SCMP_CMP_EQ, CLONE_NEWNET, 0}},
	{SCMP_SYS(mount), {3, SCMP_CMP_EQ, MS_BIND, 0}},
	{SCMP_SYS(mount), {3, SCMP_CMP_EQ, MS_BIND | MS_REC, 0}},
	{SCMP_SYS(mount), {3, SCMP_CMP_EQ, MS_SHARED | MS_REC, 0}},
	{SCMP_SYS(umount2), {1, SCMP_CMP_EQ, MNT_DETACH | UMOUNT_NOFOLLOW, 0}},
	{SCMP_SYS(mknodat), {2, SCMP_CMP_EQ, S_IFREG, 0}}, /* the file for a name, but no device */
	{SCMP_SYS(ioctl), {1, SCMP_CMP_EQ, NS_GET_NSTYPE, 0}},
	/* No memory becomes code. */
	{SCMP_SYS(mmap), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
	{SCMP_SYS(mprotect), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
};

static int add_rules(scmp_filter_ctx filter)
{
	size_t i;
	int r;

	for (i = 0; i < NCTL_ARRAY_SIZE(allowed); i++) {
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
		if (r < 0)
			return r;
	}
	for (i = 0; i < NCTL_ARRAY_SIZE(limited); i++) {
		r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, limited[i].call, 1, &limited[i].argument);
		if (r < 0)
			return r;
	}
	return 0;
}

int nd_confine_calls(void)
{
	scmp_filter_ctx filter;
	int r;

	if (prctl(PR_GET_SECCOMP) < 0 && errno == EINVAL) {
		fprintf(stderr, "netctld-helper: this kernel cannot filter system calls; going on without\n");
		return 0;
	}
	/* Refused, not fatal: a C library that needs another call has a fall-back, or the operation fails. */
	filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!filter)
		return -ENOMEM;
	r = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (r == 0)
		r = add_rules(filter);
	if (r == 0)
		r = seccomp_load(filter);
	seccomp_release(filter);
	return r;
}
