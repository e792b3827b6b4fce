#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Routes, next-hop objects and rules of a configuration, in a kernel: all of them come, a second apply says nothing, a
# change is one message, what goes from the file goes from the kernel, what others made stays untouched, and an apply
# that the kernel refuses leaves all tables as they were.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"

# All of it but the kernel's own, in an order of its own.
state() {
	for f in -4 -6; do
		ip $f -d route show table all | grep -v 'proto kernel' | tr -d '\t' | sort
		ip $f -d rule | sort
	done
	ip -d nexthop | sort
}

# Does the daemon send a message now?
messages() {
	netctl -j apply "$1" >"$tmp/apply.out" 2>&1
	sed -n 's/.*"messages":\([0-9]*\).*/\1/p' "$tmp/apply.out"
}

head='network:
  virtual-ethernets:
    va: {peer: vb}
    vc: {peer: vd, addresses: [198.51.100.1/24]}
    vd: {peer: vc}
    vb:
      peer: va
      addresses: [192.0.2.1/24, "2001:db8::1/64"]'
tail='
  nexthops:
    1: {via: 192.0.2.5, device: vb}
    2: {via: 198.51.100.5, device: vc}
    3: {group: [{id: 1, weight: 2}, {id: 2}]}
    4: {blackhole: true}
    5: {via: "2001:db8::5", device: vb}
    6: {device: vc, family: ipv6}
    7: {group: [{id: 1}], type: resilient, buckets: 8}
  routing-policy:
    - {from: 10.0.0.0/8, to: 192.0.2.0/24, table: 300, priority: 1000}
    - {from: "2001:db8:9::/48", table: 301}
    - {mark: 0x10/0xff, iif: vb, table: 300, type-of-service: 16, priority: 900}
    - {oif: vc, ipproto: udp, sport: 53, dport: 1000-2000, uidrange: 0-10, action: prohibit}
    - {table: 254, suppress-prefixlength: 0, priority: 800}
    - {table: 254, suppress-ifgroup: 7, priority: 801}
    - {goto: 32766, priority: 700, from: 10.1.1.1}
    - {invert: true, from: 10.2.0.0/16, action: unreachable, priority: 31000}
    - {tun-id: 77, table: 300, priority: 902, family: ipv4}'
routes='
      routes:
        - {to: default, via: 192.0.2.254, metric: 10}
        - {to: "::/0", via: "2001:db8::fe", from: "2001:db8::1"}
        - {to: 10.0.0.0/8, via: 192.0.2.2, from: 192.0.2.1, mtu: 1400, lock: [mtu], congestion-window: 20}
        - {to: 10.1.0.0/16, nexthops: [{via: 192.0.2.3, weight: 3}, {via: 198.51.100.3, device: vc}]}
        - {to: "2001:db8:1::/48", nexthops: [{via: "2001:db8::3", weight: 4}, {via: "fe80::9", device: vc}]}
        - {to: 203.0.113.0/24, scope: link, table: 300}
        - {to: 10.2.0.0/16, type: blackhole}
        - {to: 10.3.0.0/16, type: prohibit}
        - {to: 10.4.0.0/16, type: throw, table: 300}
        - {to: "2001:db8:2::/48", type: unreachable}
        - {to: "2001:db8:3::/48", type: throw, table: 300}
        - {to: 10.5.0.0/16, nexthop: 3}
        - {to: 10.6.0.0/16, nexthop: 4}
        - {to: "2001:db8:5::/48", nexthop: 5}
        - {to: 192.0.2.77, type: local}
        - {to: 192.0.2.78, type: broadcast}
        - {to: 192.0.2.79, type: anycast}
        - {to: 239.1.0.0/16, type: multicast}
        - {to: 10.7.0.0/16, via: 172.16.0.1, on-link: true}
        - {to: 10.8.0.0/16, via: "fe80::7"}
        - {to: "2001:db8:7::/48", via: "fe80::7", hop-limit: 9, quickack: true, features: [ecn], congestion-control: cubic}
        - {to: 203.0.114.0/24}
        - {to: 10.9.0.0/16, via: 203.0.114.1}'

printf '%s%s%s\n' "$head" "$routes" "$tail" >"$tmp/all.yaml"
printf '%s%s%s\n' "$head" "$routes" "$tail" | sed 's/mtu: 1400/mtu: 1300/' >"$tmp/mtu.yaml"
printf '%s%s%s\n' "$head" "$routes" "$tail" | sed 's/192.0.2.5,/192.0.2.6,/' >"$tmp/nexthop.yaml"
printf '%s\n' "$head" >"$tmp/none.yaml"

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
state >"$tmp/virgin"
ok 'all kinds of routes, next hops and rules are applied' netctl apply "$tmp/all.yaml"
sed 's/^/# /' "$tmp/.output"
state >"$tmp/all"
equal 'routes of IPv4' 17 "$(ip -4 route show table all proto 78 | grep -vc nexthop)"
equal 'routes of IPv6' 6 "$(ip -6 route show table all proto 78 | grep -vc nexthop)"
equal 'next hops' 7 "$(ip nexthop show proto 78 | wc -l)"
equal 'rules' 13 "$( (ip -4 -d rule; ip -6 -d rule) | grep -c 'proto 78')"
ok 'the metrics' sh -c "ip -d route show 10.0.0.0/8 | grep -q 'src 192.0.2.1 mtu lock 1400 initcwnd 20'"
ok 'a source address that was just checked for duplicates' sh -c "ip -6 route show default | grep -q 'src 2001:db8::1'"
ok 'verify is equal' netctl verify
equal 'a second apply sends nothing' 0 "$(messages "$tmp/all.yaml")"
equal 'one changed metric is one message' 1 "$(messages "$tmp/mtu.yaml")"
ok 'which the kernel shows' sh -c "ip route show 10.0.0.0/8 | grep -q 'mtu lock 1300'"
equal 'one changed next hop, and the metric back, are two' 2 "$(messages "$tmp/nexthop.yaml")"
equal 'and back is one' 1 "$(messages "$tmp/all.yaml")"
state | diff "$tmp/all" - >"$tmp/diff"
equal 'as before' '' "$(cat "$tmp/diff")"

# Others' beside ours: no event of theirs.
ip route add 10.0.0.0/8 via 192.0.2.9 metric 77 proto bird
ip route append 203.0.113.0/24 via 192.0.2.9 table 301 proto bird
ip -6 route add 2001:db8:1::/48 via 2001:db8::9 metric 32 proto bird
ip nexthop add id 100 via 192.0.2.9 dev vb proto zebra
ip route add 10.100.0.0/16 nhid 100 proto zebra
ip rule add from 10.77.0.0/16 lookup 77 priority 5000 protocol bird
# Without a newline at once, grep may still hold it back.
ip -o -rcvbuf 33554432 monitor route rule nexthop >"$tmp/monitor" 2>&1 &
monitor=$!
heard() {
	ip rule add from 10.255.255.255 lookup 1 priority 6000 && ip rule del priority 6000
	grep -q 10.255.255.255 "$tmp/monitor"
}
wait_until heard
: >"$tmp/monitor.begin"
ok 'what is not in the file any more goes' netctl apply "$tmp/none.yaml"
equal 'ours are gone' '' "$(ip route show table all proto 78; ip -6 route show table all proto 78; ip nexthop show proto 78)"
ok 'all comes back' netctl apply "$tmp/all.yaml"
ok 'and goes' netctl apply "$tmp/none.yaml"
wait_until grep -q 'Deleted.*2001:db8:5::' "$tmp/monitor"
kill "$monitor"
refute 'nobody touched what others made' grep -E 'bird|zebra|nhid 100|10\.77\.' "$tmp/monitor"
equal 'it is there' 8 "$( (ip -d route show table all; ip -6 -d route show table all; ip -d nexthop; ip -d rule) |
	grep -c -E 'bird|zebra' | tr -d ' ')"

# A route that the kernel refuses at the very end: its table has no such thing as this congestion control.
{
	sed -n '1,5p' "$tmp/all.yaml"
	cat <<-'E'
	    vb:
	      peer: va
	      mtu: 1400
	      activation-mode: off
	      addresses: [192.0.2.1/24]
	    wa:
	      peer: wb
	      addresses: [203.0.115.1/24]
	      routes:
	        - {to: 10.50.0.0/16, via: 203.0.115.2}
	        - {to: 10.51.0.0/16, via: 203.0.115.2, congestion-control: no-such}
	    wb: {peer: wa}
	E
} >"$tmp/bad.yaml"
netctl apply "$tmp/all.yaml" >"$tmp/out" 2>&1
state >"$tmp/before"
netctl apply "$tmp/bad.yaml" >"$tmp/out" 2>&1
equal 'a refused route: exit status' 4 "$?"
ok 'names the line that asked for it' grep -q 'bad.yaml:15:' "$tmp/out"
state >"$tmp/after"
ok 'and all routes, next hops and rules are as before' diff "$tmp/before" "$tmp/after"
ok 'the same by netctl' grep -q 'as before' "$tmp/out"
sed 's/^/# /' "$tmp/out"
sed 's/^/# /' "$tmp/netctld.log" | tail -3

# A confirm that does not come, and a daemon that is killed before it: the same.
{
	printf '%s\n' "$head" | sed 's/peer: va$/peer: va\n      mtu: 1400/'
	cat <<-'E'
	      routes:
	        - {to: default, via: 192.0.2.250, metric: 10}
	        - {to: 10.0.0.0/8, via: 192.0.2.3}
	        - {to: 10.60.0.0/16, nexthop: 1}
	        - {to: "2001:db8:1::/48", via: "2001:db8::77"}
	  nexthops:
	    1: {via: 192.0.2.6, device: vb}
	    8: {device: vc}
	  routing-policy:
	    - {from: 10.3.0.0/16, table: 300, priority: 1001}
	E
} >"$tmp/next.yaml"
taken_back() {
	grep -q 'not confirmed in time' "$tmp/netctld.log" && grep -q 'netctld: the state is as before' "$tmp/netctld.log"
}
state >"$tmp/before"
ok 'to be confirmed within a second' netctl apply --confirm 1 "$tmp/next.yaml"
sed 's/^/# /' "$tmp/.output"
ok 'which nobody does' wait_until taken_back
state >"$tmp/after"
ok 'all routes, next hops and rules are as before' diff "$tmp/before" "$tmp/after"
ok 'again, for an hour' netctl apply --confirm 3600 "$tmp/next.yaml"
ok 'it is not as before' sh -c "ip rule | grep -q 1001"
kill -KILL "$netctld_pid"
wait "$netctld_pid" 2>/dev/null
netctld_start "$tmp/conf"
ok 'a daemon that is started after a kill' netctl rollback
state >"$tmp/after"
ok 'brings them back as well' diff "$tmp/before" "$tmp/after"
ok 'and goes on' netctl apply "$tmp/all.yaml"

# Neighbours: no mirror has them, so the kernel is asked before a plan.
neighbours() {
	ip -N neigh show dev vb nud permanent | sort
	ip -N neigh show proxy dev vb | sort
}
with_neighbours() { # A 02:...:A for 192.0.2.9, and a congestion control
	cat <<-E
		network:
		  virtual-ethernets:
		    va: {peer: vb}
		    vb:
		      peer: va
		      addresses: [192.0.2.1/24, "2001:db8::1/64"]
		      neighbours:
		        - {to: 192.0.2.9, lladdr: "02:00:00:00:00:$1"}
		        - {to: "2001:db8::9", lladdr: "02:00:00:00:00:09"}
		        - {to: 192.0.2.77, proxy: true}
		      routes: [{to: 10.0.0.0/8, via: 192.0.2.9, congestion-control: $2}]
	E
}
with_neighbours 01 cubic >"$tmp/neigh.yaml"
with_neighbours 02 no-such >"$tmp/neigh-bad.yaml"
ok 'neighbours are applied' netctl apply "$tmp/neigh.yaml"
ip neigh add 192.0.2.200 lladdr 02:00:00:00:02:00 dev vb nud permanent protocol bird
neighbours >"$tmp/neigh.before"
equal 'all of them' 3 "$(grep -c 'proto 78' "$tmp/neigh.before")"
equal 'a second apply sends nothing' 0 "$(messages "$tmp/neigh.yaml")"
netctl apply "$tmp/neigh-bad.yaml" >"$tmp/out" 2>&1
equal 'one is refused after it has changed them' 4 "$?"
neighbours >"$tmp/neigh.after"
ok 'and they are as before' diff "$tmp/neigh.before" "$tmp/neigh.after"
ok 'all others' netctl apply "$tmp/all.yaml"
equal 'what another program has set stays' '192.0.2.200 lladdr 02:00:00:00:02:00 PERMANENT proto 12' \
	"$(neighbours | sed 's/ *$//; s/ 128 / PERMANENT /')"
ip neigh del 192.0.2.200 dev vb

# The kernel says nothing when it drops routes with a link: the next plan knows.
ip link set vb down
ip link set vb up
ok 'what went with a link that was down' netctl apply "$tmp/all.yaml"
ip route show proto 78 >"$tmp/after4"
ok 'is back' grep -q 10.7.0.0/16 "$tmp/after4"
equal 'and the second apply is silent' 0 "$(messages "$tmp/all.yaml")"

# A link without a carrier checks no addresses: its route waits, all else is applied.
cat >"$tmp/wait.yaml" <<-'E'
	network:
	  virtual-ethernets:
	    ea: {peer: eb, activation-mode: off}
	    eb:
	      peer: ea
	      addresses: ["2001:db8:8::1/64"]
	      routes: [{to: "2001:db8:9::/48", via: "2001:db8:8::2", from: "2001:db8:8::1"}]
	E
sed 's/, activation-mode: off//' "$tmp/wait.yaml" >"$tmp/up.yaml"
ok 'a route from an address that cannot be checked' netctl apply "$tmp/wait.yaml"
ok 'is told to wait' sh -c 'netctl status | grep -q -E "no duplicate|a carrier"'
equal 'nothing is sent for it' 0 "$(messages "$tmp/wait.yaml")"
ok 'for a carrier' sh -c 'netctl status | grep -q "a carrier of eb"'
ok 'with a carrier' netctl apply "$tmp/up.yaml"
ok 'it is there' sh -c "ip -6 route show 2001:db8:9::/48 | grep -q 'src 2001:db8:8::1'"
ok 'the daemon ends cleanly' netctld_stop
done_testing
