/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: messages in words. The one place that says which fields are compared between the fake and a real
 * kernel: all that is printed here.
 */

#include <arpa/inet.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "fake/describe.h"
#include "fake/wire.h"

void fk_words_say(struct fk_words *w, const char *format, ...)
{
	size_t len = strlen(w->text);
	va_list ap;
	va_start(ap, format);
	vsnprintf(w->text + len, sizeof w->text - len, format, ap);
	va_end(ap);
}

static void fk_say_mac(struct fk_words *w, const char *key, const struct nlattr *a, bool mask_auto)
{
	static const uint8_t zero[6];
	if (!a || fk_len(a) != 6)
		return;
	const uint8_t *m = fk_data(a);
	bool known = m[0] == FK_TEST_MAC0 && m[1] == FK_TEST_MAC1 && m[2] == FK_TEST_MAC2;
	known |= m[0] == 0xff || memcmp(m, zero, 6) == 0;
	if (mask_auto && !known)
		fk_words_say(w, " %s=auto", key);
	else
		fk_words_say(w, " %s=%02x:%02x:%02x:%02x:%02x:%02x", key, m[0], m[1], m[2], m[3], m[4], m[5]);
}

static void fk_say_u32(struct fk_words *w, const char *key, const struct nlattr *a)
{
	if (a)
		fk_words_say(w, " %s=%u", key, fk_u32(a));
}

static void fk_say_data(struct fk_words *w, const char *kind, const struct nlattr *data)
{
	const struct nlattr *tb[64];
	if (!data || fk_parse_nest(tb, NLA_TYPE_MASK & 63, data) < 0)
		return;
	if (strcmp(kind, "vlan") == 0 && tb[IFLA_VLAN_ID])
		fk_words_say(w, " id=%u", fk_u16(tb[IFLA_VLAN_ID]));
	if (strcmp(kind, "vrf") == 0)
		fk_say_u32(w, "table", tb[IFLA_VRF_TABLE]);
	if (strcmp(kind, "macvlan") == 0)
		fk_say_u32(w, "mode", tb[IFLA_MACVLAN_MODE]);
	if (strcmp(kind, "bond") == 0 && tb[IFLA_BOND_MODE])
		fk_words_say(w, " mode=%u", fk_u8(tb[IFLA_BOND_MODE]));
}

static void fk_say_nests(struct fk_words *w, const struct nlattr **tb)
{
	const struct nlattr *info[IFLA_INFO_MAX + 1], *af[AF_INET6 + 1], *six[IFLA_INET6_MAX + 1];
	char text[128];
	if (tb[IFLA_LINKINFO] && fk_parse_nest(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO]) == 0) {
		if (info[IFLA_INFO_KIND] && fk_str(info[IFLA_INFO_KIND], text, sizeof text)) {
			fk_words_say(w, " kind=%s", text);
			fk_say_data(w, text, info[IFLA_INFO_DATA]);
		}
		if (info[IFLA_INFO_SLAVE_KIND] && fk_str(info[IFLA_INFO_SLAVE_KIND], text, sizeof text))
			fk_words_say(w, " port=%s", text);
	}
	if (tb[IFLA_AF_SPEC] && fk_parse_nest(af, AF_INET6, tb[IFLA_AF_SPEC]) == 0 && af[AF_INET6] &&
		fk_parse_nest(six, IFLA_INET6_MAX, af[AF_INET6]) == 0 && six[IFLA_INET6_ADDR_GEN_MODE])
		fk_words_say(w, " addrgen=%u", fk_u8(six[IFLA_INET6_ADDR_GEN_MODE]));
	if (!tb[IFLA_PROP_LIST])
		return;
	const uint8_t *p = fk_data(tb[IFLA_PROP_LIST]);
	for (size_t left = fk_len(tb[IFLA_PROP_LIST]); left >= NLA_HDRLEN;) {
		const struct nlattr *a = (const void *)p;
		if (fk_str(a, text, sizeof text))
			fk_words_say(w, " alt=%s", text);
		size_t step = NLA_ALIGN(a->nla_len);
		if (step >= left)
			break;
		p += step;
		left -= step;
	}
}

static bool fk_describe_link(const struct nlmsghdr *nlh, bool mask_auto, struct fk_words *w)
{
	const unsigned seen = IFF_UP | IFF_BROADCAST | IFF_LOOPBACK | IFF_POINTOPOINT | IFF_RUNNING |
	                      IFF_NOARP | IFF_MASTER | IFF_SLAVE | IFF_MULTICAST | 0x10000 /* IFF_LOWER_UP */;
	const struct nlattr *tb[IFLA_MAX + 1];
	const struct ifinfomsg *ifi = NLMSG_DATA(nlh);
	char text[256] = "?";
	if (fk_parse_msg(tb, IFLA_MAX, nlh, sizeof *ifi) < 0)
		return false;
	w->ifindex = ifi->ifi_index;
	w->object = ifi->ifi_family != AF_BRIDGE;
	if (tb[IFLA_IFNAME])
		fk_str(tb[IFLA_IFNAME], text, sizeof text);
	if (!w->object) {
		fk_words_say(w, "bridge-port %d %s", ifi->ifi_index, text);
		fk_say_u32(w, "master", tb[IFLA_MASTER]);
		return true;
	}
	fk_words_say(w, "link %d %s flags=%x", ifi->ifi_index, text, ifi->ifi_flags & seen);
	fk_say_u32(w, "mtu", tb[IFLA_MTU]);
	fk_say_mac(w, "mac", tb[IFLA_ADDRESS], mask_auto);
	fk_say_mac(w, "brd", tb[IFLA_BROADCAST], mask_auto);
	fk_say_u32(w, "master", tb[IFLA_MASTER]);
	fk_say_u32(w, "link", tb[IFLA_LINK]);
	fk_say_u32(w, "link-nsid", tb[IFLA_LINK_NETNSID]);
	fk_say_u32(w, "to-nsid", tb[IFLA_NEW_NETNSID]);
	fk_say_u32(w, "to-index", tb[IFLA_NEW_IFINDEX]);
	if (tb[IFLA_OPERSTATE])
		fk_words_say(w, " oper=%u", fk_u8(tb[IFLA_OPERSTATE]));
	if (tb[IFLA_CARRIER])
		fk_words_say(w, " carrier=%u", fk_u8(tb[IFLA_CARRIER]));
	fk_say_u32(w, "group", tb[IFLA_GROUP]);
	fk_say_u32(w, "txqlen", tb[IFLA_TXQLEN]);
	fk_say_u32(w, "min", tb[IFLA_MIN_MTU]);
	fk_say_u32(w, "max", tb[IFLA_MAX_MTU]);
	if (tb[IFLA_IFALIAS] && fk_str(tb[IFLA_IFALIAS], text, sizeof text))
		fk_words_say(w, " alias=\"%s\"", text);
	fk_say_nests(w, tb);
	return true;
}

void fk_words_addr(struct fk_words *w, uint8_t family, const struct nlattr *a, bool mask_auto)
{
	char text[INET6_ADDRSTRLEN] = "?";
	const uint8_t *p = fk_data(a);
	if (fk_len(a) == (family == AF_INET ? 4u : 16u))
		inet_ntop(family, p, text, sizeof text);
	bool eui = family == AF_INET6 && p[0] == 0xfe && p[1] == 0x80 && p[11] == 0xff && p[12] == 0xfe;
	bool ours = eui && (p[8] ^ 2) == FK_TEST_MAC0 && p[9] == FK_TEST_MAC1 && p[10] == FK_TEST_MAC2;
	fk_words_say(w, "%s", mask_auto && eui && !ours ? "fe80::auto" : text);
}

static bool fk_describe_addr(const struct nlmsghdr *nlh, bool mask_auto, struct fk_words *w)
{
	const struct nlattr *tb[IFA_MAX + 1];
	const struct ifaddrmsg *ifa = NLMSG_DATA(nlh);
	struct ifa_cacheinfo ci = {.ifa_valid = UINT32_MAX, .ifa_prefered = UINT32_MAX};
	char label[64] = "";
	if (fk_parse_msg(tb, IFA_MAX, nlh, sizeof *ifa) < 0)
		return false;
	const struct nlattr *local = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if (!local)
		return false;
	w->ifindex = (int)ifa->ifa_index;
	w->object = true;
	fk_words_say(w, "addr %u ", ifa->ifa_index);
	fk_words_addr(w, ifa->ifa_family, local, mask_auto);
	if (tb[IFA_ADDRESS] && memcmp(fk_data(local), fk_data(tb[IFA_ADDRESS]), fk_len(local)) != 0) {
		fk_words_say(w, " peer ");
		fk_words_addr(w, ifa->ifa_family, tb[IFA_ADDRESS], mask_auto);
	}
	fk_words_say(w, "/%u", ifa->ifa_prefixlen);
	if (tb[IFA_BROADCAST]) {
		fk_words_say(w, " brd ");
		fk_words_addr(w, ifa->ifa_family, tb[IFA_BROADCAST], mask_auto);
	}
	fk_words_say(w, " scope=%u flags=%x", ifa->ifa_scope,
		tb[IFA_FLAGS] ? fk_u32(tb[IFA_FLAGS]) : ifa->ifa_flags);
	if (tb[IFA_PROTO])
		fk_words_say(w, " proto=%u", fk_u8(tb[IFA_PROTO]));
	fk_say_u32(w, "metric", tb[IFA_RT_PRIORITY]);
	if (tb[IFA_LABEL] && fk_str(tb[IFA_LABEL], label, sizeof label))
		fk_words_say(w, " label=%s", label);
	if (tb[IFA_CACHEINFO] && fk_len(tb[IFA_CACHEINFO]) >= sizeof ci)
		memcpy(&ci, fk_data(tb[IFA_CACHEINFO]), sizeof ci);
	fk_words_say(w, " valid=%s pref=%s", ci.ifa_valid == UINT32_MAX ? "forever" : "some",
		ci.ifa_prefered == UINT32_MAX ? "forever"
		: ci.ifa_prefered             ? "some"
					      : "0");
	return true;
}

bool fk_describe(const struct nlmsghdr *nlh, bool mask_auto, struct fk_words *ret)
{
	memset(ret, 0, sizeof *ret);
	ret->removed = nlh->nlmsg_type == RTM_DELLINK || nlh->nlmsg_type == RTM_DELADDR;
	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return fk_describe_link(nlh, mask_auto, ret);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return fk_describe_addr(nlh, mask_auto, ret);
	default:
		return fk_describe_fib(nlh, mask_auto, ret);
	}
}

void fk_lines_add(struct fk_lines *l, const char *text)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->v = realloc(l->v, l->cap * sizeof *l->v);
		if (!l->v)
			abort();
	}
	l->v[l->n] = strdup(text);
	if (!l->v[l->n++])
		abort();
}

static int fk_line_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void fk_lines_sort(struct fk_lines *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, fk_line_cmp);
}

void fk_lines_clear(struct fk_lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct fk_lines){0};
}

char *fk_lines_join(const struct fk_lines *l)
{
	size_t len = 1;
	for (size_t i = 0; i < l->n; i++)
		len += strlen(l->v[i]) + 1;
	char *text = malloc(len), *p = text;
	if (!text)
		return NULL;
	for (size_t i = 0; i < l->n; i++) {
		p = stpcpy(p, l->v[i]);
		*p++ = '\n';
	}
	*p = '\0';
	return text;
}
