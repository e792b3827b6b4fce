/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The machine of the registry's tests: what is mounted on which name, which process is where, a loop
 * with limits, and the owner of the registry, who counts its calls.
 */
#include "world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

struct world w;
bool world_keep;

struct mounted {
	struct nctl_hash_node node;
	char name[64];
	uint64_t cookie;
};

static struct nctl_hash mounts;
struct world_process world_processes[PIDS];
static struct nd_timer guard, beat;
static struct nd_prepare watcher;
static bool (*wanted)(void);
static unsigned turns_left;

static struct mounted *mounted(const char *name)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &mounts, nctl_hash_str(name)) {
		struct mounted *m = nctl_container_of(pos, struct mounted, node);

		if (!strcmp(m->name, name))
			return m;
	}
	return NULL;
}

uint64_t world_cookie(const char *name)
{
	const struct mounted *m = mounted(name);

	return m ? m->cookie : 0;
}

const char *world_path(const char *name)
{
	static char path[2][512];
	static unsigned i;

	snprintf(path[++i % 2], sizeof(path[0]), "%s/%s", w.folder, name);
	return path[i % 2];
}

/* Others. */

void world_file(const char *name)
{
	int fd = open(world_path(name), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);

	assert_true(fd >= 0);
	close(fd);
}

void world_mount_cookie(const char *name, uint64_t cookie)
{
	struct mounted *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	assert_null(mounted(name));
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->cookie = cookie;
	assert_int_equal(nctl_hash_insert(&mounts, &m->node, nctl_hash_str(name)), 0);
}

uint64_t world_mount(const char *name)
{
	uint64_t cookie;

	assert_int_equal(nctl_fake_netns_new(w.fake, &cookie), 0);
	world_mount_cookie(name, cookie);
	return cookie;
}

uint64_t world_add(const char *name)
{
	world_file(name);
	return world_mount(name);
}

static bool is_held(uint64_t cookie)
{
	struct nctl_hash_node *pos;
	struct nctl_hash_iter it;

	for (size_t i = 0; i < PIDS; i++)
		if (world_processes[i].pid && world_processes[i].cookie == cookie)
			return true;
	if (world_keep)
		return true;
	if (nctl_hash_count(&mounts) > 64)
		return false; /* with many, each has one name */
	nctl_hash_iter_init(&it, &mounts);
	while ((pos = nctl_hash_iter_next(&it)))
		if (nctl_container_of(pos, struct mounted, node)->cookie == cookie)
			return true;
	return false;
}

static void umount(const char *name)
{
	struct mounted *m = mounted(name);
	uint64_t cookie = m ? m->cookie : 0;

	if (!m)
		return;
	nctl_hash_remove(&mounts, &m->node);
	free(m);
	if (cookie != nctl_fake_home(w.fake) && !is_held(cookie))
		nctl_fake_netns_drop(w.fake, cookie);
}

void world_del(const char *name)
{
	umount(name);
	assert_int_equal(unlink(world_path(name)), 0);
}

void world_rename(const char *from, const char *to)
{
	assert_null(mounted(from));
	assert_null(mounted(to));
	assert_int_equal(rename(world_path(from), world_path(to)), 0);
}

void world_process(pid_t pid, uint64_t cookie)
{
	size_t i = (size_t)pid % PIDS;
	uint64_t before = world_processes[i].cookie;

	world_processes[i].pid = cookie ? pid : 0;
	world_processes[i].cookie = cookie;
	if (!cookie && before != nctl_fake_home(w.fake) && !is_held(before))
		nctl_fake_netns_drop(w.fake, before);
}

/* The set. */

static void put(char sign, const struct nd_netns *n)
{
	size_t len = strlen(w.log);
	const char *name = nd_netns_name(n);

	snprintf(w.log + len, sizeof(w.log) - len, "%c%s ", sign, name ? name : "");
}

static void on_home(void *userdata)
{
	(void)userdata;
	w.homes++;
}

static void on_settled(void *userdata)
{
	(void)userdata;
	assert_true(w.homes);
	w.settled++;
}

static void on_turn(void *userdata)
{
	(void)userdata;
	w.turns++;
}

static void on_joined(struct nd_netns *n, void *userdata)
{
	(void)userdata;
	assert_non_null(nd_netns_session(n));
	w.joined++;
	w.last_joined = nd_netns_cookie(n);
	put('+', n);
}

static void on_gone(struct nd_netns *n, void *userdata)
{
	(void)userdata;
	assert_non_null(nd_netns_session(n));
	w.gone++;
	w.last_gone = nd_netns_cookie(n);
	put('-', n);
}

static int on_intend_netns(const char *name, uint64_t cookie, void *userdata)
{
	(void)userdata;
	assert_non_null(name);
	w.intends++;
	w.intended = cookie;
	return w.intend_error;
}

static const struct nd_netns_ops ops = {
	.home_synced = on_home,
	.settled = on_settled,
	.turn = on_turn,
	.joined = on_joined,
	.gone = on_gone,
	.intend_netns = on_intend_netns,
};

static void on_guard(struct nd_timer *t)
{
	nd_loop_stop(t->loop, -ETIMEDOUT);
}

static void on_beat(struct nd_timer *t)
{
	nd_timer_set(t, nctl_time_add_ms(nctl_time_now(), 2));
}

static void on_prepare(struct nd_prepare *p)
{
	if (wanted ? wanted() : !turns_left--)
		nd_loop_stop(p->loop, 0);
}

void world_until(bool (*pred)(void))
{
	wanted = pred;
	nd_timer_set(&guard, nctl_time_add_ms(nctl_time_now(), 20000));
	nd_timer_set(&beat, nctl_time_now());
	assert_int_equal(nd_loop_run(w.loop), 0);
	wanted = NULL;
}

void world_turns(unsigned n)
{
	turns_left = n;
	nd_timer_set(&guard, nctl_time_add_ms(nctl_time_now(), 20000));
	nd_timer_set(&beat, nctl_time_now());
	assert_int_equal(nd_loop_run(w.loop), 0);
}

bool world_is_settled(void)
{
	return w.settled;
}

bool world_is_quiet(void)
{
	struct nctl_hub_stats stats;

	nctl_hub_get_stats(nd_netns_set_hub(w.set), &stats);
	return w.settled && !helper.outstanding && nctl_list_empty(&w.set->queue) && !stats.syncing &&
	       nctl_list_empty(&w.set->groups) && nctl_list_empty(&w.set->tasks) && !w.set->home_news &&
	       nctl_list_empty(&w.set->news);
}

void world_open(void)
{
	memset(&w, 0, sizeof(w));
	world_keep = false;
	memset(&helper, 0, sizeof(helper));
	snprintf(w.folder, sizeof(w.folder), "/tmp/unit-netns-XXXXXX");
	assert_non_null(mkdtemp(w.folder));
	w.fake = nctl_fake_new(1);
	assert_non_null(w.fake);
	nctl_hash_init(&mounts);
	assert_int_equal(nd_loop_new(&w.loop), 0);
	nd_timer_init(&guard, w.loop, on_guard, NULL);
	nd_timer_init(&beat, w.loop, on_beat, NULL);
	nd_prepare_init(&watcher, w.loop, on_prepare, NULL);
}

void world_start(bool with_helper)
{
	int fd = with_helper ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;

	assert_int_equal(
		nd_netns_set_new_at(w.loop, nctl_fake_kernel(w.fake), fd, w.folder, NULL, &ops, &w, &w.set), 0);
	if (with_helper)
		helper_come();
}

void world_close(void)
{
	struct nctl_hash_node *pos;
	struct nctl_hash_iter it;
	struct dirent *d;
	DIR *dir;

	w.set = nd_netns_set_free(w.set);
	nctl_hash_iter_init(&it, &mounts);
	while ((pos = nctl_hash_iter_next(&it)))
		free(nctl_container_of(pos, struct mounted, node));
	nctl_hash_fini(&mounts);
	memset(world_processes, 0, sizeof(world_processes));
	nd_timer_stop(&guard);
	nd_timer_stop(&beat);
	nd_prepare_stop(&watcher);
	nd_loop_free(w.loop);
	nctl_fake_free(w.fake);
	dir = opendir(w.folder);
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			unlink(world_path(d->d_name));
	if (dir)
		closedir(dir);
	rmdir(w.folder);
}

struct nd_netns *world_find(const char *name)
{
	struct nd_netns *n = nd_netns_find(w.set, name);

	assert_non_null(n);
	return n;
}
