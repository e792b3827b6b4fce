#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# One link of each kind that kinds.sh has not, in each of its forms, ports of all kinds of masters, links with their
# lower ends in other namespaces. What this kernel does not have is passed over, and its name printed. Sourced or run in
# a namespace of its own. Its argument: the namespace, made here, for lower ends elsewhere.

ip link set lo up
ip link add base type veth peer name peer
ip link add hsr1 type veth peer name hsr2
ip link add ipvl type veth peer name ipvlp
for i in base peer hsr1 hsr2 ipvl ipvlp; do ip link set "$i" up; done
ip addr add 10.9.0.1/24 dev base
ip addr add 2001:db8::1/64 dev base nodad

make() {
	name=$1
	shift
	ip link add name "$name" "$@" 2>/dev/null || echo "no $name: $*"
}

make m-gre type gre remote 10.9.0.2 local 10.9.0.1
make m-gre2 type gre remote 10.9.0.2 local 10.9.0.1 key 7 iseq oseq icsum ocsum ttl 9 tos 4 fwmark 6
make m-gre3 type gre local 10.9.0.1 nopmtudisc ignore-df ikey 3 dev base
make m-gretap type gretap remote 10.9.0.2 ikey 1 okey 1.2.3.4
make m-gretapx type gretap external
make m-erspan type erspan remote 10.9.0.2 seq key 5 erspan_ver 1 erspan 9
make m-erspan2 type erspan remote 10.9.0.3 seq key 5 erspan_ver 2 erspan_dir egress erspan_hwid 3
make m-ip6gre type ip6gre remote 2001:db8::2 dev base
make m-ip6gretap type ip6gretap remote 2001:db8::2 tclass inherit flowlabel inherit encaplimit none hoplimit 7 key 5
make m-ip6gretap2 type ip6gretap remote 2001:db8::3 tclass 3 flowlabel 0x12345 dscp inherit fwmark inherit
make m-ip6erspan type ip6erspan remote 2001:db8::3 seq key 4 erspan_ver 1 erspan 3
make m-ipip type ipip remote 10.9.0.2 ttl 5 tos inherit
make m-ipipx type ipip external
make m-mplsip type ipip mode mplsip local 10.9.0.1
make m-sit type sit remote 10.9.0.2 local 10.9.0.1 ttl 64 dev base
make m-sit2 type sit local 10.9.0.1 mode any 6rd-prefix 2001:db8::/32
make m-isatap type sit local 10.9.0.1 isatap
make m-ip6tnl type ip6tnl mode ip6ip6 remote 2001:db8::2
make m-ipip6 type ip6tnl mode ipip6 remote 2001:db8::3 encaplimit none dscp inherit
make m-ip6any type ip6tnl mode any local 2001:db8::1 tclass 4 flowlabel 0x123 fwmark 9
make m-vti type vti remote 10.9.0.2 key 5
make m-vti6 type vti6 remote 2001:db8::2 ikey 5 okey 6 fwmark 3
modprobe fou 2>/dev/null
make m-fou type ipip remote 10.9.0.7 encap fou encap-sport auto encap-dport 5555 encap-csum
make m-gue type gretap remote 10.9.0.8 encap gue encap-sport 4444 encap-dport 5555 encap-remcsum
make m-macsec link base type macsec
make m-macsec2 link base type macsec port 11 encrypt on replay on window 7 validate check
make m-hsr type hsr slave1 hsr1 slave2 hsr2
make m-nlmon type nlmon
make m-vcan type vcan
make m-vxcan type vxcan peer name m-vxcan2
make m-gtp type gtp role sgsn
make m-batadv type batadv
make m-ifb type ifb
make m-macvtap link peer type macvtap mode bridge
make m-macvtap2 link peer type macvtap mode source macaddr set 02:00:00:00:00:09 02:00:00:00:00:07
make m-ipvlan link ipvl type ipvlan mode l2
make m-ipvtap link ipvlp type ipvtap mode l3s vepa
make m-geneve type geneve id 5 remote 10.9.0.2 ttl inherit tos 5 df set
make m-geneve6 type geneve id 6 remote 2001:db8::9 udp6zerocsumtx flowlabel 3
make m-genevex type geneve external dstport 6082
make m-vxlan type vxlan id 5 group 239.1.1.1 dev base dstport 4789 ttl 4 tos 3 ageing 55 maxaddress 9 gbp nolearning \
	proxy rsc l2miss l3miss
make m-vxlan4 type vxlan id 7 remote 10.9.0.4 local 10.9.0.1 dstport 8472 noudpcsum
make m-vxlan6 type vxlan id 6 remote 2001:db8::4 local 2001:db8::1 dstport 4789 srcport 5000 6000 ttl inherit df set \
	flowlabel 5 udp6zerocsumtx
make m-vxlang6 type vxlan id 8 group ff02::5 dev base dstport 4789
make m-vxlanx type vxlan external vnifilter dstport 4790
make m-vxgpe type vxlan external gpe dstport 4791
make m-wireguard type wireguard
make m-xfrm type xfrm dev base if_id 5
make m-xfrmx type xfrm external
make m-netdevsim type netdevsim
make m-bareudp type bareudp dstport 6635 ethertype mpls_uc
make m-amt type amt mode gateway local 10.9.0.1 discovery 10.9.0.2 dev base
make m-virtwifi link peer type virt_wifi
make m-rmnet link peer type rmnet mux_id 5
make m-netkit type netkit
ip tuntap add m-tun mode tun
ip tuntap add m-tap mode tap multi_queue vnet_hdr user 1 group 1
ip tuntap add m-tap2 mode tap user 54321 pi

# Ports of each kind of master, bridge VLANs.
make m-br type bridge vlan_filtering 1 vlan_default_pvid 7
ip link show dev m-br >/dev/null 2>&1 || ip link add name m-br type bridge
make m-bond type bond mode 802.3ad
make m-vrf type vrf table 99
make m-team type team
for master in m-br m-bond m-vrf m-team; do
	for i in 1 2; do
		make "$master-$i" type veth peer name "$master-${i}p"
		ip link set "$master-$i" master "$master" 2>/dev/null
	done
	ip link set "$master" up 2>/dev/null
	ip link set "$master-1" up 2>/dev/null
done
bridge vlan add dev m-br-1 vid 100-200 2>/dev/null
bridge vlan add dev m-br-1 vid 300 untagged 2>/dev/null
bridge vlan add dev m-br-1 vid 4000 pvid untagged 2>/dev/null
bridge vlan del dev m-br-2 vid 7 2>/dev/null
bridge vlan add dev m-br vid 20-30 self 2>/dev/null
ip link set m-br-2 type bridge_slave mcast_to_unicast on isolated on backup_port m-br-1 neigh_suppress on locked on
tc qdisc add dev m-br-1 root handle 1: tbf rate 1mbit burst 10k latency 50ms 2>/dev/null
tc qdisc add dev base clsact 2>/dev/null

# Lower ends elsewhere.
elsewhere=${1:-elsewhere}
ip netns add "$elsewhere"
make m-away link peer type macvlan mode bridge
make m-away2 link base type vlan id 9
make m-awayvx type vxlan id 70 dev base dstport 4799
make m-awaytun type ipip remote 10.9.0.9 dev base
for i in m-away m-away2 m-awayvx m-awaytun; do ip link set "$i" netns "$elsewhere" 2>/dev/null; done
make m-home type veth peer name m-gone
ip link set m-gone netns "$elsewhere"
# Up: of a link that is down the kernel tells nothing of these.
ip link set m-home up
ip link property add dev m-home altname m-home-with-a-rather-long-name altname m-a altname m-z
ip link set m-home alias 'an alias'
ip link set m-home addrgenmode none
ip token set ::7 dev m-home 2>/dev/null
true
