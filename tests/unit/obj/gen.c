/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: makes random fields, links and addresses for the property tests of lib/obj, lib/codec and lib/kinds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "gen.h"
#include "net/lladdr.h"

uint64_t gen_seed(void)
{
	const char *given = getenv("NCTL_TEST_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 2654435761U;

	print_message("NCTL_TEST_SEED=%" PRIu64 "\n", seed);
	return seed;
}

/* splitmix64 */
uint64_t gen_next(uint64_t *rng)
{
	uint64_t z = *rng += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t number(const struct nctl_field *f, uint64_t *rng)
{
	uint64_t max = f->max ? f->max : f->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * f->size) - 1;
	uint64_t v = gen_next(rng) >> (gen_next(rng) & 63);

	return max - f->min == UINT64_MAX ? v : f->min + v % (max - f->min + 1);
}

static uint64_t name(const struct nctl_field *f, uint64_t *rng)
{
	size_t n = 0;

	while (f->names[n].name)
		n++;
	return f->names[gen_next(rng) % n].value;
}

static void word(char *buf, size_t len, uint64_t *rng)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (char)('a' + gen_next(rng) % 26);
	buf[len] = '\0';
}

static void prefix(struct nctl_prefix *ret, int family, uint64_t *rng)
{
	*ret = NCTL_PREFIX_NULL;
	ret->family = (uint8_t)family;
	ret->len = (uint8_t)nctl_prefix_bits(ret->family);
	for (unsigned i = 0; i < nctl_prefix_bytes(ret->family); i++)
		ret->addr[i] = (uint8_t)gen_next(rng);
}

static void list(const struct nctl_field *f, void *data, uint64_t *rng)
{
	struct nctl_strbuf why = NCTL_STRBUF_INIT;
	char text[64];

	for (uint64_t n = 1 + gen_next(rng) % 5; n > 0; n--) {
		word(text, 1 + gen_next(rng) % 40, rng);
		assert_int_equal(nctl_field_parse(f, text, data, &why), 0);
	}
	nctl_strbuf_fini(&why);
}

static void ips(struct nctl_ip_list *l, uint64_t *rng)
{
	l->n = (uint32_t)(gen_next(rng) % (NCTL_IP_LIST_MAX + 1));
	for (uint32_t i = 0; i < l->n; i++)
		prefix(&l->v[i], gen_next(rng) & 1 ? AF_INET : AF_INET6, rng);
}

static void lladdr(const struct nctl_field *f, struct nctl_lladdr *a, uint64_t *rng)
{
	*a = NCTL_LLADDR_NULL;
	a->len = f->min ? (uint8_t)f->min : 6;
	for (unsigned i = 0; i < a->len; i++)
		a->b[i] = (uint8_t)gen_next(rng);
	a->b[0] = 2;
}

void gen_field(const struct nctl_field *f, void *data, uint64_t *rng)
{
	void *p = (char *)data + f->offset;
	char text[256];

	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
	case NCTL_FIELD_LINK:
		nctl_field_set(f, data, number(f, rng));
		break;
	case NCTL_FIELD_BOOL:
		nctl_field_set(f, data, gen_next(rng) & 1);
		break;
	case NCTL_FIELD_ENUM:
		nctl_field_set(f, data, f->max && gen_next(rng) & 1 ? number(f, rng) : name(f, rng));
		break;
	case NCTL_FIELD_BITS:
		nctl_field_set(f, data, gen_next(rng) & 1 ? name(f, rng) | name(f, rng) : 0);
		break;
	case NCTL_FIELD_STR:
		word(p, 1 + gen_next(rng) % (f->size - 1), rng);
		break;
	case NCTL_FIELD_LLADDR:
		lladdr(f, p, rng);
		break;
	case NCTL_FIELD_IP:
		prefix(p, gen_next(rng) & 1 ? AF_INET : AF_INET6, rng);
		break;
	case NCTL_FIELD_TEXT:
		nctl_field_clear(f, data);
		word(text, gen_next(rng) % sizeof(text), rng);
		*(char **)p = strdup(text);
		break;
	case NCTL_FIELD_TEXTS:
		nctl_field_clear(f, data);
		list(f, data, rng);
		break;
	case NCTL_FIELD_IPS:
		ips(p, rng);
		break;
	case NCTL_FIELD_BYTES:
	case NCTL_FIELD_RAW:
		break;
	}
}

void gen_fields(const struct nctl_field_table *t, void *data, uint64_t mask, uint64_t *rng)
{
	for (size_t i = 0; i < t->n; i++)
		if (mask & UINT64_C(1) << i)
			gen_field(&t->v[i], data, rng);
}

static uint64_t settable(const struct nctl_field_table *t)
{
	uint64_t all = t->n == 64 ? UINT64_MAX : (UINT64_C(1) << t->n) - 1;

	return all & ~nctl_fields_with(t, NCTL_FIELD_READONLY);
}

void gen_link(
	struct nctl_link *ret, const struct nctl_kind *k, const struct nctl_kind *port_kind, uint64_t *rng)
{
	*ret = NCTL_LINK_INIT;
	ret->ifindex = 1 + (uint32_t)gen_next(rng) % 100000;
	ret->has = settable(&nctl_link_fields) & ~NCTL_LINK_BIT(LOWER_NSID);
	gen_fields(&nctl_link_fields, ret, ret->has, rng);
	if (ret->has & NCTL_LINK_BIT(TOKEN))
		prefix(&ret->token, AF_INET6, rng);
	ret->lower |= 1;
	ret->master |= 1;
	assert_int_equal(nctl_link_set_kind(ret, k), 0);
	if (ret->data) {
		ret->data_has = settable(&k->data);
		gen_fields(&k->data, ret->data, ret->data_has, rng);
	}
	assert_int_equal(nctl_link_set_port_kind(ret, port_kind), 0);
	if (ret->port) {
		ret->port_has = settable(&port_kind->port);
		gen_fields(&port_kind->port, ret->port, ret->port_has, rng);
	}
}

void gen_addr(struct nctl_addr *ret, uint64_t *rng)
{
	int family = gen_next(rng) & 1 ? AF_INET : AF_INET6;

	*ret = NCTL_ADDR_INIT;
	ret->ifindex = 1 + (uint32_t)gen_next(rng) % 100000;
	prefix(&ret->local, family, rng);
	ret->local.len = (uint8_t)(gen_next(rng) % (nctl_prefix_bits(ret->local.family) + 1));
	if (gen_next(rng) & 1) {
		prefix(&ret->peer, family, rng);
		ret->peer.len = ret->local.len;
	}
	if (family == AF_INET && gen_next(rng) & 1)
		prefix(&ret->broadcast, family, rng);
	if (family == AF_INET && gen_next(rng) & 1)
		word(ret->label, 1 + gen_next(rng) % 15, rng);
	ret->flags =
		(uint32_t)gen_next(rng) & (family == AF_INET ? NCTL_ADDR_SETTABLE_V4 : NCTL_ADDR_SETTABLE);
	ret->scope = (uint8_t)gen_next(rng);
	ret->proto = (uint8_t)gen_next(rng);
	ret->metric = (uint32_t)gen_next(rng);
	if (gen_next(rng) & 1) {
		ret->valid = (uint32_t)gen_next(rng);
		ret->preferred = (uint32_t)gen_next(rng);
	}
}
