#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What is told of plans and failures: one line for a whole range, also where ranges interleave, and the first reason in
# netctl status.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"

entries() { # of the plan for FILE: action, label and count, a line each
	netctl -j plan "$1" | sed 's/{"action"/\n&/g' |
		sed -n 's/.*"action":"\([a-z]*\)".*"label":"\([^"]*\)","count":\([0-9]*\).*/\1 \2 \3/p'
}

status() { # MEMBER
	netctl -j status | sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'
}

pairs() { # NUMBERS: pairs left91/right91 and so on, an address at either end
	echo 'network:'
	echo '  virtual-ethernets:'
	for _range; do
		echo "    left$_range: {peer: \"right{n}\", addresses: [\"10.0.{n}.1/24\"]}"
		echo "    right$_range: {peer: \"left{n}\", addresses: [\"10.0.{n}.2/24\"]}"
	done
}

netctl_status_says() { # TEXT, in the last error
	netctl -j status | sed 's/.*"last_error"//' | grep -qF "$1"
}

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
pairs '{0..9}' >"$tmp/a.yaml"
equal 'new pairs are told by their definitions' 'create left{0..9} 20 add left{0..9} 10 add right{0..9} 10 ' \
	"$(entries "$tmp/a.yaml" | tr '\n' ' ')"
ok 'apply' netctl apply "$tmp/a.yaml"
pairs '{0..0}' >"$tmp/b.yaml"
equal 'interleaved deletions are one line a stem' 'delete left{1..9} 9 delete right{1..9} 9 ' \
	"$(entries "$tmp/b.yaml" | grep delete | tr '\n' ' ')"
pairs '{0..9..3}' >"$tmp/b.yaml"
equal 'with a line for each piece' \
	'left{1..2} left{4..5} left{7..8} right{1..2} right{4..5} right{7..8} ' \
	"$(entries "$tmp/b.yaml" | grep delete | cut -d' ' -f2 | sort | tr '\n' ' ')"
sed 's/, addresses.*]//' "$tmp/a.yaml" >"$tmp/b.yaml"
equal 'addresses that go, likewise' 'remove left{0..9} 10 remove right{0..9} 10 ' \
	"$(entries "$tmp/b.yaml" | tr '\n' ' ')"

printf 'network:\n  bridges:\n    br0: {mtu: x, stp: y}\n' >"$tmp/wrong.yaml"
netctl apply "$tmp/wrong.yaml" 2>/dev/null
equal 'a wrong configuration is not accepted' failed "$(status state)"
ok 'status tells its first error' netctl_status_says 'wrong.yaml:3:16: mtu must be a whole number, not '
ok 'so does the log' grep -q 'wrong.yaml:3:16: mtu must be a whole number' "$tmp/netctld.log"
ip link add foreign type veth peer name other
printf 'network: {bridges: {foreign: {}}}\n' >"$tmp/blocked.yaml"
netctl apply "$tmp/blocked.yaml" >/dev/null 2>&1
ok 'and what blocks a plan' netctl_status_says 'blocked.yaml:1:21: a link that netctld does not own is in the way'

# An IPv6 address needs an MTU of 1,280 bytes.
printf 'network: {virtual-ethernets: {va: {peer: vb, mtu: 1000, addresses: ["2001:db8::1/64"]}, vb: {peer: va}}}\n' \
	>"$tmp/refused.yaml"
netctl -j apply --keep-going "$tmp/refused.yaml" >"$tmp/out"
equal 'keep going: exit status' 4 "$?"
ok 'keep going: the result' grep -q '"state":"partly-applied"' "$tmp/out"
equal 'keep going: status' partly-applied "$(status state)"
ok 'keep going: and why' netctl_status_says 'refused.yaml:1:69: add veth va: Invalid argument'
ok 'keep going: the rest is there' ip link show dev vb
ok 'a good one again' netctl apply "$tmp/a.yaml"
equal 'settles' settled "$(status state)"
equal 'and forgets' '' "$(status last_error)"
ok 'the daemon ends cleanly' netctld_stop
done_testing
