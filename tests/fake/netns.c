/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: network namespaces of the fake kernel as net/core/net_namespace.c has them: who holds them, the ids
 * that each has for others, and what is told, and in which order, when one is taken down. Cookies are never
 * used again, ids are: the lowest free one is the next.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/net_namespace.h>

#include "fake/core.h"
#include "fake/fib.h"
#include "fake/wire.h"

static bool fk_new_lo(struct fk_netns *ns)
{
	struct fk_req rq = {.f = ns->f, .ns = ns, .target = ns};
	struct fk_link *lo = fk_link_new(ns, NULL);
	if (!lo)
		return false;
	lo->ifindex = 1;
	strcpy(lo->name, "lo");
	lo->flags = IFF_LOOPBACK;
	lo->type = 772; /* ARPHRD_LOOPBACK */
	lo->mtu = 65536;
	lo->min_mtu = lo->max_mtu = 0;
	lo->announced = true;
	memset(lo->addr, 0, sizeof lo->addr);
	memset(lo->brd, 0, sizeof lo->brd);
	fk_link_register(&rq, lo);
	return true;
}

struct fk_netns *fk_netns_new(struct nctl_fake *f)
{
	struct fk_netns **spaces = realloc(f->spaces, (f->n_spaces + 1) * sizeof(*spaces));
	if (!spaces)
		return NULL;
	f->spaces = spaces;
	struct fk_netns *ns = calloc(1, sizeof *ns);
	if (!ns)
		return NULL;
	ns->f = f;
	ns->cookie = f->kernel.cookie + f->n_spaces;
	ns->held = true;
	nctl_list_init(&ns->links);
	nctl_list_init(&ns->by_index);
	nctl_list_init(&ns->dad);
	nctl_list_init(&ns->routes4);
	nctl_list_init(&ns->routes6);
	nctl_list_init(&ns->nexthops);
	nctl_list_init(&ns->rules4);
	nctl_list_init(&ns->rules6);
	fk_rules_init(ns);
	if (!fk_new_lo(ns)) {
		fk_rules_free(ns);
		free(ns);
		return NULL;
	}
	f->spaces[f->n_spaces++] = ns;
	return ns;
}

void fk_netns_free(struct fk_netns *ns)
{
	struct nctl_list *pos, *tmp;
	nctl_list_for_each_safe(pos, tmp, &ns->links)
		fk_link_destroy(nctl_list_entry(pos, struct fk_link, node));
	fk_routes_free(ns);
	fk_nexthops_free(ns);
	fk_rules_free(ns);
	nctl_list_del(&ns->dad);
	ns->f->spaces[ns->cookie - ns->f->kernel.cookie] = NULL;
	pthread_cond_broadcast(&ns->f->gone);
	free(ns->ids);
	free(ns);
}

struct fk_netns *fk_netns_find(struct nctl_fake *f, uint64_t cookie)
{
	uint64_t i = cookie - f->kernel.cookie;
	return i < f->n_spaces ? f->spaces[i] : NULL;
}

int32_t fk_netns_id(const struct fk_netns *viewer, const struct fk_netns *ns)
{
	for (size_t i = 0; i < viewer->n_ids; i++)
		if (viewer->ids[i] == ns)
			return (int32_t)i;
	return -1;
}

struct fk_netns *fk_netns_by_id(const struct fk_netns *viewer, int32_t nsid)
{
	return nsid >= 0 && (size_t)nsid < viewer->n_ids ? viewer->ids[nsid] : NULL;
}

/* rtnl_net_notifyid() */
static void fk_nsid_event(struct fk_netns *viewer, uint16_t type, int32_t nsid)
{
	_Alignas(8) uint8_t bytes[64];
	struct fk_buf b = FK_BUF(bytes);
	const struct rtgenmsg gen = {.rtgen_family = AF_UNSPEC};
	size_t start = fk_msg_begin(&b, type, 0, 0, &gen, sizeof gen);
	fk_put_u32(&b, NETNSA_NSID, (uint32_t)nsid);
	fk_msg_end(&b, start);
	fk_broadcast(viewer, RTNLGRP_NSID, bytes, b.len);
}

/* peernet2id_alloc() */
int32_t fk_netns_id_alloc(struct fk_netns *viewer, struct fk_netns *ns)
{
	int32_t id = fk_netns_id(viewer, ns);
	if (id >= 0)
		return id;
	if (viewer->dying || ns->dying)
		return -1;              /* NETNSA_NSID_NOT_ASSIGNED */
	id = fk_netns_id(viewer, NULL); /* the lowest free one */
	if (id < 0) {
		struct fk_netns **ids = realloc(viewer->ids, (viewer->n_ids + 1) * sizeof(*ids));
		if (!ids)
			abort();
		viewer->ids = ids;
		id = (int32_t)viewer->n_ids++;
	}
	viewer->ids[id] = ns;
	fk_nsid_event(viewer, RTM_NEWNSID, id);
	return id;
}

/* unhash_nsid(): all that know it are told before anything of it goes. */
static void fk_forget_ids(struct fk_netns *ns)
{
	struct nctl_fake *f = ns->f;
	for (size_t i = 0; i < f->n_spaces; i++) {
		bool other = f->spaces[i] && f->spaces[i] != ns;
		int32_t id = other ? fk_netns_id(f->spaces[i], ns) : -1;
		if (id < 0)
			continue;
		f->spaces[i]->ids[id] = NULL;
		fk_nsid_event(f->spaces[i], RTM_DELNSID, id);
	}
	ns->n_ids = 0;
}

/* default_device_exit_net(): cards go home, under another name if need be. */
static void fk_send_home(struct fk_netns *ns)
{
	struct nctl_list *pos, *tmp;
	nctl_list_for_each_safe(pos, tmp, &ns->links) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, node);
		char name[IFNAMSIZ];
		if (!l->kind || !l->kind->physical)
			continue;
		snprintf(name, sizeof name, "dev%d", l->ifindex);
		if (fk_link_by_name(ns->f->home, name))
			strcpy(name, "dev%d");
		if (fk_move(ns->f, l, ns->f->home, name, 0) < 0) {
			l->n_altnames = 0; /* those are in use there */
			fk_move(ns->f, l, ns->f->home, name, 0);
		}
	}
}

/* cleanup_net() */
static void fk_netns_take_down(struct fk_netns *ns)
{
	struct nctl_list doomed = NCTL_LIST_INIT(doomed), *pos;
	struct nctl_fake *f = ns->f;
	ns->dying = true;
	fk_forget_ids(ns);
	fk_send_home(ns);
	for (pos = ns->links.prev; pos != &ns->links; pos = pos->prev)
		fk_doom(f, nctl_list_entry(pos, struct fk_link, node), &doomed);
	fk_links_kill(f, &doomed);
	fk_netns_free(ns);
	fk_settle(f);
}

void fk_netns_unhold(struct fk_netns *ns)
{
	if (!ns->held && !ns->n_transports && !ns->dying)
		fk_netns_take_down(ns);
}
