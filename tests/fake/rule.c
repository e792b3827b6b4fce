/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: routing rules as net/core/fib_rules.c keeps them, in the order of their priorities. Which of them are
 * detached from their links changes without a word. Not modelled: ports, users, tunnels, suppressors.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fib_rules.h>

#include "fake/fib.h"

enum { FK_L3MDEV_PREF = 1000 };

struct nctl_list *fk_rules(struct fk_netns *ns, uint8_t family)
{
	return family == AF_INET ? &ns->rules4 : &ns->rules6;
}

static struct fk_rule *fk_rule_of(struct nctl_list *pos)
{
	return nctl_list_entry(pos, struct fk_rule, node);
}

static struct fk_rule *fk_rule_insert(struct fk_netns *ns, const struct fk_rule *r)
{
	struct nctl_list *head = fk_rules(ns, r->family), *pos = head->next;
	struct fk_rule *n = malloc(sizeof *n);
	if (!n)
		abort();
	*n = *r;
	nctl_list_init(&n->node);
	while (pos != head && fk_rule_of(pos)->priority <= r->priority)
		pos = pos->next;
	nctl_list_insert_before(pos, &n->node);
	return n;
}

int fk_rules_init(struct fk_netns *ns)
{
	static const struct {
		uint8_t family;
		uint32_t priority, table;
	} rules[] = {
		{AF_INET, 0, RT_TABLE_LOCAL},
		{AF_INET, 32766, RT_TABLE_MAIN},
		{AF_INET, 32767, RT_TABLE_DEFAULT},
		{AF_INET6, 0, RT_TABLE_LOCAL},
		{AF_INET6, 32766, RT_TABLE_MAIN},
	};
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(rules); i++) {
		struct fk_rule r = {.family = rules[i].family,
			.action = FR_ACT_TO_TBL,
			.protocol = RTPROT_KERNEL,
			.priority = rules[i].priority,
			.table = rules[i].table};
		fk_rule_insert(ns, &r);
	}
	return 0;
}

void fk_rules_free(struct fk_netns *ns)
{
	for (int i = 0; i < 2; i++) {
		struct nctl_list *pos, *tmp;
		nctl_list_for_each_safe(pos, tmp, i ? &ns->rules6 : &ns->rules4) {
			nctl_list_del(pos);
			free(fk_rule_of(pos));
		}
	}
}

/* For what the kernel itself looks up: from nowhere, by way of oif or any. */
bool fk_rule_matches(const struct fk_rule *r, const uint8_t *dst, int oif)
{
	static const uint8_t none[16];
	bool match = !r->mark && !r->tos;
	if (*r->iif && r->iifindex != 1)
		match = false;
	if (*r->oif && r->oifindex != oif)
		match = false;
	if (r->dst_len && !fk_prefix_has(r->dst, r->dst_len, dst))
		match = false;
	if (r->src_len && (r->family == AF_INET6 || !fk_prefix_has(r->src, r->src_len, none)))
		match = false;
	return r->flags & FIB_RULE_INVERT ? !match : match;
}

/* fib_default_rule_pref() */
static uint32_t fk_default_priority(struct fk_netns *ns, uint8_t family)
{
	struct nctl_list *head = fk_rules(ns, family), *pos = head->next;
	if (pos == head || pos->next == head)
		return 0;
	uint32_t second = fk_rule_of(pos->next)->priority;
	return second ? second - 1 : 0;
}

static int fk_read_name(const struct nlattr *a, char name[static IFNAMSIZ])
{
	return a && !fk_str(a, name, IFNAMSIZ) ? -EINVAL : 0;
}

static int fk_attach_index(struct fk_netns *ns, const char *name)
{
	const struct fk_link *l = *name ? fk_link_by_name(ns, name) : NULL;
	return l ? l->ifindex : -1;
}

static int fk_read_prefixes(const struct nlattr **tb, struct fk_rule *r)
{
	size_t alen = r->family == AF_INET ? 4 : 16;
	if (r->dst_len > alen * 8 || r->src_len > alen * 8)
		return -EINVAL;
	if ((r->dst_len && (!tb[FRA_DST] || fk_len(tb[FRA_DST]) != alen)) ||
		(r->src_len && (!tb[FRA_SRC] || fk_len(tb[FRA_SRC]) != alen)))
		return -EINVAL;
	if (r->dst_len)
		memcpy(r->dst, fk_data(tb[FRA_DST]), alen);
	if (r->src_len)
		memcpy(r->src, fk_data(tb[FRA_SRC]), alen);
	return 0;
}

/* fib_nl2rule() */
static int fk_read_rule(struct fk_req *rq, const struct nlattr **tb, struct fk_rule *r)
{
	const struct fib_rule_hdr *frh = NLMSG_DATA(rq->nlh);
	*r = (struct fk_rule){
		.family = frh->family,
		.action = frh->action,
		.flags = frh->flags & FIB_RULE_INVERT,
		.tos = frh->tos,
		.dst_len = frh->dst_len,
		.src_len = frh->src_len,
		.table = tb[FRA_TABLE] ? fk_u32(tb[FRA_TABLE]) : frh->table,
		.protocol = tb[FRA_PROTOCOL] ? fk_u8(tb[FRA_PROTOCOL]) : 0,
		.mark = tb[FRA_FWMARK] ? fk_u32(tb[FRA_FWMARK]) : 0,
		.l3mdev = tb[FRA_L3MDEV] && fk_u8(tb[FRA_L3MDEV]) == 1,
	};
	r->mask = r->mark ? UINT32_MAX : 0;
	if (tb[FRA_FWMASK])
		r->mask = fk_u32(tb[FRA_FWMASK]);
	r->priority =
		tb[FRA_PRIORITY] ? fk_u32(tb[FRA_PRIORITY]) : fk_default_priority(rq->ns, r->family);
	if (fk_read_prefixes(tb, r) < 0 || fk_read_name(tb[FRA_IIFNAME], r->iif) < 0 ||
		fk_read_name(tb[FRA_OIFNAME], r->oif) < 0)
		return -EINVAL;
	r->iifindex = fk_attach_index(rq->ns, r->iif);
	r->oifindex = fk_attach_index(rq->ns, r->oif);
	if (tb[FRA_GOTO]) {
		if (r->action != FR_ACT_GOTO)
			return fk_refuse(rq, -EINVAL, "Unexpected goto");
		r->target = fk_u32(tb[FRA_GOTO]);
		if (r->target <= r->priority)
			return fk_refuse(rq, -EINVAL, "Backward goto not supported");
	} else if (r->action == FR_ACT_GOTO) {
		return fk_refuse(rq, -EINVAL, "Missing goto target for action goto");
	}
	return r->l3mdev && r->table ? fk_refuse(rq, -EINVAL, "l3mdev and table are mutually exclusive") : 0;
}

static bool fk_same_rule(const struct fk_rule *a, const struct fk_rule *b)
{
	return a->action == b->action && a->table == b->table && a->priority == b->priority &&
	       strcmp(a->iif, b->iif) == 0 && strcmp(a->oif, b->oif) == 0 && a->mark == b->mark &&
	       a->mask == b->mask && a->l3mdev == b->l3mdev;
}

/* ops->compare(): of what r leaves open any rule will do. */
static bool fk_prefixes_fit(const struct fk_rule *a, const struct fk_rule *r)
{
	if (r->src_len && (a->src_len != r->src_len || memcmp(a->src, r->src, 16) != 0))
		return false;
	if (r->dst_len && (a->dst_len != r->dst_len || memcmp(a->dst, r->dst, 16) != 0))
		return false;
	return !r->tos || a->tos == r->tos;
}

static bool fk_rule_fits(const struct fk_rule *a, const struct fk_rule *r, bool priority)
{
	if ((r->action && a->action != r->action) || (r->table && a->table != r->table) ||
		(priority && a->priority != r->priority) || (*r->iif && strcmp(a->iif, r->iif) != 0) ||
		(*r->oif && strcmp(a->oif, r->oif) != 0) || (r->mark && a->mark != r->mark) ||
		(r->mask && a->mask != r->mask) || (r->l3mdev && !a->l3mdev) ||
		(r->protocol && a->protocol != r->protocol))
		return false;
	return fk_prefixes_fit(a, r);
}

static int fk_rule_new(struct fk_req *rq, const struct fk_rule *r)
{
	struct nctl_list *pos;
	if (rq->nlh->nlmsg_flags & NLM_F_EXCL)
		nctl_list_for_each(pos, fk_rules(rq->ns, r->family))
			if (fk_same_rule(fk_rule_of(pos), r) && fk_prefixes_fit(fk_rule_of(pos), r))
				return -EEXIST;
	if (r->action == FR_ACT_TO_TBL && !r->l3mdev && !r->table)
		return fk_refuse(rq, r->family == AF_INET ? -EOPNOTSUPP : -EINVAL, "Invalid table");
	if (r->action == FR_ACT_TO_TBL && !r->l3mdev && r->family == AF_INET6)
		fk_table_make(rq->ns, AF_INET6, r->table);
	fk_rule_event(rq->ns, fk_rule_insert(rq->ns, r), RTM_NEWRULE);
	return 0;
}

static int fk_rule_del(struct fk_req *rq, const struct fk_rule *r, bool priority)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, fk_rules(rq->ns, r->family)) {
		struct fk_rule *a = fk_rule_of(pos);
		if (!fk_rule_fits(a, r, priority))
			continue;
		nctl_list_del(&a->node);
		fk_rule_event(rq->ns, a, RTM_DELRULE);
		free(a);
		return 0;
	}
	return -ENOENT;
}

int fk_rule_request(struct fk_req *rq)
{
	const struct nlattr *tb[FRA_MAX + 1];
	const struct fib_rule_hdr *frh = NLMSG_DATA(rq->nlh);
	struct fk_rule r;
	if (rq->nlh->nlmsg_len < NLMSG_LENGTH(sizeof *frh))
		return -EINVAL;
	if (frh->family != AF_INET && frh->family != AF_INET6)
		return -EAFNOSUPPORT;
	int e = fk_parse_msg(tb, FRA_MAX, rq->nlh, sizeof *frh);
	if (e == 0)
		e = fk_read_rule(rq, tb, &r);
	if (e < 0)
		return e;
	return rq->nlh->nlmsg_type == RTM_NEWRULE ? fk_rule_new(rq, &r)
	                                          : fk_rule_del(rq, &r, tb[FRA_PRIORITY] != NULL);
}

static void fk_attach(struct fk_rule *r, const struct fk_link *l)
{
	if (r->iifindex < 0 && strcmp(r->iif, l->name) == 0)
		r->iifindex = l->ifindex;
	if (r->oifindex < 0 && strcmp(r->oif, l->name) == 0)
		r->oifindex = l->ifindex;
}

static void fk_detach(struct fk_rule *r, const struct fk_link *l)
{
	r->iifindex = r->iifindex == l->ifindex ? -1 : r->iifindex;
	r->oifindex = r->oifindex == l->ifindex ? -1 : r->oifindex;
}

void fk_rules_link_event(struct fk_link *l, enum fk_event ev)
{
	for (int i = 0; i < 2; i++) {
		struct nctl_list *pos;
		nctl_list_for_each(pos, i ? &l->ns->rules6 : &l->ns->rules4) {
			if (ev == FK_UNREGISTER || ev == FK_CHANGENAME)
				fk_detach(fk_rule_of(pos), l);
			if (ev == FK_REGISTER || ev == FK_CHANGENAME)
				fk_attach(fk_rule_of(pos), l);
		}
	}
}

/* vrf_add_fib_rules(), once a namespace. */
void fk_rules_vrf(struct fk_netns *ns)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	if (ns->vrf_rules)
		return;
	ns->vrf_rules = true;
	for (size_t i = 0; i < sizeof families; i++) {
		struct fk_rule r = {.family = families[i],
			.action = FR_ACT_TO_TBL,
			.protocol = RTPROT_KERNEL,
			.priority = FK_L3MDEV_PREF,
			.l3mdev = true};
		fk_rule_event(ns, fk_rule_insert(ns, &r), RTM_NEWRULE);
	}
}
