/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What the files say together, as one YAML text: merged, one value a line, each with the place that it
 * came from if that is wanted. Texts are quoted where they were. Secrets (keys, passwords) are never shown,
 * files that hold them are.
 */
#include <string.h>

#include "base/cleanup.h"
#include "config/parse.h"

#define INDENT 2

struct printer {
	const struct nd_parse *p;
	struct nctl_strbuf *out;
	bool origin;
};

/* A quoted text of YAML; texts have no control characters. */
static void put_quoted(struct printer *w, const char *text)
{
	nctl_strbuf_putc(w->out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			nctl_strbuf_putc(w->out, '\\');
		nctl_strbuf_putc(w->out, *text);
	}
	nctl_strbuf_putc(w->out, '"');
}

static void put_text(struct printer *w, const char *text, bool plain)
{
	if (plain && *text)
		nctl_strbuf_puts(w->out, text);
	else if (plain)
		nctl_strbuf_putc(w->out, '~');
	else
		put_quoted(w, text);
}

/* Numbers and addresses are keys of tunnels, paths name files: neither is a secret. */
static bool is_public(const char *text)
{
	return text[0] == '/' || text[strspn(text, "0123456789.xabcdefABCDEF")] == '\0';
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

/* Is the text of a scalar behind this key a secret? */
static bool is_secret(const char *key, const char *text)
{
	static const char *const always[] = {"password", "client-key-password", "pin", "private", "shared",
		"private-key", "preshared-key"};
	static const char *const sysctls[] = {"stable_secret", "tcp_fastopen_key"};
	size_t i;

	if (!key || !*text)
		return false;
	for (i = 0; i < NCTL_ARRAY_SIZE(always); i++)
		if (!strcmp(key, always[i]))
			return text[0] != '/';
	for (i = 0; i < NCTL_ARRAY_SIZE(sysctls); i++)
		if (ends_in(key, sysctls[i]))
			return true;
	return (!strcmp(key, "key") || !strcmp(key, "keys")) && !is_public(text);
}

static void put_origin(struct printer *w, struct nctl_pos pos)
{
	if (w->origin && pos.file < w->p->texts->n)
		nctl_strbuf_printf(w->out, "  # %s:%u", w->p->texts->v[pos.file].path, pos.line);
	nctl_strbuf_putc(w->out, '\n');
}

static void put_indent(struct printer *w, unsigned depth)
{
	nctl_strbuf_printf(w->out, "%*s", (int)(depth * INDENT), "");
}

static void put_scalar(struct printer *w, const struct nd_node *node, const char *key)
{
	nctl_strbuf_putc(w->out, ' ');
	if (is_secret(key, node->text))
		nctl_strbuf_puts(w->out, "\"(secret)\"");
	else
		put_text(w, node->text, node->plain);
	put_origin(w, node->pos);
}

/*
 * What stands behind a key, or behind the dash of an item, in_item. key: the one that says what scalars are,
 * in lists, too. Depth is bounded by what nd_yaml_load lets pass.
 */
static void put_node(
	struct printer *w, const struct nd_node *node, const char *key, unsigned depth, bool in_item)
{
	const struct nd_node *c;

	if (node->type == ND_NODE_SCALAR) {
		put_scalar(w, node, key);
		return;
	}
	if (!node->first) {
		nctl_strbuf_puts(w->out, node->type == ND_NODE_MAPPING ? " {}" : " []");
		put_origin(w, node->pos);
		return;
	}
	nctl_strbuf_putc(w->out, in_item ? ' ' : '\n');
	for (c = node->first; c; c = c->next) {
		if (!in_item || c != node->first)
			put_indent(w, depth);
		if (node->type == ND_NODE_MAPPING) {
			put_text(w, c->key, c->key_plain);
			nctl_strbuf_putc(w->out, ':');
			put_node(w, c, c->key, depth + 1, false);
		} else {
			nctl_strbuf_putc(w->out, '-');
			put_node(w, c, key, depth + 1, true);
		}
	}
}

int nd_config_show(const struct nd_config_texts *texts, bool origin, struct nd_diagnostics *diag,
	struct nctl_strbuf *out)
{
	_cleanup_(nd_parse_fini) struct nd_parse p;
	struct printer w = {.p = &p, .out = out, .origin = origin};
	const struct nd_node *network;

	nd_parse_init(&p, texts, diag);
	network = nd_parse_load(&p);
	nd_parse_sort(texts, diag);
	if (p.err < 0)
		return p.err;
	if (diag->n_errors)
		return ND_CONFIG_INVALID;
	nctl_strbuf_puts(out, "network:");
	if (network)
		put_node(&w, network, "network", 1, false);
	else
		nctl_strbuf_puts(out, " {}\n");
	return out->err;
}
