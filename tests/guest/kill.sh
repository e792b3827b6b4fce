#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The daemon is killed with SIGKILL at five points of an apply and started again: it converges, and nothing that it had
# made is foreign to it afterwards. The points are events of the kernel, not times, so they are met on slow and on
# fast machines.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip

count_links() {
	ip -br link show type vlan 2>/dev/null | wc -l
}

count_up() {
	ip -br link show type vlan up 2>/dev/null | wc -l
}

count_addrs() {
	ip -o -6 addr show scope global 2>/dev/null | grep -c 2000::
}

settled() {
	netctl -j status | grep -q '"state":"settled"'
}

restart() {
	netctld_start "$tmp/conf"
	ok "$1: the daemon settles after the restart" wait_until settled
}

# POINT WHAT NAME: kills the daemon at once when the kernel tells of it, while a reload is carried out.
killed_at() {
	point=$1
	cp "$NETCTLD_SOURCE/conf/examples/s1.yaml" "$tmp/conf/"
	"$NETCTLD_BUILD/tests/live/killat" "$netctld_pid" "$2" "$3" >"$tmp/killat" &
	killat=$!
	wait_until grep -q listening "$tmp/killat"
	netctl reload >"$tmp/reload" 2>&1
	equal "$point: the client is told that the daemon is gone" 3 $?
	wait "$killat"
	equal "$point: it was killed" 0 $?
	wait "$netctld_pid" 2>/dev/null
	netctld_pid=
	echo "# $point: $(count_links) VLANs, $(count_up) up, $(count_addrs) with an address when it was killed"
	# What was accepted last is nothing: a restart must take away what the killed one had made.
	restart "$point"
	equal "$point: nothing of ours is left behind" 0 "$(count_links)"
	refute "$point: nor the bond" ip link show dev b1
	ok "$point: and the configuration can be applied" netctl reload
	equal "$point: whole" '1500 1500 1500' "$(count_links) $(count_up) $(count_addrs)"
	equal "$point: all links are ours" 1504 "$(status_number owned_links)"
	rm "$tmp/conf/s1.yaml"
	ok "$point: and taken away" netctl reload
	equal "$point: nothing is left" 0 "$(count_links)"
}

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
killed_at 'the bond' link b1
killed_at 'half of the links' link foo.750
killed_at 'the first link up' up foo.1
killed_at 'half up' up foo.750
killed_at 'half of the addresses' address 2000::750
ok 'the daemon ends cleanly' netctld_stop

# The same where the files are the configuration from the start: killed in the first pass, whole after the second.
rm -rf "$tmp/run"
cp "$NETCTLD_SOURCE/conf/examples/s1.yaml" "$tmp/conf/"
netctld_start "$tmp/conf"
wait_until sh -c "[ \$(ip -br link show type vlan | wc -l) -ge 200 ]"
kill -KILL "$netctld_pid"
wait "$netctld_pid" 2>/dev/null
netctld_pid=
restart 'the first pass'
equal 'the first pass: whole after the restart' '1500 1500 1500' "$(count_links) $(count_up) $(count_addrs)"
ok 'the daemon ends cleanly at last' netctld_stop
done_testing
