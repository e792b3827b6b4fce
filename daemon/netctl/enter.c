/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What netctl does with namespaces itself, without the daemon: run a command in one as "ip netns exec"
 * does (its own mounts, with /sys of that namespace and the files of /etc/netns/NAME over those of /etc), and
 * tell which processes and names belong together, by the inode of the namespace.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/filename.h"
#include "base/json.h"
#include "base/num.h"
#include "netctl/cli.h"

#define ETC_DIR "/etc/netns"

enum { CANNOT_EXEC = 126, NOT_FOUND = 127 }; /* as of env(1) */

/* Room for a folder, a slash and one name. */
typedef char path_buf[sizeof(ETC_DIR) + 2 * (NAME_MAX + 2)];

static int open_netns(const char *name, int *ret_fd)
{
	path_buf path;
	int fd, status;

	snprintf(path, sizeof(path), CLI_NETNS_DIR "/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		*ret_fd = fd;
		return CLI_OK;
	}
	status = errno == ENOENT ? CLI_DIFFERENT : CLI_USAGE;
	cli_error("Cannot open network namespace \"%s\": %m", name); /* ip(8)'s words */
	return status;
}

/* A /sys that shows the devices of the namespace that we are in; read-only where it was that. */
static int mount_sys(const char *name)
{
	unsigned long flags = 0;
	struct statvfs st;

	if (statvfs("/sys", &st) == 0 && st.f_flag & ST_RDONLY)
		flags = MS_RDONLY;
	(void)umount2("/sys", MNT_DETACH);
	if (mount(name, "/sys", "sysfs", flags, NULL) == 0)
		return CLI_OK;
	cli_error("cannot mount /sys: %m");
	return CLI_USAGE;
}

/* The files of /etc/netns/NAME over those of /etc. One that cannot be, since there is none, is told and left.
 */
static void bind_etc(const char *name)
{
	path_buf dir, from, to;
	struct dirent *d;
	DIR *entries;

	snprintf(dir, sizeof(dir), ETC_DIR "/%s", name);
	entries = opendir(dir);
	if (!entries)
		return;
	while ((d = readdir(entries))) {
		if (!nctl_is_file_name(d->d_name))
			continue;
		snprintf(from, sizeof(from), ETC_DIR "/%s/%s", name, d->d_name);
		snprintf(to, sizeof(to), "/etc/%s", d->d_name);
		if (mount(from, to, "none", MS_BIND, NULL) < 0)
			cli_error("cannot put %s over %s: %m", from, to);
	}
	closedir(entries);
}

static int enter(const char *name)
{
	_cleanup_(nctl_closep) int fd = -1;
	int status = open_netns(name, &fd);

	if (status != CLI_OK)
		return status;
	if (setns(fd, CLONE_NEWNET) < 0) {
		/* ip(8)'s words */
		cli_error("setting the network namespace \"%s\" failed: %m", name);
		return CLI_USAGE;
	}
	/* What is mounted here stays here; what others mount later is seen. */
	if (unshare(CLONE_NEWNS) < 0 || mount("", "/", "none", MS_SLAVE | MS_REC, NULL) < 0) {
		cli_error("cannot make mounts of its own: %m");
		return CLI_USAGE;
	}
	status = mount_sys(name);
	if (status == CLI_OK)
		bind_etc(name);
	return status;
}

/* Does not return unless it fails. */
static int become(const char *name, char *const *argv)
{
	int status = enter(name);

	if (status != CLI_OK)
		return status;
	fflush(NULL);
	execvp(argv[0], argv);
	status = errno == ENOENT ? NOT_FOUND : CANNOT_EXEC;
	cli_error("exec of \"%s\" failed: %m", argv[0]);
	return status;
}

/* The command's exit status; *ret_stop: the user has interrupted it. */
static int run_in(const char *name, char *const *argv, bool *ret_stop)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		cli_error("cannot start a process: %m");
		*ret_stop = true;
		return CLI_USAGE;
	}
	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		status = become(name, argv);
		fflush(NULL);
		_exit(status);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return CLI_USAGE;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	*ret_stop = WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGQUIT;
	return 128 + WTERMSIG(status);
}

/* Of the commands that fail, the first one's exit status; all are run. */
static int run_in_all(char *const *argv)
{
	_cleanup_(cli_names_fini) struct cli_names names = {.text = NCTL_STRBUF_INIT};
	int result, status;
	bool stop = false;

	result = cli_names_read(&names);
	if (result != CLI_OK)
		return result;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	for (const char *name = NULL; !stop && (name = cli_names_next(&names, name));) {
		fputs("netns: ", stdout);
		cli_text_pad(name, 0, CLI_BOLD);
		putchar('\n');
		status = run_in(name, argv, &stop);
		result = result == CLI_OK ? status : result;
	}
	return result;
}

int cli_enter_exec(const struct cli_request *q)
{
	int status;

	/* rest ends with NULL, as argv does. */
	if (q->all_netns)
		return run_in_all(q->rest);
	status = cli_name_check(q->rest[0]);
	return status == CLI_OK ? become(q->rest[0], q->rest + 1) : status;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int stat_process(const char *pid, struct stat *ret)
{
	char path[NAME_MAX + 32];

	snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
	return stat(path, ret) < 0 ? -errno : 0;
}

/* Prints an array, or its items as lines. */
static void put_item(const struct cli_request *q, struct nctl_json *json, const char *name, uint64_t number)
{
	if (q->json && name)
		nctl_json_str(json, name);
	else if (q->json)
		nctl_json_u64(json, number);
	else if (name)
		cli_text_pad(name, 0, CLI_PLAIN);
	else
		printf("%llu", (unsigned long long)number);
	if (!q->json)
		putchar('\n');
}

int cli_enter_identify(const struct cli_request *q)
{
	_cleanup_(cli_names_fini) struct cli_names names = {.text = NCTL_STRBUF_INIT};
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	const char *pid = cli_request_get(q, "pid");
	struct stat process, file;
	struct nctl_json json;
	path_buf path;
	uint32_t v;
	int r;

	if (pid && nctl_parse_u32(pid, 10, 1, INT_MAX, &v) < 0) {
		cli_error("Specified string '%s' is not a pid", pid); /* ip(8)'s words */
		return CLI_USAGE;
	}
	r = stat_process(pid ? pid : "self", &process);
	if (r < 0) {
		cli_error(
			"Cannot open network namespace of process %s: %s", pid ? pid : "self", strerror(-r));
		return r == -ENOENT ? CLI_DIFFERENT : CLI_USAGE;
	}
	r = cli_names_read(&names);
	if (r != CLI_OK)
		return r;
	nctl_json_init(&json, &out);
	nctl_json_arr_begin(&json);
	for (const char *name = NULL; (name = cli_names_next(&names, name));) {
		snprintf(path, sizeof(path), CLI_NETNS_DIR "/%s", name);
		if (stat(path, &file) == 0 && is_same(&process, &file))
			put_item(q, &json, name, 0);
	}
	nctl_json_arr_end(&json);
	if (q->json)
		puts(nctl_strbuf_str(&out));
	return CLI_OK;
}

static int compare_pids(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return (a > b) - (a < b);
}

/* The processes whose namespace is netns, into a strbuf of uint32_t. */
static int find_pids(const struct stat *netns, struct nctl_strbuf *pids)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	struct stat st;
	uint32_t pid;

	if (!proc) {
		cli_error("cannot read /proc: %m");
		return CLI_USAGE;
	}
	while ((d = readdir(proc)))
		if (nctl_parse_u32(d->d_name, 10, 1, INT_MAX, &pid) == 0 &&
			stat_process(d->d_name, &st) == 0 && is_same(&st, netns))
			nctl_strbuf_put(pids, &pid, sizeof(pid));
	closedir(proc);
	return CLI_OK;
}

int cli_enter_pids(const struct cli_request *q)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT, pids = NCTL_STRBUF_INIT;
	const char *name = cli_request_get(q, "name");
	_cleanup_(nctl_closep) int fd = -1;
	struct nctl_json json;
	struct stat netns;
	int status = cli_name_check(name);

	if (status == CLI_OK)
		status = open_netns(name, &fd);
	if (status == CLI_OK && fstat(fd, &netns) == 0)
		status = find_pids(&netns, &pids);
	if (status != CLI_OK)
		return status;
	if (pids.len)
		qsort(pids.s, pids.len / sizeof(uint32_t), sizeof(uint32_t), compare_pids);
	nctl_json_init(&json, &out);
	nctl_json_arr_begin(&json);
	for (size_t i = 0; i < pids.len; i += sizeof(uint32_t)) {
		uint32_t pid;

		memcpy(&pid, pids.s + i, sizeof(pid));
		put_item(q, &json, NULL, pid);
	}
	nctl_json_arr_end(&json);
	if (q->json)
		puts(nctl_strbuf_str(&out));
	return CLI_OK;
}
