/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Questions about files: is a configuration right, what does it say. netctld itself, which knows the
 * language, is run to answer them, as whoever asks; its answer is one JSON object, as the daemon's are.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "netctl/local.h"

#define ANSWER_MAX ((size_t)256 << 20)

/* Where this program was built, netctld is in the folder above; else it is where it was installed. */
static void find_netctld(char path[static PATH_MAX])
{
	static const char name[] = "netctld";
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof(name));
	char *slash = NULL;

	if (n > 0) {
		path[n] = '\0';
		slash = strrchr(path, '/');
	}
	if (slash) {
		*slash = '\0';
		slash = strrchr(path, '/');
	}
	if (slash) {
		strcpy(slash + 1, name);
		if (access(path, X_OK) == 0)
			return;
	}
	snprintf(path, PATH_MAX, "%s/netctld", CLI_SBIN_DIR);
}

/* Starts it with its output in a pipe. cli_exit. */
static int start(char *const *argv, pid_t *ret_pid, int *ret_fd)
{
	char path[PATH_MAX];
	int fds[2];
	pid_t pid;

	find_netctld(path);
	fflush(stdout);
	if (pipe2(fds, O_CLOEXEC) < 0) {
		cli_error("cannot run netctld: %m");
		return CLI_REFUSED;
	}
	pid = fork();
	if (!pid) {
		if (dup2(fds[1], STDOUT_FILENO) >= 0)
			execv(path, argv);
		cli_error("cannot run %s: %m", path);
		_exit(127);
	}
	close(fds[1]);
	if (pid < 0) {
		cli_error("cannot run netctld: %m");
		close(fds[0]);
		return CLI_REFUSED;
	}
	*ret_pid = pid;
	*ret_fd = fds[0];
	return CLI_OK;
}

/* Asks netctld with this word, and another one (NULL: none), about the files. */
static int ask(const struct cli_request *q, const char *what, const char *how)
{
	const char *argv[CLI_FILES_MAX + 6] = {"netctld", what, "--json"};
	_cleanup_(nctl_freep) char *text = NULL;
	_cleanup_(nctl_closep) int fd = -1;
	size_t n = 3, len;
	int status, r;
	pid_t pid;

	if (how)
		argv[n++] = how;
	argv[n++] = "--";
	for (size_t i = 0; i < q->n_files; i++)
		argv[n++] = q->files[i];
	status = start((char *const *)argv, &pid, &fd);
	if (status != CLI_OK)
		return status;
	r = nctl_read_all(fd, ANSWER_MAX, &text, &len);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r < 0) {
		cli_error("netctld's answer cannot be read: %s", strerror(-r));
		return CLI_REFUSED;
	}
	if (!len) /* it has said why */
		return WIFEXITED(status) && WEXITSTATUS(status) == CLI_USAGE ? CLI_USAGE : CLI_REFUSED;
	if (text[len - 1] == '\n')
		text[len - 1] = '\0';
	return cli_answer_show(q, text);
}

int cli_local_check(const struct cli_request *q)
{
	return ask(q, "--check", q->flags & CLI_NETPLAN ? "--netplan" : NULL);
}

/* The daemon's own files, by what it has read of them. */
static int ask_daemon(const struct cli_request *q)
{
	_cleanup_(cli_dbus_close) struct cli_bus bus = CLI_BUS_INIT;
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	_cleanup_(cli_msg_fini) struct cli_msg m;
	const char *text;
	int status;

	cli_msg_init(&m, "Config", "b");
	cli_msg_u32(&m, !!(q->flags & CLI_ORIGIN));
	status = cli_bus_connect(q->runtime_dir, &bus);
	if (status == CLI_OK)
		status = cli_bus_call(&bus, q, &m, &reply);
	if (status == CLI_OK)
		status = cli_bus_text(&reply, &text);
	return status == CLI_OK ? cli_answer_show(q, text) : status;
}

int cli_local_config(const struct cli_request *q)
{
	return q->n_files ? ask(q, "--show", q->flags & CLI_ORIGIN ? "--origin" : NULL) : ask_daemon(q);
}
