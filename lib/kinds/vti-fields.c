/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the attributes of virtual tunnel interfaces (net/ipv4/ip_vti.c vti_fill_info, net/ipv6/ip6_vti.c
 * vti6_fill_info): IPsec policies apply to what they send by its key.
 */
#include <net/if.h> /* before linux/if.h, which then adds what it lacks */
#include <linux/if_tunnel.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "kinds/tunnel.h"

enum { REMOTE, LOCAL, LINK, IKEY, OKEY, FWMARK, N_FIELDS };

/* clang-format off */
#define V(index_, member_, json_, type_)                                                                     \
	[index_] = NCTL_TUNNEL_FIELD(struct nctl_vti_data, member_, IFLA_VTI_##index_, json_, type_)

const struct nctl_field nctl_vti_fields[NCTL_VTI_N_FIELDS] = {
	V(REMOTE, remote, "remote", IP), .key = "remote", .flags = NCTL_FIELD_IDENTITY, .ops = &nctl_tunnel_end_ops,
		.help = "address of the other end"},
	V(LOCAL, local, "local", IP), .key = "local", .flags = NCTL_FIELD_IDENTITY, .ops = &nctl_tunnel_end_ops, .help = "address of this end"},
	V(LINK, link, "link", LINK), .flags = NCTL_FIELD_LOWER},
	V(IKEY, ikey, "ikey", IP), .key = "keys.input", .ops = &nctl_tunnel_key_ops, .help = "key of the policies for what comes"},
	V(OKEY, okey, "okey", IP), .key = "keys.output", .ops = &nctl_tunnel_key_ops, .help = "key of the policies for what is sent"},
	V(FWMARK, fwmark, "fwmark", UINT), .key = "fwmark", .flags = NCTL_FIELD_HIDE_ZERO,
		.format = NCTL_FORMAT_HEX_0X, .help = "mark that the outer packets are routed by"},
};
/* clang-format on */
_Static_assert((int)N_FIELDS == (int)NCTL_VTI_N_FIELDS, "the header says how many fields there are");

static bool is_zero(const struct nctl_prefix *key)
{
	return key->family == AF_UNSPEC || nctl_prefix_is_unspecified(key);
}

uint64_t nctl_vti_shown(const void *data, uint64_t has)
{
	const struct nctl_vti_data *d = data;

	has = nctl_tunnel_hide(has, is_zero(&d->ikey), UINT64_C(1) << IKEY);
	return nctl_tunnel_hide(has, is_zero(&d->okey), UINT64_C(1) << OKEY);
}

static int check(const struct nctl_vti_data *d, uint64_t has, uint8_t family, struct nctl_strbuf *why)
{
	int r = nctl_tunnel_check_ends(&d->local, &d->remote, family, why);

	if (r != 0)
		return r < 0 ? LOCAL : REMOTE;
	if (!(has & (UINT64_C(1) << LOCAL | UINT64_C(1) << REMOTE | UINT64_C(1) << IKEY))) {
		nctl_strbuf_puts(why, NCTL_TUNNEL_NO_ENDS);
		return REMOTE;
	}
	return -1;
}

int nctl_vti_check4(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	return check(data, has, AF_INET, why);
}

int nctl_vti_check6(const void *data, uint64_t has, struct nctl_strbuf *why)
{
	return check(data, has, AF_INET6, why);
}

enum nctl_change_class nctl_vti_change_class4(const void *have, const void *want, uint64_t mask)
{
	const struct nctl_vti_data *h = have, *w = want;

	return mask & UINT64_C(1) << REMOTE ? nctl_tunnel_change_remote(&h->remote, &w->remote)
	                                    : NCTL_CHANGE_LIVE;
}
