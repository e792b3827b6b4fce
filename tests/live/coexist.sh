#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A routing daemon beside netctld: BIRD holds 10,000 routes of both families in the kernel, somebody else next hops and
# rules, while netctld goes through 20 reloads with routes, rules, next hops and links that come, change and go, over the
# same links. Of the others not one thing is touched: no event names it.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"
need_cmd bird birdc ip

n=10000

# By numbers: what each of them has, and netctld's are left out.
foreign() {
	for f in -4 -6; do
		ip -N $f route show table all proto 12
		ip -N $f route show table all proto 11
		ip -N $f rule | grep -v 'proto 78'
	done
	ip -N nexthop show proto 11
}

bird_conf() {
	cat <<-E
		log "$tmp/bird.log" all;
		router id 192.0.2.1;
		protocol device { scan time 1; }
		protocol kernel k4 { ipv4 { export all; import none; }; persist; }
		protocol kernel k6 { ipv6 { export all; import none; }; persist; }
	E
	awk -v n=$n 'BEGIN {
		print "protocol static s4 { ipv4;"
		for (i = 0; i < n / 2; i++)
			printf "route 10.%d.%d.0/24 via 192.0.2.%d;\n", i / 256, i % 256, 10 + i % 200
		print "}\nprotocol static s6 { ipv6;"
		for (i = 0; i < n / 2; i++)
			printf "route 2001:db8:%x::/48 via 2001:db8::%x;\n", 4096 + i, 16 + i % 200
		print "}"
	}'
}

count() {
	[ "$( (ip -4 route show proto bird; ip -6 route show proto bird) | wc -l)" = $n ]
}

ip link add base type veth peer name base_
ip link set base_ up
ip link set base up
ip addr add 192.0.2.1/24 dev base
ip addr add 2001:db8::1/64 dev base nodad
bird_conf >"$tmp/bird.conf"
bird -c "$tmp/bird.conf" -s "$tmp/bird.ctl" -P "$tmp/bird.pid" || skip 'bird does not start here'
bird_stop() {
	kill "$bird_pid" 2>/dev/null
	wait_until -t 10 sh -c "! kill -0 $bird_pid"
}
wait_until test -s "$tmp/bird.pid"
bird_pid=$(cat "$tmp/bird.pid")
at_exit bird_stop
ok "BIRD has its $n routes in the kernel" wait_until count

ip nexthop add id 101 via 192.0.2.7 dev base proto zebra
ip nexthop add id 102 via 192.0.2.8 dev base proto zebra
ip nexthop add id 110 group 101/102 proto zebra
ip route add 172.16.0.0/16 nhid 110 proto zebra
ip -6 route add 2001:db8:f000::/48 via 2001:db8::7 metric 5 proto zebra
for i in 1 2 3 4 5; do
	ip rule add from 172.16.$i.0/24 lookup $((100 + i)) priority $((5000 + i)) protocol zebra
	ip -6 rule add from 2001:db8:f$i::/48 lookup $((100 + i)) priority $((5000 + i)) protocol bird
done

# Round i of the configuration: some of it stays, some changes, some is there every other time only.
round() {
	cat <<-E
		network:
		  ethernets:
		    base:
		      routes:
		        - {to: 198.51.100.0/24, via: 192.0.2.2, mtu: $((1300 + $1))}
		        - {to: 198.51.$((101 + $1 % 3)).0/24, via: 192.0.2.$((2 + $1 % 5))}
		        - {to: "2001:db8:e00$(($1 % 7))::/48", via: "2001:db8::$((2 + $1))"}
		        - {to: 10.0.1.0/24, via: 192.0.2.3, metric: $((50 + $1 % 2))}
		        - {to: 203.0.113.0/24, nexthop: 3}
		        - {to: 203.0.114.0/24, nexthops: [{via: 192.0.2.4}, {via: 192.0.2.$((5 + $1 % 2)), weight: 2}]}
		        - {to: 172.17.0.0/16, type: blackhole}
		  nexthops:
		    1: {via: 192.0.2.$((20 + $1)), device: base}
		    2: {via: 192.0.2.3, device: base}
		    3: {group: [{id: 1}, {id: 2, weight: $((1 + $1 % 4))}]}
		  routing-policy:
		    - {from: 172.18.0.0/16, table: $((200 + $1 % 3)), priority: 5003}
		    - {mark: $((1 + $1 % 2)), table: 7}
		  virtual-ethernets:
		    "x{1..10}": {peer: "y{n}", addresses: ["10.250.{n}.$((1 + $1))/24"]}
		    "y{1..10}": {peer: "x{n}"}
	E
	[ $(($1 % 2)) = 0 ] || cat <<-E
		    z0: {peer: z1, addresses: [203.0.115.1/24], routes: [{to: 203.0.116.0/24, via: 203.0.115.2}]}
		    z1: {peer: z0}
	E
}

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
foreign | sort >"$tmp/before"
ip -o -N -rcvbuf 67108864 monitor route rule nexthop >"$tmp/monitor" 2>&1 &
monitor=$!
at_exit "kill $monitor 2>/dev/null"
heard() {
	ip rule add from 10.255.255.255 lookup 1 priority 6000 && ip rule del priority 6000
	grep -q 10.255.255.255 "$tmp/monitor"
}
wait_until heard
failed=
i=0
while [ $i -lt 20 ]; do
	round $i >"$tmp/conf/a.yaml"
	netctl reload >"$tmp/out" 2>&1 || failed="$failed $i: $(tail -n 2 "$tmp/out")"
	i=$((i + 1))
done
equal 'all reloads are applied' '' "$failed"
ok 'verify is equal' netctl verify
rm "$tmp/conf/a.yaml"
ok 'and all of it goes' netctl reload
ip route add 192.168.255.0/24 dev base proto 99
wait_until grep -q 192.168.255.0 "$tmp/monitor"
kill $monitor
ok 'netctld was at work' test "$(grep -c 'proto 78' "$tmp/monitor")" -gt 100
equal 'what others made was touched so often' 0 "$(grep -c -E 'proto (11|12)( |$)' "$tmp/monitor")"
foreign | sort >"$tmp/after"
ok 'and it is as before' diff "$tmp/before" "$tmp/after"
equal 'nothing of ours is left' '' "$(ip -N route show table all proto 78; ip -N -6 route show table all proto 78;
	ip -N nexthop show proto 78; ip -N rule | grep 'proto 78')"
ok "BIRD still has its $n routes" count
ok 'the daemon ends cleanly' netctld_stop
done_testing
