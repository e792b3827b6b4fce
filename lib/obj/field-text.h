/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Fields as text: what YAML says, what plan shows, what JSON prints. Part of obj/field.h. */

struct nctl_field;
struct nctl_field_table;
struct nctl_json;
struct nctl_nexthop;
struct nctl_strbuf;

/*
 * Reads YAML text into data. 0, or a negative errno with a sentence in why ("must be between 0 and 4094, not
 * 5000"; a "did you mean" where there are names). Lists take one item, or all as "[a, b]". A LINK field
 * cannot be read (-EOPNOTSUPP): its name needs a mirror.
 */
int nctl_field_parse(const struct nctl_field *f, const char *text, void *data, struct nctl_strbuf *why);
/* The value as YAML and plan show it: the inverse of parse. LINK prints as its number. */
void nctl_field_format_text(const struct nctl_field *f, const void *data, struct nctl_strbuf *out);

/* Where link names come from when objects are printed. Both give NULL/false for an unknown index. */
struct nctl_names {
	const char *(*link_name)(const void *userdata, uint32_t ifindex);
	bool (*link_is_up)(const void *userdata, uint32_t ifindex);
	const void *userdata;
	/* NULL: there is none to ask. What it gives is read at once. */
	const struct nctl_nexthop *(*nexthop)(const void *userdata, uint32_t id);
};

/* Writes "key": value for each field in mask that has a JSON key, in table order. */
void nctl_fields_json(const struct nctl_field_table *t, const void *data, uint64_t mask,
	const struct nctl_names *names, struct nctl_json *json);
/* The value alone, behind a key that is there already. */
void nctl_field_json(
	const struct nctl_field *f, const void *data, const struct nctl_names *names, struct nctl_json *json);
