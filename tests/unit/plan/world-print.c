/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: plans and worlds as text, to be compared.
 */
#include "world-private.h"

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "test.h"
#include "obj/vlans.h"

static void print_fields(struct nctl_strbuf *b, const struct nctl_field_table *t, uint64_t mask)
{
	for (size_t i = 0; i < t->n; i++)
		if (mask & (UINT64_C(1) << i))
			nctl_strbuf_printf(b, " %s", t->v[i].key ? t->v[i].key : t->v[i].json);
}

static void print_set(struct nctl_strbuf *b, const struct nctl_op *op)
{
	print_fields(b, &nctl_link_fields, op->diff.common & ~NCTL_LINK_BIT(FLAGS));
	if (op->diff.common & NCTL_LINK_BIT(FLAGS))
		nctl_strbuf_puts(b, op->up ? " up" : " down");
	print_fields(b, &op->want->v.kind->data, op->diff.data);
	if (op->want->v.port_kind)
		print_fields(b, &op->want->v.port_kind->port, op->diff.port);
	if (op->cls != NCTL_CHANGE_LIVE)
		nctl_strbuf_printf(b, " (%s)", nctl_change_class_name(op->cls));
}

static const char *in(const struct nctl_plan *p, uint32_t netns, char *buf, size_t size)
{
	const char *name = p->netns[netns].name;

	snprintf(buf, size, "%s%s", name ? name : "", name ? "/" : "");
	return buf;
}

static void print_vlans(struct nctl_strbuf *b, const struct nctl_vlans *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		nctl_strbuf_printf(b, " %u", s->v[i].first);
		if (s->v[i].last != s->v[i].first)
			nctl_strbuf_printf(b, "-%u", s->v[i].last);
		nctl_strbuf_puts(b, s->v[i].flags & NCTL_VLAN_PVID ? " pvid" : "");
		nctl_strbuf_puts(b, s->v[i].flags & NCTL_VLAN_UNTAGGED ? " untagged" : "");
	}
}

static void print_op(struct nctl_strbuf *b, const struct nctl_plan *p, const struct nctl_op *op)
{
	char addr[NCTL_PREFIX_STR], here[64], there[64];

	in(p, op->netns, here, sizeof(here));
	nctl_strbuf_printf(b, "%s: ", nctl_phase_name(op->phase));
	switch ((enum nctl_op_type)op->type) {
	case NCTL_OP_LINK_NEW:
		nctl_strbuf_printf(b, "link-new %s %s%s", op->kind, here, op->name);
		if (op->pair)
			nctl_strbuf_printf(b, " and %s%s", in(p, op->peer_netns, there, sizeof(there)),
				op->want->peer.name);
		break;
	case NCTL_OP_LINK_SET:
		nctl_strbuf_printf(b, "link-set %s %s%s", op->kind, here, op->name);
		print_set(b, op);
		break;
	case NCTL_OP_LINK_DEL:
		nctl_strbuf_printf(
			b, "link-del %s %s%s%s", op->kind, here, op->name, op->implied ? " (implied)" : "");
		break;
	case NCTL_OP_ALTNAME_DEL:
		nctl_strbuf_printf(b, "altname-del %s%s %s", here, op->name, op->altname);
		break;
	case NCTL_OP_ALTNAME_NEW:
		nctl_strbuf_printf(b, "altname-new %s%s %s", here, op->name, op->altname);
		break;
	case NCTL_OP_ADDR_NEW:
		nctl_prefix_format(&op->want_addr->v.local, addr);
		nctl_strbuf_printf(b, "addr-new %s%s %s", here, op->name, addr);
		break;
	case NCTL_OP_ADDR_DEL:
		nctl_prefix_format(&op->addr->local, addr);
		nctl_strbuf_printf(b, "addr-del %s%s %s", here, op->name, addr);
		break;
	case NCTL_OP_ROUTE_NEW:
	case NCTL_OP_ROUTE_DEL:
	case NCTL_OP_NEXTHOP_NEW:
	case NCTL_OP_NEXTHOP_DEL:
	case NCTL_OP_RULE_NEW:
	case NCTL_OP_RULE_DEL:
	case NCTL_OP_NEIGH_NEW:
	case NCTL_OP_NEIGH_DEL:
		world_print_fib(b, op, here);
		break;
	case NCTL_OP_VLANS_ADD:
	case NCTL_OP_VLANS_DEL:
		nctl_strbuf_printf(
			b, "vlans-%s %s%s", op->type == NCTL_OP_VLANS_ADD ? "add" : "del", here, op->name);
		print_vlans(b, op->vlans);
		break;
	case NCTL_OP_NETNS_NEW:
		nctl_strbuf_printf(b, "netns-new %s", op->name);
		break;
	case NCTL_OP_NETNS_DEL:
		nctl_strbuf_printf(b, "netns-del %s", op->name);
		break;
	case NCTL_OP_NETNS_ID:
		nctl_strbuf_printf(b, "netns-id %s of %s", op->name, p->netns[op->peer_netns].name);
		break;
	case NCTL_OP_ETHTOOL_SET:
		nctl_strbuf_printf(b, "ethtool-set %s%s %s", here, op->name, nctl_ethtool_group_name(op->group));
		break;
	case NCTL_OP_WG_SET:
		nctl_strbuf_printf(b, "wg-set %s%s", here, op->name);
		break;
	case NCTL_OP_SYSCTL_SET:
		nctl_strbuf_printf(b, "sysctl-set %s%s = %s", here, op->sysctl, op->value);
		if (op->old_value)
			nctl_strbuf_printf(b, " (%s)", op->old_value);
		break;
	}
	nctl_strbuf_putc(b, '\n');
}

char *world_print(const struct nctl_plan *p)
{
	static const char *const types[] = {"wait", "consent", "conflict", "foreign-loss"};
	struct nctl_strbuf b = NCTL_STRBUF_INIT;

	for (size_t i = 0; i < p->n_ops; i++)
		print_op(&b, p, &p->ops[i]);
	for (size_t i = 0; i < p->n_problems; i++)
		nctl_strbuf_printf(&b, "%s: %s\n", types[p->problems[i].type], p->problems[i].text);
	return b.len ? nctl_strbuf_steal(&b) : strdup("");
}

void world_expect(const struct nctl_plan *p, const char *text)
{
	char *got = world_print(p);

	assert_string_equal(got, text);
	free(got);
}

static void dump_fields(
	struct nctl_strbuf *b, const struct nctl_field_table *t, const void *data, uint64_t has)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!(has >> i & 1) || !t->v[i].key)
			continue;
		nctl_strbuf_printf(b, " %s=", t->v[i].key);
		nctl_field_format_text(&t->v[i], data, b);
	}
}

static void dump_link(
	struct nctl_strbuf *b, const struct world *w, struct world_netns *n, const struct nctl_mirror_link *l)
{
	char addr[NCTL_PREFIX_STR];
	const struct nctl_mirror_addr *a;
	const struct world_netns *other = world_by_nsid(w, n, l->v.lower_nsid);

	nctl_strbuf_printf(b, "%s/%u %s %s%s lower %s/%u master %u mtu %u group %u alias \"%s\"", n->name,
		l->v.ifindex, l->v.name, l->v.kind ? l->v.kind->name : "-",
		nctl_link_is_up(&l->v) ? " up" : "", other ? other->name : "?", l->v.lower, l->v.master,
		l->v.mtu, l->v.group, l->v.alias ? l->v.alias : "");
	for (char **alt = l->v.altnames; alt && *alt; alt++)
		nctl_strbuf_printf(b, " alt %s", *alt);
	if (l->v.kind)
		dump_fields(b, &l->v.kind->data, l->v.data, l->v.data_has);
	for (a = nctl_mirror_addr_first(l); a; a = nctl_mirror_addr_next(a))
		nctl_strbuf_printf(b, "\n  %s proto %u", nctl_prefix_format(&a->v.local, addr), a->v.proto);
	nctl_strbuf_putc(b, '\n');
}

char *world_dump(const struct world *w)
{
	struct world_netns **by_name = calloc(w->n_netns, sizeof(*by_name));
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	const struct nctl_mirror_link *l;
	size_t n = 0;

	for (size_t i = 0; i < w->n_netns; i++)
		if (w->netns[i])
			by_name[n++] = w->netns[i];
	qsort(by_name, n, sizeof(struct world_netns *), world_cmp_name);
	for (size_t i = 0; i < n; i++) {
		nctl_strbuf_printf(&b, "netns %s%s\n", by_name[i]->name, by_name[i]->ours ? " (ours)" : "");
		for (l = nctl_mirror_link_from(by_name[i]->have, 1); l; l = nctl_mirror_link_next(l))
			dump_link(&b, w, by_name[i], l);
		world_dump_fib(&b, by_name[i]->have);
	}
	free(by_name);
	return nctl_strbuf_steal(&b);
}
