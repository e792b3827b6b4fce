/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Lists of VLANs of bridges and their ports: "1 pvid untagged", "10-20". A bridge has its own under
 * "vlans", and those of its ports under "port-vlans: {PORT: [...]}"; a port may say its own by "port-vlans:
 * [...]". What is said of ports is kept until all masters are known.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "config/refs.h"
#include "config/vlans.h"
#include "obj/kind.h"
#include "obj/vlans.h"

enum { VLAN_MAX = 4094 }; /* IEEE 802.1Q; 4095 is reserved */

struct nd_vlan_list {
	struct nd_vlan_list *next;
	struct nctl_vlans *vlans;             /* in the want's arena, NULL: none */
	struct nctl_want_link *master, *port; /* the one of them that said it */
	const char *port_name;
	struct nctl_pos pos;
};

/* One list while it is read. */
struct reader {
	struct nd_dev *d;
	const struct nd_node *node; /* of the item */
	const char *text;           /* of the item, expanded */
	struct nctl_vlan_range *v;
	size_t n;
	bool fine;
};

/* Where `at`, in the item's text, stands. */
static struct nctl_pos place(const struct reader *r, const char *at)
{
	return r->text == r->node->text ? nd_node_pos_at(r->d->p, r->node, (size_t)(at - r->text))
	                                : r->node->pos;
}

static void fault(struct reader *r, const char *at, const char *advice, const char *message)
{
	r->fine = false;
	nd_error(r->d->p, place(r, at), advice, "%s", message);
}

/* The number between begin and end; 0: reported. */
static uint16_t read_id(struct reader *r, const char *begin, const char *end)
{
	const char *word = nd_text(r->d->p, "%.*s", (int)(end - begin), begin);
	uint64_t id;

	if (!nd_check_octal(r->d->p, r->node, word)) {
		r->fine = false;
		return 0;
	}
	if (nctl_parse_u64(word, 10, &id) == 0 && id >= 1 && id <= VLAN_MAX)
		return (uint16_t)id;
	fault(r, begin, "write \"10\", \"10-20\" or \"10 pvid untagged\"",
		nd_text(r->d->p, "\"%s\" is no VLAN between 1 and 4094", word));
	return 0;
}

static void read_word(struct reader *r, const char *begin, const char *end, struct nctl_vlan_range *v)
{
	static const char *const words[] = {"pvid", "untagged"};
	const char *word = nd_text(r->d->p, "%.*s", (int)(end - begin), begin);

	if (!strcmp(word, "pvid"))
		v->flags |= NCTL_VLAN_PVID;
	else if (!strcmp(word, "untagged"))
		v->flags |= NCTL_VLAN_UNTAGGED;
	else
		fault(r, begin,
			nd_did_you_mean(r->d->p, word, words, NCTL_ARRAY_SIZE(words),
				"write pvid, untagged, or both"),
			nd_text(r->d->p, "\"%s\" means nothing behind a VLAN", word));
}

/* Against the others of the list. */
static void check_twice(struct reader *r, const struct nctl_vlan_range *v)
{
	for (size_t i = 0; i < r->n && r->fine; i++) {
		if (v->flags & r->v[i].flags & NCTL_VLAN_PVID)
			fault(r, r->text, "remove pvid from one of them",
				"this is the second PVID of the list");
		else if (v->first <= r->v[i].last && r->v[i].first <= v->last)
			fault(r, r->text, "say all of a VLAN in one place",
				nd_text(r->d->p, "VLAN %u stands in this list before",
					v->first > r->v[i].first ? v->first : r->v[i].first));
	}
}

static void check_item(struct reader *r, const struct nctl_vlan_range *v)
{
	if (v->first > v->last)
		fault(r, r->text, "write the lower one first", "the range ends before it begins");
	else if ((v->flags & NCTL_VLAN_PVID) && v->first != v->last)
		fault(r, r->text, "name one VLAN", "frames without a tag can be of one VLAN only");
	else
		check_twice(r, v);
}

static void read_item(struct reader *r)
{
	const char *begin = r->text + strspn(r->text, " "), *end = begin + strcspn(begin, " "), *dash;
	struct nctl_vlan_range v = {0};

	dash = memchr(begin, '-', (size_t)(end - begin));
	v.first = read_id(r, begin, dash ? dash : end);
	v.last = v.first && dash ? read_id(r, dash + 1, end) : v.first;
	while (r->fine) {
		begin = end + strspn(end, " ");
		end = begin + strcspn(begin, " ");
		if (begin == end)
			break;
		read_word(r, begin, end, &v);
	}
	if (r->fine)
		check_item(r, &v);
	if (r->fine)
		r->v[r->n++] = v;
}

/* Into the want's arena; NULL for none. False: reported. */
static bool read_list(struct nd_dev *d, const struct nd_node *list, struct nctl_vlans **ret)
{
	struct reader r = {.d = d, .fine = true};
	struct nctl_vlans *made = NULL;
	const struct nd_node *c;
	size_t n = 0;

	if (!nd_expect(d->p, list, ND_NODE_SEQUENCE))
		return false;
	for (c = list->first; c; c = c->next)
		n++;
	if (n > VLAN_MAX) {
		nd_error(d->p, list->pos, "use ranges such as \"10-20\"", "there are no more than %d VLANs",
			VLAN_MAX);
		return false;
	}
	r.v = nd_alloc(d->p, (n + 1) * sizeof(*r.v));
	for (c = list->first; c && r.v && r.fine; c = c->next) {
		r.node = c;
		r.text = nd_dev_text(d, c);
		/* What is expanded lives in a buffer that errors use as well. */
		if (r.text && r.text != c->text)
			r.text = nctl_arena_strdup(&d->p->tree.arena, r.text);
		if (!r.text)
			return false;
		read_item(&r);
	}
	if (!r.v || !r.fine || nd_failed(d->p, nctl_vlans_new(r.v, r.n, &made)))
		return false;
	n = made ? sizeof(*made) + made->n * sizeof(*made->v) : 0;
	*ret = n ? nd_want_alloc(d->p, n) : NULL;
	if (*ret)
		memcpy(*ret, made, n);
	nctl_vlans_unref(made);
	return !n || *ret;
}

void nd_step_vlans(struct nd_dev *d, const struct nd_step *s)
{
	d->link->has_vlans = read_list(d, s->node, &d->link->vlans);
	d->link->vlans_pos = s->node->key_pos;
}

static void keep(struct nd_parse *p, const struct nd_vlan_list *l)
{
	struct nd_vlan_list *copy = nd_alloc(p, sizeof(*copy));

	if (!copy)
		return;
	*copy = *l;
	*p->vlan_lists_tail = copy;
	p->vlan_lists_tail = &copy->next;
}

void nd_step_own_port_vlans(struct nd_dev *d, const struct nd_step *s)
{
	struct nd_vlan_list l = {.port = d->link, .pos = s->node->key_pos};

	if (read_list(d, s->node, &l.vlans))
		keep(d->p, &l);
}

/* "x{1..4}": for each of them, by its own number, unless the bridge has one. */
static void read_range(struct nd_dev *d, const struct nd_node *node)
{
	struct nctl_range_error error = {0};
	struct nctl_strbuf *b = &d->p->scratch;
	struct nd_vlan_list l;
	struct nctl_range range;
	struct nd_dev port = *d;
	size_t i;

	if (nctl_range_parse(node->key, &range, &error) < 0) {
		nd_error(d->p, nd_node_key_pos_at(d->p, node, error.offset), error.advice, "%s",
			error.message);
		return;
	}
	if (!nd_take(&d->p->n_claims, range.count, 1, ND_RANGE_MAX)) {
		nd_error(d->p, node->key_pos, "a device is a port of one master only",
			"with this, there are more than %zu ports", ND_RANGE_MAX);
		return;
	}
	for (i = 0; i < range.count && d->p->err == 0; i++) {
		l = (struct nd_vlan_list){.master = d->link, .pos = node->key_pos};
		if (!d->numbers.has_n)
			port.numbers = (struct nd_numbers){.n = nctl_range_at(&range, i), .has_n = true};
		port.first = d->first && i == 0;
		nctl_strbuf_reset(b);
		nctl_range_name(&range, node->key, nctl_range_at(&range, i), b);
		l.port_name = nctl_arena_strdup(&d->p->tree.arena, nctl_strbuf_str(b));
		if (nd_failed(d->p, b->err) || !l.port_name || !read_list(&port, node, &l.vlans))
			return;
		keep(d->p, &l);
	}
}

/* {PORT: [VLAN, ...], ...} */
void nd_step_port_vlans(struct nd_dev *d, const struct nd_step *s)
{
	struct nd_vlan_list l = {.master = d->link};
	const struct nd_node *c;
	const char *name;

	if (!nd_expect(d->p, s->node, ND_NODE_MAPPING))
		return;
	for (c = s->node->first; c; c = c->next) {
		if (strstr(c->key, "..")) {
			read_range(d, c);
			continue;
		}
		name = nd_dev_key(d, c);
		l.port_name = name ? nctl_arena_strdup(&d->p->tree.arena, name) : NULL;
		l.pos = c->key_pos;
		l.vlans = NULL;
		if (l.port_name && read_list(d, c, &l.vlans))
			keep(d->p, &l);
	}
}

static void resolve(struct nd_parse *p, const struct nd_vlan_list *l)
{
	const struct nd_name *n =
		l->port ? NULL : nd_name_look_up(p, l->master->netns, l->port_name, l->pos, NULL);
	struct nctl_want_link *port = l->port ? l->port : n ? n->link : NULL, *master;

	if (!port) {
		if (n)
			nd_left_alone(p, n->name, l->pos);
		return;
	}
	master = port->master.link;
	if (p->broken && !master)
		return;
	if (l->master && master != l->master)
		nd_error(p, l->pos, nd_text(p, "add it to the ports of \"%s\"", l->master->v.name),
			"\"%s\" is no port of \"%s\"", port->v.name, l->master->v.name);
	else if (!master || !(master->v.kind->traits & NCTL_KIND_VLANS))
		nd_error(p, l->pos, "make it a port of a bridge",
			"port-vlans is for ports of bridges, and \"%s\" is none", port->v.name);
	else if (port->has_vlans)
		nd_error(p, l->pos, nd_text(p, "they are given at %s, too", nd_place(p, port->vlans_pos)),
			"the VLANs of \"%s\" are given twice", port->v.name);
	else {
		port->vlans = l->vlans;
		port->has_vlans = true;
		port->vlans_pos = l->pos;
	}
}

/* Does the bridge look at tags? */
static bool filters(const struct nctl_want_link *l)
{
	const struct nctl_field_table *t = &l->v.kind->data;
	int i = nctl_fields_find(t, "vlan-filtering");

	return i >= 0 && (l->v.data_has >> i & 1) && nctl_field_get(&t->v[i], l->v.data);
}

static void check_filtering(struct nd_parse *p, const struct nctl_want_link *l)
{
	const struct nctl_want_link *bridge = l->v.kind->traits & NCTL_KIND_VLANS ? l : l->master.link;

	if (l->has_vlans && bridge && !filters(bridge))
		nd_warning(p, l->vlans_pos,
			nd_text(p, "add \"vlan-filtering: true\" to the parameters of \"%s\"",
				bridge->v.name),
			"VLANs are listed, and \"%s\" takes no notice of them", bridge->v.name);
}

void nd_vlans_resolve(struct nd_parse *p)
{
	const struct nd_vlan_list *l;
	size_t i;

	for (l = p->vlan_lists; l; l = l->next)
		resolve(p, l);
	for (i = 0; i < p->n_links; i++)
		check_filtering(p, p->links[i]);
}
