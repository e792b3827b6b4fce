/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: PID 1 of the test guest.
 *
 * The guest kernel starts this program from a read-only hostfs root. It puts a
 * tmpfs over that root with overlayfs, makes the result the root, mounts what
 * a system has, runs the one job that tests/guest/run described in the file
 * NCTL_JOB, reports its exit status on the third console and powers off.
 *
 * It is linked statically and does all this with system calls, because a
 * fork and exec costs the guest some ten milliseconds, as much as half of
 * this program. Whatever fails here ends the guest without a status, which
 * the runner reports together with the console log.
 *
 * The NCTL_* variables are words of the kernel command line: those with a "="
 * that the kernel does not know go into the environment of PID 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define CONSOLE_OUTPUT "/dev/tty1"
#define CONSOLE_STATUS "/dev/tty2"

/* Order matters only in that overlayfs is needed first. */
static const char *const wanted_modules[] = {
	"kernel/fs/overlayfs/overlay.ko",
	"kernel/net/ipv6/ipv6.ko",
	"kernel/drivers/net/tun.ko",
};

struct job {
	char *cwd;
	char **argv;
	char **envp;
};

static void die(const char *what)
{
	fprintf(stderr, "guest-init: %s: %s\n", what, strerror(errno));
	fflush(stderr);
	reboot(RB_POWER_OFF);
	_exit(1);
}

static void mount_flags_on(const char *type, const char *dir, unsigned long flags, const char *options)
{
	if (mkdir(dir, 0755) < 0 && errno != EEXIST && errno != EROFS)
		die(dir);
	if (mount(type, dir, type, flags, options) < 0)
		die(dir);
}

static void mount_on(const char *type, const char *dir, const char *options)
{
	mount_flags_on(type, dir, 0, options);
}

static void link_to(const char *target, const char *path)
{
	if (symlink(target, path) < 0 && errno != EEXIST)
		die(path);
}

static char *read_file(const char *path, size_t *ret_size)
{
	struct stat st;
	size_t done = 0;
	char *text;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		die(path);
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		die(path);
	while (done < (size_t)st.st_size) {
		ssize_t n = read(fd, text + done, (size_t)st.st_size - done);

		if (n <= 0)
			die(path);
		done += (size_t)n;
	}
	close(fd);
	text[done] = '\0';
	*ret_size = done;
	return text;
}

/* A job is NUL-terminated strings: working directory, number of arguments,
 * the arguments, then the environment up to the end of the file. */
static struct job job_read(const char *path)
{
	struct job job = {};
	size_t size, n = 0, argc, i = 0;
	char *text = read_file(path, &size), *p, **words;

	for (size_t at = 0; at < size; at++)
		n += text[at] == '\0';
	words = calloc(n + 2, sizeof(*words));
	if (!words || n < 3 || text[size - 1] != '\0')
		die("job file");
	for (p = text; p < text + size; p += strlen(p) + 1)
		words[i++] = p;

	job.cwd = words[0];
	argc = strtoul(words[1], NULL, 10);
	if (argc < 1 || argc > n - 2)
		die("job file");
	/* Make room for the NULL between arguments and environment. */
	memmove(&words[2 + argc + 1], &words[2 + argc], (n - 2 - argc) * sizeof(*words));
	words[2 + argc] = NULL;
	job.argv = &words[2];
	job.envp = &words[2 + argc + 1];
	return job;
}

static void module_load_file(const char *dir, const char *name)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST))
		die(path);
	close(fd);
}

/* Loads one module after those it needs, as modules.dep lists them (the
 * deepest last). A name that is not listed is built into the kernel. */
static void module_load(const char *dir, const char *deps, const char *name)
{
	char line[2048], *word, *stack[64];
	size_t len = strlen(name), n = 0;
	const char *p = deps;

	while (p && !(strncmp(p, name, len) == 0 && p[len] == ':')) {
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(p + len + 1, "\n"), p + len + 1);
	for (word = strtok(line, " "); word && n < 64; word = strtok(NULL, " "))
		stack[n++] = word;
	while (n > 0)
		module_load_file(dir, stack[--n]);
	module_load_file(dir, name);
}

static void load_modules(const char *dir)
{
	char path[512];
	size_t size;
	char *deps;

	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	deps = read_file(path, &size);
	for (size_t i = 0; i < sizeof(wanted_modules) / sizeof(*wanted_modules); i++)
		module_load(dir, deps, wanted_modules[i]);
	free(deps);
}

/* Builds the new root below /mnt and moves into it. The lower layer is the
 * host's root without what else gets mounted here, so that /mnt itself stays
 * visible. */
static void enter_overlay(const char *out)
{
	char modules[256], link[256];
	unsigned long nosuid = 0;
	struct utsname uts;
	struct stat st;

	/* Run by an ordinary user, root's files seem to be nobody's, and a set-uid
	 * program (mount is one) would turn root into nobody. */
	if (stat("/", &st) == 0 && st.st_uid != 0)
		nosuid = MS_NOSUID;
	uname(&uts);
	snprintf(modules, sizeof(modules), "/usr/lib/uml/modules/%s", uts.release);
	load_modules(modules);

	mount_on("tmpfs", "/mnt", "mode=0755,size=75%");
	mkdir("/mnt/upper", 0755);
	mkdir("/mnt/work", 0755);
	mount_flags_on("overlay", "/mnt/root", nosuid, "lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work");
	if (chdir("/mnt/root") < 0)
		die("/mnt/root");

	/* The rest of the modules are loaded by modprobe on demand. */
	mkdir("lib/modules", 0755);
	snprintf(link, sizeof(link), "lib/modules/%s", uts.release);
	link_to(modules, link);

	mount_on("devtmpfs", "dev", "mode=0755");
	mount_on("proc", "proc", NULL);
	mount_on("sysfs", "sys", NULL);
	mkdir("out", 0755);
	if (out)
		mount_on("hostfs", "out", out);
	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		die("pivot_root");
}

static void mount_the_rest(void)
{
	mount_on("cgroup2", "/sys/fs/cgroup", NULL);
	mount_on("tmpfs", "/run", "mode=0755");
	mount_on("devpts", "/dev/pts", "gid=5,mode=0620,ptmxmode=0666");
	mount_on("tmpfs", "/dev/shm", "mode=1777");
	link_to("/proc/self/fd", "/dev/fd");
	link_to("/proc/self/fd/0", "/dev/stdin");
	link_to("/proc/self/fd/1", "/dev/stdout");
	link_to("/proc/self/fd/2", "/dev/stderr");
}

/* The kernel's default helper, /sbin/hotplug, is forked for each link that
 * comes or goes: many times the cost of the link itself. */
static void disable_uevent_helper(void)
{
	int fd = open("/sys/kernel/uevent_helper", O_WRONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return;
	if (fd < 0 || write(fd, "\n", 1) != 1)
		die("uevent_helper");
	close(fd);
}

static void raise_loopback(void)
{
	struct ifreq req = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &req) < 0)
		die("lo");
	close(fd);
}

/* A console without the line discipline's changes: no CR before LF, no echo. */
static int open_console(const char *path)
{
	struct termios mode;
	int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || tcgetattr(fd, &mode) < 0)
		die(path);
	cfmakeraw(&mode);
	if (tcsetattr(fd, TCSANOW, &mode) < 0)
		die(path);
	return fd;
}

_Noreturn static void job_exec(const struct job *job, int output)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setsid();
	if (dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		_exit(125);
	if (chdir(job->cwd) < 0) {
		fprintf(stderr, "guest-init: %s: %s\n", job->cwd, strerror(errno));
		_exit(125);
	}
	environ = job->envp;
	setenv("TERM", "dumb", 1);
	execvp(job->argv[0], job->argv);
	fprintf(stderr, "guest-init: %s: %s\n", job->argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static int job_run(const struct job *job, int output)
{
	pid_t pid = fork(), ended;
	int status = 0;

	if (pid < 0)
		die("fork");
	if (pid == 0)
		job_exec(job, output);
	do { /* Orphans are reaped on the way. */
		ended = wait(&status);
		if (ended < 0 && errno != EINTR)
			die("wait");
	} while (ended != pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(void)
{
	const char *job_file = getenv("NCTL_JOB"), *out = getenv("NCTL_OUT");
	int output, report, status;
	struct job job;

	if (getpid() != 1 || !job_file) {
		fputs("guest-init: this is the first process of the test guest, see tests/guest/run\n",
			stderr);
		return 2;
	}
	job = job_read(job_file);
	enter_overlay(out);
	mount_the_rest();
	disable_uevent_helper();
	raise_loopback();
	sethostname("guest", 5);

	output = open_console(CONSOLE_OUTPUT);
	report = open_console(CONSOLE_STATUS);
	status = job_run(&job, output);

	/* What the job left behind must not write on; then its files in /out go
	 * to the host, its output to the runner, and last the status. */
	kill(-1, SIGKILL);
	sync();
	tcdrain(output);
	dprintf(report, "%d\n", status);
	tcdrain(report);
	reboot(RB_POWER_OFF);
	return 1;
}
