/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The naive model of a prefix index, and the comparison with the real one. For the unit tests and the
 * fuzz target, so without cmocka.
 */
#include <stdlib.h>
#include <string.h>

#include "lpm-model.h"

const uint8_t *model_key(const void *owner, uint32_t id, unsigned *ret_len)
{
	const struct model *m = owner;

	if (!id || id > MODEL_IDS || !m->keys[id].family)
		abort();
	*ret_len = m->keys[id].len;
	return m->keys[id].addr;
}

uint32_t model_free_id(const struct model *m)
{
	for (uint32_t id = 1; id <= MODEL_IDS; id++)
		if (!m->keys[id].family)
			return id;
	return NCTL_LPM_NONE;
}

/* Where the first at or behind p stands. */
static size_t place_of(const struct model *m, const struct nctl_prefix *p)
{
	size_t i = 0;

	while (i < m->n && nctl_prefix_cmp(&m->keys[m->sorted[i]], p) < 0)
		i++;
	return i;
}

static bool is_at(const struct model *m, size_t i, const struct nctl_prefix *p)
{
	return i < m->n && nctl_prefix_equal(&m->keys[m->sorted[i]], p);
}

void model_insert(struct model *m, const struct nctl_prefix *p, uint32_t id)
{
	size_t i = place_of(m, p);

	memmove(m->sorted + i + 1, m->sorted + i, (m->n - i) * sizeof(m->sorted[0]));
	m->sorted[i] = id;
	m->keys[id] = *p;
	m->n++;
}

void model_replace(struct model *m, const struct nctl_prefix *p, uint32_t id)
{
	size_t i = place_of(m, p);

	m->keys[m->sorted[i]] = NCTL_PREFIX_NULL;
	m->sorted[i] = id;
	m->keys[id] = *p;
}

uint32_t model_remove(struct model *m, const struct nctl_prefix *p)
{
	size_t i = place_of(m, p);
	uint32_t id;

	if (!is_at(m, i, p))
		return NCTL_LPM_NONE;
	id = m->sorted[i];
	m->n--;
	memmove(m->sorted + i, m->sorted + i + 1, (m->n - i) * sizeof(m->sorted[0]));
	m->keys[id] = NCTL_PREFIX_NULL;
	return id;
}

uint32_t model_get(const struct model *m, const struct nctl_prefix *p)
{
	size_t i = place_of(m, p);

	return is_at(m, i, p) ? m->sorted[i] : NCTL_LPM_NONE;
}

uint32_t model_match(const struct model *m, const struct nctl_prefix *p)
{
	uint32_t best = NCTL_LPM_NONE;

	for (size_t i = 0; i < m->n; i++) {
		uint32_t id = m->sorted[i];

		if (nctl_prefix_contains(&m->keys[id], p) && (!best || m->keys[id].len > m->keys[best].len))
			best = id;
	}
	return best;
}

uint32_t model_from(const struct model *m, const struct nctl_prefix *p, bool at)
{
	size_t i = place_of(m, p);

	if (!at && is_at(m, i, p))
		i++;
	return i < m->n ? m->sorted[i] : NCTL_LPM_NONE;
}

const char *model_compare(const struct model *m, const struct nctl_lpm *t, const struct nctl_prefix *p)
{
	struct nctl_lpm_iter it;
	size_t i = place_of(m, p);

	if (nctl_lpm_get(t, p) != model_get(m, p))
		return "get";
	if (nctl_lpm_match(t, p) != model_match(m, p))
		return "match";
	if (nctl_lpm_next(t, p) != model_from(m, p, false))
		return "next";
	if (nctl_lpm_from(t, p) != model_from(m, p, true))
		return "from";
	nctl_lpm_iter_init(&it, t, p);
	for (size_t end = i + 20; i < m->n && i < end; i++)
		if (nctl_lpm_iter_next(&it) != m->sorted[i])
			return "iter from";
	return i < m->n || nctl_lpm_iter_next(&it) == NCTL_LPM_NONE ? NULL : "the end of iter from";
}

const char *model_compare_all(const struct model *m, const struct nctl_lpm *t)
{
	struct nctl_lpm_iter it;
	const struct nctl_prefix *after = NULL;

	if (nctl_lpm_count(t) != m->n)
		return "count";
	nctl_lpm_iter_init(&it, t, NULL);
	for (size_t i = 0; i < m->n; i++) {
		uint32_t id = m->sorted[i];

		if (nctl_lpm_iter_next(&it) != id)
			return "iter";
		if (nctl_lpm_next(t, after) != id)
			return "next of a walk";
		after = &m->keys[id];
		if (nctl_lpm_get(t, after) != id)
			return "get of all";
	}
	if (nctl_lpm_iter_next(&it) || nctl_lpm_iter_next(&it))
		return "the end of iter";
	return nctl_lpm_next(t, after) ? "the end of a walk" : NULL;
}
