/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: vlan (net/8021q/vlan_netlink.c, IEEE 802.1Q). Id and protocol are fixed at creation: a later message
 * with others is acknowledged and does nothing. A message about a QoS map adds to it: so it says all
 * priorities.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_vlan.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "codec/codec.h"
#include "nl/attr.h"
#include "nl/msg.h"
#include "obj/kind.h"

enum { VLAN_FLAGS = 2, VLAN_INGRESS, VLAN_EGRESS }; /* their places in vlan_fields */

enum {
	PRIORITIES = 8,      /* of tags, IEEE 802.1Q */
	SKB_PRIORITIES = 16, /* of packets: so many the kernel lists in their order (vlan_fill_info) */
};

struct vlan_data {
	uint16_t protocol, id;
	uint32_t flags;
	uint8_t flags_said; /* YAML has a word of them */
	struct nctl_bytes ingress, egress; /* struct ifla_vlan_qos_mapping in a nest, as the kernel sends them */
};

static int flags_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	struct ifla_vlan_flags flags;

	if (nctl_attr_len(attr) != sizeof(flags))
		return -EBADMSG;
	memcpy(&flags, nctl_attr_data(attr), sizeof(flags));
	nctl_field_set(f, data, flags.flags);
	return 0;
}

static void flags_encode(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg)
{
	struct ifla_vlan_flags flags = {.flags = (uint32_t)nctl_field_get(f, data)};

	/* The kernel refuses bits that it does not know: those with names are known since 5.5. */
	for (const struct nctl_name *n = f->names; n->name; n++)
		flags.mask |= (uint32_t)n->value;
	nctl_msg_put(msg, f->attr, &flags, sizeof(flags));
}

/* The kernel sends flags with all bits of the mask set. */
static void flags_encode_state(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg)
{
	struct ifla_vlan_flags flags = {.flags = (uint32_t)nctl_field_get(f, data), .mask = UINT32_MAX};

	nctl_msg_put(msg, f->attr, &flags, sizeof(flags));
}

static int qos_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	const struct nlattr *a = NULL;

	while ((a = nctl_attr_next(nctl_attr_data(attr), nctl_attr_len(attr), a)))
		if (nctl_attr_len(a) != sizeof(struct ifla_vlan_qos_mapping))
			return -EBADMSG;
	return nctl_codec_bytes_decode(f, attr, data);
}

static void qos_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	const struct nctl_bytes *b = (const void *)((const char *)data + f->offset);
	struct ifla_vlan_qos_mapping m;
	const struct nlattr *a = NULL;

	nctl_json_arr_begin(json);
	while ((a = nctl_attr_next(b->p, b->n, a))) {
		memcpy(&m, nctl_attr_data(a), sizeof(m));
		nctl_json_obj_begin(json);
		nctl_json_ku64(json, "from", m.from);
		nctl_json_ku64(json, "to", m.to);
		nctl_json_obj_end(json);
	}
	nctl_json_arr_end(json);
}

static bool is_egress(const struct nctl_field *f)
{
	return f->attr == IFLA_VLAN_EGRESS_QOS;
}

/* "FROM:TO" */
static int qos_read(const struct nctl_field *f, const char *text, struct ifla_vlan_qos_mapping *ret)
{
	const char *colon = strchr(text, ':');
	char from[16];
	uint64_t a, b;

	if (!colon || colon - text >= (ptrdiff_t)sizeof(from))
		return -EINVAL;
	memcpy(from, text, (size_t)(colon - text));
	from[colon - text] = 0;
	if (nctl_parse_u64(from, 10, &a) < 0 || nctl_parse_u64(colon + 1, 10, &b) < 0 ||
		a >= (is_egress(f) ? SKB_PRIORITIES : PRIORITIES) ||
		b >= (is_egress(f) ? PRIORITIES : SKB_PRIORITIES))
		return -EINVAL;
	*ret = (struct ifla_vlan_qos_mapping){(uint32_t)a, (uint32_t)b};
	return 0;
}

/* One more, kept in the order in which the kernel lists them; to 0 is none. */
static int qos_parse(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why)
{
	struct nctl_bytes *b = (void *)((char *)data + f->offset);
	struct {
		struct nlattr attr;
		struct ifla_vlan_qos_mapping map;
	} one = {.attr = {.nla_len = sizeof(one), .nla_type = IFLA_VLAN_QOS_MAPPING}};
	size_t at = 0;
	uint8_t *p;

	if (qos_read(f, text, &one.map) < 0) {
		nctl_strbuf_printf(why, "must map %s, not \"%s\"",
			is_egress(f) ? "priorities of packets, 0 to 15, to those of tags, 0 to 7"
				     : "priorities of tags, 0 to 7, to those of packets, 0 to 15",
			text);
		return -EINVAL;
	}
	if (!one.map.to)
		return 0;
	p = realloc((void *)(uintptr_t)b->p, b->n + sizeof(one));
	if (!p)
		return -ENOMEM;
	while (at < b->n &&
		((const struct ifla_vlan_qos_mapping *)(void *)(p + at + NLA_HDRLEN))->from < one.map.from)
		at += sizeof(one);
	memmove(p + at + sizeof(one), p + at, b->n - at);
	memcpy(p + at, &one, sizeof(one));
	*b = (struct nctl_bytes){p, b->n + (uint32_t)sizeof(one)};
	return 0;
}

static void qos_format(const struct nctl_field *f, const void *data, struct nctl_strbuf *out)
{
	const struct nctl_bytes *b = (const void *)((const char *)data + f->offset);
	struct ifla_vlan_qos_mapping m;
	const struct nlattr *a = NULL;
	const char *comma = "";

	nctl_strbuf_putc(out, '{');
	while ((a = nctl_attr_next(b->p, b->n, a))) {
		memcpy(&m, nctl_attr_data(a), sizeof(m));
		nctl_strbuf_printf(out, "%s%u: %u", comma, m.from, m.to);
		comma = ", ";
	}
	nctl_strbuf_putc(out, '}');
}

/* What is not in the map goes to 0. */
static void qos_encode(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg)
{
	const struct nctl_bytes *b = (const void *)((const char *)data + f->offset);
	struct ifla_vlan_qos_mapping m, of[SKB_PRIORITIES];
	size_t nest = nctl_msg_nest_begin(msg, f->attr);
	const struct nlattr *a = NULL;
	unsigned n = is_egress(f) ? SKB_PRIORITIES : PRIORITIES;

	for (unsigned i = 0; i < n; i++)
		of[i] = (struct ifla_vlan_qos_mapping){i, 0};
	while ((a = nctl_attr_next(b->p, b->n, a))) {
		memcpy(&m, nctl_attr_data(a), sizeof(m));
		if (m.from < n)
			of[m.from] = m;
		else
			nctl_msg_put(msg, IFLA_VLAN_QOS_MAPPING, &m, sizeof(m));
	}
	for (unsigned i = 0; i < n; i++)
		nctl_msg_put(msg, IFLA_VLAN_QOS_MAPPING, &of[i], sizeof(of[i]));
	nctl_msg_nest_end(msg, nest);
}

static void qos_encode_state(const struct nctl_field *f, const void *data, struct nctl_msgbuf *msg)
{
	const struct nctl_bytes *b = (const void *)((const char *)data + f->offset);

	nctl_msg_put(msg, f->attr, b->p, b->n);
}

/* A new VLAN reorders headers; so does one with a list, unless that says no. */
static int flags_parse(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why)
{
	struct vlan_data *d = data;
	const char *word = strncmp(text, "no-", 3) ? text : text + 3;

	if (!d->flags_said)
		d->flags = VLAN_FLAG_REORDER_HDR;
	d->flags_said = 1;
	for (const struct nctl_name *n = f->names; n->name; n++) {
		if (strcmp(word, n->alias))
			continue;
		d->flags = word == text ? d->flags | (uint32_t)n->value : d->flags & (uint32_t)~n->value;
		return 0;
	}
	nctl_strbuf_printf(why,
		"must be gvrp, mvrp, loose-binding, bridge-binding, reorder-hdr, or one of them behind "
	        "\"no-\", not \"%s\"",
		text);
	return -EINVAL;
}

static const struct nctl_field_ops flags_ops = {.decode = flags_decode,
	.encode = flags_encode,
	.encode_state = flags_encode_state,
	.parse = flags_parse};
static const struct nctl_field_ops qos_ops = {.decode = qos_decode,
	.encode = qos_encode,
	.encode_state = qos_encode_state,
	.print = qos_print,
	.parse = qos_parse,
	.format = qos_format};

static const struct nctl_name protocol_names[] = {
	{"802.1Q", ETH_P_8021Q, NULL},
	{"802.1ad", ETH_P_8021AD, NULL},
	{0},
};

static const struct nctl_name flag_names[] = {
	{"REORDER_HDR", VLAN_FLAG_REORDER_HDR, "reorder-hdr"},
	{"GVRP", VLAN_FLAG_GVRP, "gvrp"},
	{"MVRP", VLAN_FLAG_MVRP, "mvrp"},
	{"LOOSE_BINDING", VLAN_FLAG_LOOSE_BINDING, "loose-binding"},
	{"BRIDGE_BINDING", VLAN_FLAG_BRIDGE_BINDING, "bridge-binding"},
	{0},
};

static const struct nctl_field vlan_fields[] = {
	{.key = "protocol",
		.json = "protocol",
		.help = "the tag's protocol, 802.1Q or 802.1ad",
		.names = protocol_names,
		NCTL_FIELD(struct vlan_data, protocol),
		.attr = IFLA_VLAN_PROTOCOL,
		.type = NCTL_FIELD_ENUM,
		.flags = NCTL_FIELD_IDENTITY | NCTL_FIELD_BIG_ENDIAN,
		.change = NCTL_CHANGE_RECREATE,
		.dflt = ETH_P_8021Q},
	{.key = "id",
		.json = "id",
		.help = "the VLAN's number, 0 to 4094",
		NCTL_FIELD(struct vlan_data, id),
		.attr = IFLA_VLAN_ID,
		.type = NCTL_FIELD_UINT,
		.flags = NCTL_FIELD_IDENTITY | NCTL_FIELD_REQUIRED,
		.change = NCTL_CHANGE_RECREATE,
		.max = 4094},
	[VLAN_FLAGS] = {.key = "flags",
		.json = "flags",
		.help = "what is on beside reorder-hdr, which goes off by no-reorder-hdr",
		.names = flag_names,
		.ops = &flags_ops,
		NCTL_FIELD(struct vlan_data, flags),
		.attr = IFLA_VLAN_FLAGS,
		.type = NCTL_FIELD_BITS,
		.flags = NCTL_FIELD_HIDE_ZERO | NCTL_FIELD_OMIT_ZERO},
	[VLAN_INGRESS] = {.key = "ingress-qos",
		.json = "ingress_qos",
		.help = "what priority a packet gets by that of its tag, 0 where nothing is said",
		.ops = &qos_ops,
		NCTL_FIELD(struct vlan_data, ingress),
		.attr = IFLA_VLAN_INGRESS_QOS,
		.type = NCTL_FIELD_BYTES,
		.flags = NCTL_FIELD_HIDE_ZERO | NCTL_FIELD_OMIT_ZERO},
	[VLAN_EGRESS] = {.key = "egress-qos",
		.json = "egress_qos",
		.help = "what priority a tag gets by that of its packet, 0 where nothing is said",
		.ops = &qos_ops,
		NCTL_FIELD(struct vlan_data, egress),
		.attr = IFLA_VLAN_EGRESS_QOS,
		.type = NCTL_FIELD_BYTES,
		.flags = NCTL_FIELD_HIDE_ZERO | NCTL_FIELD_OMIT_ZERO},
};

/* The kernel leaves out what is none; a new VLAN has REORDER_HDR, so none must be said to be had again. */
static void vlan_fixup(void *data, uint64_t *has)
{
	(void)data;
	*has |= UINT64_C(1) << VLAN_FLAGS | UINT64_C(1) << VLAN_INGRESS | UINT64_C(1) << VLAN_EGRESS;
}

static void vlan_complete(void *data, uint64_t *has)
{
	struct vlan_data *d = data;

	if (*has & UINT64_C(1) << VLAN_FLAGS && !d->flags_said)
		d->flags = VLAN_FLAG_REORDER_HDR;
}

/* New maps are empty. */
static uint64_t vlan_creatable(const void *data, uint64_t mask)
{
	const struct vlan_data *d = data;

	if (!d->ingress.n)
		mask &= ~(UINT64_C(1) << VLAN_INGRESS);
	return d->egress.n ? mask : mask & ~(UINT64_C(1) << VLAN_EGRESS);
}

const struct nctl_kind nctl_kind_vlan = {
	.name = "vlan",
	.section = "vlans",
	.lower_key = "link",
	.help = "VLANs on another link",
	.traits = NCTL_KIND_LOWER_REQUIRED | NCTL_KIND_MULTICAST_TO_LOWER |
		  NCTL_KIND_REGISTERS | NCTL_KIND_FOLLOWS_UP,
	.data_size = sizeof(struct vlan_data),
	.data = {vlan_fields, NCTL_ARRAY_SIZE(vlan_fields)},
	.creatable = vlan_creatable,
	.complete = vlan_complete,
	.fixup = vlan_fixup,
};
