/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: encapsulations of hops (linux/lwtunnel.h and the headers of each) as iproute2 6.1 prints them. What it
 * prints for the rarer ones (ILA, RPL, IOAM6) is left as bytes, "encap_raw", as are those of newer kernels.
 * The bytes may hold anything.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <linux/lwtunnel.h>
#include <linux/mpls.h>
#include <linux/mpls_iptunnel.h>
#include <linux/seg6.h>
#include <linux/seg6_hmac.h>
#include <linux/seg6_iptunnel.h>
#include <linux/seg6_local.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "obj/parts.h"
#include "obj/rtname.h"

/* TUNNEL_* of linux/if_tunnel.h, which are in network order on the wire, but read in host order by all. */
#define KEY_FLAG  htons(0x04)
#define CSUM_FLAG htons(0x01)
#define SEQ_FLAG  htons(0x08)

#define KEY_STR 32

struct out {
	struct nctl_json *json;
	const struct nctl_names *names;
	const char *const *taken; /* keys, NULL at the end; or NULL */
};

/* The key, or a longer form of it in buf if the object has one of that name. */
static const char *own_key(const struct out *o, const char *key, char buf[KEY_STR])
{
	for (const char *const *k = o->taken; k && *k; k++) {
		if (strcmp(*k, key) == 0) {
			snprintf(buf, KEY_STR, "encap_%s", key);
			return buf;
		}
	}
	return key;
}

static void put_address(const struct out *o, const char *key, struct nctl_bytes bytes)
{
	struct nctl_prefix p;
	char buf[KEY_STR];

	if (nctl_prefix_from_bytes(bytes.p, bytes.n, 0, &p) == 0)
		nctl_json_addr(o->json, own_key(o, key, buf), &p);
}

static void put_number(const struct out *o, const char *key, struct nctl_bytes b, uint16_t attr)
{
	char buf[KEY_STR];
	uint64_t v;

	if (nctl_bytes_uint(b, attr, &v))
		nctl_json_ku64(o->json, own_key(o, key, buf), v);
}

static void put_table(const struct out *o, const char *key, struct nctl_bytes b, uint16_t attr)
{
	char buf[KEY_STR], name[NCTL_RTNAME_STR];
	uint64_t v;

	if (nctl_bytes_uint(b, attr, &v))
		nctl_json_kstr(
			o->json, own_key(o, key, buf), nctl_rtname(NCTL_RTNAME_TABLE, (uint32_t)v, name));
}

static void put_link(const struct out *o, const char *key, struct nctl_bytes b, uint16_t attr)
{
	char buf[KEY_STR];
	uint64_t v;

	if (nctl_bytes_uint(b, attr, &v))
		nctl_json_dev(o->json, own_key(o, key, buf), (uint32_t)v, o->names);
}

/* Labels from the top, the last one marked: "100/200". */
static void put_labels(const struct out *o, struct nctl_bytes b)
{
	char text[128] = "", buf[KEY_STR];
	uint32_t entry;
	size_t n = 0;

	for (size_t i = 0; i + sizeof(entry) <= b.n && n < sizeof(text) - 8; i += sizeof(entry)) {
		memcpy(&entry, b.p + i, sizeof(entry));
		entry = ntohl(entry);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", n ? "/" : "",
			(entry & MPLS_LS_LABEL_MASK) >> MPLS_LS_LABEL_SHIFT);
		if (entry & MPLS_LS_S_MASK)
			break;
	}
	nctl_json_kstr(o->json, own_key(o, "dst", buf), text);
}

static void put_mpls(const struct out *o, struct nctl_bytes b)
{
	if (nctl_bytes_find(b, MPLS_IPTUNNEL_DST))
		put_labels(o, nctl_bytes_payload(b, MPLS_IPTUNNEL_DST));
	put_number(o, "ttl", b, MPLS_IPTUNNEL_TTL);
}

static void put_tunnel_id(const struct out *o, struct nctl_bytes b, uint16_t attr)
{
	char buf[KEY_STR];
	uint64_t v;

	if (nctl_bytes_uint(b, attr, &v))
		nctl_json_ku64(o->json, own_key(o, "id", buf), be64toh(v));
}

static void put_tunnel_flags(const struct out *o, struct nctl_bytes b, uint16_t attr)
{
	uint64_t v;

	if (!nctl_bytes_uint(b, attr, &v))
		return;
	if (v & KEY_FLAG)
		nctl_json_kbool(o->json, "key", true);
	if (v & CSUM_FLAG)
		nctl_json_kbool(o->json, "csum", true);
	if (v & SEQ_FLAG)
		nctl_json_kbool(o->json, "seq", true);
}

static void put_ip(const struct out *o, struct nctl_bytes b)
{
	put_tunnel_id(o, b, LWTUNNEL_IP_ID);
	put_address(o, "src", nctl_bytes_payload(b, LWTUNNEL_IP_SRC));
	put_address(o, "dst", nctl_bytes_payload(b, LWTUNNEL_IP_DST));
	put_number(o, "ttl", b, LWTUNNEL_IP_TTL);
	put_number(o, "tos", b, LWTUNNEL_IP_TOS);
	put_tunnel_flags(o, b, LWTUNNEL_IP_FLAGS);
}

static void put_ip6(const struct out *o, struct nctl_bytes b)
{
	put_tunnel_id(o, b, LWTUNNEL_IP6_ID);
	put_address(o, "src", nctl_bytes_payload(b, LWTUNNEL_IP6_SRC));
	put_address(o, "dst", nctl_bytes_payload(b, LWTUNNEL_IP6_DST));
	put_number(o, "hoplimit", b, LWTUNNEL_IP6_HOPLIMIT);
	put_number(o, "tc", b, LWTUNNEL_IP6_TC);
	put_tunnel_flags(o, b, LWTUNNEL_IP6_FLAGS);
}

/* The segments from the first that is visited, which stands last (RFC 8754 section 2). */
static void put_segments(const struct out *o, struct nctl_bytes b)
{
	struct ipv6_sr_hdr srh;
	struct sr6_tlv_hmac hmac;
	char text[NCTL_ADDR_STR];
	struct nctl_prefix p;
	size_t at;

	nctl_json_key(o->json, "segs");
	nctl_json_arr_begin(o->json);
	memset(&srh, 0, sizeof(srh));
	if (b.n >= sizeof(srh)) {
		memcpy(&srh, b.p, sizeof(srh));
		for (int i = srh.first_segment; i >= 0; i--) {
			at = sizeof(srh) + (size_t)i * 16;
			if (at + 16 <= b.n && nctl_prefix_from_bytes(b.p + at, 16, 0, &p) == 0)
				nctl_json_str(o->json, nctl_addr_format(&p, text));
		}
	}
	nctl_json_arr_end(o->json);
	at = ((size_t)(srh.hdrlen + 1) << 3);
	if (!(srh.flags & SR6_FLAG1_HMAC) || at < sizeof(hmac) || at > b.n)
		return;
	memcpy(&hmac, b.p + at - sizeof(hmac), sizeof(hmac));
	nctl_json_hex(o->json, "hmac", ntohl(hmac.hmackeyid));
}

static const char *pick(const char *const *names, size_t n, uint64_t i, const char *otherwise)
{
	return i < n && names[i] ? names[i] : otherwise;
}

static void put_seg6(const struct out *o, struct nctl_bytes b)
{
	static const char *const modes[] = {"inline", "encap", "l2encap", "encap.red", "l2encap.red"};
	struct nctl_bytes v = nctl_bytes_payload(b, SEG6_IPTUNNEL_SRH);
	uint32_t mode;

	if (v.n < sizeof(mode))
		return;
	memcpy(&mode, v.p, sizeof(mode));
	nctl_json_kstr(o->json, "mode", pick(modes, NCTL_ARRAY_SIZE(modes), mode, "<unknown>"));
	put_segments(o, (struct nctl_bytes){v.p + sizeof(mode), v.n - (uint32_t)sizeof(mode)});
}

static void put_flavors(const struct out *o, struct nctl_bytes b)
{
	static const char *const names[] = {NULL, "psp", "usp", "usd", "next-csid"};
	uint64_t flavors;

	if (nctl_bytes_uint(b, SEG6_LOCAL_FLV_OPERATION, &flavors)) {
		nctl_json_key(o->json, "flavors");
		nctl_json_arr_begin(o->json);
		for (size_t i = 1; i < NCTL_ARRAY_SIZE(names); i++)
			if (flavors & UINT64_C(1) << i)
				nctl_json_str(o->json, names[i]);
		nctl_json_arr_end(o->json);
	}
	put_number(o, "lblen", b, SEG6_LOCAL_FLV_LCBLOCK_BITS);
	put_number(o, "nflen", b, SEG6_LOCAL_FLV_LCNODE_FN_BITS);
}

static void put_program(
	const struct out *o, const char *key, struct nctl_bytes b, uint16_t attr, uint16_t name)
{
	struct nctl_bytes v;
	char text[256];

	if (!nctl_bytes_find(b, attr))
		return;
	v = nctl_bytes_payload(nctl_bytes_payload(b, attr), name);
	snprintf(text, sizeof(text), "%.*s", (int)(v.n < sizeof(text) ? v.n : sizeof(text) - 1),
		v.n ? (const char *)v.p : "");
	nctl_json_kstr(o->json, key, v.n ? text : "<unknown>");
}

static void put_seg6_local(const struct out *o, struct nctl_bytes b)
{
	static const char *const actions[] = {
		[SEG6_LOCAL_ACTION_END] = "End",
		[SEG6_LOCAL_ACTION_END_X] = "End.X",
		[SEG6_LOCAL_ACTION_END_T] = "End.T",
		[SEG6_LOCAL_ACTION_END_DX2] = "End.DX2",
		[SEG6_LOCAL_ACTION_END_DX6] = "End.DX6",
		[SEG6_LOCAL_ACTION_END_DX4] = "End.DX4",
		[SEG6_LOCAL_ACTION_END_DT6] = "End.DT6",
		[SEG6_LOCAL_ACTION_END_DT4] = "End.DT4",
		[SEG6_LOCAL_ACTION_END_B6] = "End.B6",
		[SEG6_LOCAL_ACTION_END_B6_ENCAP] = "End.B6.Encaps",
		[SEG6_LOCAL_ACTION_END_BM] = "End.BM",
		[SEG6_LOCAL_ACTION_END_S] = "End.S",
		[SEG6_LOCAL_ACTION_END_AS] = "End.AS",
		[SEG6_LOCAL_ACTION_END_AM] = "End.AM",
		[SEG6_LOCAL_ACTION_END_BPF] = "End.BPF",
		[SEG6_LOCAL_ACTION_END_DT46] = "End.DT46",
	};
	uint64_t action;

	if (!nctl_bytes_uint(b, SEG6_LOCAL_ACTION, &action))
		return;
	nctl_json_kstr(o->json, "action",
		action < NCTL_ARRAY_SIZE(actions)
			? pick(actions, NCTL_ARRAY_SIZE(actions), action, "<unknown>")
			: "<invalid>");
	if (nctl_bytes_find(b, SEG6_LOCAL_SRH)) {
		nctl_json_key(o->json, "srh");
		nctl_json_obj_begin(o->json);
		put_segments(o, nctl_bytes_payload(b, SEG6_LOCAL_SRH));
		nctl_json_obj_end(o->json);
	}
	put_table(o, "table", b, SEG6_LOCAL_TABLE);
	put_table(o, "vrftable", b, SEG6_LOCAL_VRFTABLE);
	put_address(o, "nh4", nctl_bytes_payload(b, SEG6_LOCAL_NH4));
	put_address(o, "nh6", nctl_bytes_payload(b, SEG6_LOCAL_NH6));
	put_link(o, "iif", b, SEG6_LOCAL_IIF);
	put_link(o, "oif", b, SEG6_LOCAL_OIF);
	put_program(o, "endpoint", b, SEG6_LOCAL_BPF, SEG6_LOCAL_BPF_PROG_NAME);
	if (nctl_bytes_find(b, SEG6_LOCAL_FLAVORS))
		put_flavors(o, nctl_bytes_payload(b, SEG6_LOCAL_FLAVORS));
}

static void put_bpf(const struct out *o, struct nctl_bytes b)
{
	put_program(o, "in", b, LWT_BPF_IN, LWT_BPF_PROG_NAME);
	put_program(o, "out", b, LWT_BPF_OUT, LWT_BPF_PROG_NAME);
	put_program(o, "xmit", b, LWT_BPF_XMIT, LWT_BPF_PROG_NAME);
	put_number(o, "headroom", b, LWT_BPF_XMIT_HEADROOM);
}

static void put_xfrm(const struct out *o, struct nctl_bytes b)
{
	put_number(o, "if_id", b, LWT_XFRM_IF_ID);
	put_link(o, "link_dev", b, LWT_XFRM_LINK);
}

static void put_raw(const struct out *o, struct nctl_bytes b)
{
	static const char digits[] = "0123456789abcdef";
	char byte[2];

	if (b.n == 0)
		return;
	nctl_json_key(o->json, "encap_raw");
	nctl_json_raw(o->json, "\"", 1);
	for (uint32_t i = 0; i < b.n; i++) {
		byte[0] = digits[b.p[i] >> 4];
		byte[1] = digits[b.p[i] & 15];
		nctl_strbuf_put(o->json->out, byte, sizeof(byte));
	}
	nctl_strbuf_putc(o->json->out, '"');
}

static const struct {
	const char *name;
	void (*put)(const struct out *o, struct nctl_bytes b);
	uint16_t options; /* the attribute of this one that only encap_raw shows, 0 none */
} types[] = {
	[LWTUNNEL_ENCAP_MPLS] = {"mpls", put_mpls, 0},
	[LWTUNNEL_ENCAP_IP] = {"ip", put_ip, LWTUNNEL_IP_OPTS},
	[LWTUNNEL_ENCAP_ILA] = {"ila", put_raw, 0},
	[LWTUNNEL_ENCAP_IP6] = {"ip6", put_ip6, LWTUNNEL_IP6_OPTS},
	[LWTUNNEL_ENCAP_SEG6] = {"seg6", put_seg6, 0},
	[LWTUNNEL_ENCAP_BPF] = {"bpf", put_bpf, 0},
	[LWTUNNEL_ENCAP_SEG6_LOCAL] = {"seg6local", put_seg6_local, 0},
	[LWTUNNEL_ENCAP_RPL] = {"rpl", put_raw, 0},
	[LWTUNNEL_ENCAP_IOAM6] = {"ioam6", put_raw, 0},
	[LWTUNNEL_ENCAP_XFRM] = {"xfrm", put_xfrm, 0},
};

void nctl_json_encap(const struct nctl_hop *h, const char *const *taken, const struct nctl_names *names,
	struct nctl_json *json)
{
	struct out o = {.json = json, .names = names, .taken = taken};

	if (h->encap_type == 0)
		return;
	if (h->encap_type >= NCTL_ARRAY_SIZE(types) || !types[h->encap_type].name) {
		nctl_json_kstr(json, "encap", "unknown");
		put_raw(&o, h->encap);
		return;
	}
	nctl_json_kstr(json, "encap", types[h->encap_type].name);
	types[h->encap_type].put(&o, h->encap);
	if (types[h->encap_type].options && nctl_bytes_find(h->encap, types[h->encap_type].options))
		put_raw(&o, h->encap);
}
