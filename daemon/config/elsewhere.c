/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Keys of netplan that are about what other programs do: DHCP clients, resolvers, whoever waits for the
 * network. What asks for nothing of us is read and checked, and let be; what would be missing is refused.
 */
#include <string.h>

#include "base/cleanup.h"
#include "config/steps.h"

void nd_step_dhcp(struct nd_dev *d, const struct nd_step *s)
{
	bool on;

	if (nd_dev_bool(d, s->node, &on) && on)
		nd_error(d->p, s->node->pos,
			"write addresses; or leave the device to a program with a DHCP client by \"renderer: "
			"networkd\"; or remove it and run a client of its own, whose addresses netctld "
		        "leaves "
			"alone",
			"netctld has no DHCP client: it does not support %s", s->node->key);
}

/* A list of texts, each of which this function likes; NULL: any. */
static void check_list(struct nd_dev *d, const struct nd_node *list, bool (*is_good)(const char *text),
	const char *advice, const char *what)
{
	const struct nd_node *c;
	const char *text;

	if (!nd_expect(d->p, list, ND_NODE_SEQUENCE))
		return;
	for (c = list->first; c; c = c->next) {
		text = nd_dev_text(d, c);
		if (text && is_good && !is_good(text))
			nd_error(d->p, c->pos, advice, "\"%s\" is no %s", text, what);
	}
}

static bool is_server(const char *text)
{
	struct nctl_prefix p;

	return nctl_addr_parse(text, &p) >= 0;
}

void nd_step_nameservers(struct nd_dev *d, const struct nd_step *s)
{
	static const char *const nameserver_keys[] = {"addresses", "search"};
	const struct nd_node *c;

	if (!nd_expect(d->p, s->node, ND_NODE_MAPPING))
		return;
	for (c = s->node->first; c; c = c->next) {
		if (!strcmp(c->key, nameserver_keys[0]))
			check_list(d, c, is_server, "it is like 192.0.2.53 or 2001:db8::53",
				"address of a server");
		else if (!strcmp(c->key, nameserver_keys[1]))
			check_list(d, c, NULL, NULL, NULL);
		else
			nd_error(d->p, c->key_pos,
				nd_did_you_mean(d->p, c->key, nameserver_keys, NCTL_ARRAY_SIZE(nameserver_keys),
					"nameservers have addresses and search"),
				"unknown key \"%s\"", c->key);
	}
	nd_notice(d->p, s->node->key_pos, "tell systemd-resolved or /etc/resolv.conf of them",
		"nameservers are left to the resolver: netctld does not touch DNS");
}

static bool is_optional_address(const char *text)
{
	static const char *const known[] = {"ipv4-ll", "ipv6-ra", "dhcp4", "dhcp6", "static"};
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(known); i++)
		if (!strcmp(text, known[i]))
			return true;
	return false;
}

/* Nobody waits for single addresses here. */
void nd_step_optional_addresses(struct nd_dev *d, const struct nd_step *s)
{
	check_list(d, s->node, is_optional_address, "write ipv4-ll, ipv6-ra, dhcp4, dhcp6 or static",
		"kind of addresses");
}
