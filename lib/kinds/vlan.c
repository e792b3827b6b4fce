/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: vlan (net/8021q/vlan_netlink.c, IEEE 802.1Q). Id and protocol are fixed at creation: a later message
 * with others is acknowledged and does nothing. The QoS maps are shown, not configured.
 */
#include <errno.h>
#include <string.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_vlan.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "codec/codec.h"
#include "nl/attr.h"
#include "nl/msg.h"
#include "obj/kind.h"

enum { VLAN_FLAGS = 2 }; /* its place in vlan_fields */

struct vlan_data {
	uint16_t protocol, id;
	uint32_t flags;
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

static const struct nctl_field_ops flags_ops = {
	.decode = flags_decode, .encode = flags_encode, .encode_state = flags_encode_state};
static const struct nctl_field_ops qos_ops = {.decode = qos_decode, .print = qos_print};

static const struct nctl_name protocol_names[] = {
	{"802.1Q", ETH_P_8021Q, NULL},
	{"802.1ad", ETH_P_8021AD, NULL},
	{0},
};

static const struct nctl_name flag_names[] = {
	{"REORDER_HDR", VLAN_FLAG_REORDER_HDR, NULL},
	{"GVRP", VLAN_FLAG_GVRP, NULL},
	{"MVRP", VLAN_FLAG_MVRP, NULL},
	{"LOOSE_BINDING", VLAN_FLAG_LOOSE_BINDING, NULL},
	{"BRIDGE_BINDING", VLAN_FLAG_BRIDGE_BINDING, NULL},
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
	[VLAN_FLAGS] = {.json = "flags",
		.names = flag_names,
		.ops = &flags_ops,
		NCTL_FIELD(struct vlan_data, flags),
		.attr = IFLA_VLAN_FLAGS,
		.type = NCTL_FIELD_BITS,
		.flags = NCTL_FIELD_HIDE_ZERO | NCTL_FIELD_OMIT_ZERO},
	{.json = "ingress_qos",
		.ops = &qos_ops,
		NCTL_FIELD(struct vlan_data, ingress),
		.attr = IFLA_VLAN_INGRESS_QOS,
		.type = NCTL_FIELD_BYTES,
		.flags = NCTL_FIELD_READONLY},
	{.json = "egress_qos",
		.ops = &qos_ops,
		NCTL_FIELD(struct vlan_data, egress),
		.attr = IFLA_VLAN_EGRESS_QOS,
		.type = NCTL_FIELD_BYTES,
		.flags = NCTL_FIELD_READONLY},
};

/* The kernel leaves flags out that are 0; a new VLAN has REORDER_HDR, so 0 must be said to be had again. */
static void vlan_fixup(void *data, uint64_t *has)
{
	(void)data;
	*has |= UINT64_C(1) << VLAN_FLAGS;
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
	.fixup = vlan_fixup,
};
