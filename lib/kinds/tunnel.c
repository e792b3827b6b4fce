/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: how ip(8) prints what tunnels over IP have in common. Used by the tables of the kinds' fields;
 * decoding is the engine's.
 */
#include "kinds/tunnel.h"

#include <errno.h>
#include <net/if.h> /* before linux/if.h, which then adds what it lacks */
#include <linux/if_tunnel.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "base/strbuf.h"

static void end_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	const struct nctl_prefix *p = (const void *)((const char *)data + f->offset);
	char buf[NCTL_ADDR_STR];

	if (p->family == AF_UNSPEC || nctl_prefix_is_unspecified(p))
		nctl_json_str(json, "any");
	else
		nctl_json_str(json, nctl_addr_format(p, buf));
}

static void encap_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	const struct nctl_tunnel_encap *e = (const void *)((const char *)data + f->offset);

	nctl_json_obj_begin(json);
	nctl_json_key(json, "type");
	if (e->type == TUNNEL_ENCAP_FOU)
		nctl_json_str(json, "fou");
	else if (e->type == TUNNEL_ENCAP_GUE)
		nctl_json_str(json, "gue");
	else
		nctl_json_null(json);
	nctl_json_ku64(json, "sport", e->sport);
	nctl_json_ku64(json, "dport", e->dport);
	nctl_json_kbool(json, "csum", e->flags & TUNNEL_ENCAP_FLAG_CSUM);
	nctl_json_kbool(json, "csum6", e->flags & TUNNEL_ENCAP_FLAG_CSUM6);
	nctl_json_kbool(json, "remcsum", e->flags & TUNNEL_ENCAP_FLAG_REMCSUM);
	nctl_json_obj_end(json);
}

/* RFC 8200 section 3: 4 bits of version, 8 of traffic class, 20 of flow label. */
static void tclass_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	char buf[16];

	snprintf(buf, sizeof(buf), "0x%02x", (unsigned)(nctl_field_get(f, data) >> 20 & 0xff));
	nctl_json_str(json, buf);
}

static void flowlabel_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	char buf[16];

	snprintf(buf, sizeof(buf), "0x%05x", (unsigned)(nctl_field_get(f, data) & 0xfffff));
	nctl_json_str(json, buf);
}

static int key_parse(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why)
{
	struct nctl_prefix key;
	uint64_t v;

	if (nctl_parse_u64(text, 10, &v) == 0 && v <= UINT32_MAX) {
		key = (struct nctl_prefix){.family = AF_INET,
			.len = 32,
			.addr = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v}};
	} else if (nctl_addr_parse(text, &key) < 0 || key.family != AF_INET) {
		nctl_strbuf_printf(
			why, "must be a number up to 4294967295, or four such as 0.0.0.7, not \"%s\"", text);
		return -EINVAL;
	}
	memcpy((char *)data + f->offset, &key, sizeof(key));
	return 0;
}

int nctl_tunnel_check_ends(const struct nctl_prefix *local, const struct nctl_prefix *remote, uint8_t family,
	struct nctl_strbuf *why)
{
	bool bad_local = local->family != AF_UNSPEC && local->family != family,
	     bad_remote = remote->family != AF_UNSPEC && remote->family != family;

	if (!bad_local && !bad_remote)
		return 0;
	nctl_strbuf_printf(why, "must be an IPv%d address for this mode", family == AF_INET ? 4 : 6);
	return bad_local ? -1 : 1;
}

/* To anybody, to one end, to a group. */
static int reach(const struct nctl_prefix *remote)
{
	if (remote->family == AF_UNSPEC || nctl_prefix_is_unspecified(remote))
		return 0;
	return nctl_prefix_is_multicast(remote) ? 2 : 1;
}

enum nctl_change_class nctl_tunnel_change_remote(
	const struct nctl_prefix *have, const struct nctl_prefix *want)
{
	return reach(have) == reach(want) ? NCTL_CHANGE_LIVE : NCTL_CHANGE_RECREATE;
}

const struct nctl_field_ops nctl_tunnel_end_ops = {.print = end_print};
const struct nctl_field_ops nctl_tunnel_encap_ops = {.print = encap_print};
const struct nctl_field_ops nctl_tunnel_tclass_ops = {.print = tclass_print};
const struct nctl_field_ops nctl_tunnel_flowlabel_ops = {.print = flowlabel_print};
const struct nctl_field_ops nctl_tunnel_key_ops = {.parse = key_parse};
