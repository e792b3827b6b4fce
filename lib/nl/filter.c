/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * DOC: compiles the filter of an event socket. A list is a pair of instructions for each entry, compare and
 * return, so that no jump is longer than the machine's eight bits. Loads of half-words and words are
 * big-endian, netlink is in host order: constants are swapped instead (htons of either is right on both).
 */

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <assert.h>

#include "base/cleanup.h"
#include "nl/filter.h"

enum {
	DROP = 0,
	PASS = 0x7fffffff, /* bytes of it */
	AT_TYPE = offsetof(struct nlmsghdr, nlmsg_type),
	AT_FLAGS = offsetof(struct nlmsghdr, nlmsg_flags),
	AT_PROTOCOL = NLMSG_HDRLEN + offsetof(struct rtmsg, rtm_protocol),
	AT_TABLE = NLMSG_HDRLEN + offsetof(struct rtmsg, rtm_table),
	AT_ATTRS = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(struct rtmsg)),
	N_FIXED = 64, /* instructions that are no entry of a list */
};

static_assert(2 * 256 + 2 * 2 * NCTL_FILTER_TABLES + N_FIXED <=
		      NCTL_ARRAY_SIZE(((struct nctl_filter_program *)0)->v),
	"the longest program fits");

void nctl_event_filter_add_protocol(struct nctl_event_filter *f, uint8_t protocol)
{
	f->protocols[protocol / 64] |= UINT64_C(1) << protocol % 64;
}

int nctl_event_filter_add_table(struct nctl_event_filter *f, uint32_t table)
{
	if (nctl_event_filter_has_table(f, table))
		return 0;
	if (f->n_tables == NCTL_FILTER_TABLES)
		return -E2BIG;
	f->tables[f->n_tables++] = table;
	return 0;
}

bool nctl_event_filter_has_protocol(const struct nctl_event_filter *f, uint8_t protocol)
{
	return f->protocols[protocol / 64] >> protocol % 64 & 1;
}

bool nctl_event_filter_has_table(const struct nctl_event_filter *f, uint32_t table)
{
	for (size_t i = 0; i < f->n_tables; i++)
		if (f->tables[i] == table)
			return true;
	return false;
}

static void put(struct nctl_filter_program *p, uint16_t code, uint32_t k)
{
	p->v[p->n++] = (struct sock_filter)BPF_STMT(code, k);
}

static void put_jump(struct nctl_filter_program *p, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	p->v[p->n++] = (struct sock_filter)BPF_JUMP(code, k, yes, no);
}

/* If the accumulator is k, that is the verdict. */
static void put_case(struct nctl_filter_program *p, uint32_t k, uint32_t verdict)
{
	put_jump(p, BPF_JMP | BPF_JEQ | BPF_K, k, 0, 1);
	put(p, BPF_RET | BPF_K, verdict);
}

/* All that is no route has its verdict behind this. */
static void put_types(struct nctl_filter_program *p)
{
	static const uint16_t types[] = {RTM_NEWLINK, RTM_DELLINK, RTM_NEWADDR, RTM_DELADDR, RTM_NEWNEXTHOP,
		RTM_DELNEXTHOP, RTM_NEWRULE, RTM_DELRULE, RTM_NEWNSID, RTM_DELNSID};

	put(p, BPF_LD | BPF_H | BPF_ABS, AT_TYPE);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(types); i++)
		put_case(p, htons(types[i]), PASS);
	put_jump(p, BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_NEWROUTE), 2, 0);
	put_jump(p, BPF_JMP | BPF_JEQ | BPF_K, htons(RTM_DELROUTE), 1, 0);
	put(p, BPF_RET | BPF_K, DROP);
}

static void put_protocols(struct nctl_filter_program *p, const struct nctl_event_filter *f)
{
	size_t over;

	put(p, BPF_LD | BPF_H | BPF_ABS, AT_FLAGS);
	put_jump(p, BPF_JMP | BPF_JSET | BPF_K, htons(NLM_F_REPLACE), 0, 1);
	over = p->n;
	put(p, BPF_JMP | BPF_JA, 0);
	put(p, BPF_LD | BPF_B | BPF_ABS, AT_PROTOCOL);
	for (unsigned i = 0; i < 256; i++)
		if (nctl_event_filter_has_protocol(f, (uint8_t)i))
			put_case(p, i, DROP);
	p->v[over].k = (uint32_t)(p->n - over - 1);
}

/* RTA_TABLE tells; without it (or in a datagram of several pieces) the header's byte. */
static void put_tables(struct nctl_filter_program *p, const struct nctl_event_filter *f)
{
	size_t over;

	put(p, BPF_LD | BPF_IMM, AT_ATTRS);
	put(p, BPF_LDX | BPF_IMM, RTA_TABLE);
	put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_NLATTR));
	put_jump(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1);
	over = p->n;
	put(p, BPF_JMP | BPF_JA, 0);
	put(p, BPF_MISC | BPF_TAX, 0);
	put(p, BPF_LD | BPF_W | BPF_IND, NLA_HDRLEN);
	for (size_t i = 0; i < f->n_tables; i++)
		put_case(p, htonl(f->tables[i]), DROP);
	put(p, BPF_RET | BPF_K, PASS);
	p->v[over].k = (uint32_t)(p->n - over - 1);
	put(p, BPF_LD | BPF_B | BPF_ABS, AT_TABLE);
	for (size_t i = 0; i < f->n_tables; i++)
		if (f->tables[i] <= UINT8_MAX)
			put_case(p, f->tables[i], DROP);
}

void nctl_filter_compile(const struct nctl_event_filter *f, struct nctl_filter_program *ret)
{
	ret->n = 0;
	put_types(ret);
	if (f->protocols[0] | f->protocols[1] | f->protocols[2] | f->protocols[3])
		put_protocols(ret, f);
	if (f->n_tables)
		put_tables(ret, f);
	put(ret, BPF_RET | BPF_K, PASS);
}
