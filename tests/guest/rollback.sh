#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Going back with bonds, VLANs and VRFs: ports that left a bond return, VLANs that were deleted to make way or to be made
# again are there again, with their addresses. tests/live/rollback.sh has what needs no such kinds.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip

state() {
	ip -o link | sed 's/ state [A-Z]*//; s/ qdisc [a-z]*//; s/,NO-CARRIER\|NO-CARRIER,//; s/,LOWER_UP//; s/,M-DOWN//' | sort
	ip -o addr | grep -v ' inet6 fe80:' | sed 's/ *valid_lft.*//; s/ tentative//' | awk '{$1 = ""; print}' | sort
	ip -d link show type vlan | sed -n 's/.*vlan protocol/vlan protocol/p'
	ip -d link show type vrf | sed -n 's/.*vrf table/vrf table/p'
}

cat >"$tmp/good.yaml" <<-E
	network:
	  dummy-devices:
	    "d{0..4}": {macaddress: "02:00:00:00:01:0{n}"}
	  bonds:
	    b1: {interfaces: [d0, d1, d2], parameters: {mode: active-backup}, addresses: ["2001:db8:b::1/64"]}
	  vrfs:
	    red: {table: 10}
	    blue: {table: 11}
	  vlans:
	    "b1.{1..20}": {id: "{n}", link: b1, vrf: red, addresses: ["2001:db8:{n}::1/64", "192.0.2.{n}/32"]}
	    q.1: {id: 7, link: b1.1}
	E
# What is refused: an IPv6 address on a link with an MTU below 1,280.
cat >"$tmp/bad.yaml" <<-E
	network:
	  dummy-devices:
	    "d{0..4}": {macaddress: "02:00:00:00:01:0{n}"}
	    small: {mtu: 1000, addresses: ["2001:db8::1/64"]}
	  bonds:
	    b1: {interfaces: [d0, d1], parameters: {mode: active-backup}, addresses: ["2001:db8:b::2/64"]}
	    b2: {interfaces: [d2, d3], parameters: {mode: balance-rr}}
	  vrfs:
	    red: {table: 12}
	    blue: {table: 11}
	  vlans:
	    "b1.{1..9}": {id: "{n+1}", link: b1, vrf: red, addresses: ["2001:db8:{n}::1/64"]}
	    "b1.{10..20}": {id: "{n+1}", link: b1, vrf: blue, mtu: 1400, addresses: ["192.0.2.1{n}/32"]}
	    "b1.30": {id: 1, link: b1}
	E
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ok 'a good configuration is applied' netctl apply "$tmp/good.yaml"
state >"$tmp/before"
netctl plan "$tmp/bad.yaml" >"$tmp/out" 2>&1
equal 'one that must make links again is blocked' 2 "$?"
ok 'and says how to allow it' grep -q -e --allow-recreate "$tmp/out"
netctl apply "$tmp/bad.yaml" >"$tmp/out" 2>&1
equal 'so is its apply' 2 "$?"
state >"$tmp/after"
ok 'and nothing was changed' diff "$tmp/before" "$tmp/after"
netctl apply --allow-recreate "$tmp/bad.yaml" >"$tmp/out" 2>&1
equal 'with leave, it is refused by the kernel' 4 "$?"
ok 'at its line' grep -q 'bad.yaml:4:' "$tmp/out"
ok 'and the state is said to be as before' grep -q 'as before' "$tmp/out"
grep -e refused -e applied "$tmp/out" "$tmp/netctld.log" | sed "s/^/# /"
same() {
	state >"$tmp/after"
	diff "$tmp/before" "$tmp/after"
}
wait_until -t 20 same
ok 'and it is' same
equal 'the good one is still the configuration' 0 "$(netctl plan "$tmp/good.yaml" >"$tmp/out"; echo $?)"
sed 's/^/# /' "$tmp/out"
ok 'all of it is still ours: it can be taken away' netctl reload
equal 'nothing is left' lo "$(ip -o link | awk '{print $2}' | sed 's/[@:].*//' | grep -v -e '^bond0$' -e '^dummy0$' | tr '\n' ' ' | sed 's/ $//')"
ok 'the daemon ends cleanly' netctld_stop
done_testing
