/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Any bytes as changes of a prefix index, and questions to it: it says what a naive model says, and
 *holds no memory when it is empty. The first byte is the family; then come steps, of four bytes each: what to
 *do, a length, and the two bytes of an address in which a prefix of that length ends. The others are 0, but
 *for the first one, which has two bits, so that prefixes meet at any depth.
 *
 *	fuzz-lpm CORPUS
 *	fuzz-lpm-plain SECONDS [SEED]     without libFuzzer
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lpm-model.h"
#include "plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEP = 4 };

static struct model m;
static uint64_t inserted;

static void check(const char *difference)
{
	if (!difference)
		return;
	fprintf(stderr, "%s differs\n", difference);
	abort();
}

static struct nctl_prefix prefix_of(const uint8_t step[STEP])
{
	struct nctl_prefix p = {.family = m.family};
	unsigned end;

	p.len = (uint8_t)(step[1] % (nctl_prefix_bits(m.family) + 1));
	end = p.len / 8U;
	p.addr[0] = step[0] & 0xc0;
	if (end)
		p.addr[end - 1] ^= step[2];
	if (end < nctl_prefix_bytes(m.family))
		p.addr[end] ^= step[3];
	nctl_prefix_mask(&p);
	return p;
}

static void change(struct nctl_lpm *t, const struct nctl_prefix *p, unsigned what)
{
	uint32_t id = model_free_id(&m), old = model_get(&m, p);

	switch (what) {
	case 0:
	case 1:
	case 2:
		if (!id)
			break;
		if (nctl_lpm_insert(t, p, id) != (old ? -EEXIST : 0))
			check("insert");
		if (!old)
			model_insert(&m, p, id);
		inserted += !old;
		break;
	case 3:
		if (!id)
			break;
		nctl_lpm_replace(t, p, id);
		if (old)
			model_replace(&m, p, id);
		break;
	case 4:
	case 5:
		if (nctl_lpm_remove(t, p) != old)
			check("remove");
		model_remove(&m, p);
		break;
	default: /* questions only */
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nctl_lpm *t;
	size_t empty;

	if (!size)
		return 0;
	m = (struct model){.family = data[0] % 2 ? AF_INET6 : AF_INET};
	if (nctl_lpm_new(m.family, model_key, &m, &t) < 0)
		return 0;
	empty = nctl_lpm_bytes(t);
	for (size_t i = 1; i + STEP <= size; i += STEP) {
		struct nctl_prefix p = prefix_of(data + i);

		change(t, &p, data[i] % 8);
		check(model_compare(&m, t, &p));
		p.len = (uint8_t)nctl_prefix_bits(m.family);
		check(model_compare(&m, t, &p));
	}
	check(model_compare_all(&m, t));
	while (m.n) {
		struct nctl_prefix p = m.keys[m.sorted[m.n / 2]];

		if (nctl_lpm_remove(t, &p) != model_remove(&m, &p))
			check("remove at the end");
	}
	check(model_compare_all(&m, t));
	check(nctl_lpm_bytes(t) == empty ? NULL : "memory");
	nctl_lpm_free(t);
	return 0;
}

#ifdef PLAIN
static void step(void)
{
	static uint8_t buf[1 + STEP * 1000];
	size_t len = 1 + STEP * any(1000);
	uint32_t bytes = 1 + any(256), lengths = 1 + any(129), from = any(129 - lengths + 1);

	for (size_t i = 0; i < len; i++) {
		unsigned what = (i + STEP - 1) % STEP;

		buf[i] = (uint8_t)(i == 0 || what == 0 ? any(256)
				   : what == 1         ? from + any(lengths)
						       : any(bytes));
	}
	LLVMFuzzerTestOneInput(buf, len);
}

int main(int argc, char **argv)
{
	uint64_t n;
	int r = run_plain(argc, argv, step, &n);

	if (r)
		return r;
	printf("# %llu tables, %llu insertions\n", (unsigned long long)n, (unsigned long long)inserted);
	return inserted ? 0 : 1;
}
#endif
