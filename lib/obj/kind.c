/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: finds link kinds in the list that lib/kinds defines. The list is short (a dozen), so it is walked.
 */
#include <string.h>

#include "obj/kind.h"

const struct nctl_kind *nctl_kind_find(const char *name)
{
	/* Each message of a link asks, and most kinds begin with another letter. */
	for (const struct nctl_kind *const *k = nctl_kinds; *k; k++)
		if ((*k)->name[0] == name[0] && strcmp((*k)->name, name) == 0 &&
			!((*k)->traits & NCTL_KIND_PHYSICAL))
			return *k;
	return NULL;
}

const struct nctl_kind *nctl_kind_by_section(const char *section)
{
	for (const struct nctl_kind *const *k = nctl_kinds; *k; k++)
		if ((*k)->section && strcmp((*k)->section, section) == 0)
			return *k;
	return NULL;
}

const struct nctl_kind *nctl_kind_by_mode(const char *section, const char *mode, uint64_t *ret_value)
{
	for (const struct nctl_kind *const *k = nctl_kinds; *k; k++) {
		if (!(*k)->modes || strcmp((*k)->section, section) != 0)
			continue;
		for (const struct nctl_name *n = (*k)->modes; n->name; n++) {
			if (strcmp(n->name, mode) != 0)
				continue;
			*ret_value = n->value;
			return *k;
		}
	}
	return NULL;
}

size_t nctl_kind_modes(const char *section, const char **ret, size_t max)
{
	size_t n = 0;

	for (const struct nctl_kind *const *k = nctl_kinds; *k; k++)
		if ((*k)->modes && strcmp((*k)->section, section) == 0)
			for (const struct nctl_name *name = (*k)->modes; name->name && n < max; name++)
				ret[n++] = name->name;
	return n;
}
