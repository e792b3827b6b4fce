/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: why a link is not as it should be, or does not carry: from memory, at once. A link has causes, and a
 * cause may be another link (what it stands on, its master, the other end of its pair), which has its own: a
 * tree, bounded in depth and size, in which no link stands below itself. What is fine is not in it, but for
 * the link that was asked for.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "plan/match.h"

enum {
	NODES_MAX = 200,
	DEPTH_MAX = 32,
};

/* A link in the tree, and those above it. */
struct node {
	const struct node *above;
	uint32_t netns; /* number of the wanted namespace */
	const char *name;
	const struct nctl_want_link *want;    /* NULL: not in the configuration */
	const struct nctl_mirror_link *there; /* NULL: not there */
	unsigned depth;
};

struct why {
	struct nd_reconcile *r;
	struct nctl_json *j;
	nctl_time now;
	size_t nodes;
	bool any;                                        /* something is wrong */
	void (*put_link)(struct why *y, struct node *n); /* causes have links below them, too */
};

static const struct nctl_mirror *mirror_of(const struct why *y, uint32_t netns)
{
	const struct nctl_want *want = y->r->drift.want;
	const char *name = want ? want->netns[netns]->name : NULL;
	struct nd_netns *n = name ? nd_netns_find(y->r->netns, name) : nd_netns_from(y->r->netns, 0);
	struct nctl_session *s = n ? nd_netns_session(n) : NULL;

	return s ? nctl_session_mirror(s) : NULL;
}

static void look_up(const struct why *y, struct node *n)
{
	const struct nctl_mirror *m = mirror_of(y, n->netns);

	n->want = y->r->drift.want ? nctl_want_find(y->r->drift.want, n->netns, n->name) : NULL;
	n->there = m ? nctl_mirror_link_find(m, n->name) : NULL;
}

static struct care *care_of(const struct why *y, const struct node *n)
{
	return n->want ? nd_care_of(&y->r->drift, n->want) : NULL;
}

static bool has_carrier(const struct node *n)
{
	return n->there->v.flags & IFF_RUNNING;
}

static bool is_kept_down(const struct node *n)
{
	return n->want && n->want->admin == NCTL_WANT_DOWN;
}

/* Is there nothing to say of it as the cause of something else? */
static bool is_fine(const struct why *y, const struct node *n)
{
	const struct care *c = care_of(y, n);

	return n->there && nctl_link_is_up(&n->there->v) && has_carrier(n) && !(c && c->reason);
}

/* So long. What began at no known time has none. */
static void put_since(struct why *y, nctl_time since)
{
	int64_t us = nctl_time_diff_us(y->now, since);

	if (since.usec && us >= 0)
		nctl_json_ku64(y->j, "since_s", (uint64_t)us / 1000000);
}

static void put_place(struct why *y, const struct nctl_pos *pos)
{
	const struct nctl_want *want = y->r->drift.want;

	if (!pos->line || pos->file >= want->n_files)
		return;
	nctl_json_kstr(y->j, "file", want->files[pos->file]);
	nctl_json_ku64(y->j, "line", pos->line);
	nctl_json_ku64(y->j, "column", pos->column);
}

/* A cause that is no link. False: the tree is full. */
static bool begin_cause(struct why *y, const char *type, const char *text)
{
	if (y->nodes++ >= NODES_MAX)
		return false;
	y->any = true;
	nctl_json_obj_begin(y->j);
	nctl_json_kstr(y->j, "type", type);
	nctl_json_kstr(y->j, "text", text);
	return true;
}

static void put_cause(struct why *y, const char *type, const char *text, nctl_time since)
{
	if (!begin_cause(y, type, text))
		return;
	put_since(y, since);
	nctl_json_obj_end(y->j);
}

static bool is_above(const struct node *n, uint32_t netns, const char *name)
{
	for (; n; n = n->above)
		if (n->netns == netns && !strcmp(n->name, name))
			return true;
	return false;
}

/* Another link that n depends on, if there is something to say of it. */
static void put_other(struct why *y, const struct node *n, uint32_t netns, const char *name)
{
	struct node other = {.above = n, .netns = netns, .name = name, .depth = n->depth + 1};

	if (!name || other.depth > DEPTH_MAX || is_above(n, netns, name))
		return;
	look_up(y, &other);
	if (!is_fine(y, &other))
		y->put_link(y, &other);
}

static const char *name_of(const struct why *y, const struct node *n, nctl_ifindex ifindex)
{
	const struct nctl_mirror *m = ifindex ? mirror_of(y, n->netns) : NULL;
	const struct nctl_mirror_link *l = m ? nctl_mirror_link_get(m, ifindex) : NULL;

	return l ? l->v.name : NULL;
}

/* What it stands on: as it is wanted, else as it is. */
static void put_lower(struct why *y, const struct node *n)
{
	const struct nctl_want_link *w = n->want;

	if (w && w->lower.name)
		put_other(y, n, n->netns, w->lower.name);
	else if (w && w->peer.link)
		put_other(y, n, w->peer.link->netns->number, w->peer.link->v.name);
	else if (w && w->peer.name)
		put_other(y, n, n->netns, w->peer.name);
	else if (n->there && n->there->v.lower_nsid == NCTL_NSID_NONE)
		put_other(y, n, n->netns, name_of(y, n, n->there->v.lower));
}

static void put_master(struct why *y, const struct node *n)
{
	const struct nctl_want_link *w = n->want;
	struct node master = {.netns = n->netns, .name = w ? w->master.name : NULL};

	if (!master.name)
		return;
	look_up(y, &master);
	/* Its carrier is that of its ports. */
	if (!master.there || !nctl_link_is_up(&master.there->v))
		put_other(y, n, n->netns, master.name);
}

/* A bond or bridge has a carrier when a port of it has. */
static void put_ports(struct why *y, const struct node *n)
{
	struct nctl_list *pos;
	bool any = false;

	nctl_list_for_each(pos, &n->there->ports) {
		const struct nctl_mirror_link *l = nctl_list_entry(pos, struct nctl_mirror_link, in_master);

		any = true;
		if (y->nodes < NODES_MAX)
			put_other(y, n, n->netns, l->v.name);
	}
	if (!any && n->there->v.kind &&
		(n->there->v.kind->traits & (NCTL_KIND_PORT_DOWN | NCTL_KIND_MTU_OF_PORTS)))
		put_cause(y, "ports", "it has no ports", (nctl_time){0});
}

static void put_carrier(struct why *y, const struct node *n)
{
	const struct care *c = care_of(y, n);

	if (!begin_cause(y, "carrier", "there is no carrier"))
		return;
	put_since(y, c ? c->carrier_at : (nctl_time){0});
	nctl_json_key(y->j, "because");
	nctl_json_arr_begin(y->j);
	put_lower(y, n);
	put_ports(y, n);
	nctl_json_arr_end(y->j);
	nctl_json_obj_end(y->j);
}

static void put_addr(struct why *y, const struct node *n, const struct nctl_want_addr *a)
{
	const struct care *c = care_of(y, n);
	struct nctl_addr v = a->v;
	const struct nctl_mirror_addr *have;
	char addr[NCTL_PREFIX_STR], text[NCTL_PREFIX_STR + 96];
	const char *what = NULL;

	v.ifindex = n->there->v.ifindex;
	have = nctl_mirror_addr_get(mirror_of(y, n->netns), &v);
	nctl_prefix_format(&a->v.local, addr);
	if (!have)
		what = "is not there";
	else if (have->v.flags & IFA_F_DADFAILED)
		what = "is used by another machine, as duplicate address detection found";
	else if (have->v.flags & IFA_F_TENTATIVE)
		what = has_carrier(n) ? "waits for duplicate address detection"
		                      : "waits for the carrier, and then for duplicate address detection";
	if (!what)
		return;
	snprintf(text, sizeof(text), "address %s %s", addr, what);
	if (!begin_cause(y, have ? "dad" : "address", text))
		return;
	put_place(y, &a->pos);
	put_since(y, have ? c->dad_at : (nctl_time){0});
	nctl_json_obj_end(y->j);
}

/* What netctld tried, and when it tries again. */
static void put_attempts(struct why *y, const struct node *n)
{
	const struct care *c = care_of(y, n);
	char text[160];

	if (!c)
		return;
	if (c->blocked && c->reason) {
		put_cause(y, "blocked", c->reason, (nctl_time){0});
	} else if (c->reason && begin_cause(y, "refused", c->reason)) {
		put_since(y, c->at);
		nctl_json_ku64(y->j, "attempts", c->times);
		if (nd_care_is_held(c, y->now))
			nctl_json_ku64(y->j, "again_in_s",
				(uint64_t)nctl_time_diff_us(c->until, y->now) / 1000000 + 1);
		nctl_json_obj_end(y->j);
	} else if (!c->reason && c->seen && nd_care_is_held(c, y->now)) {
		snprintf(text, sizeof(text),
			"it was brought back %u times, and changed again by somebody; it is put off",
			c->times);
		if (!begin_cause(y, "put-off", text))
			return;
		put_since(y, c->at);
		nctl_json_ku64(
			y->j, "again_in_s", (uint64_t)nctl_time_diff_us(c->until, y->now) / 1000000 + 1);
		nctl_json_obj_end(y->j);
	} else if (c->told) {
		put_cause(y, "reported",
			"somebody changed it, and that is only to be reported (drift: report)",
			(nctl_time){0});
	}
}

static void put_causes(struct why *y, const struct node *n)
{
	put_attempts(y, n);
	if (!mirror_of(y, n->netns)) {
		put_cause(y, "netns", "its network namespace is not there, or cannot be read yet",
			(nctl_time){0});
		return;
	}
	if (!n->there) {
		put_lower(y, n);
		put_master(y, n);
		return;
	}
	put_master(y, n);
	if (is_kept_down(n))
		put_cause(
			y, "down", "the configuration keeps it down (activation-mode: off)", (nctl_time){0});
	else if (!nctl_link_is_up(&n->there->v))
		put_lower(y, n);
	else if (!has_carrier(n))
		put_carrier(y, n);
	for (size_t i = 0; n->want && i < n->want->n_addrs; i++)
		put_addr(y, n, &n->want->addrs[i]);
}

static const char *state_of(const struct node *n)
{
	if (!n->there)
		return "absent";
	if (!nctl_link_is_up(&n->there->v))
		return "down";
	return has_carrier(n) ? "up" : "no-carrier";
}

static void put_sentence(struct why *y, const struct node *n)
{
	static const struct {
		const char *state, *words;
	} states[] = {{"absent", "is not there"}, {"down", "is down"},
		{"no-carrier", "is up, without carrier"}, {"up", "is up"}};
	const char *netns = y->r->drift.want ? y->r->drift.want->netns[n->netns]->name : NULL;
	const char *kind = n->want    ? n->want->v.kind->name
	                   : n->there ? nctl_link_kind_name(&n->there->v)
	                              : NULL;
	char text[512];

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(states); i++)
		if (!strcmp(states[i].state, state_of(n)))
			snprintf(text, sizeof(text), "%s%s%s%s%s %s%s", kind ? kind : "", kind ? " " : "",
				n->name, netns ? " in " : "", netns ? netns : "", states[i].words,
				n->want ? "" : ", and not in the configuration");
	nctl_json_kstr(y->j, "text", text);
}

static void put_link(struct why *y, struct node *n)
{
	const struct care *c = care_of(y, n);

	if (y->nodes++ >= NODES_MAX)
		return;
	nctl_json_obj_begin(y->j);
	nctl_json_kstr(y->j, "type", "link");
	nctl_json_kstr(y->j, "link", n->name);
	nctl_json_kstr(y->j, "state", state_of(n));
	nctl_json_kbool(y->j, "wanted", n->want);
	put_sentence(y, n);
	if (n->want)
		put_place(y, &n->want->pos);
	if (!n->there)
		put_since(y, c ? c->gone_at : nd_drift_missing_since(&y->r->drift, n->netns, n->name));
	y->any |= !n->there || (!nctl_link_is_up(&n->there->v) && !is_kept_down(n));
	nctl_json_key(y->j, "because");
	nctl_json_arr_begin(y->j);
	put_causes(y, n);
	nctl_json_arr_end(y->j);
	nctl_json_obj_end(y->j);
}

/* False: the configuration does not name it, and nothing of ours is in it. */
static bool find_netns(const struct nd_reconcile *r, const char *name, uint32_t *ret)
{
	const struct nctl_want_netns *w =
		*name && r->drift.want ? nctl_want_netns_find(r->drift.want, name) : NULL;

	*ret = w ? w->number : 0;
	return !*name || w;
}

/* A definition with match, by its own name, or by a device that fits. */
static const struct nctl_want_link *find_definition(const struct why *y, const struct node *n)
{
	const struct nctl_want *want = y->r->drift.want;

	for (size_t i = 0; want && i < want->n_links; i++) {
		const struct nctl_want_link *w = want->links[i];

		if (w->match && w->netns->number == n->netns &&
			(n->there ? nctl_match_fits(w->match, &n->there->v, NULL)
				  : !strcmp(w->def->label, n->name)))
			return w;
	}
	return NULL;
}

static int put_error(struct nctl_strbuf *out, const char *text)
{
	struct nctl_json j;

	nd_report_begin(&j, out, ND_EXIT_CONFIG, text);
	nd_report_end(&j);
	return out->err;
}

int nd_reconcile_why(struct nd_reconcile *r, const char *netns, const char *link, struct nctl_strbuf *out)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf tree = NCTL_STRBUF_INIT;
	struct nctl_json j;
	struct why y = {.r = r, .j = &j, .now = nctl_time_now(), .put_link = put_link};
	struct node n = {.name = link};

	if (!find_netns(r, netns, &n.netns))
		return put_error(out, "the configuration has no such namespace");
	look_up(&y, &n);
	if (!n.want)
		n.want = find_definition(&y, &n);
	if (!n.want && !n.there)
		return put_error(out, "there is no such link, and the configuration has none");
	nctl_json_init(&j, &tree);
	put_link(&y, &n);
	if (tree.err)
		return tree.err;
	nd_report_begin(&j, out, y.any ? ND_EXIT_DIFFERENT : ND_EXIT_FINE, NULL);
	nctl_json_key(&j, "why");
	nctl_json_raw(&j, nctl_strbuf_str(&tree), tree.len);
	nd_report_end(&j);
	return out->err;
}
