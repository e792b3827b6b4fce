/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The keys that are read by hand, in lists: what is generated from all keys (the JSON schema, the list
 * of keys whose effects are tested) knows these from here, and all others from the field tables. Each key of
 * an array *_keys[] in this folder must stand here, and the parser must know each key here
 * (tests/golden/grammar).
 */
#include <stddef.h>
#include <string.h>

#include "config/grammar.h"
#include "obj/fib-keys.h"

static const char renderers[] = "word:netctld|networkd|NetworkManager|sriov";

static const struct nd_grammar_key network_list[] = {
	{"version", "word:2", "version of the language"},
	{"renderer", renderers, "who configures"},
	{"drift", "word:repair|report", "what becomes of what others change"},
	{"netns-pool", "number:0:1024", "so many namespaces are made in advance"},
	{"sysctl", "{*:text}", "sysctls of the network in the daemon's own namespace"},
	{"namespaces", "{*:{netns}}", "what there should be in other network namespaces"},
	{"nexthops", "{*:{nexthop}}", "next-hop objects by their numbers"},
	{"routing-policy", "[{rule}]", "routing rules"},
	{0},
};

static const struct nd_grammar_key netns_list[] = {
	{"renderer", "word:netctld", "no other program configures namespaces"},
	{"drift", "word:repair|report", "what becomes of what others change in there"},
	{"sysctl", "{*:text}", "sysctls of the network in there"},
	{"nexthops", "{*:{nexthop}}", "next-hop objects by their numbers"},
	{"routing-policy", "[{rule}]", "routing rules"},
	{0},
};

static const struct nd_grammar_key device_list[] = {
	{"renderer", renderers, "who configures"},
	{"addresses", "[prefix/{*:{address}}]", "addresses with their prefix length"},
	{"routes", "[{route}]", "routes over the device"},
	{"routing-policy", "[{rule}]", "routing rules, which are not bound to the device"},
	{"neighbours", "[{neighbour}]", "permanent neighbours and proxies"},
	{"gateway4", "ip", "an old word for a default route"},
	{"gateway6", "ip", "an old word for a default route"},
	{"vrf", "name", "the VRF that the link is in"},
	{"port-vlans", "[text/number]", "all VLANs of a port of a bridge"},
	{"activation-mode", "word:manual|off", "up and down are left alone, or the link is kept down"},
	{"drift", "word:repair|report", "what becomes of what others change of it"},
	{"link-local", "[word:ipv4|ipv6]", "families that make link-local addresses by themselves"},
	{"optional", "bool", "nothing waits for the link"},
	{"critical", "bool", "addresses stay over restarts anyway"},
	{"ignore-carrier", "true", "netctld always behaves so"},
	{"dhcp4", "false", "there is no DHCP client"},
	{"dhcp6", "false", "there is no DHCP client"},
	{"nameservers", "{nameservers}", "left to the resolver"},
	{"optional-addresses", "[word:ipv4-ll|ipv6-ra|dhcp4|dhcp6|static]", "nothing waits for them"},
	{"match", "{match}", "which device it is, of ethernets"},
	{"set-name", "name", "the name that a device with match gets"},
	{"sysctl", "{*:text}", "sysctls of the link, as ipv4.rp_filter"},
	{"accept-ra", "bool/word:unset", "the kernel listens to router advertisements"},
	{"ipv6-mtu", "number:1280:2147483647", "largest packet of IPv6 in bytes"},
	{"ipv6-privacy", "bool", "temporary addresses are made and preferred"},
	{"receive-checksum-offload", "bool", "the card checks checksums of what it receives"},
	{"transmit-checksum-offload", "bool", "the card makes the checksums of what it sends"},
	{"tcp-segmentation-offload", "bool", "the card cuts TCP over IPv4 into segments"},
	{"tcp6-segmentation-offload", "bool", "the card cuts TCP over IPv6 into segments"},
	{"generic-segmentation-offload", "bool", "the kernel cuts into segments as late as it can"},
	{"generic-receive-offload", "bool", "the kernel joins segments that it receives"},
	{"large-receive-offload", "bool", "the card joins segments that it receives; not for routers"},
	{"wakeonlan", "bool", "a magic packet wakes the machine"},
	{"ethtool", "{ethtool}", "what the driver is told"},
	{"emit-lldp", "false", "not supported"},
	{0},
};

static const struct nd_grammar_key address_list[] = {
	{"label", "text", "a name of the address, IPv4 only"},
	{"lifetime", "word:forever/number", "used for new connections for so many seconds"},
	{"valid-lifetime", "word:forever/number:1:4294967294", "there for so many seconds"},
	{"peer", "ip", "address of the other end"},
	{"broadcast", "ip", "the broadcast address, IPv4 only"},
	{"scope", "word:global|site|link|host/number:0:254", "where it is valid, IPv4 only"},
	{"metric", "number:1:4294967295", "metric of the route to its network"},
	{"nodad", "bool", "no duplicate address detection, IPv6 only"},
	{"home", "bool", "a home address (RFC 6275), IPv6 only"},
	{"mngtmpaddr", "bool", "temporary addresses are made from it, IPv6 only"},
	{"noprefixroute", "bool", "no route to its network is made"},
	{"autojoin", "bool", "joins the group that the address is"},
	{0},
};

static const struct nd_grammar_key nameservers_list[] = {
	{"addresses", "[ip]", "servers"},
	{"search", "[text]", "domains"},
	{0},
};

static const struct nd_grammar_key match_list[] = {
	{"name", "text", "a pattern for the name of the device"},
	{"macaddress", "text", "the MAC address that is burnt in"},
	{"driver", "text/[text]", "patterns for the driver"},
	{0},
};

static const struct nd_grammar_key peer_list[] = {
	{"name", "name", "the device at the other end"},
	{"netns", "text", "its namespace, \"\" for the daemon's own"},
	{0},
};

static const struct nd_grammar_key route_list[] = {
	{"nexthops", "[{hop}]", "several ways that share the packets"},
	{0},
};

static const struct nd_grammar_key nexthop_list[] = {
	{"group", "[{member}]", "other next-hop objects that share the packets"},
	{0},
};

static const struct nd_grammar_key none_list[] = {{0}};
/* As in lib/obj/ethtool.c, of which a test makes sure (this one and the next ones). */
static const struct nd_grammar_key rings_list[] = {
	{"rx", "number:0:4294967295", "entries of each receive ring"},
	{"tx", "number:0:4294967295", "entries of each transmit ring"},
	{"rx-mini", "number:0:4294967295", "entries of each receive ring for small frames"},
	{"rx-jumbo", "number:0:4294967295", "entries of each receive ring for large frames"},
	{0},
};

static const struct nd_grammar_key channels_list[] = {
	{"rx", "number:0:4294967295", "queues that only receive"},
	{"tx", "number:0:4294967295", "queues that only transmit"},
	{"combined", "number:0:4294967295", "queues that do both"},
	{"other", "number:0:4294967295", "queues for other things, as link events"},
	{0},
};

static const struct nd_grammar_key coalesce_list[] = {
	{"rx-usecs", "number:0:4294967295", "microseconds to wait for more frames before an interrupt"},
	{"rx-frames", "number:0:4294967295", "frames to gather before an interrupt"},
	{"rx-usecs-irq", "number:0:4294967295", "rx-usecs while an interrupt is being served"},
	{"rx-frames-irq", "number:0:4294967295", "rx-frames while an interrupt is being served"},
	{"tx-usecs", "number:0:4294967295", "microseconds to wait after a frame is sent before an interrupt"},
	{"tx-frames", "number:0:4294967295", "frames to send before an interrupt"},
	{"tx-usecs-irq", "number:0:4294967295", "tx-usecs while an interrupt is being served"},
	{"tx-frames-irq", "number:0:4294967295", "tx-frames while an interrupt is being served"},
	{"stats-block-usecs", "number:0:4294967295", "microseconds between updates of counters"},
	{"adaptive-rx", "bool", "the driver adapts the values of rx to the load"},
	{"adaptive-tx", "bool", "the driver adapts the values of tx to the load"},
	{"pkt-rate-low", "number:0:4294967295", "frames per second below which the -low values count"},
	{"rx-usecs-low", "number:0:4294967295", "rx-usecs at a low rate"},
	{"rx-frames-low", "number:0:4294967295", "rx-frames at a low rate"},
	{"tx-usecs-low", "number:0:4294967295", "tx-usecs at a low rate"},
	{"tx-frames-low", "number:0:4294967295", "tx-frames at a low rate"},
	{"pkt-rate-high", "number:0:4294967295", "frames per second above which the -high values count"},
	{"rx-usecs-high", "number:0:4294967295", "rx-usecs at a high rate"},
	{"rx-frames-high", "number:0:4294967295", "rx-frames at a high rate"},
	{"tx-usecs-high", "number:0:4294967295", "tx-usecs at a high rate"},
	{"tx-frames-high", "number:0:4294967295", "tx-frames at a high rate"},
	{"sample-interval", "number:0:4294967295", "seconds over which the rate is measured"},
	{"cqe-mode-rx", "bool", "rx-usecs count from the last frame, not from the first"},
	{"cqe-mode-tx", "bool", "tx-usecs count from the last frame, not from the first"},
	{0},
};

static const struct nd_grammar_key pause_list[] = {
	{"autoneg", "bool", "flow control is negotiated"},
	{"rx", "bool", "pause frames that come in are obeyed"},
	{"tx", "bool", "pause frames are sent"},
	{0},
};

static const struct nd_grammar_key ethtool_list[] = {
	{"features", "{*:bool}", "features of the driver, by their names"},
	{"private-flags", "{*:bool}", "private flags of the driver, by their names"},
	{"rings", "{rings}", "sizes of rings"},
	{"channels", "{channels}", "numbers of queues"},
	{"coalesce", "{coalesce}", "when interrupts come"},
	{"pause", "{pause}", "flow control"},
	{"speed", "number:0:4294967295", "in Mbit/s"},
	{"duplex", "word:half|full", "half or full"},
	{"autonegotiation", "bool", "speed and duplex are negotiated"},
	{0},
};

/* Of tunnels of mode wireguard, beside those of all devices. */
static const struct nd_grammar_key wireguard_list[] = {
	{"key", "text", "the private key, or the absolute path of a file with it"},
	{"keys", "text/{wireguard-keys}", "the same"},
	{"port", "number:0:65535", "UDP port to listen on, 0: any"},
	{"mark", "number:0:4294967295", "firewall mark of the packets that are sent"},
	{"peers", "[{wireguard-peer}]", "who is at the other ends"},
	{0},
};

static const struct nd_grammar_key wireguard_keys_list[] = {
	{"private", "text", "the private key, or the absolute path of a file with it"},
	{0},
};

static const struct nd_grammar_key wireguard_peer_list[] = {
	{"keys", "{wireguard-peer-keys}", "its keys"},
	{"endpoint", "text", "its address and port"},
	{"allowed-ips", "[prefix]", "what is sent to it, and taken from it"},
	{"keepalive", "number:0:65535", "so many seconds between packets that keep it known, 0: none"},
	{0},
};

static const struct nd_grammar_key wireguard_peer_keys_list[] = {
	{"public", "text", "its public key"},
	{"shared", "text", "a key that both have, or the absolute path of a file with it"},
	{0},
};

const struct nd_grammar_list nd_grammar[] = {
	{"network", network_list},
	{"netns", netns_list},
	{"device", device_list},
	{"address", address_list},
	{"peer", peer_list},
	{"match", match_list},
	{"ethtool", ethtool_list},
	{"rings", rings_list},
	{"channels", channels_list},
	{"coalesce", coalesce_list},
	{"pause", pause_list},
	{"tunnels-wireguard", wireguard_list},
	{"wireguard-keys", wireguard_keys_list},
	{"wireguard-peer", wireguard_peer_list},
	{"wireguard-peer-keys", wireguard_peer_keys_list},
	{"nameservers", nameservers_list},
	{"route", route_list, &nctl_route_keys},
	{"hop", none_list, &nctl_hop_keys},
	{"nexthop", nexthop_list, &nctl_nexthop_keys},
	{"member", none_list, &nctl_member_keys},
	{"rule", none_list, &nctl_rule_keys},
	{"neighbour", none_list, &nctl_neigh_keys},
	{0},
};

bool nd_grammar_has(const char *list, const char *key)
{
	const struct nd_grammar_list *l;
	const struct nd_grammar_key *k;

	for (l = nd_grammar; l->name; l++) {
		if (strcmp(l->name, list))
			continue;
		for (k = l->keys; k->key; k++)
			if (!strcmp(k->key, key))
				return true;
		if (l->table && nctl_fields_find(l->table, key) >= 0)
			return true;
	}
	return false;
}
