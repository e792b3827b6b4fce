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
	struct nctl_want_def *def;
	bool ranged;
	struct nctl_range range;
	struct nd_step *steps; /* in the tree's arena */
	size_t n_steps;
	uint64_t given; /* fields of the kind whose keys are there */
};

struct nd_dev {
	struct nd_parse *p;
	const struct nd_def *def;
	struct nctl_want_link *link;
	int64_t n; /* of a range */
};

/* keys.c: fills steps and given; reports unknown, unsupported and missing keys. */
void nd_def_compile(struct nd_def *def);
/* Index of the field with this key, or an older word for it; -1: none. */
int nd_field_find(const struct nctl_field_table *t, const char *key);

/* section.c: the mapping under "network". */
void nd_network_read(struct nd_parse *p, const struct nd_node *network);

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

/* scalar.c: words that YAML 1.1 takes for something else. */
bool nd_is_null(const struct nd_node *node);
bool nd_looks_bool(const char *text);   /* yes, no, on, off, true, false */
bool nd_looks_octal(const char *text);  /* 010 */
bool nd_looks_base60(const char *text); /* 12:34:56 */
bool nd_parse_bool(const char *text, bool *ret);

/* Steps of common keys (common.c, addrs.c) and of the keys that a kind names (kindkeys.c). */
void nd_step_addresses(struct nd_dev *d, const struct nd_step *s);
void nd_step_link_field(struct nd_dev *d, const struct nd_step *s);
void nd_step_activation(struct nd_dev *d, const struct nd_step *s);
void nd_step_optional(struct nd_dev *d, const struct nd_step *s);
void nd_step_link_local(struct nd_dev *d, const struct nd_step *s);
void nd_step_vrf(struct nd_dev *d, const struct nd_step *s);
void nd_step_must_be_false(struct nd_dev *d, const struct nd_step *s);
void nd_step_must_be_true(struct nd_dev *d, const struct nd_step *s);
void nd_step_any_bool(struct nd_dev *d, const struct nd_step *s);
void nd_step_data_field(struct nd_dev *d, const struct nd_step *s);
void nd_step_lower(struct nd_dev *d, const struct nd_step *s);
void nd_step_peer(struct nd_dev *d, const struct nd_step *s);
void nd_step_ports(struct nd_dev *d, const struct nd_step *s);
void nd_step_ports_field(struct nd_dev *d, const struct nd_step *s); /* of the master: {PORT: VALUE} */
void nd_step_port_field(struct nd_dev *d, const struct nd_step *s);  /* of the port itself */
