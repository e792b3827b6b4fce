/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "obj/field.h"

/*
 * What a driver can be told by the ethtool family (linux/ethtool_netlink.h), as configurations say it and as
 * the kernel answers it: numbers by one field table, and switches that have names. Each group is one message.
 */

enum nctl_ethtool_group {
	NCTL_ETHTOOL_FEATURES,
	NCTL_ETHTOOL_PRIVATE_FLAGS,
	NCTL_ETHTOOL_WAKE,
	NCTL_ETHTOOL_N_SWITCHES, /* groups of switches so far; groups of fields: */
	NCTL_ETHTOOL_RINGS = NCTL_ETHTOOL_N_SWITCHES,
	NCTL_ETHTOOL_CHANNELS,
	NCTL_ETHTOOL_COALESCE,
	NCTL_ETHTOOL_PAUSE,
	NCTL_ETHTOOL_LINK,
	NCTL_ETHTOOL_N_GROUPS
};

enum {
	NCTL_SWITCH_NAME = 32,   /* ETH_GSTRING_LEN, with the NUL */
	NCTL_SWITCHES_MAX = 256, /* of one group of a device; the kernel has less than 100 features */
};

struct nctl_switch {
	char name[NCTL_SWITCH_NAME]; /* wanted: one that ends in "*" means all that begin so and can be
	                                changed */
	bool on;
	bool fixed; /* cannot be changed */
};

struct nctl_switches {
	struct nctl_switch *v;
	size_t n;
};

struct nctl_ethtool {
	uint64_t has; /* of the fields */
	struct nctl_switches switches[NCTL_ETHTOOL_N_SWITCHES];
	uint32_t ring_rx, ring_rx_mini, ring_rx_jumbo, ring_tx;
	uint32_t channels_rx, channels_tx, channels_other, channels_combined;
	uint32_t rx_usecs, rx_frames, rx_usecs_irq, rx_frames_irq, tx_usecs, tx_frames, tx_usecs_irq,
		tx_frames_irq;
	uint32_t stats_block_usecs, pkt_rate_low, rx_usecs_low, rx_frames_low, tx_usecs_low, tx_frames_low;
	uint32_t pkt_rate_high, rx_usecs_high, rx_frames_high, tx_usecs_high, tx_frames_high, sample_interval;
	uint8_t adaptive_rx, adaptive_tx, cqe_mode_rx, cqe_mode_tx;
	uint8_t pause_autoneg, pause_rx, pause_tx;
	uint8_t duplex, autoneg;
	uint32_t speed;
};

extern const struct nctl_field_table nctl_ethtool_fields;

struct nctl_ethtool_group_info {
	const char *name; /* YAML key under "ethtool", and the object in reports; NULL: keys of their own */
	const char *told; /* the object in reports where name is NULL */
	size_t first, n;  /* fields in the table */
};
extern const struct nctl_ethtool_group_info nctl_ethtool_groups[NCTL_ETHTOOL_N_GROUPS];

const char *nctl_ethtool_group_name(enum nctl_ethtool_group g); /* for people */
uint64_t nctl_ethtool_group_mask(enum nctl_ethtool_group g);
/* Does v say anything about that group? */
bool nctl_ethtool_has_group(const struct nctl_ethtool *v, enum nctl_ethtool_group g);

/* netplan's keys of devices that are features: key, half a sentence, and the feature. */
struct nctl_ethtool_key {
	const char *key, *help;
	enum nctl_ethtool_group group;
	const char *feature;
};
extern const struct nctl_ethtool_key nctl_ethtool_keys[]; /* ended by a NULL key */

const struct nctl_switch *nctl_switches_find(const struct nctl_switches *s, const char *name);
/* Does a wanted name mean this switch? */
bool nctl_switch_means(const char *wanted, const struct nctl_switch *s);
/*
 * What of group g in want is not so in now: the fields, and added to ret (an empty one with room for
 * NCTL_SWITCHES_MAX) the switches, those with a "*" spelt out.
 */
uint64_t nctl_ethtool_diff(const struct nctl_ethtool *want, const struct nctl_ethtool *now,
	enum nctl_ethtool_group g, struct nctl_switches *ret);
/* Of the switches now, those that the wanted ones mean, into ret (room as above). */
size_t nctl_ethtool_subset(
	const struct nctl_switches *want, const struct nctl_switches *now, struct nctl_switch *ret);

/* Of one that owns its switches (malloc). */
void nctl_ethtool_fini(struct nctl_ethtool *v);
