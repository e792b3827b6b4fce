/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Is a configuration netplan's as well? The keys of netplan 1.2 (its YAML reference and src/parse.c), in
 * contexts; what a valid configuration has beside them is ours, and is told with its place.
 *
 * A word of a context is KEY, or KEY:CONTEXT for a mapping or a list of mappings, KEY:*CONTEXT where any
 * names stand in between, or KEY=A|B for the values that netplan knows. A context may begin with +CONTEXT,
 * whose words it has, too.
 */
#include <string.h>

#include "base/cleanup.h"
#include "config/parse.h"

struct context {
	const char *name, *words;
};

#define OFFLOADS                                                                                             \
	" receive-checksum-offload transmit-checksum-offload tcp-segmentation-offload"                       \
	" tcp6-segmentation-offload generic-segmentation-offload generic-receive-offload"                    \
	" large-receive-offload"

static const struct context contexts[] = {
	{"network", "version renderer=networkd|NetworkManager ethernets:*ethernet vlans:*vlan vrfs:*vrf"
		    " bonds:*bond bridges:*bridge dummy-devices:*device virtual-ethernets:*veth"
		    " tunnels:*tunnel wifis:*any modems:*any nm-devices:*any openvswitch:any"},
	{"device", "renderer=networkd|NetworkManager|sriov dhcp4 dhcp6 dhcp-identifier dhcp4-overrides"
		   " dhcp6-overrides ra-overrides:any accept-ra ipv6-mtu ipv6-privacy link-local"
		   " ignore-carrier critical addresses:*address ipv6-address-generation=eui64|stable-privacy"
		   " ipv6-address-token gateway4 gateway6 nameservers macaddress mtu optional"
		   " optional-addresses activation-mode routes:route routing-policy:rule neigh-suppress"
		   " hairpin port-mac-learning networkmanager:any openvswitch:any"},
	{"ethernet", "+device match:match set-name wakeonlan emit-lldp auth:any link virtual-function-count"
		     " embedded-switch-mode delay-virtual-functions-rebind infiniband-mode" OFFLOADS},
	{"match", "name macaddress driver"},
	{"vlan", "+device id link"},
	{"vrf", "+device table interfaces"},
	{"veth", "+device peer"},
	{"bridge", "+device interfaces parameters:bridge-parameters"},
	{"bridge-parameters", "ageing-time aging-time priority port-priority:any path-cost:any forward-delay"
			      " hello-time max-age stp"},
	{"bond", "+device interfaces parameters:bond-parameters"},
	{"bond-parameters",
		"mode lacp-rate mii-monitor-interval min-links"
		" transmit-hash-policy=layer2|layer3+4|layer2+3|encap2+3|encap3+4"
		" ad-select all-members-active all-slaves-active arp-interval arp-ip-targets"
		" arp-validate=none|active|backup|all arp-all-targets up-delay down-delay"
		" fail-over-mac-policy gratuitous-arp gratuitious-arp packets-per-member packets-per-slave"
		" primary-reselect-policy resend-igmp learn-packet-interval primary"},
	{"tunnel", "+device"
		   " mode=sit|gre|ip6gre|ipip|ipip6|ip6ip6|vti|vti6|wireguard|vxlan|gretap|ip6gretap|isatap"
		   " local remote ttl key:keys keys:keys mark port peers:peer id link type-of-service"
		   " mac-learning ageing aging limit arp-proxy notifications short-circuit checksums"
		   " extensions port-range flow-label do-not-fragment=true|false"},
	{"peer", "endpoint allowed-ips keepalive keys:keys"},
	{"keys", "input output private private-key-flags public shared"},
	{"address", "lifetime=0|forever label"},
	{"route", "to via from on-link metric scope=global|link|host table mtu congestion-window"
		  " advertised-receive-window advertised-mss"
		  " type=unicast|anycast|blackhole|broadcast|local|multicast|nat|prohibit|throw|unreachable|"
		  "xresolve"},
	{"rule", "from to table priority mark type-of-service"},
};

struct walk {
	struct nd_parse *p;
	size_t n;
};

/* How deep a context may refer to another one; the tree is not deeper. */
static const char *words_of(const char *context, size_t len)
{
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(contexts); i++)
		if (!strncmp(contexts[i].name, context, len) && !contexts[i].name[len])
			return contexts[i].words;
	return NULL;
}

/* What stands behind the key in these words: "", ":CONTEXT…", "=VALUES…"; NULL: no such word. */
static const char *find_word(const char *words, const char *key)
{
	size_t len = strlen(key), n;
	const char *found = NULL;

	for (; *words && !found; words += n, words += strspn(words, " ")) {
		n = strcspn(words, " ");
		if (words[0] == '+')
			found = find_word(words_of(words + 1, n - 1), key);
		else if (!strncmp(words, key, len) && strcspn(words, " :=") == len)
			found = words + len;
	}
	return found;
}

/* Is text one of A|B|C, which ends at a blank? */
static bool is_one_of(const char *values, const char *text)
{
	size_t len = strlen(text), n;

	for (;; values += n + 1) {
		n = strcspn(values, "| ");
		if (n == len && !strncmp(values, text, len))
			return true;
		if (values[n] != '|')
			return false;
	}
}

static void tell(struct walk *w, struct nctl_pos pos, const char *what, const char *text)
{
	w->n++;
	nd_warning(w->p, pos, NULL, "netplan has no %s \"%s\"", what, text);
}

/* Is it the name of something, whose body is to be looked at? */
static bool check_name(struct walk *w, const struct nd_node *node)
{
	if (!strcmp(node->key, "renderer") && node->type == ND_NODE_SCALAR) {
		if (!is_one_of("networkd|NetworkManager|sriov ", node->text))
			tell(w, node->pos, "value of renderer like", node->text);
		return false;
	}
	if (strchr(node->key, '{'))
		tell(w, node->key_pos, "ranges like", node->key);
	return true;
}

/* values: what stands behind the key in a context. */
static void check_value(struct walk *w, const struct nd_node *node, const char *values)
{
	bool single = values[0] == '=' || !strcmp(node->key, "peer");

	if (single && node->type != ND_NODE_SCALAR)
		tell(w, node->pos, "mapping or list behind", node->key);
	else if (values[0] == '=' && !is_one_of(values + 1, node->text))
		tell(w, node->pos, nd_text(w->p, "value of %s like", node->key), node->text);
}

/* words NULL: whatever stands there; names: any names come first, then what the words say. */
static void walk(struct walk *w, const struct nd_node *node, const char *words, bool names)
{
	const struct nd_node *c;
	const char *what;

	if (!words || node->type == ND_NODE_SCALAR)
		return;
	for (c = node->first; c; c = c->next) {
		if (node->type == ND_NODE_SEQUENCE) {
			walk(w, c, words, names);
			continue;
		}
		if (names) {
			if (check_name(w, c))
				walk(w, c, words, false);
			continue;
		}
		what = find_word(words, c->key);
		if (!what)
			tell(w, c->key_pos, "key here that is called", c->key);
		else if (what[0] != ':')
			check_value(w, c, what);
		else if (what[1] == '*')
			walk(w, c, words_of(what + 2, strcspn(what + 2, " ")), true);
		else
			walk(w, c, words_of(what + 1, strcspn(what + 1, " ")), false);
	}
}

int nd_config_netplan(const struct nd_config_texts *texts, struct nd_diagnostics *diag, size_t *ret_n)
{
	_cleanup_(nd_parse_fini) struct nd_parse p;
	struct walk w = {.p = &p};
	const struct nd_node *network;

	nd_parse_init(&p, texts, diag);
	network = nd_parse_load(&p);
	if (network)
		walk(&w, network, words_of("network", strlen("network")), false);
	nd_parse_sort(texts, diag);
	if (p.err < 0)
		return p.err;
	*ret_n = w.n;
	return 0;
}
