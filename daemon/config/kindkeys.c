/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Keys that a kind brings along: its fields, its lower link, its ports. The other end of a pair is in
 * peers.c.
 */
#include <errno.h>
#include <string.h>

#include "config/steps.h"
#include "config/refs.h"

static void add_port_ref(struct nd_dev *d, const struct nd_step *s)
{
	struct nctl_want_port_ref *ref = nd_want_alloc(d->p, sizeof(*ref));
	const char *name = nd_dev_name(d, s->node);

	if (!ref || !name)
		return;
	*ref = (struct nctl_want_port_ref){
		.next = d->link->port_refs, .field = s->index, .port = {.name = name, .pos = s->node->pos}};
	d->link->port_refs = ref;
}

void nd_step_data_field(struct nd_dev *d, const struct nd_step *s)
{
	struct nctl_link *v = &d->link->v;

	if (s->field->type == NCTL_FIELD_LINK)
		add_port_ref(d, s);
	else if (nd_dev_field(d, s->field, s->node->key, s->node, v->data))
		v->data_has |= UINT64_C(1) << nctl_fields_settle_ip(&v->kind->data, v->data, s->index);
}

/* Bits of the fields in the same group as f that are true or false. */
static uint64_t flags_of_group(const struct nctl_field_table *t, const struct nctl_field *f)
{
	size_t n = (size_t)(strchr(f->key, '.') - f->key) + 1, i;
	uint64_t mask = 0;

	for (i = 0; i < t->n; i++)
		if (t->v[i].type == NCTL_FIELD_BOOL && t->v[i].key && !strncmp(t->v[i].key, f->key, n))
			mask |= UINT64_C(1) << i;
	return mask;
}

static void set_flag(struct nd_dev *d, const struct nd_node *node, uint64_t group)
{
	const struct nctl_field_table *t = &d->link->v.kind->data;
	const char *text = nd_dev_text(d, node), *words[64];
	size_t i, n = 0;

	for (i = 0; text && i < t->n; i++) {
		if (!(group >> i & 1))
			continue;
		words[n] = strchr(t->v[i].key, '.') + 1;
		if (!strcmp(words[n++], text)) {
			nctl_field_set(&t->v[i], d->link->v.data, 1);
			return;
		}
	}
	if (text)
		nd_error(d->p, node->pos,
			nd_did_you_mean(
				d->p, text, words, n, "see netctld.yaml(5) for the words of this list"),
			"\"%s\" is no word of %s", text, node->parent->key);
}

/* Those that are listed are true, the others of the group are not. */
void nd_step_data_flags(struct nd_dev *d, const struct nd_step *s)
{
	const struct nctl_field_table *t = &d->link->v.kind->data;
	uint64_t group = flags_of_group(t, s->field);
	const struct nd_node *c;

	if (!group) {
		nd_expect(d->p, s->node, ND_NODE_MAPPING);
		return;
	}
	d->link->v.data_has |= group;
	for (c = s->node->first; c; c = c->next)
		set_flag(d, c, group);
}

void nd_step_lower(struct nd_dev *d, const struct nd_step *s)
{
	d->link->lower.name = nd_dev_name(d, s->node);
	d->link->lower.pos = s->node->pos;
}

static void claim_port(struct nd_dev *d, const char *name, const struct nd_node *node)
{
	if (name)
		nd_claim_add(
			d->p, &(struct nd_claim){.port_name = name, .master = d->link, .pos = node->pos});
}

/* "x{1..4}" in a list of ports: all of them. */
static void claim_range(struct nd_dev *d, const struct nd_node *node)
{
	struct nctl_range_error error = {0};
	struct nctl_strbuf *b = &d->p->scratch;
	struct nctl_range range;
	size_t i;

	if (nctl_range_parse(node->text, &range, &error) < 0) {
		nd_error(d->p, nd_node_pos_at(d->p, node, error.offset), error.advice, "%s", error.message);
		return;
	}
	if (!nd_take(&d->p->n_claims, range.count, 1, ND_RANGE_MAX)) {
		nd_error(d->p, node->pos, "a device is a port of one master only",
			"with this, there are more than %zu ports", ND_RANGE_MAX);
		return;
	}
	for (i = 0; i < range.count && d->p->err == 0; i++) {
		nctl_strbuf_reset(b);
		nctl_range_name(&range, node->text, nctl_range_at(&range, i), b);
		if (nd_failed(d->p, b->err) ||
			!nd_name_check(d->p, nctl_strbuf_str(b), IF_NAMESIZE, node->pos))
			return;
		claim_port(d, nd_want_strdup(d->p, nctl_strbuf_str(b)), node);
	}
}

void nd_step_ports(struct nd_dev *d, const struct nd_step *s)
{
	const struct nd_node *c;
	const char *brace;

	if (!nd_expect(d->p, s->node, ND_NODE_SEQUENCE))
		return;
	for (c = s->node->first; c; c = c->next) {
		brace = c->type == ND_NODE_SCALAR ? strchr(c->text, '{') : NULL;
		if (brace && (!d->numbers.has_n || strstr(brace, "..")))
			claim_range(d, c);
		else
			claim_port(d, nd_dev_name(d, c), c);
	}
}

/* netplan: path-cost: {PORT: VALUE} in the parameters of the bridge. */
void nd_step_ports_field(struct nd_dev *d, const struct nd_step *s)
{
	struct nd_port_param param = {.key = s->node->key, .master = d->link};
	const struct nd_node *c;
	const char *text;

	if (!nd_expect(d->p, s->node, ND_NODE_MAPPING))
		return;
	for (c = s->node->first; c; c = c->next) {
		text = nd_dev_key(d, c);
		param.port_name = text ? nctl_arena_strdup(&d->p->tree.arena, text) : NULL;
		text = text ? nd_dev_text(d, c) : NULL;
		param.text = text ? nctl_arena_strdup(&d->p->tree.arena, text) : NULL;
		param.port_pos = c->key_pos;
		param.node = c;
		if (param.text && param.port_name)
			nd_port_param_add(d->p, &param);
	}
}

void nd_step_port_field(struct nd_dev *d, const struct nd_step *s)
{
	const char *text = nd_dev_text(d, s->node);
	struct nd_port_param param = {
		.key = s->node->key, .port = d->link, .node = s->node, .port_pos = s->node->key_pos};

	param.text = text ? nctl_arena_strdup(&d->p->tree.arena, text) : NULL;
	if (param.text)
		nd_port_param_add(d->p, &param);
}
