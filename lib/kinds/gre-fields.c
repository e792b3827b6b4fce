/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the attributes of the GRE family (net/ipv4/ip_gre.c ipgre_fill_info, net/ipv6/ip6_gre.c
 * ip6gre_fill_info), which its kinds share: those over IPv4 have a type of service and a don't-fragment
 * policy, those over IPv6 a flow information and flags; the kernel sends what there is.
 */
#include <net/if.h> /* before linux/if.h, which then adds what it lacks */
#include <linux/if_tunnel.h>
#include <linux/ip6_tunnel.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "kinds/tunnel.h"

/* Bits of IFLA_GRE_IFLAGS and _OFLAGS in host order (RFC 2890 section 2). */
enum { CSUM = 0x8000, KEY = 0x2000, SEQ = 0x1000 };

enum {
	EXTERNAL,
	REMOTE,
	LOCAL,
	LINK,
	TTL,
	TOS,
	PMTUDISC,
	IGNORE_DF,
	FLAGS,
	IGN_ENCAP_LIMIT,
	ENCAP_LIMIT,
	FLOWINFO,
	ORIG_TCLASS,
	TCLASS,
	ORIG_FLOWLABEL,
	FLOWLABEL,
	DSCP_COPY,
	LOCAL_REMOTE,
	IFLAGS,
	OFLAGS,
	IKEY,
	OKEY,
	ISEQ,
	OSEQ,
	ICSUM,
	OCSUM,
	ORIG_FWMARK,
	FWMARK,
	ERSPAN_INDEX,
	ERSPAN_VER,
	ERSPAN_DIR,
	ERSPAN_HWID,
	ENCAP_TYPE,
	ENCAP_FLAGS,
	ENCAP_SPORT,
	ENCAP_DPORT,
	N_FIELDS
};

static const struct nctl_name dir_names[] = {{"ingress", 0, NULL}, {"egress", 1, NULL}, {0}};

/* clang-format off */
#define G(index_, member_, json_, type_)                                                                     \
	[index_] = NCTL_TUNNEL_FIELD(struct nctl_gre_data, member_, IFLA_GRE_##index_, json_, type_)
#define SHOW(index_, attr_, member_, json_)                                                                  \
	[index_] = NCTL_TUNNEL_FIELD(struct nctl_gre_data, member_, IFLA_GRE_##attr_, json_, UINT),          \
		.flags = NCTL_FIELD_READONLY | NCTL_FIELD_BIG_ENDIAN
#define BIT(index_, attr_, member_, json_, bit_)                                                             \
	[index_] = NCTL_TUNNEL_BIT(struct nctl_gre_data, member_, IFLA_GRE_##attr_, json_, bit_)
#define NET .flags = NCTL_FIELD_BIG_ENDIAN

const struct nctl_field nctl_gre_fields[NCTL_GRE_N_FIELDS] = {
	[EXTERNAL] = NCTL_TUNNEL_FIELD(struct nctl_gre_data, external, IFLA_GRE_COLLECT_METADATA, "external", BOOL),
		.ops = &nctl_codec_flag_ops, .flags = NCTL_FIELD_OMIT_ZERO},
	G(REMOTE, remote, "remote", IP), .key = "remote", .flags = NCTL_FIELD_IDENTITY, .ops = &nctl_tunnel_end_ops,
		.help = "address of the other end"},
	G(LOCAL, local, "local", IP), .key = "local", .flags = NCTL_FIELD_IDENTITY, .ops = &nctl_tunnel_end_ops, .help = "address of this end"},
	G(LINK, link, "link", LINK), .flags = NCTL_FIELD_LOWER},
	G(TTL, ttl, "ttl", UINT), .key = "ttl", .help = "hop limit of the outer packets, 0 that of the inner"},
	G(TOS, tos, "tos", UINT), .key = "type-of-service", .flags = NCTL_FIELD_HIDE_ZERO, .format = NCTL_FORMAT_HEX_0X,
		.help = "type of service of the outer packets, 1 that of the inner"},
	G(PMTUDISC, pmtudisc, "pmtudisc", BOOL), .key = "pmtudisc",
		.help = "whether outer packets must not be fragmented"},
	G(IGNORE_DF, ignore_df, "ignore_df", BOOL), .key = "ignore-df", .flags = NCTL_FIELD_HIDE_ZERO,
		.help = "whether outer packets may be fragmented though inner ones must not"},
	G(FLAGS, flags, NULL, UINT)},
	BIT(IGN_ENCAP_LIMIT, FLAGS, flags, "ip6_tnl_f_ign_encap_limit", IP6_TNL_F_IGN_ENCAP_LIMIT)},
	G(ENCAP_LIMIT, encap_limit, "encap_limit", UINT), .key = "encap-limit", .dflt = NCTL_TUNNEL_ENCAP_LIMIT,
		.help = "how many more tunnels a packet may enter"},
	G(FLOWINFO, flowinfo, NULL, UINT), NET},
	BIT(ORIG_TCLASS, FLAGS, flags, "ip6_tnl_f_use_orig_tclass", IP6_TNL_F_USE_ORIG_TCLASS)},
	SHOW(TCLASS, FLOWINFO, flowinfo, "tclass"), .ops = &nctl_tunnel_tclass_ops},
	BIT(ORIG_FLOWLABEL, FLAGS, flags, "ip6_tnl_f_use_orig_flowlabel", IP6_TNL_F_USE_ORIG_FLOWLABEL)},
	SHOW(FLOWLABEL, FLOWINFO, flowinfo, "flowlabel"), .ops = &nctl_tunnel_flowlabel_ops},
	BIT(DSCP_COPY, FLAGS, flags, "ip6_tnl_f_rcv_dscp_copy", IP6_TNL_F_RCV_DSCP_COPY)},
	BIT(LOCAL_REMOTE, FLAGS, flags, "ip6_tnl_f_allow_local_remote", IP6_TNL_F_ALLOW_LOCAL_REMOTE)},
	G(IFLAGS, iflags, NULL, UINT), NET},
	G(OFLAGS, oflags, NULL, UINT), NET},
	G(IKEY, ikey, "ikey", IP), .key = "keys.input", .flags = NCTL_FIELD_IDENTITY, .ops = &nctl_tunnel_key_ops,
		.help = "key that packets must come with"},
	G(OKEY, okey, "okey", IP), .key = "keys.output", .ops = &nctl_tunnel_key_ops,
		.help = "key that packets are sent with"},
	BIT(ISEQ, IFLAGS, iflags, "iseq", SEQ) | NCTL_FIELD_BIG_ENDIAN},
	BIT(OSEQ, OFLAGS, oflags, "oseq", SEQ) | NCTL_FIELD_BIG_ENDIAN},
	BIT(ICSUM, IFLAGS, iflags, "icsum", CSUM) | NCTL_FIELD_BIG_ENDIAN},
	BIT(OCSUM, OFLAGS, oflags, "ocsum", CSUM) | NCTL_FIELD_BIG_ENDIAN},
	BIT(ORIG_FWMARK, FLAGS, flags, "ip6_tnl_f_use_orig_fwmark", IP6_TNL_F_USE_ORIG_FWMARK)},
	G(FWMARK, fwmark, "fwmark", UINT), .key = "fwmark", .flags = NCTL_FIELD_HIDE_ZERO,
		.format = NCTL_FORMAT_HEX_0X, .help = "mark that the outer packets are routed by"},
	G(ERSPAN_INDEX, erspan_index, "erspan_index", UINT)},
	G(ERSPAN_VER, erspan_ver, "erspan_ver", UINT), .max = 2},
	G(ERSPAN_DIR, erspan_dir, "erspan_dir", ENUM), .names = dir_names},
	G(ERSPAN_HWID, erspan_hwid, "erspan_hwid", UINT), .format = NCTL_FORMAT_HEX_0X},
	G(ENCAP_TYPE, encap.type, "encap", UINT), .ops = &nctl_tunnel_encap_ops, .flags = NCTL_FIELD_HIDE_ZERO},
	G(ENCAP_FLAGS, encap.flags, NULL, UINT)},
	G(ENCAP_SPORT, encap.sport, NULL, UINT), NET},
	G(ENCAP_DPORT, encap.dport, NULL, UINT), NET},
};
/* clang-format on */
_Static_assert((int)N_FIELDS == (int)NCTL_GRE_N_FIELDS, "the header says how many fields there are");

#define F(name_) (UINT64_C(1) << (name_))

uint64_t nctl_gre_shown(const void *data, uint64_t has)
{
	const struct nctl_gre_data *d = data;

	has = nctl_tunnel_hide(has, d->flags & IP6_TNL_F_IGN_ENCAP_LIMIT, F(ENCAP_LIMIT));
	has = nctl_tunnel_hide(has, d->flags & IP6_TNL_F_USE_ORIG_TCLASS, F(TCLASS));
	has = nctl_tunnel_hide(has, d->flags & IP6_TNL_F_USE_ORIG_FLOWLABEL, F(FLOWLABEL));
	has = nctl_tunnel_hide(has, d->flags & IP6_TNL_F_USE_ORIG_FWMARK, F(FWMARK));
	has = nctl_tunnel_hide(has, !(d->iflags & KEY), F(IKEY));
	return nctl_tunnel_hide(has, !(d->oflags & KEY), F(OKEY));
}

_Static_assert(NCTL_GRE_LACKS4 == F(ENCAP_LIMIT) && NCTL_GRE_LACKS6 == (F(TOS) | F(PMTUDISC) | F(IGNORE_DF)),
	"the header says which fields are of one family");

/* A key counts by its flag. */
void nctl_gre_complete(void *data, uint64_t *has)
{
	struct nctl_gre_data *d = data;

	if (*has & F(IKEY)) {
		d->iflags |= KEY;
		*has |= F(IFLAGS);
	}
	if (*has & F(OKEY)) {
		d->oflags |= KEY;
		*has |= F(OFLAGS);
	}
}

static int check(const struct nctl_gre_data *d, uint64_t has, uint8_t family, struct nctl_strbuf *why)
{
	int r = nctl_tunnel_check_ends(&d->local, &d->remote, family, why);

	if (r != 0)
		return r < 0 ? LOCAL : REMOTE;
	if (!(has & (F(LOCAL) | F(REMOTE) | F(IKEY)))) {
		nctl_strbuf_puts(why, NCTL_TUNNEL_NO_ENDS);
		return REMOTE;
	}
	return -1;
}

int nctl_gre_check4(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	return check(data, has, AF_INET, why);
}

int nctl_gre_check6(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	return check(data, has, AF_INET6, why);
}

enum nctl_change_class nctl_gre_change_class4(const void *have, const void *want, uint64_t mask)
{
	const struct nctl_gre_data *h = have, *w = want;

	return mask & F(REMOTE) ? nctl_tunnel_change_remote(&h->remote, &w->remote) : NCTL_CHANGE_LIVE;
}
