/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

/*
 * Can it be the name of a file in a folder: 1 to NAME_MAX bytes, no "/", neither "." nor ".."? Such are the
 * names of namespaces (ip-netns(8)).
 */
bool nctl_is_file_name(const char *s);
