#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Routes, rules, next hops, neighbours and FDB entries of every kind: what lib/codec and lib/obj make of them is what ip
# and bridge print, and encoded again they are what the kernel said. What a kernel lacks is left out, and named.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"
need_cmd ip bridge python3

live=$NETCTLD_SOURCE/tests/live
. "$live/routelib.sh"

same() {
	ip -4 -j -d route show table all >"$tmp/r4" && ip -6 -j -d route show table all >"$tmp/r6" &&
		ip -j -d rule >"$tmp/u4" && ip -6 -j -d rule >"$tmp/u6" && ip -j -d nexthop >"$tmp/nh" &&
		ip -j -d neigh show nud all >"$tmp/n" && ip -j -d neigh show proxy >"$tmp/p" &&
		bridge -j -d fdb >"$tmp/f" &&
		"$NETCTLD_BUILD/tests/live/jsonroutes" >"$tmp/ours" 2>"$tmp/encoded" &&
		python3 "$live/json_sets.py" "$tmp/ours" route="$tmp/r4,$tmp/r6" rule="$tmp/u4,$tmp/u6" nexthop="$tmp/nh" \
			neigh="$tmp/n" proxy="$tmp/p" fdb="$tmp/f" >"$tmp/compared"
}

links
ok 'next hops' nexthops
ok 'IPv4 routes' routes4
ok 'IPv6 routes' routes6
ok 'rules' rules
ok 'neighbours' neighbours
ok 'FDB entries' fdb
ok 'a VRF' vrf
echo "# $n objects; this kernel or ip lacks:$lacking"
# Asked again if something settled in between (carrier, DAD, a neighbour that fails).
ok 'ours is what ip and bridge print, and encoded again what the kernel said' wait_until -t 20 same
cat "$tmp/encoded" "$tmp/compared"
# Hops that are dead or have no carrier.
ip link set v1 down
ip link set v2 down
ok 'and so with dead hops' wait_until -t 20 same
cat "$tmp/encoded" "$tmp/compared"
done_testing
