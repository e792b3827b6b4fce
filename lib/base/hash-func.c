/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The keyed hash functions of base/hash.h.
 *
 * The key is drawn once, before main(), and never changes, so that hashes can be
 * stored and compared within the process, but not foretold from outside it. Names of
 * links and namespaces are chosen by whoever makes them, hence SipHash (Aumasson and
 * Bernstein, "SipHash: a fast short-input PRF", 2012) with 1 and 3 rounds.
 */
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#include "base/hash.h"

static uint64_t seed[2];

/*
 * Without GRND_NONBLOCK a daemon started early in boot might wait here. The 16 bytes at
 * AT_RANDOM (getauxval(3)) are made anew by the kernel for each execve.
 */
__attribute__((constructor)) static void seed_init(void)
{
	const void *fallback = (const void *)(uintptr_t)getauxval(AT_RANDOM);

	if (getrandom(seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return;
	if (fallback)
		memcpy(seed, fallback, sizeof(seed));
}

struct sip {
	uint64_t v[4];
};

static uint64_t rotl(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

static void sip_round(struct sip *s)
{
	uint64_t *v = s->v;

	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] = rotl(v[0], 32) + v[3];
	v[2] += v[1];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

static void sip_word(struct sip *s, uint64_t m)
{
	s->v[3] ^= m;
	sip_round(s);
	s->v[0] ^= m;
}

uint64_t nctl_hash_bytes(const void *p, size_t len)
{
	/* "somepseudorandomlygeneratedbytes", the constants of the paper's section 2.1 */
	struct sip s = {{seed[0] ^ 0x736f6d6570736575u, seed[1] ^ 0x646f72616e646f6du,
		seed[0] ^ 0x6c7967656e657261u, seed[1] ^ 0x7465646279746573u}};
	const uint8_t *b = p;
	uint64_t m, last = (uint64_t)len << 56;
	size_t i;

	for (; len >= 8; b += 8, len -= 8) {
		memcpy(&m, b, 8);
		sip_word(&s, m);
	}
	for (i = 0; i < len; i++)
		last |= (uint64_t)b[i] << (8 * i);
	sip_word(&s, last);
	s.v[2] ^= 0xff;
	for (i = 0; i < 3; i++)
		sip_round(&s);
	return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}

uint64_t nctl_hash_str(const char *s)
{
	return nctl_hash_bytes(s, strlen(s));
}

/* Two rounds of multiply and fold; each step can be undone, so different v never collide. */
uint64_t nctl_hash_u64(uint64_t v)
{
	v = (v ^ seed[0]) * 0xbf58476d1ce4e5b9u;
	v ^= v >> 32;
	v = (v ^ seed[1]) * 0x94d049bb133111ebu;
	return v ^ v >> 29;
}
