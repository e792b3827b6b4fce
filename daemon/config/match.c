/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: match and set-name: a definition of an ethernet that does not name its device, but says what it is
 * like. Its own name is then only what others refer to.
 */
#include <string.h>

#include "base/cleanup.h"
#include "config/refs.h"
#include "config/steps.h"

static const char *const words[] = {"driver", "macaddress", "name"};

static const char *read_pattern(struct nd_dev *d, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node);

	if (text && !*text) {
		nd_error(d->p, node->pos, "write \"*\" for any, or remove it",
			"an empty pattern fits nothing");
		return NULL;
	}
	return text ? nd_want_strdup(d->p, text) : NULL;
}

static void read_address(struct nd_dev *d, struct nctl_want_match *m, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node);
	struct nctl_lladdr a;

	if (!text || !nd_check_base60(d->p, node, text))
		return;
	if (nctl_lladdr_parse(text, &a) < 0 || (a.len != 6 && a.len != 20))
		nd_error(d->p, node->pos, "it is like \"02:00:5e:00:53:01\", or 20 bytes of InfiniBand",
			"\"%s\" is no MAC address", text);
	else
		m->address = a;
}

/* netplan: a pattern, or a list of them. */
static void read_drivers(struct nd_dev *d, struct nctl_want_match *m, const struct nd_node *node)
{
	const struct nd_node *c;
	size_t n = 1;

	for (c = node->type == ND_NODE_SEQUENCE ? node->first : NULL; c; c = c->next)
		n++;
	m->drivers = nd_want_alloc(d->p, n * sizeof(char *));
	if (!m->drivers)
		return;
	if (node->type != ND_NODE_SEQUENCE) {
		m->drivers[m->n_drivers++] = read_pattern(d, node);
		return;
	}
	for (c = node->first; c; c = c->next)
		m->drivers[m->n_drivers++] = read_pattern(d, c);
	if (!m->n_drivers)
		nd_error(d->p, node->pos, "remove it", "an empty list of drivers fits nothing");
}

static struct nctl_want_match *match_of(struct nd_dev *d)
{
	struct nctl_want_match *m = nd_want_alloc(d->p, sizeof(*m));

	if (m && d->link->match)
		*m = *d->link->match;
	d->link->match = m;
	return m;
}

void nd_step_match(struct nd_dev *d, const struct nd_step *s)
{
	struct nctl_want_match *m;
	const struct nd_node *c;

	if (!nd_expect(d->p, s->node, ND_NODE_MAPPING))
		return;
	if (!(d->link->v.kind->traits & NCTL_KIND_PHYSICAL)) {
		nd_error(d->p, s->node->key_pos, "the name of the definition is that of the device",
			"only devices of the section ethernets are matched");
		return;
	}
	m = match_of(d);
	for (c = m ? s->node->first : NULL; c; c = c->next) {
		if (!strcmp(c->key, "name"))
			m->name = read_pattern(d, c);
		else if (!strcmp(c->key, "macaddress"))
			read_address(d, m, c);
		else if (!strcmp(c->key, "driver"))
			read_drivers(d, m, c);
		else
			nd_error(d->p, c->key_pos,
				nd_did_you_mean(d->p, c->key, words, NCTL_ARRAY_SIZE(words),
					"a device is matched by its name, macaddress and driver"),
				"unknown key \"%s\"", c->key);
	}
}

void nd_step_set_name(struct nd_dev *d, const struct nd_step *s)
{
	const char *name = nd_dev_name(d, s->node);
	struct nctl_want_match *m;

	if (!name)
		return;
	if (!nd_node_get(&d->p->tree, s->node->parent, "match")) {
		nd_error(d->p, s->node->key_pos, "add \"match:\", which says which device it is",
			"set-name is for devices that are matched");
		return;
	}
	m = match_of(d);
	if (!m)
		return;
	m->set_name = name;
	m->set_name_pos = s->node->pos;
	if (strcmp(name, d->link->v.name))
		nd_name_add(d->p, d->link->netns, name, d->link, s->node->pos);
}
