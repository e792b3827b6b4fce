#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One of each kind: what lib/codec and lib/obj make of it is what ip makes of it, and what netctl prints as well; and
# each link's message, made again from what was kept of it, has what the kernel's has. Here with what this kernel has,
# and in the guest with the rest.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip bridge tc python3

live=$NETCTLD_SOURCE/tests/live

# Both are asked again if something settled in between (carrier, DAD).
same() {
	ip -j -d link >"$tmp/link.json" && ip -j addr >"$tmp/addr.json" &&
		"$NETCTLD_BUILD/tests/live/jsondump" >"$tmp/ours.json" &&
		bridge -compressvlans -j vlan >"$tmp/vlan.json" &&
		python3 "$live/json_compare.py" "$tmp/link.json" "$tmp/ours.json" "$tmp/addr.json" "$tmp/ours.json" \
			"$tmp/vlan.json" "$tmp/ours.json" >"$tmp/compared"
}

state() {
	"$NETCTLD_BUILD/tests/live/jsondump" state >"$tmp/state"
}

netctl_same() {
	ip -j -d link >"$tmp/link.json" && ip -j addr >"$tmp/addr.json" &&
		netctl -j link >"$tmp/our-link.json" && netctl -j address >"$tmp/our-addr.json" &&
		python3 "$live/json_compare.py" "$tmp/link.json" "$tmp/our-link.json" "$tmp/addr.json" \
			"$tmp/our-addr.json" >"$tmp/compared-netctl"
}

if ip link add name probe type bond 2>/dev/null; then
	ip link del dev probe
	ok 'one of each kind can be made' sh "$live/kinds.sh"
fi
ok 'and one of all others that this kernel has' sh "$live/morekinds.sh"
ok 'ours is what ip prints' wait_until -t 60 same
cat "$tmp/compared"
ok 'messages made again are what the kernel sends' state
cat "$tmp/state"
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ok 'netctl -j link and -j address are what ip prints' wait_until -t 60 netctl_same
cat "$tmp/compared-netctl"
ok 'the daemon ends cleanly' netctld_stop
done_testing
