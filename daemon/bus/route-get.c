/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The method RouteGet: which way a packet would go, by the mirror alone (lib/mirror/resolve), in one
 * round trip. The question comes as words, like filters of Query; devices are looked up in the namespace that
 * is asked about.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/num.h"
#include "bus/private.h"
#include "bus/query/object.h"
#include "mirror/resolve.h"

struct question {
	struct nctl_resolve_query q;
	struct nd_query space; /* netns */
	char iif[128], oif[128], vrf[128];
	bool has_uid;
};

static int take_address(struct nctl_prefix *ret, const char *value, sd_bus_error *error)
{
	if (nctl_prefix_parse(value, NCTL_PREFIX_ANY, ret) != 0 || ret->len != nctl_prefix_bits(ret->family))
		return nd_filter_invalid(error, "No address", value, NULL);
	return 0;
}

static int take_name(char name[128], const char *value, sd_bus_error *error)
{
	if (!*value || strlen(value) >= 128)
		return nd_filter_no_device(error, value);
	strcpy(name, value);
	return 0;
}

static int take_number(uint32_t *ret, const char *key, const char *value, uint32_t max, sd_bus_error *error)
{
	if (nd_parse_mark(value, ret) < 0 || *ret > max)
		return nd_filter_invalid(error, key, value, "a number");
	return 0;
}

static int take_ipproto(uint8_t *ret, const char *value, sd_bus_error *error)
{
	static const struct {
		const char *name;
		uint8_t number;
	} names[] = {{"icmp", 1}, {"tcp", 6}, {"udp", 17}, {"dccp", 33}, {"ipv6-icmp", 58}, {"sctp", 132}};
	uint32_t v = 0;
	int r;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(names); i++) {
		if (strcmp(value, names[i].name) == 0) {
			*ret = names[i].number;
			return 0;
		}
	}
	r = take_number(&v, "ipproto", value, UINT8_MAX, error);
	*ret = (uint8_t)v;
	return r;
}

static int take_small(struct question *w, const char *key, const char *value, sd_bus_error *error)
{
	uint32_t v = 0;
	int r;

	if (strcmp(key, "tos") == 0) {
		if (nctl_parse_u32(value + 2 * (strncmp(value, "0x", 2) == 0), 16, 0, UINT8_MAX, &v) < 0)
			return nd_filter_invalid(error, "No TOS", value, "a hexadecimal number");
		w->q.tos = (uint8_t)v;
		return 0;
	}
	r = take_number(&v, key, value, UINT16_MAX, error);
	if (strcmp(key, "sport") == 0)
		w->q.sport = (uint16_t)v;
	else
		w->q.dport = (uint16_t)v;
	return r;
}

static int take(struct question *w, const char *key, const char *value, sd_bus_error *error)
{
	if (strcmp(key, "to") == 0)
		return take_address(&w->q.dst, value, error);
	if (strcmp(key, "from") == 0)
		return take_address(&w->q.src, value, error);
	if (strcmp(key, "iif") == 0)
		return take_name(w->iif, value, error);
	if (strcmp(key, "oif") == 0)
		return take_name(w->oif, value, error);
	if (strcmp(key, "vrf") == 0)
		return take_name(w->vrf, value, error);
	if (strcmp(key, "mark") == 0)
		return take_number(&w->q.mark, key, value, UINT32_MAX, error);
	if (strcmp(key, "ipproto") == 0)
		return take_ipproto(&w->q.ip_proto, value, error);
	if (strcmp(key, "sport") == 0 || strcmp(key, "dport") == 0 || strcmp(key, "tos") == 0)
		return take_small(w, key, value, error);
	if (strcmp(key, "netns") == 0)
		return nd_filter_netns(&w->space, value, error);
	if (strcmp(key, "uid") == 0) {
		w->has_uid = true;
		return take_number(&w->q.uid, key, value, UINT32_MAX, error);
	}
	return nd_filter_invalid(error, "Nothing that a way depends on", key, NULL);
}

static int read_question(sd_bus_message *m, struct question *w, sd_bus_error *error)
{
	const char *key, *value;
	int r = sd_bus_message_enter_container(m, 'a', "{ss}");

	while (r >= 0 && (r = sd_bus_message_read(m, "{ss}", &key, &value)) > 0)
		r = take(w, key, value, error);
	if (r < 0)
		return r;
	if (!w->q.dst.family)
		return nd_filter_invalid(error, "The address is missing", "to", NULL);
	if (w->q.src.family && w->q.src.family != w->q.dst.family)
		return sd_bus_error_set(
			error, ND_BUS_ERROR "InvalidFilter", "Both addresses must be of one family.");
	if (*w->oif && *w->vrf)
		return sd_bus_error_set(error, ND_BUS_ERROR "InvalidFilter", "oif or vrf, not both.");
	return 0;
}

static int find(const struct nctl_mirror *m, const char *name, nctl_ifindex *ret, sd_bus_error *error)
{
	const struct nctl_mirror_link *l = *name ? nctl_mirror_link_find(m, name) : NULL;

	if (*name && !l)
		return nd_filter_no_device(error, name);
	if (l)
		*ret = l->v.ifindex;
	return 0;
}

static int find_all(const struct nctl_mirror *m, struct question *w, sd_bus_error *error)
{
	nctl_table table;
	int r = find(m, w->iif, &w->q.iif, error);

	if (r >= 0)
		r = find(m, w->oif, &w->q.oif, error);
	if (r >= 0)
		r = find(m, w->vrf, &w->q.oif, error);
	if (r >= 0 && *w->vrf && nd_vrf_table(m, w->q.oif, &table) < 0)
		return nd_filter_invalid(error, "This link is no VRF", w->vrf, "use \"oif\"");
	return r;
}

int nd_method_route_get(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_client *c = userdata;
	const struct nd_netns_set *set = nd_reconcile_netns(c->bus->reconcile);
	struct question w = {0};
	const struct nctl_mirror *mirror;
	struct nctl_resolved resolved;
	const struct nd_netns *n;
	struct nctl_names names;
	struct nctl_json json;
	int r;

	r = read_question(m, &w, error);
	if (r < 0)
		return r;
	n = *w.space.netns ? nd_netns_find(set, w.space.netns) : nd_netns_from(set, 0);
	mirror = n ? nd_query_mirror(n) : NULL;
	if (!mirror)
		return *w.space.netns ? nd_query_no_netns(error, w.space.netns, n) : nd_not_ready(error);
	r = find_all(mirror, &w, error);
	if (r < 0)
		return r;
	/* As the kernel: who asks is who sends, but what comes in is nobody's. */
	if (!w.has_uid)
		w.q.uid = w.q.iif ? UINT32_MAX : c->uid;
	nctl_mirror_resolve(mirror, &w.q, &resolved);
	names = nctl_mirror_names(mirror);
	nctl_json_init(&json, &out);
	nctl_resolved_json(&w.q, &resolved, &names, &json);
	r = out.err ? out.err : sd_bus_reply_method_return(m, "s", nctl_strbuf_str(&out));
	return r < 0 ? r : 1;
}
