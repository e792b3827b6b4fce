/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: /proc/net/dev_mcast, igmp and igmp6 as text in pieces to lines of struct nctl_maddr_line
 * (net/core/net-procfs.c dev_mc_seq_show, net/ipv4/igmp.c igmp_mc_seq_show,
 * net/ipv6/mcast.c igmp6_mc_seq_show). Strict: what the kernel does not write is an error. Pure.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/num.h"
#include "mirror/maddr.h"

const char *const nctl_maddr_files[NCTL_MADDR_N_FILES] = {
	[NCTL_MADDR_DEV_MCAST] = "dev_mcast", [NCTL_MADDR_IGMP] = "igmp", [NCTL_MADDR_IGMP6] = "igmp6"};

enum {
	WORDS_MAX = 8,
	FLAG_LOADED = 0x04, /* MAF_LOADED of net/if_inet6.h */
};

void nctl_maddr_list_fini(struct nctl_maddr_list *l)
{
	free(l->v);
	*l = NCTL_MADDR_LIST_INIT;
}

static int list_add(struct nctl_maddr_list *l, const struct nctl_maddr_line *line)
{
	if (l->n >= NCTL_MADDR_LIST_MAX)
		return -E2BIG;
	if (nctl_array_grow(&l->v, &l->cap, l->n, sizeof(*line)) < 0)
		return -ENOMEM;
	l->v[l->n++] = *line;
	return 0;
}

void nctl_maddr_parser_init(
	struct nctl_maddr_parser *p, enum nctl_maddr_file file, struct nctl_maddr_list *list)
{
	*p = (struct nctl_maddr_parser){.file = file, .list = list};
}

/* Cuts s into words; names of devices have no blanks (net/core/dev.c dev_valid_name). More than fit are
 * WORDS_MAX + 1. */
static size_t split(char *s, char *words[static WORDS_MAX])
{
	static const char blanks[] = " \t";
	size_t n = 0;

	for (s += strspn(s, blanks); *s; s += strspn(s, blanks)) {
		if (n == WORDS_MAX)
			return WORDS_MAX + 1;
		words[n++] = s;
		s += strcspn(s, blanks);
		if (*s)
			*s++ = '\0';
	}
	return n;
}

static int parse_index(const char *s, nctl_ifindex *ret)
{
	return nctl_parse_u32(s, 10, 1, INT32_MAX, ret) < 0 ? -EBADMSG : 0;
}

/* Pairs of digits, at most max; how many there are, or -EBADMSG. */
static int parse_bytes(const char *s, uint8_t *bytes, size_t max)
{
	size_t n = 0;
	unsigned high, low;

	for (; *s; s += 2) {
		high = nctl_digit(s[0]);
		low = nctl_digit(s[1]); /* at the worst the end of s, which is no digit */
		if (high > 15 || low > 15 || n == max)
			return -EBADMSG;
		bytes[n++] = (uint8_t)(high << 4 | low);
	}
	return (int)n;
}

/* "2    eth0            1     0     333300000001" */
static int parse_dev_mcast(struct nctl_maddr_parser *p)
{
	struct nctl_maddr_line line = {.mac = NCTL_LLADDR_NULL};
	char *words[WORDS_MAX];
	size_t n_words = split(p->line, words);
	uint32_t is_global;
	int n;

	if (n_words == 4)
		return 0; /* of a device whose addresses have no bytes */
	if (n_words != 5 || parse_index(words[0], &line.ifindex) < 0 ||
		nctl_parse_u32(words[2], 10, 0, INT32_MAX, &line.users) < 0 ||
		nctl_parse_u32(words[3], 10, 0, 1, &is_global) < 0)
		return -EBADMSG;
	n = parse_bytes(words[4], line.mac.b, NCTL_LLADDR_MAX);
	if (n <= 0)
		return -EBADMSG;
	line.mac.len = (uint8_t)n;
	line.is_static = is_global;
	return list_add(p->list, &line);
}

/* "2\teth0      :     1      V3", and for each of its groups "\t\t\t\t010000E0     1 0:00000000\t\t0" */
static int parse_igmp(struct nctl_maddr_parser *p)
{
	struct nctl_maddr_line line = {.loaded = true, .group = {.family = AF_INET, .len = 32}};
	bool is_group = p->line[0] == '\t';
	char *words[WORDS_MAX];
	size_t n = split(p->line, words);
	uint8_t b[4];
	uint32_t v;

	if (n && !is_group && strcmp(words[0], "Idx") == 0)
		return 0;
	if (!is_group)
		return n >= 4 && n <= WORDS_MAX ? parse_index(words[0], &p->device) : -EBADMSG;
	if (n != 4 || !p->device || nctl_parse_u32(words[1], 10, 0, INT32_MAX, &line.users) < 0 ||
		parse_bytes(words[0], b, sizeof(b)) != 4)
		return -EBADMSG;
	/* A __be32, printed as a number of this machine. */
	v = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	memcpy(line.group.addr, &v, sizeof(v));
	line.ifindex = p->device;
	return list_add(p->list, &line);
}

/* "2    eth0            ff020000000000000000000000000001     1 0000000C 0" */
static int parse_igmp6(struct nctl_maddr_parser *p)
{
	struct nctl_maddr_line line = {.group = {.family = AF_INET6, .len = 128}};
	char *words[WORDS_MAX];
	uint8_t flags[4];

	if (split(p->line, words) != 6 || parse_index(words[0], &line.ifindex) < 0 ||
		parse_bytes(words[2], line.group.addr, 16) != 16 ||
		nctl_parse_u32(words[3], 10, 0, INT32_MAX, &line.users) < 0 ||
		parse_bytes(words[4], flags, sizeof(flags)) != 4)
		return -EBADMSG;
	line.loaded = flags[3] & FLAG_LOADED;
	return list_add(p->list, &line);
}

static int parse_line(struct nctl_maddr_parser *p)
{
	p->line[p->len] = '\0';
	p->len = 0;
	switch (p->file) {
	case NCTL_MADDR_DEV_MCAST:
		return parse_dev_mcast(p);
	case NCTL_MADDR_IGMP:
		return parse_igmp(p);
	case NCTL_MADDR_IGMP6:
		return parse_igmp6(p);
	case NCTL_MADDR_N_FILES:
		break;
	}
	return -EINVAL;
}

int nctl_maddr_parse(struct nctl_maddr_parser *p, const char *text, size_t len)
{
	const char *end = text + len;
	int r = 0;

	while (r == 0 && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		if (n >= sizeof(p->line) - p->len || memchr(text, '\0', n))
			return -EBADMSG;
		memcpy(p->line + p->len, text, n);
		p->len += n;
		text += n + (newline != NULL);
		if (newline)
			r = parse_line(p);
	}
	return r;
}

int nctl_maddr_parse_end(const struct nctl_maddr_parser *p)
{
	return p->len ? -EBADMSG : 0;
}
