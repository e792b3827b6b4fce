#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Ethernets by match: a device that comes later, one that gets another name (which is down for it on this kernel) and its
# old one back, VLANs by the name of the definition, sysctls under the new name. Devices without a kind are those of a
# module: teql0 and on.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip tc modprobe
modprobe sch_teql max_equalizers=2 2>/dev/null || skip 'no module sch_teql'

# They come up only as the qdiscs of other links.
use() {
	for i in 0 1; do
		ip link add "under$i" type dummy
		ip link set dev "under$i" up
		tc qdisc add dev "under$i" root "teql$i"
	done
}

unuse() {
	ip link del dev under0
	ip link del dev under1
}

rp_filter() {
	cat "/proc/sys/net/ipv4/conf/$1/rp_filter"
}

use
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ip link set dev teql0 up
ip addr add 2001:db8::7/64 dev teql0
cat >"$tmp/a.yaml" <<-E
	network:
	  ethernets:
	    uplink-of-this-machine:
	      match: {name: teql0}
	      set-name: lan0
	      addresses: [192.0.2.1/24, "2001:db8::1/64"]
	      sysctl: {ipv4.rp_filter: 2}
E
ok 'apply' netctl apply "$tmp/a.yaml"
ok 'it has its new name' ip link show dev lan0
ok 'is up' sh -c 'ip link show dev lan0 up | grep -q lan0'
equal 'the sysctl is set' 2 "$(rp_filter lan0)"
ok 'has its addresses' sh -c 'ip addr show dev lan0 | grep -q 192.0.2.1/24 && ip addr show dev lan0 | grep -q 2001:db8::1/64'
equal 'nothing to do now' 0 "$(netctl plan "$tmp/a.yaml" >/dev/null; echo $?)"
# Refused in the end: the old name is back, and what it had.
netctl apply "$tmp/a.yaml" >/dev/null
{ sed 's/lan0/wan0/; s/rp_filter: 2/rp_filter: 1/' "$tmp/a.yaml"; echo '  dummy-devices: {d0: {mtu: 1000, addresses: ["2001:db8:1::1/64"]}}'; } >"$tmp/b.yaml"
refute 'a refusal' netctl apply "$tmp/b.yaml"
ok 'brings the name back' ip link show dev lan0
ok 'up' sh -c 'ip link show dev lan0 up | grep -q lan0'
equal 'with its sysctl' 2 "$(rp_filter lan0)"
ok 'with its addresses' sh -c 'ip addr show dev lan0 | grep -q 192.0.2.1/24 && ip addr show dev lan0 | grep -q 2001:db8::1/64'
# Two that change their names with each other; by MAC addresses it would be the same, which these devices lack.
cat >"$tmp/c.yaml" <<-E
	network:
	  ethernets:
	    a: {match: {name: lan0}, set-name: lan1}
	    b: {match: {name: "teql[1]"}, set-name: lan0}
E
ok 'a name moves on' netctl apply "$tmp/c.yaml"
ok 'both are there' sh -c 'ip link show dev lan0 && ip link show dev lan1'
# All go and come again under the names of the module: hot plug.
unuse
rmmod sch_teql
cat >"$tmp/d.yaml" <<-E
	network:
	  ethernets:
	    all: {match: {name: "teql*"}, addresses: [198.51.100.1/24], sysctl: {ipv4.rp_filter: 2}}
E
ok 'what is not there is waited for' netctl apply "$tmp/d.yaml"
ok 'which the status tells' sh -c 'netctl status | grep -q "all is not there yet"'
modprobe sch_teql max_equalizers=2
use
wait_until sh -c 'ip addr show dev teql0 | grep -q 198.51.100.1 && ip addr show dev teql1 | grep -q 198.51.100.1'
ok 'when they appear, both get what the definition says' true
equal 'sysctls, too' '2 2' "$(rp_filter teql0) $(rp_filter teql1)"
ok 'the daemon ends cleanly' netctld_stop
done_testing
