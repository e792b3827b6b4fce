/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Writes the JSON Schema of netctld.yaml(5) to stdout, for editors: from the field tables and the lists
 * of keys that the parser goes by, one key a line, in their order.
 *
 * A schema sees one file, and no other: it does not know what is defined elsewhere, nor what an expression
 * will be. So wherever a value may stand, a text with an expression may, too; and devices of other renderers
 * may have any keys.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/grammar.h"
#include "obj/kind.h"
#include "obj/link.h"

static void put_string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (strchr("\"\\", *s))
			putchar('\\');
		putchar(*s);
	}
	putchar('"');
}

/* Types that stand once, at the end. */
static void put_ref(const char *name)
{
	printf("{\"$ref\": \"#/$defs/%s\"}", name);
}

/* A number, perhaps as a text, within its bounds if it is a number. */
static void put_number(uint64_t min, uint64_t max)
{
	printf("{\"anyOf\": [{\"type\": \"integer\", \"minimum\": %" PRIu64, min);
	if (max && max <= INT64_MAX)
		printf(", \"maximum\": %" PRIu64, max);
	fputs("}, {\"$ref\": \"#/$defs/digits\"}, {\"$ref\": \"#/$defs/expression\"}]}", stdout);
}

/* WORD|WORD…, until end. */
static void put_words(const char *words, size_t len)
{
	const char *comma = "";

	fputs("{\"anyOf\": [{\"enum\": [", stdout);
	for (size_t n; len; words += n, len -= n) {
		n = strcspn(words, "|");
		n = n > len ? len : n;
		printf("%s\"%.*s\"", comma, (int)n, words);
		/* A word of digits, bare, is a number. */
		if (strspn(words, "0123456789") >= n)
			printf(", %.*s", (int)n, words);
		comma = ", ";
		n += n < len;
	}
	fputs("]}, {\"$ref\": \"#/$defs/expression\"}]}", stdout);
}

/* What of a type, up to a "/" that is not inside of brackets. */
static size_t type_len(const char *type)
{
	int depth = 0;
	size_t n;

	for (n = 0; type[n] && (depth || type[n] != '/'); n++)
		depth += strchr("[{", type[n]) ? 1 : strchr("]}", type[n]) ? -1 : 0;
	return n;
}

static bool starts(const char *type, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !strncmp(type, word, n);
}

/* A type of config/grammar.h without alternatives; len bytes of it. Those in brackets are read by the loop.
 */
static void put_simple(const char *type, size_t len)
{
	char name[64];

	if (starts(type, len, "number")) {
		const char *min = memchr(type, ':', len), *max = min ? strchr(min + 1, ':') : NULL;

		put_number(min ? strtoull(min + 1, NULL, 10) : 0, max ? strtoull(max + 1, NULL, 10) : 0);
	} else if (starts(type, len, "word:")) {
		put_words(type + 5, len - 5);
	} else {
		snprintf(name, sizeof(name), "%.*s", (int)len, type);
		put_ref(name);
	}
}

/* Nested types are few and shallow. */
static void put_type(const char *type, size_t len)
{
	size_t n = type_len(type);

	n = n > len ? len : n;
	if (n < len) {
		fputs("{\"anyOf\": [", stdout);
		put_type(type, n);
		fputs(", ", stdout);
		put_type(type + n + 1, len - n - 1);
		fputs("]}", stdout);
	} else if (type[0] == '[') {
		fputs("{\"type\": \"array\", \"items\": ", stdout);
		put_type(type + 1, len - 2);
		putchar('}');
	} else if (starts(type, len, "{*:")) {
		fputs("{\"type\": \"object\", \"additionalProperties\": ", stdout);
		put_type(type + 3, len - 4);
		putchar('}');
	} else if (type[0] == '{') {
		put_simple(type + 1, len - 2);
	} else {
		put_simple(type, len);
	}
}

static uint64_t number_max(const struct nctl_field *f)
{
	return f->max ? f->max : f->size >= 8 ? 0 : (UINT64_C(1) << 8 * f->size) - 1;
}

/* A word, and what YAML makes of it where there are no quotes. */
static void put_word(const char *word, const char **comma)
{
	static const char *const off_on[][2] = {{"off", "on"}, {"false", "true"}, {"no", "yes"}};

	printf("%s\"%s\"", *comma, word);
	*comma = ", ";
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(off_on); i++)
		if (!strcmp(word, off_on[i][0]) || !strcmp(word, off_on[i][1]))
			printf(", %s", strcmp(word, off_on[i][0]) ? "true" : "false");
}

static void put_enum(const struct nctl_field *f)
{
	const char *comma = "";

	fputs("{\"anyOf\": [{\"enum\": [", stdout);
	for (const struct nctl_name *n = f->names; n && n->name; n++) {
		put_word(n->name, &comma);
		if (n->alias)
			put_word(n->alias, &comma);
	}
	fputs("]}, ", stdout);
	if (f->max) {
		put_number(0, f->max);
		fputs(", ", stdout);
	}
	fputs("{\"$ref\": \"#/$defs/expression\"}]}", stdout);
}

static void put_list(const char *items)
{
	fputs("{\"type\": \"array\", \"items\": ", stdout);
	put_ref(items);
	putchar('}');
}

static void put_field_type(const struct nctl_field *f)
{
	switch ((enum nctl_field_type)f->type) {
	case NCTL_FIELD_UINT:
		if (f->unit == NCTL_UNIT_NONE)
			put_number(f->min, number_max(f));
		else
			put_ref("time");
		break;
	case NCTL_FIELD_BOOL:
		put_ref("bool");
		break;
	case NCTL_FIELD_ENUM:
		put_enum(f);
		break;
	case NCTL_FIELD_BITS:
		fputs("{\"type\": \"array\", \"items\": ", stdout);
		put_enum(f);
		putchar('}');
		break;
	case NCTL_FIELD_STR:
	case NCTL_FIELD_TEXT:
		put_ref("text");
		break;
	case NCTL_FIELD_LLADDR:
		put_ref("mac");
		break;
	case NCTL_FIELD_IP:
		put_ref("ip");
		break;
	case NCTL_FIELD_LINK:
		put_ref("name");
		break;
	case NCTL_FIELD_TEXTS:
		put_list("text");
		break;
	case NCTL_FIELD_IPS:
		put_list("ip");
		break;
	case NCTL_FIELD_BYTES:
		fputs("{\"type\": \"object\"}", stdout);
		break;
	case NCTL_FIELD_RAW:
		fputs("{\"type\": \"array\"}", stdout);
		break;
	}
}

/* "KEY": {"description": HELP, "allOf": [TYPE]}, without the type. */
static void begin_key(const char *key, size_t len, const char *help, const char **comma)
{
	printf("%s\t\t\t\t\"%.*s\": {", *comma, (int)len, key);
	if (help) {
		fputs("\"description\": ", stdout);
		put_string(help);
		fputs(", ", stdout);
	}
	fputs("\"allOf\": [", stdout);
	*comma = ",\n";
}

static void end_key(void)
{
	fputs("]}", stdout);
}

static void put_key(const char *key, const char *help, const char *type, const char **comma)
{
	begin_key(key, strlen(key), help, comma);
	put_type(type, strlen(type));
	end_key();
}

/* The key, and its older word. */
static void put_field(const struct nctl_field *f, const char **comma)
{
	for (const char *key = f->key; key; key = key == f->key ? nd_grammar_older(f->key) : NULL) {
		begin_key(key, strlen(key), f->help, comma);
		if (f->ops && f->ops->parse && f->type != NCTL_FIELD_BYTES && f->type != NCTL_FIELD_RAW)
			fputs("true", stdout);
		else
			put_field_type(f);
		end_key();
	}
}

/* "keys.input" and its like: one value, a list of what is true, or a mapping. */
static void put_group(const struct nctl_field *f, size_t len, const char **comma)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)len, f->key);
	for (const char *key = name; key; key = key == name ? nd_grammar_older(name) : NULL) {
		begin_key(key, strlen(key), NULL, comma);
		fputs("true", stdout);
		end_key();
	}
}

static bool is_first_of_group(const struct nctl_field_table *t, uint64_t lacks, size_t at, size_t len)
{
	for (size_t i = 0; i < at; i++)
		if (t->v[i].key && !(lacks >> i & 1) && !strncmp(t->v[i].key, t->v[at].key, len + 1))
			return false;
	return true;
}

static void put_table(const struct nctl_field_table *t, uint64_t lacks, const char **comma)
{
	for (size_t i = 0; t && i < t->n; i++) {
		const struct nctl_field *f = &t->v[i];
		size_t group = f->key ? strcspn(f->key, ".") : 0;

		if (!f->key || lacks >> i & 1 || nctl_fields_find(t, f->key) != (int)i)
			continue;
		if (!f->key[group])
			put_field(f, comma);
		else if (is_first_of_group(t, lacks, i, group))
			put_group(f, group, comma);
	}
}

static void put_grammar(const struct nd_grammar_list *l, const char **comma)
{
	for (const struct nd_grammar_key *k = l->keys; k->key; k++)
		put_key(k->key, k->help, k->type, comma);
	put_table(l->table, 0, comma);
}

static const struct nd_grammar_list *find_list(const char *name)
{
	for (const struct nd_grammar_list *l = nd_grammar; l->name; l++)
		if (!strcmp(l->name, name))
			return l;
	return NULL;
}

static void begin_def(const char *name)
{
	printf(",\n\t\t\"%s\": {\n\t\t\t\"type\": \"object\",\n\t\t\t\"properties\": {\n", name);
}

static void end_def(const char *rest)
{
	printf("\n\t\t\t}%s\n\t\t}", rest);
}

static bool is_first_of_section(const struct nctl_kind *k)
{
	return k->section && nctl_kind_by_section(k->section) == k;
}

/* {NAME: DEFINITION, …}; what another program configures may be anything. */
static void put_section(const struct nctl_kind *k)
{
	printf("\t\t\t\t\"%s\": {\"if\": {\"$ref\": \"#/$defs/foreign\"}, \"else\": {\"type\": \"object\", "
	       "\"properties\": {\"renderer\": {\"$ref\": \"#/$defs/text\"}}, \"additionalProperties\": "
	       "{\"if\": {\"$ref\": \"#/$defs/foreign\"}, \"else\": {\"$ref\": \"#/$defs/%s\"}}}}",
		k->section, k->section);
}

static void put_sections(const char **comma)
{
	for (size_t i = 0; nctl_kinds[i]; i++) {
		if (!is_first_of_section(nctl_kinds[i]))
			continue;
		fputs(*comma, stdout);
		put_section(nctl_kinds[i]);
		*comma = ",\n";
	}
}

/* Any kind of master may have keys that its ports carry. */
static void put_ports(void)
{
	const char *comma = "";

	begin_def("port");
	for (size_t i = 0; nctl_kinds[i]; i++) {
		const struct nctl_field_table *t = &nctl_kinds[i]->port;

		for (size_t j = 0; j < t->n; j++) {
			bool known = false;

			for (size_t k = 0; k < i && t->v[j].key; k++)
				known |= nctl_fields_find(&nctl_kinds[k]->port, t->v[j].key) >= 0;
			if (t->v[j].key && !known)
				put_field(&t->v[j], &comma);
		}
	}
	end_def("");
}

static void put_parameters(const struct nctl_kind *k)
{
	const char *comma = "";

	printf(",\n\t\t\"%s-parameters\": {\n\t\t\t\"type\": \"object\",\n\t\t\t\"properties\": {\n",
		k->section);
	put_table(&k->data, k->lacks, &comma);
	if (k->traits & NCTL_KIND_VLANS) {
		put_key("vlans", "all VLANs of the device itself", "[text/number]", &comma);
		put_key("port-vlans", "all VLANs of ports", "{*:[text/number]}", &comma);
	}
	for (size_t i = 0; i < k->port.n; i++) {
		const struct nctl_field *f = &k->port.v[i];

		if (!f->key || nctl_fields_find(&k->data, f->key) >= 0)
			continue;
		begin_key(f->key, strlen(f->key), f->help, &comma);
		fputs("{\"type\": \"object\"}", stdout);
		end_key();
	}
	end_def(",\n\t\t\t\"additionalProperties\": false");
}

static void put_kind(const struct nctl_kind *k, const char *name)
{
	const struct nd_grammar_list *own = find_list(name);
	const char *comma = "";

	begin_def(name);
	if (k->modes)
		put_key("mode", "which kind it is", "text", &comma);
	if (k->lower_key)
		put_key(k->lower_key, "the device it is made on", "name", &comma);
	if (k->peer_key)
		put_key(k->peer_key, "the device at the other end", "name/{peer}", &comma);
	if (k->ports_key)
		put_key(k->ports_key, "its ports", "[name]", &comma);
	if (own)
		put_grammar(own, &comma);
	if (k->parameters) {
		begin_key(k->parameters, strlen(k->parameters), NULL, &comma);
		printf("{\"$ref\": \"#/$defs/%s-parameters\"}", k->section);
		end_key();
	} else {
		put_table(&k->data, k->lacks, &comma);
	}
	end_def(",\n\t\t\t\"allOf\": [{\"$ref\": \"#/$defs/device\"}, {\"$ref\": \"#/$defs/port\"}],\n"
		"\t\t\t\"unevaluatedProperties\": false");
	if (k->parameters)
		put_parameters(k);
}

/* Which of the kinds of a section it is hangs on "mode". */
static void put_modes(const char *section)
{
	const char *comma = "";

	printf(",\n\t\t\"%s\": {\n\t\t\t\"type\": \"object\",\n\t\t\t\"required\": "
	       "[\"mode\"],\n\t\t\t\"anyOf\": [\n",
		section);
	for (size_t i = 0; nctl_kinds[i]; i++) {
		const struct nctl_kind *k = nctl_kinds[i];

		if (!k->modes || strcmp(k->section, section))
			continue;
		printf("%s\t\t\t\t{\"properties\": {\"mode\": {\"enum\": [", comma);
		for (const struct nctl_name *n = k->modes; n->name; n++)
			printf("%s\"%s\"", n == k->modes ? "" : ", ", n->name);
		printf("]}}, \"$ref\": \"#/$defs/%s-%s\"}", section, k->name);
		comma = ",\n";
	}
	fputs("\n\t\t\t]\n\t\t}", stdout);
}

static void put_kinds(void)
{
	char name[64];

	for (size_t i = 0; nctl_kinds[i]; i++) {
		const struct nctl_kind *k = nctl_kinds[i];

		if (!k->section)
			continue;
		if (k->modes && is_first_of_section(k))
			put_modes(k->section);
		snprintf(name, sizeof(name), k->modes ? "%s-%s" : "%s", k->section, k->name);
		put_kind(k, name);
	}
}

static bool is_kind_list(const char *name)
{
	for (size_t i = 0; nctl_kinds[i]; i++)
		if (nctl_kinds[i]->section &&
			!strncmp(name, nctl_kinds[i]->section, strlen(nctl_kinds[i]->section)))
			return true;
	return false;
}

/* All lists but the keys of kinds, which stand with these. */
static void put_lists(void)
{
	for (const struct nd_grammar_list *l = nd_grammar; l->name; l++) {
		const char *comma = "";

		if (is_kind_list(l->name))
			continue;
		begin_def(l->name);
		put_grammar(l, &comma);
		if (!strcmp(l->name, "network") || !strcmp(l->name, "netns"))
			put_sections(&comma);
		if (!strcmp(l->name, "device"))
			put_table(&nctl_link_fields, 0, &comma);
		end_def(strcmp(l->name, "device") ? ",\n\t\t\t\"additionalProperties\": false" : "");
	}
}

static const char head[] =
	"{\n"
	"\t\"$schema\": \"https://json-schema.org/draft/2019-09/schema\",\n"
	"\t\"title\": \"netctld.yaml\",\n"
	"\t\"description\": \"The configuration of netctld, see netctld.yaml(5); made from its own "
	"tables\",\n"
	"\t\"type\": [\"object\", \"null\"],\n"
	"\t\"properties\": {\"network\": {\"if\": {\"$ref\": \"#/$defs/foreign\"}, \"else\": "
	"{\"$ref\": \"#/$defs/network\"}}},\n"
	"\t\"additionalProperties\": false,\n"
	"\t\"$defs\": {\n"
	"\t\t\"foreign\": {\"type\": \"object\", \"required\": [\"renderer\"], \"properties\": "
	"{\"renderer\": "
	"{\"enum\": [\"networkd\", \"NetworkManager\", \"sriov\"]}}},\n"
	"\t\t\"expression\": {\"type\": \"string\", \"pattern\": \"\\\\{\"},\n"
	"\t\t\"digits\": {\"type\": \"string\", \"pattern\": \"^(0|[1-9][0-9]*|0x[0-9a-fA-F]+)$\"},\n"
	"\t\t\"bool\": {\"anyOf\": [{\"type\": \"boolean\"}, {\"type\": \"string\", \"pattern\": "
	"\"^([Tt]rue|[Ff]alse|[Yy]es|[Nn]o|[Oo]n|[Oo]ff|TRUE|FALSE|YES|NO|ON|OFF|[yYnN])$|\\\\{\"}]},\n"
	"\t\t\"false\": {\"anyOf\": [{\"const\": false}, {\"type\": \"string\", \"pattern\": "
	"\"^([Ff]alse|[Nn]o|[Oo]ff|FALSE|NO|OFF|[nN])$\"}]},\n"
	"\t\t\"true\": {\"anyOf\": [{\"const\": true}, {\"type\": \"string\", \"pattern\": "
	"\"^([Tt]rue|[Yy]es|[Oo]n|TRUE|YES|ON|[yY])$\"}]},\n"
	"\t\t\"text\": {\"type\": [\"string\", \"number\"]},\n"
	"\t\t\"name\": {\"type\": [\"string\", \"integer\"]},\n"
	"\t\t\"mac\": {\"type\": \"string\", \"pattern\": "
	"\"^[0-9a-fA-F]{1,2}([:-][0-9a-fA-F]{1,2}){5,19}$|\\\\{\"},\n"
	"\t\t\"ip\": {\"type\": \"string\", \"pattern\": \"^[0-9a-fA-F.:]+(%[^/]+)?$|\\\\{\"},\n"
	"\t\t\"prefix\": {\"type\": \"string\", \"pattern\": \"^[0-9a-fA-F.:]+(/[0-9]+)?$|\\\\{\"},\n"
	"\t\t\"time\": {\"anyOf\": [{\"type\": \"integer\", \"minimum\": 0}, {\"type\": \"string\", "
	"\"pattern\": "
	"\"^[0-9]+(ms|s)?$|\\\\{\"}]}";

int main(void)
{
	fputs(head, stdout);
	put_lists();
	put_ports();
	put_kinds();
	fputs("\n\t}\n}\n", stdout);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
