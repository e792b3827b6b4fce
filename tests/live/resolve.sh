#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Where random packets go, asked of the kernel and of a mirror: with the three rules that are always there, and with
# rules, tables and routes of every sort.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"
need_cmd ip

n=$(pick 20000 3000)
compare() {
	"$NETCTLD_BUILD/tests/live/resolve" "$n"
}

make_links() {
	for i in 0 2 4; do
		ip link add "v$i" type veth peer name "v$((i + 1))" &&
			ip link set "v$i" addrgenmode none && ip link set "v$((i + 1))" addrgenmode none &&
			ip link set "v$i" up && ip link set "v$((i + 1))" up &&
			ip addr add "10.$i.0.1/24" dev "v$i" && ip addr add "10.$i.1.1/24" dev "v$i" &&
			ip addr add "10.$i.0.7/24" dev "v$i" && ip addr add "2001:db8:$i::1/64" dev "v$i" nodad &&
			ip addr add "fe80::$i:1/64" dev "v$i" nodad || return
	done
	ip link set v4 group 7 && ip addr add fd00::1/64 dev v4 nodad && ip addr add 10.9.0.1 peer 10.9.0.2 dev v4
}

make_routes() {
	r='ip route add'
	$r default via 10.0.0.2 && $r default via 10.2.0.2 metric 9 && $r 198.18.0.0/15 via 10.0.0.3 src 10.2.0.1 &&
		$r 198.18.0.0/16 via 10.2.0.3 && $r 198.18.0.0/17 via 10.2.0.4 tos 0x10 && $r 198.18.0.0/17 via 10.2.1.5 &&
		$r blackhole 198.18.128.0/20 && $r unreachable 198.18.144.0/20 && $r prohibit 198.18.160.0/20 &&
		$r throw 198.18.176.0/20 && $r 198.18.192.0/20 nexthop via 10.0.0.9 nexthop via 10.2.0.9 weight 3 &&
		$r 198.18.208.0/20 via inet6 2001:db8::9 dev v0 && $r 198.18.224.0/20 dev v4 && $r local 198.18.240.0/24 dev lo &&
		$r 198.18.0.0/24 via 10.4.0.3 table 300 && $r default via 10.4.0.4 table 300 && $r throw 198.18.1.0/24 table 300 &&
		$r default via 10.2.0.77 table 301 && $r 203.0.113.0/24 dev v2 scope link src 10.2.1.1 &&
		ip nexthop add id 1 via 10.0.0.21 dev v0 && ip nexthop add id 2 via 10.2.0.21 dev v2 &&
		ip nexthop add id 3 group 1/2 && ip nexthop add id 4 blackhole && ip nexthop add id 5 via fe80::5 dev v2 &&
		$r 198.19.0.0/24 nhid 1 && $r 198.19.1.0/24 nhid 3 && $r 198.19.2.0/24 nhid 4 && $r 198.19.3.0/24 nhid 5
}

make_routes6() {
	r='ip -6 route add'
	$r default via 2001:db8::2 && $r default via 2001:db8:2::2 metric 9 pref high && $r 2001:db8:100::/40 via fe80::2 dev v0 &&
		$r 2001:db8:100::/44 via 2001:db8:2::3 src 2001:db8::1 && $r 2001:db8:100::/44 via 2001:db8:4::3 metric 3000 &&
		$r blackhole 2001:db8:110::/44 && $r unreachable 2001:db8:120::/44 && $r prohibit 2001:db8:130::/44 &&
		$r throw 2001:db8:140::/44 && $r 2001:db8:150::/44 nexthop via 2001:db8::9 nexthop via 2001:db8:2::9 weight 3 &&
		$r 2001:db8:160::/44 dev v4 && $r local 2001:db8:170::/64 dev v2 && $r 2001:db8:180::/44 nhid 5 &&
		$r 2001:db8:100::/48 via 2001:db8:4::3 table 300 && $r default via 2001:db8:4::4 table 300 &&
		$r throw 2001:db8:101::/48 table 300 && $r default via 2001:db8:2::77 table 301 &&
		$r 2001:db8:190::/44 from 2001:db8:2::/64 via 2001:db8:2::55 && $r 2001:db8:190::/44 via 2001:db8::55 &&
		$r anycast 2001:db8:1a0::1 dev v0
}

make_rules() {
	for f in -4 -6; do
		own=10.2.0.0/16 to=198.18.0.0/18
		[ $f = -4 ] || own=2001:db8:2::/48 to=2001:db8:100::/42
		r="ip $f rule add"
		$r from $own lookup 301 pref 100 && $r to $to fwmark 5/0xff lookup 300 pref 110 &&
			$r fwmark 0x10 goto 400 pref 120 && $r uidrange 1000-1500 lookup 300 pref 130 &&
			$r tos 0x10 lookup 301 pref 140 && $r ipproto tcp dport 22 lookup 300 pref 150 &&
			$r ipproto udp sport 40-60 dport 100-200 lookup 301 pref 160 && $r not to $to uidrange 1600-1700 lookup 300 pref 170 &&
			$r oif v2 lookup 301 pref 180 && $r iif lo uidrange 1800-1850 lookup 300 pref 190 &&
			$r iif v0 unreachable pref 200 && $r uidrange 1851-1900 prohibit pref 210 && $r uidrange 1901-1920 blackhole pref 220 &&
			$r uidrange 1921-1999 unreachable pref 230 && $r lookup main suppress_prefixlength 0 pref 300 &&
			$r lookup 300 suppress_ifgroup 7 pref 310 && $r pref 400 nop && $r oif nosuch0 prohibit pref 410 || return
	done
}

ok 'links' make_links
ok 'routes' make_routes
ok 'IPv6 routes' make_routes6
ok 'with three rules the answers are the same' compare
cat "$tmp/.output"
ok 'rules' make_rules
ok 'with many rules the answers are the same' compare
cat "$tmp/.output"
ip link set v1 down
ok 'and so without a carrier on one link' compare
cat "$tmp/.output"
# The VRF has its tables and takes routes with it; only some kernels have one.
if ip link add vrf7 type vrf table 300 2>/dev/null; then
	ip link set vrf7 up
	ip link set v4 master vrf7
	# The VRF has taken the link down and up, and its IPv6 addresses with it.
	ip -6 addr add 2001:db8:4::1/64 dev v4 nodad
	ip -6 addr add fe80::4:1/64 dev v4 nodad
	ip addr add 10.7.1.1/24 dev vrf7
	ip -6 addr add 2001:db8:7::1/128 dev vrf7 nodad
	ip -6 route add 2001:db8:1b0::/44 via 2001:db8:4::66 vrf vrf7
	ip addr add 10.7.0.1/32 dev vrf7
	ip route add 198.18.2.0/24 via 10.4.0.55 vrf vrf7
	ok 'and with a VRF' compare
	cat "$tmp/.output"
fi
done_testing
