/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The sysctls of a device: those under "sysctl", and the keys of netplan that are nothing but sysctls. A
 * name is the family and the last part of the path, since the rest is the device's.
 */
#include <net/if.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "config/steps.h"
#include "config/refs.h"

enum { SYSCTLS_MAX = 64, WORD_MAX = 64, IPV6_MIN_MTU = 1280 /* RFC 8200 section 5 */ };

#define OF(folder_, word_) folder_ "/" NCTL_WANT_LINK_NAME "/" word_

/* The folders that have one for each link, and how their names begin here. */
static const struct {
	const char *begin, *folder;
} folders[] = {
	{"ipv4.neigh.", "ipv4/neigh"},
	{"ipv6.neigh.", "ipv6/neigh"},
	{"ipv4.", "ipv4/conf"},
	{"ipv6.", "ipv6/conf"},
	{"mpls.", "mpls/conf"},
};

/* What another key says, so that both cannot contradict each other. */
static const char *const better[][2] = {
	{OF("ipv6/conf", "addr_gen_mode"), "ipv6-address-generation"},
	{OF("ipv6/conf", "mtu"), "ipv6-mtu"},
};

static const char ADVICE[] = "write ipv4.KEY, ipv6.KEY, mpls.KEY, ipv4.neigh.KEY or ipv6.neigh.KEY, as in "
			     "ipv6.accept_ra: the device is known";

/* Room for all that the definition may say: each key under "sysctl", and each key that is one. */
static size_t capacity(const struct nd_dev *d, const struct nd_node *definition)
{
	static const char *const words[] = {"accept-ra", "ipv6-mtu", "ipv6-privacy"};
	const struct nd_node *c = nd_node_get(&d->p->tree, definition, "sysctl");
	size_t i, n = 0;

	for (c = c && c->type == ND_NODE_MAPPING ? c->first : NULL; c; c = c->next)
		n++;
	for (i = 0; i < NCTL_ARRAY_SIZE(words); i++)
		n += !!nd_node_get(&d->p->tree, definition, words[i]);
	return n;
}

static void add(struct nd_dev *d, const struct nd_node *definition, const struct nctl_want_sysctl *s)
{
	struct nctl_want_link *l = d->link;
	size_t i;

	if (!l->sysctls)
		l->sysctls = nd_want_alloc(d->p, capacity(d, definition) * sizeof(*l->sysctls));
	if (!l->sysctls || !s->name || !s->value)
		return;
	for (i = 0; i < l->n_sysctls; i++) {
		if (strcmp(l->sysctls[i].name, s->name))
			continue;
		nd_error(d->p, s->pos,
			nd_text(d->p, "the other one is at %s", nd_place(d->p, l->sysctls[i].pos)),
			"this sysctl of the device is given twice");
		return;
	}
	l->sysctls[l->n_sysctls++] = *s;
}

/* The path, or NULL, reported. */
static const char *read_name(struct nd_dev *d, const struct nd_node *node)
{
	const char *key = node->key, *word;
	char name[2 * WORD_MAX];
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(folders); i++)
		if (!strncmp(key, folders[i].begin, strlen(folders[i].begin)))
			break;
	word = i < NCTL_ARRAY_SIZE(folders) ? key + strlen(folders[i].begin) : "";
	if (!*word || strlen(word) >= WORD_MAX ||
		strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(word)) {
		nd_error(d->p, node->key_pos, ADVICE, "\"%s\" is no sysctl of a device", key);
		return NULL;
	}
	snprintf(name, sizeof(name), "%s/" NCTL_WANT_LINK_NAME "/%s", folders[i].folder, word);
	for (i = 0; i < NCTL_ARRAY_SIZE(better); i++)
		if (!strcmp(name, better[i][0])) {
			nd_error(d->p, node->key_pos,
				nd_text(d->p, "write \"%s:\" beside sysctl", better[i][1]),
				"%s has a key of its own", key);
			return NULL;
		}
	return nd_want_strdup(d->p, name);
}

/* The kernel prints it in full. */
static const char *read_secret(struct nd_dev *d, const struct nd_node *node, const char *value)
{
	struct in6_addr a;
	char full[INET6_ADDRSTRLEN];
	size_t i, n = 0;

	if (inet_pton(AF_INET6, value, &a) != 1) {
		nd_error(d->p, node->pos, "it is like 2001:db8::1",
			"stable_secret is written as an IPv6 address");
		return NULL;
	}
	for (i = 0; i < sizeof(a.s6_addr); i += 2)
		n += (size_t)snprintf(full + n, sizeof(full) - n, "%s%02x%02x", i ? ":" : "", a.s6_addr[i],
			a.s6_addr[i + 1]);
	return nd_want_strdup(d->p, full);
}

void nd_step_sysctl(struct nd_dev *d, const struct nd_step *s)
{
	struct nctl_want_sysctl v;
	const struct nd_node *c;
	size_t n = 0;

	if (!nd_expect(d->p, s->node, ND_NODE_MAPPING))
		return;
	for (c = s->node->first; c; c = c->next) {
		if (n++ == SYSCTLS_MAX) {
			nd_error(d->p, c->key_pos,
				"set some of them for all devices, by sysctl under \"network:\"",
				"more than %d sysctls for one device", SYSCTLS_MAX);
			return;
		}
		v = (struct nctl_want_sysctl){
			.name = read_name(d, c), .value = nd_sysctl_value(d, c), .pos = c->key_pos};
		if (v.name && v.value && !strcmp(v.name, OF("ipv6/conf", "stable_secret")))
			v.value = read_secret(d, c, v.value);
		add(d, s->node->parent, &v);
	}
}

static void add_one(struct nd_dev *d, const struct nd_node *node, const char *name, const char *value)
{
	add(d, node->parent, &(struct nctl_want_sysctl){.name = name, .value = value, .pos = node->key_pos});
}

/* 2: also by a router (Documentation/networking/ip-sysctl.rst); of any other, the same as 1. */
void nd_step_accept_ra(struct nd_dev *d, const struct nd_step *s)
{
	const char *text = nd_dev_text(d, s->node);
	bool on;

	if (!text || !strcmp(text, "unset"))
		return;
	if (nd_dev_bool(d, s->node, &on))
		add_one(d, s->node, OF("ipv6/conf", "accept_ra"), on ? "2" : "0");
}

void nd_step_ipv6_privacy(struct nd_dev *d, const struct nd_step *s)
{
	bool on;

	if (nd_dev_bool(d, s->node, &on))
		add_one(d, s->node, OF("ipv6/conf", "use_tempaddr"), on ? "2" : "0");
}

void nd_step_ipv6_mtu(struct nd_dev *d, const struct nd_step *s)
{
	const char *text = nd_dev_text(d, s->node);
	uint64_t n;

	if (!text || !nd_check_octal(d->p, s->node, text) || !nd_check_base60(d->p, s->node, text))
		return;
	if (nctl_parse_u64(text, 10, &n) < 0 || n < IPV6_MIN_MTU || n > INT32_MAX)
		nd_error(d->p, s->node->pos, "so many bytes at most go into one packet of IPv6",
			"ipv6-mtu must be a number from %d to %d, not \"%s\"", IPV6_MIN_MTU, INT32_MAX, text);
	else
		add_one(d, s->node, OF("ipv6/conf", "mtu"), nd_want_strdup(d->p, text));
}

static const struct nctl_want_sysctl *find(const struct nctl_want_link *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n_sysctls; i++)
		if (!strcmp(l->sysctls[i].name, name))
			return &l->sysctls[i];
	return NULL;
}

static const char *netns_value(const struct nctl_want_netns *n, const char *name)
{
	size_t i;

	for (i = 0; i < n->n_sysctls; i++)
		if (!strcmp(n->sysctls[i].name, name))
			return n->sysctls[i].value;
	return "";
}

/* A router does not listen to other routers, unless it is told to (accept_ra 2). */
static void check_ra(struct nd_parse *p, const struct nctl_want_link *l)
{
	const struct nctl_want_sysctl *ra = find(l, OF("ipv6/conf", "accept_ra"));
	const struct nctl_want_sysctl *forwarding = find(l, OF("ipv6/conf", "forwarding"));
	const char *forwards =
		forwarding ? forwarding->value : netns_value(l->netns, "ipv6/conf/all/forwarding");

	if (ra && !strcmp(ra->value, "1") && !strcmp(forwards, "1"))
		nd_warning(p, ra->pos, "write 2, or \"accept-ra: true\"",
			"with forwarding on, \"%s\" ignores router advertisements", l->v.name);
}

static void check_off(struct nd_parse *p, const struct nctl_want_link *l)
{
	const struct nctl_want_sysctl *off = find(l, OF("ipv6/conf", "disable_ipv6"));
	size_t i;

	for (i = 0; off && strcmp(off->value, "0") && i < l->n_addrs; i++)
		if (l->addrs[i].v.local.family == AF_INET6) {
			nd_error(p, l->addrs[i].pos,
				nd_text(p, "remove it, or disable_ipv6 at %s", nd_place(p, off->pos)),
				"IPv6 is switched off for \"%s\": it cannot have this address", l->v.name);
			return;
		}
}

static void check_mtu(struct nd_parse *p, const struct nctl_want_link *l)
{
	const struct nctl_want_sysctl *mtu = find(l, OF("ipv6/conf", "mtu"));
	uint64_t n;

	if (mtu && (l->v.has & NCTL_LINK_BIT(MTU)) && nctl_parse_u64(mtu->value, 10, &n) >= 0 && n > l->v.mtu)
		nd_error(p, mtu->pos, "lower it, or raise the MTU of the device",
			"ipv6-mtu is %s, and the MTU of \"%s\" only %u", mtu->value, l->v.name, l->v.mtu);
}

void nd_check_link_sysctls(struct nd_parse *p, const struct nctl_want_link *l)
{
	if (!l->n_sysctls)
		return;
	check_ra(p, l);
	check_off(p, l);
	check_mtu(p, l);
}
