#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# netctl batch against ip -batch: the same files, each in a namespace of its own, and the same state afterwards. The
# files are those of the four reports that the daemon is made for, as far as the kernel has the kinds, and one with a
# line of each sort. Prints how long both take. NETCTLD_FULL=1: 1,500 VLANs, 10,000 links, 100,000 routes.

. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip python3
own_machine "$@"

full=${NETCTLD_FULL:-0}
if [ "$full" = 1 ]; then
	vlans=1500 links=10000 routes=100000 spaces=400
else
	vlans=$(pick 60 20) links=$(pick 100 40) routes=$(pick 500 200) spaces=$(pick 10 5)
fi

has_kind() { # KIND [WORD...]: in this kernel
	ip link add name probe0 type "$@" 2>/dev/null && ip link del dev probe0
}

has_vlan() {
	ip link add name probe0 type bridge && ip link add link probe0 name probe1 type vlan id 5 2>/dev/null
	_has=$?
	ip link del dev probe0
	return $_has
}

mkdir -m 755 "$tmp/conf"
netctld_start "$tmp/conf"
kind=ifb
! has_kind dummy || kind=dummy

now() {
	date +%s%3N
}

cat_mtu() { # NETNS LINK
	ip -n "$1" -o link show dev "$2" | sed 's/.* mtu \([0-9]*\).*/\1/'
}

is_same() {
	python3 "$NETCTLD_SOURCE/tests/live/same_state.py" a b >"$tmp/differs" 2>&1
}

# NAME FILE: by both, and compares. Sets $by_ip and $by_netctl, milliseconds.
both() {
	_began=$(now)
	ok "$1: ip -batch" ip -n a -batch "$2"
	_between=$(now)
	ok "$1: netctl batch" netctl -n b batch "$2"
	by_netctl=$(($(now) - _between)) by_ip=$((_between - _began))
	wait_until -t 20 is_same 2>/dev/null || cat "$tmp/differs"
	ok "$1: the same state" test ! -s "$tmp/differs"
	echo "# $1: ip -batch $by_ip ms, netctl batch $by_netctl ms"
}

fresh() {
	ip netns add a
	ip netns add b
	ip -n a link set dev lo up
	ip -n b link set dev lo up
	ok 'the namespaces are known' wait_until -t 20 netctl -n b link show dev lo up
}

stale() {
	ip netns del a
	ip netns del b
}

# A line of each sort.
sorts() {
	fresh
	cat >"$tmp/sorts" <<-END
		# comments, and lines that go on
		link add v0 address 02:00:00:00:00:01 type veth peer name v1 address 02:00:00:00:00:02
		link set dev v0 up # both ends
		l s v1 \\
		  up mtu 1400
		link add br0 address 02:00:00:00:00:03 type bridge forward_delay 1500 ageing_time 10000
		link set br0 up
		link set v1 master br0
		link add mv link v0 address 02:00:00:00:00:04 type macvlan mode bridge
		link add vx address 02:00:00:00:00:05 type vxlan id 7 dstport 4789 local 192.0.2.1 nolearning ttl 5
		link add x0 address 02:00:00:00:00:06 type $kind
		link set x0 name renamed txqueuelen 77 alias "two words" arp off
		link property add dev renamed altname another-name-for-it
		addr add 192.0.2.1/24 brd + dev v0
		a a 192.0.2.2/24 dev v0 label v0:two
		addr add 198.51.100.1 peer 198.51.100.2/32 dev v0
		addr add 2001:db8::1/64 dev v0 nodad
		addr add 2001:db8:1::1/64 dev v0 nodad noprefixroute
		addr replace 192.0.2.2/24 dev v0 label v0:two
		addr del 2001:db8:1::1/64 dev v0
		route add 203.0.113.0/24 via 192.0.2.9
		route append 203.0.113.0/24 via 192.0.2.8
		r a 10/8 nexthop via 192.0.2.7 weight 3 nexthop via 192.0.2.6
		route replace 10.1.0.0/16 dev v0 table 100 metric 7 mtu lock 1300
		route add unreachable 10.2.0.0/16
		route add 2001:db8:5::/48 via 2001:db8::9 metric 5
		route change 2001:db8:5::/48 via 2001:db8::8 metric 5
		route del 10.1.0.0/16 table 100
		nexthop add id 5 via 192.0.2.9 dev v0
		nexthop add id 6 via 192.0.2.8 dev v0
		nexthop add id 7 group 5/6,3
		nexthop replace id 6 via 192.0.2.7 dev v0
		route add 10.3.0.0/16 nhid 7
		rule add from 10.0.0.0/8 lookup 100 pref 100
		rule add fwmark 0x10/0xff table 100 priority 101
		rule del pref 101
		neigh add 192.0.2.7 lladdr 02:00:00:00:00:07 dev v0
		neigh add 192.0.2.5 lladdr 02:00:00:00:00:07 dev v0
		neigh replace 192.0.2.5 lladdr 02:00:00:00:00:08 dev v0
		neigh del 192.0.2.7 dev v0
		neigh add proxy 192.0.2.99 dev v0
	END
	both sorts "$tmp/sorts"
	printf '%s\n' 'route del 10.3.0.0/16' 'nexthop del id 7' 'nexthop del id 5' 'addr flush dev v0 scope global' 'route flush table 100' 'route flush table main' 'link del mv' 'link del v0' \
		>"$tmp/less"
	both 'less of it' "$tmp/less"
	ok 'the mirror is right' netctl -n b verify

	# What fails: the line, by its number, and in the kernel's words.
	printf '%s\n' "link add x1 type $kind" 'link add br0 type bridge' 'link set x1 up' >"$tmp/fails"
	netctl -n b batch "$tmp/fails" 2>"$tmp/err"
	equal 'a line that fails: exit status 4' 4 $?
	ok 'it is told by its number' grep -qx "$tmp/fails:2: File exists" "$tmp/err"
	equal 'what follows is not done' '' "$(ip -n b link show dev x1 up)"
	for line in 'addr del 192.0.2.77/24 dev x1' 'route del 203.0.113.0/24' 'link del nowhere'; do
		printf '%s\n' 'link set x1 mtu 1400' "$line" 'link set x1 mtu 1300' >"$tmp/fails.2"
		netctl -n b batch "$tmp/fails.2" 2>"$tmp/err"
		ok "$line: the line is told" grep -q "^$tmp/fails.2:2: " "$tmp/err"
		equal "$line: nothing behind it is done" 1400 "$(cat_mtu b x1)"
	done
	netctl -n b batch -force "$tmp/fails" 2>"$tmp/err"
	equal 'with -force: exit status 4' 4 $?
	equal 'with -force: both that fail are told' "1: File exists 2: File exists" \
		"$(sed -n "s|^$tmp/fails:||p" "$tmp/err" | paste -sd ' ')"
	ok 'with -force: what follows is done' sh -c 'ip -n b -br link show dev x1 | grep -q "[<,]UP[,>]"'
	printf '%s\n' 'link add x2 type ifb' 'link add x3 type brigde' >"$tmp/wrong"
	netctl -n b batch "$tmp/wrong" 2>"$tmp/err"
	equal 'a line that is wrong: exit status 2' 2 $?
	ok 'it is told with its place and advice' grep -q 'did you mean "bridge"' "$tmp/err"
	refute 'nothing is done' ip -n b link show dev x2
	netctl -n nowhere batch "$tmp/fails" 2>"$tmp/err"
	equal 'a namespace that is not there: exit status 2' 2 $?
	stale
}

# Nothing of it is ours.
many() {
	fresh
	seq -f "link add d%g type $kind" "$links" >"$tmp/add"
	awk -v n="$links" 'BEGIN {for (i = 1; i <= n; i++) printf "addr add 10.%d.%d.%d/32 dev d%d\n", i / 65536, i / 256 % 256, i % 256, i}' \
		>>"$tmp/add"
	both "$links links with an address" "$tmp/add"
	equal 'what is made is not ours' 0 "$(status_number owned_links)"
	netctl reload >/dev/null
	ok 'and stays at a reload' ip -n b link show dev d1
	echo 'link del d7' >"$tmp/one"
	both "one of $links deleted" "$tmp/one"
	seq -f 'link del d%g' "$links" | grep -v ' d7$' >"$tmp/all"
	both "all of them deleted" "$tmp/all"

	awk -v n="$routes" 'BEGIN {
		print "link add w0 address 02:00:00:00:00:01 type veth peer name w1 address 02:00:00:00:00:02"
		print "link set w0 up"; print "link set w1 up"; print "addr add 192.0.2.1/24 dev w0"
		for (i = 0; i < n; i++) printf "route add 20.%d.%d.%d/32 via 192.0.2.9\n", i / 65536, i / 256 % 256, i % 256
	}' >"$tmp/routes"
	both "$routes routes" "$tmp/routes"
	sed -n 's/^route add \(.*\) via .*/route del \1/p' "$tmp/routes" >"$tmp/noroutes"
	both "$routes routes deleted" "$tmp/noroutes"
	ok 'the mirror is right again' netctl -n b verify
	stale
}

is_again() { # INDEX: of the one before
	ip -o link show dev own1 | grep ' mtu 1400 ' | grep -qv "^$1:"
}

# What the configuration owns is changed like anything else, and put right by the repair of drift.
owned() {
	echo 'network: {version: 2, ifb-devices: {own1: {mtu: 1400}}}' >"$tmp/own.yaml"
	ok 'a link of the configuration' netctl apply "$tmp/own.yaml"
	before=$(ip -o link show dev own1 | cut -d: -f1)
	printf '%s\n' 'link set own1 mtu 1300' 'link add other1 type ifb' 'link del own1' | netctl batch
	equal 'is changed and deleted as any other' 0 $?
	ok 'and is made again by the repair' wait_until -t 20 is_again "$before"
	ok 'what the batch made stays' ip link show dev other1
}

# A bond with VLANs, their addresses, and a VRF, in the order that made it slow.
vlans() {
	if has_kind bond && has_kind vrf table 10 && has_vlan; then
		fresh
		{
			echo 'link add b1 address 02:00:00:00:00:01 type bond'
			echo 'link set b1 up'
			echo 'link add florp type vrf table 10'
			echo 'link set florp up'
			awk -v n="$vlans" 'BEGIN {for (i = 1; i <= n; i++) printf "link add link b1 name foo.%d type vlan id %d\n", i, i}'
			seq -f 'link set foo.%g up' "$vlans"
			awk -v n="$vlans" 'BEGIN {for (i = 1; i <= n; i++) printf "addr add 2000::%x/64 dev foo.%d\n", i, i}'
			seq -f 'link set foo.%g vrf florp' "$vlans"
		} >"$tmp/vlans"
		both "$vlans VLANs of a bond, with addresses, then into a VRF" "$tmp/vlans"
		{
			seq -f 'link set foo.%g nomaster' "$vlans"
			seq -f 'link del foo.%g' "$vlans"
		} >"$tmp/novlans"
		both "$vlans VLANs out of the VRF, and deleted" "$tmp/novlans"
		stale
	else
		echo '# no bond, VLAN or VRF in this kernel'
	fi
}

# Namespaces by the hundred.
spaces() {
	{
		seq -f 'netns add s%g' "$spaces"
		seq -f 'netns del s%g' 2 2 "$spaces"
	} >"$tmp/spaces"
	began=$(now)
	ok "$spaces namespaces: netctl batch" netctl batch "$tmp/spaces"
	by_netctl=$(($(now) - began))
	equal 'those are there that should be' $(((spaces + 1) / 2)) "$(ip netns list | grep -c '^s')"
	seq -f 'netns del s%g' 1 2 "$spaces" | netctl batch
	began=$(now)
	ok "$spaces namespaces: ip -batch" ip -batch "$tmp/spaces"
	echo "# $spaces namespaces: ip -batch $(($(now) - began)) ms, netctl batch $by_netctl ms"
	seq -f 'netns del s%g' 1 2 "$spaces" | netctl batch
}

for part in ${NETCTLD_BATCH_PARTS:-sorts many owned vlans spaces}; do
	$part
done
done_testing
