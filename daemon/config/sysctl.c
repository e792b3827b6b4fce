/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The sysctls of namespaces. Names are as sysctl(8) takes them, with dots or with slashes, and become
 * paths below /proc/sys/net; values are texts, as the kernel reads them back. What is the same in all
 * namespaces of a definition is made once.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/device.h"
#include "config/refs.h"

/* What the helper reads and answers in one message of 64 KiB. */
#define SYSCTLS_MAX 64
#define NAME_BYTES  255
#define VALUE_BYTES 512

static const char PREFIX[] = "net/";
static const char NAME_ADVICE[] = "a sysctl is like net.ipv4.ip_forward, or net/ipv4/conf/eth0.5/forwarding";

/* One key, and its value where that is the same everywhere. */
struct entry {
	const struct nd_node *node;
	const char *name, *value;
};

struct sysctls {
	struct entry v[SYSCTLS_MAX];
	size_t n, n_varying;
};

/* The part at s is empty, "." or "..". */
static bool is_bad_part(const char *s)
{
	size_t len = strcspn(s, "/");

	return !len || (s[0] == '.' && (len == 1 || (len == 2 && s[1] == '.')));
}

/* sysctl(8): with a dot as the first separator, dots and slashes are swapped. */
static void to_path(const char *key, char *path)
{
	const char *separator = strpbrk(key, "./");
	bool swap = separator && *separator == '.';

	for (; *key; key++)
		*path++ = swap && *key == '.' ? '/' : swap && *key == '/' ? '.' : *key;
	*path = '\0';
}

/* Reports; an offset in the key is one in the path. */
static const char *refuse(struct nd_parse *p, const struct nd_node *node, size_t offset, const char *advice,
	const char *message)
{
	nd_error(p, nd_node_key_pos_at(p, node, offset), advice, "%s", message);
	return NULL;
}

/* The name below net, or NULL, reported. */
static const char *read_name(struct nd_parse *p, const struct nd_node *node)
{
	const size_t skip = strlen(PREFIX);
	size_t len = strlen(node->key);
	char path[NAME_BYTES + 1];
	const char *s;

	if (len > NAME_BYTES)
		return refuse(p, node, 0, "the kernel has no such sysctl",
			"the name of a sysctl has at most 255 bytes");
	s = strpbrk(node->key, "{}");
	if (s)
		return refuse(p, node, (size_t)(s - node->key), "expressions are for values",
			"a sysctl has no braces in its name");
	to_path(node->key, path);
	if (strncmp(path, PREFIX, skip))
		return refuse(p, node, 0, "names begin with net, as in net.ipv4.ip_forward",
			"netctld sets only sysctls of the network: those below net");
	for (s = path + skip;; s++) {
		if (is_bad_part(s))
			return refuse(p, node, (size_t)(s - path), NAME_ADVICE,
				"a part of the name of a sysctl is missing here, or is \".\" or \"..\"");
		s = strchr(s, '/');
		if (!s)
			return nd_want_strdup(p, path + skip);
	}
}

/* text without blanks at its ends, and single ones inside (a text has no tabs); NULL: too long. */
static const char *normalise(const char *text, char *buf)
{
	size_t n = 0, len;

	for (;;) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (!len)
			break;
		if (n + !!n + len > VALUE_BYTES)
			return NULL;
		if (n)
			buf[n++] = ' ';
		memcpy(buf + n, text, len);
		n += len;
		text += len;
	}
	buf[n] = '\0';
	return buf;
}

/* The value for this namespace, or NULL, reported. */
const char *nd_sysctl_value(struct nd_dev *d, const struct nd_node *node)
{
	const char *text = nd_dev_text(d, node), *value;
	char buf[VALUE_BYTES + 1];

	if (!text)
		return NULL;
	if (node->plain && nd_looks_bool(node->text)) {
		nd_error(d->p, node->pos, "write 1 or 0",
			"\"%s\" is a truth value, and a sysctl has numbers or texts", node->text);
		return NULL;
	}
	if (!nd_check_octal(d->p, node, text) || !nd_check_base60(d->p, node, text))
		return NULL;
	value = normalise(text, buf);
	if (!value) {
		nd_error(d->p, node->pos, "shorten it", "the value of a sysctl has at most %d bytes",
			VALUE_BYTES);
		return NULL;
	}
	return nd_want_strdup(d->p, value);
}

/* Does the value stand for something else in each namespace? */
static bool is_varying(const struct nd_node *node, const struct nd_scope *scope)
{
	return scope->ranged && node->type == ND_NODE_SCALAR && strchr(node->text, '{');
}

static bool check_twice(struct nd_parse *p, const struct sysctls *s, const struct entry *e)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (strcmp(s->v[i].name, e->name))
			continue;
		nd_error(p, e->node->key_pos,
			nd_text(p, "the other one is at %s", nd_place(p, s->v[i].node->key_pos)),
			"the sysctl net/%s stands here twice", e->name);
		return false;
	}
	return true;
}

/* All entries, and the values that are the same everywhere; false: a finding. */
static bool compile(
	struct nd_parse *p, const struct nd_node *mapping, const struct nd_scope *scope, struct sysctls *s)
{
	struct nd_dev d = {.p = p, .first = true};
	const struct nd_node *c;
	bool fine = true;
	struct entry e;

	for (c = mapping->first; c; c = c->next) {
		if (s->n == SYSCTLS_MAX) {
			nd_error(p, c->key_pos, "leave some to sysctl.d(5) of what runs in there",
				"more than %d sysctls for one namespace", SYSCTLS_MAX);
			return false;
		}
		e = (struct entry){.node = c, .name = read_name(p, c)};
		if (!is_varying(c, scope))
			e.value = nd_sysctl_value(&d, c);
		else
			s->n_varying++;
		if (!e.name || (!e.value && !is_varying(c, scope)) || !check_twice(p, s, &e))
			fine = false;
		else
			s->v[s->n++] = e;
	}
	return fine;
}

/* The list for one namespace; NULL: a finding or no memory. */
static struct nctl_want_sysctl *make(const struct sysctls *s, struct nd_dev *d)
{
	struct nctl_want_sysctl *v = nd_want_alloc(d->p, s->n * sizeof(*v));
	size_t i;

	for (i = 0; v && i < s->n; i++) {
		v[i] = (struct nctl_want_sysctl){
			.name = s->v[i].name, .value = s->v[i].value, .pos = s->v[i].node->key_pos};
		if (!v[i].value)
			v[i].value = nd_sysctl_value(d, s->v[i].node);
		if (!v[i].value)
			return NULL;
	}
	return v;
}

void nd_sysctl_read(struct nd_parse *p, const struct nd_node *node, const struct nd_scope *scope)
{
	struct nctl_want_sysctl *v = NULL;
	struct sysctls s = {.n = 0};
	struct nd_dev d;
	size_t i;

	if (!nd_expect(p, node, ND_NODE_MAPPING) || !compile(p, node, scope, &s) || !s.n)
		return;
	if (!nd_take(&p->n_values, scope->n, s.n, ND_VALUES_MAX)) {
		nd_error(p, node->key_pos, "say less about each, or make fewer",
			"with this, there are more than %zu values for all devices", ND_VALUES_MAX);
		return;
	}
	for (i = 0; i < scope->n; i++) {
		d = (struct nd_dev){.p = p, .numbers = nd_scope_numbers(scope, i), .first = !i};
		if (!v || s.n_varying)
			v = make(&s, &d);
		if (!v)
			return;
		scope->netns[i]->sysctls = v;
		scope->netns[i]->n_sysctls = s.n;
	}
}
