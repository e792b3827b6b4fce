#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One link of each kind and every sort of address, for comparisons of what we print with what ip prints. Sourced or
# run in a namespace of its own. Its argument: the namespace, made here, for what has its other end elsewhere.
set -e
ip link set lo up
ip link add v0 type veth peer name v1
ip link add v2 mtu 1400 type veth peer name v3 mtu 1300
ip link add b1 type bond mode active-backup miimon 100 updelay 200 primary v0 fail_over_mac active
ip link set v0 master b1
ip link add b2 type bond mode 802.3ad lacp_rate fast xmit_hash_policy layer3+4
ip link set v2 master b2
ip link add b3 type bond mode balance-rr arp_interval 100 arp_ip_target 10.9.9.1,10.9.9.2 arp_validate active
ip link add b4 type bond mode balance-tlb
ip link add vrf10 type vrf table 10
ip link add link b1 name b1.5 type vlan id 5
ip link set b1.5 master vrf10
ip link add link b1 name b1.6 type vlan id 6 protocol 802.1ad gvrp on loose_binding on ingress-qos-map 1:2 egress-qos-map 3:4 5:6
ip link add link b1.6 name qinq type vlan id 7 reorder_hdr off
ip link add br0 type bridge vlan_filtering 1 group_fwd_mask 0x4008 priority 4097 stp_state 1
ip link add d0 type dummy
ip link set d0 master br0
ip link set d0 type bridge_slave hairpin on group_fwd_mask 0x20 learning off neigh_suppress on cost 7 priority 5
ip link add d1 txqueuelen 0 type dummy
ip link set d1 group 77 alias 'a "quoted" alias, with ünicode'
ip link property add dev d1 altname a-rather-long-alternative-name altname second.name
ip link set d1 addrgenmode none
ip link add link d1 name mv0 type macvlan mode bridge
ip link add link d1 name mv1 type macvlan mode source macaddr set 02:00:00:00:00:07
ip link add link d1 name mv2 type macvlan mode private bcqueuelen 300
ip link add d2 type dummy
ip link add link d2 name mv3 type macvlan mode passthru nopromisc
ip link add geneve0 type geneve id 5 remote 192.0.2.3
ip link add vxlan0 type vxlan id 9 dstport 4789 local 192.0.2.1
ip link add sit1 type sit local 192.0.2.1 remote 192.0.2.2 2>/dev/null || true
ip link add gre6 type ip6gre local 2001:db8::1 remote 2001:db8::2 2>/dev/null || true
ip link add team0 type team 2>/dev/null && ip link add d3 type dummy && ip link set d3 master team0 || true
ip link add ifbx type ifb
ip tuntap add tunx mode tun
for i in v0 v1 v2 v3 b1 b2 b3 b4 vrf10 b1.5 b1.6 br0 d0 mv0 mv3 geneve0 vxlan0 tunx; do ip link set "$i" up; done
ip link set v1 down
other=${1:-other}
ip netns add "$other"
ip link set v3 netns "$other"
ip link set d2 protodown on 2>/dev/null || true
ip addr add 2000::1/64 dev b1.5
ip addr add 10.0.0.1/24 brd + dev b1.5 label b1.5:x
ip addr add 10.0.0.2/24 dev b1.5
ip addr add 10.1.0.1 peer 10.1.0.2/32 dev b1.5
ip addr add 10.2.0.1/24 dev br0 metric 77 noprefixroute valid_lft 1000 preferred_lft 500
ip addr add 2001:db8:1::1/64 dev br0 nodad metric 99
ip addr add 2001:db8:2::1/64 dev br0 valid_lft 1000 preferred_lft 0
ip addr add 2001:db8:3::1 peer 2001:db8:3::2 dev br0 nodad
ip addr add 2001:db8:4::1/64 dev br0 home mngtmpaddr
ip addr add 192.0.2.65/26 dev d1 scope link
ip addr add 192.0.2.1/32 dev lo scope host
