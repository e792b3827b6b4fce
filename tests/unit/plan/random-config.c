/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: random configurations for the tests of lib/plan, lib/exec and daemon/reconcile.
 */
#include "random-config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

/* Links that may become ports, with the master that took them (0: none yet). */
struct port {
	char name[16];
	unsigned master; /* 1 bond, 2 br0, 3 br1, 4 red, 5 blue */
	bool up;
};

struct config {
	struct random *r;
	struct nctl_strbuf *out;
	struct port ports[16];
	size_t n_ports;
	bool mtus, bond, bridges[2], vrfs[2];
	const char *card, *other_card; /* what may stand below: network cards at home, dummies elsewhere */
	const char *far;               /* pairs with other namespaces: lines of YAML, and their names */
	const char *far_names[4];
	size_t n_far;
};

static bool maybe(struct config *c, unsigned one_in)
{
	return random_below(c->r, one_in) == 0;
}

static void put_addresses(struct config *c)
{
	static const char *const v4[] = {
		"192.0.2.1/24", "192.0.2.2/24", "192.0.2.3/24", "198.51.100.1/25", "198.51.100.1/32"};
	static const char *const v6[] = {"2001:db8::1/64", "2001:db8::1/128", "2001:db8::2/64"};
	const char *sep = "";

	nctl_strbuf_puts(c->out, "addresses: [");
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(v4); i++)
		if (maybe(c, 4)) {
			nctl_strbuf_printf(c->out, "%s%s", sep, v4[i]);
			sep = ", ";
		}
	if (maybe(c, 2)) {
		nctl_strbuf_printf(c->out, "%s\"%s\"", sep, v6[random_below(c->r, NCTL_ARRAY_SIZE(v6))]);
		sep = ", ";
	}
	if (maybe(c, 4))
		nctl_strbuf_printf(
			c->out, "%s\"2001:db8:1::1/64\": {lifetime: %s}", sep, maybe(c, 2) ? "0" : "forever");
	nctl_strbuf_puts(c->out, "]");
}

/* Keys that every device may have; what stands higher has a smaller MTU. */
static void put_common(struct config *c, unsigned level)
{
	put_addresses(c);
	if (c->mtus && maybe(c, 3))
		nctl_strbuf_printf(c->out, ", mtu: %u",
			(level ? 1400 - 10 * level : 1400 + 100 * random_below(c->r, 3)) -
				random_below(c->r, level ? 3 : 1));
	if (maybe(c, 4))
		nctl_strbuf_printf(c->out, ", alias: \"text %u\"", random_below(c->r, 3));
	if (maybe(c, 6))
		nctl_strbuf_printf(c->out, ", group: %u", random_below(c->r, 3));
	if (maybe(c, 6))
		nctl_strbuf_puts(c->out, ", link-local: []");
	if (level > 2 && maybe(c, 3)) /* nothing stands on these */
		nctl_strbuf_printf(c->out, ", activation-mode: %s", maybe(c, 2) ? "manual" : "\"off\"");
}

static void add_port(struct config *c, const char *name)
{
	struct port *p = &c->ports[c->n_ports++];

	*p = (struct port){0};
	strcpy(p->name, name);
}

static void put_dummies(struct config *c)
{
	static const char *const names[] = {"d0", "d1", "d2"};

	nctl_strbuf_puts(c->out, "  dummy-devices:\n    keep: {}\n");
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(names); i++) {
		if (maybe(c, 4))
			continue;
		nctl_strbuf_printf(c->out, "    %s: {", names[i]);
		put_common(c, 0);
		nctl_strbuf_puts(c->out, "}\n");
		add_port(c, names[i]);
	}
}

static void put_pairs(struct config *c)
{
	if (c->n_far)
		nctl_strbuf_printf(c->out, "  virtual-ethernets:\n%s", c->far);
	for (size_t i = 0; i < c->n_far; i++)
		add_port(c, c->far_names[i]);
	if (maybe(c, 3))
		return;
	nctl_strbuf_printf(c->out, "%s    v0: {peer: v1, ", c->n_far ? "" : "  virtual-ethernets:\n");
	put_common(c, 0);
	nctl_strbuf_puts(c->out, "}\n    v1: {peer: v0, ");
	put_common(c, 0);
	nctl_strbuf_puts(c->out, "}\n");
	add_port(c, "v0");
	add_port(c, "v1");
}

static void put_interfaces(struct config *c, unsigned master)
{
	const char *sep = "";

	nctl_strbuf_puts(c->out, "interfaces: [");
	for (size_t i = 0; i < c->n_ports; i++) {
		if (c->ports[i].master || !maybe(c, 4))
			continue;
		c->ports[i].master = master;
		nctl_strbuf_printf(c->out, "%s%s", sep, c->ports[i].name);
		sep = ", ";
	}
	nctl_strbuf_puts(c->out, "]");
}

static void put_bond(struct config *c)
{
	static const char *const modes[] = {"active-backup", "balance-rr"};

	if (maybe(c, 3))
		return;
	c->bond = true;
	nctl_strbuf_puts(c->out, "  bonds:\n    b0: {");
	put_interfaces(c, 1);
	nctl_strbuf_printf(c->out, ", parameters: {mode: %s}}\n", modes[maybe(c, 4)]);
}

static void put_bridges(struct config *c)
{
	if (maybe(c, 4))
		return;
	nctl_strbuf_puts(c->out, "  bridges:\n");
	for (unsigned i = 0; i < 2; i++) {
		c->bridges[i] = true;
		nctl_strbuf_printf(c->out, "    br%u: {", i);
		put_interfaces(c, 2 + i);
		nctl_strbuf_puts(c->out, "}\n");
	}
}

static void put_vrfs(struct config *c)
{
	if (maybe(c, 4))
		return;
	nctl_strbuf_puts(c->out, "  vrfs:\n");
	for (unsigned i = 0; i < 2; i++) {
		c->vrfs[i] = true;
		nctl_strbuf_printf(c->out, "    %s: {table: %u, ", i ? "blue" : "red",
			i             ? 11
			: maybe(c, 5) ? 12
				      : 10);
		put_interfaces(c, 4 + i);
		nctl_strbuf_puts(c->out, "}\n");
	}
}

/* Something below: a free dummy, the bond, a bridge, or a network card; NULL if chance finds none. */
static const char *lower(struct config *c)
{
	switch (random_below(c->r, 4)) {
	case 0:
		return c->bond ? "b0" : NULL;
	case 1:
		return c->bridges[0] ? "br0" : NULL;
	case 2:
		return c->card;
	default:
		for (size_t i = 0; i < c->n_ports; i++)
			if (!c->ports[i].master)
				return c->ports[i].name;
		return NULL;
	}
}

static void put_stacked(struct config *c)
{
	static const char *const names[] = {"f.1", "f.2", "f.3"};
	const char *on, *below = NULL;

	nctl_strbuf_printf(c->out, "  vlans:\n    k: {link: %s, id: 4000}\n", c->other_card);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(names); i++) {
		on = maybe(c, 4) && below ? below : lower(c);
		if (!on)
			continue;
		/* IDs move between names. */
		nctl_strbuf_printf(c->out, "    %s: {link: %s, id: %u, ", names[i], on,
			1 + (unsigned)i + (maybe(c, 4) ? 3 : 0));
		put_common(c, 1 + (unsigned)i);
		if (c->vrfs[0] && maybe(c, 2))
			nctl_strbuf_printf(c->out, ", vrf: %s", maybe(c, 2) ? "red" : "blue");
		nctl_strbuf_puts(c->out, "}\n");
		below = names[i];
	}
	if (maybe(c, 2))
		return;
	nctl_strbuf_printf(c->out, "  macvlans:\n    m0: {link: %s, ", c->card);
	put_common(c, 4);
	nctl_strbuf_printf(c->out, ", mode: %s}\n", maybe(c, 2) ? "private" : "bridge");
}

static void put_devices(struct config *c)
{
	put_dummies(c);
	put_pairs(c);
	put_bond(c);
	put_bridges(c);
	put_vrfs(c);
	put_stacked(c);
}

static void put_cards(struct config *c)
{
	nctl_strbuf_puts(c->out, "  ethernets:\n    eth0: {");
	put_addresses(c);
	nctl_strbuf_puts(c->out, "}\n    eth1: {}\n");
}

void random_config(struct random *r, bool mtus, struct nctl_strbuf *out)
{
	struct config c = {.r = r, .out = out, .mtus = mtus, .card = "eth0", .other_card = "eth1"};

	put_cards(&c);
	put_devices(&c);
}

/* Four columns to the right. */
static void indent(const char *text, struct nctl_strbuf *out)
{
	const char *end;

	for (; (end = strchr(text, '\n')); text = end + 1)
		nctl_strbuf_printf(out, "    %.*s\n", (int)(end - text), text);
}

/* Pairs between the namespaces 0 (home), 1 and 2: each end names the other. */
struct far {
	struct nctl_strbuf lines[RANDOM_NETNS];
	char names[RANDOM_NETNS][4][16];
	size_t n[RANDOM_NETNS];
};

static void put_end(struct far *f, unsigned in, const char *name, unsigned to, const char *other)
{
	char netns[16] = "";

	if (to)
		snprintf(netns, sizeof(netns), "t%u", to);
	nctl_strbuf_printf(&f->lines[in], "    %s: {peer: {netns: \"%s\", name: %s}}\n", name, netns, other);
	strcpy(f->names[in][f->n[in]++], name);
}

/* Names are few, so that the peers of two configurations in a row differ. */
static void put_far_pair(struct far *f, struct random *r, const bool *there, unsigned i)
{
	unsigned a = random_below(r, RANDOM_NETNS), b = random_below(r, RANDOM_NETNS);
	char x[16], y[16];

	if (a == b || !there[a] || !there[b] || !random_below(r, 4))
		return;
	snprintf(x, sizeof(x), "x%u", i);
	snprintf(y, sizeof(y), "%s%u", random_below(r, 3) ? "x" : "y", i);
	put_end(f, a, x, b, y);
	put_end(f, b, y, a, x);
}

static void put_netns(struct config *c, unsigned i, struct nctl_strbuf *out)
{
	nctl_strbuf_printf(out, "    t%u:\n", i);
	if (maybe(c, 2))
		nctl_strbuf_printf(out, "      sysctl: {net.ipv4.ip_forward: %u}\n", random_below(c->r, 2));
	if (maybe(c, 2))
		nctl_strbuf_puts(out, "      ethernets: {lo: {}}\n");
	put_devices(c);
	indent(nctl_strbuf_str(c->out), out);
}

void random_netns_config(struct random *r, bool mtus, struct nctl_strbuf *out)
{
	bool there[RANDOM_NETNS] = {true};
	struct far far = {0};

	for (unsigned i = 1; i < RANDOM_NETNS; i++)
		there[i] = random_below(r, 4);
	for (unsigned i = 0; i < 3; i++)
		put_far_pair(&far, r, there, i);
	for (unsigned i = 0; i < RANDOM_NETNS; i++) {
		struct nctl_strbuf text = NCTL_STRBUF_INIT;
		struct config c = {.r = r, .out = i ? &text : out, .mtus = mtus};

		c.card = i ? "keep" : "eth0";
		c.other_card = i ? "keep" : "eth1";
		c.far = nctl_strbuf_str(&far.lines[i]);
		c.n_far = far.n[i];
		for (size_t k = 0; k < c.n_far; k++)
			c.far_names[k] = far.names[i][k];
		if (i == 1)
			nctl_strbuf_puts(out, "  namespaces:\n    t9: {}\n");
		if (i && there[i])
			put_netns(&c, i, out);
		if (!i) {
			put_cards(&c);
			put_devices(&c);
		}
		nctl_strbuf_fini(&text);
		nctl_strbuf_fini(&far.lines[i]);
	}
}
