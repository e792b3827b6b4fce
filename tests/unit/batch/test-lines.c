/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what lines become: a table of lines and the messages that they are, as text, or why they are refused;
 * where windows end; and input that no one would write.
 */
#include "test.h"

#include <linux/rtnetlink.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "exec/private.h"
#include "known.h"
#include "plan/op-fib.h"

/* -- operations as text: enough to tell them apart -- */

static void put_link(struct nctl_strbuf *out, const struct nctl_op *op)
{
	const struct nctl_link *v = &op->want->v;

	for (size_t i = 0; i < nctl_link_fields.n; i++) {
		const struct nctl_field *f = &nctl_link_fields.v[i];

		if (!f->key || !((op->type == NCTL_OP_LINK_NEW ? v->has : op->diff.common) >> i & 1))
			continue;
		nctl_strbuf_printf(out, " %s=", f->key);
		nctl_field_format_text(f, v, out);
	}
	for (size_t i = 0; v->kind && i < v->kind->data.n; i++) {
		if (!(v->data_has >> i & 1))
			continue;
		nctl_strbuf_printf(out, " %s:",
			v->kind->data.v[i].json  ? v->kind->data.v[i].json
			: v->kind->data.v[i].key ? v->kind->data.v[i].key
						 : "-");
		nctl_field_format_text(&v->kind->data.v[i], v->data, out);
	}
	for (size_t i = 0; v->port_kind && i < v->port_kind->port.n; i++) {
		if (!(v->port_has >> i & 1))
			continue;
		nctl_strbuf_printf(out, " port.%s:", v->port_kind->port.v[i].json);
		nctl_field_format_text(&v->port_kind->port.v[i], v->port, out);
	}
}

static void put_link_op(struct nctl_strbuf *out, const struct nctl_op *op)
{
	if (op->type == NCTL_OP_LINK_NEW)
		nctl_strbuf_printf(out, "new %s %s #%u", op->kind, op->name, op->ifindex);
	else
		nctl_strbuf_printf(out, "set #%u", op->ifindex);
	if (op->lower)
		nctl_strbuf_printf(out, " lower=%u", op->lower);
	if (op->master || op->diff.common & NCTL_LINK_BIT(MASTER))
		nctl_strbuf_printf(out, " master=%u", op->master);
	if (op->diff.common & NCTL_LINK_BIT(NAME))
		nctl_strbuf_printf(out, " name=%s", op->want->v.name);
	if (op->diff.flags)
		nctl_strbuf_printf(out, " flags=%x/%x", op->link_flags, op->diff.flags);
	if (op->pair)
		nctl_strbuf_printf(out, " peer=%s #%u", op->want->peer.link->v.name, op->peer_ifindex);
	if (op->netns || op->peer_netns)
		nctl_strbuf_printf(
			out, " netns=%u/%u%s", op->netns, op->peer_netns, op->moves ? " moves" : "");
	put_link(out, op);
}

static void put_addr(struct nctl_strbuf *out, const struct nctl_op *op)
{
	const struct nctl_addr *a = op->type == NCTL_OP_ADDR_NEW ? &op->want_addr->v : op->addr;
	char buf[NCTL_PREFIX_STR];

	nctl_strbuf_printf(out, "%s %s #%u", op->type == NCTL_OP_ADDR_NEW ? "addr" : "no-addr",
		nctl_prefix_format(&a->local, buf), op->ifindex);
	if (a->peer.family)
		nctl_strbuf_printf(out, " peer=%s", nctl_addr_format(&a->peer, buf));
	if (a->broadcast.family)
		nctl_strbuf_printf(out, " brd=%s", nctl_addr_format(&a->broadcast, buf));
	if (a->flags)
		nctl_strbuf_printf(out, " flags=%x", a->flags);
	if (a->scope)
		nctl_strbuf_printf(out, " scope=%u", a->scope);
	if (a->label[0])
		nctl_strbuf_printf(out, " label=%s", a->label);
	if (a->valid != NCTL_ADDR_FOREVER || a->preferred != NCTL_ADDR_FOREVER)
		nctl_strbuf_printf(out, " lft=%u/%u", a->valid, a->preferred);
	if (op->nlm_flags)
		nctl_strbuf_printf(out, " nlm=%x", op->nlm_flags);
}

static void put_route(struct nctl_strbuf *out, const struct nctl_op *op)
{
	const struct nctl_route *v = &op->fib->v.route;
	char buf[NCTL_PREFIX_STR];

	nctl_strbuf_printf(out, "%s %s t=%u p=%u s=%u y=%u",
		op->type == NCTL_OP_ROUTE_NEW ? "route" : "no-route", nctl_prefix_format(&v->dst, buf),
		v->table, v->protocol, v->scope, v->type);
	if (v->metric)
		nctl_strbuf_printf(out, " m=%u", v->metric);
	for (uint32_t i = 0; i < v->n_hops; i++)
		nctl_strbuf_printf(out, " via=%s#%u*%u%s", nctl_addr_format(&v->hops[i].via, buf),
			v->hops[i].oif, v->hops[i].weight, v->hops[i].flags & RTNH_F_ONLINK ? "!" : "");
	if (v->metrics.n)
		nctl_strbuf_printf(out, " metrics=%u", v->metrics.n);
	if (v->nhid)
		nctl_strbuf_printf(out, " nhid=%u", v->nhid);
	if (op->fib->nlm_flags)
		nctl_strbuf_printf(out, " nlm=%x", op->fib->nlm_flags);
}

static void put_rule(struct nctl_strbuf *out, const struct nctl_op *op)
{
	const struct nctl_rule *v = &op->fib->v.rule;
	char buf[NCTL_PREFIX_STR];

	nctl_strbuf_printf(out, "%s f=%u a=%u t=%u", op->type == NCTL_OP_RULE_NEW ? "rule" : "no-rule",
		v->family, v->action, v->table);
	if (op->fib->has_priority)
		nctl_strbuf_printf(out, " prio=%u", v->priority);
	if (v->src.family)
		nctl_strbuf_printf(out, " from=%s", nctl_prefix_format(&v->src, buf));
	if (v->has_mark)
		nctl_strbuf_printf(out, " mark=%x/%x", v->mark, v->mask);
	if (v->iif[0])
		nctl_strbuf_printf(out, " iif=%s", v->iif);
	if (v->flags)
		nctl_strbuf_printf(out, " flags=%x", v->flags);
}

static void put_semicolon(struct nctl_strbuf *out)
{
	if (out->len && out->s[out->len - 2] != '|')
		nctl_strbuf_puts(out, "; ");
}

static void put_op(struct nctl_strbuf *out, const struct nctl_op *op)
{
	const struct nctl_neigh *n = op->fib ? &op->fib->v.neigh : NULL;
	const struct nctl_nexthop *nh = op->fib ? &op->fib->v.nexthop : NULL;
	char buf[NCTL_PREFIX_STR], mac[NCTL_LLADDR_STR];

	put_semicolon(out);
	if (op->type == NCTL_OP_LINK_NEW || op->type == NCTL_OP_LINK_SET)
		put_link_op(out, op);
	else if (op->type == NCTL_OP_ADDR_NEW || op->type == NCTL_OP_ADDR_DEL)
		put_addr(out, op);
	else if (op->type == NCTL_OP_ROUTE_NEW || op->type == NCTL_OP_ROUTE_DEL)
		put_route(out, op);
	else if (op->type == NCTL_OP_NEXTHOP_NEW)
		nctl_strbuf_printf(out, "nexthop %u f=%u via=%s#%u n=%u nlm=%x", nh->id, nh->family,
			nctl_addr_format(&nh->hop.via, buf), nh->hop.oif, nh->n_members, op->fib->nlm_flags);
	else if (op->type == NCTL_OP_NEXTHOP_DEL)
		nctl_strbuf_printf(out, "no-nexthop %u", nh->id);
	else if (op->type == NCTL_OP_RULE_NEW || op->type == NCTL_OP_RULE_DEL)
		put_rule(out, op);
	else if (op->type == NCTL_OP_NEIGH_NEW || op->type == NCTL_OP_NEIGH_DEL)
		nctl_strbuf_printf(out, "%s %s #%u %s state=%x flags=%x",
			op->type == NCTL_OP_NEIGH_NEW ? "neigh" : "no-neigh", nctl_addr_format(&n->dst, buf),
			n->ifindex, nctl_lladdr_format(&n->lladdr, mac), n->state, n->flags);
	else if (op->type == NCTL_OP_LINK_DEL)
		nctl_strbuf_printf(out, "del #%u", op->ifindex);
	else if (op->type == NCTL_OP_ALTNAME_NEW || op->type == NCTL_OP_ALTNAME_DEL)
		nctl_strbuf_printf(out, "altname %s #%u", op->altname, op->ifindex);
	if (op->need[0] != NCTL_OP_NONE)
		nctl_strbuf_printf(out, " after=%u", op->need[0]);
}

/* Operations, lines that are refused, and "|" where a window ends. */
static void put_window(struct nctl_strbuf *out, const struct nd_batch_window *w)
{
	for (size_t i = 0; i < w->n_lines; i++) {
		const struct nd_batch_line *l = &w->lines[i];

		if (l->error || l->name)
			put_semicolon(out);
		if (l->error && l->column)
			nctl_strbuf_printf(out, "%u:%u: %s", l->at_line, l->column, l->error);
		else if (l->error)
			nctl_strbuf_printf(out, "%u: %s", l->number, l->error);
		if (l->error && l->advice)
			nctl_strbuf_printf(out, " (%s)", l->advice);
		if (l->name)
			nctl_strbuf_printf(out, "netns %s", l->name);
		for (uint32_t n = 0; n < l->n_ops; n++)
			put_op(out, &w->plan->ops[l->first_op + n]);
	}
}

static char *read_all(const char *text, size_t len)
{
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_batch b = {.text = text, .len = len};
	struct known k;
	bool end = false;

	known_init(&k);
	while (!end) {
		_cleanup_(nd_batch_window_freep) struct nd_batch_window *w = NULL;

		assert_int_equal(nd_batch_fill(&b, &k.view, 64, 1024, &w), 0);
		if (w->n_lines && out.len)
			nctl_strbuf_puts(&out, " | ");
		put_window(&out, w);
		end = w->end;
	}
	known_fini(&k);
	return out.s ? out.s : strdup("");
}

static const struct {
	const char *text, *want;
} cases[] = {
	/* words */
	{"", ""},
	{"# nothing\n\n  \t\n", ""},
	{"link set eth0 up # and so on\n", "set #2 flags=1/1"},
	{"link \\\n set \\\n  eth0 \\\n up\n", "set #2 flags=1/1"},
	{"\tl s \"eth0\" 'up'", "set #2 flags=1/1"},
	{"link set eth0 alias \"two words # no comment\"", "set #2 alias=two words # no comment"},
	{"link set \"eth0 up\n", "1:18: the quoted word does not end"},
	{"link set eth0\\\n  foo", "2:3: \"foo\" is not known here"},
	{"lnk set eth0 up", "1:1: \"lnk\" is not known here (did you mean \"link\"?)"},
	{"ip link set eth0 up", "1:1: lines begin with what comes behind \"ip\" (leave the word out)"},
	{"-6 route add ::/0", "1:1: a line has no options of ip(8) (say them to netctl batch)"},
	{"link show", "1:6: lines change something, and show nothing (ask by netctl itself)"},
	{"link", "1:5: \"link\" wants add, del or the like"},
	{"link fry eth0", "1:6: \"fry\" is not known here"},
	/* links */
	{"link add d0 type dummy", "new dummy d0 #1000000"},
	{"l a name d0 mtu 1400 addr 02:00:00:00:00:01 ty dummy",
		"new dummy d0 #1000000 mtu=1400 macaddress=02:00:00:00:00:01"},
	{"link add link eth0 name foo.5 type vlan id 5 protocol 802.1ad",
		"new vlan foo.5 #1000000 lower=2 protocol:802.1ad id:5"},
	{"link add link eth0 foo.5 type vlan proto 802.1q id 0x5 gvrp on reorder_hdr off ingress-qos-map 1:2 "
	 "3:4",
		"1:36: \"proto\" is not known to vlan links (did you mean \"protocol\"?)"},
	{"link add link eth0 foo.5 type vlan protocol 802.1q id 0x5 loose_binding on ingress-qos-map 1:2 3:4",
		"new vlan foo.5 #1000000 lower=2 protocol:802.1Q id:5 flags:[REORDER_HDR, LOOSE_BINDING] "
		"ingress_qos:{1: 2, 3: 4}"},
	{"link add link eth0 foo.5 type vlan idd 5",
		"1:36: \"idd\" is not known to vlan links (did you mean \"id\"?)"},
	{"link add link eth0 foo.5 type vlan id", "1:38: \"id\" wants a value for id"},
	{"link add link eth0 foo.5 type vlan id 5000", "1:39: id must be between 0 and 4094, not 5000"},
	{"link add b type bond mode 1 miimon 100 lacp_rate fast",
		"new bond b #1000000 mode:active-backup miimon:100 ad_lacp_rate:fast"},
	{"link add br type bridge stp_state 1 forward_delay 1500 vlan_filtering 1 mcast_snooping 0",
		"new bridge br #1000000 forward_delay:15 stp_state:true vlan_filtering:true "
		"mcast_snooping:false"},
	{"link add vx type vxlan id 7 dev eth0 dstport 4789 local 192.0.2.1 group 239.1.1.1 nolearning ttl 5",
		"new vxlan vx #1000000 lower=2 group:239.1.1.1 local:192.0.2.1 ttl:5 id:7 port:4789 "
		"learning:false"},
	{"link add vx type vxlan id 7 remote 2001:db8::1", "new vxlan vx #1000000 group6:2001:db8::1 id:7"},
	{"link add g type gretap local 192.0.2.1 remote 192.0.2.2 key 5",
		"new gretap g #1000000 remote:192.0.2.2 local:192.0.2.1 -:8192 -:8192 ikey:0.0.0.5 "
		"okey:0.0.0.5"},
	{"link add m link eth0 type macvlan mode bridge", "new macvlan m #1000000 lower=2 mode:bridge"},
	{"link add i link eth0 type ipvlan mode l3 private",
		"new ipvlan i #1000000 lower=2 mode:l3 flags:private"},
	{"link add red type vrf table 10\nlink add d type dummy\nlink set d master red\nroute add default "
	 "dev d vrf red",
		"new vrf red #1000000 table:10; new dummy d #1000001; set #1000001 master=1000000 after=1; "
		"route 0.0.0.0/0 t=10 p=3 s=253 y=1 via=#1000001*1 nlm=600 after=0"},
	{"link add v0 type veth peer name v1", "new veth v0 #1000000 peer=v1 #1000001"},
	{"link add v0 type veth peer v1 netns other", "new veth v1 #1000000 peer=v0 #1000001 netns=1/0"},
	{"link add v0 type veth", "new veth v0 #1000000 peer=veth%d #1000001"},
	{"link add type ifb\nlink set lo up", "new ifb ifb%d #1000000 | set #1 flags=1/1"},
	{"link add d up type dummy\nlink del d",
		"new dummy d #1000000; set #1000000 flags=1/1 after=0; del #1000000 after=0"},
	{"link add d type dummi",
		"1:17: \"dummi\" is not known as a kind of links (did you mean \"dummy\"?)"},
	{"link add d", "1:10: a new link is of a kind (say type KIND)"},
	{"link add averylongnameforalink type dummy",
		"1:10: \"averylongnameforalink\" is too long for a device (names have at most 15 bytes)"},
	{"link set nix up", "1: Cannot find device \"nix\""},
	{"link set lo up\nlink set nix up\nlink set lo down",
		"set #1 flags=1/1 | 2: Cannot find device \"nix\"; set #1 flags=0/1"},
	{"link add eth0 type dummy", "new dummy eth0 #1000000"},
	{"link set lo up\nlink add eth0 type dummy\nlink set eth0 up",
		"set #1 flags=1/1 | new dummy eth0 #1000000 | set #2 flags=1/1"},
	{"link set eth0 name e0 arp off multicast on promisc on\nlink set e0 down\nlink add eth0 type dummy",
		"set #2 name=e0 flags=1180/1180; set #2 flags=0/1; new dummy eth0 #1000000"},
	{"link set eth0 nomaster", "set #2 master=0"},
	{"link set eth0 type bridge_slave cost 5 hairpin on", "set #2 port.cost:5 port.hairpin:true"},
	{"link set eth0 netns other\nlink set lo up", "set #2 netns=0/1 moves | set #1 flags=1/1"},
	{"link set eth0 netns nowhere", "1: Cannot open network namespace \"nowhere\""},
	{"link del eth0\nlink set eth0 up", "del #2 | set #2 flags=1/1"},
	{"link del group 7", "1:10: groups cannot be deleted here (name them one by one)"},
	{"link property add dev eth0 altname a altname b", "altname a #2; altname b #2"},
	/* addresses */
	{"addr add 192.0.2.1/24 dev eth0", "addr 192.0.2.1/24 #2 nlm=600"},
	{"a a 192.0.2.1/24 brd + dev eth0 label eth0:1",
		"addr 192.0.2.1/24 #2 brd=192.0.2.255 label=eth0:1 nlm=600"},
	{"addr add 127.0.0.2/8 dev lo", "addr 127.0.0.2/8 #1 scope=254 nlm=600"},
	{"addr add 192.0.2.1 peer 192.0.2.2/30 dev eth0", "addr 192.0.2.1/30 #2 peer=192.0.2.2 nlm=600"},
	{"addr replace 2001:db8::1/64 dev eth0 nodad valid_lft 100 preferred_lft 50sec",
		"addr 2001:db8::1/64 #2 flags=2 lft=100/50 nlm=500"},
	{"addr del 192.0.2.1/24 dev eth0", "no-addr 192.0.2.1/24 #2"},
	{"addr add 192.0.2.1/33 dev eth0", "1:10: \"192.0.2.1/33\" is no address or prefix"},
	{"addr add 192.0.2.1/24", "1:10: an address is on a device (say dev NAME)"},
	{"addr add 192.0.2.1/24 dv eth0", "1:23: \"dv\" is not known of addresses (did you mean \"dev\"?)"},
	/* routes */
	{"route add 198.51.100.0/24 via 192.0.2.9",
		"route 198.51.100.0/24 t=254 p=3 s=0 y=1 via=192.0.2.9#0*1 nlm=600"},
	{"r a 10/8 dev eth0", "route 10.0.0.0/8 t=254 p=3 s=253 y=1 via=#2*1 nlm=600"},
	{"route add default via 2001:db8::1 dev eth0 onlink metric 7 mtu lock 1400",
		"route ::/0 t=254 p=3 s=0 y=1 m=7 via=2001:db8::1#2*1! metrics=16 nlm=600"},
	{"route replace unreachable 10.0.0.0/8 proto static table 100",
		"route 10.0.0.0/8 t=100 p=4 s=0 y=7 nlm=500"},
	{"route append 10.1.1.1 dev eth0", "route 10.1.1.1/32 t=254 p=3 s=253 y=1 via=#2*1 nlm=c00"},
	{"route add 10.0.0.0/8 nexthop via 192.0.2.1 weight 3 nexthop dev eth1",
		"route 10.0.0.0/8 t=254 p=3 s=0 y=1 via=192.0.2.1#0*3 via=#3*1 nlm=600"},
	{"route add 10.0.0.0/8 vrf blue dev eth0", "route 10.0.0.0/8 t=40 p=3 s=253 y=1 via=#2*1 nlm=600"},
	{"route del 10.0.0.0/8", "no-route 10.0.0.0/8 t=254 p=0 s=255 y=0"},
	{"route add 10.0.0.0/8 vai 192.0.2.1",
		"1:22: \"vai\" is not known of routes (did you mean \"via\"?)"},
	{"route add 10.0.0.0/8 dev", "1:25: \"dev\" wants the name of a device"},
	{"route flush", "1:7: \"flush\" wants to know which routes (say table main, or what else is meant)"},
	/* rules, neighbours, namespaces */
	{"rule add from 10.0.0.0/8 lookup 100 pref 5", "rule f=2 a=1 t=100 prio=5 from=10.0.0.0/8"},
	{"ru add not fwmark 0x10/0xff iif eth0 table main", "rule f=2 a=1 t=254 mark=10/ff iif=eth0 flags=2"},
	{"rule del pref 5", "no-rule f=2 a=0 t=0 prio=5"},
	{"neigh add 192.0.2.7 lladdr 02:00:00:00:00:01 dev eth0",
		"neigh 192.0.2.7 #2 02:00:00:00:00:01 state=80 flags=0"},
	{"neigh add proxy 2001:db8::9 dev eth0", "neigh 2001:db8::9 #2  state=80 flags=8"},
	{"neigh del 192.0.2.7 dev eth0", "no-neigh 192.0.2.7 #2  state=0 flags=0"},
	{"netns add a\nnetns add b\nnetns del a\nlink set lo up",
		"netns a; netns b | netns a | set #1 flags=1/1"},
	{"nexthop add id 5 via 192.0.2.9 dev eth0\nnex replace id 7 group 5/6,3 proto static\nnexthop del id "
	 "9",
		"nexthop 5 f=2 via=192.0.2.9#2 n=0 nlm=600; nexthop 7 f=0 via=#0 n=2 nlm=500 | no-nexthop 9"},
	{"nexthop add via 192.0.2.9 dev eth0", "1:31: which next hop? its number is missing (say id N)"},
	{"nexthop add id 5 group 1/x",
		"1:24: \"x\" is no member of a group (write ID or ID,WEIGHT between slashes)"},
	{"netns add a/b", "1:11: \"a/b\" is no name of a namespace"},
};

static void test_cases(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(cases); i++) {
		_cleanup_(nctl_freep) char *got = read_all(cases[i].text, strlen(cases[i].text));

		if (!strcmp(got, cases[i].want))
			continue;
		print_error("%s\n  is   %s\n  want %s\n", cases[i].text, got, cases[i].want);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void test_long_lines(void **state)
{
	_cleanup_(nctl_freep) char *text = malloc(2 * ND_BATCH_LINE_MAX), *a = NULL, *b = NULL;
	size_t n = 0;

	(void)state;
	memset(text, 'x', 2 * ND_BATCH_LINE_MAX);
	text[2 * ND_BATCH_LINE_MAX - 1] = '\n';
	a = read_all(text, 2 * ND_BATCH_LINE_MAX);
	assert_non_null(strstr(a, "the line is too long"));
	while (n + 2 < ND_BATCH_LINE_MAX) {
		text[n++] = 'x';
		text[n++] = ' ';
	}
	b = read_all(text, n);
	assert_non_null(strstr(b, "the line has too many words"));
}

static void test_nul(void **state)
{
	static const char text[] = "link set eth0\0 up\nlink set lo up\n";
	_cleanup_(nctl_freep) char *got = read_all(text, sizeof(text) - 1);

	(void)state;
	assert_string_equal(got, "1:14: there is a NUL byte in the line; set #1 flags=1/1");
}

/* A window has as many lines as it may have; those behind it are in the next ones. */
static void test_bounds(void **state)
{
	_cleanup_(nctl_freep) char *text = malloc(32 * 1000);
	struct nd_batch b = {.text = text};
	size_t lines = 0;
	struct known k;
	bool end = false;

	(void)state;
	for (int i = 0; i < 1000; i++)
		b.len += (size_t)sprintf(text + b.len, "link add d%d type dummy\n", i);
	known_init(&k);
	while (!end) {
		_cleanup_(nd_batch_window_freep) struct nd_batch_window *w = NULL;

		assert_int_equal(nd_batch_fill(&b, &k.view, 64, 10, &w), 0);
		assert_true(w->n_lines <= 10);
		lines += w->n_lines;
		end = w->end;
	}
	assert_int_equal(lines, 1000);
	known_fini(&k);
}

/* Empty ones count, too. */
static void test_many_lines(void **state)
{
	static const char last[] = "link set lo up\nlink set lo up\n";
	size_t n = ND_BATCH_LINES_MAX;
	_cleanup_(nctl_freep) char *text = malloc(n + sizeof(last)), *got = NULL;

	(void)state;
	memset(text, '\n', n);
	memcpy(text + n - 1, last, sizeof(last));
	got = read_all(text, n - 1 + sizeof(last) - 1);
	assert_string_equal(got, "set #1 flags=1/1; 4000001:1: the text has too many lines: this one and "
	                         "those behind it are not read");
}

/* Lines that were not tried are read again, and have the same numbers. */
static void test_rewind(void **state)
{
	static const char text[] = "# one\nlink set eth0 up\n\n# four\nlink set eth0 \\\n down\n# "
				   "seven\nlink set eth1 upp\nlink del lo\n";
	struct nd_batch b = {.text = text, .len = sizeof(text) - 1};
	struct nd_batch_window *w;
	struct known k;
	char buf[64];

	(void)state;
	known_init(&k);
	for (size_t n = 4; n-- > 0;) {
		assert_int_equal(nd_batch_fill(&b, &k.view, 64, 64, &w), 0);
		assert_int_equal(w->n_lines, 4);
		assert_true(w->end);
		assert_int_equal(w->lines[0].number, 2);
		assert_int_equal(w->lines[1].number, 5);
		assert_int_equal(w->lines[2].number, 8);
		assert_int_equal(w->lines[2].at_line, 8);
		assert_string_equal(nd_batch_source(&b, &w->lines[2], buf, sizeof(buf)), "link set eth1 upp");
		assert_int_equal(w->lines[3].number, 9);
		nd_batch_rewind(&b, w, n);
		assert_int_equal(w->n_lines, n);
		assert_false(w->end);
		nd_batch_window_free(w);
		assert_int_equal(nd_batch_fill(&b, &k.view, 64, 64, &w), 0);
		assert_int_equal(w->n_lines, 4 - n);
		nd_batch_window_free(w);
		b = (struct nd_batch){.text = text, .len = sizeof(text) - 1};
	}
	known_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_rewind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
