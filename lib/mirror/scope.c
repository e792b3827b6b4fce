/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what lists the kernel is asked for, as values: sets of them without those that others contain. Of
 * suspicions (suspect.c) and of what a session is about to dump (lib/exec).
 */
#include "mirror/scope.h"

bool nctl_dump_scope_covers(const struct nctl_dump_scope *a, const struct nctl_dump_scope *b)
{
	return a->type == b->type && a->vlans == b->vlans && (!a->table || a->table == b->table) &&
	       (!a->oif || a->oif == b->oif);
}

size_t nctl_dump_scopes_absorb(struct nctl_dump_scope *v, size_t n, const struct nctl_dump_scope *scope)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (!nctl_dump_scope_covers(scope, &v[i]))
			v[left++] = v[i];
	return left;
}

size_t nctl_dump_scopes_forget(struct nctl_dump_scope *v, size_t n, nctl_ifindex oif)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].oif != oif)
			v[left++] = v[i];
	return left;
}
