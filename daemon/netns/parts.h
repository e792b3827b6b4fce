/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the files of the registry call of each other; included by netns/private.h alone. */

/* home.c: here, but for what the helper must open. 0 or -errno. */
int nd_netns_home_kernel(struct nd_helper *h, struct nctl_kernel *here, struct nctl_kernel **ret);

/* set.c */
struct netns_name *nd_netns_name_find(const struct nd_netns_set *s, const char *name);
/* A name is there that was not; it is queued to be joined. 0 or -errno. */
int nd_netns_name_enter(struct nd_netns_set *s, const char *name);
void nd_netns_name_drop(struct nd_netns_set *s, struct netns_name *name);
/* It names nothing that is known: a namespace object of its own. -ENOMEM: it was dropped, the folder is read
 * again. */
int nd_netns_name_part(struct nd_netns_set *s, struct netns_name *name);
/* `settled` need not wait for it (any more). */
void nd_netns_name_resolved(struct nd_netns_set *s, struct netns_name *name);
/* A namespace of that cookie and nsid was met, by name or by pid. 0 or -ENOMEM. */
int nd_netns_met(struct nd_netns_set *s, struct netns_name *name, pid_t pid, uint64_t cookie, nctl_nsid nsid);
void nd_netns_set_error(struct nd_netns *n, const char *text, int error);
void nd_netns_on_synced(struct nctl_session *session, void *userdata);
void nd_netns_on_lost(struct nctl_session *session, void *userdata);
void nd_netns_on_gone(struct nctl_session *session, void *userdata);
/* Tells what was marked. */
void nd_netns_deliver(struct nd_netns_set *s);
void nd_netns_settle(struct nd_netns_set *s, nctl_time now);

/* watch.c */
void nd_netns_watch_init(struct nd_netns_set *s);
void nd_netns_watch_fini(struct nd_netns_set *s);
/* Closed: the folder's events wake nobody, and are read when somebody looks. */
void nd_netns_watch_close_ear(struct nd_netns_set *s, bool closed);
void nd_netns_on_alive(bool yes, void *userdata);
/* Sets the folder up if that is due. */
void nd_netns_watch_chores(struct nd_netns_set *s, nctl_time now);
/* The helper made (or deleted) that name. */
void nd_netns_look_after(struct nd_netns_set *s, const char *name, bool made);
/* Something failed for want of memory: the folder is to be read again. */
void nd_netns_reread(struct nd_netns_set *s);

/* join.c */
void nd_netns_join_init(struct nd_netns_set *s);
/* urgent: before all others. */
void nd_netns_join_queue(struct nd_netns_set *s, struct netns_name *name, bool urgent);
/* Something happened to that name: if it is no namespace, it is looked at again. */
void nd_netns_join_kick(struct nd_netns_set *s, struct netns_name *name, bool urgent);
/* Its namespace is gone, but the name is there. */
void nd_netns_join_lost(struct nd_netns_set *s, struct netns_name *name);
void nd_netns_join_chores(struct nd_netns_set *s, nctl_time now);
nctl_time nd_netns_join_at(const struct nd_netns_set *s, nctl_time now);
/* A client makes or deletes namespaces. */
void nd_netns_join_hold(struct nd_netns_set *s);
/* A name that cannot be joined, for good. */
bool nd_netns_name_is_broken(const struct netns_name *name);

/* scan.c */
void nd_netns_scan_init(struct nd_netns_set *s);
void nd_netns_scan_fini(struct nd_netns_set *s);
/* The next process to join, or 0. */
pid_t nd_netns_scan_next(struct nd_netns_set *s);
void nd_netns_scan_unsent(struct nd_netns_set *s); /* it could not be sent */
/* One that was sent is answered for: n is what it is in and what is yet to come in step, or NULL. */
void nd_netns_scan_answered(struct nd_netns_set *s, struct nd_netns *n);
void nd_netns_scan_resolved(struct nd_netns *n);
void nd_netns_scan_forget(struct nd_netns_set *s, void *userdata);
nctl_time nd_netns_scan_at(const struct nd_netns_set *s);
void nd_netns_scan_chores(struct nd_netns_set *s, nctl_time now);

/* work.c */
size_t nd_netns_undead(const struct nd_netns_set *s); /* how many count as such */
void nd_netns_work_init(struct nd_netns_set *s);
void nd_netns_work_fini(struct nd_netns_set *s);
/* Names that were not sent are answered; g may be freed. */
void nd_netns_work_cancel(struct nd_netns_set *s, struct netns_group *g);
int nd_netns_work_add(struct nd_netns_set *s, bool del, const char *const *names, size_t n, uint64_t cookie,
	struct netns_task *task, nd_netns_done done, void *userdata);
/* Sends what the window allows. True: more could be done at once. */
bool nd_netns_work_chores(struct nd_netns_set *s, nctl_time now);
nctl_time nd_netns_work_at(const struct nd_netns_set *s);
void nd_netns_bury(struct nd_netns *n); /* it is undead no more */

/* pool.c */
void nd_netns_pool_taken(struct nd_netns_set *s);
void nd_netns_pool_chores(struct nd_netns_set *s, nctl_time now);

/* ops.c */
void nd_netns_carry_out(struct nctl_plan *plan, uint32_t i, void *userdata);
/* Its name is on record as ours, without a namespace: we were killed when it was half made. */
bool nd_netns_task_is_unfinished(const struct netns_task *t);
/* The helper's answer to a group that is a task's. */
void nd_netns_task_answered(struct netns_task *t, const struct nd_helper_answer *a);
void nd_netns_tasks_chores(struct nd_netns_set *s, nctl_time now);
nctl_time nd_netns_tasks_at(const struct nd_netns_set *s);
void nd_netns_tasks_fini(struct nd_netns_set *s);

/* maddr.c */
void nd_netns_maddr_init(struct nd_netns_set *s);
void nd_netns_maddr_fini(struct nd_netns_set *s); /* after the helper */

/* loop.c */
void nd_netns_loop_init(struct nd_netns_set *s); /* before there is a hub */
void nd_netns_loop_start(struct nd_netns_set *s);
void nd_netns_loop_stop(struct nd_netns_set *s);
void nd_netns_loop_fini(struct nd_netns_set *s); /* after the hub, whose thread wakes to the last */
void nd_netns_on_wake(void *userdata);

static inline nctl_time nd_netns_earlier(nctl_time a, nctl_time b)
{
	return nctl_time_cmp(a, b) < 0 ? a : b;
}
