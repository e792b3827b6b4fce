/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: settings of drivers: the table of their numbers, the groups that go into one message, and what differs
 * between what is wanted and what a driver says. Attribute numbers are those of linux/ethtool_netlink.h; each
 * group counts its own.
 */
#include "obj/ethtool.h"

#include <stdlib.h>
#include <string.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>

#include "base/cleanup.h"

#define FIELD(key_, member_, attr_, help_)                                                                   \
	{                                                                                                    \
		.key = key_, .help = help_, .attr = ETHTOOL_A_##attr_, .type = NCTL_FIELD_UINT,              \
		NCTL_FIELD(struct nctl_ethtool, member_)                                                     \
	}
#define FLAG(key_, member_, attr_, help_)                                                                    \
	{                                                                                                    \
		.key = key_, .help = help_, .attr = ETHTOOL_A_##attr_, .type = NCTL_FIELD_BOOL,              \
		NCTL_FIELD(struct nctl_ethtool, member_)                                                     \
	}

static const struct nctl_name duplex_names[] = {
	{.name = "half", .value = DUPLEX_HALF}, {.name = "full", .value = DUPLEX_FULL}, {0}};

enum { N_RINGS = 4, N_CHANNELS = 4, N_COALESCE = 24, N_PAUSE = 3, N_LINK = 3 };

static const struct nctl_field fields[] = {
	FIELD("rx", ring_rx, RINGS_RX, "entries of each receive ring"),
	FIELD("tx", ring_tx, RINGS_TX, "entries of each transmit ring"),
	FIELD("rx-mini", ring_rx_mini, RINGS_RX_MINI, "entries of each receive ring for small frames"),
	FIELD("rx-jumbo", ring_rx_jumbo, RINGS_RX_JUMBO, "entries of each receive ring for large frames"),

	FIELD("rx", channels_rx, CHANNELS_RX_COUNT, "queues that only receive"),
	FIELD("tx", channels_tx, CHANNELS_TX_COUNT, "queues that only transmit"),
	FIELD("combined", channels_combined, CHANNELS_COMBINED_COUNT, "queues that do both"),
	FIELD("other", channels_other, CHANNELS_OTHER_COUNT, "queues for other things, as link events"),

	FIELD("rx-usecs", rx_usecs, COALESCE_RX_USECS,
		"microseconds to wait for more frames before an interrupt"),
	FIELD("rx-frames", rx_frames, COALESCE_RX_MAX_FRAMES, "frames to gather before an interrupt"),
	FIELD("rx-usecs-irq", rx_usecs_irq, COALESCE_RX_USECS_IRQ,
		"rx-usecs while an interrupt is being served"),
	FIELD("rx-frames-irq", rx_frames_irq, COALESCE_RX_MAX_FRAMES_IRQ,
		"rx-frames while an interrupt is being served"),
	FIELD("tx-usecs", tx_usecs, COALESCE_TX_USECS,
		"microseconds to wait after a frame is sent before an interrupt"),
	FIELD("tx-frames", tx_frames, COALESCE_TX_MAX_FRAMES, "frames to send before an interrupt"),
	FIELD("tx-usecs-irq", tx_usecs_irq, COALESCE_TX_USECS_IRQ,
		"tx-usecs while an interrupt is being served"),
	FIELD("tx-frames-irq", tx_frames_irq, COALESCE_TX_MAX_FRAMES_IRQ,
		"tx-frames while an interrupt is being served"),
	FIELD("stats-block-usecs", stats_block_usecs, COALESCE_STATS_BLOCK_USECS,
		"microseconds between updates of counters"),
	FLAG("adaptive-rx", adaptive_rx, COALESCE_USE_ADAPTIVE_RX,
		"the driver adapts the values of rx to the load"),
	FLAG("adaptive-tx", adaptive_tx, COALESCE_USE_ADAPTIVE_TX,
		"the driver adapts the values of tx to the load"),
	FIELD("pkt-rate-low", pkt_rate_low, COALESCE_PKT_RATE_LOW,
		"frames per second below which the -low values count"),
	FIELD("rx-usecs-low", rx_usecs_low, COALESCE_RX_USECS_LOW, "rx-usecs at a low rate"),
	FIELD("rx-frames-low", rx_frames_low, COALESCE_RX_MAX_FRAMES_LOW, "rx-frames at a low rate"),
	FIELD("tx-usecs-low", tx_usecs_low, COALESCE_TX_USECS_LOW, "tx-usecs at a low rate"),
	FIELD("tx-frames-low", tx_frames_low, COALESCE_TX_MAX_FRAMES_LOW, "tx-frames at a low rate"),
	FIELD("pkt-rate-high", pkt_rate_high, COALESCE_PKT_RATE_HIGH,
		"frames per second above which the -high values count"),
	FIELD("rx-usecs-high", rx_usecs_high, COALESCE_RX_USECS_HIGH, "rx-usecs at a high rate"),
	FIELD("rx-frames-high", rx_frames_high, COALESCE_RX_MAX_FRAMES_HIGH, "rx-frames at a high rate"),
	FIELD("tx-usecs-high", tx_usecs_high, COALESCE_TX_USECS_HIGH, "tx-usecs at a high rate"),
	FIELD("tx-frames-high", tx_frames_high, COALESCE_TX_MAX_FRAMES_HIGH, "tx-frames at a high rate"),
	FIELD("sample-interval", sample_interval, COALESCE_RATE_SAMPLE_INTERVAL,
		"seconds over which the rate is measured"),
	FLAG("cqe-mode-rx", cqe_mode_rx, COALESCE_USE_CQE_MODE_RX,
		"rx-usecs count from the last frame, not from the first"),
	FLAG("cqe-mode-tx", cqe_mode_tx, COALESCE_USE_CQE_MODE_TX,
		"tx-usecs count from the last frame, not from the first"),

	FLAG("autoneg", pause_autoneg, PAUSE_AUTONEG, "flow control is negotiated"),
	FLAG("rx", pause_rx, PAUSE_RX, "pause frames that come in are obeyed"),
	FLAG("tx", pause_tx, PAUSE_TX, "pause frames are sent"),

	FIELD("speed", speed, LINKMODES_SPEED, "in Mbit/s"),
	{.key = "duplex",
		.help = "half or full",
		.attr = ETHTOOL_A_LINKMODES_DUPLEX,
		.type = NCTL_FIELD_ENUM,
		.names = duplex_names,
		NCTL_FIELD(struct nctl_ethtool, duplex)},
	FLAG("autonegotiation", autoneg, LINKMODES_AUTONEG, "speed and duplex are negotiated"),
};

_Static_assert(
	NCTL_ARRAY_SIZE(fields) == N_RINGS + N_CHANNELS + N_COALESCE + N_PAUSE + N_LINK, "each in a group");

const struct nctl_field_table nctl_ethtool_fields = {.v = fields, .n = NCTL_ARRAY_SIZE(fields)};

const struct nctl_ethtool_group_info nctl_ethtool_groups[NCTL_ETHTOOL_N_GROUPS] = {
	[NCTL_ETHTOOL_FEATURES] = {.name = "features"},
	[NCTL_ETHTOOL_PRIVATE_FLAGS] = {.name = "private-flags"},
	[NCTL_ETHTOOL_WAKE] = {.told = "wakeonlan"},
	[NCTL_ETHTOOL_RINGS] = {.name = "rings", .first = 0, .n = N_RINGS},
	[NCTL_ETHTOOL_CHANNELS] = {.name = "channels", .first = N_RINGS, .n = N_CHANNELS},
	[NCTL_ETHTOOL_COALESCE] = {.name = "coalesce", .first = N_RINGS + N_CHANNELS, .n = N_COALESCE},
	[NCTL_ETHTOOL_PAUSE] = {.name = "pause", .first = N_RINGS + N_CHANNELS + N_COALESCE, .n = N_PAUSE},
	[NCTL_ETHTOOL_LINK] = {.told = "speed",
		.first = N_RINGS + N_CHANNELS + N_COALESCE + N_PAUSE,
		.n = N_LINK},
};

const struct nctl_ethtool_key nctl_ethtool_keys[] = {
	{"receive-checksum-offload", "the card checks checksums of what it receives", NCTL_ETHTOOL_FEATURES,
		"rx-checksum"},
	{"transmit-checksum-offload", "the card makes the checksums of what it sends", NCTL_ETHTOOL_FEATURES,
		"tx-checksum-*"},
	{"tcp-segmentation-offload", "the card cuts TCP over IPv4 into segments", NCTL_ETHTOOL_FEATURES,
		"tx-tcp-segmentation"},
	{"tcp6-segmentation-offload", "the card cuts TCP over IPv6 into segments", NCTL_ETHTOOL_FEATURES,
		"tx-tcp6-segmentation"},
	{"generic-segmentation-offload", "the kernel cuts into segments as late as it can",
		NCTL_ETHTOOL_FEATURES, "tx-generic-segmentation"},
	{"generic-receive-offload", "the kernel joins segments that it receives", NCTL_ETHTOOL_FEATURES,
		"rx-gro"},
	{"large-receive-offload", "the card joins segments that it receives; not for routers",
		NCTL_ETHTOOL_FEATURES, "rx-lro"},
	{"wakeonlan", "a magic packet wakes the machine", NCTL_ETHTOOL_WAKE, "magic"},
	{0},
};

const char *nctl_ethtool_group_name(enum nctl_ethtool_group g)
{
	return nctl_ethtool_groups[g].name ? nctl_ethtool_groups[g].name : nctl_ethtool_groups[g].told;
}

uint64_t nctl_ethtool_group_mask(enum nctl_ethtool_group g)
{
	return ((UINT64_C(1) << nctl_ethtool_groups[g].n) - 1) << nctl_ethtool_groups[g].first;
}

bool nctl_ethtool_has_group(const struct nctl_ethtool *v, enum nctl_ethtool_group g)
{
	return g < NCTL_ETHTOOL_N_SWITCHES ? v->switches[g].n : v->has & nctl_ethtool_group_mask(g);
}

const struct nctl_switch *nctl_switches_find(const struct nctl_switches *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i].name, name))
			return &s->v[i];
	return NULL;
}

bool nctl_switch_means(const char *wanted, const struct nctl_switch *s)
{
	size_t len = strlen(wanted);

	if (!len || wanted[len - 1] != '*')
		return !strcmp(wanted, s->name);
	return !s->fixed && !strncmp(wanted, s->name, len - 1);
}

/*
 * One wanted switch against all that the driver has. One that it does not have is told to it, and the kernel
 * has the words for that; but for wake-ups, of which it names those only that the hardware can do.
 */
static size_t diff_switch(const struct nctl_switch *want, const struct nctl_switches *now, bool may_lack,
	struct nctl_switch *ret)
{
	bool found = false;
	size_t n = 0;

	for (size_t i = 0; i < now->n && n < NCTL_SWITCHES_MAX; i++) {
		if (!nctl_switch_means(want->name, &now->v[i]))
			continue;
		found = true;
		if (now->v[i].on == want->on)
			continue;
		ret[n] = now->v[i];
		ret[n++].on = want->on;
	}
	if (!found && !(may_lack && !want->on))
		ret[n++] = *want;
	return n;
}

uint64_t nctl_ethtool_diff(const struct nctl_ethtool *want, const struct nctl_ethtool *now,
	enum nctl_ethtool_group g, struct nctl_switches *ret)
{
	size_t n;

	if (g >= NCTL_ETHTOOL_N_SWITCHES)
		return nctl_fields_diff(&nctl_ethtool_fields, want, want->has, now, now->has) & want->has &
		       nctl_ethtool_group_mask(g);
	for (size_t i = 0; i < want->switches[g].n; i++) {
		struct nctl_switch some[NCTL_SWITCHES_MAX];

		n = diff_switch(&want->switches[g].v[i], &now->switches[g], g == NCTL_ETHTOOL_WAKE, some);
		n = nctl_min(n, NCTL_SWITCHES_MAX - ret->n);
		memcpy(ret->v + ret->n, some, n * sizeof(*some));
		ret->n += n;
	}
	return 0;
}

size_t nctl_ethtool_subset(
	const struct nctl_switches *want, const struct nctl_switches *now, struct nctl_switch *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < now->n && n < NCTL_SWITCHES_MAX; i++)
		for (size_t j = 0; j < want->n; j++)
			if (nctl_switch_means(want->v[j].name, &now->v[i])) {
				ret[n++] = now->v[i];
				break;
			}
	return n;
}

void nctl_ethtool_fini(struct nctl_ethtool *v)
{
	for (size_t g = 0; g < NCTL_ETHTOOL_N_SWITCHES; g++) {
		free(v->switches[g].v);
		v->switches[g] = (struct nctl_switches){0};
	}
}
