/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What others read of the registry: cursors by serial, look-ups by name and cookie, the fields of one
 * namespace, and all of them as JSON.
 */
#include "netns/private.h"

#include "mirror/mirror.h"

struct nctl_hub *nd_netns_set_hub(const struct nd_netns_set *s)
{
	return s->hub;
}

struct nd_loop *nd_netns_set_loop(const struct nd_netns_set *s)
{
	return s->loop;
}

struct nd_helper *nd_netns_set_helper(const struct nd_netns_set *s)
{
	return s->helper;
}

struct nctl_subs *nd_netns_subs(struct nd_netns_set *s)
{
	return &s->subs;
}

static int cmp_serial_key(const void *key, const struct nctl_rb_node *node)
{
	uint64_t x = *(const uint64_t *)key, y = nctl_container_of(node, struct nd_netns, by_serial)->serial;

	return (x > y) - (x < y);
}

struct nd_netns *nd_netns_from(const struct nd_netns_set *s, uint64_t serial)
{
	struct nctl_rb_node *node = nctl_rb_lower_bound(&s->by_serial, &serial, cmp_serial_key);

	return node ? nctl_container_of(node, struct nd_netns, by_serial) : NULL;
}

struct nd_netns *nd_netns_next(const struct nd_netns *n)
{
	struct nctl_rb_node *node = nctl_rb_next(&n->by_serial);

	return node ? nctl_container_of(node, struct nd_netns, by_serial) : NULL;
}

struct nd_netns *nd_netns_find(const struct nd_netns_set *s, const char *name)
{
	struct netns_name *found = nd_netns_name_find(s, name);

	return found ? found->netns : NULL;
}

struct nd_netns *nd_netns_find_cookie(const struct nd_netns_set *s, uint64_t cookie)
{
	struct nctl_hash_node *node;

	nctl_hash_for_each_equal(node, &s->by_cookie, nctl_hash_u64(cookie)) {
		struct nd_netns *n = nctl_container_of(node, struct nd_netns, by_cookie);

		if (n->cookie == cookie)
			return n;
	}
	return NULL;
}

size_t nd_netns_count(const struct nd_netns_set *s)
{
	return s->by_serial.n;
}

uint64_t nd_netns_serial(const struct nd_netns *n)
{
	return n->serial;
}

const char *nd_netns_name(const struct nd_netns *n)
{
	return nd_netns_is_home(n) ? NULL : nd_netns_name_at(n, 0);
}

const char *nd_netns_name_at(const struct nd_netns *n, size_t i)
{
	struct nctl_list *pos = nctl_list_first(&n->names);

	while (pos && i--)
		pos = nctl_list_next(&n->names, pos);
	return pos ? nctl_list_entry(pos, struct netns_name, of_netns)->text : NULL;
}

pid_t nd_netns_pid(const struct nd_netns *n)
{
	return nctl_list_empty(&n->names) ? n->pid : 0;
}

bool nd_netns_is_home(const struct nd_netns *n)
{
	return n == n->set->home;
}

struct nctl_session *nd_netns_session(const struct nd_netns *n)
{
	return n->session;
}

uint64_t nd_netns_cookie(const struct nd_netns *n)
{
	return n->cookie;
}

const char *nd_netns_error(const struct nd_netns *n)
{
	return n->error;
}

static const char *state(const struct nd_netns *n)
{
	if (n->error)
		return "broken";
	if (!n->session)
		return "joining";
	if (!nctl_session_is_synced(n->session))
		return "synchronising";
	if (nd_netns_is_home(n))
		return "home";
	/* Its names were taken away: it is about to go, unless something holds it. */
	return nctl_list_empty(&n->names) && !n->pid ? "unnamed" : "joined";
}

void nd_netns_json(const struct nd_netns *n, struct nctl_json *j)
{
	nctl_nsid nsid = n->session ? nctl_session_nsid(n->session) : NCTL_NSID_NONE;
	const char *name = nd_netns_name_at(n, 0);

	nctl_json_obj_begin(j);
	if (name)
		nctl_json_kstr(j, "name", name);
	if (nsid != NCTL_NSID_NONE)
		nctl_json_ki64(j, "id", nsid);
	if (n->cookie)
		nctl_json_ku64(j, "cookie", n->cookie);
	if (nd_netns_pid(n))
		nctl_json_ki64(j, "pid", nd_netns_pid(n));
	if (n->session) {
		const struct nctl_mirror *m = nctl_session_mirror(n->session);

		nctl_json_ku64(j, "links", nctl_mirror_link_count(m));
		nctl_json_ku64(j, "addresses", nctl_mirror_addr_count(m));
	}
	nctl_json_kstr(j, "state", state(n));
	if (n->error)
		nctl_json_kstr(j, "error", n->error);
	nctl_json_obj_end(j);
}
