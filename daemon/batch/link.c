/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: link add, set, del and property. A link that is made gets an index of ours, so that the lines behind
 * it need not wait for the kernel to choose one. A name that is in use is left to the kernel to refuse: such
 * a line has a window of its own, since what comes next means the link that is there.
 */
#include "batch/lines.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

/* Fields of want go through the plan by name only. */
static bool set_name(struct reader *r, struct nctl_want_link *want, const char *name)
{
	if (!nd_batch_is_link_name(r, name))
		return false;
	memset(want->v.name, 0, sizeof(want->v.name));
	memcpy(want->v.name, name, strlen(name));
	want->v.has |= NCTL_LINK_BIT(NAME);
	return true;
}

static const struct nctl_kind *find_kind(struct reader *r, const char *name)
{
	const struct nctl_kind *k = nctl_kind_find(name);
	const char *words[96];
	size_t n = 0;

	if (k && !(k->traits & NCTL_KIND_PHYSICAL))
		return k;
	for (size_t i = 0; nctl_kinds[i] && n < NCTL_ARRAY_SIZE(words); i++)
		words[n++] = nctl_kinds[i]->traits & NCTL_KIND_PHYSICAL ? NULL : nctl_kinds[i]->name;
	nd_batch_unknown(r, "as a kind of links", words, n);
	return NULL;
}

static bool has_lower_field(const struct nctl_kind *k)
{
	return k->lower_key || nctl_fields_with(&k->data, NCTL_FIELD_LOWER);
}

/* The parameters of the kind of a new link. */
static bool read_data(struct reader *r, struct link_words *l)
{
	const struct nctl_kind *k = l->want->v.kind;
	struct data d = {
		.table = &k->data,
		.kind = k,
		.data = l->want->v.data,
		.lowers = has_lower_field(k),
	};

	if (!nd_batch_data(r, &d))
		return false;
	l->want->v.data_has |= d.has;
	l->diff.data |= d.has;
	if (d.lower.ifindex)
		l->lower = d.lower;
	return true;
}

/* The other end of a pair; where it is said to be, or beside the first one. */
static bool read_peer(struct reader *r, struct link_words *l, struct link_words *peer)
{
	peer->want = nd_batch_want(r, l->want->v.kind);
	if (!peer->want)
		return false;
	if (nd_batch_word(r) && !nd_batch_skip(r, "peer", 4)) {
		r->i++;
		return nd_batch_unknown(r, "here", (const char *[]){"peer"}, 1);
	}
	if (!nd_batch_link_words(r, peer, true))
		return false;
	if (peer->type)
		return nd_batch_wrong(r, "remove it", "the other end is of the same kind");
	if (peer->diff.flags || peer->lower.ifindex || peer->master.ifindex)
		return nd_batch_wrong(
			r, "set it in a line of its own", "the other end cannot be given that at once");
	return set_name(r, peer->want, peer->new_name ? peer->new_name : peer->name ? peer->name : "veth%d");
}

static nctl_ifindex index_of(struct reader *r, const struct link_words *l)
{
	return l->index ? l->index : nd_batch_new_ifindex(r);
}

/* A name with a number that the kernel chooses. */
static bool is_open(const char *name)
{
	return strchr(name, '%');
}

static struct found new_name(
	struct reader *r, uint32_t netns, const char *name, nctl_ifindex ifindex, uint32_t made_by)
{
	struct found f = {
		.ifindex = ifindex,
		.made_by = made_by,
		.kind = r->w->plan->ops[made_by].want->v.kind,
	};

	if (is_open(name))
		r->last = true;
	else if (!nd_batch_is_taken(r, netns, name)) /* else it stays whose it is */
		nd_batch_name_is(r, netns, name, &f);
	return f;
}

static uint32_t last_op(const struct reader *r)
{
	return (uint32_t)(r->w->plan->n_ops - 1);
}

static struct nctl_op *new_op(struct reader *r, const struct link_words *l, uint32_t netns)
{
	struct nctl_op *op = nd_batch_op(r, NCTL_OP_LINK_NEW);

	if (!op)
		return NULL;
	op->netns = netns;
	op->ifindex = index_of(r, l);
	op->lower = l->lower.ifindex;
	op->master = l->master.ifindex;
	op->want = l->want;
	op->name = l->want->v.name;
	op->kind = l->want->v.kind->name;
	nd_batch_needs(op, &l->lower);
	nd_batch_needs(op, &l->master);
	return op;
}

/* What a creating message does not carry follows in one of its own. */
static bool set_rest(struct reader *r, struct link_words *l, const struct found *f, uint32_t netns)
{
	struct link_words rest = *l;

	rest.netns = NULL;
	rest.diff = (struct nctl_link_diff){
		.common = l->diff.common & (NCTL_LINK_BIT(ALIAS) | NCTL_LINK_BIT(ADDR_GEN_MODE)),
		.flags = l->diff.flags,
	};
	if (!rest.diff.common && !rest.diff.flags)
		return true;
	rest.name = l->want->v.name;
	return nd_batch_link_set_op(r, &rest, f, netns);
}

/*
 * Of a pair in two namespaces, the end that the message describes is the one abroad: the daemon's own is the
 * other one (nctl_op.pair).
 */
static bool add_pair(struct reader *r, struct link_words *l, struct link_words *peer, uint32_t netns)
{
	uint32_t other = r->room->in;
	struct link_words *first = l, *second = peer;
	struct found f;
	struct nctl_op *op;

	if (peer->netns && !nd_batch_netns(r, peer->netns, &other))
		return false;
	if (nd_batch_is_taken(r, netns, l->want->v.name) || nd_batch_is_taken(r, other, peer->want->v.name))
		nd_batch_foresee_refusal(r);
	if (netns != other && netns && other)
		return nd_batch_lacks(r, "One end of a pair over namespaces must be in the daemon's own");
	if (netns != other && !netns) {
		first = peer;
		second = l;
	}
	op = new_op(r, first, first == l ? netns : other);
	if (!op)
		return false;
	op->pair = true;
	op->peer_netns = second == l ? netns : other;
	op->peer_ifindex = index_of(r, second);
	first->want->peer.link = second->want;
	f = new_name(r, op->peer_netns, second->want->v.name, op->peer_ifindex, last_op(r));
	op = &r->w->plan->ops[last_op(r)];
	if (second == l)
		new_name(r, op->netns, first->want->v.name, op->ifindex, last_op(r));
	else
		f = new_name(r, op->netns, first->want->v.name, op->ifindex, last_op(r));
	return set_rest(r, l, &f, netns);
}

static bool add_one(struct reader *r, struct link_words *l, uint32_t netns)
{
	struct found f;

	if (nd_batch_is_taken(r, netns, l->want->v.name))
		nd_batch_foresee_refusal(r);
	if (netns != r->room->in && l->lower.ifindex)
		return nd_batch_lacks(
			r, "A link in another namespace than its lower one cannot be made here");
	if (!new_op(r, l, netns))
		return false;
	f = new_name(r, netns, l->want->v.name, r->w->plan->ops[last_op(r)].ifindex, last_op(r));
	return set_rest(r, l, &f, netns);
}

bool nd_batch_link_add(struct reader *r)
{
	struct link_words l = {.want = nd_batch_want(r, NULL)}, peer = {0};
	const struct nctl_kind *kind;
	char open[IF_NAMESIZE + 2];
	uint32_t netns = r->room->in;

	l.lower.made_by = l.master.made_by = peer.lower.made_by = peer.master.made_by = NCTL_OP_NONE;
	if (!l.want || !nd_batch_link_words(r, &l, true))
		return false;
	if (!l.type)
		return nd_batch_wrong(r, "say type KIND", "a new link is of a kind");
	kind = find_kind(r, l.type);
	if (!kind)
		return false;
	if (nctl_link_set_kind(&l.want->v, kind) < 0)
		return nd_batch_no_memory(r);
	snprintf(open, sizeof(open), "%.12s%%d", kind->name);
	if (!set_name(r, l.want, l.new_name ? l.new_name : l.name ? l.name : open))
		return false;
	if (kind->traits & NCTL_KIND_PEERED ? !read_peer(r, &l, &peer) : !read_data(r, &l))
		return false;
	if (l.netns && !nd_batch_netns(r, l.netns, &netns))
		return false;
	return kind->traits & NCTL_KIND_PEERED ? add_pair(r, &l, &peer, netns) : add_one(r, &l, netns);
}

/* "bond_slave": what the link is as a port. */
static bool read_port(struct reader *r, struct link_words *l, const char *master)
{
	const struct nctl_kind *k = nctl_kind_find(master);
	struct data d = {.kind = k};

	if (!k || !k->port_size)
		return nd_batch_unknown(
			r, "as a kind of ports", (const char *[]){"bond_slave", "bridge_slave"}, 2);
	if (nctl_link_set_port_kind(&l->want->v, k) < 0)
		return nd_batch_no_memory(r);
	d.table = &k->port;
	d.data = l->want->v.port;
	if (!nd_batch_data(r, &d))
		return false;
	l->want->v.port_has = l->diff.port = d.has;
	return true;
}

/* Where a message must say all, what is there is said again. */
static bool start_data(struct reader *r, struct link_words *l, const struct found *f)
{
	struct nctl_link *v = &l->want->v;
	const struct nctl_link *have = f->have ? &f->have->v : NULL;
	uint64_t all;

	if (!(v->kind->traits & NCTL_KIND_SET_WHOLE) || !have || have->kind != v->kind)
		return true;
	all = have->data_has & ~nctl_fields_with(&v->kind->data, NCTL_FIELD_READONLY);
	for (size_t i = 0; i < v->kind->data.n; i++)
		if (all >> i & 1 && nctl_field_copy(&v->kind->data.v[i], v->data, have->data) < 0)
			return nd_batch_no_memory(r);
	v->data_has = l->diff.data = all;
	return true;
}

static bool read_type(struct reader *r, struct link_words *l, const struct found *f)
{
	const char *slave = strstr(l->type, "_slave");
	const struct nctl_kind *k;
	char master[32];

	if (slave && !slave[6]) {
		snprintf(master, sizeof(master), "%.*s", (int)(slave - l->type), l->type);
		return read_port(r, l, master);
	}
	k = find_kind(r, l->type);
	if (!k)
		return false;
	if (nctl_link_set_kind(&l->want->v, k) < 0)
		return nd_batch_no_memory(r);
	return start_data(r, l, f) && read_data(r, l);
}

/* The name by which it was told of, and the one that it has: a link may be told of by another one. */
static void free_names(struct reader *r, const char *name, const struct found *f)
{
	nd_batch_name_is_free(r, r->room->in, name);
	if (!f->have || !strcmp(f->have->v.name, name))
		return;
	nd_batch_name_is_free(r, r->room->in, f->have->v.name);
	r->last = true;
}

bool nd_batch_link_set(struct reader *r)
{
	struct link_words l = {.want = nd_batch_want(r, NULL)};
	struct found f;

	l.lower.made_by = l.master.made_by = NCTL_OP_NONE;
	if (!l.want || !nd_batch_link_words(r, &l, false))
		return false;
	if (!l.name)
		return nd_batch_wrong(r, NULL, "which device? its name is missing");
	if (l.lower.ifindex || l.index)
		return nd_batch_wrong(r, "make it again", "the link below and the index cannot be changed");
	if (!nd_batch_find(r, l.name, &f) || (l.type && !read_type(r, &l, &f)))
		return false;
	if (l.new_name) {
		if (!set_name(r, l.want, l.new_name))
			return false;
		if (nd_batch_is_taken(r, r->room->in, l.new_name))
			r->alone = r->last = true;
		l.diff.common |= NCTL_LINK_BIT(NAME);
		free_names(r, l.name, &f);
		nd_batch_name_is(r, r->room->in, l.new_name, &f);
	}
	return nd_batch_link_set_op(r, &l, &f, r->room->in);
}

/* [dev] NAME, and what is left of the line as `what` says. */
static const char *take_name(struct reader *r)
{
	nd_batch_skip(r, "dev", 3);
	return nd_batch_value(r, "the name of a device");
}

static bool is_end(struct reader *r)
{
	if (!nd_batch_take(r))
		return true;
	return nd_batch_wrong(r, NULL, "the line should end here");
}

bool nd_batch_link_del(struct reader *r)
{
	const char *name = take_name(r);
	struct found f;
	struct nctl_op *op;

	if (!name)
		return false;
	if (!strcmp(name, "group"))
		return nd_batch_wrong(r, "name them one by one", "groups cannot be deleted here");
	/* ip(8) takes the kind, and does not look at it. */
	if (nd_batch_skip(r, "type", 2) && !nd_batch_value(r, "a kind of links"))
		return false;
	if (!is_end(r) || !nd_batch_find(r, name, &f))
		return false;
	op = nd_batch_op(r, NCTL_OP_LINK_DEL);
	if (!op)
		return false;
	op->ifindex = f.ifindex;
	op->name = nd_batch_strdup(r, name);
	nd_batch_needs(op, &f);
	free_names(r, name, &f);
	r->room->takes_along = true;
	return !r->err;
}

/* property add|del [dev] NAME altname NAME... */
bool nd_batch_link_property(struct reader *r)
{
	bool add = nd_batch_skip(r, "add", 1), del = !add && nd_batch_skip(r, "delete", 1);
	const char *name = add || del ? take_name(r) : NULL, *altname;
	struct found f;
	struct nctl_op *op;

	if (!add && !del) {
		r->i++;
		return nd_batch_wrong(r, "say add or del", "\"property\" wants to know what to do");
	}
	if (!name || !nd_batch_find(r, name, &f))
		return false;
	while (nd_batch_skip(r, "altname", 3)) {
		altname = nd_batch_value(r, "a name");
		if (!altname)
			return false;
		if (!*altname || strlen(altname) > 127)
			return nd_batch_wrong(r, NULL, "\"%.32s\" cannot be a name", altname);
		op = nd_batch_op(r, add ? NCTL_OP_ALTNAME_NEW : NCTL_OP_ALTNAME_DEL);
		if (!op)
			return false;
		op->ifindex = f.ifindex;
		op->altname = nd_batch_strdup(r, altname);
		op->name = "";
		nd_batch_needs(op, &f);
	}
	r->last = true;
	return is_end(r);
}
