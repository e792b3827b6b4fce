/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: keys and peers of WireGuard links, netplan's words. A key stands here or in a file of its own, which
 * somebody with the right to it reads later. No message repeats what stands behind a key.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "config/told.h"

static const char KEY_ADVICE[] =
	"a key is 44 characters of base64, as \"wg genkey\" makes it, or the absolute path of a file "
	"with one";

/* What one peer is read into. */
struct reading {
	struct nd_dev *d;
	struct nctl_wg_peer *peer;
	bool has_key;
};

static struct nctl_want_wg *wg_of(struct nd_dev *d)
{
	if (!d->link->wg) {
		d->link->wg = nd_want_alloc(d->p, sizeof(*d->link->wg));
		if (d->link->wg)
			d->link->wg->pos = d->link->pos;
	}
	return d->link->wg;
}

static bool add_key_file(
	struct nd_dev *d, const struct nd_node *node, const char *path, uint8_t *key, bool is_private)
{
	struct nctl_want_key_file *f = nd_want_alloc(d->p, sizeof(*f));
	const char *copy = nd_want_strdup(d->p, path);

	if (!f || !copy)
		return false;
	*f = (struct nctl_want_key_file){.next = d->p->want->key_files,
		.path = copy,
		.pos = node->pos,
		.key = key,
		.is_private = is_private};
	d->p->want->key_files = f;
	return true;
}

/* A key, or where it stands, into 32 bytes of the want's. */
static bool read_secret(struct nd_dev *d, const struct nd_node *node, uint8_t *key, bool is_private)
{
	const char *text = nd_dev_text(d, node);

	if (!text)
		return false;
	if (*text == '/')
		return add_key_file(d, node, text, key, is_private);
	if (!nctl_wg_key_parse(text, strlen(text), key)) {
		nd_error(d->p, node->pos, KEY_ADVICE, "this is no key of WireGuard");
		return false;
	}
	if (is_private && nctl_wg_key_is_none(key)) {
		nd_error(d->p, node->pos, KEY_ADVICE, "this key is all zeros, which means none");
		return false;
	}
	if (is_private)
		nctl_wg_key_clamp(key);
	return true;
}

static void step_private_key(struct nd_dev *d, const struct nd_node *node)
{
	struct nctl_want_wg *wg = wg_of(d);

	if (!wg)
		return;
	if (wg->v.has & NCTL_WG_PRIVATE_KEY)
		nd_error(d->p, node->key_pos, "remove one of them", "the private key is said twice");
	else if (read_secret(d, node, wg->v.private_key, true))
		wg->v.has |= NCTL_WG_PRIVATE_KEY;
}

static void step_keys(struct nd_dev *d, const struct nd_node *node)
{
	const struct nd_node *c;

	if (node->type == ND_NODE_SCALAR) {
		step_private_key(d, node);
		return;
	}
	if (!nd_expect(d->p, node, ND_NODE_MAPPING))
		return;
	for (c = node->first; c; c = c->next) {
		if (!strcmp(c->key, "private"))
			step_private_key(d, c);
		else
			nd_error(d->p, c->key_pos,
				"a link has \"private\", and peers have \"public\" and \"shared\"",
				"unknown key \"%s\"", c->key);
	}
}

/* Decimal, within bounds. */
static bool read_number(struct nd_dev *d, const struct nd_node *node, uint64_t max, uint64_t *ret)
{
	const char *text = nd_dev_text(d, node);

	if (!text || !nd_check_octal(d->p, node, text) || !nd_check_base60(d->p, node, text))
		return false;
	if (nctl_parse_u64(text, 10, ret) >= 0 && *ret <= max)
		return true;
	nd_error(d->p, node->pos, NULL, "%s must be a number from 0 to %llu, not \"%s\"", node->key,
		(unsigned long long)max, text);
	return false;
}

static void step_port(struct nd_dev *d, const struct nd_node *node)
{
	struct nctl_want_wg *wg = wg_of(d);
	uint64_t v;

	if (!wg || !read_number(d, node, UINT16_MAX, &v))
		return;
	wg->v.port = (uint16_t)v;
	if (v)
		wg->v.has |= NCTL_WG_PORT; /* 0: any, which is then another one */
}

static void step_mark(struct nd_dev *d, const struct nd_node *node)
{
	struct nctl_want_wg *wg = wg_of(d);
	uint64_t v;

	if (!wg || !read_number(d, node, UINT32_MAX, &v))
		return;
	wg->v.mark = (uint32_t)v;
	wg->v.has |= NCTL_WG_MARK;
}

/* "192.0.2.1:51820", "[2001:db8::1]:51820" */
static void read_endpoint(struct reading *r, const struct nd_node *node)
{
	const char *text = nd_dev_text(r->d, node), *colon = text ? strrchr(text, ':') : NULL;
	size_t len = colon ? (size_t)(colon - text) : 0;
	char buf[NCTL_ADDR_STR + 2];
	struct nctl_prefix addr;
	bool bracketed;
	uint64_t port;

	if (!text)
		return;
	if (!nd_check_base60(r->d->p, node, text))
		return;
	bracketed = len > 2 && text[0] == '[' && text[len - 1] == ']';
	if (colon && len < sizeof(buf)) {
		memcpy(buf, text + bracketed, len);
		buf[bracketed ? len - 2 : len] = '\0';
	}
	if (!colon || nctl_parse_u64(colon + 1, 10, &port) < 0 || !port || port > UINT16_MAX) {
		nd_error(r->d->p, node->pos,
			"write ADDRESS:PORT, as in 192.0.2.1:51820 or \"[2001:db8::1]:51820\"",
			"\"%s\" lacks a port", text);
		return;
	}
	if (len >= sizeof(buf) || nctl_addr_parse(buf, &addr) < 0 || bracketed != (addr.family == AF_INET6)) {
		nd_error(r->d->p, node->pos,
			"write an address, IPv6 in brackets: netctld asks no name servers, which may be "
		        "behind the tunnel",
			"\"%s\" is no address and port", text);
		return;
	}
	r->peer->endpoint = addr;
	r->peer->endpoint_port = (uint16_t)port;
}

static void read_allowed(struct reading *r, const struct nd_node *node)
{
	const struct nd_node *c;
	struct nctl_prefix *a;
	const char *text;
	size_t n = 0;

	if (!nd_expect(r->d->p, node, ND_NODE_SEQUENCE))
		return;
	for (c = node->first; c; c = c->next)
		n++;
	r->peer->allowed = nd_want_alloc(r->d->p, n * sizeof(*a));
	for (c = node->first; c && r->peer->allowed; c = c->next) {
		a = &r->peer->allowed[r->peer->n_allowed];
		text = nd_dev_text(r->d, c);
		if (!text)
			return;
		if (nctl_prefix_parse(text, NCTL_PREFIX_ANY, a) < 0) {
			nd_error(r->d->p, c->pos, "it is like 10.0.0.0/24, 2001:db8::/64 or 0.0.0.0/0",
				"\"%s\" is no prefix", text);
			return;
		}
		nctl_prefix_mask(a);
		r->peer->n_allowed++;
	}
}

static void read_keepalive(struct reading *r, const struct nd_node *node)
{
	uint64_t v;

	if (read_number(r->d, node, UINT16_MAX, &v))
		r->peer->keepalive = (uint16_t)v;
}

static void read_public(struct reading *r, const struct nd_node *node)
{
	const char *text = nd_dev_text(r->d, node);

	if (!text)
		return;
	r->has_key = nctl_wg_key_parse(text, strlen(text), r->peer->public_key);
	if (!r->has_key)
		nd_error(r->d->p, node->pos,
			"a public key is 44 characters of base64, as \"wg pubkey\" makes it",
			"this is no key of WireGuard");
}

static void read_keys(struct reading *r, const struct nd_node *node)
{
	const struct nd_node *c;

	if (!nd_expect(r->d->p, node, ND_NODE_MAPPING))
		return;
	for (c = node->first; c; c = c->next) {
		if (!strcmp(c->key, "public"))
			read_public(r, c);
		else if (!strcmp(c->key, "shared"))
			(void)read_secret(r->d, c, r->peer->shared_key, false);
		else
			nd_error(r->d->p, c->key_pos, "keys of a peer are \"public\" and \"shared\"",
				"unknown key \"%s\"", c->key);
	}
}

static const struct {
	const char *key;
	void (*fn)(struct reading *r, const struct nd_node *node);
} wg_peer_keys[] = {
	{"keys", read_keys},
	{"endpoint", read_endpoint},
	{"allowed-ips", read_allowed},
	{"keepalive", read_keepalive},
};

static void read_peer_key(struct reading *r, const struct nd_node *node)
{
	const char *words[NCTL_ARRAY_SIZE(wg_peer_keys)];
	size_t i;

	for (i = 0; i < NCTL_ARRAY_SIZE(wg_peer_keys); i++) {
		words[i] = wg_peer_keys[i].key;
		if (strcmp(words[i], node->key))
			continue;
		wg_peer_keys[i].fn(r, node);
		return;
	}
	nd_error(r->d->p, node->key_pos,
		nd_did_you_mean(r->d->p, node->key, words, i, "see netctld.yaml(5), tunnels"),
		"unknown key \"%s\"", node->key);
}

static void read_peer(struct nd_dev *d, const struct nd_node *node, struct nctl_wg_peer *peer)
{
	struct reading r = {.d = d, .peer = peer};
	size_t before = d->p->diag->n_errors;
	const struct nd_node *c;

	if (!nd_expect(d->p, node, ND_NODE_MAPPING))
		return;
	for (c = node->first; c; c = c->next)
		read_peer_key(&r, c);
	if (!r.has_key && d->p->diag->n_errors == before)
		nd_error(d->p, node->pos, "add \"keys: {public: KEY}\"", "this peer has no public key");
}

/* What a peer allows, and whose it is. */
struct allowed {
	const struct nctl_prefix *prefix;
	size_t peer;
};

static int cmp_allowed(const void *a, const void *b)
{
	const struct allowed *x = a, *y = b;
	int r = nctl_prefix_cmp(x->prefix, y->prefix);

	return r ? r : (x->peer > y->peer) - (x->peer < y->peer);
}

/* The kernel gives a prefix to the peer that is told last: then no two may have it. */
static void check_allowed(struct nd_dev *d, const struct nctl_wg *v, const struct nd_node *list)
{
	_cleanup_(nctl_freep) struct allowed *all = NULL;
	char text[NCTL_PREFIX_STR];
	size_t n = 0, i, k;

	for (i = 0; i < v->n_peers; i++)
		n += v->peers[i].n_allowed;
	all = calloc(n + 1, sizeof(*all));
	if (!all) {
		nd_failed(d->p, -ENOMEM);
		return;
	}
	for (i = n = 0; i < v->n_peers; i++)
		for (k = 0; k < v->peers[i].n_allowed; k++)
			all[n++] = (struct allowed){&v->peers[i].allowed[k], i};
	if (n)
		qsort(all, n, sizeof(*all), cmp_allowed);
	for (i = 1; i < n; i++)
		if (all[i].peer != all[i - 1].peer && nctl_prefix_equal(all[i].prefix, all[i - 1].prefix)) {
			nd_error(d->p, list->key_pos, "leave it to one of them",
				"two peers have the same allowed-ips: %s",
				nctl_prefix_format(all[i].prefix, text));
			return;
		}
}

/* Of equal ones that a peer has, one stays. */
static void drop_equal(struct nctl_wg_peer *p)
{
	size_t i, kept = 0;

	for (i = 0; i < p->n_allowed; i++)
		if (!kept || !nctl_prefix_equal(&p->allowed[kept - 1], &p->allowed[i]))
			p->allowed[kept++] = p->allowed[i];
	p->n_allowed = kept;
}

static bool is_in(const struct nctl_wg *v, const struct nctl_want_key_file *f)
{
	const uint8_t *from = (const uint8_t *)v->peers, *to = (const uint8_t *)(v->peers + v->n_peers);

	return f && f->key >= from && f->key < to;
}

static int cmp_peer_key(const void *key, const void *peer)
{
	return memcmp(key, ((const struct nctl_wg_peer *)peer)->public_key, NCTL_WG_KEY);
}

/* Into order; the keys that are to be read from files (the last ones that were met) go with their peers. */
static void sort_peers(struct nd_dev *d, struct nctl_wg *v)
{
	_cleanup_(nctl_freep) uint8_t(*owners)[NCTL_WG_KEY] = NULL;
	struct nctl_want_key_file *f, *files = d->p->want->key_files;
	size_t n = 0;

	for (f = files; is_in(v, f); f = f->next)
		n++;
	owners = calloc(n + 1, sizeof(*owners));
	if (!owners) {
		nd_failed(d->p, -ENOMEM);
		return;
	}
	for (f = files, n = 0; is_in(v, f); f = f->next) {
		const struct nctl_wg_peer *p = v->peers + (size_t)(f->key - (uint8_t *)v->peers) / sizeof(*p);

		memcpy(owners[n++], p->public_key, NCTL_WG_KEY);
	}
	nctl_wg_sort(v);
	for (f = files, n = 0; is_in(v, f); f = f->next) {
		struct nctl_wg_peer *p = bsearch(owners[n++], v->peers, v->n_peers, sizeof(*p), cmp_peer_key);

		f->key = p->shared_key;
	}
}

static void check_peers(struct nd_dev *d, struct nctl_wg *v, const struct nd_node *list)
{
	size_t i;

	check_allowed(d, v, list);
	sort_peers(d, v);
	for (i = 0; i < v->n_peers; i++) {
		drop_equal(&v->peers[i]);
		if (i && !nctl_wg_peer_cmp(&v->peers[i - 1], &v->peers[i])) {
			nd_error(d->p, list->key_pos, "a peer is known by its public key",
				"two peers have the same public key");
			return;
		}
	}
}

static void step_peers(struct nd_dev *d, const struct nd_node *node)
{
	struct nctl_want_wg *wg = wg_of(d);
	size_t n = 0, before = d->p->diag->n_errors;
	const struct nd_node *c;

	if (!wg || !nd_expect(d->p, node, ND_NODE_SEQUENCE))
		return;
	for (c = node->first; c; c = c->next)
		n++;
	if (n > NCTL_WG_PEERS_MAX) {
		nd_error(d->p, node->key_pos, "spread them over several links", "more than %d peers",
			NCTL_WG_PEERS_MAX);
		return;
	}
	wg->v.peers = nd_want_alloc(d->p, n * sizeof(*wg->v.peers));
	for (c = node->first; c && wg->v.peers; c = c->next)
		read_peer(d, c, &wg->v.peers[wg->v.n_peers++]);
	wg->v.has |= NCTL_WG_PEERS;
	if (wg->v.peers && d->p->diag->n_errors == before)
		check_peers(d, &wg->v, node);
}

static const struct {
	const char *key;
	void (*fn)(struct nd_dev *d, const struct nd_node *node);
} wg_keys[] = {
	{"key", step_private_key},
	{"keys", step_keys},
	{"mark", step_mark},
	{"peers", step_peers},
	{"port", step_port},
};

bool nd_is_wg_key(const char *key)
{
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(wg_keys); i++)
		if (!strcmp(wg_keys[i].key, key))
			return true;
	return false;
}

const char *nd_wg_key_at(size_t i)
{
	return i < NCTL_ARRAY_SIZE(wg_keys) ? wg_keys[i].key : NULL;
}

void nd_step_wg(struct nd_dev *d, const struct nd_step *s)
{
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(wg_keys); i++)
		if (!strcmp(wg_keys[i].key, s->node->key))
			wg_keys[i].fn(d, s->node);
}

void nd_wg_check(struct nd_dev *d)
{
	const struct nctl_want_wg *wg = d->link->wg;

	if (!wg || !(wg->v.has & NCTL_WG_PRIVATE_KEY))
		nd_error(d->p, d->link->pos, KEY_ADVICE, "\"%s\" lacks its private key: \"key:\"",
			d->link->v.name);
}
