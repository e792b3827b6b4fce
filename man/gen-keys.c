/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Writes netctld.yaml(5) from its template, at build time. The tables of keys come from the field tables
 * that also read, compare and send these keys (lib/obj, lib/kinds), so that the page cannot say anything
 * else.
 *
 *   gen-keys TEMPLATE   the template on stdout; a line @COMMON@ becomes the table of common keys, a line
 *                       @KINDS@ a section for each kind of links, a line @KEYS LIST@ the table of a mapping
 *                       ...; @ETHTOOL@ and @OFFLOADS@ the keys of drivers' settings
 *   gen-keys --list     the words that these write, one a line, for the test of the page
 *   gen-keys --keys     all keys, one a line, for the tests of their effects: KEY where every device may
 *                       have it, else SECTION.KEY or LIST.KEY (config/grammar.h)
 *   gen-keys --grammar  those of config/grammar.h: LIST KEY
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/grammar.h"
#include "obj/ethtool.h"
#include "obj/kind.h"
#include "obj/link.h"

enum { LINE_BYTES = 1024 };

/* Text for scdoc(5), in which _ and * are markup and \ takes their meaning away. */
static void put(const char *text)
{
	for (; *text; text++) {
		if (strchr("_*\\", *text))
			putchar('\\');
		putchar(*text);
	}
}

static uint64_t number_max(const struct nctl_field *f)
{
	if (f->max)
		return f->max;
	return f->size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * f->size) - 1;
}

/* Is there a limit that says more than the width of a number in the kernel? */
static bool is_bounded(const struct nctl_field *f)
{
	return number_max(f) < INT32_MAX;
}

/* A number of the field as the user writes it. */
static void put_value(const struct nctl_field *f, uint64_t value)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf text = NCTL_STRBUF_INIT;
	_Alignas(16) char data[4096] = {0};

	if ((size_t)f->offset + f->size > sizeof(data))
		return;
	nctl_field_set(f, data, value);
	nctl_field_format_text(f, data, &text);
	put(nctl_strbuf_str(&text));
}

static void put_number(const struct nctl_field *f)
{
	switch ((enum nctl_field_unit)f->unit) {
	case NCTL_UNIT_NONE:
		break;
	case NCTL_UNIT_MSEC:
		fputs("time in ms, ", stdout);
		break;
	case NCTL_UNIT_SEC:
	case NCTL_UNIT_CENTISEC:
		fputs("time in s, ", stdout);
		break;
	}
	put_value(f, f->min);
	if (!is_bounded(f)) {
		fputs(" or more", stdout);
		return;
	}
	fputs(" to ", stdout);
	put_value(f, number_max(f));
}

static void put_names(const struct nctl_field *f)
{
	for (const struct nctl_name *n = f->names; n->name; n++) {
		if (n != f->names)
			fputs(" | ", stdout);
		putchar('*');
		put(n->alias ? n->alias : n->name);
		putchar('*');
	}
	if (f->max)
		fputs(" | _NUMBER_", stdout);
}

static void put_bytes(const struct nctl_field *f)
{
	if (f->max && !f->min)
		printf(", at most %" PRIu64 " bytes", f->max);
	else if (f->max && f->min != f->max)
		printf(", %" PRIu64 " to %" PRIu64 " bytes", f->min, f->max);
	else if (f->max)
		printf(", %" PRIu64 " bytes", f->max);
}

static void put_type(const struct nctl_field *f)
{
	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
		put_number(f);
		break;
	case NCTL_FIELD_BOOL:
		fputs("*true* | *false*", stdout);
		break;
	case NCTL_FIELD_ENUM:
		put_names(f);
		break;
	case NCTL_FIELD_BITS:
		fputs("list of ", stdout);
		put_names(f);
		break;
	case NCTL_FIELD_STR:
		printf("text, at most %u bytes", f->size - 1U);
		break;
	case NCTL_FIELD_LLADDR:
		fputs("MAC address", stdout);
		put_bytes(f);
		break;
	case NCTL_FIELD_IP:
		fputs("IP address", stdout);
		break;
	case NCTL_FIELD_LINK:
		fputs("name of a port of it", stdout); /* struct nctl_want_port_ref */
		break;
	case NCTL_FIELD_TEXT:
		fputs("text", stdout);
		put_bytes(f);
		break;
	case NCTL_FIELD_TEXTS:
		fputs("list of texts", stdout);
		put_bytes(f);
		break;
	case NCTL_FIELD_IPS:
		fputs("list of IP addresses", stdout);
		break;
	case NCTL_FIELD_BYTES:
		fputs("{_NUMBER_: _NUMBER_, ...}", stdout);
		break;
	case NCTL_FIELD_RAW:
		fputs("[_NUMBER_, ...]", stdout);
		break;
	}
}

/* A default of the table is what netctld sends when the key is not there; a port's is not sent. */
static void put_default(const struct nctl_field *f, bool of_port)
{
	if (f->flags & NCTL_FIELD_REQUIRED)
		fputs("required; ", stdout);
	if (!f->dflt || of_port)
		return;
	fputs("default *", stdout);
	put_value(f, f->dflt);
	fputs("*; ", stdout);
}

static bool has_keys(const struct nctl_field_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].key)
			return true;
	return false;
}

/* The help of a table is half a sentence. */
static void put_help(const struct nctl_field *f)
{
	const char *help = f->help ? f->help : "";
	char first[2] = {(char)toupper((unsigned char)help[0]), 0};

	put(first);
	put(*help ? help + 1 : "");
	puts(".\n");
}

/* An entry of a group: in a list that says what is true, or in a mapping. */
static void put_entry(const struct nctl_field *f, size_t group)
{
	printf("*%.*s*: ", (int)group, f->key);
	fputs(f->type == NCTL_FIELD_BOOL ? "[*" : "{*", stdout);
	put(f->key + group + 1);
	if (f->type == NCTL_FIELD_BOOL) {
		fputs("*, ...]", stdout);
		return;
	}
	fputs("*: ", stdout);
	put_type(f);
	fputs(", ...}", stdout);
}

/* lacks: fields of the table that are not meant. */
static void put_table(const struct nctl_field_table *t, uint64_t lacks, bool of_port)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];
		size_t group = f->key ? strcspn(f->key, ".") : 0;

		if (!f->key || lacks >> i & 1 || f->flags & NCTL_FIELD_IPV6)
			continue;
		if (f->key[group]) {
			put_entry(f, group);
		} else {
			putchar('*');
			put(f->key);
			fputs("*: ", stdout);
			put_type(f);
		}
		fputs(" (", stdout);
		put_default(f, of_port);
		printf("_%s_)\n\t", nctl_change_class_name(f->change));
		put_help(f);
	}
}

static void put_links(const struct nctl_kind *k)
{
	if (k->lower_key)
		printf("*%s*: _NAME_%s\n\tThe device it is made on.\n\n", k->lower_key,
			k->traits & NCTL_KIND_LOWER_REQUIRED ? " (required)" : "");
	if (k->peer_key)
		printf("*%s*: _NAME_ | {*netns*: _NAMESPACE_, *name*: _NAME_}\n"
		       "\tThe device at the other end, defined in the same section of its namespace. Without "
		       "*netns* that is the same namespace; \"\" is the daemon's own. Both ends name each "
		       "other; "
		       "one of them may leave it out, if exactly one device names it.\n\n",
			k->peer_key);
	if (k->ports_key)
		printf("*%s*: [_NAME_, ...]\n"
		       "\tIts ports, each defined somewhere; \"x{1..4}\" stands for four of them.%s\n\n",
			k->ports_key,
			k->traits & NCTL_KIND_VRF ? " A device may name its VRF by *vrf* as well." : "");
}

/* Several kinds share the section. */
static void put_modes(const struct nctl_kind *k)
{
	for (const struct nctl_name *n = k->modes; n && n->name; n++)
		printf(n == k->modes ? ", mode %s" : " or %s", n->name);
}

/* They are read by hand, and are no fields. */
static void put_vlans(void)
{
	puts("*vlans*: [\"_VLAN_[-_VLAN_] [*pvid*] [*untagged*]\", ...] (_live_)\n"
	     "\tAll VLANs of the bridge itself, each or a range of them, with what bridge(8) calls so. "
	     "Others that it "
	     "has go, whoever made them.\n\n"
	     "*port-vlans*: {_PORT_: [_as above_], ...} (_live_)\n"
	     "\tThe same of ports; \"x{1..4}\" stands for four of them. A port may say its own, as "
	     "*port-vlans*: [_as above_] in its definition. A port without a list keeps what it has, and a "
	     "new one "
	     "has *vlan-default-pvid*.\n");
}

static void put_kind(const struct nctl_kind *k)
{
	printf("## %s", k->section);
	put_modes(k);
	puts("\n");
	printf("Kind *%s*: %s.%s\n\n", k->name, k->help,
		k->traits & NCTL_KIND_PHYSICAL ? " They are never made nor deleted." : "");
	put_links(k);
	if (has_keys(&k->data)) {
		if (k->parameters)
			printf("*%s*: {_KEY_: _VALUE_, ...}\n\tA mapping with the keys below.\n\n",
				k->parameters);
		put_table(&k->data, k->lacks, false);
	}
	if (k->traits & NCTL_KIND_VLANS)
		put_vlans();
	if (!has_keys(&k->port))
		return;
	printf("Keys of a port, in the port's own definition, or here under *%s* as {_PORT_: _VALUE_, "
	       "...}:\n\n",
		k->parameters ? k->parameters : k->section);
	put_table(&k->port, 0, true);
}

/* Each group of settings of drivers that are numbers. */
static void put_ethtool(void)
{
	for (unsigned g = NCTL_ETHTOOL_N_SWITCHES; g < NCTL_ETHTOOL_N_GROUPS; g++) {
		const struct nctl_ethtool_group_info *info = &nctl_ethtool_groups[g];
		const struct nctl_field_table t = {nctl_ethtool_fields.v + info->first, info->n};

		if (info->name)
			printf("## %s\n\n", info->name);
		else
			puts("## Of the link itself\n");
		put_table(&t, 0, false);
	}
}

static void put_offloads(void)
{
	for (const struct nctl_ethtool_key *k = nctl_ethtool_keys; k->key; k++) {
		const struct nctl_field f = {.help = k->help};

		putchar('*');
		put(k->key);
		fputs("*: *true* | *false* (_live_)\n\t", stdout);
		put_help(&f);
	}
}

static void put_kinds(void)
{
	for (size_t i = 0; nctl_kinds[i]; i++)
		if (nctl_kinds[i]->section && !nctl_kinds[i]->modes)
			put_kind(nctl_kinds[i]);
	for (size_t i = 0; nctl_kinds[i]; i++)
		if (nctl_kinds[i]->modes)
			put_kind(nctl_kinds[i]);
}

/* The table of a mapping that is no link, by its name in the grammar. */
static void put_mapping(const char *name)
{
	for (const struct nd_grammar_list *l = nd_grammar; l->name; l++) {
		if (strcmp(l->name, name) || !l->table)
			continue;
		for (size_t i = 0; i < l->table->n; i++) {
			const struct nctl_field *f = &l->table->v[i];

			putchar('*');
			put(f->key);
			fputs("*: ", stdout);
			put_type(f);
			fputs(f->flags & NCTL_FIELD_REQUIRED ? " (required)\n\t" : "\n\t", stdout);
			put_help(f);
		}
	}
}

static void list_word(const char *word)
{
	if (word)
		puts(word);
}

static void list_table(const struct nctl_field_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const char *key = t->v[i].key, *dot = key ? strchr(key, '.') : NULL;

		if (dot)
			printf("%.*s\n%s\n", (int)(dot - key), key, dot + 1);
		else
			list_word(key);
	}
}

static void list_words(void)
{
	list_table(&nctl_link_fields);
	for (const struct nd_grammar_list *l = nd_grammar; l->name; l++)
		if (l->table)
			list_table(l->table);
	for (size_t i = 0; nctl_kinds[i]; i++) {
		const struct nctl_kind *k = nctl_kinds[i];

		if (!k->section)
			continue;
		list_word(k->section);
		list_word(k->lower_key);
		list_word(k->ports_key);
		list_word(k->traits & NCTL_KIND_VLANS ? "port-vlans" : NULL);
		list_word(k->peer_key);
		list_word(k->parameters);
		list_table(&k->data);
		list_table(&k->port);
	}
}

static void list_key(const char *section, const char *key)
{
	if (key)
		printf("%s.%s\n", section, key);
}

static void list_in_grammar(const char *list, const char *key, bool plain)
{
	if (plain)
		printf("%s %s\n", list, key);
	else if (strcmp(list, "device"))
		list_key(list, key);
	else
		puts(key);
}

static void list_grammar(bool plain)
{
	for (const struct nd_grammar_list *l = nd_grammar; l->name; l++) {
		for (const struct nd_grammar_key *k = l->keys; k->key; k++)
			list_in_grammar(l->name, k->key, plain);
		for (size_t i = 0; l->table && i < l->table->n; i++)
			list_in_grammar(l->name, l->table->v[i].key, plain);
	}
}

static void list_keys(void)
{
	list_table(&nctl_link_fields);
	list_grammar(false);
	for (size_t i = 0; nctl_kinds[i]; i++) {
		const struct nctl_kind *k = nctl_kinds[i];

		if (!k->section)
			continue;
		puts(k->section);
		list_key(k->section, k->modes ? "mode" : NULL);
		list_key(k->section, k->lower_key);
		list_key(k->section, k->ports_key);
		list_key(k->section, k->traits & NCTL_KIND_VLANS ? "vlans" : NULL);
		list_key(k->section, k->traits & NCTL_KIND_VLANS ? "port-vlans" : NULL);
		list_key(k->section, k->peer_key);
		for (size_t j = 0; j < k->data.n; j++)
			list_key(k->section, k->data.v[j].key);
		for (size_t j = 0; j < k->port.n; j++)
			list_key(k->section, k->port.v[j].key);
	}
}

static int fill_template(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[LINE_BYTES], mapping[32];

	if (!f) {
		perror(path);
		return 1;
	}
	while (fgets(line, sizeof(line), f)) {
		if (!strcmp(line, "@COMMON@\n"))
			put_table(&nctl_link_fields, 0, false);
		else if (!strcmp(line, "@KINDS@\n"))
			put_kinds();
		else if (sscanf(line, "@KEYS %31[a-z]@", mapping) == 1)
			put_mapping(mapping);
		else if (!strcmp(line, "@ETHTOOL@\n"))
			put_ethtool();
		else if (!strcmp(line, "@OFFLOADS@\n"))
			put_offloads();
		else
			fputs(line, stdout);
	}
	fclose(f);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: gen-keys TEMPLATE | --list | --keys | --grammar\n", stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--list"))
		list_words();
	else if (!strcmp(argv[1], "--keys"))
		list_keys();
	else if (!strcmp(argv[1], "--grammar"))
		list_grammar(true);
	else
		return fill_template(argv[1]);
	return 0;
}
