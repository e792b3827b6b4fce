#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the other guest tests count on: link kinds, modules and mounts.

. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip

equal 'no helper is forked for a link' '' "$(cat /sys/kernel/uevent_helper)"
ok 'the loopback device is up' grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6
for dir in /proc /sys /dev /dev/pts /dev/shm /run /sys/fs/cgroup /out; do
	ok "$dir is mounted" mountpoint -q "$dir"
done
ok 'tun' test -c /dev/net/tun
ok '/dev/fd' test -e /dev/fd/0

ip link add name d0 type dummy
for kind in dummy veth bridge bond vrf:table:10 ifb nlmon; do
	ok "link kind ${kind%%:*}" ip link add name x0 type $(echo "$kind" | tr : ' ')
	ip link del dev x0
done
for kind in vlan:id:5 macvlan macvtap ipvlan; do
	ok "link kind ${kind%%:*}" ip link add name x0 link d0 type $(echo "$kind" | tr : ' ')
	ip link del dev x0
done
for kind in vxlan:id:7:dstport:4789 gre:local:192.0.2.1; do
	ok "link kind ${kind%%:*}" ip link add name x0 type $(echo "$kind" | tr : ' ')
	ip link del dev x0
done

ok 'a network namespace' ip netns add one
ok 'another process there' ip netns exec one ip link set dev lo up

done_testing
