/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: nswalk [-a] [-d DIR] [-s SYSCTL]... [-p PID=LABEL]... [NAME...]: enters every namespace named in DIR
 * (/run/netns), or these names only, and the namespaces of these processes, and prints what is there by the
 * kernel's own word, in a second's time for thousands. It is the witness of the tests: it shares no code with
 * what it is to check. A line begins with the namespace's name (or LABEL); the order is that of the names,
 * then of the ifindexes:
 *
 *   t1 netns COOKIE
 *   t1 link IFINDEX NAME up|down KIND master IFINDEX peer IFINDEX oper STATE   (0: none)
 *   t1 address IFINDEX 10.0.0.1/24 [tentative]                     (-a: also those of link and host scope)
 *   t1 sysctl net.ipv4.ip_forward 1
 *   t1 broken REASON                                               no namespace is mounted there
 *
 * Exit status 1 if anything but a broken name went wrong.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_link.h>
#include <linux/magic.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <dirent.h>
#include <libmnl/libmnl.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

enum { LIST_MAX = 16, DUMP_BYTES = 64 * 1024 };

struct walk {
	const char *dir;
	const char *sysctls[LIST_MAX];
	size_t n_sysctls;
	const char *processes[LIST_MAX]; /* PID=LABEL */
	size_t n_processes;
	bool all_scopes;
	bool failed;
	const char *label; /* of the namespace that we are in */
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in dir, sorted; all to be freed. A folder that is not there is empty. */
static char **list_names(const char *dir, size_t *ret_n)
{
	DIR *d = opendir(dir);
	char **names = NULL;
	size_t n = 0, cap = 0;
	struct dirent *e;

	if (!d && errno != ENOENT)
		err(1, "%s", dir);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' && (!e->d_name[1] || !strcmp(e->d_name, "..")))
			continue;
		if (n == cap) {
			cap = cap ? 2 * cap : 64;
			names = realloc(names, cap * sizeof(*names));
		}
		if (!names || !(names[n++] = strdup(e->d_name)))
			err(1, "memory");
	}
	if (d)
		closedir(d);
	if (n)
		qsort(names, n, sizeof(*names), by_name);
	*ret_n = n;
	return names;
}

static void on_link(const struct walk *w, const struct nlmsghdr *h)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(h);
	const char *name = "?", *kind = "-";
	uint32_t master = 0, peer = 0, oper = 0;
	const struct nlattr *a, *b;

	mnl_attr_for_each(a, h, sizeof(*ifi))
	{
		switch (mnl_attr_get_type(a)) {
		case IFLA_IFNAME:
			name = mnl_attr_get_str(a);
			break;
		case IFLA_MASTER:
			master = mnl_attr_get_u32(a);
			break;
		case IFLA_LINK:
			peer = mnl_attr_get_u32(a);
			break;
		case IFLA_OPERSTATE:
			oper = mnl_attr_get_u8(a);
			break;
		case IFLA_LINKINFO:
			mnl_attr_for_each_nested(b, a)
			{
				if (mnl_attr_get_type(b) == IFLA_INFO_KIND)
					kind = mnl_attr_get_str(b);
			}
			break;
		}
	}
	printf("%s link %d %s %s %s master %" PRIu32 " peer %" PRIu32 " oper %" PRIu32 "\n", w->label,
		ifi->ifi_index, name, ifi->ifi_flags & IFF_UP ? "up" : "down", kind, master, peer, oper);
}

static void on_address(const struct walk *w, const struct nlmsghdr *h)
{
	const struct ifaddrmsg *ifa = mnl_nlmsg_get_payload(h);
	const void *address = NULL;
	char text[INET6_ADDRSTRLEN];
	const struct nlattr *a;

	if (!w->all_scopes && ifa->ifa_scope != RT_SCOPE_UNIVERSE)
		return;
	mnl_attr_for_each(a, h, sizeof(*ifa))
	{
		if (mnl_attr_get_type(a) == IFA_LOCAL || (mnl_attr_get_type(a) == IFA_ADDRESS && !address))
			address = mnl_attr_get_payload(a);
	}
	if (address && inet_ntop(ifa->ifa_family, address, text, sizeof(text)))
		printf("%s address %u %s/%u%s\n", w->label, ifa->ifa_index, text, ifa->ifa_prefixlen,
			ifa->ifa_flags & IFA_F_TENTATIVE ? " tentative" : "");
}

static int on_message(const struct nlmsghdr *h, void *userdata)
{
	if (h->nlmsg_type == RTM_NEWLINK)
		on_link(userdata, h);
	else if (h->nlmsg_type == RTM_NEWADDR)
		on_address(userdata, h);
	return MNL_CB_OK;
}

static void dump(struct walk *w, int fd, uint16_t type, size_t header)
{
	static char buf[DUMP_BYTES];
	char request[64] = {0};
	struct nlmsghdr *h = mnl_nlmsg_put_header(request);
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	static unsigned seq;
	int r = MNL_CB_OK;

	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	h->nlmsg_seq = ++seq;
	mnl_nlmsg_put_extra_header(h, header);
	if (sendto(fd, h, h->nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		err(1, "dump");
	while (r == MNL_CB_OK) {
		ssize_t n = recv(fd, buf, sizeof(buf), 0);

		if (n < 0)
			err(1, "dump");
		r = mnl_cb_run(buf, (size_t)n, seq, 0, on_message, w);
	}
	if (r < 0) {
		warn("%s: dump", w->label);
		w->failed = true;
	}
}

static void show_sysctl(struct walk *w, const char *name)
{
	char path[256], value[256] = "";
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	for (char *p = path + strlen("/proc/sys/"); *p; p++)
		if (*p == '.')
			*p = '/';
	f = fopen(path, "re");
	if (f) {
		n = fread(value, 1, sizeof(value) - 1, f);
		fclose(f);
	}
	value[n] = '\0';
	value[strcspn(value, "\n")] = '\0';
	printf("%s sysctl %s %s\n", w->label, name, f ? value : "missing");
}

static void show_namespace(struct walk *w)
{
	struct sockaddr_nl self = {.nl_family = AF_NETLINK};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (fd < 0 || bind(fd, (struct sockaddr *)&self, sizeof(self)) < 0)
		err(1, "netlink socket");
	(void)getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len);
	printf("%s netns %" PRIu64 "\n", w->label, cookie);
	dump(w, fd, RTM_GETLINK, sizeof(struct ifinfomsg));
	dump(w, fd, RTM_GETADDR, sizeof(struct ifaddrmsg));
	close(fd);
	for (size_t i = 0; i < w->n_sysctls; i++)
		show_sysctl(w, w->sysctls[i]);
}

static void walk_into(struct walk *w, const char *path, const char *label)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct statfs fs;

	w->label = label;
	if (fd < 0 || fstatfs(fd, &fs) < 0)
		printf("%s broken %s\n", label, strerror(errno));
	else if (fs.f_type != NSFS_MAGIC)
		printf("%s broken nothing is mounted there\n", label);
	else if (setns(fd, CLONE_NEWNET) < 0)
		printf("%s broken %s\n", label, strerror(errno));
	else
		show_namespace(w);
	if (fd >= 0)
		close(fd);
}

static void walk_process(struct walk *w, const char *text)
{
	const char *label = strchr(text, '=');
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", atoi(text));
	walk_into(w, path, label ? label + 1 : text);
}

static void walk_names(struct walk *w, char *const *names, size_t n)
{
	char path[4096];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", w->dir, names[i]);
		walk_into(w, path, names[i]);
	}
}

int main(int argc, char **argv)
{
	static struct walk w = {.dir = "/run/netns"};
	char **names;
	size_t n;
	int c;

	while ((c = getopt(argc, argv, "ad:s:p:")) >= 0) {
		if (c == 'a')
			w.all_scopes = true;
		else if (c == 'd')
			w.dir = optarg;
		else if (c == 's' && w.n_sysctls < LIST_MAX)
			w.sysctls[w.n_sysctls++] = optarg;
		else if (c == 'p' && w.n_processes < LIST_MAX)
			w.processes[w.n_processes++] = optarg;
		else
			errx(2, "usage: nswalk [-a] [-d DIR] [-s SYSCTL]... [-p PID=LABEL]... [NAME...]");
	}
	if (optind < argc) {
		walk_names(&w, argv + optind, (size_t)(argc - optind));
	} else {
		names = list_names(w.dir, &n);
		walk_names(&w, names, n);
		for (size_t i = 0; i < n; i++)
			free(names[i]);
		free(names);
	}
	for (size_t i = 0; i < w.n_processes; i++)
		walk_process(&w, w.processes[i]);
	return w.failed || fflush(stdout) || ferror(stdout) ? 1 : 0;
}
