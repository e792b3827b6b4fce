#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the live test of netctl batch needs bonds, VLANs and VRFs for.

export NETCTLD_BATCH_PARTS="${NETCTLD_BATCH_PARTS-vlans}"
exec "$NETCTLD_SOURCE/tests/live/batch.sh"
