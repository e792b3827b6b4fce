/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: how ip(8) prints what tunnels over IP have in common. Used by the tables of the kinds' fields;
 * decoding is the engine's.
 */
#include "kinds/tunnel.h"

#include <net/if.h> /* before linux/if.h, which then adds what it lacks */
#include <linux/if_tunnel.h>
#include <stdio.h>

#include "base/json.h"

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

const struct nctl_field_ops nctl_tunnel_end_ops = {.print = end_print};
const struct nctl_field_ops nctl_tunnel_encap_ops = {.print = encap_print};
const struct nctl_field_ops nctl_tunnel_tclass_ops = {.print = tclass_print};
const struct nctl_field_ops nctl_tunnel_flowlabel_ops = {.print = flowlabel_print};
