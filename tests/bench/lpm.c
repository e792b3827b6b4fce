/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what the prefix index costs, for each family of a table (see the script "table"), and for many small
 * ones.
 *
 *   bench-lpm [-n N] [-q QUERIES] [FILE]
 *
 * FILE: one prefix a line; without it a table of N prefixes a family is made up. Times are the medians of
 * some rounds, in nanoseconds an operation. A match and the random read that it is compared with come in two
 * kinds: each must wait for the one before (latency), or need not. The read is one of 4 bytes in an array as
 * large as the index; the match is of an address within a random prefix, and includes the owner's look at a
 * key, in an array of its own.
 *
 * Exit status 1 if a target is missed (only told of at least 100,000 prefixes): 12 bytes a prefix of IPv4, 40
 * of IPv6; a match takes at most 4 times as long as a read.
 */
#include <err.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "net/lpm.h"

enum {
	ROUNDS = 9,
	SMALL_TABLES = 4096,
	SMALL_ROUTES = 5,
	MEASURED_MIN = 100000,
	RATIO_MAX = 4,
};

struct table {
	uint8_t family;
	struct nctl_prefix *p; /* p[id - 1] */
	uint32_t n, cap;
};

struct queries {
	struct nctl_prefix *exact, *addr; /* of random prefixes */
	uint32_t n;
};

static uint64_t random_state = 1;

static uint32_t any(uint32_t below)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int cmp_double(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double v[ROUNDS])
{
	qsort(v, ROUNDS, sizeof(*v), cmp_double);
	return v[ROUNDS / 2];
}

static void *must(void *p)
{
	if (!p)
		err(2, "memory");
	return p;
}

/* -- tables -- */

static const uint8_t *key(const void *owner, uint32_t id, unsigned *ret_len)
{
	const struct table *t = owner;

	*ret_len = t->p[id - 1].len;
	return t->p[id - 1].addr;
}

static void table_add(struct table *t, const struct nctl_prefix *p)
{
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 1024;
		t->p = must(reallocarray(t->p, t->cap, sizeof(*t->p)));
	}
	t->p[t->n++] = *p;
}

static void tables_read(const char *path, struct table *v4, struct table *v6)
{
	FILE *f = must(fopen(path, "re"));
	char line[128];
	struct nctl_prefix p;

	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (nctl_prefix_parse(line, NCTL_PREFIX_NEED_LENGTH, &p))
			errx(2, "%s: \"%s\" is no prefix", path, line);
		nctl_prefix_mask(&p);
		table_add(p.family == AF_INET ? v4 : v6, &p);
	}
	fclose(f);
}

static int cmp_prefix(const void *a, const void *b)
{
	return nctl_prefix_cmp(a, b);
}

static void table_make(struct table *t, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct nctl_prefix p = {.family = t->family};
		uint32_t bits = nctl_prefix_bits(t->family);

		p.len = (uint8_t)(bits * 3 / 8 + any(bits * 3 / 8 + 1)); /* 12 to 24, 48 to 96 */
		for (uint32_t b = 0; b < nctl_prefix_bytes(t->family); b++)
			p.addr[b] = (uint8_t)any(b < 2 ? 16 : 256);
		nctl_prefix_mask(&p);
		table_add(t, &p);
	}
	qsort(t->p, t->n, sizeof(*t->p), cmp_prefix);
	for (uint32_t i = 0; i < t->n; i++)
		if (!kept || !nctl_prefix_equal(&t->p[kept - 1], &t->p[i]))
			t->p[kept++] = t->p[i];
	t->n = kept;
}

static void queries_make(struct queries *q, const struct table *t, uint32_t n)
{
	unsigned bits = nctl_prefix_bits(t->family);

	q->n = n;
	q->exact = must(calloc(n, sizeof(*q->exact)));
	q->addr = must(calloc(n, sizeof(*q->addr)));
	for (uint32_t i = 0; i < n; i++) {
		struct nctl_prefix *a = &q->addr[i];

		*a = q->exact[i] = t->p[any(t->n)];
		for (unsigned bit = a->len; bit < bits; bit++)
			if (any(2))
				a->addr[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
		a->len = (uint8_t)bits;
	}
}

/* -- measurements -- */

/*
 * 0, as far as only we know: what is added to an index after a bitwise "and" of it and a result is nothing,
 * but has to wait for the result.
 */
static inline uint32_t hidden_zero(void)
{
	uint32_t zero = 0;

	__asm__ volatile("" : "+r"(zero));
	return zero;
}

/* One read of n in an array of so many cells; in turn: each after the one before. */
static double read_once(const uint32_t *cell, const uint32_t *where, uint32_t n, bool in_turn)
{
	uint32_t at = 0, mask = hidden_zero();
	double start = now_ns();

	if (in_turn)
		for (uint32_t i = 0; i < n; i++)
			at = cell[where[i] + (at & mask)];
	else
		for (uint32_t i = 0; i < n; i++)
			at += cell[where[i]];
	__asm__ volatile("" : : "r"(at));
	return (now_ns() - start) / n;
}

typedef uint32_t (*look_fn)(const struct nctl_lpm *l, const struct nctl_prefix *p);

static double look_once(
	const struct nctl_lpm *l, look_fn look, const struct nctl_prefix *p, uint32_t n, bool in_turn)
{
	uint32_t id = 1, mask = hidden_zero();
	double start = now_ns();

	if (in_turn)
		for (uint32_t i = 0; i < n && id; i++)
			id = look(l, p + i + (id & mask));
	else
		for (uint32_t i = 0; i < n && id; i++)
			id = look(l, p + i);
	if (!id)
		errx(2, "a prefix is missing");
	return (now_ns() - start) / n;
}

/* Reads and looks by turns, so that a busy machine is the same to both. Returns matches / reads. */
static double report_looks(const struct nctl_lpm *l, const struct queries *q, bool in_turn)
{
	uint32_t cells = (uint32_t)nctl_max(nctl_lpm_bytes(l) / sizeof(uint32_t), (size_t)1);
	uint32_t *cell = must(calloc(cells, sizeof(*cell)));
	uint32_t *where = must(calloc(q->n, sizeof(*where)));
	double reads[ROUNDS], matches[ROUNDS], gets[ROUNDS], read;

	for (uint32_t i = 0; i < cells; i++)
		cell[i] = i;
	for (uint32_t i = 0; i < q->n; i++)
		where[i] = any(cells);
	for (unsigned r = 0; r < ROUNDS; r++) {
		reads[r] = read_once(cell, where, q->n, in_turn);
		matches[r] = look_once(l, nctl_lpm_match, q->addr, q->n, in_turn);
		gets[r] = look_once(l, nctl_lpm_get, q->exact, q->n, in_turn);
	}
	free(cell);
	free(where);
	read = median(reads);
	printf("  %-8s match %.1f, get %.1f, a random read %.1f ns: match / read %.2f\n",
		in_turn ? "in turn:" : "at will:", median(matches), median(gets), read,
		median(matches) / read);
	return median(matches) / read;
}

static double measure_walk(const struct nctl_lpm *l, const struct table *t, bool steps)
{
	double v[ROUNDS];

	for (unsigned r = 0; r < ROUNDS; r++) {
		double start = now_ns();
		struct nctl_lpm_iter it;
		uint32_t n = 0;

		nctl_lpm_iter_init(&it, l, NULL);
		if (steps)
			for (uint32_t id = nctl_lpm_next(l, NULL); id; id = nctl_lpm_next(l, &t->p[id - 1]))
				n++;
		else
			while (nctl_lpm_iter_next(&it))
				n++;
		v[r] = (now_ns() - start) / t->n;
		if (n != t->n)
			errx(2, "%u of %u prefixes met", n, t->n);
	}
	return median(v);
}

static struct nctl_lpm *must_new(const struct table *t)
{
	struct nctl_lpm *l;

	errno = -nctl_lpm_new(t->family, key, t, &l);
	return errno ? must(NULL) : l;
}

static void must_insert(struct nctl_lpm *l, const struct table *t, uint32_t id)
{
	errno = -nctl_lpm_insert(l, &t->p[id - 1], id);
	if (errno)
		err(2, "insertion");
}

static void must_remove(struct nctl_lpm *l, const struct table *t, uint32_t id)
{
	if (nctl_lpm_remove(l, &t->p[id - 1]) != id)
		errx(2, "a wrong prefix was removed");
}

/* All of order in, and all out again; ret_l, if any: in only, once. */
static void measure_changes(const struct table *t, const uint32_t *order, double *ret_in, double *ret_out)
{
	double in[ROUNDS], out[ROUNDS];

	for (unsigned r = 0; r < ROUNDS; r++) {
		struct nctl_lpm *l = must_new(t);
		double start = now_ns();

		for (uint32_t i = 0; i < t->n; i++)
			must_insert(l, t, order[i]);
		in[r] = (now_ns() - start) / t->n;
		start = now_ns();
		for (uint32_t i = 0; i < t->n; i++)
			must_remove(l, t, order[i]);
		out[r] = (now_ns() - start) / t->n;
		nctl_lpm_free(l);
	}
	*ret_in = median(in);
	*ret_out = median(out);
}

static double measure_churn(struct nctl_lpm *l, const struct table *t)
{
	uint32_t n = nctl_min(t->n, UINT32_C(1000000));
	double start = now_ns();

	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = 1 + any(t->n);

		must_remove(l, t, id);
		must_insert(l, t, id);
	}
	return (now_ns() - start) / n;
}

static size_t heap(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Returns whether the targets are met, or it is too small for that. */
static bool report(const struct table *t, uint32_t n_queries, double bytes_max)
{
	double in, out, sorted_in, sorted_out, ratio, bytes;
	uint32_t *order = must(calloc(t->n, sizeof(*order)));
	struct queries q;
	struct nctl_lpm *l;
	size_t before, after;

	for (uint32_t i = 0; i < t->n; i++)
		order[i] = i + 1;
	measure_changes(t, order, &sorted_in, &sorted_out);
	for (uint32_t i = t->n; i > 1; i--) {
		uint32_t other = any(i), id = order[i - 1];

		order[i - 1] = order[other];
		order[other] = id;
	}
	measure_changes(t, order, &in, &out);
	queries_make(&q, t, n_queries);
	before = heap();
	l = must_new(t);
	for (uint32_t i = 0; i < t->n; i++)
		must_insert(l, t, order[i]);
	after = heap();
	bytes = (double)nctl_lpm_bytes(l) / t->n;
	printf("IPv%d, %u prefixes: %.2f bytes a prefix (heap: %.2f)\n", t->family == AF_INET ? 4 : 6, t->n,
		bytes, (double)(after - before) / t->n);
	printf("  insert %.0f (ascending: %.0f), remove %.0f (ascending: %.0f) ns\n", in, sorted_in, out,
		sorted_out);
	report_looks(l, &q, false);
	ratio = report_looks(l, &q, true);
	printf("  walk %.1f (by descents: %.1f) ns", measure_walk(l, t, false), measure_walk(l, t, true));
	printf("; remove and insert %.0f ns", measure_churn(l, t));
	printf(", then %.2f bytes a prefix\n", (double)nctl_lpm_bytes(l) / t->n);
	nctl_lpm_free(l);
	free(q.addr);
	free(q.exact);
	free(order);
	return t->n < MEASURED_MIN || (bytes <= bytes_max && ratio <= RATIO_MAX);
}

static void report_small(const struct table *t)
{
	struct nctl_lpm **tables = must(calloc(SMALL_TABLES, sizeof(struct nctl_lpm *)));
	size_t before = heap(), bytes = 0;

	if (t->n < SMALL_TABLES * SMALL_ROUTES)
		warnx("small tables share prefixes");
	for (uint32_t i = 0; i < SMALL_TABLES; i++) {
		tables[i] = must_new(t);
		for (uint32_t j = 0; j < SMALL_ROUTES; j++)
			must_insert(tables[i], t, 1 + (i + j * SMALL_TABLES) % t->n);
		bytes += nctl_lpm_bytes(tables[i]);
	}
	printf("  %d tables of %d: %.0f bytes a table (heap: %.0f)\n", SMALL_TABLES, SMALL_ROUTES,
		(double)bytes / SMALL_TABLES, (double)(heap() - before) / SMALL_TABLES);
	for (uint32_t i = 0; i < SMALL_TABLES; i++)
		nctl_lpm_free(tables[i]);
	free(tables);
}

int main(int argc, char **argv)
{
	struct table v4 = {.family = AF_INET}, v6 = {.family = AF_INET6};
	uint32_t n = 200000, n_queries = 1000000;
	bool good = true;
	int c;

	while ((c = getopt(argc, argv, "n:q:")) != -1)
		if (c == '?' || nctl_parse_u32(optarg, 10, 1, 10000000, c == 'n' ? &n : &n_queries) < 0)
			errx(2, "Usage: bench-lpm [-n N] [-q QUERIES] [FILE]");
	if (argv[optind]) {
		tables_read(argv[optind], &v4, &v6);
	} else {
		table_make(&v4, n);
		table_make(&v6, n);
	}
	if (v4.n) {
		good &= report(&v4, n_queries, 12);
		report_small(&v4);
	}
	if (v6.n) {
		good &= report(&v6, n_queries, 40);
		report_small(&v6);
	}
	free(v4.p);
	free(v6.p);
	return good ? 0 : 1;
}
