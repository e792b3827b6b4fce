#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What others do by hand to bonds, VLANs and VRFs of netctld, and parents that come and go. This kernel renames no link
# that is up.
. "$NETCTLD_SOURCE/tests/lib.sh"

cat >"$tmp/a.yaml" <<-E
	network:
	  ethernets: {card0: {}, card1: {activation-mode: off}, card7: {}}
	  bonds:
	    b1: {interfaces: [card0, card1], parameters: {mode: active-backup}}
	  vrfs:
	    red: {table: 10}
	  vlans:
	    "foo.{1..20}": {id: "{n}", link: b1, vrf: red, addresses: ["2001:db8:{n}::1/64", "192.0.2.{n}/32"]}
	    bar: {id: 7, link: card7, addresses: [198.51.100.7/32]}
	  dummy-devices: {card9: {addresses: ["2001:db8:9::1/64"]}}
	E
ip link add card0 type dummy
ip link add card1 type dummy
netctld_start "$tmp/a.yaml"

state() { # STATE
	netctl -j status | grep -q "\"state\":\"$1\""
}
has_addr() { # LINK ADDRESS
	ip -o addr show dev "$1" | grep -q " $2 "
}
is_up() {
	ip -o link show dev "$1" | grep -q '<.*[<,]UP[,>]'
}
is_down() {
	ip -o link show dev "$1" && ! is_up "$1"
}
index_of() {
	ip -o link show dev "$1" | sed 's/:.*//'
}
repaired() {
	grep -c "repaired $1" "$tmp/netctld.log"
}

wait_until state waiting
ok 'a parent that is not there is waited for' sh -c 'netctl status | grep "bar waits for card7"'
netctl why bar >"$tmp/why"
equal 'why: exit status' 1 "$?"
ok 'and it names the parent' grep -q 'card7 is not there' "$tmp/why"

# A bond opens its ports; that one of them is to be down is said again, once.
wait_until is_down card1
ok 'a port that is kept down is down, though its bond opened it' is_down card1

ip link add card7 type dummy && ip link set card7 up
ok 'with its parent the VLAN comes' wait_until -t 10 has_addr bar 198.51.100.7/32
wait_until state settled
ip link del card7
wait_until state waiting
ip link add card7 type dummy && ip link set card7 up
ok 'and comes again, with its address' wait_until -t 10 has_addr bar 198.51.100.7/32
wait_until state settled

ip link del foo.3
ok 'a VLAN that was deleted is there again' wait_until -t 10 has_addr foo.3 2001:db8:3::1/64
ok 'and in its VRF' sh -c 'ip -o link show dev foo.3 | grep -q "master red"'
wait_until state settled
equal 'which is told once' 1 "$(repaired 'vlan foo.3: gone')"

ip link set dev foo.4 nomaster
in_red() { # LINK
	ip -o link show dev "$1" | grep -q 'master red'
}
ok 'one that was taken out of its VRF is in it' wait_until -t 10 in_red foo.4
ok 'with its IPv6 address' wait_until -t 10 has_addr foo.4 2001:db8:4::1/64
wait_until state settled

index=$(index_of foo.5)
# netctld sets it up again meanwhile, perhaps.
wait_until sh -c 'ip link set dev foo.5 down; ip link set dev foo.5 name other'
ok 'one that was renamed has its name again' wait_until -t 10 ip link show dev foo.5
equal 'and is the same' "$index" "$(index_of foo.5)"
ok 'with its address' wait_until -t 10 has_addr foo.5 2001:db8:5::1/64
wait_until state settled

ip link set dev b1 down
all_up() {
	for _n in 1 10 20; do
		is_up "foo.$_n" && has_addr "foo.$_n" "2001:db8:$_n::1/64" || return 1
	done
}
ok 'a bond that was set down is up, and all VLANs with their IPv6 addresses' wait_until -t 20 all_up
wait_until state settled
ip link del b1
ok 'a bond that was deleted is there, with its port' wait_until -t 20 sh -c 'ip -o link show dev card0 | grep -q "master b1"'
ok 'and all VLANs' wait_until -t 20 all_up
wait_until state settled
# But foo.5, if it had to be renamed so often that it is put off.
equal 'they are told in one line' 1 "$(repaired 'vlan foo.{1..20} (\(19\|20\) links): gone')"
ip link del red
ok 'a VRF that was deleted has its VLANs' wait_until -t 20 in_red foo.20
ok 'with their IPv6 addresses' wait_until -t 20 all_up
ok 'all is as configured' wait_until netctl drift

grep -v repaired "$tmp/netctld.log" | sed 's/^/# /'
equal 'nothing was refused twice' '' "$(grep 'cannot repair' "$tmp/netctld.log")"
# What was repaired is looked at once more, later: a pass then is not for the foreign link. If that made one, it would each time.
foreign_is_ignored() {
	_passes=$(status_number passes)
	ip link add foreign type dummy && ip link set foreign up && ip addr add 203.0.113.1/24 dev foreign && ip link del foreign
	netctl verify >/dev/null # the events are read
	[ "$(status_number passes)" = "$_passes" ]
}
ok 'what is not ours is no drift' wait_until foreign_is_ignored
grep repaired "$tmp/netctld.log" | sed 's/^/# /'
ok 'the daemon ends cleanly' netctld_stop
done_testing
