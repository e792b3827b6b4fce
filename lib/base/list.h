/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

#include "base/cleanup.h"

/*
 * Intrusive, circular, doubly linked list. The same type is head and node. A node
 * that is in no list points to itself (nctl_list_init), so that nctl_list_del may
 * be called twice. All operations are O(1).
 */
struct nctl_list {
	struct nctl_list *next;
	struct nctl_list *prev;
};

/* Initialiser: struct nctl_list l = NCTL_LIST_INIT(l); */
#define NCTL_LIST_INIT(name) ((struct nctl_list){&(name), &(name)})

static inline void nctl_list_init(struct nctl_list *l)
{
	l->next = l;
	l->prev = l;
}

static inline bool nctl_list_empty(const struct nctl_list *head)
{
	return head->next == head;
}

/* Is this node in a list? */
static inline bool nctl_list_linked(const struct nctl_list *n)
{
	return n->next != n;
}

/* Puts n, which is in no list, before the node `at`. */
static inline void nctl_list_insert_before(struct nctl_list *at, struct nctl_list *n)
{
	n->next = at;
	n->prev = at->prev;
	at->prev->next = n;
	at->prev = n;
}

static inline void nctl_list_add_head(struct nctl_list *head, struct nctl_list *n)
{
	nctl_list_insert_before(head->next, n);
}

static inline void nctl_list_add_tail(struct nctl_list *head, struct nctl_list *n)
{
	nctl_list_insert_before(head, n);
}

/* Unlinks and initialises n; does nothing to a node that is in no list. */
static inline void nctl_list_del(struct nctl_list *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	nctl_list_init(n);
}

/* The first node, or NULL. */
static inline struct nctl_list *nctl_list_first(const struct nctl_list *head)
{
	return head->next == head ? NULL : head->next;
}

/* The node after n, or NULL. */
static inline struct nctl_list *nctl_list_next(const struct nctl_list *head, const struct nctl_list *n)
{
	return n->next == head ? NULL : n->next;
}

/* Moves all nodes of src to the end of dst, in order; src is empty afterwards. */
static inline void nctl_list_splice_tail(struct nctl_list *dst, struct nctl_list *src)
{
	if (nctl_list_empty(src))
		return;
	src->next->prev = dst->prev;
	dst->prev->next = src->next;
	src->prev->next = dst;
	dst->prev = src->prev;
	nctl_list_init(src);
}

#define nctl_list_entry(ptr, type, member) nctl_container_of(ptr, type, member)

/* pos is a struct nctl_list * of the caller; the list must not change, but for nodes behind pos. */
#define nctl_list_for_each(pos, head) for ((pos) = (head)->next; (pos) != (head); (pos) = (pos)->next)

/* As above; the body may remove pos (and only pos). tmp is another struct nctl_list *. */
#define nctl_list_for_each_safe(pos, tmp, head)                                                              \
	for ((pos) = (head)->next, (tmp) = (pos)->next; (pos) != (head); (pos) = (tmp), (tmp) = (pos)->next)
