/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the runtime folder. `ledger` says what is ours, a line an object; links are appended before the
 * message that makes them is sent, so that a kill at any time leaves no link of ours without a line (a line
 * without a link is harmless). Between plans it is written anew. `generation` holds the accepted
 * configuration, bytes and all (0600: files may hold secrets), so that a restart resumes exactly that. `lock`
 * keeps a second daemon out. `journal` (journal.c) is there while a plan is carried out, or waits to be
 * confirmed. The folder is a tmpfs: no fsync is needed to survive the daemon's death, and
 * nothing is meant to survive the machine's.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

enum { FILE_BYTES_MAX = 256 * 1024 * 1024 }; /* larger ones are not ours */

int nd_store_open(struct store *s, const char *dir)
{
	_cleanup_(nctl_closep) int dir_fd = -1, lock_fd = -1;

	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		return -errno;
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -errno;
	lock_fd = openat(dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lock_fd < 0)
		return -errno;
	if (flock(lock_fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? STORE_LOCKED : -errno;
	*s = STORE_INIT;
	s->dir_fd = take_fd(dir_fd);
	s->lock_fd = take_fd(lock_fd);
	return 0;
}

/* One file a namespace, wherever the runtime folders are; only root and the daemon's user can hold it. */
int nd_store_lock_namespace(struct store *s, const char *dir, uint64_t cookie)
{
	_cleanup_(nctl_closep) int fd = -1;
	char path[PATH_MAX];

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return -errno;
	snprintf(path, sizeof(path), "%s/%" PRIu64, dir, cookie);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? STORE_LOCKED : -errno;
	s->namespace_fd = take_fd(fd);
	return 0;
}

void nd_store_close(struct store *s)
{
	nctl_closep(&s->namespace_fd);
	nctl_closep(&s->ledger_fd);
	nctl_closep(&s->lock_fd);
	nctl_closep(&s->dir_fd);
	*s = STORE_INIT;
}

/* The whole file behind another name, then renamed over: there is always one whole file. */
int nd_store_replace(const struct store *s, const char *name, const struct nctl_strbuf *b, bool sync)
{
	_cleanup_(nctl_closep) int fd = -1;
	char tmp[64];
	int r;

	if (b->err)
		return b->err;
	snprintf(tmp, sizeof(tmp), "%s.new", name);
	fd = openat(s->dir_fd, tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	r = nctl_write_all(fd, nctl_strbuf_str(b), b->len);
	if (r >= 0 && sync && fsync(fd) < 0)
		r = -errno;
	if (r < 0)
		return r;
	if (renameat(s->dir_fd, tmp, s->dir_fd, name) < 0)
		return -errno;
	return sync && fsync(s->dir_fd) < 0 ? -errno : 0;
}

int nd_store_remove(const struct store *s, const char *name)
{
	return unlinkat(s->dir_fd, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

int nd_store_read(const struct store *s, const char *name, char **ret, size_t *ret_len)
{
	_cleanup_(nctl_closep) int fd = openat(s->dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? -errno : nctl_read_all(fd, FILE_BYTES_MAX, ret, ret_len);
}

static void put_link(struct nctl_strbuf *b, uint64_t cookie, const struct nctl_ledger_link *e)
{
	nctl_strbuf_printf(b, "link %" PRIu64 " %u %s %s %s\n", cookie, e->ifindex,
		e->adopted ? "adopted" : "made", e->kind[0] ? e->kind : "-", e->name);
}

static void put_addr(struct nctl_strbuf *b, uint64_t cookie, const struct nctl_addr *a)
{
	char local[NCTL_PREFIX_STR], peer[NCTL_PREFIX_STR] = "-";

	nctl_prefix_format(&a->local, local);
	if (a->peer.family)
		nctl_prefix_format(&a->peer, peer);
	nctl_strbuf_printf(b, "addr %" PRIu64 " %u %s %s\n", cookie, a->ifindex, local, peer);
}

static void put_netns(struct nctl_strbuf *b, const struct nctl_ledger_netns *e)
{
	nctl_strbuf_printf(b, "netns %" PRIu64 " %s\n", e->cookie, e->name);
}

static int parse_link(const char *line, struct ledgers *ls)
{
	struct nctl_ledger_link e = {0};
	char how[16], kind[16], name[16];
	struct nctl_ledger *l;
	uint64_t cookie;

	/* Names of links hold no blanks (dev_valid_name in the kernel), so words are enough. */
	if (sscanf(line, "%" SCNu64 " %u %15s %15s %15s", &cookie, &e.ifindex, how, kind, name) != 5)
		return 0;
	e.adopted = !strcmp(how, "adopted");
	snprintf(e.kind, sizeof(e.kind), "%s", kind[0] == '-' ? "" : kind);
	snprintf(e.name, sizeof(e.name), "%s", name);
	l = nd_ledgers_get(ls, cookie);
	return l ? nctl_ledger_link_add(l, &e) : -ENOMEM;
}

static int parse_addr(const char *line, struct ledgers *ls)
{
	struct nctl_addr e = NCTL_ADDR_INIT;
	char local[64], peer[64];
	struct nctl_ledger *l;
	uint64_t cookie;

	if (sscanf(line, "%" SCNu64 " %u %63s %63s", &cookie, &e.ifindex, local, peer) != 4)
		return 0;
	if (nctl_prefix_parse(local, NCTL_PREFIX_NEED_LENGTH, &e.local) != 0)
		return 0;
	if (strcmp(peer, "-") && nctl_prefix_parse(peer, NCTL_PREFIX_NEED_LENGTH, &e.peer) != 0)
		return 0;
	l = nd_ledgers_get(ls, cookie);
	return l ? nctl_ledger_addr_add(l, &e) : -ENOMEM;
}

/* A name may hold anything but a slash; the configuration allows no newline in it. */
static int parse_netns(const char *line, struct ledgers *ls)
{
	uint64_t cookie;
	int at = 0, r;

	if (sscanf(line, "%" SCNu64 "%n", &cookie, &at) != 1 || line[at] != ' ')
		return 0;
	r = nctl_netns_ledger_add(ls->netns, line + at + 1, cookie);
	return r == -ENOMEM ? r : 0;
}

static int parse_not_ours(const char *line, struct ledgers *ls)
{
	nctl_netns_ledger_del(ls->netns, line);
	return 0;
}

static int parse_line(const char *line, struct ledgers *ls)
{
	static const struct {
		const char *word;
		int (*parse)(const char *line, struct ledgers *ls);
	} types[] = {{"link ", parse_link}, {"addr ", parse_addr}, {"netns ", parse_netns},
		{"not-ours ", parse_not_ours}};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(types); i++) {
		size_t n = strlen(types[i].word);

		if (!strncmp(line, types[i].word, n))
			return types[i].parse(line + n, ls);
	}
	return 0;
}

static int open_for_append(struct store *s)
{
	nctl_closep(&s->ledger_fd);
	s->ledger_fd =
		openat(s->dir_fd, "ledger", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return s->ledger_fd < 0 ? -errno : 0;
}

int nd_store_load_ledger(struct store *s, struct ledgers *l)
{
	_cleanup_(nctl_freep) char *data = NULL;
	char *line, *next, *end;
	size_t len = 0;
	int r = nd_store_read(s, "ledger", &data, &len);

	if (r < 0 && r != -ENOENT)
		return r;
	end = data ? data + len : NULL;
	s->torn = len && data[len - 1] != '\n';
	for (line = data; line < end; line = next) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			break; /* half a line: its message was never sent */
		*next++ = '\0';
		r = parse_line(line, l);
		if (r < 0)
			return r;
	}
	return open_for_append(s);
}

/* Consumes b, of whole lines. */
static int append(struct store *s, struct nctl_strbuf *b)
{
	int r = b->err;

	if (r >= 0 && s->torn)
		r = nctl_write_all(s->ledger_fd, "\n", 1);
	if (r >= 0)
		r = nctl_write_all(s->ledger_fd, nctl_strbuf_str(b), b->len);
	s->torn = r < 0;
	return r;
}

int nd_store_append_links(struct store *s, const struct nctl_intent *v, size_t n)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf b = NCTL_STRBUF_INIT;

	for (size_t i = 0; i < n; i++)
		put_link(&b, v[i].cookie, &v[i].link);
	return append(s, &b);
}

int nd_store_append_netns(struct store *s, const char *name, uint64_t cookie)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf b = NCTL_STRBUF_INIT;

	nctl_strbuf_printf(&b, "netns %" PRIu64 " %s\n", cookie, name);
	return append(s, &b);
}

int nd_store_append_not_ours(struct store *s, const char *name)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf b = NCTL_STRBUF_INIT;

	nctl_strbuf_printf(&b, "not-ours %s\n", name);
	return append(s, &b);
}

static void put_namespace(struct nctl_strbuf *b, const struct namespace_ledger *n)
{
	const struct nctl_ledger_link *e;
	const struct nctl_addr *a;

	for (e = nctl_ledger_link_from(n->ledger, 1); e; e = nctl_ledger_link_from(n->ledger, e->ifindex + 1))
		put_link(b, n->cookie, e);
	for (a = nctl_ledger_addr_next(n->ledger, NULL); a; a = nctl_ledger_addr_next(n->ledger, a))
		put_addr(b, n->cookie, a);
}

int nd_store_write_ledger(struct store *s, const struct ledgers *l)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf b = NCTL_STRBUF_INIT;
	const struct nctl_ledger_netns *e;
	struct nctl_hash_iter it;
	struct nctl_hash_node *n;
	int r;

	for (e = nctl_netns_ledger_next(l->netns, NULL); e; e = nctl_netns_ledger_next(l->netns, e->name))
		put_netns(&b, e);
	nctl_hash_iter_init(&it, &l->by_cookie);
	while ((n = nctl_hash_iter_next(&it)))
		put_namespace(&b, nctl_container_of(n, struct namespace_ledger, by_cookie));
	r = nd_store_replace(s, "ledger", &b, false);
	if (r < 0)
		return r;
	s->torn = false;
	return open_for_append(s);
}

int nd_store_write_generation(struct store *s, uint64_t number, const struct nd_config_texts *texts)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf b = NCTL_STRBUF_INIT;

	nctl_strbuf_printf(&b, "netctld-generation 1 %" PRIu64 " %zu\n", number, texts->n);
	for (size_t i = 0; i < texts->n; i++) {
		const struct nd_config_text *t = &texts->v[i];

		nctl_strbuf_printf(&b, "%zu %zu\n%s\n", strlen(t->path), t->len, t->path);
		nctl_strbuf_put(&b, t->data, t->len);
		nctl_strbuf_putc(&b, '\n');
	}
	return nd_store_replace(s, "generation", &b, false);
}

/* One file behind p: "PATHLEN LEN\nPATH\nDATA\n". Returns the first byte behind it, or NULL. */
static const char *load_text(const char *p, const char *end, struct nd_config_texts *texts)
{
	_cleanup_(nctl_freep) char *path = NULL;
	size_t path_len, len;
	int head = 0;

	if (sscanf(p, "%zu %zu%n", &path_len, &len, &head) != 2 || !head || p[head] != '\n')
		return NULL;
	p += head + 1;
	if (path_len > (size_t)(end - p) || len > (size_t)(end - p) - path_len ||
		(size_t)(end - p) - path_len - len < 2)
		return NULL;
	path = strndup(p, path_len);
	p += path_len + 1;
	if (!path || nd_config_texts_add(texts, path, p, len) < 0)
		return NULL;
	return p + len + 1;
}

int nd_store_load_generation(struct store *s, uint64_t *ret_number, struct nd_config_texts *texts)
{
	_cleanup_(nctl_freep) char *data = NULL;
	uint64_t number;
	const char *p;
	size_t n, len;
	int head = 0, r = nd_store_read(s, "generation", &data, &len);

	if (r < 0)
		return r;
	if (sscanf(data, "netctld-generation 1 %" SCNu64 " %zu%n", &number, &n, &head) != 2 ||
		data[head] != '\n')
		return -EBADMSG;
	p = data + head + 1;
	for (size_t i = 0; p && i < n; i++)
		p = load_text(p, data + len, texts);
	if (!p) {
		nd_config_texts_fini(texts);
		return -EBADMSG;
	}
	*ret_number = number;
	return 0;
}
