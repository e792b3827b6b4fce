/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The options of one address, under the names that ip-address(8) has for them. What only one family
 * knows, and what the kernel refuses, is refused here, at its place.
 */
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "config/device.h"

struct option;

typedef void (*option_fn)(
	struct nd_dev *d, const struct option *o, struct nctl_want_addr *a, const struct nd_node *node);

struct option {
	const char *key;
	option_fn fn;
	int family;    /* the only one that knows it; AF_UNSPEC: both do */
	uint32_t flag; /* of a truth value */
};

static void read_label(
	struct nd_dev *d, const struct option *o, struct nctl_want_addr *a, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node);

	(void)o;
	if (!text)
		return;
	if (!*text || strlen(text) >= sizeof(a->v.label))
		nd_error(d->p, node->pos, "shorten it", "a label has 1 to %zu bytes", sizeof(a->v.label) - 1);
	else
		strcpy(a->v.label, text);
}

/* Seconds, or for ever; false: reported. */
static bool read_seconds(struct nd_dev *d, const struct nd_node *node, const char *advice, uint32_t *ret)
{
	const char *text = nd_dev_text(d, node);
	uint64_t n;

	if (!text)
		return false;
	if (!strcmp(text, "forever")) {
		*ret = NCTL_ADDR_FOREVER;
		return true;
	}
	if (!nd_check_octal(d->p, node, text) || !nd_check_base60(d->p, node, text))
		return false;
	if (nctl_parse_u64(text, 10, &n) < 0 || n >= NCTL_ADDR_FOREVER) {
		nd_error(d->p, node->pos, advice, "\"%s\" is no lifetime", text);
		return false;
	}
	*ret = (uint32_t)n;
	return true;
}

/* netplan: 0 makes it deprecated at once (RFC 4862 section 5.5.4), but valid for ever. */
static void read_lifetime(
	struct nd_dev *d, const struct option *o, struct nctl_want_addr *a, const struct nd_node *node)
{
	(void)o;
	read_seconds(d, node, "write forever, 0 (not used for new connections), or a number of seconds",
		&a->v.preferred);
}

static void read_valid(
	struct nd_dev *d, const struct option *o, struct nctl_want_addr *a, const struct nd_node *node)
{
	static const char advice[] = "write forever, or a number of seconds";

	(void)o;
	if (!read_seconds(d, node, advice, &a->v.valid) || a->v.valid)
		return;
	nd_error(d->p, node->pos, advice, "an address cannot be valid for no time at all");
	a->v.valid = NCTL_ADDR_FOREVER;
}

/* An address of the same family without a length; false: reported. */
static bool read_bare(struct nd_dev *d, const struct nctl_want_addr *a, const struct nd_node *node,
	const char *advice, struct nctl_prefix *ret)
{
	const char *text = nd_dev_text(d, node);

	if (!text)
		return false;
	if (nctl_addr_parse(text, ret) >= 0 && ret->family == a->v.local.family)
		return true;
	nd_error(d->p, node->pos, advice, "\"%s\" is no %s address", text,
		a->v.local.family == AF_INET ? "IPv4" : "IPv6");
	return false;
}

static void read_peer(
	struct nd_dev *d, const struct option *o, struct nctl_want_addr *a, const struct nd_node *node)
{
	struct nctl_prefix peer;

	(void)o;
	if (!read_bare(d, a, node, "write it without a length: that behind the address itself holds for both",
		    &peer))
		return;
	if (memcmp(peer.addr, a->v.local.addr, sizeof(peer.addr)))
		a->v.peer = peer;
	else
		nd_error(d->p, node->pos, "remove it", "the peer is the address itself");
}

static void read_broadcast(
	struct nd_dev *d, const struct option *o, struct nctl_want_addr *a, const struct nd_node *node)
{
	struct nctl_prefix broadcast;

	(void)o;
	if (read_bare(d, a, node, "it is like 192.0.2.255", &broadcast))
		a->v.broadcast = broadcast;
}

/* The words of ip-address(8), or a number of its rt_scopes file. */
static void read_scope(
	struct nd_dev *d, const struct option *o, struct nctl_want_addr *a, const struct nd_node *node)
{
	static const char *const words[] = {"global", "site", "link", "host"};
	static const uint8_t values[] = {RT_SCOPE_UNIVERSE, RT_SCOPE_SITE, RT_SCOPE_LINK, RT_SCOPE_HOST};
	const char *text = nd_dev_text(d, node);
	uint64_t n;
	size_t i;

	(void)o;
	if (!text)
		return;
	for (i = 0; i < NCTL_ARRAY_SIZE(words); i++)
		if (!strcmp(text, words[i])) {
			a->v.scope = values[i];
			return;
		}
	if (nd_check_octal(d->p, node, text) && nctl_parse_u64(text, 10, &n) >= 0 && n < RT_SCOPE_NOWHERE)
		a->v.scope = (uint8_t)n;
	else
		nd_error(d->p, node->pos, "write global, site, link, host, or a number from 0 to 254",
			"\"%s\" is no scope", text);
}

static void read_metric(
	struct nd_dev *d, const struct option *o, struct nctl_want_addr *a, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node);
	uint64_t n;

	(void)o;
	if (!text || !nd_check_octal(d->p, node, text) || !nd_check_base60(d->p, node, text))
		return;
	if (nctl_parse_u64(text, 10, &n) < 0 || !n || n > UINT32_MAX)
		nd_error(d->p, node->pos, "it becomes the metric of the route to the address's network",
			"metric must be a number from 1 to %u, not \"%s\"", UINT32_MAX, text);
	else
		a->v.metric = (uint32_t)n;
}

static void read_flag(
	struct nd_dev *d, const struct option *o, struct nctl_want_addr *a, const struct nd_node *node)
{
	bool on;

	if (!nd_dev_bool(d, node, &on) || !on)
		return;
	/* net/ipv6/addrconf.c inet6_addr_add */
	if (o->flag == IFA_F_MANAGETEMPADDR && a->v.local.len != 64)
		nd_error(d->p, node->key_pos, "write /64, or remove it",
			"temporary addresses are made from networks with a length of 64 only");
	else if (o->flag == IFA_F_MCAUTOJOIN && !nctl_prefix_is_multicast(&a->v.local))
		nd_error(d->p, node->key_pos, "remove it", "only groups (multicast addresses) are joined");
	else
		a->v.flags |= o->flag;
}

static const struct option option_keys[] = {
	{"label", read_label, AF_INET, 0},
	{"lifetime", read_lifetime, AF_UNSPEC, 0},
	{"valid-lifetime", read_valid, AF_UNSPEC, 0},
	{"peer", read_peer, AF_UNSPEC, 0},
	{"broadcast", read_broadcast, AF_INET, 0},
	{"scope", read_scope, AF_INET, 0},
	{"metric", read_metric, AF_UNSPEC, 0},
	{"nodad", read_flag, AF_INET6, IFA_F_NODAD},
	{"home", read_flag, AF_INET6, IFA_F_HOMEADDRESS},
	{"mngtmpaddr", read_flag, AF_INET6, IFA_F_MANAGETEMPADDR},
	{"noprefixroute", read_flag, AF_UNSPEC, IFA_F_NOPREFIXROUTE},
	{"autojoin", read_flag, AF_UNSPEC, IFA_F_MCAUTOJOIN},
};

static void read_option(struct nd_dev *d, struct nctl_want_addr *a, const struct nd_node *node)
{
	const char *words[NCTL_ARRAY_SIZE(option_keys)];
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(option_keys); i++) {
		words[i] = option_keys[i].key;
		if (strcmp(node->key, option_keys[i].key))
			continue;
		if (option_keys[i].family == AF_UNSPEC || option_keys[i].family == a->v.local.family)
			option_keys[i].fn(d, &option_keys[i], a, node);
		else
			nd_error(d->p, node->key_pos, "remove it", "%s is for %s addresses only", node->key,
				option_keys[i].family == AF_INET ? "IPv4" : "IPv6");
		return;
	}
	nd_error(d->p, node->key_pos,
		nd_did_you_mean(d->p, node->key, words, NCTL_ARRAY_SIZE(words),
			"see addresses in netctld.yaml(5) for the options of an address"),
		"unknown key \"%s\"", node->key);
}

void nd_addr_options(struct nd_dev *d, struct nctl_want_addr *a, const struct nd_node *entry)
{
	const struct nd_node *c, *valid, *lifetime;

	for (c = entry->first; c; c = c->next)
		read_option(d, a, c);
	if (a->v.valid >= a->v.preferred)
		return;
	valid = nd_node_get(&d->p->tree, entry, "valid-lifetime");
	lifetime = nd_node_get(&d->p->tree, entry, "lifetime");
	if (lifetime)
		nd_error(d->p, valid->pos, "nobody prefers what is not valid: raise it, or lower lifetime",
			"valid-lifetime is shorter than lifetime");
	a->v.preferred = a->v.valid;
}
