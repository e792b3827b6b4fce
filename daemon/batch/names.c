/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: which link a name means, as things will be when the line's turn comes: what the mirror shows, with
 * what the lines before it in the same window change. What they take along without saying so (what stands on
 * a link that is deleted) is not known here: the kernel then says that it is not there.
 */
#include "batch/private.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

static struct name *lookup(const struct room *room, uint32_t netns, const char *name)
{
	struct nctl_hash_node *pos;

	nctl_hash_for_each_equal(pos, &room->names, nctl_hash_str(name)) {
		struct name *n = nctl_container_of(pos, struct name, node);

		if (n->netns == netns && !strcmp(n->text, name))
			return n;
	}
	return NULL;
}

/* NULL: no memory. */
static struct name *note(struct reader *r, uint32_t netns, const char *name)
{
	struct name *n = lookup(r->room, netns, name);

	if (n)
		return n;
	n = nd_batch_alloc(r, sizeof(*n));
	if (!n)
		return NULL;
	n->netns = netns;
	strncpy(n->text, name, sizeof(n->text) - 1);
	if (nctl_hash_insert(&r->room->names, &n->node, nctl_hash_str(n->text)) < 0) {
		nd_batch_no_memory(r);
		return NULL;
	}
	return n;
}

bool nd_batch_is_link_name(struct reader *r, const char *name)
{
	if (!*name || !strcmp(name, ".") || !strcmp(name, "..") || strpbrk(name, "/: \t\n\v\f\r"))
		return nd_batch_wrong(r, NULL, "\"%.64s\" is no name of a device", name);
	if (strlen(name) >= IF_NAMESIZE)
		return nd_batch_wrong(
			r, "names have at most 15 bytes", "\"%.64s\" is too long for a device", name);
	return true;
}

bool nd_batch_find(struct reader *r, const char *name, struct found *ret)
{
	const struct nctl_mirror *m = nd_batch_have(r, r->room->in);
	const struct nctl_mirror_link *l;
	const struct name *n;

	*ret = (struct found){.ifindex = 1, .made_by = NCTL_OP_NONE};
	if (!*name || strlen(name) > 127)
		return nd_batch_wrong(r, NULL, "\"%.64s\" is no name of a device", name);
	if (!r->view)
		return true;
	n = lookup(r->room, r->room->in, name);
	if (n && n->ifindex) {
		*ret = (struct found){.ifindex = n->ifindex, .made_by = n->made_by, .kind = n->kind};
		ret->have = m ? nctl_mirror_link_get(m, n->ifindex) : NULL;
		return true;
	}
	l = m && !n ? nctl_mirror_link_find(m, name) : NULL;
	if (!l)
		return nd_batch_lacks(r, "Cannot find device \"%.64s\"", name);
	ret->ifindex = l->v.ifindex;
	ret->have = l;
	return true;
}

bool nd_batch_is_taken(struct reader *r, uint32_t netns, const char *name)
{
	const struct nctl_mirror *m = nd_batch_have(r, netns);
	const struct name *n = lookup(r->room, netns, name);

	return n ? n->ifindex : m && nctl_mirror_link_find(m, name);
}

void nd_batch_name_is(struct reader *r, uint32_t netns, const char *name, const struct found *f)
{
	struct name *n = r->view ? note(r, netns, name) : NULL;

	if (!n)
		return;
	n->ifindex = f->ifindex;
	n->made_by = f->made_by;
	n->kind = f->kind;
}

void nd_batch_name_is_free(struct reader *r, uint32_t netns, const char *name)
{
	nd_batch_name_is(r, netns, name, &(struct found){.made_by = NCTL_OP_NONE});
}

nctl_ifindex nd_batch_new_ifindex(struct reader *r)
{
	return r->room->next_ifindex++;
}

void nd_batch_needs(struct nctl_op *op, const struct found *f)
{
	if (f->made_by == NCTL_OP_NONE)
		return;
	for (size_t i = 0; i < NCTL_OP_NEEDS; i++) {
		if (op->need[i] != NCTL_OP_NONE)
			continue;
		op->need[i] = f->made_by;
		return;
	}
}
