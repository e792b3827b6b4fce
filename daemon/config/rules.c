/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Lists of routing rules: of network or a namespace, and, as in netplan, of a device, to which they are
 * not bound. A rule that does not tell its family becomes one of each.
 */
#include <inttypes.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "config/routing.h"

struct reading {
	struct nd_dev *d;
	const struct nd_node *node;
	struct nctl_rule_form form;
	uint64_t given;
	struct nctl_want_rule w;
};

static bool has(const struct reading *x, enum nctl_rule_key key)
{
	return x->given >> key & 1;
}

static struct nctl_pos at(const struct reading *x, enum nctl_rule_key key)
{
	return nd_form_pos(x->d, x->node, nctl_rule_keys.v[key].key);
}

static bool refuse(struct reading *x, enum nctl_rule_key key, const char *advice, const char *message)
{
	nd_error(x->d->p, at(x, key), advice, "%s %s", nctl_rule_keys.v[key].key, message);
	return false;
}

/* "N", decimal or with 0x. */
static bool read_number(const char *text, size_t n, uint32_t max, uint32_t *ret)
{
	char buf[24];
	uint64_t v;
	bool hex = n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	if (!n || n >= sizeof(buf))
		return false;
	memcpy(buf, text, n);
	buf[n] = '\0';
	if (nctl_parse_u64(hex ? buf + 2 : buf, hex ? 16 : 10, &v) < 0 || v > max)
		return false;
	*ret = (uint32_t)v;
	return true;
}

static bool read_mark(struct reading *x)
{
	struct nctl_rule *v = &x->w.v;
	const char *text = x->form.mark, *slash = text ? strchr(text, '/') : NULL;

	if (!text)
		return true;
	v->mask = UINT32_MAX;
	if (!read_number(text, slash ? (size_t)(slash - text) : strlen(text), UINT32_MAX, &v->mark) ||
		(slash && !read_number(slash + 1, strlen(slash + 1), UINT32_MAX, &v->mask)))
		return refuse(
			x, NCTL_RULE_KEY_MARK, "write a number, or NUMBER/MASK: 0x10/0xff", "is no mark");
	if (v->mark & ~v->mask)
		return refuse(x, NCTL_RULE_KEY_MARK, "no packet has such a mark; check the mask",
			"has bits outside of its mask");
	if (!v->mask)
		return refuse(x, NCTL_RULE_KEY_MARK, "remove it", "has an empty mask: it is for all packets");
	v->has_mark = true;
	return true;
}

/* "FIRST-LAST", or one number for both. */
static bool read_range(struct reading *x, enum nctl_rule_key key, const char *text, uint32_t max,
	uint32_t *first, uint32_t *last)
{
	const char *dash = strchr(text, '-');

	if (!read_number(text, dash ? (size_t)(dash - text) : strlen(text), max, first))
		return refuse(x, key, "write a number, or FIRST-LAST", "is no range of numbers");
	*last = *first;
	if (dash && !read_number(dash + 1, strlen(dash + 1), max, last))
		return refuse(x, key, "write a number, or FIRST-LAST", "is no range of numbers");
	return *first <= *last || refuse(x, key, "the lower number comes first", "is an empty range");
}

static bool read_ports(struct reading *x, enum nctl_rule_key key, const char *text, bool *ret_has,
	struct nctl_port_range *ret)
{
	uint32_t first = 0, last = 0;

	if (!text)
		return true;
	if (!read_range(x, key, text, UINT16_MAX, &first, &last))
		return false;
	if (!first || first == UINT16_MAX)
		return refuse(x, key, "ports are 1 to 65534 here", "is no port that the kernel looks for");
	*ret_has = true;
	*ret = (struct nctl_port_range){.first = (uint16_t)first, .last = (uint16_t)last};
	return true;
}

static bool read_ranges(struct reading *x)
{
	struct nctl_rule *v = &x->w.v;

	if (!read_ports(x, NCTL_RULE_KEY_SPORT, x->form.sport, &v->has_sport, &v->sport) ||
		!read_ports(x, NCTL_RULE_KEY_DPORT, x->form.dport, &v->has_dport, &v->dport))
		return false;
	if (!x->form.uids)
		return true;
	v->has_uids = true;
	return read_range(x, NCTL_RULE_KEY_UIDS, x->form.uids, UINT32_MAX - 1, &v->uid_first, &v->uid_last);
}

static bool read_networks(struct reading *x)
{
	struct nctl_rule *v = &x->w.v;

	if (x->form.from && !nd_form_prefix(x->d, x->node, "from", x->form.from, &v->src))
		return false;
	if (x->form.to && !nd_form_prefix(x->d, x->node, "to", x->form.to, &v->dst))
		return false;
	if (v->src.family && v->dst.family && v->src.family != v->dst.family)
		return refuse(
			x, NCTL_RULE_KEY_TO, "both must be of one family", "is of another family than from");
	v->family = v->src.family ? v->src.family : v->dst.family;
	if (v->family && has(x, NCTL_RULE_KEY_FAMILY) && v->family != x->form.family)
		return refuse(x, NCTL_RULE_KEY_FAMILY, "remove it", "is not that of the network");
	if (!v->family)
		v->family = x->form.family;
	/* All of it is told by nothing. */
	if (!v->src.len)
		v->src = NCTL_PREFIX_NULL;
	if (!v->dst.len)
		v->dst = NCTL_PREFIX_NULL;
	return true;
}

static bool check_action(struct reading *x)
{
	struct nctl_rule *v = &x->w.v;
	bool looks_up = v->action == FR_ACT_TO_TBL;

	if (has(x, NCTL_RULE_KEY_GOTO) && has(x, NCTL_RULE_KEY_ACTION))
		return refuse(x, NCTL_RULE_KEY_GOTO, "remove one of them", "and action exclude each other");
	if (v->l3mdev && has(x, NCTL_RULE_KEY_TABLE))
		return refuse(x, NCTL_RULE_KEY_L3MDEV, "remove one of them", "and table exclude each other");
	if (!looks_up && has(x, NCTL_RULE_KEY_TABLE))
		return refuse(x, NCTL_RULE_KEY_TABLE, "remove it", "is for rules that look into one");
	if (!looks_up && v->l3mdev)
		return refuse(x, NCTL_RULE_KEY_L3MDEV, "remove it", "is for rules that look into a table");
	if (v->action == FR_ACT_GOTO && x->w.has_priority && v->target <= v->priority)
		return refuse(x, NCTL_RULE_KEY_GOTO, "rules are gone through once, in ascending order",
			"must lead to a higher priority");
	if (v->tos & 3)
		return refuse(x, NCTL_RULE_KEY_TOS, "its two lowest bits are for ECN: 4, 8, 12, 16 and so on",
			"must be a multiple of 4");
	return true;
}

static void fill(struct reading *x)
{
	const struct nctl_rule_form *f = &x->form;
	struct nctl_rule *v = &x->w.v;

	v->action = has(x, NCTL_RULE_KEY_GOTO) ? FR_ACT_GOTO : f->action;
	v->target = f->target;
	v->tos = f->tos;
	v->ip_proto = f->ip_proto;
	v->l3mdev = f->l3mdev;
	v->flags = f->invert ? FIB_RULE_INVERT : 0;
	v->priority = f->priority;
	x->w.has_priority = has(x, NCTL_RULE_KEY_PRIORITY);
	v->tun_id = f->tun_id;
	memcpy(v->iif, f->iif, sizeof(v->iif));
	memcpy(v->oif, f->oif, sizeof(v->oif));
	v->suppress_prefixlen =
		has(x, NCTL_RULE_KEY_SUPPRESS_PREFIXLEN) ? (int32_t)f->suppress_prefixlen : -1;
	v->suppress_ifgroup = has(x, NCTL_RULE_KEY_SUPPRESS_IFGROUP) ? (int32_t)f->suppress_ifgroup : -1;
	if (v->action == FR_ACT_TO_TBL && !v->l3mdev)
		v->table = has(x, NCTL_RULE_KEY_TABLE) ? f->table : RT_TABLE_MAIN;
}

static const char *label_of(const struct reading *x)
{
	if (x->w.has_priority)
		return nd_text(x->d->p, "%" PRIu32, x->form.priority);
	if (x->form.from)
		return nd_text(x->d->p, "from %s", x->form.from);
	return x->form.to ? nd_text(x->d->p, "to %s", x->form.to) : "rule";
}

static void add(struct reading *x, struct nctl_want_netns *netns, uint8_t family)
{
	struct nd_parse *p = x->d->p;
	struct nd_rule *r = nd_alloc(p, sizeof(*r));

	if (!r)
		return;
	*r = (struct nd_rule){.w = x->w,
		.netns = netns,
		.link = x->d->link,
		.has_table = has(x, NCTL_RULE_KEY_TABLE),
		.table_pos = at(x, NCTL_RULE_KEY_TABLE)};
	r->w.v.family = family;
	r->w.label = nd_want_strdup(p, label_of(x));
	*p->routing.rules_tail = r;
	p->routing.rules_tail = &r->next;
}

static void read_rule(struct nd_dev *d, const struct nd_node *node, struct nctl_want_netns *netns)
{
	struct reading x = {.d = d, .node = node, .form = {.action = FR_ACT_TO_TBL}};

	if (!nd_form_read(d, node, &nctl_rule_keys, &x.form, NULL, NULL, &x.given))
		return;
	x.w.pos = node->pos;
	fill(&x);
	if (!read_networks(&x) || !read_mark(&x) || !read_ranges(&x) || !check_action(&x))
		return;
	if (x.w.v.family != AF_INET6)
		add(&x, netns, AF_INET);
	if (x.w.v.family != AF_INET)
		add(&x, netns, AF_INET6);
}

static void read_rules(struct nd_dev *d, const struct nd_node *node, struct nctl_want_netns *netns)
{
	const struct nd_node *c;

	if (!nd_expect(d->p, node, ND_NODE_SEQUENCE))
		return;
	for (c = node->first; c && d->p->err == 0; c = c->next)
		read_rule(d, c, netns);
}

void nd_step_rules(struct nd_dev *d, const struct nd_step *s)
{
	read_rules(d, s->node, d->p->netns[d->link->netns->number]);
}

void nd_rules_read(struct nd_parse *p, const struct nd_node *node, const struct nd_scope *scope)
{
	size_t before = p->diag->n_errors;

	if (!nd_take(&p->n_values, scope->n, nd_node_count(node), ND_VALUES_MAX)) {
		nd_error(p, node->key_pos, "say less about each, or make fewer",
			"with this, there are more than %zu values for all devices", ND_VALUES_MAX);
		return;
	}
	for (size_t i = 0; i < scope->n && p->diag->n_errors == before && p->err == 0; i++) {
		struct nd_dev d = {.p = p, .numbers = nd_scope_numbers(scope, i), .first = !i};

		read_rules(&d, node, scope->netns[i]);
	}
}
