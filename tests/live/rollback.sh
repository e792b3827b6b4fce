#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A configuration that the kernel refuses in its last phase, after much of it was done: links made, changed, moved and
# removed, addresses added and taken away. All of it must be as before, and what netctld does not own untouched.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"

# What a rollback must bring back. States of the moment and the kernel's own link-local addresses are not in it.
state() {
	ip -o link | sed 's/ state [A-Z]*//; s/ qdisc [a-z]*//; s/,NO-CARRIER\|NO-CARRIER,//; s/,LOWER_UP//; s/,M-DOWN//' | sort
	ip -o addr | grep -v ' inet6 fe80:' | sed 's/ *valid_lft.*//; s/ tentative//' | awk '{$1 = ""; print}' | sort
}

# The bridge has a MAC address of its own: else the kernel gives it one of a port's, and none when the port leaves.
cat >"$tmp/good.yaml" <<-E
	network:
	  virtual-ethernets:
	    va: {peer: vb, mtu: 1400}
	    vb: {peer: va, alias: before, addresses: ["192.0.2.1/24", "2001:db8:1::1/64"]}
	  bridges:
	    br0: {parameters: {stp: false}, macaddress: "02:00:00:00:00:b0", addresses: ["192.0.2.65/26"]}
	  macvlans:
	    "mv{1..3}": {link: vb, addresses: ["198.51.100.{n}/32"]}
	E
# vlans etc. are not in every kernel; that an IPv6 address needs an MTU of 1,280 bytes is (RFC 8200 section 5).
cat >"$tmp/bad.yaml" <<-E
	network:
	  virtual-ethernets:
	    va: {peer: vb, mtu: 1000, addresses: ["2001:db8:2::1/64"]}
	    vb: {peer: va, alias: after, altnames: [another-name], addresses: ["192.0.2.2/24"]}
	    wa: {peer: wb}
	    wb: {peer: wa, addresses: ["203.0.113.1/24"]}
	  bridges:
	    br0: {parameters: {stp: false, priority: 7}, interfaces: [mv2], addresses: ["192.0.2.65/26", "192.0.2.66/26"]}
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
state >"$tmp/before"
netctl apply "$tmp/bad.yaml" >"$tmp/out" 2>&1
equal 'a refused one: exit status' 4 "$?"
ok 'names the line that asked for it' grep -q 'bad.yaml:3:' "$tmp/out"
ok 'says that the state is as before' grep -q 'as before' "$tmp/out"
state >"$tmp/after"
ok 'and it is' diff "$tmp/before" "$tmp/after"
equal 'the good one is still the configuration' 0 "$(netctl plan "$tmp/good.yaml" >/dev/null; echo $?)"
ok 'and all of it is still ours: it can be taken away' netctl reload --allow-foreign-loss
equal 'what is left' 'foreign foreign_ lo' \
	"$(ip -o link | awk '{print $2}' | sed 's/[@:].*//' | sort | tr '\n' ' ' | sed 's/ $//')"

# A daemon that has accepted nothing yet must not take that for "nothing wanted".
ok 'the good one again' netctl apply "$tmp/good.yaml"
state >"$tmp/before"
ok 'the daemon ends cleanly' netctld_stop
rm "$tmp/run/generation"
echo 'network: {vlans: {x: {id: 99999}}}' >"$tmp/conf/broken.yaml"
netctld_start "$tmp/conf"
state >"$tmp/after"
ok 'a broken configuration at the start changes nothing' diff "$tmp/before" "$tmp/after"
netctl apply "$tmp/bad.yaml" >"$tmp/out" 2>&1
equal 'the refused one again: exit status' 4 "$?"
state >"$tmp/after"
ok 'and all is as before' diff "$tmp/before" "$tmp/after"
ok 'the daemon ends cleanly' netctld_stop
done_testing
