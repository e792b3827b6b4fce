/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the links of the fake kernel: making, finding, registering and unregistering them, and the notifier
 * chain through which rtnetlink, IPv4, IPv6, masters and upper links hear of a change, in the order of
 * net/core/dev.c.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake/core.h"
#include "fake/fib.h"
#include "fake/wire.h"

static uint64_t fk_random(struct nctl_fake *f)
{
	f->rng = f->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return f->rng >> 16;
}

/* eth_random_addr() */
void fk_random_addr(struct nctl_fake *f, uint8_t addr[static FK_ETH_ALEN])
{
	uint64_t mac = fk_random(f);
	memcpy(addr, &mac, FK_ETH_ALEN);
	addr[0] = (addr[0] & 0xfc) | 2;
}

struct nctl_list *fk_links(struct fk_netns *ns)
{
	return &ns->links;
}

struct fk_link *fk_link_new(struct fk_netns *ns, const struct fk_kind *kind)
{
	struct fk_link *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->ns = ns;
	nctl_list_init(&l->uppers);
	nctl_list_init(&l->upper_node);
	nctl_list_init(&l->node);
	nctl_list_init(&l->index_node);
	nctl_list_init(&l->watch);
	nctl_list_init(&l->doom);
	nctl_list_init(&l->addrs4);
	nctl_list_init(&l->addrs6);
	l->kind = kind;
	l->flags = IFF_BROADCAST | IFF_MULTICAST;
	l->carrier = true;
	l->type = 1; /* ARPHRD_ETHER */
	l->mtu = 1500;
	l->min_mtu = 68;
	l->max_mtu = 65535;
	l->txqlen = 1000;
	fk_random_addr(ns->f, l->addr);
	memset(l->brd, 0xff, sizeof l->brd);
	if (kind && kind->setup)
		kind->setup(ns->f, l);
	return l;
}

static void fk_addrs_destroy(struct nctl_list *head)
{
	struct nctl_list *pos, *tmp;
	nctl_list_for_each_safe(pos, tmp, head) {
		nctl_list_del(pos);
		free(nctl_list_entry(pos, struct fk_addr, node));
	}
}

void fk_link_destroy(struct fk_link *l)
{
	struct nctl_list *pos;
	while ((pos = nctl_list_first(&l->uppers)))
		nctl_list_del(pos);
	nctl_list_del(&l->node);
	nctl_list_del(&l->index_node);
	nctl_list_del(&l->watch);
	nctl_list_del(&l->doom);
	nctl_list_del(&l->upper_node);
	fk_addrs_destroy(&l->addrs4);
	fk_addrs_destroy(&l->addrs6);
	free(l);
}

struct fk_link *fk_link_by_index(struct fk_netns *ns, int ifindex)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->links) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, node);
		if (l->ifindex == ifindex && !l->dying)
			return l;
	}
	return NULL;
}

struct fk_link *fk_link_by_name(struct fk_netns *ns, const char *name)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, &ns->links) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, node);
		if (l->dying)
			continue;
		if (strcmp(l->name, name) == 0)
			return l;
		for (unsigned i = 0; i < l->n_altnames; i++)
			if (strcmp(l->altnames[i], name) == 0)
				return l;
	}
	return NULL;
}

/* dev_valid_name() */
bool fk_name_valid(const char *name)
{
	if (!*name || strlen(name) >= IFNAMSIZ || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	return strpbrk(name, "/: \t\n\v\f\r") == NULL;
}

/* Fills in the number of a name with "%d" in it: the lowest free one. */
int fk_name_number(struct fk_netns *ns, char pattern[static IFNAMSIZ])
{
	char name[IFNAMSIZ * 2];
	char *percent = strchr(pattern, '%');
	if (!percent)
		return fk_link_by_name(ns, pattern) ? -EEXIST : 0;
	if (percent[1] != 'd' || strchr(percent + 2, '%'))
		return -EINVAL;
	for (int i = 0; i < 32768; i++) {
		snprintf(name, sizeof name, "%.*s%d%s", (int)(percent - pattern), pattern, i, percent + 2);
		if (fk_link_by_name(ns, name))
			continue;
		if (strlen(name) >= IFNAMSIZ)
			return -ENFILE;
		memcpy(pattern, name, IFNAMSIZ);
		return 0;
	}
	return -ENFILE;
}

/* dev_index_reserve() */
int fk_free_index(struct fk_netns *ns)
{
	do
		ns->last_index++;
	while (fk_link_by_index(ns, ns->last_index));
	return ns->last_index;
}

void fk_link_insert(struct fk_link *l)
{
	struct nctl_list *head = &l->ns->by_index, *pos = head;
	while (pos->prev != head &&
		nctl_list_entry(pos->prev, struct fk_link, index_node)->ifindex > l->ifindex)
		pos = pos->prev;
	nctl_list_insert_before(pos, &l->index_node);
	nctl_list_add_tail(&l->ns->links, &l->node);
}

int fk_link_register(struct fk_req *rq, struct fk_link *l)
{
	struct nctl_fake *f = rq->f;
	if (!fk_name_valid(l->name))
		return -EINVAL;
	int r = fk_name_number(l->ns, l->name);
	if (r < 0)
		return r;
	if (l->ifindex && fk_link_by_index(l->ns, l->ifindex))
		return -EBUSY;
	if (!l->ifindex)
		l->ifindex = fk_free_index(l->ns);
	l->registered = true;
	fk_link_insert(l);
	if (l->lower)
		nctl_list_add_tail(&l->lower->uppers, &l->upper_node);
	fk_linkwatch_init(f, l);
	fk_notify(f, l, FK_REGISTER);
	return 0;
}

bool fk_oper_up(const struct fk_link *l)
{
	return l->operstate == IF_OPER_UP || l->operstate == IF_OPER_UNKNOWN;
}

unsigned fk_link_flags(const struct fk_link *l)
{
	unsigned flags = l->flags;
	if (l->running) {
		flags |= fk_oper_up(l) ? IFF_RUNNING : 0;
		flags |= l->carrier ? (unsigned)IFF_LOWER_UP : 0;
	}
	return flags;
}

/* rtmsg_ifinfo() for RTM_NEWLINK */
void fk_link_event(struct nctl_fake *f, struct fk_link *l)
{
	uint8_t bytes[4096];
	struct fk_buf b = FK_BUF(bytes);
	if (!l->registered || l->dying)
		return;
	(void)f;
	fk_put_link(&b, l, RTM_NEWLINK, 0, 0);
	fk_broadcast(l->ns, RTNLGRP_LINK, bytes, b.len);
}

void fk_state_change(struct nctl_fake *f, struct fk_link *l)
{
	if (!(l->flags & IFF_UP))
		return;
	fk_notify(f, l, FK_CHANGE);
	fk_link_event(f, l);
}

void fk_notify(struct nctl_fake *f, struct fk_link *l, enum fk_event ev)
{
	struct nctl_list *pos;
	switch (ev) {
	case FK_CHANGEMTU:
	case FK_CHANGEADDR:
	case FK_CHANGENAME:
	case FK_CHANGEUPPER:
	case FK_CHANGEINFO:
		fk_link_event(f, l);
		break;
	case FK_UP:
	case FK_DOWN:
	case FK_CHANGE:
	case FK_REGISTER:
	case FK_UNREGISTER:
		break;
	}
	fk_nexthop_link_event(l, ev);
	fk_rules_link_event(l, ev);
	fk_inet4_event(f, l, ev);
	fk_fib4_event(f, l, ev);
	fk_inet6_event(f, l, ev);
	if (l->master && l->master->kind->port_event)
		l->master->kind->port_event(f, l->master, l, ev);
	nctl_list_for_each(pos, &l->uppers) {
		struct fk_link *u = nctl_list_entry(pos, struct fk_link, upper_node);
		if (!u->dying && u->kind->lower_event)
			u->kind->lower_event(f, u, l, ev);
	}
}

/* Makes l a port of master, its youngest. */
void fk_join(struct nctl_fake *f, struct fk_link *port, struct fk_link *master)
{
	port->master = master;
	port->joined = ++f->joins;
}

/* The oldest port of master, of the live ones if live. */
struct fk_link *fk_first_port(struct nctl_fake *f, const struct fk_link *master, bool live)
{
	struct fk_link *first = NULL;
	struct nctl_list *pos;
	(void)f;
	nctl_list_for_each(pos, &master->ns->links) {
		struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		if (p->master == master && (p->port_live || !live) && (!first || p->joined < first->joined))
			first = p;
	}
	return first;
}

/* Is upper somewhere above l? */
bool fk_is_below(struct nctl_fake *f, const struct fk_link *l, const struct fk_link *upper)
{
	struct nctl_list *pos;
	if (upper->lower && (upper->lower == l || fk_is_below(f, l, upper->lower)))
		return true;
	nctl_list_for_each(pos, &upper->ns->links) {
		const struct fk_link *p = nctl_list_entry(pos, struct fk_link, node);
		if (p->master == upper && (p == l || fk_is_below(f, l, p)))
			return true;
	}
	return false;
}

/* Does a link of that kind stand on l (as its lower link)? kind NULL: any. */
bool fk_has_upper(struct nctl_fake *f, const struct fk_link *l, const struct fk_kind *kind)
{
	struct nctl_list *pos;
	(void)f;
	nctl_list_for_each(pos, &l->uppers) {
		const struct fk_link *u = nctl_list_entry(pos, struct fk_link, upper_node);
		if (!kind || u->kind == kind)
			return true;
	}
	return false;
}

void fk_doom(struct nctl_fake *f, struct fk_link *l, struct nctl_list *doomed)
{
	if (nctl_list_linked(&l->doom) || l->dying)
		return;
	nctl_list_add_tail(doomed, &l->doom);
	if (l->kind && l->kind->doom)
		l->kind->doom(f, l, doomed);
}

/* dev_close_many(): all go down before the first of them is told of. */
static void fk_close_all(struct nctl_fake *f, struct nctl_list *doomed)
{
	struct nctl_list *pos;
	nctl_list_for_each(pos, doomed) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, doom);
		if (!(l->flags & IFF_UP))
			continue;
		fk_set_flags(f, l, l->flags & ~(unsigned)IFF_UP);
		l->closing = true;
	}
	nctl_list_for_each(pos, doomed) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, doom);
		if (!l->closing)
			continue;
		fk_link_event(f, l);
		fk_notify(f, l, FK_DOWN);
	}
}

/* What stands on l goes first. */
static void fk_kill_uppers(struct nctl_fake *f, struct fk_link *l)
{
	struct nctl_list uppers = NCTL_LIST_INIT(uppers), *pos;
	nctl_list_for_each(pos, &l->uppers)
		fk_doom(f, nctl_list_entry(pos, struct fk_link, upper_node), &uppers);
	if (!nctl_list_empty(&uppers))
		fk_links_kill(f, &uppers);
}

/* The message is made before the kind lets go of its ports, and sent after. */
static void fk_say_goodbye(struct nctl_fake *f, struct fk_link *l)
{
	uint8_t bytes[4096];
	struct fk_buf b = FK_BUF(bytes);
	fk_put_link(&b, l, RTM_DELLINK, 0, 0);
	if (l->kind && l->kind->uninit)
		l->kind->uninit(f, l);
	if (l->announced)
		fk_broadcast(l->ns, RTNLGRP_LINK, bytes, b.len);
}

/* unregister_netdevice_many() and what follows; the list is empty afterwards. */
void fk_links_kill(struct nctl_fake *f, struct nctl_list *doomed)
{
	struct nctl_list *pos, *tmp;
	fk_close_all(f, doomed);
	nctl_list_for_each(pos, doomed)
		nctl_list_entry(pos, struct fk_link, doom)->dying = true;
	nctl_list_for_each(pos, doomed) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, doom);
		fk_notify(f, l, FK_UNREGISTER);
		fk_kill_uppers(f, l);
		fk_say_goodbye(f, l);
		fk_linkwatch_forget(f, l);
	}
	nctl_list_for_each_safe(pos, tmp, doomed)
		fk_link_destroy(nctl_list_entry(pos, struct fk_link, doom));
}
