/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/hash.h"
#include "base/list.h"
#include "base/strbuf.h"
#include "batch/batch.h"
#include "plan/op-fib.h"

/* What the files of this folder share. */

struct word {
	const char *text;
	uint32_t line, column;
};

/* One line with its words; text is in buf. */
struct words {
	uint32_t line; /* where it begins */
	size_t n;
	const char *error; /* why there are none; static */
	uint32_t at_line, column;
	struct word v[ND_BATCH_WORDS_MAX];
	char buf[ND_BATCH_LINE_MAX];
};

/* A name that this window gave or took away. */
struct name {
	struct nctl_hash_node node;
	uint32_t netns;
	char text[IF_NAMESIZE];
	nctl_ifindex ifindex; /* 0: nobody has it */
	uint32_t made_by;     /* operation, NCTL_OP_NONE */
	const struct nctl_kind *kind;
};

/* A link that is wanted, which owns parts of its value. */
struct wanted {
	struct wanted *next;
	struct nctl_want_link link;
};

/* What a window has beside its plan. */
struct room {
	struct words words;
	struct nctl_hash names; /* struct name, in the plan's arena */
	struct wanted *wanted;
	nctl_ifindex next_ifindex;
	bool takes_along; /* a line of this window may take away what it does not name */
	uint32_t in;      /* number of the namespace of the lines, in the plan */
};

/* One line on its way. Functions that return a bool: false: it is refused, and the reason is noted. */
struct reader {
	struct nd_batch_window *w;
	struct room *room;
	struct words *words;
	size_t i;                         /* the next word */
	const struct nd_batch_view *view; /* NULL: checks only */
	struct nd_batch_line *line;
	size_t max_ops;
	bool alone; /* what it does hangs on what is before it */
	bool last;  /* what comes next hangs on it */
	bool more;  /* it has more to do than fits */
	int err;    /* -ENOMEM */
};

/* lex.c: the next line with words, or error. False: there is none. at: steps over it. */
bool nd_batch_next_words(struct nd_batch *b, struct words *ret);

/* reader.c: words */
const char *nd_batch_word(const struct reader *r); /* the next one, NULL: none is left */
const char *nd_batch_take(struct reader *r);       /* likewise, and steps over it */
/* The next word, which must be there, as the value of the one before. NULL: refused. */
const char *nd_batch_value(struct reader *r, const char *what);
/* Is word the whole one, or its first letters, at least min of them? */
bool nd_batch_is(const char *word, const char *whole, size_t min);
/* How the entries of a table of words begin. */
struct known_word {
	const char *word;
	size_t min; /* letters of it that are enough */
};
/* The number of the first one of n entries, each of size bytes, that word is; -1: none. */
int nd_batch_known(const char *word, const struct known_word *first, size_t n, size_t size);
/* Takes the next word if it is that. */
bool nd_batch_skip(struct reader *r, const char *whole, size_t min);
bool nd_batch_on_off(struct reader *r, bool *ret);
/* A number, decimal or with 0x. */
bool nd_batch_number(struct reader *r, const char *what, uint64_t max, uint64_t *ret);
bool nd_batch_read_u64(const char *text, uint64_t *ret);
bool nd_batch_u32(struct reader *r, const char *what, uint32_t *ret);
/* "default", "any", "all" are the whole of the family (AF_UNSPEC: not known yet), and so is a length of 0. */
bool nd_batch_prefix(struct reader *r, const char *text, uint8_t family, struct nctl_prefix *ret);
bool nd_batch_address(struct reader *r, const char *text, struct nctl_prefix *ret);
/* The value of "via": [inet|inet6] ADDRESS. */
bool nd_batch_gateway(struct reader *r, struct nctl_prefix *ret);
/* That of "protocol": by name or number. */
bool nd_batch_protocol(struct reader *r, uint8_t *ret);

/* The word before the next one is wrong. */
bool nd_batch_wrong(struct reader *r, const char *advice, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* It is none of these; n words, NULL ones are passed over. */
bool nd_batch_unknown(struct reader *r, const char *what, const char *const *words, size_t n);
/* It is none of these n, nor of those of a table. */
bool nd_batch_unknown_of(struct reader *r, const char *what, const char *const *words, size_t n,
	const struct known_word *first, size_t n_table, size_t size);
/* What the line names is not there. */
bool nd_batch_lacks(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool nd_batch_no_memory(struct reader *r);
/* The kernel will refuse it, as things are. */
void nd_batch_foresee_refusal(struct reader *r);

/* reader.c: what there is. */
void *nd_batch_alloc(struct reader *r, size_t size); /* zeroed; NULL: refused */
const char *nd_batch_strdup(struct reader *r, const char *s);
struct nctl_op *nd_batch_op(struct reader *r, enum nctl_op_type type);
struct nctl_want_link *nd_batch_want(struct reader *r, const struct nctl_kind *kind);
const struct nctl_mirror *nd_batch_have(const struct reader *r, uint32_t netns); /* NULL: checks only */
/* The namespace of the name, in the plan. */
bool nd_batch_netns(struct reader *r, const char *name, uint32_t *ret);

/* names.c: a link of the namespace that the lines are for, as things will be. */
struct found {
	nctl_ifindex ifindex;
	uint32_t made_by;
	const struct nctl_kind *kind;        /* of one that is made */
	const struct nctl_mirror_link *have; /* NULL: it is made, or it is only checked */
};
bool nd_batch_find(struct reader *r, const char *name, struct found *ret); /* false: refused */
bool nd_batch_is_taken(struct reader *r, uint32_t netns, const char *name);
void nd_batch_name_is(struct reader *r, uint32_t netns, const char *name, const struct found *f);
void nd_batch_name_is_free(struct reader *r, uint32_t netns, const char *name);
nctl_ifindex nd_batch_new_ifindex(struct reader *r);
bool nd_batch_is_link_name(struct reader *r, const char *name); /* false: refused */
/* op needs what was made. */
void nd_batch_needs(struct nctl_op *op, const struct found *f);
