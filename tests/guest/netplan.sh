#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In the guest: netplan's examples, one after the other; see netplan.py.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip jq python3
[ -n "${NETPLAN_EXAMPLES-}" ] || skip "tests/guest/netplan runs this"

status=0
python3 "$NETCTLD_SOURCE/tests/guest/netplan.py" "$@" || status=$?
equal 'each example is accepted and applied, or refused at the right line' 0 "$status"
done_testing
