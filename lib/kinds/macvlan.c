/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: macvlan (drivers/net/macvlan.c). The mode may change while the link lives, but never to or from
 * passthru, which must be alone on its lower link.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "net/lladdr.h"
#include "nl/attr.h"
#include "obj/kind.h"

struct macvlan_data {
	char **macaddr_data;
	uint32_t mode, bcqueuelen, usedbcqueuelen, macaddr_count;
	uint8_t nopromisc, nodst;
};

enum {
	MACVLAN_MODE,
	MACVLAN_NOPROMISC,
	MACVLAN_NODST,
	MACVLAN_BCQUEUELEN,
	MACVLAN_USEDBCQUEUELEN,
	MACVLAN_MACADDR_COUNT,
	MACVLAN_MACADDR_DATA,
};

/* The two words are shown only if they apply. */
static int flag_decode(const struct nlattr *attr, uint16_t bit, uint8_t *ret)
{
	if (nctl_attr_len(attr) != sizeof(uint16_t))
		return -EBADMSG;
	*ret = (nctl_attr_u16(attr) & bit) != 0;
	return *ret ? 0 : 1;
}

static int nopromisc_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	(void)f;
	return flag_decode(attr, MACVLAN_FLAG_NOPROMISC, &((struct macvlan_data *)data)->nopromisc);
}

static int nodst_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	(void)f;
	return flag_decode(attr, MACVLAN_FLAG_NODST, &((struct macvlan_data *)data)->nodst);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* IFLA_MACVLAN_MACADDR, 6 bytes each, as texts. */
static int macaddr_decode(const struct nctl_field *f, const struct nlattr *attr, void *data)
{
	size_t len = nctl_attr_len(attr), n = 0;
	const struct nlattr *a = NULL;
	char **v = calloc(len / (NLA_HDRLEN + 8) + 2, sizeof(*v));

	if (!v)
		return -ENOMEM;
	nctl_field_clear(f, data);
	((struct macvlan_data *)data)->macaddr_data = v;
	while ((a = nctl_attr_next(nctl_attr_data(attr), len, a))) {
		struct nctl_lladdr lladdr = {.len = 6};
		char buf[NCTL_LLADDR_STR];

		if (nctl_attr_type(a) != IFLA_MACVLAN_MACADDR || nctl_attr_len(a) != lladdr.len)
			continue;
		memcpy(lladdr.b, nctl_attr_data(a), lladdr.len);
		v[n] = strdup(nctl_lladdr_format(&lladdr, buf));
		if (!v[n++])
			return -ENOMEM;
	}
	qsort(v, n, sizeof(*v), compare_texts);
	return 0;
}

static const struct nctl_field_ops macaddr_ops = {.decode = macaddr_decode};
static const struct nctl_field_ops nopromisc_ops = {.decode = nopromisc_decode};
static const struct nctl_field_ops nodst_ops = {.decode = nodst_decode};

static const struct nctl_name mode_names[] = {
	{"private", MACVLAN_MODE_PRIVATE, NULL},
	{"vepa", MACVLAN_MODE_VEPA, NULL},
	{"bridge", MACVLAN_MODE_BRIDGE, NULL},
	{"passthru", MACVLAN_MODE_PASSTHRU, NULL},
	{"source", MACVLAN_MODE_SOURCE, NULL},
	{0},
};

static const struct nctl_field macvlan_fields[] = {
	[MACVLAN_MODE] = {.key = "mode",
		.json = "mode",
		.help = "who may talk to whom on one lower link",
		.names = mode_names,
		NCTL_FIELD(struct macvlan_data, mode),
		.attr = IFLA_MACVLAN_MODE,
		.type = NCTL_FIELD_ENUM,
		.dflt = MACVLAN_MODE_BRIDGE},
	[MACVLAN_NOPROMISC] = {.json = "nopromisc",
		.ops = &nopromisc_ops,
		NCTL_FIELD(struct macvlan_data, nopromisc),
		.attr = IFLA_MACVLAN_FLAGS,
		.type = NCTL_FIELD_BOOL,
		.flags = NCTL_FIELD_READONLY},
	[MACVLAN_NODST] = {.json = "nodst",
		.ops = &nodst_ops,
		NCTL_FIELD(struct macvlan_data, nodst),
		.attr = IFLA_MACVLAN_FLAGS,
		.type = NCTL_FIELD_BOOL,
		.flags = NCTL_FIELD_READONLY},
	[MACVLAN_BCQUEUELEN] = {.json = "bcqueuelen",
		NCTL_FIELD(struct macvlan_data, bcqueuelen),
		.attr = IFLA_MACVLAN_BC_QUEUE_LEN,
		.type = NCTL_FIELD_UINT},
	[MACVLAN_USEDBCQUEUELEN] = {.json = "usedbcqueuelen",
		NCTL_FIELD(struct macvlan_data, usedbcqueuelen),
		.attr = IFLA_MACVLAN_BC_QUEUE_LEN_USED,
		.type = NCTL_FIELD_UINT,
		.flags = NCTL_FIELD_READONLY},
	[MACVLAN_MACADDR_COUNT] = {.json = "macaddr_count",
		NCTL_FIELD(struct macvlan_data, macaddr_count),
		.attr = IFLA_MACVLAN_MACADDR_COUNT,
		.type = NCTL_FIELD_UINT,
		.flags = NCTL_FIELD_READONLY},
	[MACVLAN_MACADDR_DATA] = {.json = "macaddr_data",
		.ops = &macaddr_ops,
		NCTL_FIELD(struct macvlan_data, macaddr_data),
		.attr = IFLA_MACVLAN_MACADDR_DATA,
		.type = NCTL_FIELD_TEXTS,
		.flags = NCTL_FIELD_READONLY},
};

static enum nctl_change_class macvlan_change_class(const void *have, const void *want, uint64_t mask)
{
	const struct macvlan_data *h = have, *w = want;

	if (mask & UINT64_C(1) << MACVLAN_MODE &&
		(h->mode == MACVLAN_MODE_PASSTHRU || w->mode == MACVLAN_MODE_PASSTHRU))
		return NCTL_CHANGE_RECREATE;
	return NCTL_CHANGE_LIVE;
}

/* The count is sent in every mode and means something in one. */
static void macvlan_fixup(void *data, uint64_t *has)
{
	const struct macvlan_data *d = data;

	if (d->mode != MACVLAN_MODE_SOURCE)
		*has &= ~(UINT64_C(1) << MACVLAN_MACADDR_COUNT);
}

const struct nctl_kind nctl_kind_macvlan = {
	.name = "macvlan",
	.section = "macvlans",
	.lower_key = "link",
	.help = "links with a MAC address of their own on another link",
	.traits = NCTL_KIND_LOWER_REQUIRED | NCTL_KIND_MULTICAST_TO_LOWER,
	.data_size = sizeof(struct macvlan_data),
	.data = {macvlan_fields, NCTL_ARRAY_SIZE(macvlan_fields)},
	.change_class = macvlan_change_class,
	.fixup = macvlan_fixup,
};
