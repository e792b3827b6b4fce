/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "config/device.h"

/* Lists of VLANs. Internal to daemon/config. */

void nd_step_vlans(struct nd_dev *d, const struct nd_step *s);          /* of a bridge itself */
void nd_step_port_vlans(struct nd_dev *d, const struct nd_step *s);     /* of its ports */
void nd_step_own_port_vlans(struct nd_dev *d, const struct nd_step *s); /* of a port, by itself */

/* Those of ports, once their masters are known. */
void nd_vlans_resolve(struct nd_parse *p);
