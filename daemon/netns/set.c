/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The set of namespaces, and how one lives. A name of the folder always belongs to a namespace object:
 * at first to one of its own without a cookie; when the answer of its join says that the cookie is known, to
 * the one that has it. A name is one incarnation: taken away and made again it is another struct, so an
 * answer for the old one finds nobody. An object goes when the hub says that its namespace is gone, or when
 * it has neither names nor a session. What the hub tells from inside its dispatch is marked and told
 * afterwards, but for gone: the mirror does not outlive that call.
 */
#include "netns/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log/log.h"

static struct nd_netns *by_serial(const struct nctl_rb_node *node)
{
	return nctl_container_of(node, struct nd_netns, by_serial);
}

static int cmp_serial(const struct nctl_rb_node *a, const struct nctl_rb_node *b)
{
	uint64_t x = by_serial(a)->serial, y = by_serial(b)->serial;

	return (x > y) - (x < y);
}

/* An object without names and cookie; NULL: no memory. */
static struct nd_netns *netns_new(struct nd_netns_set *s)
{
	struct nd_netns *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->set = s;
	n->serial = ++s->last_serial;
	nctl_list_init(&n->names);
	nctl_list_init(&n->news);
	nctl_list_init(&n->undead);
	nctl_rb_insert(&s->by_serial, &n->by_serial, cmp_serial);
	return n;
}

static void netns_free(struct nd_netns *n)
{
	nctl_rb_remove(&n->set->by_serial, &n->by_serial);
	if (n->cookie)
		nctl_hash_remove(&n->set->by_cookie, &n->by_cookie);
	nctl_list_del(&n->news);
	nd_netns_bury(n);
	nd_netns_scan_resolved(n);
	free(n->error);
	free(n);
}

static int give_cookie(struct nd_netns *n, uint64_t cookie)
{
	int e = nctl_hash_insert(&n->set->by_cookie, &n->by_cookie, nctl_hash_u64(cookie));

	if (e >= 0)
		n->cookie = cookie;
	return e;
}

/* Home stays, and so does what the hub hears of. */
static void free_if_unused(struct nd_netns *n)
{
	if (nctl_list_empty(&n->names) && !n->session && n != n->set->home)
		netns_free(n);
}

void nd_netns_set_error(struct nd_netns *n, const char *text, int error)
{
	free(take_ptr(n->error));
	if (error)
		n->error = strdup(text && *text ? text : strerror(-error));
}

struct netns_name *nd_netns_name_find(const struct nd_netns_set *s, const char *name)
{
	struct nctl_hash_node *node;

	nctl_hash_for_each_equal(node, &s->by_name, nctl_hash_str(name)) {
		struct netns_name *found = nctl_container_of(node, struct netns_name, by_name);

		if (!strcmp(found->text, name))
			return found;
	}
	return NULL;
}

static void name_move(struct netns_name *name, struct nd_netns *to)
{
	struct nd_netns *from = name->netns;

	if (from == to)
		return;
	nctl_list_del(&name->of_netns);
	nctl_list_add_tail(&to->names, &name->of_netns);
	name->netns = to;
	if (from)
		free_if_unused(from);
}

int nd_netns_name_enter(struct nd_netns_set *s, const char *text)
{
	size_t size = strlen(text) + 1;
	_cleanup_(nctl_freep) struct netns_name *name = calloc(1, sizeof(*name) + size);
	struct nd_netns *n;

	if (nctl_hash_count(&s->by_name) >= NETNS_NAMES)
		return -E2BIG;
	if (!name || nctl_hash_insert(&s->by_name, &name->by_name, nctl_hash_str(text)) < 0)
		return -ENOMEM;
	n = netns_new(s);
	if (!n) {
		nctl_hash_remove(&s->by_name, &name->by_name);
		return -ENOMEM;
	}
	memcpy(name->text, text, size);
	nctl_list_init(&name->of_netns);
	nctl_list_init(&name->waiting);
	nctl_genset_add(&s->in_folder, &name->in_folder);
	name_move(name, n);
	if (!s->was_read) {
		name->first = true;
		s->n_first++;
	}
	nd_netns_join_queue(s, take_ptr(name), false);
	return 0;
}

void nd_netns_name_resolved(struct nd_netns_set *s, struct netns_name *name)
{
	if (name->first)
		s->n_first--;
	name->first = false;
}

void nd_netns_name_drop(struct nd_netns_set *s, struct netns_name *name)
{
	struct nd_netns *n = name->netns;

	nd_netns_name_resolved(s, name);
	nctl_hash_remove(&s->by_name, &name->by_name);
	nctl_genset_del(&s->in_folder, &name->in_folder);
	nctl_list_del(&name->waiting);
	nctl_list_del(&name->of_netns);
	if (name->join)
		name->join->name = NULL;
	free(name);
	free_if_unused(n);
	s->tasks_dirty = true;
}

int nd_netns_name_part(struct nd_netns_set *s, struct netns_name *name)
{
	struct nd_netns *n;

	if (!name->netns->cookie)
		return 0;
	n = netns_new(s);
	if (!n) {
		nd_netns_name_drop(s, name);
		nd_netns_reread(s);
		return -ENOMEM;
	}
	name_move(name, n);
	return 0;
}

static void tell(struct nd_netns *n, enum nd_netns_record_type type)
{
	struct nctl_session_stats stats;
	struct nd_netns_record r = {.type = type, .netns = n, .after_loss = n->lost};

	nctl_session_get_stats(n->session, &stats);
	r.epoch = stats.epoch;
	r.losses = stats.losses;
	n->lost = type == ND_NETNS_LOST;
	nctl_subs_notify(&n->set->subs, &r);
}

/* Its mirror is on its way when this returns; if there will be none, its error says why. */
static void open_session(struct nd_netns *n, const char *name, nctl_nsid nsid)
{
	struct nd_netns_ref ref = {.name = name, .pid = name ? 0 : n->pid, .cookie = n->cookie};
	struct nctl_kernel *kernel = NULL;
	int e = nd_helper_kernel_new(n->set->helper, &ref, &kernel);

	if (e >= 0)
		e = nctl_hub_join(n->set->hub, kernel, n->cookie, nsid, n, &n->session);
	nctl_kernel_unref(kernel);
	nd_netns_set_error(n, e == -EOPNOTSUPP ? "the events of other namespaces cannot be heard" : NULL, e);
	if (e >= 0)
		tell(n, ND_NETNS_BORN);
}

int nd_netns_met(struct nd_netns_set *s, struct netns_name *name, pid_t pid, uint64_t cookie, nctl_nsid nsid)
{
	struct nd_netns *n = nd_netns_find_cookie(s, cookie);
	int e;

	if (!n) {
		n = name && !name->netns->cookie ? name->netns : netns_new(s);
		if (!n)
			return -ENOMEM;
		e = give_cookie(n, cookie);
		if (e < 0) {
			free_if_unused(n);
			return e;
		}
	}
	if (name)
		name_move(name, n);
	else
		n->pid = pid;
	if (n != s->home && !n->session)
		open_session(n, name ? name->text : NULL, nsid);
	if (name && (!n->session || nctl_session_is_synced(n->session)))
		nd_netns_name_resolved(s, name);
	s->tasks_dirty = true;
	if (!name)
		free_if_unused(n);
	return 0;
}

void nd_netns_on_synced(struct nctl_session *session, void *userdata)
{
	struct nd_netns_set *s = userdata;
	struct nd_netns *n = nctl_session_owner(session);
	struct nctl_list *pos;

	if (!n) {
		n = s->home;
		s->home_news = true;
	} else if (!n->told && !nctl_list_linked(&n->news)) {
		nctl_list_add_tail(&s->news, &n->news);
	}
	nctl_list_for_each(pos, &n->names) {
		struct netns_name *name = nctl_list_entry(pos, struct netns_name, of_netns);

		name->tries = 0;
		nd_netns_name_resolved(s, name);
	}
	nd_netns_scan_resolved(n);
	s->tasks_dirty = true;
	tell(n, ND_NETNS_SYNCED);
}

void nd_netns_on_lost(struct nctl_session *session, void *userdata)
{
	struct nd_netns_set *s = userdata;
	struct nd_netns *n = nctl_session_owner(session);

	tell(n ? n : s->home, ND_NETNS_LOST);
}

/* The names that are left may name something else by now, or nothing. */
void nd_netns_on_gone(struct nctl_session *session, void *userdata)
{
	struct nd_netns_set *s = userdata;
	struct nd_netns *n = nctl_session_owner(session);
	struct nctl_list *pos;

	if (!n)
		return;
	nctl_list_del(&n->news);
	tell(n, ND_NETNS_GONE);
	/* Most are gone because their names are. */
	nd_netns_set_look(s);
	if (s->ops->gone)
		s->ops->gone(n, s->userdata);
	while ((pos = nctl_list_first(&n->names))) {
		struct netns_name *name = nctl_list_entry(pos, struct netns_name, of_netns);

		if (nd_netns_name_part(s, name) >= 0)
			nd_netns_join_lost(s, name);
	}
	n->session = NULL;
	netns_free(n);
	s->tasks_dirty = true;
}

void nd_netns_deliver(struct nd_netns_set *s)
{
	struct nctl_list *pos;

	if (s->home_news) {
		s->home_news = false;
		s->home->told = true;
		if (s->ops->home_synced)
			s->ops->home_synced(s->userdata);
	}
	while ((pos = nctl_list_first(&s->news))) {
		struct nd_netns *n = nctl_list_entry(pos, struct nd_netns, news);

		nctl_list_del(&n->news);
		n->told = true;
		if (s->ops->joined)
			s->ops->joined(n, s->userdata);
	}
}

void nd_netns_settle(struct nd_netns_set *s, nctl_time now)
{
	bool whole = !s->helper || (s->was_read && !s->n_first);

	if (s->settled || !s->home->told)
		return;
	if (!whole && nctl_time_cmp(now, s->settle_by) < 0)
		return;
	if (!whole)
		nd_warn("%zu network namespaces are slow to answer; going on without them", s->n_first);
	s->settled = true;
	if (s->ops->settled)
		s->ops->settled(s->userdata);
}

static int on_intend(const struct nctl_intent *v, size_t n, void *userdata)
{
	struct nd_netns_set *s = userdata;

	return s->ops->intend ? s->ops->intend(v, n, s->userdata) : 0;
}

static const struct nctl_hub_ops hub_ops = {
	.wake = nd_netns_on_wake,
	.synced = nd_netns_on_synced,
	.lost = nd_netns_on_lost,
	.gone = nd_netns_on_gone,
	.intend = on_intend,
	.carry_out = nd_netns_carry_out,
};

/* Without a helper, home is heard alone. */
static int open_helper(struct nd_netns_set *s, int control_fd, struct nctl_kernel *here)
{
	struct nd_helper *h;
	int e = nd_helper_new(s->loop, control_fd, nd_netns_on_alive, s, &h);

	if (e < 0)
		return e;
	e = nd_helper_wait(h);
	if (e < 0)
		nd_error("the helper does not answer: %s; other namespaces are out of reach", strerror(-e));
	s->helper = h;
	return nd_netns_home_kernel(h, here, &s->kernel);
}

static int open_home(
	struct nd_netns_set *s, struct nctl_kernel *kernel, const struct nctl_hub_options *opts)
{
	uint64_t cookie;
	int e;

	s->home = netns_new(s);
	if (!s->home)
		return -ENOMEM;
	e = kernel->get_cookie(kernel, &cookie);
	if (e >= 0)
		e = give_cookie(s->home, cookie);
	if (e >= 0)
		e = nctl_hub_new_with(kernel, opts, &hub_ops, s, &s->hub);
	if (e >= 0)
		s->home->session = nctl_hub_home(s->hub);
	return e;
}

static void set_init(struct nd_netns_set *s)
{
	nctl_list_init(&s->news);
	nctl_subs_init(&s->subs);
	nctl_genset_init(&s->in_folder);
	s->inotify = s->watch = s->ear = -1;
	s->folder_at = s->settle_by = s->pool_at = NCTL_TIME_NEVER;
	nd_netns_join_init(s);
	nd_netns_scan_init(s);
	nd_netns_work_init(s);
	nctl_list_init(&s->tasks);
}

int nd_netns_set_new_at(struct nd_loop *loop, struct nctl_kernel *kernel, int control_fd, const char *folder,
	const struct nctl_hub_options *hub, const struct nd_netns_ops *ops, void *userdata,
	struct nd_netns_set **ret)
{
	_cleanup_(nctl_closep) int fd = control_fd;
	struct nd_netns_set *s = calloc(1, sizeof(*s));
	int e;

	if (!s)
		return -ENOMEM;
	s->loop = loop;
	set_init(s);
	s->ops = ops;
	s->userdata = userdata;
	s->folder = strdup(folder);
	nd_netns_loop_init(s);
	nd_netns_maddr_init(s);
	e = s->folder ? 0 : -ENOMEM;
	if (e >= 0 && fd >= 0)
		e = open_helper(s, take_fd(fd), kernel);
	if (e >= 0)
		e = open_home(s, s->kernel ? s->kernel : kernel, hub);
	if (e >= 0)
		nd_netns_loop_start(s);
	if (e >= 0 && s->helper) {
		nd_netns_watch_init(s);
		s->settle_by = nctl_time_add_ms(nctl_time_now(), NETNS_SETTLE_MS);
	}
	if (e < 0) {
		nd_netns_set_free(s);
		return e;
	}
	/* Whether alive was called in there or not: it found no helper to ask. */
	if (s->helper && nd_helper_is_alive(s->helper))
		nd_netns_on_alive(true, s);
	*ret = s;
	return 0;
}

int nd_netns_set_new(struct nd_loop *loop, struct nctl_kernel *kernel, int control_fd,
	const struct nctl_hub_options *hub, const struct nd_netns_ops *ops, void *userdata,
	struct nd_netns_set **ret)
{
	return nd_netns_set_new_at(loop, kernel, control_fd, "/run/netns", hub, ops, userdata, ret);
}

struct nd_netns_set *nd_netns_set_free(struct nd_netns_set *s)
{
	struct nctl_genset_node *node;
	struct nctl_rb_node *n;

	if (!s)
		return NULL;
	nctl_subs_fini(&s->subs);
	s->helper = nd_helper_free(s->helper);
	nd_netns_loop_stop(s);
	s->hub = nctl_hub_free(s->hub);
	nctl_kernel_unref(s->kernel);
	nd_netns_maddr_fini(s);
	nd_netns_loop_fini(s);
	nd_netns_watch_fini(s);
	nd_netns_tasks_fini(s);
	nd_netns_work_fini(s);
	nd_netns_scan_fini(s);
	while ((n = nctl_rb_first(&s->by_serial)))
		netns_free(by_serial(n));
	nctl_genset_begin(&s->in_folder);
	while ((node = nctl_genset_stale(&s->in_folder))) {
		struct netns_name *name = nctl_container_of(node, struct netns_name, in_folder);

		nctl_genset_del(&s->in_folder, node);
		nctl_hash_remove(&s->by_name, &name->by_name);
		free(name);
	}
	nctl_hash_fini(&s->by_cookie);
	nctl_hash_fini(&s->by_name);
	free(s->folder);
	free(s);
	return NULL;
}
