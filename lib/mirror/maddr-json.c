/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the memberships of a link as JSON, in iproute2's shape, and who wants each link-layer address. What is
 * wanted, but was not read back, is told only where the kernel should have it: for an address of a link that
 * is up, or for an upper link that has it itself.
 */
#include "mirror/maddr-private.h"

#include <sys/socket.h>

static const struct nctl_maddr_mac *mac_of(const struct nctl_rb_node *n)
{
	return nctl_container_of(n, struct nctl_maddr_mac, node);
}

static const struct nctl_maddr_want *want_of(const struct nctl_rb_node *n)
{
	return nctl_container_of(n, struct nctl_maddr_want, node);
}

/* How many of those who want e by address do so through group. */
static uint32_t count_addresses(const struct nctl_maddr_mac *e, const struct nctl_prefix *group)
{
	const struct nctl_rb_node *n;
	struct nctl_prefix solicited;
	uint32_t k = 0;

	if (!e->link->solicits)
		return 0;
	for (n = nctl_rb_first(&e->wants); n && want_of(n)->by == NCTL_MADDR_ADDRESS; n = nctl_rb_next(n)) {
		nctl_maddr_solicited_node(&want_of(n)->group, &solicited);
		k += nctl_prefix_equal(&solicited, group);
	}
	return k;
}

/* Users of a group beyond those that follow from links and addresses. */
static uint32_t count_others(const struct nctl_maddr_mac *e, const struct nctl_prefix *group)
{
	const struct nctl_maddr_group *g = nctl_maddr_group_find(e->link, group);
	const struct nctl_maddr_want all = {.by = NCTL_MADDR_ALL, .group = *group};
	uint32_t known = count_addresses(e, group) + nctl_maddr_has_want(e, &all);

	return !g ? 0 : g->users > known ? g->users - known : 0;
}

static void put_group(struct nctl_json *json, const struct nctl_prefix *group)
{
	char text[NCTL_ADDR_STR];

	nctl_json_kstr(json, "family", group->family == AF_INET ? "inet" : "inet6");
	nctl_json_kstr(json, "address", nctl_addr_format(group, text));
}

static void put_dev(struct nctl_json *json, nctl_ifindex ifindex, const struct nctl_names *names)
{
	const char *name = names->link_name(names->userdata, ifindex);

	if (name)
		nctl_json_kstr(json, "dev", name);
	else
		nctl_json_ku64(json, "ifindex", ifindex);
}

static void put_want(const struct nctl_maddr_mac *e, const struct nctl_maddr_want *w,
	const struct nctl_names *names, struct nctl_json *json)
{
	static const char *const words[NCTL_MADDR_N_BY] = {[NCTL_MADDR_ADDRESS] = "address",
		[NCTL_MADDR_ALL] = "all",
		[NCTL_MADDR_GROUP] = "group",
		[NCTL_MADDR_UPPER] = "upper",
		[NCTL_MADDR_PORT] = "port",
		[NCTL_MADDR_VLANS] = "vlans",
		[NCTL_MADDR_STATIC] = "static"};
	uint32_t users = w->by == NCTL_MADDR_GROUP ? count_others(e, &w->group) : 1;

	if (!users || (w->by == NCTL_MADDR_ADDRESS && !e->link->solicits))
		return;
	nctl_json_obj_begin(json);
	nctl_json_kstr(json, "by", words[w->by]);
	if (w->group.family)
		put_group(json, &w->group);
	if (w->ifindex)
		put_dev(json, w->ifindex, names);
	if (users > 1)
		nctl_json_ku64(json, "users", users);
	nctl_json_obj_end(json);
}

/*
 * How many of e's users have a name: one for each group, upper link and static entry, one for each link that
 * it was handed down to (__hw_addr_sync_one counts both ends).
 */
static uint32_t count_explained(const struct nctl_maddr_mac *e)
{
	uint32_t by[NCTL_MADDR_N_BY] = {0}, k = 0;
	const struct nctl_rb_node *n;
	struct nctl_list *pos;

	nctl_rb_for_each(n, &e->wants)
		by[want_of(n)->by]++;
	if (!e->link->solicits)
		by[NCTL_MADDR_ADDRESS] = 0;
	nctl_list_for_each(pos, &e->link->outs)
		k++;
	/* Where groups cannot be read, what is derived stands for them. */
	k += by[NCTL_MADDR_GROUP] ? by[NCTL_MADDR_GROUP] : by[NCTL_MADDR_ALL] + (by[NCTL_MADDR_ADDRESS] > 0);
	k += by[NCTL_MADDR_VLANS] ? 2 : 0;
	return k + by[NCTL_MADDR_UPPER] + by[NCTL_MADDR_PORT] + by[NCTL_MADDR_STATIC];
}

static void put_why(const struct nctl_maddr_mac *e, const struct nctl_names *names, struct nctl_json *json)
{
	uint32_t explained = count_explained(e);
	const struct nctl_rb_node *n;

	nctl_json_key(json, "why");
	nctl_json_arr_begin(json);
	nctl_rb_for_each(n, &e->wants)
		put_want(e, want_of(n), names, json);
	if (e->seen.gen && e->users > explained) {
		nctl_json_obj_begin(json);
		nctl_json_kstr(json, "by", "unknown");
		if (e->users - explained > 1)
			nctl_json_ku64(json, "users", e->users - explained);
		nctl_json_obj_end(json);
	}
	nctl_json_arr_end(json);
}

/* Wanted so that it should be there? */
static bool is_missed(const struct nctl_maddrs *s, const struct nctl_maddr_mac *e)
{
	const struct nctl_maddr_link *upper;
	const struct nctl_maddr_mac *there;
	const struct nctl_rb_node *n;

	if (e->seen.gen || !e->link->up)
		return false;
	nctl_rb_for_each(n, &e->wants) {
		const struct nctl_maddr_want *w = want_of(n);

		if (w->by == NCTL_MADDR_GROUP || (w->by == NCTL_MADDR_ADDRESS && e->link->solicits))
			return true;
		if (w->by != NCTL_MADDR_UPPER)
			continue;
		upper = nctl_maddr_link_find(s, w->ifindex);
		there = upper ? nctl_maddr_mac_find(upper, &e->mac) : NULL;
		if (there && there->seen.gen)
			return true;
	}
	return false;
}

static size_t put_macs(const struct nctl_maddrs *s, const struct nctl_maddr_link *l, bool why,
	const struct nctl_names *names, struct nctl_json *json)
{
	char text[NCTL_LLADDR_STR];
	struct nctl_rb_node *n;
	size_t k = 0;

	nctl_rb_for_each(n, &l->macs) {
		const struct nctl_maddr_mac *e = mac_of(n);
		bool missed = why && is_missed(s, e);

		if (!e->seen.gen && !missed)
			continue;
		k++;
		nctl_json_obj_begin(json);
		nctl_json_kstr(json, "link", nctl_lladdr_format(&e->mac, text));
		if (e->seen.gen && e->users != 1)
			nctl_json_ku64(json, "users", e->users);
		if (e->is_static)
			nctl_json_kstr(json, "features", "static");
		if (missed)
			nctl_json_kbool(json, "missing", true);
		if (why)
			put_why(e, names, json);
		nctl_json_obj_end(json);
	}
	return k;
}

static size_t put_groups(const struct nctl_maddr_link *l, uint8_t family, struct nctl_json *json)
{
	struct nctl_rb_node *n;
	size_t k = 0;

	nctl_rb_for_each(n, &l->groups) {
		const struct nctl_maddr_group *g = nctl_container_of(n, struct nctl_maddr_group, node);

		if (family && family != g->group.family)
			continue;
		k++;
		nctl_json_obj_begin(json);
		put_group(json, &g->group);
		if (g->users != 1)
			nctl_json_ku64(json, "users", g->users);
		nctl_json_obj_end(json);
	}
	return k;
}

size_t nctl_maddrs_json(const struct nctl_maddrs *s, nctl_ifindex ifindex, const struct nctl_maddr_filter *f,
	const struct nctl_names *names, struct nctl_json *json)
{
	const struct nctl_maddr_link *l = nctl_maddr_link_find(s, ifindex);
	size_t n = 0;

	if (!l || !l->here)
		return 0;
	if (!f->family || f->family == AF_PACKET)
		n += put_macs(s, l, f->why, names, json);
	if (f->family != AF_PACKET)
		n += put_groups(l, f->family, json);
	return n;
}

int nctl_maddrs_count(const struct nctl_maddrs *s, nctl_ifindex ifindex, const struct nctl_lladdr *mac,
	enum nctl_maddr_by by)
{
	const struct nctl_maddr_link *l = nctl_maddr_link_find(s, ifindex);
	const struct nctl_maddr_mac *e = l ? nctl_maddr_mac_find(l, mac) : NULL;
	const struct nctl_rb_node *n;
	int k = 0;

	if (!e)
		return -1;
	nctl_rb_for_each(n, &e->wants)
		if (want_of(n)->by == by)
			k += (int)want_of(n)->n;
	return k;
}
