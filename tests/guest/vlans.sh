#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# VLANs of bridges and ports: the lists of the configuration are all that there is, whatever a port was in before, and what
# a refused apply changed of them, or one that nobody confirmed, is as it was.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip bridge jq
ip link add probe type bridge vlan_filtering 1 2>/dev/null || skip 'this kernel has no VLANs of bridges'
ip link del probe

# By name: what is made again is listed elsewhere.
state() {
	bridge -compressvlans -j vlan | jq -cS 'sort_by(.ifname)[]'
	ip -j -d link | jq -cS 'sort_by(.ifname)[] | {ifname, master, pvid: .linkinfo.info_data.vlan_default_pvid?}'
}
vlans() {
	bridge -compressvlans -j vlan show dev "$1" | jq -r '.[0].vlans // [] | map("\(.vlan)" + (if .vlanEnd then
		"-\(.vlanEnd)" else "" end) + ((.flags // []) | map(if . == "PVID" then "p" else "u" end) | join(""))) | join(" ")'
}
same() {
	state >"$tmp/now"
	diff "$tmp/before" "$tmp/now"
}

cat >"$tmp/one.yaml" <<-E
	network:
	  dummy-devices: {d0: {}, "p{0..5}": {}}
	  bridges:
	    br0:
	      interfaces: ["p{0..3}"]
	      parameters:
	        vlan-filtering: true
	        vlan-default-pvid: 1
	        vlans: [1 pvid untagged, 5-9]
	        port-vlans: {p0: [1 pvid untagged, 10-20], p1: [], p2: [7 untagged]}
	    br1: {interfaces: [p4], parameters: {vlan-filtering: true, port-vlans: {p4: [40 pvid]}}}
	    br2: {interfaces: [p5], parameters: {vlan-filtering: true, port-vlans: {p5: [50 pvid]}, vlans: [50]}}
	E
cat >"$tmp/two.yaml" <<-E
	network:
	  dummy-devices: {d0: {addresses: ["2001:db8::1/64"]}, "p{0..5}": {}}
	  bridges:
	    br0:
	      interfaces: ["p{0..2}", p4]
	      parameters:
	        vlan-filtering: true
	        vlan-default-pvid: 3
	        vlans: [2 pvid untagged, 7-12]
	        port-vlans: {p0: [2 pvid untagged, 12-30, 1], p1: [9], p4: [41 pvid untagged]}
	    br1: {interfaces: [p3], parameters: {vlan-filtering: true, port-vlans: {p3: [30 pvid]}}}
	E
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ok 'lists of VLANs' netctl apply "$tmp/one.yaml"
equal 'of the bridge' '1pu 5-9' "$(vlans br0)"
equal 'of a port' '1pu 10-20' "$(vlans p0)"
equal 'an empty one' '' "$(vlans p1)"
equal 'a port without one has the default' 1pu "$(vlans p3)"
ok 'nothing is left to do' netctl plan "$tmp/one.yaml"
state >"$tmp/before"

sysctl -qw net.ipv6.conf.d0.disable_ipv6=1
netctl apply "$tmp/two.yaml" >"$tmp/out" 2>&1
equal 'others are refused for the sake of an address' 4 "$?"
ok 'at its line' grep -q 'two.yaml:2:' "$tmp/out"
wait_until -t 20 same
ok 'and all lists are as before' same
sysctl -qw net.ipv6.conf.d0.disable_ipv6=0

ok 'the same, until it is confirmed' netctl apply --confirm 2 "$tmp/two.yaml"
equal 'they are there' '2pu 7-12' "$(vlans br0)"
wait_until -t 60 same
ok 'which nobody does: all lists are as before' same

ok 'the same for good' netctl apply "$tmp/two.yaml"
equal 'of the bridge' '2pu 7-12' "$(vlans br0)"
equal 'of a port' '1 2pu 12-30' "$(vlans p0)"
equal 'of one that came from another bridge' 41pu "$(vlans p4)"
equal 'of one that went there' 30p "$(vlans p3)"
equal 'a list that is removed stays' 7u "$(vlans p2)"
ok 'nothing is left to do' netctl plan "$tmp/two.yaml"

bridge vlan del dev p0 vid 15
bridge vlan add dev p0 vid 1000-1010
bridge vlan add dev br0 vid 77 self
bridge vlan add dev p2 vid 500
put_right() {
	[ "$(vlans p0)" = '1 2pu 12-30' ] && [ "$(vlans br0)" = '2pu 7-12' ]
}
ok 'what others changed is put right, unasked' wait_until put_right
ok 'nothing is left to do' netctl plan "$tmp/two.yaml"
ok 'which is told' grep -q 'other VLANs' "$tmp/netctld.log"
equal 'of a port' '1 2pu 12-30' "$(vlans p0)"
equal 'of the bridge' '2pu 7-12' "$(vlans br0)"
equal 'and left alone where there is no list' '7u 500' "$(vlans p2)"
ok 'the mirror knows all of it' netctl verify
ok 'all goes' netctl reload
ok 'the daemon ends cleanly' netctld_stop
done_testing
