/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a million routes and the cost of a link among many: figures are printed, and asserted where they do
 * not hang on the machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "mirror/route.h"
#include "random.h"
#include "test.h"

enum { SETS = 40 };

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static struct nctl_mirror *new_mirror(void)
{
	struct nctl_mirror *m = NULL;

	assert_int_equal(nctl_mirror_new(&m), 0);
	return m;
}

/* Lengths as in the table of the Internet, roughly. */
static struct nctl_prefix random_prefix(struct random *rng, bool v6)
{
	struct nctl_prefix p = {.family = v6 ? AF_INET6 : AF_INET};
	uint64_t x = random_next(rng);

	memcpy(p.addr, &x, v6 ? 6 : 4);
	if (v6)
		p.addr[0] = 0x20;
	p.len = (uint8_t)(v6                     ? 32 + random_below(rng, 17)
			  : random_below(rng, 5) ? 24
						 : 16 + random_below(rng, 9));
	nctl_prefix_mask(&p);
	return p;
}

static void put(struct nctl_mirror *m, const struct nctl_prefix *dst, unsigned which, enum nctl_source src)
{
	struct nctl_hop hop = {.oif = 2 + which % 4, .weight = 1, .via = {.family = dst->family}};
	struct nctl_route r = {
		.dst = *dst, .table = 254, .metric = 20, .protocol = RTPROT_BGP, .type = RTN_UNICAST};

	hop.via.len = (uint8_t)nctl_prefix_bits(dst->family);
	hop.via.addr[0] = 10;
	hop.via.addr[3] = (uint8_t)which;
	r.hops = &hop;
	r.n_hops = 1;
	assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_CREATE | NLM_F_EXCL, src), 0);
}

static int cmp(const void *a, const void *b)
{
	return nctl_prefix_cmp(a, b);
}

/* The links of all routes go: that costs nothing a route at once, and little a piece. */
static void lose_all(struct nctl_mirror *m)
{
	uint64_t begin = cpu_ns(), took, worst = 0;
	unsigned pieces = 0;
	bool more = true;

	for (nctl_ifindex i = 2; i < 6; i++)
		nctl_mirror_link_drop(m, i);
	assert_int_equal(nctl_mirror_route_count(m, AF_UNSPEC), 0);
	printf("#   all lost in %.1f us;", (double)(cpu_ns() - begin) / 1e3);
	while (more) {
		begin = cpu_ns();
		more = nctl_mirror_work(m, 2000);
		took = cpu_ns() - begin;
		worst = took > worst ? took : worst;
		pieces++;
	}
	printf(" %u pieces of at most %.2f ms; %zu bytes left\n", pieces, (double)worst / 1e6,
		nctl_mirror_route_bytes(m));
	assert_true(nctl_mirror_route_bytes(m) < 1 << 20);
}

/* sorted: as a dump comes; else as events may. */
static void measure(bool v6, bool sorted, unsigned n)
{
	struct nctl_mirror *m = new_mirror();
	struct random rng = {v6 ? 6 : 4};
	struct nctl_prefix *p = calloc(n, sizeof(*p));
	uint64_t begin, added, again;
	size_t count;

	for (unsigned i = 0; i < n; i++)
		p[i] = random_prefix(&rng, v6);
	if (sorted)
		qsort(p, n, sizeof(*p), cmp);
	begin = cpu_ns();
	for (unsigned i = 0; i < n; i++)
		put(m, &p[i], i % SETS, NCTL_SOURCE_EVENT);
	added = cpu_ns() - begin;
	begin = cpu_ns();
	for (unsigned i = 0; i < n; i++)
		put(m, &p[i], i % SETS, NCTL_SOURCE_EVENT);
	again = cpu_ns() - begin;
	count = nctl_mirror_route_count(m, AF_UNSPEC);
	printf("# IPv%d, %s: %zu routes, %.1f bytes each; %.0f ns to add, %.0f ns unchanged\n", v6 ? 6 : 4,
		sorted ? "in order" : "at random", count, (double)nctl_mirror_route_bytes(m) / (double)count,
		(double)added / n, (double)again / n);
	assert_true(nctl_mirror_route_bytes(m) / count <= 100);
	free(p);
	lose_all(m);
	nctl_mirror_free(m);
}

static void test_size(void **state)
{
	(void)state;
	measure(false, true, 1000000);
	measure(false, false, 1000000);
	measure(true, true, 200000);
	measure(true, false, 200000);
}

static void put_on_link(
	struct nctl_mirror *m, nctl_ifindex ifindex, const char *text, uint8_t type, const char *src)
{
	struct nctl_hop hop = {.oif = ifindex, .weight = 1};
	struct nctl_route r = {.table = 254, .metric = 256, .protocol = RTPROT_KERNEL, .type = type};

	assert_int_equal(nctl_prefix_parse(text, NCTL_PREFIX_NEED_LENGTH, &r.dst), 0);
	if (src)
		assert_int_equal(nctl_addr_parse(src, &r.prefsrc), 0);
	r.hops = &hop;
	r.n_hops = 1;
	assert_int_equal(nctl_mirror_route_put(m, &r, NLM_F_CREATE, NCTL_SOURCE_EVENT), 0);
}

static void add_link(struct nctl_mirror *m, nctl_ifindex ifindex)
{
	struct nctl_link l = NCTL_LINK_INIT;
	char text[64], src[32];

	l.ifindex = ifindex;
	l.flags = IFF_UP;
	snprintf(l.name, sizeof(l.name), "link%u", ifindex);
	assert_int_equal(nctl_mirror_link_put(m, &l, NCTL_SOURCE_EVENT), 0);
	snprintf(text, sizeof(text), "10.%u.%u.0/24", ifindex / 256, ifindex % 256);
	snprintf(src, sizeof(src), "10.%u.%u.1", ifindex / 256, ifindex % 256);
	put_on_link(m, ifindex, text, RTN_UNICAST, src);
	put_on_link(m, ifindex, "fe80::/64", RTN_UNICAST, NULL);
	put_on_link(m, ifindex, "ff00::/8", RTN_MULTICAST, NULL);
	snprintf(text, sizeof(text), "fe80::%x/128", ifindex);
	put_on_link(m, ifindex, text, RTN_LOCAL, NULL);
}

/* CPU time of losing a link with its routes, the best of some. */
static uint64_t losing(unsigned links)
{
	struct nctl_mirror *m = new_mirror();
	uint64_t best = UINT64_MAX;

	for (nctl_ifindex i = 1; i <= links; i++)
		add_link(m, i);
	for (unsigned i = 0; i < 50; i++) {
		nctl_ifindex ifindex = 1 + i * 7 % links;
		uint64_t begin = cpu_ns(), took;
		struct nctl_dump_scope scope;

		nctl_mirror_link_drop(m, ifindex);
		while (nctl_mirror_work(m, 100))
			;
		took = cpu_ns() - begin;
		best = took < best ? took : best;
		assert_false(nctl_mirror_next_suspect(m, &scope));
		assert_int_equal(nctl_mirror_route_count(m, AF_INET6), 3 * (links - 1));
		add_link(m, ifindex);
	}
	nctl_mirror_free(m);
	return best;
}

static void test_losing(void **state)
{
	uint64_t few = losing(10), many = losing(10000);

	(void)state;
	printf("# losing one of 10 links: %u ns, of 10000: %u ns\n", (unsigned)few, (unsigned)many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_losing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
