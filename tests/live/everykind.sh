#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One of each kind of object that this kernel can make, in several namespaces, one half before the daemon starts (dumps)
# and the other half afterwards (events): what netctl -j prints is what ip -j -d and bridge -j -d print, and verify finds
# every mirror equal, with the list of what it compared and what it skipped. Here and in the guest.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip bridge tc python3 nsenter

live=$NETCTLD_SOURCE/tests/live
. "$live/routelib.sh"

# in_netns NAME COMMAND...: this mount namespace, other than with ip netns exec: what is made in /run/netns is seen here
in_netns() {
	_name=$1
	shift
	nsenter --net="/run/netns/$_name" "$@"
}

routes_in() { # NAME
	# shellcheck disable=SC2016 # expands there
	tmp=$tmp in_netns "$1" sh -c '. "$0"; links && nexthops && routes4 && routes6 && rules && neighbours && fdb && vrf' \
		"$live/routelib.sh"
}

# kinds_in NAME: bonds and the like, and one of each other kind
kinds_in() {
	if in_netns "$1" ip link add name probe type bond 2>/dev/null; then
		in_netns "$1" ip link del dev probe
		in_netns "$1" sh "$live/kinds.sh" "$1-other" || return
		# A topology change of its spanning tree would end by a timer and without an event, half a minute later.
		in_netns "$1" ip link set dev br0 down
	fi
	in_netns "$1" sh "$live/morekinds.sh" "$1-elsewhere"
}

# same NETNS: all objects there
same() {
	# shellcheck disable=SC2046 # a word, or none
	python3 "$live/everykind.py" same "$1" link addr route rule nexthop neigh proxy fdb maddr $([ "$1" ] || echo netns) >"$tmp/compared" 2>&1
}

verified() {
	netctl -a -j verify >"$tmp/verify.json" &&
		python3 "$live/everykind.py" verified "$tmp/verify.json" "$live/verified.txt"
}

made_here() {
	for _what; do
		ok "$_what" "$_what"
	done
}

for space in early late routes; do
	ip netns add $space
done
ok 'one link of each kind' kinds_in early
made_here links nexthops routes4 routes6 rules neighbours fdb
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ok 'the same in another namespace' kinds_in late
made_here vrf
ok 'routes and what belongs to them in another namespace' routes_in routes
echo "# this kernel or its ip lacks:$lacking"

# Asked again while something settles: carrier, DAD, neighbours that fail.
for space in '' early late routes early-elsewhere late-elsewhere; do
	ok "netctl -j is what ip -j -d prints in ${space:-home}" wait_until -t 60 same "$space"
	cat "$tmp/compared"
done
ok 'verify finds every mirror equal' netctl -a verify
ok 'it compared and skipped what it should' verified
ok 'the daemon ends cleanly' netctld_stop
done_testing
