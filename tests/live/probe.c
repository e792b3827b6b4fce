/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Gives up its privileges as netctld does, then says what it is and tries what must and what must not
 *work:
 *
 *	probe RUNTIME_DIR USER CONFIG_DIR NAMESPACE
 *
 * A line each: "WHAT: allowed", or "WHAT: " and the name of the errno. What only the filter of system calls
 *refuses is "filter-WHAT", and "filter-WHAT: no filter" where there is none. What must work begins with
 *"can-". Wants a network and a mount namespace that are the test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "log/log.h"
#include "netns/helper.h"
#include "netns/privileges.h"

static void say(const char *what, long r)
{
	printf("%s: %s\n", what, r >= 0 ? "allowed" : strerrorname_np(errno));
	fflush(stdout);
}

static int print_status(void)
{
	static const char *const keys[] = {"Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp:"};
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	int filter = 0;

	while (f && fgets(line, sizeof(line), f)) {
		for (size_t i = 0; i < NCTL_ARRAY_SIZE(keys); i++)
			if (strncmp(line, keys[i], strlen(keys[i])) == 0)
				fputs(line, stdout);
		sscanf(line, "Seccomp: %d", &filter);
	}
	if (f)
		fclose(f);
	return filter;
}

static void try_forbidden(int netns_fd)
{
	say("setns", setns(netns_fd, CLONE_NEWNET));
	say("unshare", unshare(CLONE_NEWNET));
	say("mount", mount("none", "/mnt", "tmpfs", 0, NULL));
	say("shadow", open("/etc/shadow", O_RDONLY | O_CLOEXEC));
	say("packet", socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
	say("raw", socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP));
	say("kill", kill(1, 0));
	say("attach", ptrace(PTRACE_ATTACH, 1, NULL, NULL));
	say("setuid", getuid() ? setuid(0) : (errno = EPERM, -1));
	say("capability", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21UL /* SYS_ADMIN */, 0, 0));
}

static void *map_code(void *p)
{
	return mmap(p, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Without the filter, some of them would end this program. */
static void try_filtered(bool filter)
{
	static const char *const names[] = {"execve", "fork", "kill", "ptrace", "inet", "netfilter", "code",
		"protect", "userns", "bpf", "uring", "limit"};
	char *argv[] = {(char[]){"/bin/true"}, NULL};
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct {
		unsigned long soft, hard;
	} limit = {100, 100};

	for (size_t i = 0; !filter && i < NCTL_ARRAY_SIZE(names); i++)
		printf("filter-%s: no filter\n", names[i]);
	if (!filter)
		return;
	say("filter-execve", execve(argv[0], argv, NULL));
	say("filter-fork", syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
	say("filter-kill", kill(getpid(), 0));
	say("filter-ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	say("filter-inet", socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	say("filter-netfilter", socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
	say("filter-code", map_code(NULL) == MAP_FAILED ? -1 : 0);
	say("filter-protect", mprotect(page, 4096, PROT_READ | PROT_EXEC));
	say("filter-userns", unshare(CLONE_NEWUSER));
	say("filter-bpf", syscall(SYS_bpf, 0, NULL, 0));
	say("filter-uring", syscall(SYS_io_uring_setup, 1, NULL));
	say("filter-limit", syscall(SYS_prlimit64, 0, 7, &limit, NULL));
}

/* Is one of the messages the last of an answer? *r: its error, if it has one. */
static bool is_end(const struct nctl_dgram *d, int *r)
{
	const struct nlmsghdr *h = d->buf;
	size_t left = d->len;

	for (; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
		if (h->nlmsg_type == NLMSG_ERROR)
			*r = ((const struct nlmsgerr *)NLMSG_DATA(h))->error;
		if (h->nlmsg_type == NLMSG_ERROR || h->nlmsg_type == NLMSG_DONE)
			return true;
	}
	return false;
}

static int transact(struct nctl_transport *t, void *msg, size_t len)
{
	_Alignas(8) char buf[32768];
	struct nctl_dgram d = {.buf = buf, .cap = sizeof(buf)};
	int r = t->ops->send(t, msg, len);

	while (r == 0) {
		r = t->ops->wait(t, nctl_time_add_ms(nctl_time_now(), 10000));
		if (r == 0)
			r = t->ops->recv(t, &d, 1) == 1 ? 0 : -EIO;
		if (r == 0 && is_end(&d, &r))
			break;
	}
	errno = -r;
	return r < 0 ? -1 : 0;
}

static int dump_links(struct nctl_transport *t)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg i;
	} m = {{sizeof(m), RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0}, {0}};

	return transact(t, &m, sizeof(m));
}

static int make_link(struct nctl_transport *t)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg i;
		struct nlattr name;
		char name_v[8];
		struct nlattr info, kind;
		char kind_v[8];
	} m = {
		.h = {sizeof(m), RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, 1, 0},
		.name = {4 + 7, IFLA_IFNAME},
		.name_v = "probe0",
		.info = {4 + 4 + 8, IFLA_LINKINFO | NLA_F_NESTED},
		.kind = {4 + 5, IFLA_INFO_KIND},
		.kind_v = "veth",
	};

	return transact(t, &m, sizeof(m));
}

static int open_here(struct nctl_transport **ret)
{
	struct nctl_kernel *k = nctl_kernel_here();
	int r = k->open(k, NCTL_TRANSPORT_REQUEST, ret);

	errno = -r;
	return r < 0 ? -1 : 0;
}

static void *thread_main(void *arg)
{
	free(malloc(1 << 20));
	return arg;
}

static void try_threads(void)
{
	pthread_t t[4];
	int r = 0;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(t); i++)
		r |= pthread_create(&t[i], NULL, thread_main, NULL);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(t) && r == 0; i++)
		r |= pthread_join(t[i], NULL);
	errno = r;
	say("can-thread", -r);
}

static void try_files(const char *dir)
{
	char a[4096], b[4096];
	int fd, fds[2];

	snprintf(a, sizeof(a), "%s/a", dir);
	snprintf(b, sizeof(b), "%s/b", dir);
	fd = open(a, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	say("can-create", fd);
	say("can-write", write(fd, "x", 1));
	say("can-sync", fsync(fd));
	say("can-lock", flock(fd, LOCK_EX | LOCK_NB));
	say("can-rename", rename(a, b));
	say("can-unlink", unlink(b));
	say("can-memfd", memfd_create("probe", MFD_CLOEXEC));
	say("can-pipe", pipe2(fds, O_CLOEXEC | O_NONBLOCK));
	say("can-pipe-size", fcntl(fds[0], F_SETPIPE_SZ, 65536 * 2));
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	say("can-inotify", inotify_add_watch(fd, "/run/netns", IN_CREATE | IN_DELETE));
}

static void try_allowed(const char *dir)
{
	struct nctl_transport *t = NULL;
	struct epoll_event e = {.events = EPOLLIN};
	int fd = epoll_create1(EPOLL_CLOEXEC), event = eventfd(1, EFD_CLOEXEC);

	say("can-epoll", fd);
	say("can-eventfd", epoll_ctl(fd, EPOLL_CTL_ADD, event, &e));
	say("can-wait", epoll_wait(fd, &e, 1, 1000));
	say("can-timerfd", timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	try_threads();
	try_files(dir);
	say("can-netlink", open_here(&t));
	if (!t)
		return;
	say("can-dump", dump_links(t));
	say("link", make_link(t));
	nctl_transport_free(t);
}

struct asker {
	struct nd_loop *loop;
	struct nd_helper *helper;
	struct nctl_kernel *kernel;
	struct nd_wake wake;
	struct nd_timer guard;
	uint64_t cookie;
	int opened;
};

static void on_guard(struct nd_timer *t)
{
	errno = ETIMEDOUT;
	say("can-helper", -1);
	nd_loop_stop(t->loop, 1);
}

static void helper_said(const char *what, const struct nd_helper_answer *a)
{
	errno = -a->error;
	if (a->text)
		fprintf(stderr, "# %s: %s\n", what, a->text);
	say(what, a->error);
}

static void on_deleted(const struct nd_helper_answer *a, void *userdata)
{
	struct asker *k = userdata;

	helper_said("can-helper-delete", a);
	nd_loop_stop(k->loop, 0);
}

/* As the requester's thread does. */
static void *open_there(void *arg)
{
	struct asker *k = arg;
	struct nctl_transport *t = NULL;
	int r = k->kernel->open(k->kernel, NCTL_TRANSPORT_REQUEST, &t);

	errno = -r;
	say("can-helper-socket", r);
	if (r == 0) {
		say("can-dump-there", dump_links(t));
		say("can-link-there", make_link(t));
	}
	nctl_transport_free(t);
	nd_wake_send(&k->wake);
	return NULL;
}

static void on_opened(struct nd_wake *w)
{
	struct asker *k = w->userdata;

	nctl_kernel_unref(k->kernel);
	nd_helper_delete(k->helper, "probe", k->cookie, on_deleted, k);
}

static void on_joined(const struct nd_helper_answer *a, void *userdata)
{
	struct nd_netns_ref ref = {.name = "probe", .cookie = a->cookie};
	struct asker *k = userdata;
	pthread_t thread;

	helper_said("can-helper-join", a);
	k->cookie = a->cookie;
	if (a->error || nd_helper_kernel_new(k->helper, &ref, &k->kernel) < 0 ||
		pthread_create(&thread, NULL, open_there, k) != 0)
		nd_loop_stop(k->loop, 1);
	else
		pthread_detach(thread);
}

static void on_created(const struct nd_helper_answer *a, void *userdata)
{
	struct asker *k = userdata;

	helper_said("can-helper-create", a);
	if (nd_helper_join(k->helper, &(struct nd_netns_ref){.name = "probe"}, on_joined, k) < 0)
		nd_loop_stop(k->loop, 1);
}

static void on_files(const struct nd_helper_answer *a, void *userdata)
{
	char c;

	(void)userdata;
	helper_said("can-helper-files", a);
	for (size_t i = 0; i < a->n; i++) {
		printf("file: %s %s\n", a->values[i],
			read(a->fds[i], &c, 1) == 1 ? "readable" : "not readable");
		say("file-itself", open(a->values[i], O_RDONLY | O_CLOEXEC));
	}
}

static void on_prepared(const struct nd_helper_answer *a, void *userdata)
{
	(void)userdata;
	helper_said("can-helper-prepare", a);
}

static void on_alive(bool yes, void *userdata)
{
	struct asker *k = userdata;

	if (!yes)
		return;
	nd_helper_open_files(k->helper, on_files, k);
	nd_helper_prepare(k->helper, on_prepared, k);
	nd_helper_create(k->helper, "probe", false, on_created, k);
}

static int try_helper(int control)
{
	struct asker k = {0};
	int r = nd_loop_new(&k.loop);

	if (r == 0)
		r = nd_helper_new(k.loop, control, on_alive, &k, &k.helper);
	if (r < 0)
		return r;
	nd_timer_init(&k.guard, k.loop, on_guard, &k);
	nd_timer_set(&k.guard, nctl_time_add_ms(nctl_time_now(), 30000));
	nd_wake_init(&k.wake, k.loop, on_opened, &k);
	r = nd_loop_run(k.loop);
	nd_timer_stop(&k.guard);
	nd_wake_stop(&k.wake);
	nd_helper_free(k.helper);
	nd_loop_free(k.loop);
	return r;
}

int main(int argc, char **argv)
{
	const char *paths[1];
	struct nd_privileges p = {.paths = paths, .n_paths = 1};
	int netns = open(argc == 5 ? argv[4] : "", O_RDONLY | O_CLOEXEC), control = -1, r;

	if (netns < 0)
		return 2;
	nd_log_open("probe", 7);
	p.runtime_dir = argv[1];
	p.user = argv[2];
	paths[0] = argv[3];
	r = nd_privileges_drop(&p, &control);
	if (r < 0) {
		printf("drop: %s\n", strerrorname_np(-r));
		return 3;
	}
	printf("helper: %s\n", control >= 0 ? "yes" : "no");
	fflush(stdout);
	try_filtered(print_status() == 2);
	try_forbidden(netns);
	if (control >= 0 && try_helper(control) != 0)
		return 1;
	try_allowed(argv[1]);
	return 0;
}
