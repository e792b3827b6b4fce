/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <net/if.h>

#include "net/lladdr.h"
#include "net/prefix.h"
#include "net/types.h"
#include "obj/bytes.h"
#include "obj/field.h"
#include "obj/kind.h"

/*
 * A link as the kernel describes it (rtnetlink(7), linux/if_link.h), or as YAML wants it. Identity: ifindex
 * within a namespace. `has` tells which fields of nctl_link_fields are set, data_has and port_has the same
 * for the kind's own fields.
 */
struct nctl_link {
	nctl_ifindex ifindex;
	uint32_t flags;  /* IFF_* (netdevice(7)) */
	uint16_t arphrd; /* ARPHRD_* */
	uint64_t has;

	char name[IF_NAMESIZE];
	nctl_mtu mtu, min_mtu, max_mtu;
	nctl_ifindex lower;   /* IFLA_LINK; has LOWER and 0: a tunnel bound to none */
	nctl_nsid lower_nsid; /* IFLA_LINK_NETNSID: lower is an index there; NCTL_NSID_NONE: here */
	nctl_ifindex master;
	uint32_t group, txqlen, promiscuity, allmulti, num_tx_queues, num_rx_queues;
	uint32_t gso_max_size, gso_max_segs, tso_max_size, tso_max_segs, gro_max_size;
	uint32_t gso_ipv4_max_size, gro_ipv4_max_size, pacing_horizon;
	uint8_t operstate, linkmode, addr_gen_mode, proto_down, netns_immutable;
	struct nctl_lladdr address, broadcast, perm_address; /* perm_address: burnt in */
	struct nctl_prefix token; /* the host part of IPv6 addresses; :: none */
	char qdisc[IF_NAMESIZE];

	/* Owned; NULL none. What a device driver says: bus and device, port, the last two as hexadecimal
	 * digits. */
	char *parent_bus, *parent_dev, *port_name, *port_id, *switch_id;
	char *alias;     /* owned; NULL none */
	char **altnames; /* owned, sorted, NULL-terminated; NULL none */

	const struct nctl_kind *kind; /* NULL: physical, or unknown: then kind_name */
	char *kind_name;              /* owned; of a kind that we do not know */
	void *data;                   /* owned; kind->data_size bytes, NULL if 0 or unknown */
	uint64_t data_has;

	const struct nctl_kind *port_kind; /* kind of the master as this port says (IFLA_INFO_SLAVE_KIND) */
	char *port_kind_name;              /* owned; of a kind that we do not know */
	void *port;                        /* owned; port_kind->port_size bytes */
	uint64_t port_has;

	struct nctl_bytes rest; /* owned; what the kernel says beyond all fields (lib/codec/rest.c), opaque */
	struct nctl_vlans *vlans; /* a reference; of a bridge or its port (bridge(8)), NULL none or unknown */
};

/*
 * The common fields, bit i of `has` is entry i. In a decoded link MASTER, ALIAS and ALTNAMES are always set
 * (to "none", if the kernel names none), LOWER only if the kernel does.
 */
enum nctl_link_field {
	NCTL_LINK_NAME,
	NCTL_LINK_MTU,
	NCTL_LINK_LOWER,
	NCTL_LINK_MASTER,
	NCTL_LINK_GROUP,
	NCTL_LINK_ADDRESS,
	NCTL_LINK_ALIAS,
	NCTL_LINK_TXQLEN,
	NCTL_LINK_ADDR_GEN_MODE,
	NCTL_LINK_FLAGS, /* pseudo fields from here: in masks, with hooks */
	NCTL_LINK_ALTNAMES,
	NCTL_LINK_LOWER_NSID,
	NCTL_LINK_BROADCAST,
	NCTL_LINK_MIN_MTU,
	NCTL_LINK_MAX_MTU,
	NCTL_LINK_PROMISCUITY,
	NCTL_LINK_ALLMULTI,
	NCTL_LINK_NUM_TX_QUEUES,
	NCTL_LINK_NUM_RX_QUEUES,
	NCTL_LINK_GSO_MAX_SIZE,
	NCTL_LINK_GSO_MAX_SEGS,
	NCTL_LINK_TSO_MAX_SIZE,
	NCTL_LINK_TSO_MAX_SEGS,
	NCTL_LINK_GRO_MAX_SIZE,
	NCTL_LINK_OPERSTATE,
	NCTL_LINK_LINKMODE,
	NCTL_LINK_PROTO_DOWN,
	NCTL_LINK_QDISC,
	NCTL_LINK_ARPHRD,
	NCTL_LINK_PERM_ADDRESS,
	NCTL_LINK_PARENT_BUS,
	NCTL_LINK_PARENT_DEV,
	NCTL_LINK_PORT_NAME,
	NCTL_LINK_PORT_ID,
	NCTL_LINK_SWITCH_ID,
	NCTL_LINK_GSO_IPV4_MAX_SIZE,
	NCTL_LINK_GRO_IPV4_MAX_SIZE,
	NCTL_LINK_PACING_HORIZON,
	NCTL_LINK_NETNS_IMMUTABLE,
	NCTL_LINK_TOKEN,
	NCTL_LINK_N_FIELDS
};
extern const struct nctl_field_table nctl_link_fields;
#define NCTL_LINK_BIT(name_) (UINT64_C(1) << NCTL_LINK_##name_)

/*
 * What differs between two links: common fields, the kind's, the port's, the kinds themselves; rest and
 * vlans, which are state: they are shown and never planned.
 */
struct nctl_link_diff {
	uint64_t common, data, port;
	bool kind, port_kind, rest, vlans;
	uint32_t flags; /* with FLAGS, for nctl_link_encode_set: these IFF_*; 0: IFF_UP */
};

#define NCTL_LINK_INIT ((struct nctl_link){.lower_nsid = NCTL_NSID_NONE})

void nctl_link_fini(struct nctl_link *l); /* frees what l owns, not l; l is NCTL_LINK_INIT then */
/* dst's old content is freed; src is empty then. */
void nctl_link_move(struct nctl_link *dst, struct nctl_link *src);
/* dst is overwritten, not freed. 0 or -ENOMEM. */
int nctl_link_copy(struct nctl_link *dst, const struct nctl_link *src);

/* Gives l zeroed data (or port) of kind k, as its owner. 0 or -ENOMEM. */
int nctl_link_set_kind(struct nctl_link *l, const struct nctl_kind *k);
int nctl_link_set_port_kind(struct nctl_link *l, const struct nctl_kind *k);

/* True if anything differs; everything counts, VOLATILE fields excepted. */
bool nctl_link_compare(const struct nctl_link *a, const struct nctl_link *b, struct nctl_link_diff *ret);
/*
 * What it costs to bring have to want where they differ by d (fields that want does not set are the caller's
 * to mask out): the costliest class of the fields, or RECREATE if the kind is another one or says so.
 */
enum nctl_change_class nctl_link_change_class(
	const struct nctl_link *have, const struct nctl_link *want, const struct nctl_link_diff *d);
const char *nctl_link_kind_name(const struct nctl_link *l); /* NULL for physical links */
/* The lower link, be it told by IFLA_LINK or by the kind's own field; 0: none. */
nctl_ifindex nctl_link_lower(const struct nctl_link *l);
bool nctl_link_is_up(const struct nctl_link *l); /* IFF_UP */

/* One JSON object as `ip -j -d link` prints it. */
void nctl_link_json(const struct nctl_link *l, const struct nctl_names *names, struct nctl_json *json);
/* Its members as `ip -j addr` prints them, into an open object that goes on with addr_info. */
void nctl_link_json_brief(const struct nctl_link *l, const struct nctl_names *names, struct nctl_json *json);
