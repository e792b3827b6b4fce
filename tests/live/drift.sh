#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What others do by hand to what netctld owns is brought back within a second and told once; what it does not own is
# left alone. A storm is damped: what it costs netctld is measured in time of its processor.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"
need_cmd ip awk

cat >"$tmp/a.yaml" <<-E
	network:
	  virtual-ethernets:
	    va: {peer: vb, mtu: 1400}
	    vb: {peer: va, addresses: ["192.0.2.1/24", "192.0.2.2/24", "2001:db8:1::1/64"]}
	  bridges:
	    told: {drift: report}
	    br0: {parameters: {stp: false}, macaddress: "02:00:00:00:00:b0", addresses: ["192.0.2.65/26"]}
	  macvlans:
	    "mv{1..3}": {link: vb, addresses: ["198.51.100.{n}/32"]}
		E
netctld_start "$tmp/a.yaml"

now_ms() {
	awk '{printf "%d\n", $1 * 1000}' /proc/uptime
}

settled() {
	netctl -j status | grep -q '"state":"settled"'
}

has_addr() { # LINK ADDRESS
	ip -o addr show dev "$1" | grep -q " $2 "
}

is_up() { # LINK
	ip -o link show dev "$1" | grep -q '<.*[<,]UP[,>]'
}

repaired() { # TEXT: how often the log tells of it
	grep -c "repaired $1" "$tmp/netctld.log"
}

# Asks until it is so; the limit is for a slow machine, the time is told.
soon() { # NAME COMMAND...
	_name=$1
	shift
	_began=$(now_ms)
	if wait_until -t ${limit:-10} "$@"; then
		ok "$_name (after $(($(now_ms) - _began)) ms)" true
	else
		ok "$_name" "$@"
	fi
}

wait_until settled

ip link del mv2
soon 'a link that was deleted is there again' has_addr mv2 198.51.100.2/32
wait_until settled
equal 'which is told once' 1 "$(repaired 'macvlan mv2: gone')"

ip addr del 192.0.2.1/24 dev vb
soon 'an address that was deleted is there again' has_addr vb 192.0.2.1/24
wait_until settled
wait_until has_addr vb 192.0.2.2/24
equal 'which is told once' 1 "$(repaired 'veth vb: .*address')"

wait_until settled
ip addr flush dev br0
soon 'so is one that was flushed' has_addr br0 192.0.2.65/26

index_of() {
	ip -o link show dev "$1" | sed 's/:.*//'
}
index=$(index_of mv3)
ip link set dev mv3 name other
soon 'a link that was renamed has its name again' ip link show dev mv3
equal 'it is the same link' "$index" "$(index_of mv3)"
wait_until settled
equal 'which is told once' 1 "$(repaired 'macvlan mv3: renamed')"

ip link set dev br0 mtu 1300
mtu() { # LINK MTU
	ip -o link show dev "$1" | grep -q " mtu $2 "
}
ip link set dev va mtu 1300
soon 'a value that was changed is back' mtu va 1400
ok 'but not one that the configuration does not name' mtu br0 1300

ip link set dev mv1 alias changed
ip addr add 203.0.113.1/24 dev mv1
ip link add foreign type veth peer name foreign_
ip link set dev foreign mtu 1300
ip link set dev foreign up

# Flaps take IPv6 addresses along.
ip link set dev vb down
soon 'a link that was set down is up' is_up vb
soon 'its IPv6 address is there again' has_addr vb 2001:db8:1::1/64
wait_until settled
ip link set dev va down && ip link set dev va up
ip link set dev vb down && ip link set dev vb up
soon 'after a flap as well' has_addr vb 2001:db8:1::1/64

ip link del va
soon 'a pair, and all that stood on it' has_addr mv3 198.51.100.3/32
wait_until settled
ok 'all of it is as configured' netctl drift
ok 'what others made is as it was' sh -c 'ip link show foreign && ip -o link show foreign | grep -q "mtu 1300"'

# Only to be told.
ip link set dev told down
told() {
	netctl status | grep -q 'bridge told is not as configured'
}
wait_until told
refute 'a link whose drift is only reported is left as it is' is_up told
netctl drift >"$tmp/drift"
equal 'netctl drift: exit status' 1 "$?"
ok 'and it names the link and its line' grep -q 'told.*a.yaml:6' "$tmp/drift"
equal 'the log has it once' 1 "$(grep -c 'bridge told is not as configured' "$tmp/netctld.log")"
ip link set dev told up
wait_until settled

# A storm. netctld sees all of it, and gives up trying for longer and longer times.
cpu_ms() { # of all threads of the daemon
	cat /proc/"$netctld_pid"/task/*/schedstat | awk '{n += $1} END {printf "%d\n", n / 1000000}'
}
storm() { # NAME SECONDS MILLISECONDS COMMAND...: rounds that take so long at least
	_name=$1 _seconds=$2 _each=$3
	shift 3
	_lines=$(wc -l <"$tmp/netctld.log")
	_cpu=$(cpu_ms) _began=$(now_ms) _n=0
	_until=$((_began + _seconds * 1000))
	while [ "$(now_ms)" -lt "$_until" ]; do
		"$@"
		_n=$((_n + 1))
		# Nothing is waited for: this is its pace.
		while [ "$(now_ms)" -lt $((_began + _n * _each)) ]; do
			sleep 0.02
		done
	done
	_took=$(($(now_ms) - _began))
	_share=$((($(cpu_ms) - _cpu) * 100 / _took))
	_lines=$(($(wc -l <"$tmp/netctld.log") - _lines))
	ok "$_name: $_n rounds in $_took ms, netctld had $_share % of a processor and told $_lines lines" true
	ok 'that is less than 20 %' test "$_share" -lt 20
	ok 'and the log has not run full' test "$_lines" -lt 40
}
for n in $(seq 40); do
	echo "addr del 192.0.2.1/24 dev vb"
	echo "addr add 192.0.2.1/24 dev vb"
	echo "addr add 203.0.113.$n/32 dev vb"
	echo "addr del 203.0.113.$n/32 dev vb"
	echo "link set dev vb down"
	echo "link set dev vb up"
done >"$tmp/batch"
addresses_and_flags() {
	ip -force -batch "$tmp/batch" >/dev/null 2>&1
}
# 240 changes a round: 1,000 a second.
storm 'addresses and flags' 6 240 addresses_and_flags
for n in $(seq 20); do
	echo "link del mv1"
	echo "link add mv1 link vb type macvlan"
	echo "link set dev mv2 name away"
	echo "link set dev away name mv2"
done >"$tmp/links"
links() {
	ip -force -batch "$tmp/links" >/dev/null 2>&1
}
# As fast as the kernel can.
storm 'links' 6 0 links
ok "then all is brought back" wait_until -t 90 netctl drift
ok 'the daemon ends cleanly' netctld_stop
done_testing
