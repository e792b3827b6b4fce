#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The examples that are shipped are right, and do what they say: applied, verified, applied again without a message, removed
# without a trace; see tests/keys/effects.py.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip jq python3

status=0
[ $# -gt 0 ] || set -- "$NETCTLD_SOURCE"/conf/examples/*.yaml
python3 "$NETCTLD_SOURCE/tests/keys/effects.py" -v "$@" || status=$?
equal 'all examples can be applied' 0 "$status"
done_testing
