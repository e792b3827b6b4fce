/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The list of addresses of a device: texts, or mappings from a text to options (addropts.c).
 */
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "config/steps.h"

/* A sentence about a text that is no address. */
static const char *address_advice(const struct nd_dev *d, const char *text)
{
	if (!d->numbers.has_n && strchr(text, '{'))
		return "expressions are for ranges: give the device a name like \"x{1..10}\"";
	if (strspn(text, "0123456789./") == strlen(text))
		return "IPv4 is four decimal numbers up to 255 without leading zeros, then /0 to /32: "
		       "192.0.2.1/24";
	return "an address is like 192.0.2.1/24 or 2001:db8::1/64";
}

/* A group may be joined by giving its address to a device, with this option (ip-address(8)). */
static bool joins_group(const struct nd_dev *d, const struct nd_node *options)
{
	return options && options->type == ND_NODE_MAPPING && nd_node_get(&d->p->tree, options, "autojoin");
}

static bool parse_address(struct nd_dev *d, const char *text, struct nctl_pos pos,
	const struct nd_node *options, struct nctl_prefix *ret)
{
	int r = nctl_prefix_parse(text, NCTL_PREFIX_NEED_LENGTH, ret);
	bool v6 = strchr(text, ':');

	if (r > 0) {
		nd_error(d->p, pos,
			nd_text(d->p, "write \"%s/%d\", or \"%s/%d\" for this address alone", text,
				v6 ? 64 : 24, text, v6 ? 128 : 32),
			"the address has no prefix length");
		return false;
	}
	if (r < 0) {
		nd_error(d->p, pos, address_advice(d, text), "\"%s\" is no address", text);
		return false;
	}
	if ((nctl_prefix_is_multicast(ret) && !joins_group(d, options)) || nctl_prefix_is_unspecified(ret)) {
		nd_error(d->p, pos, "an interface has addresses of its own only",
			"\"%s\" cannot be the address of a device", text);
		return false;
	}
	if (!ret->len) {
		nd_error(d->p, pos, nd_text(d->p, "write the length of the network, or /%d", v6 ? 128 : 32),
			"the prefix length is 0");
		return false;
	}
	return true;
}

/* As the kernel (IPv6: ipv6_addr_scope) and ip-address(8) (IPv4) choose it. */
static uint8_t scope_of(const struct nctl_prefix *p)
{
	if (nctl_prefix_is_loopback(p))
		return RT_SCOPE_HOST;
	if (p->family == AF_INET6 && nctl_prefix_is_link_local(p))
		return RT_SCOPE_LINK;
	return RT_SCOPE_UNIVERSE;
}

static struct nctl_want_addr *add_address(
	struct nd_dev *d, const char *text, struct nctl_pos pos, const struct nd_node *options)
{
	struct nctl_want_addr *a = &d->link->addrs[d->link->n_addrs];
	struct nctl_prefix local;

	if (!parse_address(d, text, pos, options, &local))
		return NULL;
	a->v = NCTL_ADDR_INIT;
	a->v.local = local;
	a->v.scope = scope_of(&local);
	a->pos = pos;
	d->link->n_addrs++;
	return a;
}

/* {ADDRESS: {label: …, lifetime: …}} */
static void read_entry(struct nd_dev *d, const struct nd_node *entry)
{
	const char *text = nd_dev_key(d, entry);
	struct nctl_want_addr *a = text ? add_address(d, text, entry->key_pos, entry) : NULL;

	if (a && nd_expect(d->p, entry, ND_NODE_MAPPING))
		nd_addr_options(d, a, entry);
}

static size_t count_addresses(const struct nd_node *list)
{
	const struct nd_node *c, *e;
	size_t n = 0;

	for (c = list->first; c; c = c->next) {
		n++;
		for (e = c->type == ND_NODE_MAPPING ? c->first : NULL; e; e = e->next)
			n++;
	}
	return n;
}

void nd_step_addresses(struct nd_dev *d, const struct nd_step *s)
{
	const struct nd_node *c, *e;
	const char *text;

	if (!nd_expect(d->p, s->node, ND_NODE_SEQUENCE))
		return;
	d->link->addrs = nd_want_alloc(d->p, count_addresses(s->node) * sizeof(*d->link->addrs));
	if (!d->link->addrs)
		return;
	for (c = s->node->first; c; c = c->next) {
		if (c->type == ND_NODE_MAPPING) {
			for (e = c->first; e; e = e->next)
				read_entry(d, e);
			continue;
		}
		text = nd_dev_text(d, c);
		if (text)
			add_address(d, text, c->pos, NULL);
	}
}
