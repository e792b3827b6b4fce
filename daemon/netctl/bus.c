/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The connection to the daemon. The daemon checks the uid of whoever opened it, so that nothing is asked
 * for here. Files are opened as the caller and copied into memory: the daemon reads what the caller could
 * read, cannot be made to wait for a slow disk, and sees no later change. Whatever goes wrong is told here,
 * once.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "netctl/progress.h"

/* A change may take as long as the kernel wants. */
#define CHANGE_TIMEOUT_US (UINT64_C(3600) * 1000000) /* a job may be long, and others wait before it */
#define IDLE_MS           500 /* between two looks at how far it is */
#define READ_TIMEOUT_US   (UINT64_C(30) * 1000000)

#define FILE_BYTES_MAX (64 << 20) /* the daemon takes no more */

static const struct {
	const char *name;
	enum cli_exit status;
} errors[] = {
	{"org.netctld.Error.NotFound", CLI_DIFFERENT}, /* as ip(8) */
	{"org.netctld.Error.NotReady", CLI_TIMEOUT},
	{"org.netctld.Error.Busy", CLI_TIMEOUT},
	{"org.netctld.Error.LimitsExceeded", CLI_TIMEOUT},
	{"org.netctld.Error.Stopping", CLI_NO_DAEMON},
	{"org.netctld.Error.NoHelper", CLI_REFUSED},
};

static int no_daemon(const char *path, int error)
{
	cli_error("no daemon answers at %s: %s", path, strerror(error));
	if (error == EACCES || error == EPERM)
		cli_error("its folder may not be entered by you");
	else
		cli_error(
			"start it as root, for example by \"netctld &\", or name its runtime folder with -r "
			"or NETCTL_RUNTIME");
	return CLI_NO_DAEMON;
}

int cli_bus_open(const char *runtime_dir, struct cli_bus *ret)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	_cleanup_(nctl_closep) int fd = -1;
	int n = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/private", runtime_dir);

	if (n < 0 || (size_t)n >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return -errno;
	return cli_dbus_open(ret, take_fd(fd));
}

int cli_bus_connect(const char *runtime_dir, struct cli_bus *ret)
{
	int r = cli_bus_open(runtime_dir, ret);
	char path[4200];

	if (r == -ENAMETOOLONG) {
		cli_error("the name of the runtime folder is too long for a socket: %s", runtime_dir);
		return CLI_USAGE;
	}
	snprintf(path, sizeof(path), "%s/private", runtime_dir);
	return r < 0 ? no_daemon(path, -r) : CLI_OK;
}

static volatile sig_atomic_t interrupts;

static void interrupted(int signum)
{
	(void)signum;
	interrupts = interrupts + 1;
}

static int idle(void *userdata)
{
	bool wants_out = interrupts;

	interrupts = 0;
	return cli_progress_tick(userdata, wants_out);
}

/* The daemon said no. */
static int refused(const struct cli_reply *reply)
{
	enum cli_exit status = CLI_USAGE;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(errors); i++)
		if (strcmp(reply->error, errors[i].name) == 0)
			status = errors[i].status;
	cli_error("%s", reply->text && *reply->text ? reply->text : reply->error);
	return (int)status;
}

static int broken(int r)
{
	if (r == -ECONNRESET || r == -ENOTCONN || r == -EPIPE) {
		cli_error("the daemon closed the connection; is it still there, and are there not too many "
			  "of yours?");
		return CLI_NO_DAEMON;
	}
	cli_error("%s", r == -ETIMEDOUT ? "the daemon does not answer in time" : strerror(-r));
	return r == -ETIMEDOUT ? CLI_TIMEOUT : r == -EBADMSG ? CLI_NO_DAEMON : CLI_USAGE;
}

static bool is_change(const char *method)
{
	static const char *const changes[] = {
		"Apply", "Batch", "Reload", "Confirm", "Rollback", "NetnsAdd", "NetnsDel", "NetnsScan", "LinkMove", "Resync"};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(changes); i++)
		if (strcmp(method, changes[i]) == 0)
			return true;
	return false;
}

/* A change: it may take long, and the user may lose patience. The second interrupt ends us as any. */
static int call_change(struct cli_bus *bus, const struct cli_request *q, const struct cli_msg *m, struct cli_reply *ret)
{
	const struct sigaction on = {.sa_handler = interrupted, .sa_flags = (int)SA_RESETHAND};
	struct cli_progress progress;
	struct sigaction old;
	int r;

	cli_progress_init(&progress, q);
	bus->idle = idle;
	bus->idle_ms = IDLE_MS;
	bus->userdata = &progress;
	sigaction(SIGINT, &on, &old);
	r = cli_dbus_call(bus, m, nctl_time_add_us(nctl_time_now(), CHANGE_TIMEOUT_US), ret);
	sigaction(SIGINT, &old, NULL);
	bus->idle = NULL;
	cli_progress_end(&progress);
	if (r != -EINTR)
		return r;
	/* As whoever started us expects. */
	raise(SIGINT);
	return r;
}

int cli_bus_call(struct cli_bus *bus, const struct cli_request *q, const struct cli_msg *m, struct cli_reply *ret)
{
	int r = is_change(m->method)
			? call_change(bus, q, m, ret)
			: cli_dbus_call(bus, m, nctl_time_add_us(nctl_time_now(), READ_TIMEOUT_US), ret);

	if (r < 0)
		return broken(r);
	return ret->error ? refused(ret) : CLI_OK;
}

int cli_bus_text(const struct cli_reply *reply, const char **ret)
{
	*ret = reply->text;
	if (reply->text)
		return CLI_OK;
	cli_error("the daemon's answer cannot be read");
	return CLI_NO_DAEMON;
}

static int copy(int from, int to)
{
	char buf[65536];
	size_t total = 0;
	ssize_t n;

	while ((n = read(from, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		total += (size_t)n;
		if (total > FILE_BYTES_MAX)
			return -EFBIG;
		if (write(to, buf, (size_t)n) != n)
			return -EIO;
	}
	return 0;
}

/* A copy in memory; it keeps the mode, since the daemon refuses what others may write. */
static int open_copy(const char *path, int *ret_fd)
{
	_cleanup_(nctl_closep) int from = -1, to = -1;
	struct stat st;
	mode_t mode = 0600;
	int r;

	from = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0 || fstat(from, &st) < 0)
		return -errno;
	if (S_ISREG(st.st_mode))
		mode = st.st_mode & 0777;
	to = memfd_create("netctl", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (to < 0)
		return -errno;
	r = copy(from, to);
	if (r < 0)
		return r;
	if (fchmod(to, mode) < 0 || lseek(to, 0, SEEK_SET) < 0)
		return -errno;
	fcntl(to, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
	*ret_fd = take_fd(to);
	return 0;
}

static int append_file(struct cli_msg *m, const char *path)
{
	_cleanup_(nctl_closep) int fd = -1;
	int r = open_copy(path, &fd);

	if (r < 0) {
		cli_error("%s: %s", path, strerror(-r));
		return CLI_USAGE;
	}
	cli_msg_align(m);
	r = cli_msg_str(m, strcmp(path, "-") == 0 ? "stdin" : path);
	if (r >= 0)
		r = cli_msg_fd(m, fd);
	if (r >= 0)
		return CLI_OK;
	cli_error("cannot send the files: %s", strerror(-r));
	return CLI_USAGE;
}

int cli_bus_append_files(struct cli_msg *m, const struct cli_request *q)
{
	size_t array = cli_msg_array(m, true);
	int status = CLI_OK;

	for (size_t i = 0; i < q->n_files; i++)
		if (append_file(m, q->files[i]) != CLI_OK)
			status = CLI_USAGE;
	cli_msg_array_end(m, array, true);
	return status;
}
