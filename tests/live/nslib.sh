# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Shared by the tests of many namespaces (after tests/lib.sh and own_machine): a machine with bridges br0, ... and namespaces
# t1, t2, ..., each with eth0, whose peer is a port of the bridge, an address and a sysctl.

NSWALK=$NETCTLD_BUILD/tests/live/nswalk
SYSCTL=net.ipv4.ip_forward

# bridge B [FIRST LAST]...: the ports of bridge number B among these; the kernel gives a bridge 1,023 at most
bridge() {
	_bridge=$1 _ports=''
	shift
	while [ $# -ge 2 ]; do
		_first=$((_bridge * 1000 + 1)) _last=$((_bridge * 1000 + 1000))
		[ "$_first" -ge "$1" ] || _first=$1
		[ "$_last" -le "$2" ] || _last=$2
		[ "$_first" -gt "$_last" ] || _ports="$_ports${_ports:+, }\"v{$_first..$_last}\""
		shift 2
	done
	# A MAC address of its own: else the kernel gives it the least of its ports', and tells of that.
	echo "    br$_bridge: {macaddress: \"02:00:00:00:00:b$_bridge\", parameters: {stp: false}, interfaces: [$_ports]}"
}

# configuration FIRST LAST [FIRST LAST]...: of the namespaces from FIRST to LAST each, at most 9,000
configuration() {
	printf 'network:\n  version: 2\n  bridges:\n'
	_b=0
	while [ $((_b * 1000)) -lt "${count:-1000}" ]; do
		bridge "$_b" "$@"
		_b=$((_b + 1))
	done
	_veths='' _spaces=''
	while [ $# -ge 2 ]; do
		[ "$1" -le "$2" ] && {
			_range="{$1..$2}"
			_veths="$_veths
    \"v$_range\": {peer: {netns: \"t{n}\", name: eth0}}"
			_spaces="$_spaces
      \"t$_range\":
        sysctl: {$SYSCTL: 1}
        virtual-ethernets: {eth0: {addresses: [\"10.{n/256}.{n%256}.2/24\"]}}"
		}
		shift 2
	done
	printf '  virtual-ethernets:%s\n  namespaces:%s\n' "$_veths" "$_spaces"
}

# What the walker says of them, without what differs from run to run and without the loopback device.
inside() {
	"$NSWALK" -s "$SYSCTL" | sed -n \
		-e 's/^\([^ ]*\) link [0-9]* \([^ ]*\) \([a-z]*\) \([^ ]*\) master \([0-9]*\) .*/\1 link \2 \3 \4 \5/' \
		-e '/ link lo /d; / netns /d' \
		-e 's/ address [0-9]*/ address/' -e 's/ tentative$//' -e p | LC_ALL=C sort
}

expect_inside() { # FIRST LAST [FIRST LAST]...
	while [ $# -ge 2 ]; do
		seq "$1" "$2"
		shift 2
	done | awk -v sysctl="$SYSCTL" '{
		print "t" $1 " link eth0 up veth 0"
		print "t" $1 " address 10." int($1 / 256) "." $1 % 256 ".2/24"
		print "t" $1 " sysctl " sysctl " 1"
	}' | LC_ALL=C sort
}

ports() { # of the bridges, those that are up
	ip -o link show up type veth | sed -n 's/^[0-9]*: \(v[0-9]*\)@.* master br[0-9] .*/\1/p' | LC_ALL=C sort
}

expect_ports() {
	while [ $# -ge 2 ]; do
		seq "$1" "$2"
		shift 2
	done | sed 's/^/v/' | LC_ALL=C sort
}

# is_built FIRST LAST [FIRST LAST]...: all that is configured is there, and no more
is_built() {
	expect_inside "$@" >"$tmp/want"
	expect_ports "$@" >>"$tmp/want"
	inside >"$tmp/got"
	ports >>"$tmp/got"
	diff "$tmp/want" "$tmp/got" | head -n 20
	cmp -s "$tmp/want" "$tmp/got"
}

# Everything of all namespaces, so that what was not touched can be told from what was: cookies and ifindexes.
everything() {
	"$NSWALK" -a -s "$SYSCTL" "$@"
}

home_links() { # IFINDEX NAME, a line each
	ip -o link | sed -n 's/^\([0-9]*\): \([^:@]*\).*/\1 \2/p' | grep -v ' watched' | LC_ALL=C sort
}

# No address detection under way, no carrier still to be told of: the kernel has nothing more to say by itself.
quiet() {
	! "$NSWALK" -a | grep -q -e ' tentative$' -e ' eth0 up .* oper [0-57]$' &&
		! ip -6 -o addr show tentative | grep -q . && ! ip -br link show type veth | grep '^v[0-9]' | grep -qv ' UP '
}

# Names without a namespace behind them, which iproute2 calls broken.
broken_names() {
	"$NSWALK" | sed -n 's/ broken .*//p'
}

settled() {
	netctl -j status | grep -q '"state":"settled"'
}

milliseconds() {
	date +%s%3N
}
