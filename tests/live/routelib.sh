# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Routes, rules, next hops, neighbours and FDB entries of every kind, for tests that compare them; behind lib.sh. links
# comes first, and next hops before routes. What this kernel or its ip cannot make is left out, and is in $lacking.

n=0 lacking=

# One of those that every kernel of ours can make.
made() {
	n=$((n + 1))
	"$@" 2>"$tmp/err" || {
		echo "# $*: $(cat "$tmp/err")"
		return 1
	}
}

# One that some cannot make.
maybe() {
	if "$@" 2>/dev/null; then
		n=$((n + 1))
	else
		lacking="$lacking
#   $*"
	fi
}

links() {
	ip link set lo up
	for i in 0 2 4; do
		ip link add "v$i" type veth peer name "v$((i + 1))"
		ip link set "v$i" up
		ip link set "v$((i + 1))" up
		ip addr add "10.$i.0.1/24" dev "v$i"
		ip addr add "2001:db8:$i::1/64" dev "v$i" nodad
	done
	ip link set v0 group 7
}

routes4() {
	r='made ip route add'
	for type in blackhole unreachable prohibit throw; do
		$r $type 192.0.2.$((n % 200))/32 && $r $type 198.18.$((n % 200)).0/24 metric 7 table 300 || return
	done
	$r 198.51.100.0/24 via 10.0.0.2 &&
		$r 198.51.100.0/24 via 10.0.0.3 metric 5 proto static &&
		$r 198.51.100.0/24 via 10.0.0.4 tos 0x10 &&
		$r 198.51.100.0/24 via 10.0.0.5 tos AF11 &&
		made ip route append 198.51.100.0/24 via 10.0.0.6 &&
		$r 198.51.101.0/24 dev v0 scope link src 10.0.0.1 &&
		$r 198.51.102.1 dev v2 scope link proto 78 table 4000000000 &&
		$r default via 10.2.0.2 dev v2 onlink proto bird metric 4294967295 &&
		$r default via 172.31.0.1 dev v2 onlink table 255 &&
		$r local 203.0.113.1 dev lo table local proto kernel scope host src 10.0.0.1 &&
		$r broadcast 203.0.113.255 dev v0 table local scope link &&
		$r multicast 239.1.2.3 dev v0 &&
		$r 203.0.113.0/25 nexthop via 10.0.0.7 weight 3 nexthop dev v2 weight 256 nexthop via 10.9.0.1 dev v4 onlink &&
		$r 203.0.113.128/25 via inet6 2001:db8::2 dev v0 &&
		$r 203.0.114.0/25 nexthop via inet6 fe80::1 dev v0 nexthop via 10.2.0.9 &&
		$r 203.0.115.0/24 via 10.0.0.2 mtu lock 1400 advmss 1200 window 5000 rtt 100ms rttvar lock 20ms ssthresh 9 \
			cwnd lock 7 reordering 5 hoplimit 33 initcwnd 11 initrwnd 12 features ecn rto_min 300ms quickack 1 \
			congctl cubic fastopen_no_cookie 1 &&
		$r 203.0.116.0/24 via 10.0.0.2 realm 3/9 && $r 203.0.117.0/24 via 10.0.0.2 realm 4 &&
		$r 203.0.118.0/24 nexthop via 10.0.0.2 realm 5 nexthop via 10.2.0.2 realm 6/7 &&
		$r 203.0.119.0/24 encap ip id 77 src 10.0.0.1 dst 10.0.0.9 ttl 9 tos 4 key csum via 10.0.0.2 &&
		$r 203.0.120.0/24 nexthop encap ip id 78 dst 10.0.0.9 via 10.0.0.2 nexthop via 10.2.0.2
}

routes6() {
	r='made ip -6 route add'
	for type in blackhole unreachable prohibit throw; do
		$r $type 2001:db8:100:$n::/64 && $r $type 2001:db8:101:$n::1 metric 7 table 300 || return
	done
	$r 2001:db8:200::/48 via 2001:db8::2 &&
		$r 2001:db8:200::/48 via 2001:db8::3 metric 5 proto ra pref high &&
		$r 2001:db8:201::/48 via fe80::9 dev v0 pref low expires 1000 &&
		$r default via 2001:db8:2::9 metric 4294967295 &&
		$r local 2001:db8:202::1 dev lo table local &&
		$r anycast 2001:db8:203::1 dev v0 table local &&
		$r multicast ff05::77/128 dev v0 table local &&
		$r 2001:db8:204::/64 nexthop via 2001:db8::7 weight 3 nexthop via fe80::7 dev v2 weight 255 &&
		$r 2001:db8:205::/64 dev v0 mtu lock 1400 hoplimit 33 advmss 1220 initcwnd 11 features ecn table 70000 &&
		$r 2001:db8:206::/64 via 2001:db8:9::1 dev v0 onlink src 2001:db8:0::1 &&
		made ip -6 route append 2001:db8:200::/48 via 2001:db8::4
	maybe ip -6 route add 2001:db8:207::/64 from 2001:db8:300::/48 via 2001:db8::2
	maybe ip -6 route add 2001:db8:208::/64 encap seg6 mode encap segs 2001:db8::a,2001:db8::b via 2001:db8::2
	maybe ip -6 route add 2001:db8:209::/64 encap seg6 mode inline segs 2001:db8::c via 2001:db8::2
	maybe ip -6 route add 2001:db8:20a::1 encap seg6local action End dev v0
	maybe ip -6 route add 2001:db8:20a::2 encap seg6local action End.X nh6 2001:db8::2 dev v0
	maybe ip -6 route add 2001:db8:20a::3 encap seg6local action End.T table 300 dev v0
	maybe ip -6 route add 2001:db8:20a::4 encap seg6local action End.DX4 nh4 10.0.0.2 dev v0
	maybe ip -6 route add 2001:db8:20a::5 encap seg6local action End.B6.Encaps srh segs 2001:db8::a,2001:db8::b dev v0
	maybe ip -6 route add 2001:db8:20b::/64 encap ip6 id 9 src 2001:db8::1 dst 2001:db8::9 hoplimit 3 tc 8 via 2001:db8::2
	maybe ip -6 route add 2001:db8:20c::/64 encap ioam6 freq 1/3 mode inline trace prealloc type 0x800000 ns 1 size 12 \
		via 2001:db8::2
	maybe ip route add 203.0.121.0/24 encap mpls 100/200 ttl 7 via 10.0.0.2
	maybe ip route add 203.0.122.0/24 encap mpls 100 via inet6 2001:db8::2
	maybe ip -6 route add 2001:db8:20d::/64 nexthop encap mpls 300 via 2001:db8::2 nexthop via 2001:db8:2::2
	maybe ip route add 203.0.123.0/24 encap xfrm if_id 5 link_dev v0 via 10.0.0.2
}

nexthops() {
	h='made ip nexthop add'
	$h id 1 via 10.0.0.2 dev v0 &&
		$h id 2 via 10.2.0.2 dev v2 proto zebra &&
		$h id 3 dev v4 &&
		$h id 4 blackhole proto 78 &&
		$h id 5 via fe80::5 dev v0 &&
		$h id 6 via 2001:db8:2::5 dev v2 &&
		$h id 7 via 10.77.0.1 dev v0 onlink &&
		$h id 8 via 192.0.2.8 fdb &&
		$h id 9 via 192.0.2.9 fdb &&
		$h id 10 group 1/2,5 &&
		$h id 11 group 5,9/6,255 &&
		$h id 12 group 8/9 fdb &&
		$h id 13 group 1/2 type resilient buckets 32 idle_timer 60 unbalanced_timer 300 &&
		$h id 14 encap ip id 9 dst 10.0.0.9 via 10.0.0.2 dev v0 &&
		$h id 4294967295 via 10.4.0.9 dev v4 &&
		made ip route add 198.18.1.0/24 nhid 1 &&
		made ip route add 198.18.2.0/24 nhid 10 metric 9 &&
		made ip route add 198.18.3.0/24 nhid 4 &&
		made ip route add 198.18.4.0/24 nhid 13 &&
		made ip route add 198.18.5.0/24 nhid 5 &&
		made ip route add 198.18.6.0/24 nhid 14 &&
		made ip -6 route add 2001:db8:300::/64 nhid 5 &&
		made ip -6 route add 2001:db8:301::/64 nhid 11 proto bgp &&
		made ip -6 route add 2001:db8:302::/64 nhid 6 table 300
	maybe ip nexthop add id 15 encap mpls 55 via 10.0.0.2 dev v0
	maybe ip nexthop add id 16 group 1,300/2,65535
}

rules() {
	for f in -4 -6; do
		p=10.5.0.0/16 a=10.5.0.1
		[ $f = -4 ] || p=2001:db8:5::/48 a=2001:db8:5::1
		r="made ip $f rule add"
		$r from $p lookup 300 && $r to $a table main pref 77 && $r not from $p to $p table 70000 &&
			$r iif v0 lookup 5 && $r iif nosuch0 oif nosuch1 lookup 5 && $r oif v2 prohibit &&
			$r fwmark 0x10 lookup 6 && $r fwmark 5/0xff blackhole && $r fwmark 0/0xf0 unreachable &&
			$r tos 0x10 lookup 7 && $r uidrange 5-1000 lookup 8 && $r uidrange 0-0 lookup main &&
			$r ipproto tcp dport 22 lookup 9 && $r ipproto udp sport 5-90 dport 100-200 lookup 9 &&
			$r ipproto 253 lookup 9 && $r goto 20000 pref 10000 && $r pref 20000 nop &&
			$r goto 30001 pref 10001 && $r lookup main suppress_prefixlength 0 pref 900 &&
			$r lookup main suppress_ifgroup 7 pref 901 && $r lookup main suppress_ifgroup default pref 902 &&
			$r lookup 4000000000 protocol bird && $r tun_id 9 lookup 5 pref 4294967290 || return
		maybe ip $f rule add l3mdev pref 1000
	done
	made ip rule add from 10.6.0.0/16 realms 3/4 lookup main && made ip rule add from 10.7.0.0/16 realms 5 lookup main &&
		made ip -6 rule add from all tos 0x28 lookup main
}

neighbours() {
	h='made ip neigh add'
	$h 10.0.0.2 lladdr 02:00:00:00:00:02 dev v0 && $h 10.0.0.3 lladdr 02:00:00:00:00:03 nud stale dev v0 &&
		$h 10.0.0.4 lladdr 02:00:00:00:00:04 nud noarp dev v0 && $h 10.0.0.5 nud failed dev v0 &&
		$h 10.0.0.6 lladdr 02:00:00:00:00:06 nud permanent protocol bird dev v0 &&
		$h 10.0.0.7 lladdr 02:00:00:00:00:07 extern_learn dev v0 &&
		$h 2001:db8::22 lladdr 02:00:00:00:00:08 router dev v0 &&
		$h proxy 10.0.0.100 dev v0 && $h proxy 2001:db8::100 dev v2 && $h proxy 2001:db8::101 router dev v2
	maybe ip neigh add 2001:db8::23 lladdr 02:00:00:00:00:09 nud permanent extern_learn router dev v0
	maybe ip neigh add 10.0.0.9 managed dev v0
}

fdb() {
	made ip link add br0 type bridge vlan_filtering 1 && made ip link set v5 master br0 && made ip link set br0 up &&
		made bridge fdb add 02:00:00:00:01:01 dev v5 master static &&
		made bridge fdb add 02:00:00:00:01:02 dev v5 master permanent vlan 1 &&
		made bridge fdb add 02:00:00:00:01:03 dev v5 master dynamic extern_learn &&
		made bridge fdb add 02:00:00:00:01:04 dev v5 master static sticky &&
		made bridge fdb add 01:00:5e:00:00:05 dev v5 self
	maybe ip link add vx0 type vxlan id 9 dstport 4789 local 10.0.0.1
	ip link show dev vx0 >/dev/null 2>&1 || return 0
	ip link set vx0 up
	made bridge fdb append 00:00:00:00:00:00 dev vx0 dst 10.0.0.9 &&
		made bridge fdb append 00:00:00:00:00:00 dev vx0 dst 10.0.0.10 port 4790 vni 77 via v0 &&
		made bridge fdb add 02:00:00:00:02:01 dev vx0 dst 10.0.0.11 self permanent &&
		made bridge fdb add 02:00:00:00:02:02 dev vx0 dst 10.0.0.12 dynamic &&
		made bridge fdb add 02:00:00:00:02:03 dev vx0 nhid 12
	maybe ip link add vx1 type vxlan external dstport 4800
	ip link show dev vx1 >/dev/null 2>&1 || return 0
	made bridge fdb add 02:00:00:00:02:04 dev vx1 src_vni 100 dst 10.0.0.13 vni 200
}

vrf() {
	maybe ip link add vrf7 type vrf table 700
	ip link show dev vrf7 >/dev/null 2>&1 || return 0
	made ip link set vrf7 up && made ip link set v4 master vrf7 && made ip route add 198.19.0.0/24 via 10.4.0.2 vrf vrf7
}
