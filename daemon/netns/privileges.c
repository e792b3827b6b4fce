/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: How the daemon becomes a process that can change the network and nothing else. As root: starts the
 * helper, hands over its folders, becomes its user. As whoever it is, and root of a user namespace is nobody
 * elsewhere: capabilities but CAP_NET_ADMIN go, new ones cannot come, system calls are filtered. What was to
 * be given up and was not is an error, checked at the end by asking the kernel.
 */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <linux/capability.h>

#include "base/cleanup.h"
#include "log/log.h"
#include "netns/drop.h"

#define CAP_BIT(cap) (UINT64_C(1) << (cap))

enum { USER_BUF = 16 * 1024, OVERFLOW_ID = 65534 };

/* No other process of the same user may look into this one, but a leak checker would have to. */
#ifdef ND_SANITIZED
enum { DUMPABLE = 1 };
#else
enum { DUMPABLE = 0 };
#endif

static int find_user(const char *name, struct nd_identity *ret)
{
	char buf[USER_BUF];
	struct passwd pw, *found = NULL;
	int r = getpwnam_r(name, &pw, buf, sizeof(buf), &found);

	if (r || !found)
		return r ? -r : -ENOENT;
	ret->uid = pw.pw_uid;
	ret->gid = pw.pw_gid;
	return 0;
}

/* user_namespaces(7): lines of first inside, first outside, how many. Without /proc, all are taken to be
 * there. */
static bool is_mapped(const char *map, unsigned long id)
{
	unsigned long first, outside, n;
	FILE *f = fopen(map, "re");
	bool yes = !f;

	while (!yes && fscanf(f, "%lu %lu %lu", &first, &outside, &n) == 3)
		yes = id >= first && id - first < n;
	if (f)
		fclose(f);
	return yes;
}

static void choose_identity(const struct nd_privileges *p, struct nd_identity *ret)
{
	const uint64_t need = CAP_BIT(CAP_SETUID) | CAP_BIT(CAP_SETGID);
	const char *user = p->user ? p->user : "netctld";
	struct nd_identity id = {.uid = getuid(), .gid = getgid()};
	int r;

	if ((nd_caps_effective() & need) != need) {
		nd_info("no right to become another user: staying user %u", id.uid);
		*ret = id;
		return;
	}
	r = find_user(user, &id);
	if (r < 0) {
		nd_warn("there is no user \"%s\": being \"nobody\" instead", user);
		r = find_user("nobody", &id);
	}
	if (r < 0) {
		/* The kernel's own idea of nobody. */
		nd_warn("there is no user \"nobody\" either: being user %d", OVERFLOW_ID);
		id.uid = id.gid = OVERFLOW_ID;
	}
	if (is_mapped("/proc/self/uid_map", id.uid) && is_mapped("/proc/self/gid_map", id.gid)) {
		id.change = true;
	} else {
		nd_info("user %u is not mapped in this user namespace: staying user %u", id.uid, getuid());
		id.uid = getuid();
		id.gid = getgid();
	}
	*ret = id;
}

static void raise_limits(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		return;
	l.rlim_cur = l.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &l) < 0)
		nd_warn("cannot raise the limit of open files: %s", strerror(errno));
}

static void start_helper(const struct nd_privileges *p, const struct nd_identity *id, int *ret_fd)
{
	int r;

	if (!(nd_caps_effective() & CAP_BIT(CAP_SYS_ADMIN))) {
		nd_info("no right to enter namespaces: there is no helper, and this namespace is all there "
			"is");
		return;
	}
	r = nd_spawn_helper(p, id->uid, ret_fd);
	if (r < 0)
		nd_error("cannot start the helper: %s; this namespace is all there is", strerror(-r));
}

static int give_folders(const struct nd_privileges *p, const struct nd_identity *id)
{
	int r = p->runtime_dir ? nd_folder_give(p->runtime_dir, id) : 0;

	if (r == 0 && p->lock_dir)
		r = nd_folder_give(p->lock_dir, id);
	return r;
}

static int become(const struct nd_identity *id)
{
	if (!id->change)
		return 0;
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		return -errno;
	if (setgroups(0, NULL) < 0 || setresgid(id->gid, id->gid, id->gid) < 0 ||
		setresuid(id->uid, id->uid, id->uid) < 0)
		return -errno;
	return prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0 ? -errno : 0;
}

static int verify(const struct nd_identity *id)
{
	uid_t u[3];
	gid_t g[3];

	if (getresuid(&u[0], &u[1], &u[2]) < 0 || getresgid(&g[0], &g[1], &g[2]) < 0)
		return -errno;
	for (size_t i = 0; i < 3 && id->change; i++)
		if (u[i] != id->uid || g[i] != id->gid)
			return -EPERM;
	if (id->change && (getgroups(0, NULL) != 0 || (id->uid != 0 && setuid(0) == 0)))
		return -EPERM;
	if (nd_caps_left() & ~CAP_BIT(CAP_NET_ADMIN))
		return -EPERM;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -EPERM;
}

static int drop(const struct nd_identity *id)
{
	int r = nd_caps_empty_bounds();

	if (r == 0)
		r = become(id);
	if (r == 0)
		r = nd_caps_limit(CAP_BIT(CAP_NET_ADMIN));
	if (r == 0 &&
		(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0) < 0))
		r = -errno;
	return r < 0 ? r : verify(id);
}

int nd_privileges_drop(const struct nd_privileges *p, int *ret_control_fd)
{
	_cleanup_(nctl_closep) int control = -1;
	struct nd_identity id;
	int r;

	choose_identity(p, &id);
	raise_limits();
	r = give_folders(p, &id);
	if (r < 0)
		return r;
	start_helper(p, &id, &control);
	r = drop(&id);
	if (r < 0) {
		nd_error("cannot give up privileges: %s", strerror(-r));
		return r;
	}
	r = nd_filter_calls();
	if (r < 0) {
		nd_error("cannot filter system calls: %s", strerror(-r));
		return r;
	}
	nd_debug("privileges: user %u, group %u, capabilities %" PRIx64, id.uid, id.gid, nd_caps_effective());
	*ret_control_fd = take_fd(control);
	return 0;
}
