#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Multicast memberships: netctl -j maddr is what ip -j maddr is, with what is stacked on what, groups that a program
# joined and static addresses, in two namespaces; and --why knows who wants each address. In the guest also with the
# kinds that the machine's own kernel may lack.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip python3

live=$NETCTLD_SOURCE/tests/live

# same NETNS: "" is the daemon's own. Asked again where something settles (MLD, DAD).
same() {
	ip ${1:+-n "$1"} -j maddr show >"$tmp/ip.json" && netctl ${1:+-n "$1"} -j maddr >"$tmp/ours.json" &&
		python3 "$live/maddr_compare.py" same "$tmp/ip.json" "$tmp/ours.json" >"$tmp/compared"
}

# same_of OPTION [FILTER...]
same_of() {
	_option=$1
	shift
	ip ${_option:+"$_option"} -j maddr show "$@" >"$tmp/ip.json" &&
		netctl ${_option:+"$_option"} -j maddr show "$@" >"$tmp/ours.json" &&
		python3 "$live/maddr_compare.py" same "$tmp/ip.json" "$tmp/ours.json"
}

# explained [NETNS]: all that is there has a reason, and all that should be there is.
explained() {
	netctl ${1:+-n "$1"} -j maddr show --why >"$tmp/why.json" &&
		python3 "$live/maddr_compare.py" explained "$tmp/why.json" >"$tmp/compared"
}

# try COMMAND...: a kind that this kernel may not have
try() {
	"$@" 2>"$tmp/try" || echo "# without: $* ($(head -n 1 "$tmp/try"))"
}

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ip link set lo up
ip link add v0 type veth peer name v1
ip link add br0 type bridge
ip link set v1 master br0
ip link add link v0 name mv0 type macvlan
ip link add link v0 name mv1 type macvlan mode private
ip link add vx0 type vxlan id 5 group 239.1.1.1 dev v0 dstport 4789
for i in v0 v1 br0 mv0 vx0; do ip link set "$i" up; done
ip addr add 2001:db8::5/64 dev mv0 nodad
ip addr add 2001:db8:1::5/64 dev mv0 nodad
ip addr add 192.0.2.1/24 dev mv0
ip maddr add 33:33:00:00:12:34 dev mv0
try ip link add v8 type veth peer name v9
try ip link add bond0 type bond mode active-backup miimon 100
if ip link show bond0 >/dev/null 2>&1; then
	ip link add d0 type dummy
	ip link set d0 master bond0
	ip link set v8 master bond0
	for i in v9 bond0; do ip link set "$i" up; done
	ip link add vrf9 type vrf table 9
	ip link set vrf9 up
	ip link add link bond0 name bond0.7 type vlan id 7
	ip link set bond0.7 master vrf9
	ip link set bond0.7 up
	ip addr add 2001:db8:7::1/64 dev bond0.7 nodad
	ip link add link bond0.7 name qinq type vlan id 8
	ip link set qinq up
	ip link add bond1 type bond mode 802.3ad
	ip link add d1 type dummy
	ip link set d1 master bond1
	ip link set bond1 up
	ip link add link bond1 name bond1.9 type vlan id 9
	ip link set bond1.9 up
	ip link add d2 type dummy
	ip link set d2 up
	try ip link add link d2 name ipv0 type ipvlan
	try ip link set ipv0 up
	ip link add d4 type dummy
	ip link set d4 up
	try ip link add link d4 name mvt0 type macvtap
	try ip link set mvt0 up
	ip link add d3 type dummy
	if ip link add team0 type team 2>/dev/null; then
		ip link set d3 master team0
		ip link set team0 up
	fi
fi
ip netns add two
ip -n two link set lo up
ip -n two link add w0 type veth peer name w1
ip -n two link set w0 up
ip -n two link add link w0 name wmv type macvlan
ip -n two link set wmv up
ip -n two addr add 2001:db8:2::7/64 dev wmv nodad
ip -n two maddr add 01:00:5e:7f:00:01 dev w1

# Groups that a program joined, until its standard input ends.
mkfifo "$tmp/end" "$tmp/joined"
python3 "$live/maddr_compare.py" join mv0 239.1.2.3 ff05::1:3 <"$tmp/end" >"$tmp/joined" &
exec 8>"$tmp/end" 9<"$tmp/joined"
ok 'a program joins groups' test "$(head -n 1 <&9)" = joined

ok 'maddr is what ip says' wait_until -t 30 same ''
cat "$tmp/compared"
ok 'and in another namespace' wait_until -t 30 same two
cat "$tmp/compared"
ok 'one device' wait_until -t 30 same_of '' dev mv0
ok 'one family' wait_until -t 30 same_of -4
ok 'the other one' wait_until -t 30 same_of -6
netctl -a -j maddr >"$tmp/all.json"
ok 'all namespaces at once' python3 "$live/maddr_compare.py" all "$tmp/all.json" wmv mv0

ok 'who wants them is known of all' wait_until -t 30 explained ''
cat "$tmp/compared"
ok 'and in another namespace' wait_until -t 30 explained two
cat "$tmp/compared"
netctl -j maddr show --why >"$tmp/why.json"
cat >"$tmp/reasons" <<'EOF'
mv0 33:33:ff:00:00:05 address 2001:db8::5, address 2001:db8:1::5
v0 33:33:ff:00:00:05 upper mv0
mv0 33:33:00:00:12:34 static
v0 33:33:00:00:12:34 upper mv0
mv0 01:00:5e:01:02:03 group 239.1.2.3
mv0 33:33:00:01:00:03 group ff05::1:3
v0 01:00:5e:01:01:01 group 239.1.1.1
v0 01:00:5e:00:00:01 all 224.0.0.1, upper mv0
EOF
if ip link show bond0 >/dev/null 2>&1; then
	# Down through a VLAN in a VRF, a bond, to its active port; and what bonds and VLANs bring of their own.
	active=$(ip -j -d link show dev bond0 | sed -n 's/.*"active_slave":"\([^"]*\)".*/\1/p')
	cat >>"$tmp/reasons" <<EOF
bond0.7 33:33:ff:00:00:01 address 2001:db8:7::1
bond0 33:33:ff:00:00:01 upper bond0.7
$active 33:33:ff:00:00:01 upper bond0
bond1 01:80:c2:00:00:21 vlans
d1 01:80:c2:00:00:02 port bond1
EOF
fi
ok 'and by whom' python3 "$live/maddr_compare.py" reasons "$tmp/why.json" "$tmp/reasons"
ok 'one device, for people' sh -c 'netctl maddr show dev v0 why | grep -q "33:33:ff:00:00:05 .*upper mv0"'

ip link set mv0 down
ok 'what is down hands nothing down' wait_until -t 30 same ''
cat "$tmp/compared"
ok 'and all is explained' wait_until -t 30 explained ''
cat "$tmp/compared"
exec 8>&-
wait_until sh -c '! ip maddr show dev mv0 | grep -q 239.1.2.3'
ok 'a group that was left' same ''
ip netns del two
refute 'a namespace that has gone' netctl -n two -j maddr
ok 'others are still told' same ''
ok 'the daemon ends cleanly' netctld_stop
done_testing
