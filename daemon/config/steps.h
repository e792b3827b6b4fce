/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "config/device.h"

/* What reads the value behind each key of a device. Internal to daemon/config. */

/* Steps of common keys (common.c, addrs.c, linksysctl.c, elsewhere.c) and of the keys that a kind names (kindkeys.c). */
void nd_step_addresses(struct nd_dev *d, const struct nd_step *s);
void nd_step_link_field(struct nd_dev *d, const struct nd_step *s);
void nd_step_activation(struct nd_dev *d, const struct nd_step *s);
/* The word behind "drift"; reports what is wrong with it. */
void nd_read_drift(struct nd_parse *p, const struct nd_node *node, const char *text, bool *ret_report);
void nd_step_drift(struct nd_dev *d, const struct nd_step *s);
void nd_step_optional(struct nd_dev *d, const struct nd_step *s);
void nd_step_link_local(struct nd_dev *d, const struct nd_step *s);
void nd_step_vrf(struct nd_dev *d, const struct nd_step *s);
void nd_step_match(struct nd_dev *d, const struct nd_step *s);
void nd_step_set_name(struct nd_dev *d, const struct nd_step *s);
void nd_step_sysctl(struct nd_dev *d, const struct nd_step *s);
void nd_step_accept_ra(struct nd_dev *d, const struct nd_step *s);
void nd_step_ipv6_mtu(struct nd_dev *d, const struct nd_step *s);
void nd_step_ipv6_privacy(struct nd_dev *d, const struct nd_step *s);
void nd_step_nameservers(struct nd_dev *d, const struct nd_step *s);
void nd_step_optional_addresses(struct nd_dev *d, const struct nd_step *s);
void nd_step_dhcp(struct nd_dev *d, const struct nd_step *s);
void nd_step_must_be_false(struct nd_dev *d, const struct nd_step *s);
void nd_step_must_be_true(struct nd_dev *d, const struct nd_step *s);
void nd_step_any_bool(struct nd_dev *d, const struct nd_step *s);
void nd_step_data_field(struct nd_dev *d, const struct nd_step *s);
void nd_step_data_flags(struct nd_dev *d, const struct nd_step *s); /* a list behind a group of fields */
void nd_step_lower(struct nd_dev *d, const struct nd_step *s);
void nd_step_peer(struct nd_dev *d, const struct nd_step *s);
void nd_step_ports(struct nd_dev *d, const struct nd_step *s);
void nd_step_ports_field(struct nd_dev *d, const struct nd_step *s); /* of the master: {PORT: VALUE} */
void nd_step_port_field(struct nd_dev *d, const struct nd_step *s);  /* of the port itself */
