/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/types.h"
#include "obj/field.h"

/* A link kind: one const description a kind, one file each in lib/kinds (S5). */

struct nctl_link;

enum nctl_kind_trait {
	NCTL_KIND_PORT_DOWN = 1 << 0,   /* a link that is up cannot become a port (bond: bond_enslave) */
	NCTL_KIND_PORTS_FIRST = 1 << 1, /* its ports join before uppers are made on it: it takes their MAC */
	NCTL_KIND_VRF = 1 << 2,         /* its ports are in its VRF; a device's `vrf:` names one */
	NCTL_KIND_PEERED = 1 << 3,      /* made in pairs (veth) */
	NCTL_KIND_LOWER_REQUIRED = 1 << 4,
	NCTL_KIND_PHYSICAL = 1 << 5, /* no kind in the kernel: never created nor deleted (ethernets) */
	/* The kernel brings it up by itself when its lower comes up, all of them in one go (net/8021q vlan_device_event). */
	NCTL_KIND_FOLLOWS_UP = 1 << 6,
	NCTL_KIND_MTU_OF_PORTS = 1 << 7, /* its MTU follows its ports' until it is set (bridge) */
	NCTL_KIND_VLANS = 1 << 8,        /* it and its ports have VLANs, told in messages of their own (bridge) */
	NCTL_KIND_OWN_TUNNEL = 1 << 9,   /* with its module each namespace gets one (tunl0, gre0) */
	NCTL_KIND_SET_WHOLE = 1 << 10,   /* a message that changes it says all: else it is 0 (tunnels) */
	/* While it is up it hands its multicast MACs down (dev_mc_sync in its ndo_set_rx_mode). */
	NCTL_KIND_MULTICAST_TO_LOWER = 1 << 16,
	NCTL_KIND_MULTICAST_TO_PORTS = 1 << 17,
	NCTL_KIND_KEYS = 1 << 19, /* has keys and peers, which generic netlink tells (WireGuard) */
	NCTL_KIND_REGISTERS = 1 << 18, /* the link below listens for GVRP and MVRP (net/8021q register_vlan_dev) */
};

/* How a kind with MULTICAST_TO_PORTS does it. */
struct nctl_kind_ports {
	bool one;		/* to one port only: */
	nctl_ifindex the_one;	/* 0: to none at present */
	bool lacp;		/* its ports listen for LACP, too */
};

struct nctl_kind {
	const char *name;       /* IFLA_INFO_KIND; of PHYSICAL "physical": links decode with kind NULL then */
	const char *section;    /* netplan's section ("vlans"), NULL: cannot be configured */
	/*
	 * Where kinds share a section ("tunnels"): the words behind "mode" that mean this one, and what they put
	 * into the field mode_field (a bit; 0: into none). NULL: the section is its own.
	 */
	const struct nctl_name *modes;
	uint64_t mode_field;
	const char *parameters; /* key of a mapping that holds the fields, NULL: beside common keys */
	const char *lower_key;  /* key that names the lower link ("link"), or NULL */
	const char *ports_key;  /* key that lists the ports ("interfaces"), or NULL */
	const char *peer_key;   /* key that names the other end ("peer"), or NULL */
	const char *help;
	unsigned traits;
	size_t data_size; /* bytes of the object behind IFLA_INFO_DATA, 0 none */
	struct nctl_field_table data;
	uint64_t lacks; /* fields of a shared table that this kind has not */
	size_t port_size; /* bytes of the object behind a port's IFLA_INFO_SLAVE_DATA, 0 none */
	struct nctl_field_table port;
	/* Adds to an open IFLA_INFO_DATA what no field can say (veth: the peer's whole message); or NULL. */
	void (*encode_extra)(
		const struct nctl_link *link, const struct nctl_link *peer, struct nctl_msgbuf *msg);
	/*
	 * The cost of changing the fields in mask, where it hangs on the values (macvlan: passthru); at least
	 * that of the fields themselves; or NULL.
	 */
	enum nctl_change_class (*change_class)(const void *have, const void *want, uint64_t mask);
	/*
	 * What the kernel would refuse in wanted data (a bond's option in a mode that lacks it). Returns the
	 * field's index with a sentence in why, or -1; or NULL.
	 */
	int (*check)(const void *data, uint64_t has, struct nctl_strbuf *why);
	/*
	 * Of the fields in mask, those that a creating message should carry: without what the kernel refuses
	 * even with its default value, because another field forbids it (bond); or NULL.
	 */
	uint64_t (*creatable)(const void *data, uint64_t mask);
	/* The last word on wanted data: sets fields that follow from others (a key's flag); or NULL. */
	void (*complete)(void *data, uint64_t *has);
	/* The last word on decoded data: adds or drops fields that the kernel leaves out or that mean
	 * nothing; or NULL. */
	void (*fixup)(void *data, uint64_t *has);
	/* Of the fields in has, those that ip(8) shows, where it hangs on the values; or NULL: all. */
	uint64_t (*shown)(const void *data, uint64_t has);
	/* MULTICAST_TO_PORTS: where it is not "to all"; ret is zeroed; or NULL. */
	void (*ports)(const void *data, uint64_t has, struct nctl_kind_ports *ret);
};

/* All kinds, NULL-terminated; defined by lib/kinds from the list in its meson.build. */
extern const struct nctl_kind *const nctl_kinds[];

/* By IFLA_INFO_KIND (NULL for kinds that we do not know), or by YAML section: then the first one of it. */
const struct nctl_kind *nctl_kind_find(const char *name);
const struct nctl_kind *nctl_kind_by_section(const char *section);
/* Of a shared section, by the word behind "mode"; ret_value: what that puts into its mode_field. */
const struct nctl_kind *nctl_kind_by_mode(const char *section, const char *mode, uint64_t *ret_value);
/* All such words of a section, at most max. Returns how many. */
size_t nctl_kind_modes(const char *section, const char **ret, size_t max);
