#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Routes, rules, next hops, neighbours and forwarding entries by netctl are what ip and bridge print; filters give what
# ip's give; monitor tells what happens.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip bridge python3
own_netns "$@"

compare() {
	python3 "$NETCTLD_SOURCE/tests/live/objects_compare.py" "$@"
}

# same NAME-OF-THE-TEST "IP COMMAND" "NETCTL WORDS" [KEY...]: until they agree, since the daemon is told a bit later.
agree() {
	_theirs=$1 _ours=$2
	shift 2
	$_theirs >"$tmp/theirs" && netctl -j $_ours >"$tmp/ours" && compare "$tmp/theirs" "$tmp/ours" "$@" >"$tmp/compared"
}
same() {
	_name=$1
	shift
	ok "$_name" wait_until -t 20 agree "$@"
	sed 's/^/# /' "$tmp/compared"
}

ip link set lo up
ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up
ip link add br0 type bridge && ip link set br0 up
ip link add v2 type veth peer name v3 && ip link set v2 master br0 && ip link set v2 up && ip link set v3 up
ip addr add 10.0.0.1/24 dev v0
ip addr add 2001:db8::1/64 dev v0 nodad
ip route add 192.0.2.0/24 via 10.0.0.9 metric 50 proto bgp
ip route add 192.0.2.0/25 dev v0 tos 0x10
ip route add 198.51.100.0/24 nexthop via 10.0.0.9 weight 2 nexthop via 10.0.0.10
ip route add blackhole 203.0.113.0/24
ip route add unreachable 203.0.113.0/25 table 100
ip nexthop add id 7 via 10.0.0.9 dev v0
ip nexthop add id 8 via 10.0.0.10 dev v0
ip nexthop add id 9 group 7/8,3
ip nexthop add id 10 blackhole
ip route add 100.64.0.0/10 nhid 9
ip -6 route add 2001:db8:1::/48 via 2001:db8::9 table 77 metric 5
ip -6 route add 2001:db8:2::/48 nexthop via 2001:db8::9 nexthop via 2001:db8::a weight 3
ip rule add from 10.0.0.0/8 fwmark 7/0xff table 100
ip rule add iif v0 to 192.0.2.0/24 priority 50 table main suppress_prefixlength 0
ip -6 rule add iif v0 table 77
ip neigh add 10.0.0.9 lladdr 02:00:00:00:00:09 dev v0 nud permanent
ip neigh add 2001:db8::9 lladdr 02:00:00:00:00:09 dev v0 nud permanent
ip neigh add proxy 10.0.0.77 dev v0
bridge fdb add 02:00:00:00:00:0b dev v2 master static
mkdir "$tmp/conf"
netctld_start "$tmp/conf"

same 'all routes' 'ip -j -d route show table all' 'route show table all'
# What a filter says goes without saying for ip.
same 'IPv4 by default' 'ip -j -d route' 'route' table
same 'IPv6' 'ip -6 -j -d route' '-6 route' table
same 'a table' 'ip -j -d route show table 100' 'route show table 100' table
same 'root' 'ip -j -d route show root 192.0.2.0/24' 'route show root 192.0.2.0/24' table
same 'match' 'ip -j -d route show match 192.0.2.1' 'route show match 192.0.2.1' table
same 'exact' 'ip -j -d route show exact 192.0.2.0/24' 'route show exact 192.0.2.0/24' table
same 'a prefix' 'ip -j -d route show 192.0.2.0/25' 'route show 192.0.2.0/25' table
same 'a protocol' 'ip -j -d route show proto bgp' 'route show proto bgp' table protocol
same 'a type' 'ip -j -d route show type blackhole table all' 'route show type blackhole table all'
same 'a gateway' 'ip -j -d route show via 10.0.0.9 proto bgp' 'route show via 10.0.0.9 proto bgp' table protocol gateway
same 'rules' 'ip -j -d rule' 'rule'
same 'IPv6 rules' 'ip -6 -j -d rule' '-6 rule'
same 'rules of a table' 'ip -j -d rule show table 100' 'rule show table 100'
same 'next hops' 'ip -j -d nexthop' 'nexthop'
same 'groups' 'ip -j -d nexthop show groups' 'nexthop show groups'
same 'neighbours' 'ip -j -d neigh show nud all' 'neigh show nud all' used confirmed updated refcnt probes
same 'usual neighbours' 'ip -j -d neigh' 'neigh' used confirmed updated refcnt probes
same 'proxies' 'ip -j -d neigh show proxy' 'neigh show proxy' used confirmed updated refcnt probes
same 'forwarding entries' 'bridge -j -d fdb' 'fdb' used updated
same 'links with counters' 'ip -j -s link show dev v0' '-s link dev v0' \
	min_mtu max_mtu promiscuity allmulti inet6_addr_gen_mode num_tx_queues num_rx_queues gso_max_size gso_max_segs \
	tso_max_size tso_max_segs gro_max_size gso_ipv4_max_size gro_ipv4_max_size max_pacing_offload_horizon linkinfo parentbus

netctl -j monitor initial >"$tmp/changes" &
monitor=$!
at_exit "kill $monitor 2>/dev/null"
ok 'monitor tells what is there' wait_until -t 20 grep -q '"op":"complete"' "$tmp/changes"
ip link set v1 mtu 1400
ip route add 198.18.0.0/15 via 10.0.0.9
ip route del 198.18.0.0/15
ip rule add priority 5 table 5
ip nexthop del id 10
ok 'and what happens' wait_until -t 20 grep -q '"op":"removed","object":"nexthop"' "$tmp/changes"
ok 'each change' grep -q '"op":"changed","object":"link".*"changed":\["mtu"\]' "$tmp/changes"
ok 'in order' sh -c 'grep -n "198.18.0.0/15" "$0" | sed "s/.*\"op\":\"\([a-z]*\)\".*/\1/" | tr "\n" " " |
	grep -q "^added removed $"' "$tmp/changes"
ok 'under numbers without a hole' python3 -c '
import json, sys
seq = [json.loads(line)["seq"] for line in open(sys.argv[1])]
sys.exit(seq != list(range(1, len(seq) + 1)))' "$tmp/changes"
kill "$monitor"

ok 'a way' sh -c 'netctl -j route get 192.0.2.200 | grep -q "\"gateway\":\"10.0.0.9\""'
refute 'no way' netctl route get 8.8.8.8
ok 'counters' sh -c 'netctl -j stats | python3 -c "import json, sys; s = json.load(sys.stdin); sys.exit(
	s[\"mirror\"][\"links\"] != 6 or s[\"bus\"][\"gaps\"] != 0 or not s[\"loop\"][\"turns\"])"'
ok 'the daemon ends cleanly' netctld_stop
done_testing
