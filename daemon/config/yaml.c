/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: From the events of libyaml to a tree of nodes with places.
 *
 * What YAML allows and a configuration should not have is refused here: the same key twice, more than one
 * document, tags, keys that are no words, deep nesting, aliases that blow up. A file with a syntax error
 * gives no tree at all, since the rest of it may mean something else.
 */
#include <errno.h>
#include <string.h>
#include <yaml.h>

#include "base/cleanup.h"
#include "config/bytes.h"
#include "config/parse.h"

#define DEPTH_MAX   32
#define NODES_MAX   ((size_t)4000000) /* in all files */
#define COPIED_MAX  ((size_t)100000)  /* of them made by aliases */
#define ANCHORS_MAX 1000              /* in one file; each alias searches them */

struct level {
	struct nd_node *node;
	const char *key; /* waits for its value */
	struct nctl_pos key_pos;
	bool key_plain;
};

struct anchor {
	struct anchor *next; /* the one before: the newest of a name counts */
	const char *name;
	struct nd_node *node;
};

struct loader {
	struct nd_parse *p;
	yaml_parser_t yaml;
	uint32_t file;
	struct nd_node *root;
	struct level stack[DEPTH_MAX];
	size_t depth, n_documents, n_anchors;
	struct anchor *anchors;
};

/* What libyaml says, and what we say. */
struct complaint {
	const char *problem, *message, *advice;
};

static const struct complaint complaints[] = {
	{"mapping values are not allowed", "a \": \" where no key can be",
		"check the indentation of this line and of the one above; quote values that hold \": \""},
	{"did not find expected key", "a key was expected here",
		"check the indentation: keys of one mapping start in the same column"},
	{"could not find expected ':'", "this should be a key with a \":\" behind it",
		"write \"key: value\", with a blank behind the colon"},
	{"did not find expected '-'", "a list item (\"- …\") was expected here",
		"check the indentation: items of one list start in the same column"},
	{"',' or ']'", "the list opened by \"[\" does not go on or end here",
		"separate items by commas, close with \"]\", and quote items that hold { } [ ] or ,"},
	{"',' or '}'", "the mapping opened by \"{\" does not go on or end here",
		"separate entries by commas, close with \"}\", and quote values that hold { } [ ] or ,"},
	{"unexpected end of stream", "the quoted text that starts here has no end", "add the closing quote"},
	{"document indicator", "the quoted text that starts here has no end", "add the closing quote"},
	{"unknown escape character", "no such escape in a double-quoted text",
		"use single quotes, or write the backslash twice"},
	{"cannot start any token", "no value can start with this character", "quote the value"},
};

static struct nctl_pos pos_of(const struct loader *l, yaml_mark_t mark)
{
	return (struct nctl_pos){l->file, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

static uint64_t key_hash(const struct nd_node *mapping, const char *key)
{
	return nctl_hash_str(key) ^ nctl_hash_u64((uintptr_t)mapping);
}

struct nd_node *nd_node_get(const struct nd_tree *t, const struct nd_node *mapping, const char *key)
{
	struct nctl_hash_node *pos;
	struct nd_node *n;

	nctl_hash_for_each_equal(pos, &t->keys, key_hash(mapping, key)) {
		n = nctl_container_of(pos, struct nd_node, by_key);
		if (n->parent == mapping && !strcmp(n->key, key))
			return n;
	}
	return NULL;
}

int nd_node_append(struct nd_tree *t, struct nd_node *parent, struct nd_node *node)
{
	node->parent = parent;
	node->next = NULL;
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	return parent->type == ND_NODE_MAPPING
	               ? nctl_hash_insert(&t->keys, &node->by_key, key_hash(parent, node->key))
	               : 0;
}

static struct nd_node *node_new(struct loader *l, enum nd_node_type type, struct nctl_pos pos)
{
	struct nd_tree *t = &l->p->tree;
	struct nd_node *n;

	if (t->n_nodes >= (t->max_nodes ? t->max_nodes : NODES_MAX)) {
		nd_error(l->p, pos, "write devices that differ in a number only as one range",
			"too many keys and values");
		return NULL;
	}
	n = nd_alloc(l->p, sizeof(*n));
	if (!n)
		return NULL;
	t->n_nodes++;
	n->type = type;
	n->pos = pos;
	return n;
}

/* Hangs node into the open collection; false if that ends the file. */
static bool place(struct loader *l, struct nd_node *node)
{
	struct level *top;
	struct nd_node *old;

	if (!l->depth) {
		l->root = node;
		return true;
	}
	top = &l->stack[l->depth - 1];
	if (top->node->type == ND_NODE_MAPPING) {
		node->key = take_ptr(top->key);
		node->key_pos = top->key_pos;
		node->key_plain = top->key_plain;
		old = nd_node_get(&l->p->tree, top->node, node->key);
		if (old) {
			nd_error(l->p, node->key_pos,
				nd_text(l->p, "the other one is at %s; join them",
					nd_place(l->p, old->key_pos)),
				"the key \"%s\" stands here twice", node->key);
			node->parent = top->node;
			return true;
		}
	}
	return !nd_failed(l->p, nd_node_append(&l->p->tree, top->node, node));
}

static bool add_anchor(struct loader *l, const yaml_char_t *name, struct nd_node *node)
{
	struct anchor *a;

	if (!name)
		return true;
	if (l->n_anchors++ >= ANCHORS_MAX) {
		nd_error(l->p, node->pos, "write values that differ in a number only as a range",
			"more than %d anchors in one file", ANCHORS_MAX);
		return false;
	}
	a = nd_alloc(l->p, sizeof(*a));
	if (!a)
		return false;
	a->name = nd_text(l->p, "%s", (const char *)name);
	a->node = node;
	a->next = l->anchors;
	l->anchors = a;
	return true;
}

/* A collection or alias may not stand where a key is due. */
static bool check_no_key(struct loader *l, struct nctl_pos pos)
{
	const struct level *top = l->depth ? &l->stack[l->depth - 1] : NULL;

	if (!top || top->node->type != ND_NODE_MAPPING || top->key)
		return true;
	nd_error(l->p, pos, "an expression must be quoted: \"{n}\"", "this cannot be a key");
	return false;
}

static bool open_collection(
	struct loader *l, enum nd_node_type type, const yaml_event_t *e, const yaml_char_t *anchor)
{
	struct nctl_pos pos = pos_of(l, e->start_mark);
	struct nd_node *node;

	if (!check_no_key(l, pos))
		return false;
	if (l->depth == DEPTH_MAX) {
		nd_error(l->p, pos, "a configuration needs no more than ten", "nested deeper than %d levels",
			DEPTH_MAX);
		return false;
	}
	node = node_new(l, type, pos);
	if (!node)
		return false;
	node->flow = type == ND_NODE_MAPPING && e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
	if (!place(l, node) || !add_anchor(l, anchor, node))
		return false;
	l->stack[l->depth++] = (struct level){.node = node};
	return true;
}

static void check_tag(struct loader *l, const yaml_char_t *tag, const char *allowed, struct nctl_pos pos)
{
	const char *t = (const char *)tag;

	if (t && strcmp(t, "!") && strcmp(t, allowed))
		nd_error(l->p, pos, "remove it: the key decides what its value is", "tags are not used here");
}

/* The copy of a scalar's text, or NULL; texts with control characters are refused. */
static const char *scalar_text(struct loader *l, const yaml_event_t *e, struct nctl_pos pos)
{
	const unsigned char *s = e->data.scalar.value;
	size_t len = e->data.scalar.length, i;
	char *text;

	for (i = 0; i < len; i++) {
		if (s[i] >= 0x20 && s[i] != 0x7f)
			continue;
		nd_error(l->p, pos, "write it in one line, without escapes",
			"a text with line breaks or control characters");
		return "";
	}
	text = nctl_arena_strndup(&l->p->tree.arena, (const char *)s, len);
	nd_failed(l->p, text ? 0 : -ENOMEM);
	return text;
}

static bool on_scalar(struct loader *l, const yaml_event_t *e)
{
	struct level *top = l->depth ? &l->stack[l->depth - 1] : NULL;
	struct nctl_pos pos = pos_of(l, e->start_mark);
	bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !e->data.scalar.tag;
	const char *text = scalar_text(l, e, pos);
	struct nd_node *node;

	if (!text)
		return false;
	check_tag(l, e->data.scalar.tag, YAML_STR_TAG, pos);
	if (top && top->node->type == ND_NODE_MAPPING && !top->key) {
		top->key = text;
		top->key_pos = pos;
		top->key_plain = plain;
		return true;
	}
	node = node_new(l, ND_NODE_SCALAR, pos);
	if (!node)
		return false;
	node->text = text;
	node->plain = plain;
	return place(l, node) && add_anchor(l, e->data.scalar.anchor, node);
}

/* A deep copy of src, which will stand `depth` levels deep; NULL: refused, or no memory. */
static struct nd_node *copy_tree(
	struct loader *l, const struct nd_node *src, size_t depth, struct nctl_pos alias)
{
	struct nd_tree *t = &l->p->tree;
	struct nd_node *copy, *child;
	const struct nd_node *c;

	if (depth >= DEPTH_MAX || t->n_copied >= (t->max_copied ? t->max_copied : COPIED_MAX)) {
		nd_error(l->p, alias, "write the values out, or use a range",
			"aliases make the configuration too large");
		return NULL;
	}
	copy = node_new(l, src->type, src->pos);
	if (!copy)
		return NULL;
	t->n_copied++;
	copy->text = src->text;
	copy->plain = src->plain;
	copy->flow = src->flow;
	copy->key = src->key;
	copy->key_pos = src->key_pos;
	copy->key_plain = src->key_plain;
	for (c = src->first; c; c = c->next) {
		child = copy_tree(l, c, depth + 1, alias);
		if (!child || nd_failed(l->p, nd_node_append(t, copy, child)))
			return NULL;
	}
	return copy;
}

static bool on_alias(struct loader *l, const yaml_event_t *e)
{
	const char *name = (const char *)e->data.alias.anchor;
	struct nctl_pos pos = pos_of(l, e->start_mark);
	const struct anchor *a = l->anchors;
	struct nd_node *copy;
	size_t i;

	while (a && strcmp(a->name, name))
		a = a->next;
	if (!a) {
		nd_error(l->p, pos,
			nd_text(l->p,
				"quote the value if it should start with \"*\"; else mark a value with "
				"\"&%s\" before",
				name),
			"there is no anchor \"%s\" before this", name);
		return false;
	}
	for (i = 0; i < l->depth; i++) {
		if (l->stack[i].node != a->node)
			continue;
		nd_error(l->p, pos, "write the value out", "the alias \"%s\" holds itself", name);
		return false;
	}
	if (!check_no_key(l, pos))
		return false;
	copy = copy_tree(l, a->node, l->depth, pos);
	return copy && place(l, copy);
}

static bool on_document(struct loader *l, const yaml_event_t *e)
{
	if (l->n_documents++ == 0)
		return true;
	nd_error(l->p, pos_of(l, e->start_mark), "put it into a file of its own",
		"a second document in one file");
	return false;
}

/* False: stop reading this file. */
static bool on_event(struct loader *l, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		return on_document(l, e);
	case YAML_SCALAR_EVENT:
		return on_scalar(l, e);
	case YAML_ALIAS_EVENT:
		return on_alias(l, e);
	case YAML_SEQUENCE_START_EVENT:
		check_tag(l, e->data.sequence_start.tag, YAML_SEQ_TAG, pos_of(l, e->start_mark));
		return open_collection(l, ND_NODE_SEQUENCE, e, e->data.sequence_start.anchor);
	case YAML_MAPPING_START_EVENT:
		check_tag(l, e->data.mapping_start.tag, YAML_MAP_TAG, pos_of(l, e->start_mark));
		return open_collection(l, ND_NODE_MAPPING, e, e->data.mapping_start.anchor);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		l->depth--;
		return true;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return true;
	}
	return true;
}

/* The first tab in the indentation of this line; *pos is moved to it. */
static bool find_tab(const struct loader *l, struct nctl_pos *pos)
{
	size_t len;
	const char *s = nd_bytes_start(&l->p->texts->v[l->file], &len), *end = s + len;
	uint32_t i;

	for (i = 1; i < pos->line && s; i++) {
		s = memchr(s, '\n', (size_t)(end - s));
		s = s ? s + 1 : NULL;
	}
	if (!s)
		return false;
	for (i = 1; s < end && (*s == ' ' || *s == '\t'); s++, i++) {
		if (*s != '\t')
			continue;
		pos->column = i;
		return true;
	}
	return false;
}

static void syntax_error(struct loader *l)
{
	const char *problem = l->yaml.problem ? l->yaml.problem : "?";
	struct nctl_pos pos = pos_of(l, l->yaml.problem_mark);
	const struct complaint *c;
	size_t i;

	if (l->yaml.context && strstr(l->yaml.context, "quoted scalar"))
		pos = pos_of(l, l->yaml.context_mark);
	if (l->yaml.error == YAML_MEMORY_ERROR) {
		nd_failed(l->p, -ENOMEM);
		return;
	}
	if (find_tab(l, &pos)) {
		nd_error(l->p, pos, "indent with blanks", "a tab in the indentation");
		return;
	}
	for (i = 0; i < NCTL_ARRAY_SIZE(complaints); i++) {
		c = &complaints[i];
		if (strstr(problem, c->problem)) {
			nd_error(l->p, pos, c->advice, "%s", c->message);
			return;
		}
	}
	nd_error(l->p, pos, "check the YAML syntax here and in the line above", "%s", problem);
}

static bool read_events(struct loader *l)
{
	yaml_event_t event;
	bool more = true;

	while (more) {
		if (!yaml_parser_parse(&l->yaml, &event)) {
			syntax_error(l);
			return false;
		}
		more = event.type != YAML_STREAM_END_EVENT;
		if (!on_event(l, &event) || l->p->err < 0) {
			yaml_event_delete(&event);
			return false;
		}
		yaml_event_delete(&event);
	}
	return true;
}

struct nd_node *nd_yaml_load(struct nd_parse *p, uint32_t file)
{
	struct loader l = {.p = p, .file = file};
	const char *data;
	size_t len;
	bool ok;

	if (!nd_bytes_check(p, file)) {
		p->broken = true;
		return NULL;
	}
	if (!yaml_parser_initialize(&l.yaml)) {
		nd_failed(p, -ENOMEM);
		return NULL;
	}
	data = nd_bytes_start(&p->texts->v[file], &len);
	yaml_parser_set_encoding(&l.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&l.yaml, (const unsigned char *)data, len);
	ok = read_events(&l);
	yaml_parser_delete(&l.yaml);
	if (!ok)
		p->broken = true;
	return ok ? l.root : NULL;
}
