/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: An implementation of daemon/netns/helper.h for the registry's tests: requests are kept in their order,
 * carried out on the world's kernel and folder, and answered from the loop.
 */
#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

struct helper_fake helper;

enum request {
	REQ_CREATE,
	REQ_DELETE,
	REQ_JOIN,
	REQ_NSID,
	REQ_SYSCTL,
	REQ_SCAN,
	REQ_POOL,
	REQ_PREPARE,
	REQ_MADDR
};

struct nd_helper {
	struct nd_wake wake;
	void (*alive)(bool yes, void *userdata);
	void *userdata;
	bool is_alive;
	struct nctl_list todo, done;
};

struct call {
	struct nctl_list link;
	enum request type;
	char name[2][NAME_MAX + 1];
	pid_t pid;
	uint64_t cookie[2];
	bool repair;
	char value[256];
	nd_helper_done fn;
	void *userdata;
	int error;
	uint64_t ret_cookie;
	nctl_nsid nsid;
};

static struct nd_helper *the_helper;

/* The helper at work. */

static void work_create(struct call *c)
{
	int fd;

	if (world_cookie(c->name[0]) || (!c->repair && access(world_path(c->name[0]), F_OK) == 0)) {
		c->error = -EEXIST;
		return;
	}
	fd = open(world_path(c->name[0]), O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
	if (fd < 0) {
		c->error = -errno;
		return;
	}
	close(fd);
	c->ret_cookie = world_mount(c->name[0]);
}

static uint64_t cookie_of(const struct call *c, size_t i)
{
	if (c->name[i][0])
		return world_cookie(c->name[i]);
	if (c->pid)
		return world_processes[c->pid % PIDS].pid == c->pid ? world_processes[c->pid % PIDS].cookie
		                                                    : 0;
	return nctl_fake_home(w.fake);
}

static void work_delete(struct call *c)
{
	if (c->cookie[0] && cookie_of(c, 0) != c->cookie[0]) {
		c->error = -ESTALE;
	} else if (access(world_path(c->name[0]), F_OK) < 0) {
		c->error = -errno;
	} else {
		world_del(c->name[0]);
	}
}

static void work_join(struct call *c)
{
	c->ret_cookie = cookie_of(c, 0);
	if (!c->ret_cookie)
		c->error = c->name[0][0] && access(world_path(c->name[0]), F_OK) < 0 ? -ENOENT : -ENXIO;
	else if (c->ret_cookie == nctl_fake_home(w.fake))
		c->nsid = 0x7fff;
	else
		c->nsid = nctl_fake_netns_assign_nsid(w.fake, c->ret_cookie);
}

static void work_nsid(struct call *c)
{
	uint64_t in = cookie_of(c, 0), of = cookie_of(c, 1);

	if (!in || !of || (c->cookie[1] && of != c->cookie[1]))
		c->error = -ESTALE;
	else
		c->nsid = nctl_fake_netns_nsid_in(w.fake, in, of, true);
}

static struct call *first(struct nctl_list *list)
{
	struct nctl_list *pos = nctl_list_first(list);

	return pos ? nctl_list_entry(pos, struct call, link) : NULL;
}

size_t helper_work(size_t n)
{
	struct call *c;
	size_t i = 0;

	for (; i < n && the_helper && (c = first(&the_helper->todo)); i++) {
		nctl_list_del(&c->link);
		nctl_list_add_tail(&the_helper->done, &c->link);
		switch (c->type) {
		case REQ_CREATE:
			work_create(c);
			break;
		case REQ_DELETE:
			work_delete(c);
			break;
		case REQ_JOIN:
			work_join(c);
			break;
		case REQ_NSID:
			work_nsid(c);
			break;
		case REQ_PREPARE:
			mkdir(w.folder, 0755);
			break;
		case REQ_MADDR:
			if (!c->cookie[0] || cookie_of(c, 0) != c->cookie[0])
				c->error = -ESTALE;
			break;
		case REQ_SYSCTL:
		case REQ_SCAN:
		case REQ_POOL:
			break;
		}
	}
	return i;
}

/* What the test says that stands in dev_mcast, from a file without a name. */
static int maddr_file(void)
{
	size_t len = helper.maddr ? strlen(helper.maddr) : 0;
	int fd = memfd_create("dev_mcast", MFD_CLOEXEC);

	assert_true(fd >= 0 && write(fd, helper.maddr, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void answer(struct call *c, int error)
{
	const char *maddr_name = "dev_mcast";
	int fd = -1;
	struct nd_helper_process found[PIDS];
	const char *value = helper.sysctl ? helper.sysctl : c->value;
	struct nd_helper_answer a = {.error = error, .cookie = c->ret_cookie, .nsid = c->nsid};

	if (c->type == REQ_SYSCTL) {
		a.n = 1;
		a.values = &value;
	}
	if (c->type == REQ_MADDR && !error) {
		fd = maddr_file();
		a.n = 1;
		a.values = &maddr_name;
		a.fds = &fd;
	}
	for (size_t i = 0; c->type == REQ_SCAN && i < PIDS; i++)
		if (world_processes[i].pid)
			found[a.n++] =
				(struct nd_helper_process){.pid = world_processes[i].pid, .dev = 9, .ino = i};
	a.processes = found;
	nctl_list_del(&c->link);
	helper.outstanding--;
	if (error)
		a.text = strerror(-error);
	c->fn(&a, c->userdata);
	nctl_closep(&fd);
	free(c);
}

size_t helper_answer(size_t n)
{
	struct call *c;
	size_t i = 0;

	for (; i < n && the_helper && (c = first(&the_helper->done)); i++)
		answer(c, c->error);
	return i;
}

static void on_helper(struct nd_wake *wake)
{
	(void)wake;
	if (helper.manual)
		return;
	helper_work(SIZE_MAX);
	helper_answer(SIZE_MAX);
}

void helper_die(void)
{
	struct call *c;

	the_helper->is_alive = false;
	helper.deaths++;
	while ((c = first(&the_helper->done)) || (c = first(&the_helper->todo)))
		answer(c, -EPIPE);
	the_helper->alive(false, the_helper->userdata);
}

void helper_come(void)
{
	the_helper->is_alive = true;
	the_helper->alive(true, the_helper->userdata);
}

/* Its interface. */

int nd_helper_new(struct nd_loop *loop, int control_fd, void (*alive)(bool yes, void *userdata),
	void *userdata, struct nd_helper **ret)
{
	struct nd_helper *h = calloc(1, sizeof(*h));

	close(control_fd);
	assert_non_null(h);
	h->alive = alive;
	h->userdata = userdata;
	nctl_list_init(&h->todo);
	nctl_list_init(&h->done);
	nd_wake_init(&h->wake, loop, on_helper, h);
	*ret = the_helper = h;
	return 0;
}

struct nd_helper *nd_helper_free(struct nd_helper *h)
{
	struct call *c;

	if (!h)
		return NULL;
	while ((c = first(&h->done)) || (c = first(&h->todo)))
		answer(c, -ECANCELED);
	nd_wake_stop(&h->wake);
	free(h);
	the_helper = NULL;
	return NULL;
}

int nd_helper_wait(struct nd_helper *h)
{
	(void)h;
	return 0;
}

bool nd_helper_is_alive(const struct nd_helper *h)
{
	return h->is_alive;
}

static int ask(struct nd_helper *h, const struct call *call)
{
	struct nd_helper_answer gone = {.error = -EPIPE, .nsid = NCTL_NSID_NONE};
	size_t of_type = 0;
	struct nctl_list *pos;
	struct call *c;

	if (!h->is_alive) {
		call->fn(&gone, call->userdata);
		return 0;
	}
	if (helper.busy) {
		helper.busy--;
		return -EBUSY;
	}
	if (call->type == REQ_JOIN && helper.hang && !strncmp(call->name[0], "stuck", 5))
		return 0;
	c = malloc(sizeof(*c));
	assert_non_null(c);
	*c = *call;
	nctl_list_add_tail(&h->todo, &c->link);
	nctl_list_for_each(pos, &h->todo)
		of_type += nctl_list_entry(pos, struct call, link)->type == call->type;
	if (call->type == REQ_JOIN)
		helper.most_joins = nctl_max(helper.most_joins, of_type);
	else
		helper.most_work = nctl_max(helper.most_work, of_type);
	helper.outstanding++;
	nd_wake_send(&h->wake);
	return 0;
}

static struct call call(enum request type, nd_helper_done done, void *userdata)
{
	return (struct call){.type = type, .fn = done, .userdata = userdata, .nsid = NCTL_NSID_NONE};
}

static void set_ref(struct call *c, size_t i, const struct nd_netns_ref *ref)
{
	snprintf(c->name[i], sizeof(c->name[i]), "%s", ref->name ? ref->name : "");
	c->cookie[i] = ref->cookie;
	c->pid = ref->pid;
}

static void note(const char *name)
{
	size_t len = strlen(helper.order);

	snprintf(helper.order + len, sizeof(helper.order) - len, "%s ", name);
}

int nd_helper_create(struct nd_helper *h, const char *name, bool repair, nd_helper_done done, void *userdata)
{
	struct call c = call(REQ_CREATE, done, userdata);

	set_ref(&c, 0, &(struct nd_netns_ref){.name = name});
	c.repair = repair;
	helper.creates++;
	note(name);
	return ask(h, &c);
}

int nd_helper_delete(
	struct nd_helper *h, const char *name, uint64_t cookie, nd_helper_done done, void *userdata)
{
	struct call c = call(REQ_DELETE, done, userdata);

	set_ref(&c, 0, &(struct nd_netns_ref){.name = name, .cookie = cookie});
	helper.deletes++;
	note(name);
	return ask(h, &c);
}

int nd_helper_join(struct nd_helper *h, const struct nd_netns_ref *ref, nd_helper_done done, void *userdata)
{
	struct call c = call(REQ_JOIN, done, userdata);

	set_ref(&c, 0, ref);
	helper.joins++;
	return ask(h, &c);
}

int nd_helper_nsid_in(struct nd_helper *h, const struct nd_netns_ref *in, const struct nd_netns_ref *of,
	nd_helper_done done, void *userdata)
{
	struct call c = call(REQ_NSID, done, userdata);

	set_ref(&c, 0, in);
	set_ref(&c, 1, of);
	return ask(h, &c);
}

int nd_helper_sysctl_write(struct nd_helper *h, const struct nd_netns_ref *ref, const char *name,
	const char *value, nd_helper_done done, void *userdata)
{
	struct call c = call(REQ_SYSCTL, done, userdata);

	set_ref(&c, 0, ref);
	assert_non_null(name);
	snprintf(c.value, sizeof(c.value), "%s", value);
	return ask(h, &c);
}

int nd_helper_scan(struct nd_helper *h, nd_helper_done done, void *userdata)
{
	struct call c = call(REQ_SCAN, done, userdata);

	helper.scans++;
	return ask(h, &c);
}

int nd_helper_open_maddr(
	struct nd_helper *h, const struct nd_netns_ref *ref, nd_helper_done done, void *userdata)
{
	struct call c = call(REQ_MADDR, done, userdata);

	set_ref(&c, 0, ref);
	helper.maddrs++;
	return ask(h, &c);
}

int nd_helper_pool(struct nd_helper *h, unsigned n, nd_helper_done done, void *userdata)
{
	struct call c = call(REQ_POOL, done, userdata);

	helper.pools++;
	helper.pool = n;
	return ask(h, &c);
}

int nd_helper_prepare(struct nd_helper *h, nd_helper_done done, void *userdata)
{
	struct call c = call(REQ_PREPARE, done, userdata);

	helper.prepares++;
	return ask(h, &c);
}

static int closed_open(struct nctl_kernel *k, enum nctl_transport_role role, struct nctl_transport **ret)
{
	(void)k;
	(void)role;
	(void)ret;
	return -ENOENT;
}

int nd_helper_kernel_new(struct nd_helper *h, const struct nd_netns_ref *ref, struct nctl_kernel **ret)
{
	static struct nctl_kernel closed = {.open = closed_open};

	assert_non_null(h);
	assert_true(ref->cookie);
	if (helper.sockets > 0) {
		helper.sockets--;
		*ret = nctl_kernel_ref(&closed);
		return 0;
	}
	*ret = nctl_fake_netns_kernel(w.fake, ref->cookie);
	return *ret ? 0 : -ENOMEM;
}
