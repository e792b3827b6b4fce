#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Commit-confirm: what is applied with a time limit is kept when it is confirmed, and else taken back exactly: when the
# time is over, when somebody says so, and when the daemon was killed meanwhile, be it while it waited or while it was
# applying. What cannot be undone waits for the confirm.
. "$NETCTLD_SOURCE/tests/lib.sh"
. "$NETCTLD_SOURCE/tests/live/state.sh"
own_netns "$@"
need_cmd python3

settled() {
	netctl -j status | grep -q '"state":"settled"'
}

waits() {
	netctl -j status | grep -q '"state":"to-be-confirmed"'
}

killed() {
	kill -KILL "$netctld_pid"
	wait "$netctld_pid" 2>/dev/null
	netctld_pid=
}

cat >"$tmp/good.yaml" <<-E
	network:
	  virtual-ethernets:
	    va: {peer: vb, mtu: 1400}
	    vb: {peer: va, alias: before, addresses: ["192.0.2.1/24", "192.0.2.7/24", "2001:db8:1::1/64"]}
	  bridges:
	    br0: {parameters: {stp: false}, macaddress: "02:00:00:00:00:b0", addresses: ["192.0.2.65/26"]}
	  macvlans:
	    "mv{1..3}": {link: vb, addresses: ["198.51.100.{n}/32"]}
	E
cat >"$tmp/next.yaml" <<-E
	network:
	  virtual-ethernets:
	    va: {peer: vb, mtu: 1300}
	    vb: {peer: va, alias: after, altnames: [another-name], addresses: ["192.0.2.2/24", "192.0.2.7/24"]}
	    wa: {peer: wb, mtu: 1280}
	    wb: {peer: wa, addresses: ["203.0.113.1/24"]}
	  bridges:
	    br0: {parameters: {stp: false, priority: 7}, interfaces: [mv2], addresses: ["192.0.2.66/26"]}
	    br1: {interfaces: [wa]}
	  macvlans:
	    "mv{2..5}": {link: vb, addresses: ["198.51.100.1{n}/32"]}
	E
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ok 'a good configuration is applied' netctl apply "$tmp/good.yaml"
ip link add foreign type veth peer name foreign_
ip addr add 10.0.0.1/24 dev mv2
ip addr add 10.0.1.1/24 dev foreign
state_settled "$tmp/before"

refute 'nothing waits to be confirmed' netctl confirm
refute 'nor is there anything to take back' netctl rollback
ok 'the next one, to be confirmed' netctl apply --confirm 3600 "$tmp/next.yaml"
ok 'status says that it waits' waits
equal 'and which generation' 3 "$(netctl -j status | sed -n 's/.*"confirm":{"generation":\([0-9]*\).*/\1/p')"
ok 'it is in force' ip link show dev br1
ok 'what is to be deleted is still there' ip link show dev mv1
netctl apply "$tmp/good.yaml" >"$tmp/out" 2>&1
equal 'another apply has to wait: exit status' 2 "$?"
ok 'and is told why' grep -q 'waits to be confirmed' "$tmp/out"
ok 'it is taken back' netctl rollback
equal 'all is as before' '' "$(state_differs "$tmp/before")"
ok 'the daemon is settled' settled
equal 'the good one is still the configuration' 0 "$(netctl plan "$tmp/good.yaml" >"$tmp/out"; echo $?)"
sed 's/^/# /' "$tmp/out"

ok 'again, for a second' netctl apply --confirm 1 "$tmp/next.yaml"
ok 'it ends by itself' wait_until settled
equal 'all is as before' '' "$(state_differs "$tmp/before")"

ok 'again' netctl apply --confirm 3600 "$tmp/next.yaml"
killed
netctld_start "$tmp/conf"
ok 'a daemon that is started again waits, too' waits
ok 'and takes it back' netctl rollback
equal 'all is as before' '' "$(state_differs "$tmp/before")"

ok 'again, for a second' netctl apply --confirm 1 "$tmp/next.yaml"
killed
netctld_start "$tmp/conf"
ok 'the time goes on without a daemon' wait_until settled
equal 'all is as before' '' "$(state_differs "$tmp/before")"

ok 'again' netctl apply --confirm 3600 "$tmp/next.yaml"
killed
netctld_start "$tmp/conf"
ok 'this one is confirmed' netctl confirm
ok 'the daemon is settled' settled
refute 'what was to be deleted is gone' ip link show dev mv1
equal 'nothing is left to do' 0 "$(netctl plan "$tmp/next.yaml" >"$tmp/out"; echo $?)"
sed 's/^/# /' "$tmp/out"
ok 'what is not ours is still there' ip link show dev foreign
refute 'now there is nothing to take back' netctl rollback
killed
netctld_start "$tmp/conf"
ok 'a daemon that is started again resumes it' wait_until settled
equal 'and has nothing to do' 0 "$(netctl plan "$tmp/next.yaml" >"$tmp/out"; echo $?)"
ok 'all of it can be taken away' netctl reload --allow-foreign-loss
equal 'what is left' 'foreign foreign_ lo' \
	"$(ip -o link | awk '{print $2}' | sed 's/[@:].*//' | sort | tr '\n' ' ' | sed 's/ $//')"
ok 'the daemon ends cleanly' netctld_stop
done_testing
