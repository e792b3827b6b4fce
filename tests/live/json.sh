#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One of each kind: what lib/codec and lib/obj make of it is what ip makes of it, and what netctl prints as well. For
# the guest.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip python3

live=$NETCTLD_SOURCE/tests/live

# Both are asked again if something settled in between (carrier, DAD).
same() {
	ip -j -d link >"$tmp/link.json" && ip -j addr >"$tmp/addr.json" &&
		"$NETCTLD_BUILD/tests/live/jsondump" >"$tmp/ours.json" &&
		python3 "$live/json_compare.py" "$tmp/link.json" "$tmp/ours.json" "$tmp/addr.json" "$tmp/ours.json" \
			>"$tmp/compared"
}

netctl_same() {
	ip -j -d link >"$tmp/link.json" && ip -j addr >"$tmp/addr.json" &&
		netctl -j link >"$tmp/our-link.json" && netctl -j address >"$tmp/our-addr.json" &&
		python3 "$live/json_compare.py" "$tmp/link.json" "$tmp/our-link.json" "$tmp/addr.json" \
			"$tmp/our-addr.json" >"$tmp/compared-netctl"
}

ok 'one of each kind can be made' sh "$live/kinds.sh"
ok 'ours is what ip prints' wait_until -t 60 same
cat "$tmp/compared"
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ok 'netctl -j link and -j address are what ip prints' wait_until -t 60 netctl_same
cat "$tmp/compared-netctl"
ok 'the daemon ends cleanly' netctld_stop
done_testing
