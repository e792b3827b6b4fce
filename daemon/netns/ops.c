/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The operations of plans that are not rtnetlink's. Each one in flight (the hub hands out
 * NCTL_HUB_OPS_IN_FLIGHT at most) is a task. Making and deleting go through the queue of work.c, the rest to
 * the helper at once. A namespace that was made is done when its mirror is in step; then it is bound to the
 * plan. Tasks that wait for that are looked at once a turn in which a namespace changed, never from inside
 * the hub's dispatch.
 */
#include "netns/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TASK_MS = 30 * 1000, /* from made to in step; the kernel may be slow when it makes many */
	BUSY_MS = 20,
	VALUE_MAX = 4096,
};

struct netns_task {
	struct nctl_list link;
	struct nd_netns_set *set;
	struct nctl_plan *plan;
	uint32_t i;
	enum {
		TASK_UNSENT, /* the helper was busy */
		TASK_SENT,
		TASK_MADE, /* the namespace of that cookie is to come in step */
	} step;
	uint64_t cookie;
	nctl_time until;
};

static struct nctl_op *op_of(const struct netns_task *t)
{
	return &t->plan->ops[t->i];
}

bool nd_netns_task_is_unfinished(const struct netns_task *t)
{
	return t->plan->netns[t->plan->ops[t->i].netns].ours;
}

static const struct nctl_plan_netns *netns_of(const struct netns_task *t)
{
	return &t->plan->netns[op_of(t)->netns];
}

/* t is freed. */
static void finish(struct netns_task *t, int error, const char *text)
{
	struct nctl_hub *hub = t->set->hub;
	uint32_t i = t->i;

	nctl_list_del(&t->link);
	free(t);
	nctl_hub_op_done(hub, i, error, text);
}

static int put_on_record(struct nd_netns_set *s, const char *name, uint64_t cookie)
{
	return s->ops->intend_netns ? s->ops->intend_netns(name, cookie, s->userdata) : 0;
}

static void made(struct netns_task *t, uint64_t cookie)
{
	int e = put_on_record(t->set, netns_of(t)->name, cookie);

	if (e < 0) {
		finish(t, e, "the new network namespace cannot be put on record");
		return;
	}
	t->step = TASK_MADE;
	t->cookie = cookie;
	t->until = nctl_time_add_ms(nctl_time_now(), TASK_MS);
	t->set->tasks_dirty = true;
}

void nd_netns_task_answered(struct netns_task *t, const struct nd_helper_answer *a)
{
	bool del = op_of(t)->type == NCTL_OP_NETNS_DEL;

	/* Of a helper that died nobody knows how far it came. */
	if (!del && a->error && a->error != -EPIPE && !nd_netns_task_is_unfinished(t) &&
		t->set->ops->forget_netns)
		t->set->ops->forget_netns(netns_of(t)->name, t->set->userdata);
	if (del && a->error == -ENOENT)
		finish(t, 0, NULL); /* it is not there: that was wanted */
	else if (a->error == -EPIPE)
		finish(t, a->error, "the privileged helper died; another one is started, try again");
	else if (a->error || del)
		finish(t, a->error, a->text);
	else
		made(t, a->cookie);
}

/* Copies text with each run of blanks as one, none at the ends. False: it is too long. */
static bool squeeze(const char *text, char *buf, size_t size)
{
	static const char blanks[] = " \t\r\n\v\f";
	size_t len = 0;

	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		size_t n = strcspn(text, blanks);

		if (len + n + 2 > size)
			return false;
		if (len)
			buf[len++] = ' ';
		memcpy(buf + len, text, n);
		len += n;
		text += n;
	}
	buf[len] = '\0';
	return true;
}

static void on_sysctl(const struct nd_helper_answer *a, void *userdata)
{
	struct netns_task *t = userdata;
	const char *got = !a->error && a->n && a->values && a->values[0] ? a->values[0] : "";
	char is[VALUE_MAX], should[VALUE_MAX], text[VALUE_MAX + 32];

	if (a->error == -ECANCELED)
		return;
	if (a->error) {
		finish(t, a->error, a->text);
		return;
	}
	if (!squeeze(got, is, sizeof(is)) || !squeeze(op_of(t)->value, should, sizeof(should))) {
		finish(t, -E2BIG, "the value is too long");
		return;
	}
	if (!strcmp(is, should)) {
		finish(t, 0, NULL);
		return;
	}
	snprintf(text, sizeof(text), "the kernel made it %s", *is ? is : "nothing");
	finish(t, -EINVAL, text);
}

static void on_nsid(const struct nd_helper_answer *a, void *userdata)
{
	struct netns_task *t = userdata;
	int error = a->error;

	if (error == -ECANCELED)
		return;
	if (!error && a->nsid == NCTL_NSID_NONE)
		error = -ENOENT;
	if (!error)
		op_of(t)->nsid = a->nsid;
	finish(t, error, a->error ? a->text : NULL);
}

/* No name and no cookie: home. */
static struct nd_netns_ref ref_of(const struct nctl_plan *plan, uint32_t netns)
{
	const struct nctl_plan_netns *n = &plan->netns[netns];

	return (struct nd_netns_ref){.name = n->name, .cookie = n->name ? n->cookie : 0};
}

static int make(struct netns_task *t)
{
	const char *name = netns_of(t)->name;
	const struct nd_netns *n;

	nd_netns_set_look(t->set);
	n = nd_netns_find(t->set, name);
	if (n && n->cookie)
		return -EEXIST;
	return nd_netns_work_add(t->set, false, &name, 1, 0, t, NULL, NULL);
}

/* -EBUSY: not now. Else 0 (perhaps t is gone), or what is wrong. */
static int ask(struct netns_task *t)
{
	struct nd_helper *helper = t->set->helper;
	struct nd_netns_ref in = ref_of(t->plan, op_of(t)->netns), of;
	struct nctl_op *op = op_of(t);

	if (op->type == NCTL_OP_NETNS_NEW)
		return make(t);
	if (op->type == NCTL_OP_NETNS_DEL)
		return nd_netns_work_add(t->set, true, &in.name, 1, in.cookie, t, NULL, NULL);
	if (op->type == NCTL_OP_SYSCTL_SET)
		return nd_helper_sysctl_write(helper, &in, op->sysctl, op->value, on_sysctl, t);
	if (op->type == NCTL_OP_NETNS_ID) {
		of = ref_of(t->plan, op->peer_netns);
		return nd_helper_nsid_in(helper, &in, &of, on_nsid, t);
	}
	return -EOPNOTSUPP;
}

static void ask_for(struct netns_task *t)
{
	struct nd_netns_set *s = t->set;
	int e;

	t->step = TASK_SENT; /* before it is asked: it may be answered, and gone, from inside */
	e = ask(t);
	if (e == -EBUSY) {
		t->step = TASK_UNSENT;
		s->retry_at = nctl_time_add_ms(nctl_time_now(), BUSY_MS);
	} else if (e < 0) {
		finish(t, e, e == -EEXIST ? "there is a network namespace of that name" : NULL);
	}
}

/* What keeps op from being asked for at all; 0 or -errno and a text. */
static int check(
	struct nd_netns_set *s, const struct nctl_plan *plan, const struct nctl_op *op, const char **ret_text)
{
	const char *name = plan->netns[op->netns].name;
	const struct nd_netns *n;

	*ret_text = NULL;
	if (!s->helper) {
		*ret_text = "there is no privileged helper";
		return -EOPNOTSUPP;
	}
	if (op->type != NCTL_OP_NETNS_NEW)
		return op->type == NCTL_OP_NETNS_DEL && !name ? -EINVAL : 0;
	if (!nctl_hub_hears_all(s->hub)) {
		*ret_text = "the events of other namespaces cannot be heard";
		return -EOPNOTSUPP;
	}
	if (!nd_helper_is_alive(s->helper)) {
		*ret_text = "the privileged helper is gone";
		return -EPIPE;
	}
	/* Before it is on record as ours: what is there is not. */
	nd_netns_set_look(s);
	n = name && !plan->netns[op->netns].ours ? nd_netns_find(s, name) : NULL;
	if (n) {
		*ret_text = n->cookie || !n->error
		                    ? "there is a network namespace of that name"
		                    : "there is a file of that name in /run/netns, which is no "
		                      "namespace: remove it, or choose another name";
		return -EEXIST;
	}
	*ret_text = "the new network namespace cannot be put on record";
	return name ? put_on_record(s, name, 0) : -EINVAL;
}

void nd_netns_carry_out(struct nctl_plan *plan, uint32_t i, void *userdata)
{
	struct nd_netns_set *s = userdata;
	const char *text;
	struct netns_task *t;
	int e = check(s, plan, &plan->ops[i], &text);

	if (e < 0) {
		nctl_hub_op_done(s->hub, i, e, text);
		return;
	}
	t = calloc(1, sizeof(*t));
	if (!t) {
		nctl_hub_op_done(s->hub, i, -ENOMEM, NULL);
		return;
	}
	*t = (struct netns_task){.set = s, .plan = plan, .i = i, .until = NCTL_TIME_NEVER};
	nctl_list_init(&t->link);
	nctl_list_add_tail(&s->tasks, &t->link);
	ask_for(t);
}

/* Is what t waits for there, or never to come? Then t is gone. */
static void look_at(struct netns_task *t, nctl_time now)
{
	struct nd_netns_set *s = t->set;
	const char *name = netns_of(t)->name;
	const struct netns_name *entry = nd_netns_name_find(s, name);
	struct nd_netns *n = nd_netns_find_cookie(s, t->cookie);

	if (n && n->session && nctl_session_is_synced(n->session)) {
		nctl_hub_bind(s->hub, op_of(t)->netns, n->session);
		finish(t, 0, NULL);
	} else if (n && !n->session) {
		finish(t, -EIO, n->error);
	} else if (!n && !entry) {
		finish(t, -ENOENT, "somebody has deleted it meanwhile");
	} else if (!n && entry->netns->cookie) {
		finish(t, -EEXIST, "somebody has put another one in its place");
	} else if (!n && nd_netns_name_is_broken(entry)) {
		finish(t, -EIO, entry->netns->error);
	} else if (nctl_time_cmp(t->until, now) <= 0) {
		finish(t, -ETIMEDOUT, "the mirror of the new network namespace does not come in step");
	}
}

/* Few at most, in no order of their times. */
nctl_time nd_netns_tasks_at(const struct nd_netns_set *s)
{
	nctl_time at = NCTL_TIME_NEVER;
	struct nctl_list *pos;

	nctl_list_for_each(pos, &s->tasks) {
		const struct netns_task *t = nctl_list_entry(pos, struct netns_task, link);

		if (t->step != TASK_SENT)
			at = nd_netns_earlier(at, t->step == TASK_MADE ? t->until : s->retry_at);
	}
	return at;
}

void nd_netns_tasks_chores(struct nd_netns_set *s, nctl_time now)
{
	struct nctl_list todo = NCTL_LIST_INIT(todo), *pos;

	bool dirty = s->tasks_dirty;

	s->tasks_dirty = false; /* also when there are none: the loop does not wait while there is work */
	if (nctl_list_empty(&s->tasks) || (!dirty && nctl_time_cmp(now, nd_netns_tasks_at(s)) < 0))
		return;
	/* Answering one may hand out the next ones; those come to s->tasks, which is not walked meanwhile. */
	nctl_list_splice_tail(&todo, &s->tasks);
	while ((pos = nctl_list_first(&todo))) {
		struct netns_task *t = nctl_list_entry(pos, struct netns_task, link);

		nctl_list_del(&t->link);
		nctl_list_add_tail(&s->tasks, &t->link);
		if (t->step == TASK_MADE)
			look_at(t, now);
		else if (t->step == TASK_UNSENT && nctl_time_cmp(s->retry_at, now) <= 0)
			ask_for(t);
	}
}

void nd_netns_tasks_fini(struct nd_netns_set *s)
{
	struct nctl_list *pos;

	while ((pos = nctl_list_first(&s->tasks))) {
		nctl_list_del(pos);
		free(nctl_list_entry(pos, struct netns_task, link));
	}
}
