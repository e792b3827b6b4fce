#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   keys.sh [NAME...]   the files NAME.yaml here, or all: their effects, read back from the kernel; see effects.py
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip jq python3

here=$NETCTLD_SOURCE/tests/keys
if [ $# = 0 ]; then
	set -- "$here"/*.yaml
else
	for name; do
		shift
		set -- "$@" "$here/${name%.yaml}.yaml"
	done
fi
ran=0
python3 "$here/effects.py" -v "$@" || ran=$?
[ "$ran" != 77 ] || skip 'this kernel has none of the kinds'
equal 'all of them show their effects' 0 "$ran"
done_testing
