/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Names of network namespaces: what ip(8) and the file system take for one, ranges of them, and those
 * that there are.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/filename.h"
#include "base/range.h"
#include "netctl/cli.h"

int cli_name_check(const char *name)
{
	if (nctl_is_file_name(name))
		return CLI_OK;
	cli_error("Invalid netns name \"%s\"", name); /* ip(8)'s words */
	return CLI_USAGE;
}

static int add(struct cli_names *names, const char *name)
{
	int status = cli_name_check(name);

	if (status != CLI_OK)
		return status;
	if (names->n == CLI_NAMES_MAX) {
		cli_error("at most %d names at once", CLI_NAMES_MAX);
		return CLI_USAGE;
	}
	nctl_strbuf_put(&names->text, name, strlen(name) + 1);
	names->n += names->text.err == 0;
	return CLI_OK;
}

static int add_range(struct cli_names *names, const char *word, const struct nctl_range *range)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf name = NCTL_STRBUF_INIT;
	int status = CLI_OK;

	for (size_t i = 0; i < range->count && status == CLI_OK; i++) {
		nctl_strbuf_reset(&name);
		nctl_range_name(range, word, nctl_range_at(range, i), &name);
		status = add(names, nctl_strbuf_str(&name));
	}
	return status;
}

static int no_memory(void)
{
	cli_error("%s", strerror(ENOMEM));
	return CLI_USAGE;
}

int cli_names_expand(struct cli_names *names, char *const *words, size_t n, bool literal)
{
	struct nctl_range_error error;
	struct nctl_range range;
	int r, status = CLI_OK;

	for (size_t i = 0; i < n && status == CLI_OK; i++) {
		r = nctl_range_parse(words[i], &range, &error);
		if (r == 0) {
			status = add_range(names, words[i], &range);
		} else if (r > 0 || literal) {
			status = add(names, words[i]);
		} else {
			cli_error("%s: %s%s%s", words[i], error.message, error.advice ? "; " : "",
				error.advice ? error.advice : "");
			status = CLI_USAGE;
		}
	}
	return names->text.err ? no_memory() : status;
}

static int compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *d)
{
	return nctl_is_file_name(d->d_name);
}

int cli_names_read(struct cli_names *names)
{
	struct dirent **entries = NULL;
	int n = scandir(CLI_NETNS_DIR, &entries, is_entry, compare);

	/* Nobody has made one yet. */
	if (n < 0 && errno == ENOENT)
		return CLI_OK;
	if (n < 0) {
		cli_error("cannot read " CLI_NETNS_DIR ": %m");
		return CLI_USAGE;
	}
	for (int i = 0; i < n; i++) {
		nctl_strbuf_put(&names->text, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
		names->n++;
		free(entries[i]);
	}
	free(entries);
	return names->text.err ? no_memory() : CLI_OK;
}
