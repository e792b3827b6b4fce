#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A second daemon in one network namespace, with a runtime folder of its own, is turned away and touches nothing; in
# another namespace it is welcome. And a daemon whose standard descriptors are closed writes no message into its files.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"
[ -w /run ] || skip "no right to write to /run"

mkdir "$tmp/conf"
cat >"$tmp/conf/a.yaml" <<-E
	network:
	  bridges: {x: {addresses: ["192.0.2.1/24": {lifetime: 0}]}}
	E
netctld_start "$tmp/conf"
wait_until ip link show dev x up
ok 'an IPv4 address may be deprecated from the start' sh -c 'netctl plan'
ip -o addr show dev x >"$tmp/before"
mkdir "$tmp/empty"
netctld -c "$tmp/empty" -r "$tmp/run2" >"$tmp/log" 2>&1
equal 'a second daemon does not start' 1 "$?"
ok 'and says why' grep -q 'another netctld manages this network namespace' "$tmp/log"
ip -o addr show dev x >"$tmp/after"
ok 'nothing was touched' cmp "$tmp/before" "$tmp/after"
ok 'the first one goes on' netctl status
ok 'and ends cleanly' netctld_stop

netctld -c "$tmp/conf" -r "$tmp/run3" <&- >&- 2>&- &
pid=$!
export NETCTL_RUNTIME="$tmp/run3"
wait_until netctl status
kill "$pid"
wait "$pid"
equal 'without standard descriptors it ends cleanly, too' 0 "$?"
equal 'and nothing is in the lock file' 0 "$(wc -c <"$tmp/run3/lock")"
done_testing
