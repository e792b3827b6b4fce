/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

#include "codec/codec.h"
#include "obj/kind.h"

/* What the kinds of tunnels have in common: how ip(8) prints it, and tables that several kinds share. */

extern const struct nctl_field_ops nctl_tunnel_end_ops;       /* of an IP: "any" for 0.0.0.0 and :: */
extern const struct nctl_field_ops nctl_tunnel_encap_ops;     /* of encap.type: the whole struct */
extern const struct nctl_field_ops nctl_tunnel_tclass_ops;    /* of a flow information: its traffic class */
extern const struct nctl_field_ops nctl_tunnel_flowlabel_ops; /* and its label */
extern const struct nctl_field_ops
	nctl_tunnel_key_ops; /* of an IP that is a number: YAML may say 7 for 0.0.0.7 */

/* Where two ends have another family than the tunnel: -1 local, 1 remote; 0: nowhere. Says so. */
int nctl_tunnel_check_ends(const struct nctl_prefix *local, const struct nctl_prefix *remote, uint8_t family,
	struct nctl_strbuf *why);
/* A tunnel over IPv4 stays one to anybody, to one end, or to a group (net/ipv4/ip_tunnel.c
 * ip_tunnel_changelink). */
enum nctl_change_class nctl_tunnel_change_remote(
	const struct nctl_prefix *have, const struct nctl_prefix *want);

/* Such a one is the kernel's own (tunl0, gre0), and there is one of each. */
#define NCTL_TUNNEL_NO_ENDS     "must be given, or local"
#define NCTL_TUNNEL_ENCAP_LIMIT 4 /* RFC 2473 section 6.6; what ip(8) says, too */

/* UDP around a tunnel (linux/if_tunnel.h, enum tunnel_encap_types). */
struct nctl_tunnel_encap {
	uint16_t type, flags;
	uint16_t sport, dport;
};

/* A field of a table: goes on with what else there is to say, and a closing brace. */
#define NCTL_TUNNEL_FIELD(struct_, member_, attr_, json_, type_)                                             \
	{                                                                                                    \
		.json = json_, NCTL_FIELD(struct_, member_), .attr = attr_, .type = NCTL_FIELD_##type_
/* One bit of a number that has a field before. */
#define NCTL_TUNNEL_BIT(struct_, member_, attr_, json_, bit_)                                                \
	NCTL_TUNNEL_FIELD(struct_, member_, attr_, json_, UINT), .dflt = bit_, .ops = &nctl_codec_bit_ops,   \
								 .flags = NCTL_FIELD_READONLY

/* The GRE family (gre-fields.c): gre, gretap, erspan and the same over IPv6. */
struct nctl_gre_data {
	struct nctl_prefix local, remote, ikey, okey; /* keys as ip(8) shows them, like addresses */
	struct nctl_tunnel_encap encap;
	uint32_t link, flowinfo, flags, fwmark, erspan_index;
	uint16_t iflags, oflags, erspan_hwid;
	uint8_t ttl, tos, pmtudisc, ignore_df, encap_limit, external, erspan_ver, erspan_dir;
};
enum { NCTL_GRE_N_FIELDS = 36 };
extern const struct nctl_field nctl_gre_fields[NCTL_GRE_N_FIELDS];
uint64_t nctl_gre_shown(const void *data, uint64_t has);
/* 4 and 6: over IPv4, IPv6. */
#define NCTL_GRE_LACKS4 (UINT64_C(1) << 10)
#define NCTL_GRE_LACKS6 (UINT64_C(7) << 5)
void nctl_gre_complete(void *data, uint64_t *has);
int nctl_gre_check4(const void *data, uint64_t has, struct nctl_strbuf *why);
int nctl_gre_check6(const void *data, uint64_t has, struct nctl_strbuf *why);
enum nctl_change_class nctl_gre_change_class4(const void *have, const void *want, uint64_t mask);

/* IP in IP (iptun-fields.c): ipip, sit, ip6tnl. */
struct nctl_iptun_data {
	struct nctl_prefix local, remote, sixrd_prefix, sixrd_relay;
	struct nctl_tunnel_encap encap;
	uint32_t link, flowinfo, flags, fwmark;
	uint16_t sit_flags, sixrd_prefixlen, sixrd_relaylen;
	uint8_t ttl, tos, encap_limit, proto, pmtudisc, external;
};
enum { NCTL_IPTUN_N_FIELDS = 32 };
extern const struct nctl_field nctl_iptun_fields[NCTL_IPTUN_N_FIELDS];
uint64_t nctl_iptun_shown(const void *data, uint64_t has);  /* over IPv4 */
uint64_t nctl_iptun_shown6(const void *data, uint64_t has); /* over IPv6 */
#define NCTL_IPTUN_LACKS4 (UINT64_C(1) << 13)
#define NCTL_IPTUN_LACKS6 (UINT64_C(3) << 7)
#define NCTL_IPTUN_PROTO  (UINT64_C(1) << 1)
int nctl_iptun_check4(const void *data, uint64_t has, struct nctl_strbuf *why);
int nctl_iptun_check6(const void *data, uint64_t has, struct nctl_strbuf *why);
enum nctl_change_class nctl_iptun_change_class4(const void *have, const void *want, uint64_t mask);

/* Virtual tunnel interfaces (vti-fields.c): vti, vti6. */
struct nctl_vti_data {
	struct nctl_prefix local, remote, ikey, okey;
	uint32_t link, fwmark;
};
enum { NCTL_VTI_N_FIELDS = 6 };
extern const struct nctl_field nctl_vti_fields[NCTL_VTI_N_FIELDS];
uint64_t nctl_vti_shown(const void *data, uint64_t has);
int nctl_vti_check4(const void *data, uint64_t has, struct nctl_strbuf *why);
int nctl_vti_check6(const void *data, uint64_t has, struct nctl_strbuf *why);
enum nctl_change_class nctl_vti_change_class4(const void *have, const void *want, uint64_t mask);

/* Of has without the bits of fields in mask. */
static inline uint64_t nctl_tunnel_hide(uint64_t has, bool hide, uint64_t mask)
{
	return hide ? has & ~mask : has;
}
