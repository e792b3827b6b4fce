/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

/*
 * "Did you mean": the candidate nearest to word, by insertions, deletions, substitutions
 * and swaps of neighbouring bytes, letter case aside. NULL if none is near enough (about
 * one edit in three bytes) or word is longer than 64 bytes. NULL candidates are skipped;
 * of equals the first wins.
 */
const char *nctl_suggest(const char *word, const char *const *candidates, size_t n);
