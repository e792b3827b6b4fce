/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "config/device.h"

/* Steps of keys that are told by generic netlink. Internal to daemon/config. */

/* ethtool.c: the mapping, and netplan's keys of single features. */
void nd_step_ethtool(struct nd_dev *d, const struct nd_step *s);
void nd_step_ethtool_key(struct nd_dev *d, const struct nd_step *s);
bool nd_is_ethtool_key(const char *key);

/* wireguard.c: keys of kinds with NCTL_KIND_KEYS. */
bool nd_is_wg_key(const char *key);
void nd_step_wg(struct nd_dev *d, const struct nd_step *s);
void nd_wg_check(struct nd_dev *d); /* when all its keys are read */
/* Words for did-you-mean, from 0 on; NULL at the end. */
const char *nd_wg_key_at(size_t i);
