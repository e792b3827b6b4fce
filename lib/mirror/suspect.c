/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what must be dumped again to be sure: a few scopes of each type, without those that others contain.
 * Where there would be too many of one type, it is all of that type.
 */
#include "mirror/fib.h"

#define EACH 16 /* scopes of one type: beyond, one dump of all costs less than as many walks in the kernel   \
	         */
#define FEW 8   /* links and routes that are named one by one */

static void absorb(struct nctl_mirror *m, const struct nctl_dump_scope *s)
{
	m->n_suspects = nctl_dump_scopes_absorb(m->suspects, m->n_suspects, s);
}

static unsigned count(const struct nctl_mirror *m, enum nctl_object_type type)
{
	unsigned n = 0;

	for (size_t i = 0; i < m->n_suspects; i++)
		n += m->suspects[i].type == type;
	return n;
}

void nctl_suspect(struct nctl_mirror *m, enum nctl_object_type type, nctl_table table, nctl_ifindex oif)
{
	struct nctl_dump_scope s = {.type = type, .table = table, .oif = oif};

	for (size_t i = 0; i < m->n_suspects; i++)
		if (nctl_dump_scope_covers(&m->suspects[i], &s))
			return;
	absorb(m, &s);
	if (count(m, type) >= EACH) {
		s = (struct nctl_dump_scope){.type = type};
		absorb(m, &s);
	}
	m->suspects[m->n_suspects++] = s;
}

void nctl_suspect_none(struct nctl_mirror *m, nctl_ifindex oif)
{
	m->n_suspects = nctl_dump_scopes_forget(m->suspects, m->n_suspects, oif);
}

bool nctl_mirror_next_suspect(struct nctl_mirror *m, struct nctl_dump_scope *ret)
{
	if (!m->n_suspects)
		return false;
	*ret = m->suspects[0];
	m->n_suspects--;
	for (size_t i = 0; i < m->n_suspects; i++)
		m->suspects[i] = m->suspects[i + 1];
	return true;
}

void nctl_suspect_route(struct nctl_mirror *m, const struct nctl_route *r)
{
	enum nctl_object_type type = nctl_fib_type(nctl_fib_of(m, r->dst.family));

	if (r->n_hops > FEW || !r->n_hops || !r->hops[0].oif) {
		nctl_suspect(m, type, r->table, 0);
		return;
	}
	for (uint32_t i = 0; i < r->n_hops; i++)
		nctl_suspect(m, type, 0, r->hops[i].oif);
}

void nctl_suspect_set(struct nctl_mirror *m, const struct nctl_set *s)
{
	nctl_suspect_route(m, &s->v);
}

void nctl_suspect_equals(struct nctl_fib *f, const struct nctl_spot *spot)
{
	unsigned n = 0;

	for (uint32_t id = spot->first; id; id = id == spot->last ? 0 : nctl_fib_next(f, id)) {
		const struct nctl_set *s = nctl_set_of(f, id);

		if (s->dead || id == spot->match)
			continue;
		if (++n > FEW) {
			nctl_suspect(f->m, nctl_fib_type(f), s->v.table, 0);
			return;
		}
		nctl_suspect_set(f->m, s);
	}
}
