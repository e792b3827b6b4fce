/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the attributes of tunnels of IP in IP, which ipip, sit and ip6tnl share (net/ipv4/ipip.c
 * ipip_fill_info, net/ipv6/sit.c ipip6_fill_info, net/ipv6/ip6_tunnel.c ip6_tnl_fill_info). IFLA_IPTUN_FLAGS
 * has two bytes in sit and four in ip6tnl; the protocol has other words over IPv6.
 */
#include <errno.h>
#include <net/if.h> /* before linux/if.h, which then adds what it lacks */
#include <linux/if_tunnel.h>
#include <linux/ip6_tunnel.h>
#include <netinet/in.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "kinds/tunnel.h"
#include "nl/attr.h"

enum {
	EXTERNAL,
	PROTO,
	PROTO6,
	REMOTE,
	LOCAL,
	LINK,
	TTL,
	TOS,
	PMTUDISC,
	FLAGS,
	SIT_FLAGS,
	ISATAP,
	IGN_ENCAP_LIMIT,
	ENCAP_LIMIT,
	FLOWINFO,
	ORIG_TCLASS,
	TCLASS,
	ORIG_FLOWLABEL,
	FLOWLABEL,
	DSCP_COPY,
	MIP6,
	LOCAL_REMOTE,
	SIXRD_PREFIX,
	SIXRD_PREFIXLEN,
	SIXRD_RELAY,
	SIXRD_RELAYLEN,
	ORIG_FWMARK,
	FWMARK,
	ENCAP_TYPE,
	ENCAP_FLAGS,
	ENCAP_SPORT,
	ENCAP_DPORT,
	N_FIELDS
};

static const struct nctl_name proto_names[] = {
	{"ipip", IPPROTO_IPIP, NULL},
	{"ip6ip", IPPROTO_IPV6, NULL},
	{"mplsip", IPPROTO_MPLS, NULL},
	{"any", 0, NULL},
	{0},
};
static const struct nctl_name proto6_names[] = {
	{"ipip6", IPPROTO_IPIP, NULL},
	{"ip6ip6", IPPROTO_IPV6, NULL},
	{"any", 0, NULL},
	{0},
};

/* The number in the attribute, if that has the field's size; the other size is the other field's. */
static int flags_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	size_t n = nctl_attr_len(attr);

	if (n != sizeof(uint16_t) && n != sizeof(uint32_t))
		return -EBADMSG;
	if (n != f->size)
		return 1;
	nctl_field_set(f, data, nctl_attr_uint(attr));
	return 0;
}

/* A bit of it: of either. */
static int flag_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	(void)data;
	return nctl_attr_len(attr) == f->size && nctl_attr_uint(attr) & f->dflt ? 0 : 1;
}

static void flag_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	nctl_codec_bit_ops.print(f, data, json);
}

static const struct nctl_field_ops flags_ops = {.decode = flags_decode};
static const struct nctl_field_ops flag_ops = {.decode = flag_decode, .print = flag_print};

/* clang-format off */
#define T(index_, member_, attr_, json_, type_)                                                              \
	[index_] = NCTL_TUNNEL_FIELD(struct nctl_iptun_data, member_, IFLA_IPTUN_##attr_, json_, type_)
#define SHOW(index_, attr_, member_, json_)                                                                  \
	T(index_, member_, attr_, json_, UINT), .flags = NCTL_FIELD_READONLY | NCTL_FIELD_BIG_ENDIAN
#define BIT(index_, member_, json_, bit_)                                                                    \
	T(index_, member_, FLAGS, json_, UINT), .ops = &flag_ops, .dflt = bit_, .flags = NCTL_FIELD_READONLY
#define NET .flags = NCTL_FIELD_BIG_ENDIAN

const struct nctl_field nctl_iptun_fields[NCTL_IPTUN_N_FIELDS] = {
	T(EXTERNAL, external, COLLECT_METADATA, "external", BOOL), .ops = &nctl_codec_flag_ops, .flags = NCTL_FIELD_OMIT_ZERO},
	T(PROTO, proto, PROTO, "proto", ENUM), .names = proto_names, .max = 255},
	T(PROTO6, proto, PROTO, "proto", ENUM), .names = proto6_names, .flags = NCTL_FIELD_READONLY},
	T(REMOTE, remote, REMOTE, "remote", IP), .key = "remote", .flags = NCTL_FIELD_IDENTITY, .ops = &nctl_tunnel_end_ops,
		.help = "address of the other end"},
	T(LOCAL, local, LOCAL, "local", IP), .key = "local", .flags = NCTL_FIELD_IDENTITY, .ops = &nctl_tunnel_end_ops,
		.help = "address of this end"},
	T(LINK, link, LINK, "link", LINK), .flags = NCTL_FIELD_LOWER},
	T(TTL, ttl, TTL, "ttl", UINT), .key = "ttl",
		.help = "hop limit of the outer packets, 0 that of the inner"},
	T(TOS, tos, TOS, "tos", UINT), .key = "type-of-service", .flags = NCTL_FIELD_HIDE_ZERO, .format = NCTL_FORMAT_HEX_0X,
		.help = "type of service of the outer packets, 1 that of the inner"},
	T(PMTUDISC, pmtudisc, PMTUDISC, "pmtudisc", BOOL), .key = "pmtudisc",
		.help = "whether outer packets must not be fragmented"},
	T(FLAGS, flags, FLAGS, NULL, UINT), .ops = &flags_ops},
	T(SIT_FLAGS, sit_flags, FLAGS, NULL, UINT), .ops = &flags_ops, .flags = NCTL_FIELD_READONLY},
	BIT(ISATAP, sit_flags, "isatap", SIT_ISATAP)},
	BIT(IGN_ENCAP_LIMIT, flags, "ip6_tnl_f_ign_encap_limit", IP6_TNL_F_IGN_ENCAP_LIMIT)},
	T(ENCAP_LIMIT, encap_limit, ENCAP_LIMIT, "encap_limit", UINT), .key = "encap-limit",
		.dflt = NCTL_TUNNEL_ENCAP_LIMIT, .help = "how many more tunnels a packet may enter"},
	T(FLOWINFO, flowinfo, FLOWINFO, NULL, UINT), NET},
	BIT(ORIG_TCLASS, flags, "ip6_tnl_f_use_orig_tclass", IP6_TNL_F_USE_ORIG_TCLASS)},
	SHOW(TCLASS, FLOWINFO, flowinfo, "tclass"), .ops = &nctl_tunnel_tclass_ops},
	BIT(ORIG_FLOWLABEL, flags, "ip6_tnl_f_use_orig_flowlabel", IP6_TNL_F_USE_ORIG_FLOWLABEL)},
	SHOW(FLOWLABEL, FLOWINFO, flowinfo, "flowlabel"), .ops = &nctl_tunnel_flowlabel_ops},
	BIT(DSCP_COPY, flags, "ip6_tnl_f_rcv_dscp_copy", IP6_TNL_F_RCV_DSCP_COPY)},
	BIT(MIP6, flags, "ip6_tnl_f_mip6_dev", IP6_TNL_F_MIP6_DEV)},
	BIT(LOCAL_REMOTE, flags, "ip6_tnl_f_allow_local_remote", IP6_TNL_F_ALLOW_LOCAL_REMOTE)},
	T(SIXRD_PREFIX, sixrd_prefix, 6RD_PREFIX, "prefix", IP)},
	T(SIXRD_PREFIXLEN, sixrd_prefixlen, 6RD_PREFIXLEN, "prefixlen", UINT)},
	T(SIXRD_RELAY, sixrd_relay, 6RD_RELAY_PREFIX, "relay_prefix", IP)},
	T(SIXRD_RELAYLEN, sixrd_relaylen, 6RD_RELAY_PREFIXLEN, "relay_prefixlen", UINT)},
	BIT(ORIG_FWMARK, flags, "ip6_tnl_f_use_orig_fwmark", IP6_TNL_F_USE_ORIG_FWMARK)},
	T(FWMARK, fwmark, FWMARK, "fwmark", UINT), .key = "fwmark", .flags = NCTL_FIELD_HIDE_ZERO,
		.format = NCTL_FORMAT_HEX_0X, .help = "mark that the outer packets are routed by"},
	T(ENCAP_TYPE, encap.type, ENCAP_TYPE, "encap", UINT), .ops = &nctl_tunnel_encap_ops,
		.flags = NCTL_FIELD_HIDE_ZERO},
	T(ENCAP_FLAGS, encap.flags, ENCAP_FLAGS, NULL, UINT)},
	T(ENCAP_SPORT, encap.sport, ENCAP_SPORT, NULL, UINT), NET},
	T(ENCAP_DPORT, encap.dport, ENCAP_DPORT, NULL, UINT), NET},
};
/* clang-format on */
_Static_assert((int)N_FIELDS == (int)NCTL_IPTUN_N_FIELDS, "the header says how many fields there are");

#define F(name_) (UINT64_C(1) << (name_))

static bool has_name(const struct nctl_name *names, uint64_t value)
{
	while (names->name && names->value != value)
		names++;
	return names->name;
}

uint64_t nctl_iptun_shown(const void *data, uint64_t has)
{
	const struct nctl_iptun_data *d = data;
	bool relays = d->sixrd_relay.family != AF_UNSPEC && !nctl_prefix_is_unspecified(&d->sixrd_relay);

	has &= ~F(PROTO6);
	has = nctl_tunnel_hide(has, !has_name(proto_names, d->proto), F(PROTO));
	has = nctl_tunnel_hide(has, !d->sixrd_prefixlen, F(SIXRD_PREFIX) | F(SIXRD_PREFIXLEN));
	return nctl_tunnel_hide(has, !d->sixrd_prefixlen || !relays, F(SIXRD_RELAY) | F(SIXRD_RELAYLEN));
}

uint64_t nctl_iptun_shown6(const void *data, uint64_t has)
{
	const struct nctl_iptun_data *d = data;

	has &= ~F(PROTO);
	has = nctl_tunnel_hide(has, !has_name(proto6_names, d->proto), F(PROTO6));
	has = nctl_tunnel_hide(has, d->flags & IP6_TNL_F_IGN_ENCAP_LIMIT, F(ENCAP_LIMIT));
	has = nctl_tunnel_hide(has, d->flags & IP6_TNL_F_USE_ORIG_TCLASS, F(TCLASS));
	has = nctl_tunnel_hide(has, d->flags & IP6_TNL_F_USE_ORIG_FLOWLABEL, F(FLOWLABEL));
	return nctl_tunnel_hide(has, d->flags & IP6_TNL_F_USE_ORIG_FWMARK, F(FWMARK));
}

_Static_assert(NCTL_IPTUN_LACKS4 == F(ENCAP_LIMIT) && NCTL_IPTUN_LACKS6 == (F(TOS) | F(PMTUDISC)) &&
		       NCTL_IPTUN_PROTO == F(PROTO),
	"the header says which fields these are");

static int check(const struct nctl_iptun_data *d, uint64_t has, uint8_t family, struct nctl_strbuf *why)
{
	int r = nctl_tunnel_check_ends(&d->local, &d->remote, family, why);

	if (r != 0)
		return r < 0 ? LOCAL : REMOTE;
	if (!(has & (F(LOCAL) | F(REMOTE)))) {
		nctl_strbuf_puts(why, NCTL_TUNNEL_NO_ENDS);
		return REMOTE;
	}
	return -1;
}

int nctl_iptun_check4(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	return check(data, has, AF_INET, why);
}

int nctl_iptun_check6(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	return check(data, has, AF_INET6, why);
}

enum nctl_change_class nctl_iptun_change_class4(const void *have, const void *want, uint64_t mask)
{
	const struct nctl_iptun_data *h = have, *w = want;

	return mask & F(REMOTE) ? nctl_tunnel_change_remote(&h->remote, &w->remote) : NCTL_CHANGE_LIVE;
}
