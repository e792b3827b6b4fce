/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "config/config.h"
#include "exec/hub.h"
#include "netns/netns.h"
#include "plan/ledger.h"
#include "plan/snapshot.h"

/* What the daemon keeps over its own death. Internal to daemon/reconcile. */

/* ledgers.c: what is ours: namespaces by name, and in each namespace links and addresses. */
struct ledgers {
	struct nctl_hash by_cookie; /* of struct namespace_ledger */
	struct nctl_netns_ledger *netns;
};

struct namespace_ledger {
	struct nctl_hash_node by_cookie;
	uint64_t cookie;
	struct nctl_ledger *ledger;
};

int nd_ledgers_init(struct ledgers *l);
void nd_ledgers_fini(struct ledgers *l);
struct nctl_ledger *nd_ledgers_find(
	const struct ledgers *l, uint64_t cookie);                      /* NULL: nothing is ours there */
struct nctl_ledger *nd_ledgers_get(struct ledgers *l, uint64_t cookie); /* made if need be; NULL: no memory */
size_t nd_ledgers_link_count(const struct ledgers *l);
/* Forgets what the mirrors do not bear out, and namespaces that are not there any more. */
void nd_ledgers_prune(struct ledgers *l, struct nd_netns_set *set);
int nd_ledgers_intend(struct ledgers *l, const struct nctl_intent *v, size_t n);

/* store.c: the runtime folder: the ledger (appended while a plan runs, written anew between) and the
 * generation. */
struct store {
	int dir_fd, lock_fd, ledger_fd, namespace_fd;
	bool torn; /* the ledger ends in the middle of a line */
};
#define STORE_INIT ((struct store){.dir_fd = -1, .lock_fd = -1, .ledger_fd = -1, .namespace_fd = -1})

enum { STORE_LOCKED = 1 }; /* another daemon has this runtime folder */

/* Opens the folder (made with mode 0755 if it is not there) and locks it. 0, STORE_LOCKED, -errno. */
int nd_store_open(struct store *s, const char *dir);
/* Keeps a second daemon out of this network namespace. 0, STORE_LOCKED, -errno: cannot be had here. */
int nd_store_lock_namespace(struct store *s, const char *dir, uint64_t cookie);
void nd_store_close(struct store *s);
/* Reads all entries into l, and makes the file fit for appending. A missing file is empty. */
int nd_store_load_ledger(struct store *s, struct ledgers *l);
int nd_store_append_links(struct store *s, const struct nctl_intent *v, size_t n);
int nd_store_append_netns(struct store *s, const char *name, uint64_t cookie);
int nd_store_append_not_ours(struct store *s, const char *name); /* takes that back */
int nd_store_write_ledger(struct store *s, const struct ledgers *l);
/* The accepted configuration. load: -ENOENT when none was ever accepted. */
int nd_store_load_generation(struct store *s, uint64_t *ret_number, struct nd_config_texts *texts);
int nd_store_write_generation(struct store *s, uint64_t number, const struct nd_config_texts *texts);

/* One whole file, replaced as such; sync: it is on its medium when this returns. read: as nctl_read_all. */
int nd_store_replace(const struct store *s, const char *name, const struct nctl_strbuf *b, bool sync);
int nd_store_read(const struct store *s, const char *name, char **ret, size_t *ret_len);
int nd_store_remove(const struct store *s, const char *name); /* 0 as well if it is not there */

/* journal.c: the way back, for a daemon that does not know anything else. */
struct journal {
	bool waiting;        /* applied, and to be confirmed; else it is being carried out */
	unsigned flags;      /* enum nd_apply_flags */
	uint64_t generation; /* the number that it will have when it is accepted */
	nctl_time deadline;  /* waiting */
	struct nd_config_texts texts;
	struct nctl_snapshot *snapshot;
};
#define JOURNAL_INIT ((struct journal){.texts = ND_CONFIG_TEXTS_INIT})
void nd_journal_fini(struct journal *j);
int nd_journal_write(const struct store *s, const struct journal *j);
/* -ENOENT: there is none; -EBADMSG: it is none of ours, or of an earlier life of the machine. */
int nd_journal_read(const struct store *s, struct journal *ret);
int nd_journal_remove(const struct store *s);
