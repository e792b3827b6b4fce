/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/expr.h"
#include "config/parse.h"
#include "obj/kind.h"

/*
 * A definition is compiled once into steps, one for each key in its body; the steps then run for each of its
 * devices. Internal to daemon/config.
 */

struct nd_dev;
struct nd_step;

/* The namespaces that a mapping of sections is about. */
struct nd_scope {
	struct nctl_want_netns *const *netns; /* in the order of the range */
	size_t n;                             /* at least 1 */
	const struct nctl_want_def *def;      /* NULL: the daemon's own namespace */
	bool ranged;
	struct nctl_range range;
};

/* Reads the value behind one key into the device; reports what is wrong with it. */
typedef void (*nd_step_fn)(struct nd_dev *d, const struct nd_step *s);

struct nd_step {
	nd_step_fn fn;
	const struct nd_node *node;
	const struct nctl_field *field; /* NULL: not from a table */
	unsigned index;                 /* of field in its table */
};

struct nd_def {
	struct nd_parse *p;
	const struct nd_node *node;
	const struct nctl_kind *kind;
	const struct nd_scope *scope;
	struct nctl_want_def *def;
	bool ranged;
	struct nctl_range range;
	struct nd_step *steps; /* in the tree's arena */
	size_t n_steps;
	uint64_t given; /* fields of the kind whose keys are there */
	uint64_t mode;  /* kind->modes: the value of the one that was said */
	bool peer_given;
	bool report; /* drift: report, unless a device says otherwise */
};

/* One device, or (link NULL) a namespace itself. */
struct nd_dev {
	struct nd_parse *p;
	struct nctl_want_link *link;
	struct nd_numbers numbers;
	bool first; /* of its range */
};

/* keys.c: fills steps and given; reports unknown, unsupported and missing keys. */
void nd_def_compile(struct nd_def *def);
/* Index of the field with this key, or an older word for it; -1: none. */
int nd_field_find(const struct nctl_field_table *t, const char *key);
/* The entry of the group if f is in it ("input" of "keys.input" in "keys"), or NULL. */
const char *nd_field_in_group(const struct nctl_field *f, const char *group);

/* instance.c: to the definitions of the want. */
bool nd_def_add(struct nd_parse *p, struct nctl_want_def *def);
/* All devices of the definition, in all namespaces of its scope. */
void nd_def_make(struct nd_def *def);
/* The same for a definition of another renderer: its names are known, so that others may refer to them. */
void nd_def_leave(struct nd_def *def);

/* section.c: the mapping under "network". */
void nd_network_read(struct nd_parse *p, const struct nd_node *network);

/* netns.c: makes the namespaces, so that all of them are known before the first device is read. */
void nd_space_open(struct nd_parse *p, const struct nd_node *namespaces);
/* The namespaces of this definition; NULL: it was faulty. Asked once for each, in their order. */
const struct nd_scope *nd_space_take(struct nd_parse *p, const struct nd_node *node);
/* name "": the daemon's own; NULL: not in the configuration. */
struct nctl_want_netns *nd_space_find(const struct nd_parse *p, const char *name);
/* Did-you-mean among all namespaces. */
const char *nd_space_suggest(struct nd_parse *p, const char *name);
/* The numbers in namespace i of the scope. */
struct nd_numbers nd_scope_numbers(const struct nd_scope *s, size_t i);

/* sysctl.c: the value, normalised, in the want's arena; NULL: reported. */
const char *nd_sysctl_value(struct nd_dev *d, const struct nd_node *node);
/* The mapping behind "sysctl", into all namespaces of the scope. */
void nd_sysctl_read(struct nd_parse *p, const struct nd_node *node, const struct nd_scope *scope);

/* Takes times * each from what is left of max; false: there is not so much. Neither may be above 2^31. */
bool nd_take(size_t *used, size_t times, size_t each, size_t max);
/* Keys and values in and below node. */
size_t nd_node_count(const struct nd_node *node);

/*
 * value.c. The text of a scalar (or of an entry's key), expanded; NULL if there is none, which is reported
 * then. Valid until the next call.
 */
const char *nd_dev_text(struct nd_dev *d, const struct nd_node *node);
const char *nd_dev_key(struct nd_dev *d, const struct nd_node *node);
/* The name of a device, in the want's arena; NULL as above. */
const char *nd_dev_name(struct nd_dev *d, const struct nd_node *node);
bool nd_dev_bool(struct nd_dev *d, const struct nd_node *node, bool *ret);
/* The value of a field into the object at data. True if it was fine. */
bool nd_dev_field(struct nd_dev *d, const struct nctl_field *f, const char *key, const struct nd_node *node,
	void *data);
/* Reports unless node is of this type. */
bool nd_expect(struct nd_parse *p, const struct nd_node *node, enum nd_node_type type);

/* Reports an octal number or one in base 60 by the looks of YAML 1.1; true if it is fine. */
bool nd_check_octal(struct nd_parse *p, const struct nd_node *node, const char *text);
bool nd_check_base60(struct nd_parse *p, const struct nd_node *node, const char *text);

/* addropts.c: reads the options in the mapping behind an address. */
void nd_addr_options(struct nd_dev *d, struct nctl_want_addr *a, const struct nd_node *entry);

/* scalar.c: words that YAML 1.1 takes for something else. */
bool nd_is_null(const struct nd_node *node);
bool nd_looks_bool(const char *text);   /* yes, no, on, off, true, false */
bool nd_looks_octal(const char *text);  /* 010 */
bool nd_looks_base60(const char *text); /* 12:34:56 */
bool nd_parse_bool(const char *text, bool *ret);
