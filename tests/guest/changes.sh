#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Changes of links, by the key: those that are live, or a flap, are done without a word and once; those that make a link
# again ask first. After each, nothing is left to do.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
write() { # FILE LINKS
	cat >"$1" <<-E
		network:
		  dummy-devices: {d0: {mtu: 2000, addresses: [10.0.0.1/24]}, d1: {}, d2: {}}
		  $2
		E
}
changes() { # CLASS BEFORE AFTER
	write "$tmp/x.yaml" "$2"
	write "$tmp/y.yaml" "$3"
	ok "$2" netctl apply "$tmp/x.yaml"
	ok 'is silent' netctl plan "$tmp/x.yaml"
	netctl apply "$tmp/y.yaml" >"$tmp/out" 2>&1
	_rc=$?
	if [ "$1" = recreate ]; then
		equal "asks before $3" 2 "$_rc"
		ok 'and does so when allowed' netctl apply --allow-recreate "$tmp/y.yaml"
	else
		equal "$1 change to $3" 0 "$_rc"
		[ "$_rc" = 0 ] || sed 's/^/# /' "$tmp/out"
	fi
	ok 'is silent' netctl plan "$tmp/y.yaml"
	netctl reload >/dev/null || echo "# reload: $?"
}

V='vlans: {v1: {id: 1, link: d0,'
changes live "$V flags: [gvrp], ingress-qos: {1: 2, 3: 4}, egress-qos: {1: 2, 3: 4}}}" \
	"$V flags: [no-reorder-hdr, mvrp], ingress-qos: {1: 3}, egress-qos: {4: 4}}}"
changes live "$V flags: [gvrp], ingress-qos: {1: 2}, egress-qos: {1: 2}}}" "$V flags: [], ingress-qos: {}, egress-qos: {}}}"
changes recreate "$V protocol: 802.1Q}}" "$V protocol: 802.1ad}}"
M='macvlans: {m: {link: d0, mode:'
changes live "$M private, bc-queue-length: 1500}}" "$M vepa, bc-queue-length: 3000}}"
changes live "$M passthru, flags: [nopromisc]}}" "$M passthru, flags: []}}"
changes live "$M source, flags: []}}" "$M source, flags: [nodst]}}"
changes recreate "$M bridge}}" "$M passthru}}"
I='ipvlans: {i: {link: d0, mode:'
changes live "$I l2, flags: private}}" "$I l3, flags: vepa}}"
changes live "$I l3s, flags: bridge}}" "$I l2, flags: private}}"

X='tunnels: {x: {mode: vxlan, id: 5,'
changes live "$X remote: 10.0.0.2, local: 10.0.0.1, ttl: 3, type-of-service: 2}}" \
	"$X remote: 10.0.0.3, local: 10.0.0.9, ttl: 5, type-of-service: 4}}"
changes live "$X mac-learning: true, do-not-fragment: true}}" "$X mac-learning: false, do-not-fragment: inherit}}"
for i in limit:4 arp-proxy:true checksums:[] extensions:[group-policy]; do
	changes recreate "$X port: 4789}}" "$X port: 4789, ${i%:*}: ${i#*:}}}"
done
changes recreate "$X port: 4789}}" "$X port: 4790}}"
changes recreate "$X link: d0}}" "$X link: d1}}"
changes recreate "$X remote: 10.0.0.2}}" "$X remote: '2001:db8::1'}}"
G='tunnels: {x: {mode: geneve, id: 5,'
changes live "$G remote: 10.0.0.2, ttl: 5, type-of-service: 4, do-not-fragment: true}}" \
	"$G remote: 10.0.0.3, ttl: 6, type-of-service: 8, do-not-fragment: false}}"
changes recreate "$G remote: 10.0.0.2, port: 7000}}" "$G remote: 10.0.0.2, port: 7001}}"
changes recreate "$G remote: 10.0.0.2}}" "$G remote: '2001:db8::1'}}"
# The kernel gives a sit without a remote end the address ::10.0.0.1: nobody's loss.
for m in gre gretap ipip sit vti; do
	T="tunnels: {x: {mode: $m, local: 10.0.0.1"
	changes live "$T, remote: 10.0.0.2, fwmark: 3}}" "$T, remote: 10.0.0.3, fwmark: 4}}"
	changes recreate "$T}}" "$T, remote: 10.0.0.7}}"
	changes live "$T, fwmark: 3}}" "$T, fwmark: 4}}"
done
for m in gre gretap ipip sit; do
	T="tunnels: {x: {mode: $m, local: 10.0.0.1"
	changes live "$T, ttl: 5, pmtudisc: true}}" "$T, ttl: 0, pmtudisc: false}}"
done
changes recreate 'tunnels: {x: {mode: gre, local: 10.0.0.1, link: d0}}' 'tunnels: {x: {mode: gre, local: 10.0.0.1, link: d1}}'
for m in ip6gre ip6gretap ip6ip6 ipip6 vti6; do
	T="tunnels: {x: {mode: $m, local: '2001:db8::1'"
	changes live "$T, fwmark: 3}}" "$T, remote: '2001:db8::2', fwmark: 9}}"
done
changes live "tunnels: {x: {mode: ip6ip6, local: '2001:db8::1'}}" "tunnels: {x: {mode: ipip6, local: '2001:db8::1'}}"
changes another "tunnels: {x: {mode: gre, local: 10.0.0.1, remote: 10.0.0.2}}" \
	"tunnels: {renamed: {mode: gre, local: 10.0.0.1, remote: 10.0.0.2}}"

B='bridges: {b: {interfaces: [d1, d2], parameters: {vlan-filtering: true,'
changes live "$B vlan-protocol: 802.1ad, vlan-stats: true, group-fwd-mask: 8}}}" \
	"$B vlan-protocol: 802.1Q, vlan-stats: false, group-fwd-mask: 0}}}"
changes live "$B mcast-snooping: true, mcast-query-interval: 10, isolated: {d1: true}, path-cost: {d1: 10}}}}" \
	"$B mcast-snooping: false, mcast-query-interval: 20, isolated: {d1: false}, path-cost: {d1: 20}}}}"
changes recreate "$B vlan-stats-per-port: false}}}" "$B vlan-stats-per-port: true}}}"
B='bonds: {b: {interfaces: [d1, d2], parameters: {mode:'
changes flap "$B 802.3ad, lacp-active: on, ad-actor-sys-prio: 5, ad-user-port-key: 4}}}" \
	"$B 802.3ad, lacp-active: off, ad-actor-sys-prio: 6, ad-user-port-key: 5}}}"
changes flap "$B balance-tlb, tlb-dynamic-lb: true}}}" "$B balance-tlb, tlb-dynamic-lb: false}}}"
changes live "$B active-backup, mii-monitor-interval: 100, peer-notify-delay: 100, queue-id: {d1: 1}, port-priority: {d1: 4}}}}" \
	"$B active-backup, mii-monitor-interval: 100, peer-notify-delay: 200, queue-id: {d1: 2}, port-priority: {d1: 5}}}}"
ok 'the daemon ends cleanly' netctld_stop
done_testing
