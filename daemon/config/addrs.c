/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The list of addresses of a device: texts, or mappings from a text to options.
 */
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "config/device.h"

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

static bool parse_address(struct nd_dev *d, const char *text, struct nctl_pos pos, struct nctl_prefix *ret)
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
	if (nctl_prefix_is_multicast(ret) || nctl_prefix_is_unspecified(ret)) {
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

static struct nctl_want_addr *add_address(struct nd_dev *d, const char *text, struct nctl_pos pos)
{
	struct nctl_want_addr *a = &d->link->addrs[d->link->n_addrs];
	struct nctl_prefix local;

	if (!parse_address(d, text, pos, &local))
		return NULL;
	a->v = NCTL_ADDR_INIT;
	a->v.local = local;
	a->v.scope = scope_of(&local);
	a->pos = pos;
	d->link->n_addrs++;
	return a;
}

static void read_label(struct nd_dev *d, struct nctl_want_addr *a, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node);

	if (!text)
		return;
	if (a->v.local.family != AF_INET)
		nd_error(d->p, node->key_pos, "remove it", "only IPv4 addresses have labels");
	else if (!*text || strlen(text) >= sizeof(a->v.label))
		nd_error(d->p, node->pos, "shorten it", "a label has 1 to %zu bytes", sizeof(a->v.label) - 1);
	else
		strcpy(a->v.label, text);
}

/* netplan: 0 makes it deprecated at once (RFC 4862 section 5.5.4), but valid for ever. */
static void read_lifetime(struct nd_dev *d, struct nctl_want_addr *a, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node);

	if (!text)
		return;
	if (!strcmp(text, "0"))
		a->v.preferred = 0;
	else if (strcmp(text, "forever"))
		nd_error(d->p, node->pos, "write forever, or 0 (not used for new connections)",
			"\"%s\" is no lifetime", text);
}

static void read_option(struct nd_dev *d, struct nctl_want_addr *a, const struct nd_node *node)
{
	static const char *const known[] = {"label", "lifetime"};

	if (!strcmp(node->key, "label"))
		read_label(d, a, node);
	else if (!strcmp(node->key, "lifetime"))
		read_lifetime(d, a, node);
	else
		nd_error(d->p, node->key_pos,
			nd_did_you_mean(
				d->p, node->key, known, 2, "an address may have a label and a lifetime"),
			"unknown key \"%s\"", node->key);
}

/* {ADDRESS: {label: …, lifetime: …}} */
static void read_entry(struct nd_dev *d, const struct nd_node *entry)
{
	const char *text = nd_dev_key(d, entry);
	struct nctl_want_addr *a = text ? add_address(d, text, entry->key_pos) : NULL;
	const struct nd_node *c;

	if (!a || !nd_expect(d->p, entry, ND_NODE_MAPPING))
		return;
	for (c = entry->first; c; c = c->next)
		read_option(d, a, c);
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
			add_address(d, text, c->pos);
	}
}
