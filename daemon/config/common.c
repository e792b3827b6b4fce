/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Keys that every device may have, but for addresses.
 */
#include <linux/if_link.h>
#include <string.h>
#include <sys/socket.h>

#include "config/steps.h"
#include "config/refs.h"

#define ALTNAME_SIZE 128 /* ALTIFNAMSIZ of linux/if.h, which does not go with net/if.h */

/* Altnames are names too: no other link may answer to them. */
static void add_altnames(struct nd_dev *d, const struct nd_node *node)
{
	char **names = d->link->v.altnames;

	for (; *names; names++)
		if (nd_name_check(d->p, *names, ALTNAME_SIZE, node->pos))
			nd_name_add(d->p, d->link->netns, *names, d->link, node->pos);
}

/* IEEE 802: a station's own address has the group bit clear, and is not all zeros. */
static void check_lladdr(struct nd_dev *d, const struct nd_node *node)
{
	static const struct nctl_lladdr zero = {.len = 6};
	struct nctl_lladdr *a = &d->link->v.address;

	if (nctl_lladdr_is_multicast(a) && a->len == 6)
		nd_error(d->p, node->pos, "the second digit of the first byte must be even",
			"this is a group's address, not one station's");
	else if (nctl_lladdr_equal(a, &zero))
		nd_error(d->p, node->pos, "remove it: the kernel chooses one", "the address is all zeros");
}

/* The kernel keeps the last 64 bits only. */
static void check_token(struct nd_dev *d, const struct nd_node *node)
{
	static const uint8_t zero[8];
	const struct nctl_prefix *t = &d->link->v.token;

	if (t->family != AF_INET6 || memcmp(t->addr, zero, sizeof(zero)) != 0)
		nd_error(d->p, node->pos, "write the host part alone: ::1234:5678:9abc:def0",
			"a token has 64 bits, behind \"::\"");
	else if (nctl_prefix_is_unspecified(t))
		nd_error(d->p, node->pos, "remove it", "a token of zeros is none");
	else if (nd_node_get(&d->p->tree, node->parent, "ipv6-address-generation"))
		nd_error(d->p, node->key_pos, "remove one of them",
			"ipv6-address-token and ipv6-address-generation exclude each other");
}

void nd_step_link_field(struct nd_dev *d, const struct nd_step *s)
{
	struct nctl_link *v = &d->link->v;

	if (s->index == NCTL_LINK_ADDR_GEN_MODE && (v->has & NCTL_LINK_BIT(ADDR_GEN_MODE))) {
		nd_error(d->p, s->node->key_pos, "remove one of them",
			"%s and link-local contradict each other", s->node->key);
		return;
	}
	if (!nd_dev_field(d, s->field, s->node->key, s->node, v))
		return;
	v->has |= UINT64_C(1) << s->index;
	if (s->index == NCTL_LINK_ALTNAMES)
		add_altnames(d, s->node);
	if (s->index == NCTL_LINK_ADDRESS)
		check_lladdr(d, s->node);
	if (s->index == NCTL_LINK_TOKEN)
		check_token(d, s->node);
}

void nd_step_activation(struct nd_dev *d, const struct nd_step *s)
{
	const char *text = nd_dev_text(d, s->node);

	if (!text)
		return;
	if (!strcmp(text, "off"))
		d->link->admin = NCTL_WANT_DOWN;
	else if (!strcmp(text, "manual"))
		d->link->admin = NCTL_WANT_MANUAL;
	else
		nd_error(d->p, s->node->pos,
			"write manual (netctld leaves up and down alone) or off (kept down)",
			"\"%s\" is no activation mode", text);
	d->link->optional = true;
}

void nd_read_drift(struct nd_parse *p, const struct nd_node *node, const char *text, bool *ret_report)
{
	if (!strcmp(text, "report") || !strcmp(text, "repair"))
		*ret_report = !strcmp(text, "report");
	else
		nd_error(p, node->pos,
			"write repair (what others change is brought back) or report (it is only told)",
			"\"%s\" is not what can be done about drift", text);
}

void nd_step_drift(struct nd_dev *d, const struct nd_step *s)
{
	const char *text = nd_dev_text(d, s->node);

	if (text)
		nd_read_drift(d->p, s->node, text, &d->link->report);
}

void nd_step_optional(struct nd_dev *d, const struct nd_step *s)
{
	bool optional;

	if (nd_dev_bool(d, s->node, &optional))
		d->link->optional = optional || d->link->admin != NCTL_WANT_UP;
}

/* netplan: which families make link-local addresses by themselves. */
void nd_step_link_local(struct nd_dev *d, const struct nd_step *s)
{
	struct nctl_link *v = &d->link->v;
	const struct nd_node *c;
	bool ipv6 = false;
	const char *text;

	if (!nd_expect(d->p, s->node, ND_NODE_SEQUENCE))
		return;
	for (c = s->node->first; c; c = c->next) {
		text = nd_dev_text(d, c);
		if (!text)
			return;
		if (!strcmp(text, "ipv6"))
			ipv6 = true;
		else if (!strcmp(text, "ipv4"))
			nd_error(d->p, c->pos, "remove it", "netctld makes no IPv4 link-local addresses");
		else
			nd_error(d->p, c->pos, "write [] or [ipv6]", "\"%s\" is no address family", text);
	}
	if (v->has & NCTL_LINK_BIT(ADDR_GEN_MODE)) {
		if (ipv6 == (v->addr_gen_mode != IN6_ADDR_GEN_MODE_NONE))
			return;
		nd_error(d->p, s->node->key_pos, "remove one of them",
			"link-local and ipv6-address-generation contradict each other");
		return;
	}
	v->addr_gen_mode = ipv6 ? IN6_ADDR_GEN_MODE_EUI64 : IN6_ADDR_GEN_MODE_NONE;
	v->has |= NCTL_LINK_BIT(ADDR_GEN_MODE);
}

void nd_step_vrf(struct nd_dev *d, const struct nd_step *s)
{
	const char *name = nd_dev_name(d, s->node);

	if (name)
		nd_claim_add(
			d->p, &(struct nd_claim){.master_name = name, .port = d->link, .pos = s->node->pos});
}

/* A feature that we do not have: fine as long as it is off. */
void nd_step_must_be_false(struct nd_dev *d, const struct nd_step *s)
{
	bool on;

	if (nd_dev_bool(d, s->node, &on) && on)
		nd_error(d->p, s->node->pos,
			nd_text(d->p, "remove it, or leave the device to another program by \"renderer: "
				      "networkd\""),
			"netctld does not support %s", s->node->key);
}

/* Something that netctld always does. */
void nd_step_must_be_true(struct nd_dev *d, const struct nd_step *s)
{
	bool on;

	if (nd_dev_bool(d, s->node, &on) && !on)
		nd_error(d->p, s->node->pos, "remove it", "netctld always behaves as with \"%s: true\"",
			s->node->key);
}

void nd_step_any_bool(struct nd_dev *d, const struct nd_step *s)
{
	bool ignored;

	nd_dev_bool(d, s->node, &ignored);
}
