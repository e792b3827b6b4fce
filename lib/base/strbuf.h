/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * A growing byte string. The first failure (-ENOMEM, or what a writer on top of it
 * sets) sticks in err and turns all later writes into nothing, so that a long
 * sequence of writes needs one check at its end.
 */
struct nctl_strbuf {
	char *s; /* NUL-terminated, if not NULL */
	size_t len;
	size_t cap;
	int err; /* 0 or a negative errno */
};

#define NCTL_STRBUF_INIT ((struct nctl_strbuf){NULL, 0, 0, 0})

void nctl_strbuf_fini(struct nctl_strbuf *b);

void nctl_strbuf_put(struct nctl_strbuf *b, const void *data, size_t len);
void nctl_strbuf_puts(struct nctl_strbuf *b, const char *s);
void nctl_strbuf_putc(struct nctl_strbuf *b, char c);
void nctl_strbuf_printf(struct nctl_strbuf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* v in decimal digits. */
void nctl_strbuf_u64(struct nctl_strbuf *b, uint64_t v);

/* Empties it and clears err; keeps the memory. */
void nctl_strbuf_reset(struct nctl_strbuf *b);

/* The text, "" if there is none; valid until the next write. */
const char *nctl_strbuf_str(const struct nctl_strbuf *b);

/* The text as memory of the caller (free()), NULL if err is set or there is no memory. Leaves b empty. */
char *nctl_strbuf_steal(struct nctl_strbuf *b);
