/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/strbuf.h"
#include "plan/want.h"

/* YAML to the desired state: netplan's version 2 language with ranges. Sees no socket and no loop. */

/* The bytes of one configuration file. */
struct nd_config_text {
	char *path; /* owned; as it is shown in messages */
	char *data; /* owned */
	size_t len;
};

struct nd_config_texts {
	struct nd_config_text *v;
	size_t n;
	size_t most; /* devices and namespaces at most, for whoever should not take much of our time; 0: the
	                usual limit */
};
#define ND_CONFIG_TEXTS_INIT ((struct nd_config_texts){0})
void nd_config_texts_fini(struct nd_config_texts *t);
int nd_config_texts_add(
	struct nd_config_texts *t, const char *path, const char *data, size_t len); /* copies */

enum nd_severity { ND_ERROR, ND_WARNING, ND_NOTICE };

struct nd_diagnostic {
	enum nd_severity severity;
	char *file;            /* owned; may be NULL */
	uint32_t line, column; /* from 1; 0 unknown */
	char *message;         /* one sentence, owned */
	char *advice;          /* what to do, owned; may be NULL */
	char *source;          /* the line of the file, owned; may be NULL */
};

/* All findings of one load, in order of file and place; at most 100 are kept, the rest is counted. */
struct nd_diagnostics {
	struct nd_diagnostic *v;
	size_t n, n_errors, n_dropped;
};
#define ND_DIAGNOSTICS_INIT ((struct nd_diagnostics){0})
void nd_diagnostics_fini(struct nd_diagnostics *d);
int nd_diagnostics_add(struct nd_diagnostics *d, enum nd_severity severity, const char *file, uint32_t line,
	uint32_t column, const char *source, const char *message, const char *advice);
/* "FILE:LINE:COL: error: …", the source line, a caret below it, and the advice. */
void nd_diagnostics_print(const struct nd_diagnostics *d, struct nctl_strbuf *out);
/* An array of {severity, file, line, column, message, advice, source}. */
void nd_diagnostics_json(const struct nd_diagnostics *d, struct nctl_json *json);

enum { ND_CONFIG_INVALID = 1 }; /* there are errors in the diagnostics */

/*
 * Reads the *.yaml files of these files and folders (netplan(5): a file in an earlier folder shadows one of
 * the same name in a later one; all are then taken in the order of their names). A missing folder is empty. A
 * file that group or others may write is refused. 0, ND_CONFIG_INVALID, -errno.
 */
int nd_config_read_paths(
	const char *const *paths, size_t n, struct nd_config_texts *texts, struct nd_diagnostics *diag);
/* Reads one open file whole (at most 64 MiB); fd stays the caller's. */
int nd_config_read_fd(int fd, const char *path, struct nd_config_texts *texts, struct nd_diagnostics *diag);

/* The whole way from texts to want. 0: ret is sealed and the caller's. ND_CONFIG_INVALID: nothing is
 * returned. -errno. */
int nd_config_parse(const struct nd_config_texts *texts, struct nd_diagnostics *diag, struct nctl_want **ret);

/*
 * The merged texts as YAML, before any key was looked at; secrets are left out. origin: with FILE:LINE behind
 * each value. 0, ND_CONFIG_INVALID (no YAML, or files that contradict each other), -errno.
 */
int nd_config_show(const struct nd_config_texts *texts, bool origin, struct nd_diagnostics *diag,
	struct nctl_strbuf *out);

/* Warns of each key and value in valid texts that netplan would not take. 0 or -errno. */
int nd_config_netplan(const struct nd_config_texts *texts, struct nd_diagnostics *diag, size_t *ret_n);
