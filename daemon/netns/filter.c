/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The system calls that the daemon may make (seccomp(2), by libseccomp): what an event loop, threads, a
 * heap, netlink, a D-Bus connection and its own files need. No program is executed, no process is made,
 * signalled or looked into, no namespace entered, no memory made code; of sockets there are AF_UNIX and
 * NETLINK_ROUTE and NETLINK_GENERIC only. Anything else is EPERM, which the callers of such calls take for what it is.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>

#include <seccomp.h>

#include "base/cleanup.h"
#include "log/log.h"
#include "netns/drop.h"

static const int allowed[] = {
	/* files */
	SCMP_SYS(access),
	SCMP_SYS(close),
	SCMP_SYS(close_range),
	SCMP_SYS(dup),
	SCMP_SYS(dup2),
	SCMP_SYS(dup3),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(fadvise64),
	SCMP_SYS(fallocate),
	SCMP_SYS(fchmod),
	SCMP_SYS(fchmodat),
	SCMP_SYS(chmod),
	SCMP_SYS(fcntl),
	SCMP_SYS(fcntl64),
	SCMP_SYS(fdatasync),
	SCMP_SYS(flock),
	SCMP_SYS(fstat),
	SCMP_SYS(fstat64),
	SCMP_SYS(fstatat64),
	SCMP_SYS(newfstatat),
	SCMP_SYS(fstatfs),
	SCMP_SYS(statfs),
	SCMP_SYS(stat),
	SCMP_SYS(lstat),
	SCMP_SYS(statx),
	SCMP_SYS(fsync),
	SCMP_SYS(ftruncate),
	SCMP_SYS(ftruncate64),
	SCMP_SYS(getcwd),
	SCMP_SYS(getdents64),
	SCMP_SYS(lseek),
	SCMP_SYS(_llseek),
	SCMP_SYS(mkdir),
	SCMP_SYS(mkdirat),
	SCMP_SYS(open),
	SCMP_SYS(openat),
	SCMP_SYS(pread64),
	SCMP_SYS(preadv),
	SCMP_SYS(pwrite64),
	SCMP_SYS(pwritev),
	SCMP_SYS(read),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(readv),
	SCMP_SYS(rename),
	SCMP_SYS(renameat),
	SCMP_SYS(renameat2),
	SCMP_SYS(rmdir),
	SCMP_SYS(umask),
	SCMP_SYS(unlink),
	SCMP_SYS(unlinkat),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(memfd_create),
	SCMP_SYS(pipe),
	SCMP_SYS(pipe2),
	SCMP_SYS(inotify_init1),
	SCMP_SYS(inotify_add_watch),
	SCMP_SYS(inotify_rm_watch),
	/* waiting */
	SCMP_SYS(epoll_create),
	SCMP_SYS(epoll_create1),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_pwait2),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(eventfd2),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(select),
	SCMP_SYS(pselect6),
	SCMP_SYS(signalfd4),
	SCMP_SYS(timerfd_create),
	SCMP_SYS(timerfd_settime),
	SCMP_SYS(timerfd_gettime),
	SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(restart_syscall),
	/* sockets that are there */
	SCMP_SYS(accept),
	SCMP_SYS(accept4),
	SCMP_SYS(bind),
	SCMP_SYS(connect),
	SCMP_SYS(getpeername),
	SCMP_SYS(getsockname),
	SCMP_SYS(getsockopt),
	SCMP_SYS(listen),
	SCMP_SYS(recvfrom),
	SCMP_SYS(recvmmsg),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendmmsg),
	SCMP_SYS(sendmsg),
	SCMP_SYS(sendto),
	SCMP_SYS(setsockopt),
	SCMP_SYS(shutdown),
	/* memory and threads */
	SCMP_SYS(brk),
	SCMP_SYS(madvise),
	SCMP_SYS(membarrier),
	SCMP_SYS(mremap),
	SCMP_SYS(munmap),
	SCMP_SYS(futex),
	SCMP_SYS(futex_time64),
	SCMP_SYS(rseq),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_yield),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(set_tid_address),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	/* signals to itself */
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigpending),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigtimedwait),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(sigreturn),
	/* what it may ask about itself */
	SCMP_SYS(capget),
	SCMP_SYS(getegid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getgroups),
	SCMP_SYS(getpgrp),
	SCMP_SYS(getpid),
	SCMP_SYS(getppid),
	SCMP_SYS(getresgid),
	SCMP_SYS(getresuid),
	SCMP_SYS(getrlimit),
	SCMP_SYS(getrusage),
	SCMP_SYS(getsid),
	SCMP_SYS(gettid),
	SCMP_SYS(getuid),
	SCMP_SYS(sysinfo),
	SCMP_SYS(times),
	SCMP_SYS(uname),
	SCMP_SYS(getrandom),
	SCMP_SYS(clock_getres),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
};

#define BITS(i, mask, v)                                                                                     \
	{                                                                                                    \
		.arg = (i), .op = SCMP_CMP_MASKED_EQ, .datum_a = (mask), .datum_b = (v)                      \
	}
#define NULL_PTR(i)                                                                                          \
	{                                                                                                    \
		.arg = (i), .op = SCMP_CMP_EQ, .datum_a = 0                                                  \
	}
/* An int: the kernel does not look at the upper half of the register. */
#define INT(i, v) BITS(i, UINT32_MAX, v)
/* A kind of socket, without the flags that socket(2) takes beside it. */
#define TYPE(v)    BITS(1, UINT32_MAX & ~(uint32_t)(SOCK_CLOEXEC | SOCK_NONBLOCK), v)
#define NO_CODE(i) BITS(i, PROT_EXEC, 0)

enum { THREAD = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND };

static const struct limited {
	int call;
	unsigned n;
	struct scmp_arg_cmp args[3];
} limited[] = {
	{SCMP_SYS(socket), 1, {INT(0, AF_UNIX)}},
	{SCMP_SYS(socket), 3, {INT(0, AF_NETLINK), TYPE(SOCK_RAW), INT(2, NETLINK_ROUTE)}},
	{SCMP_SYS(socket), 3, {INT(0, AF_NETLINK), TYPE(SOCK_DGRAM), INT(2, NETLINK_ROUTE)}},
	{SCMP_SYS(socket), 3, {INT(0, AF_NETLINK), TYPE(SOCK_RAW), INT(2, NETLINK_GENERIC)}},
	{SCMP_SYS(socketpair), 1, {INT(0, AF_UNIX)}},
	/* Threads, no processes. */
	{SCMP_SYS(clone), 1, {BITS(0, THREAD, THREAD)}},
	{SCMP_SYS(mmap), 1, {NO_CODE(2)}},
	{SCMP_SYS(mmap2), 1, {NO_CODE(2)}},
	{SCMP_SYS(mprotect), 1, {NO_CODE(2)}},
	{SCMP_SYS(ioctl), 1, {INT(1, TCGETS)}},
	{SCMP_SYS(ioctl), 1, {INT(1, FIONBIO)}},
	{SCMP_SYS(ioctl), 1, {INT(1, FIONREAD)}},
	{SCMP_SYS(prctl), 1, {INT(0, PR_SET_NAME)}},
	{SCMP_SYS(prctl), 1, {INT(0, PR_GET_NAME)}},
	{SCMP_SYS(prctl), 1, {INT(0, PR_GET_DUMPABLE)}},
	/* Limits are read, not set. */
	{SCMP_SYS(prlimit64), 2, {INT(0, 0), NULL_PTR(2)}},
};

static int add_rules(scmp_filter_ctx f)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < NCTL_ARRAY_SIZE(allowed); i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, allowed[i], 0);
	for (size_t i = 0; r == 0 && i < NCTL_ARRAY_SIZE(limited); i++)
		r = seccomp_rule_add_array(f, SCMP_ACT_ALLOW, limited[i].call, limited[i].n, limited[i].args);
	/* Its arguments are in memory, out of the filter's sight; the C library goes on to clone(2). */
	if (r == 0)
		r = seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	/* abort(3). */
	if (r == 0)
		r = seccomp_rule_add(
			f, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
	return r;
}

int nd_filter_calls(void)
{
	scmp_filter_ctx f;
	int r;

#ifdef ND_SANITIZED
	nd_debug("built with a sanitizer, which needs system calls of its own: they are not filtered");
	return 1;
#endif
	/* A kernel that can do it finds no filter at NULL. */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) < 0 && errno != EFAULT) {
		nd_warn("this kernel cannot filter system calls: going on without");
		return 1;
	}
	f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!f)
		return -ENOMEM;
	/* A binary tree, for hundreds of thousands of calls a second. */
	r = seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (r == 0)
		r = add_rules(f);
	if (r == 0)
		r = seccomp_load(f);
	seccomp_release(f);
	return r;
}
