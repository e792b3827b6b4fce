/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the VLANs of bridges and their ports. They come in messages of their own, so a link's other messages
 * leave them as they are, for as long as the link is a bridge or the port of one. An event wins over an entry
 * of a dump that was asked for before it came.
 */
#include "mirror/vlans.h"

#include "mirror/private.h"

bool nctl_mirror_has_vlans(const struct nctl_mirror *m)
{
	return m->n_bridges;
}

static bool has_trait(const struct nctl_kind *k)
{
	return k && k->traits & NCTL_KIND_VLANS;
}

void nctl_mirror_count_bridge(
	struct nctl_mirror *m, const struct nctl_link *old, const struct nctl_link *new)
{
	m->n_bridges += new && has_trait(new->kind);
	m->n_bridges -= old && has_trait(old->kind);
}

void nctl_mirror_link_keep_vlans(const struct nctl_mirror_link *l, struct nctl_link *v)
{
	if (l->v.vlans && !v->vlans && (has_trait(v->kind) || has_trait(v->port_kind)))
		v->vlans = nctl_vlans_ref(l->v.vlans);
}

/* Takes the reference. */
static void replace(struct nctl_mirror *m, struct nctl_mirror_link *l, struct nctl_vlans *vlans)
{
	struct nctl_link_diff diff = {.vlans = true};
	struct nctl_link old = l->v; /* owns nothing but its VLANs */

	l->v.vlans = vlans;
	m->stats.changed++;
	nctl_mirror_link_notify(m, NCTL_CHANGED, &old, &l->v, &diff);
	nctl_vlans_unref(old.vlans);
}

void nctl_mirror_link_vlans_put(
	struct nctl_mirror *m, nctl_ifindex ifindex, struct nctl_vlans *vlans, enum nctl_source src)
{
	struct nctl_mirror_link *l = nctl_mirror_link_lookup(m, ifindex);
	uint64_t serial = m->lists[NCTL_OBJECT_LINK].serial;
	bool overtaken = l && src == NCTL_SOURCE_DUMP && l->vlans_touched == serial;

	if (l && src == NCTL_SOURCE_EVENT)
		l->vlans_touched = serial;
	m->stats.dump_ignored += overtaken;
	if (!l || overtaken || nctl_vlans_equal(l->v.vlans, vlans)) {
		m->stats.unchanged += l && !overtaken;
		nctl_vlans_unref(vlans);
		return;
	}
	replace(m, l, vlans);
}
