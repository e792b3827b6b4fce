#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One configuration over another where the order matters: a port's old uppers go before it becomes a port and the other
# way round, a bridge keeps the MTU it was given whatever its ports have, and a refused change of kind leaves what was,
# ports and ownership included.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"

write() { # NAME, body on standard input
	{
		echo 'network:'
		cat
		echo '  virtual-ethernets: {p: {peer: q}, q: {peer: p}, r: {peer: s}, s: {peer: r}}'
	} >"$tmp/$1.yaml"
}

applied() { # NAME
	ok "$1 is applied" netctl apply --allow-recreate "$tmp/$1.yaml"
	equal "$1 is what the kernel has" 0 "$(netctl plan "$tmp/$1.yaml" >/dev/null; echo $?)"
}

refused() { # NAME
	netctl apply --allow-recreate "$tmp/$1.yaml" >"$tmp/out" 2>&1
	equal "$1 is refused" 4 "$?"
	ok "$1: all is said to be as before" grep -q 'as before' "$tmp/out"
}

mkdir "$tmp/conf"
netctld_start "$tmp/conf"

write upper <<-E
	  macvlans: {m: {link: p}}
	E
write port <<-E
	  bridges: {br: {interfaces: [p], parameters: {stp: false}}}
	E
applied upper
applied port
applied upper

write mtu <<-E
	  bridges: {br: {interfaces: [p], mtu: 1400, parameters: {stp: false}}}
	E
applied mtu
equal 'the bridge has its MTU' 1400 "$(cat /sys/class/net/br/mtu 2>/dev/null || ip -o link show br | sed 's/.* mtu \([0-9]*\) .*/\1/')"
write joins <<-E
	  bridges: {br: {interfaces: [p, r], mtu: 1400, parameters: {stp: false}}}
	E
applied joins
applied port

write bridge <<-E
	  bridges: {x: {interfaces: [p], parameters: {stp: false}, addresses: [192.0.2.1/24]}}
	E
write kind <<-E
	  macvlans: {x: {link: r, mtu: 9000}}
	E
applied bridge
before=$(status_number owned_links)
refused kind
equal 'all links are ours as before' "$before" "$(status_number owned_links)"
equal 'and the bridge has its port and address' 0 "$(netctl plan "$tmp/bridge.yaml" >"$tmp/out"; echo $?)"
sed 's/^/# /' "$tmp/out"
sed 's/^/# log: /' "$tmp/netctld.log" | tail -3
ok 'all of it can be taken away' netctl reload
equal 'nothing is left' lo "$(ip -o link | awk '{print $2}' | sed 's/[@:].*//' | tr '\n' ' ' | sed 's/ $//')"
ok 'the daemon ends cleanly' netctld_stop
done_testing
