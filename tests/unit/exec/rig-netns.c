/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the owner of the namespaces in tests: it makes and ends them in the fake kernel, joins them, and
 * carries out what the hub hands over.
 */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "test.h"

struct rig_netns *rig_netns(struct rig *r, const char *name)
{
	for (size_t i = 0; i < r->n_netns; i++)
		if (!r->netns[i]->ended && !strcmp(r->netns[i]->name, name))
			return r->netns[i];
	return NULL;
}

static struct rig_netns *find_cookie(struct rig *r, uint64_t cookie)
{
	for (size_t i = 0; i < r->n_netns; i++)
		if (r->netns[i]->cookie == cookie)
			return r->netns[i];
	return NULL;
}

struct nctl_ledger *rig_ledger(struct rig *r, uint64_t cookie)
{
	struct rig_netns *n = find_cookie(r, cookie);

	if (cookie == nctl_session_cookie(r->session))
		return r->ledger;
	return n ? n->ledger : NULL;
}

const struct nctl_mirror_link *rig_link_in(struct rig *r, const char *netns, const char *name)
{
	struct rig_netns *n = rig_netns(r, netns);

	return n && n->session ? nctl_mirror_link_find(nctl_session_mirror(n->session), name) : NULL;
}

const char *rig_sysctl(const struct rig_netns *n, const char *name)
{
	for (int i = 0; i < RIG_SYSCTLS; i++)
		if (!strcmp(n->sysctls[i].name, name))
			return n->sysctls[i].value;
	return NULL;
}

static void set_sysctl(struct rig_netns *n, const char *name, const char *value)
{
	int i = 0;

	while (*n->sysctls[i].name && strcmp(n->sysctls[i].name, name) != 0) {
		i++;
		assert_true(i < RIG_SYSCTLS);
	}
	snprintf(n->sysctls[i].name, sizeof(n->sysctls[i].name), "%s", name);
	snprintf(n->sysctls[i].value, sizeof(n->sysctls[i].value), "%s", value);
}

size_t rig_there(const struct rig *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_netns; i++)
		n += r->netns[i]->session != NULL;
	return n;
}

void rig_until_there(struct rig *r, size_t n)
{
	nctl_time end = nctl_time_add_ms(nctl_time_now(), 10 * 1000);

	while (rig_there(r) != n) {
		assert_true(nctl_time_cmp(nctl_time_now(), end) < 0);
		rig_turn(r, 100);
	}
}

static struct rig_netns *add(struct rig *r, const char *name)
{
	struct rig_netns *n = rig_netns(r, name);

	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	r->netns = realloc(r->netns, (r->n_netns + 1) * sizeof(*r->netns));
	assert_non_null(n);
	assert_non_null(r->netns);
	snprintf(n->name, sizeof(n->name), "%s", name);
	n->op = NCTL_OP_NONE;
	r->netns[r->n_netns++] = n;
	return n;
}

struct rig_netns *rig_netns_make(struct rig *r, const char *name)
{
	struct rig_netns *n = add(r, name);
	struct nctl_kernel *k;

	assert_int_equal(n->cookie, 0);
	assert_int_equal(nctl_fake_netns_new(r->fake, &n->cookie), 0);
	n->nsid = nctl_fake_netns_assign_nsid(r->fake, n->cookie);
	n->ours = false;
	memset(n->sysctls, 0, sizeof(n->sysctls));
	assert_int_equal(nctl_ledger_new(&n->ledger), 0);
	k = nctl_fake_netns_kernel(r->fake, n->cookie);
	assert_non_null(k);
	assert_int_equal(nctl_hub_join(r->hub, k, n->cookie, n->nsid, n, &n->session), 0);
	nctl_kernel_unref(k);
	return n;
}

/* The name goes at once, the namespace with its last transport. */
static void end(struct rig *r, struct rig_netns *n)
{
	n->ended = true;
	nctl_fake_netns_drop(r->fake, n->cookie);
}

void rig_netns_end(struct rig *r, const char *name)
{
	end(r, rig_netns(r, name));
}

void rig_netns_free(struct rig *r)
{
	for (size_t i = 0; i < r->n_netns; i++) {
		nctl_ledger_free(r->netns[i]->ledger);
		free(r->netns[i]);
	}
	free(r->netns);
	r->netns = NULL;
	r->n_netns = 0;
}

/* -- what the hub asks for -- */

static void bind_made(struct rig *r, struct rig_netns *n)
{
	uint32_t op = n->op;

	n->op = NCTL_OP_NONE;
	nctl_hub_bind(r->hub, n->number, n->session);
	nctl_hub_op_done(r->hub, op, 0, NULL);
}

static void make(struct rig *r, struct nctl_plan *plan, uint32_t i)
{
	uint32_t number = plan->ops[i].netns;
	struct rig_netns *n = rig_netns_make(r, plan->netns[number].name);

	n->ours = true;
	n->op = i;
	n->number = number;
	if (!r->in_step)
		bind_made(r, n);
}

static void learn_id(struct rig *r, struct nctl_plan *plan, uint32_t i)
{
	struct nctl_op *op = &plan->ops[i];

	op->nsid = nctl_fake_netns_nsid_in(
		r->fake, plan->netns[op->netns].cookie, plan->netns[op->peer_netns].cookie, true);
	nctl_hub_op_done(r->hub, i, op->nsid < 0 ? -ENOENT : 0, op->nsid < 0 ? "no such namespace" : NULL);
}

static void carry_out(struct rig *r, struct nctl_plan *plan, uint32_t i)
{
	const struct nctl_op *op = &plan->ops[i];
	struct rig_netns *n = find_cookie(r, plan->netns[op->netns].cookie);

	r->carried[op->type]++;
	if (r->refuse_error && op->type == r->refuse_type) {
		nctl_hub_op_done(r->hub, i, r->refuse_error, "the owner does not want to");
		return;
	}
	if (op->type != NCTL_OP_NETNS_NEW && (!n || n->ended)) {
		nctl_hub_op_done(r->hub, i, -ENOENT, "no such namespace");
		return;
	}
	switch (op->type) {
	case NCTL_OP_NETNS_NEW:
		make(r, plan, i);
		break;
	case NCTL_OP_NETNS_DEL:
		end(r, n);
		nctl_hub_op_done(r->hub, i, 0, NULL);
		break;
	case NCTL_OP_NETNS_ID:
		learn_id(r, plan, i);
		break;
	case NCTL_OP_SYSCTL_SET:
		set_sysctl(n, op->sysctl, op->value);
		nctl_hub_op_done(r->hub, i, 0, NULL);
		break;
	default:
		fail_msg("this is for rtnetlink: %d", op->type);
	}
}

bool rig_answer(struct rig *r)
{
	uint32_t i;

	if (!r->n_ops)
		return false;
	i = r->ops[0];
	r->n_ops--;
	memmove(&r->ops[0], &r->ops[1], r->n_ops * sizeof(r->ops[0]));
	carry_out(r, r->plan, i);
	return true;
}

static void on_carry_out(struct nctl_plan *plan, uint32_t i, void *userdata)
{
	struct rig *r = userdata;

	assert_ptr_equal(plan, r->plan);
	if (r->at_once) {
		carry_out(r, plan, i);
		return;
	}
	assert_true(r->n_ops < NCTL_HUB_OPS_IN_FLIGHT);
	r->ops[r->n_ops++] = i;
	if (r->most_ops < r->n_ops)
		r->most_ops = r->n_ops;
}

static void on_wake(void *userdata)
{
	struct rig *r = userdata;

	(void)eventfd_write(r->wake_fd, 1);
}

static void on_synced(struct nctl_session *s, void *userdata)
{
	struct rig_netns *n = nctl_session_owner(s);
	struct rig *r = userdata;

	if (!n)
		r->synced++;
	else if (n->op != NCTL_OP_NONE)
		bind_made(r, n);
}

static void on_gone(struct nctl_session *s, void *userdata)
{
	struct rig_netns *n = nctl_session_owner(s);
	struct rig *r = userdata;

	assert_ptr_equal(n->session, s);
	assert_false(nctl_fake_netns_is_alive(r->fake, n->cookie));
	r->gone++;
	n->session = NULL;
	n->ended = true;
	n->cookie = 0;
	n->ledger = nctl_ledger_free(n->ledger);
	if (n->op != NCTL_OP_NONE) {
		uint32_t op = n->op;

		n->op = NCTL_OP_NONE;
		nctl_hub_op_done(r->hub, op, -ENOENT, "gone");
	}
}

static int on_intend(const struct nctl_intent *v, size_t n, void *userdata)
{
	struct rig *r = userdata;

	r->intends++;
	if (r->intend_error)
		return r->intend_error;
	for (size_t i = 0; i < n; i++) {
		struct nctl_ledger *l = rig_ledger(r, v[i].cookie);

		assert_non_null(l);
		assert_int_equal(nctl_ledger_link_add(l, &v[i].link), 0);
		r->intended++;
	}
	return 0;
}

const struct nctl_hub_ops rig_ops = {
	.wake = on_wake,
	.synced = on_synced,
	.gone = on_gone,
	.intend = on_intend,
	.carry_out = on_carry_out,
	.verify_ms = 50,
};
