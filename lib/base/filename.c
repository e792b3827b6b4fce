/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: what may be put behind a folder without leaving it. */
#include "base/filename.h"

#include <limits.h>
#include <string.h>

bool nctl_is_file_name(const char *s)
{
	size_t len = strnlen(s, NAME_MAX + 1);

	return len && len <= NAME_MAX && !strchr(s, '/') && strcmp(s, ".") != 0 && strcmp(s, "..") != 0;
}
