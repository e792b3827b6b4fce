# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Shared by the tests of many namespaces (after tests/lib.sh and own_machine): a machine with a bridge br0 and namespaces
# t1, t2, ..., each with eth0, whose peer is a port of the bridge, an address and a sysctl.

NSWALK=$NETCTLD_BUILD/tests/live/nswalk
SYSCTL=net.ipv4.ip_forward

# configuration FIRST LAST [FIRST LAST]...: of the namespaces from FIRST to LAST each
configuration() {
	_ports='' _veths='' _spaces=''
	while [ $# -ge 2 ]; do
		[ "$1" -le "$2" ] && {
			_range="{$1..$2}"
			_ports="$_ports${_ports:+, }\"v$_range\""
			_veths="$_veths
    \"v$_range\": {peer: {netns: \"t{n}\", name: eth0}}"
			_spaces="$_spaces
      \"t$_range\":
        sysctl: {$SYSCTL: 1}
        virtual-ethernets: {eth0: {addresses: [\"10.{n/256}.{n%256}.2/24\"]}}"
		}
		shift 2
	done
	# The bridge has a MAC address of its own: else the kernel gives it the least of its ports', and tells of that.
	cat <<-END
		network:
		  version: 2
		  bridges:
		    br0: {macaddress: "02:00:00:00:00:b0", parameters: {stp: false}, interfaces: [$_ports]}
		  virtual-ethernets:$_veths
		  namespaces:$_spaces
	END
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

ports() { # of the bridge, those that are up
	ip -o link show master br0 up 2>/dev/null | sed -n 's/^[0-9]*: \(v[0-9]*\)@.*/\1/p' | LC_ALL=C sort
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
		! ip -6 -o addr show tentative | grep -q . && ! ip -br link show master br0 | grep -qv ' UP '
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
