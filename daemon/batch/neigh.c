/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: neigh add, change, replace and del, as ip-neighbour(8) has them; and netns add and del, which are for
 * the owner of the namespaces.
 */
#include "batch/lines.h"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/filename.h"

static bool read_state(struct reader *r, struct nctl_neigh *v)
{
	const char *text = nd_batch_value(r, "a state"), *words[16];
	size_t n = 0;

	if (!text)
		return false;
	for (const struct nctl_name *s = nctl_neigh_states; s->name && n < NCTL_ARRAY_SIZE(words); s++) {
		words[n++] = s->name;
		if (strcmp(text, s->name))
			continue;
		v->state = (uint16_t)s->value;
		return true;
	}
	return nd_batch_unknown(r, "as a state", words, n);
}

static bool read_lladdr(struct reader *r, struct nctl_neigh *v)
{
	const char *text = nd_batch_value(r, "a link-layer address");

	if (!text)
		return false;
	return nctl_lladdr_parse(text, &v->lladdr) == 0 ||
	       nd_batch_wrong(r, NULL, "\"%.64s\" is no link-layer address", text);
}

static bool read_dst(struct reader *r, struct nctl_neigh *v, const char *text)
{
	static const char *const words[] = {
		"dev", "lladdr", "nud", "proxy", "router", "extern_learn", "managed", "protocol", "to"};

	if (v->dst.family || !(*text == ':' || strspn(text, "0123456789abcdefABCDEF")))
		return nd_batch_unknown(r, "of neighbours", words, NCTL_ARRAY_SIZE(words));
	if (!nd_batch_address(r, text, &v->dst))
		return false;
	v->family = v->dst.family;
	return true;
}

static bool read_words(struct reader *r, struct nctl_neigh *v, const char **dev)
{
	const char *word;
	bool good = true;

	while (good && (word = nd_batch_take(r))) {
		if (nd_batch_is(word, "dev", 3)) {
			*dev = nd_batch_value(r, "the name of a device");
			good = *dev;
		} else if (nd_batch_is(word, "lladdr", 2)) {
			good = read_lladdr(r, v);
		} else if (nd_batch_is(word, "nud", 2)) {
			good = read_state(r, v);
		} else if (nd_batch_is(word, "protocol", 5)) {
			good = nd_batch_protocol(r, &v->protocol);
		} else if (nd_batch_is(word, "router", 3)) {
			v->flags |= NTF_ROUTER;
		} else if (nd_batch_is(word, "extern_learn", 6)) {
			v->flags |= NTF_EXT_LEARNED;
		} else if (nd_batch_is(word, "proxy", 5) || nd_batch_is(word, "to", 2)) {
			v->flags |= *word == 'p' ? NTF_PROXY : 0;
			word = nd_batch_value(r, "an address");
			good = word && read_dst(r, v, word);
		} else {
			good = read_dst(r, v, word);
		}
	}
	return good;
}

bool nd_batch_neigh(struct reader *r, enum nctl_op_type type, uint16_t nlm_flags)
{
	struct nctl_neigh v = {.state = type == NCTL_OP_NEIGH_NEW ? NUD_PERMANENT : 0};
	const char *dev = NULL;
	struct nctl_op_fib *fib;
	struct nctl_op *op;
	struct found f;

	if (!read_words(r, &v, &dev))
		return false;
	if (!v.dst.family)
		return nd_batch_wrong(r, NULL, "which neighbour? its address is missing");
	if (!dev)
		return nd_batch_wrong(r, "say dev NAME", "a neighbour is on a device");
	if (!nd_batch_find(r, dev, &f))
		return false;
	v.ifindex = f.ifindex;
	fib = nd_batch_alloc(r, sizeof(*fib));
	op = fib ? nd_batch_op(r, type) : NULL;
	if (!op)
		return false;
	fib->v.neigh = v;
	op->fib = fib;
	op->ifindex = f.ifindex;
	op->nlm_flags = nlm_flags;
	op->name = "";
	nd_batch_needs(op, &f);
	return true;
}

bool nd_batch_netns_line(struct reader *r, enum nd_batch_type type)
{
	const char *name = nd_batch_value(r, "a name");

	if (!name)
		return false;
	if (!nctl_is_file_name(name))
		return nd_batch_wrong(r, NULL, "\"%.64s\" is no name of a namespace", name);
	if (nd_batch_take(r))
		return nd_batch_wrong(r, "one line a namespace", "there is one word too many");
	r->line->name = nd_batch_strdup(r, name);
	r->w->type = type;
	return r->line->name;
}
