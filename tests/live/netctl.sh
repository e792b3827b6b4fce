#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What netctl's users get to see of link and address: filters together, empty answers, links that are missing (as
# ip shows them), and no daemon.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"

names() { # of links, as the words of netctl's JSON
	netctl -j "$@" | grep -o '"ifname":"[^"]*"' | cut -d'"' -f4 | sort | tr '\n' ' '
}

says() { # STATUS TEXT WORD...: netctl WORD... ends with this status and says this on stderr, and nothing else
	_want="$1 $2"
	shift 2
	_got=$(netctl "$@" 2>&1 >"$tmp/stdout")
	_got="$? $_got"
	equal "netctl $*: message and exit status" "$_want" "$_got"
	ok "netctl $*: nothing on stdout" [ ! -s "$tmp/stdout" ]
}

refute 'no daemon' netctl -r "$tmp/nowhere" status
netctl -r "$tmp/nowhere" status 2>"$tmp/out"
equal 'no daemon: exit status' 3 "$?"
ok 'no daemon: says how to start one' grep -q '"netctld &"' "$tmp/out"

ip link add va address 02:00:00:00:00:01 type veth peer name vb
ip addr add 192.0.2.1/24 dev va
ip addr add 2001:db8::1/64 dev va nodad
ip addr add 192.0.2.65/26 dev vb scope link
ip link set vb up
mkdir "$tmp/conf"
netctld_start "$tmp/conf"

equal 'links of a kind' 'va vb ' "$(names link type veth)"
equal 'links of a kind that are up' 'vb ' "$(names link up type veth)"
equal 'filters of both sorts' 'vb ' "$(names address up scope link)"
equal 'a name, then a prefix' 'va ' "$(names address va to 192.0.2.0/28)"
equal 'dev, then a prefix' 'va ' "$(names address show dev va to 2001:db8::/32)"
equal '-4' 'lo va vb ' "$(names -4 address)"
equal '-6, and a filter' 'va ' "$(names -6 address to 2001:db8::/32)"
equal '-6 of a link that has none' '' "$(names -6 address dev vb to 192.0.2.0/24)"
equal 'links have no family' 'lo va vb ' "$(names -6 link)"
for words in 'link type vlan' 'address to 203.0.113.0/24' '-6 address dev vb scope site'; do
	# shellcheck disable=SC2086
	equal "netctl -j $words: an empty list" '[]' "$(netctl -j $words)"
	# shellcheck disable=SC2086
	ok "netctl $words: empty is fine" netctl $words
done

says 1 'netctl: Device "nope" does not exist.' link show dev nope
says 1 'netctl: Device "nope" does not exist.' -j link nope
says 1 'netctl: Device "nope" does not exist.' address master nope
says 1 'netctl: Device with index 4711 does not exist.' link index 4711
says 2 'netctl: there is no "typ"; did you mean "type"?' link typ bridge
ok 'the daemon ends cleanly' netctld_stop
done_testing
