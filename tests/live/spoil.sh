#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Verify, proved: with one of each kind of object that this kernel can make, each byte of each attribute is spoilt in
# turn, and must be reported (spoil.c). Here and in the guest.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip bridge tc

live=$NETCTLD_SOURCE/tests/live
. "$live/routelib.sh"

for what in links nexthops routes4 routes6 rules neighbours fdb vrf; do
	ok "$what" "$what"
done
ok 'one link of each kind' sh "$live/morekinds.sh"
ok 'whatever is spoilt is reported' "$NETCTLD_BUILD/tests/live/spoil"
cat "$tmp/.output"
done_testing
