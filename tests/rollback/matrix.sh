#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
#   matrix.sh [NAME...]   the files NAME.yaml here, or all: see matrix.py
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip bridge python3

here=$NETCTLD_SOURCE/tests/rollback
if [ $# = 0 ]; then
	set -- "$here"/*.yaml
else
	for name; do
		shift
		set -- "$@" "$here/${name%.yaml}.yaml"
	done
fi
every=1
! grep -qi "user mode linux" /proc/cpuinfo || every=3 # a process costs much there
ran=0
python3 "$here/matrix.py" --every "${NETCTLD_MATRIX_EVERY:-$every}" "$@" || ran=$?
[ "$ran" != 77 ] || skip 'this kernel has none of the kinds'
equal 'each way back leads to where it began' 0 "$ran"
done_testing
