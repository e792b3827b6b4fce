/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the journal: what it takes to undo a plan, written before the plan's first message is sent and removed
 * when its configuration is accepted or all of it is undone. A line names the format and the boot of the
 * machine, since a namespace's cookie means nothing in another one. Then come records: a head of type and
 * length, numbers, and an object as the kernel's own message about it (lib/codec has both ways), or text. A
 * new type of object is one more record here. The last record says that nothing is missing. Deadlines are
 * points of CLOCK_MONOTONIC, which goes on while no daemon runs.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "codec/codec.h"
#include "codec/route.h"
#include "obj/vlans.h"
#include "reconcile/journal.h"

enum record {
	RECORD_HEAD = 1,
	RECORD_NETNS,
	RECORD_LINK,
	RECORD_MADE,
	RECORD_ADDR,
	RECORD_ALTNAME,
	RECORD_SYSCTL,
	RECORD_TEXT,
	RECORD_END,
	RECORD_FIB,
	RECORD_VLANS, /* behind the link that has them */
};

enum {
	NETNS_MADE = 1 << 0,
	NETNS_OURS = 1 << 1,
	LINK_OURS = 1 << 0,
	LINK_ADOPTED = 1 << 1,
	LINK_VLANS = 1 << 2,
	ADDR_ADDED = 1 << 0,
	ADDR_ADOPTED = 1 << 1,
	SYSCTL_HAS_OLD = 1 << 0,
	MESSAGE_MAX = 1 << 17,
	NETNS_MAX = 1 << 20,
	VLAN_RANGES_MAX = 4096,
};

struct record_head {
	uint32_t type, len; /* of what follows, without padding to 4 bytes */
};

/* What the records begin with. */
struct head {
	uint32_t waiting, flags, n_netns, pad;
	uint64_t generation, deadline;
};
struct numbers {
	uint32_t netns, flags; /* MADE, ALTNAME, VLANS: flags is the ifindex */
};
struct link_numbers {
	uint32_t netns, flags;
	uint64_t common, data, port;
};

/* "netctld-journal 1 BOOT\n" */
static int put_first_line(struct nctl_strbuf *b)
{
	_cleanup_(nctl_closep) int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	_cleanup_(nctl_freep) char *id = NULL;
	size_t len = 0;
	int r = fd < 0 ? -errno : nctl_read_all(fd, 256, &id, &len);

	nctl_strbuf_puts(b, "netctld-journal 1 ");
	if (r >= 0)
		nctl_strbuf_put(b, id, strcspn(id, "\n"));
	nctl_strbuf_putc(b, '\n');
	return b->err;
}

/* -- write -- */

static void put_record(struct nctl_strbuf *b, enum record type, const void *numbers, size_t n_numbers,
	const void *rest, size_t n_rest)
{
	const struct record_head h = {.type = type, .len = (uint32_t)(n_numbers + n_rest)};
	static const char zero[4] = {0};

	nctl_strbuf_put(b, &h, sizeof(h));
	nctl_strbuf_put(b, numbers, n_numbers);
	nctl_strbuf_put(b, rest, n_rest);
	nctl_strbuf_put(b, zero, -(n_numbers + n_rest) & 3);
}

/* With the message that is open in m. */
static void put_message(
	struct nctl_strbuf *b, enum record type, const void *numbers, size_t n_numbers, struct nctl_msgbuf *m)
{
	if (nctl_msg_commit(m, 0) == 0)
		put_record(b, type, numbers, n_numbers, m->buf, m->len);
	else
		b->err = -EMSGSIZE;
	nctl_msgbuf_reset(m);
}

static void put_netns(struct nctl_strbuf *b, const struct nctl_snap_netns *n)
{
	struct {
		uint64_t cookie;
		uint32_t flags, named;
	} v = {.cookie = n->cookie,
		.flags = (n->made ? NETNS_MADE : 0) | (n->ours ? NETNS_OURS : 0),
		.named = n->name != NULL};

	put_record(b, RECORD_NETNS, &v, sizeof(v), n->name ? n->name : "", n->name ? strlen(n->name) : 0);
}

static void put_link(struct nctl_strbuf *b, const struct nctl_snap_link *l, struct nctl_msgbuf *m)
{
	const struct link_numbers v = {
		.netns = l->netns,
		.flags = (l->ours ? LINK_OURS : 0) | (l->adopted ? LINK_ADOPTED : 0) |
	                 (l->touched.vlans ? LINK_VLANS : 0),
		.common = l->touched.common,
		.data = l->touched.data,
		.port = l->touched.port,
	};

	nctl_link_encode_state(&l->v, m);
	put_message(b, RECORD_LINK, &v, sizeof(v), m);
	if (l->v.vlans) {
		const struct numbers n = {l->netns, l->v.ifindex};

		put_record(b, RECORD_VLANS, &n, sizeof(n), l->v.vlans->v,
			l->v.vlans->n * sizeof(l->v.vlans->v[0]));
	}
}

static void put_addr(struct nctl_strbuf *b, const struct nctl_snap_addr *a, struct nctl_msgbuf *m)
{
	const struct numbers v = {a->netns, (a->added ? ADDR_ADDED : 0) | (a->adopted ? ADDR_ADOPTED : 0)};

	nctl_addr_encode_state(&a->v, m);
	put_message(b, RECORD_ADDR, &v, sizeof(v), m);
}

static void put_sysctl(struct nctl_strbuf *b, const struct nctl_snap_sysctl *s)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf text = NCTL_STRBUF_INIT;
	const struct numbers v = {s->netns, s->old ? SYSCTL_HAS_OLD : 0};

	nctl_strbuf_put(&text, s->name, strlen(s->name) + 1);
	nctl_strbuf_put(&text, s->value, strlen(s->value) + 1);
	if (s->old)
		nctl_strbuf_put(&text, s->old, strlen(s->old) + 1);
	put_record(b, RECORD_SYSCTL, &v, sizeof(v), text.s, text.len);
	b->err = b->err ? b->err : text.err;
}

static void put_text(struct nctl_strbuf *b, const struct nd_config_text *t)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf text = NCTL_STRBUF_INIT;

	nctl_strbuf_put(&text, t->path, strlen(t->path) + 1);
	nctl_strbuf_put(&text, t->data, t->len);
	put_record(b, RECORD_TEXT, NULL, 0, text.s, text.len);
	b->err = b->err ? b->err : text.err;
}

static void put_fib(void *userdata, const void *numbers, size_t n_numbers, struct nctl_msgbuf *m)
{
	put_message(userdata, RECORD_FIB, numbers, n_numbers, m);
}

static void put_snapshot(struct nctl_strbuf *b, const struct nctl_snapshot *s, struct nctl_msgbuf *m)
{
	for (size_t i = 0; i < s->n_netns; i++)
		put_netns(b, &s->netns[i]);
	for (size_t i = 0; i < s->n_links; i++)
		put_link(b, s->links[i], m);
	for (size_t i = 0; i < s->n_made; i++) {
		const struct numbers v = {s->made[i].netns, s->made[i].ifindex};

		put_record(
			b, RECORD_MADE, &v, sizeof(v), s->made[i].kind->name, strlen(s->made[i].kind->name));
	}
	for (size_t i = 0; i < s->n_addrs; i++)
		put_addr(b, &s->addrs[i], m);
	for (size_t i = 0; i < s->n_altnames; i++) {
		const struct numbers v = {s->altnames[i].netns, s->altnames[i].ifindex};

		put_record(
			b, RECORD_ALTNAME, &v, sizeof(v), s->altnames[i].name, strlen(s->altnames[i].name));
	}
	for (size_t i = 0; i < s->n_sysctls; i++)
		put_sysctl(b, &s->sysctls[i]);
	for (size_t i = 0; i < s->n_fibs; i++)
		nd_journal_put_fib(&s->fibs[i], m, b, put_fib);
}

int nd_journal_write(const struct store *s, const struct journal *j)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf b = NCTL_STRBUF_INIT;
	_cleanup_(nctl_freep) void *buf = malloc(MESSAGE_MAX);
	const struct head head = {
		.waiting = j->waiting,
		.flags = j->flags,
		.n_netns = (uint32_t)j->snapshot->n_netns,
		.generation = j->generation,
		.deadline = j->deadline.usec,
	};
	struct nctl_msgbuf m;

	if (!buf)
		return -ENOMEM;
	nctl_msgbuf_init(&m, buf, MESSAGE_MAX);
	put_first_line(&b);
	put_record(&b, RECORD_HEAD, &head, sizeof(head), NULL, 0);
	put_snapshot(&b, j->snapshot, &m);
	for (size_t i = 0; i < j->texts.n; i++)
		put_text(&b, &j->texts.v[i]);
	put_record(&b, RECORD_END, NULL, 0, NULL, 0);
	return nd_store_replace(s, "journal", &b, true);
}

int nd_journal_remove(const struct store *s)
{
	return nd_store_remove(s, "journal");
}

/* -- read -- */

struct reader {
	struct journal *j;
	size_t n_netns; /* read so far */
};

static bool is_netns(const struct reader *rd, uint32_t netns)
{
	return rd->j->snapshot && netns < rd->j->snapshot->n_netns;
}

/* The message behind the numbers, aligned as it is. NULL: there is none, or half of one. */
static const struct nlmsghdr *message_in(const char *p, size_t len)
{
	const struct nlmsghdr *nlh = (const void *)p;

	return len >= sizeof(*nlh) && nlh->nlmsg_len >= sizeof(*nlh) && nlh->nlmsg_len <= len ? nlh : NULL;
}

static int read_head(struct reader *rd, const char *p, size_t len)
{
	struct head h;

	if (len != sizeof(h) || rd->j->snapshot)
		return -EBADMSG;
	memcpy(&h, p, sizeof(h));
	if (!h.n_netns || h.n_netns > NETNS_MAX)
		return -EBADMSG;
	rd->j->waiting = h.waiting;
	rd->j->flags = h.flags;
	rd->j->generation = h.generation;
	rd->j->deadline = (nctl_time){h.deadline};
	return nctl_snapshot_new(h.n_netns, &rd->j->snapshot);
}

static int read_netns(struct reader *rd, const char *p, size_t len)
{
	struct {
		uint64_t cookie;
		uint32_t flags, named;
	} v;
	struct nctl_snap_netns *n;

	if (len < sizeof(v) || !is_netns(rd, (uint32_t)rd->n_netns))
		return -EBADMSG;
	memcpy(&v, p, sizeof(v));
	n = &rd->j->snapshot->netns[rd->n_netns++];
	n->cookie = v.cookie;
	n->made = v.flags & NETNS_MADE;
	n->ours = v.flags & NETNS_OURS;
	if (v.named)
		n->name = nctl_arena_strndup(&rd->j->snapshot->arena, p + sizeof(v), len - sizeof(v));
	return v.named && !n->name ? -ENOMEM : 0;
}

static int read_link(struct reader *rd, const char *p, size_t len)
{
	const struct nlmsghdr *nlh;
	struct nctl_snap_link l = {0};
	struct link_numbers v;
	struct nctl_link link;
	int r;

	if (len < sizeof(v))
		return -EBADMSG;
	memcpy(&v, p, sizeof(v));
	nlh = message_in(p + sizeof(v), len - sizeof(v));
	r = nlh && is_netns(rd, v.netns) ? nctl_link_decode(nlh, &link) : -EBADMSG;
	if (r != 0)
		return r < 0 ? r : -EBADMSG;
	l.netns = v.netns;
	l.ours = v.flags & LINK_OURS;
	l.adopted = v.flags & LINK_ADOPTED;
	l.touched = (struct nctl_link_diff){
		.common = v.common, .data = v.data, .port = v.port, .vlans = v.flags & LINK_VLANS};
	r = nctl_snapshot_find(rd->j->snapshot, l.netns, link.ifindex)
	            ? -EBADMSG
	            : nctl_snapshot_add_link(rd->j->snapshot, &l, &link);
	nctl_link_fini(&link);
	return r;
}

static int read_vlans(struct reader *rd, const char *p, size_t len)
{
	struct nctl_vlan_range ranges[VLAN_RANGES_MAX];
	struct nctl_snap_link *l;
	struct numbers v;
	size_t n;

	if (len < sizeof(v) || (len - sizeof(v)) % sizeof(ranges[0]) || len - sizeof(v) > sizeof(ranges))
		return -EBADMSG;
	memcpy(&v, p, sizeof(v));
	memcpy(ranges, p + sizeof(v), len - sizeof(v));
	n = (len - sizeof(v)) / sizeof(ranges[0]);
	l = is_netns(rd, v.netns) ? nctl_snapshot_find(rd->j->snapshot, v.netns, v.flags) : NULL;
	for (size_t i = 0; i < n; i++)
		if (!ranges[i].first || ranges[i].first > ranges[i].last || ranges[i].last >= VLAN_RANGES_MAX)
			return -EBADMSG;
	return l && !l->v.vlans ? nctl_vlans_new(ranges, n, &l->v.vlans) : -EBADMSG;
}

static int read_addr(struct reader *rd, const char *p, size_t len)
{
	struct nctl_snap_addr a = {0};
	const struct nlmsghdr *nlh;
	struct numbers v;
	int r;

	if (len < sizeof(v))
		return -EBADMSG;
	memcpy(&v, p, sizeof(v));
	nlh = message_in(p + sizeof(v), len - sizeof(v));
	r = nlh && is_netns(rd, v.netns) ? nctl_addr_decode(nlh, &a.v) : -EBADMSG;
	if (r != 0)
		return r < 0 ? r : -EBADMSG;
	a.netns = v.netns;
	a.added = v.flags & ADDR_ADDED;
	a.adopted = v.flags & ADDR_ADOPTED;
	return nctl_snapshot_add_addr(rd->j->snapshot, &a);
}

/* Numbers and one text. */
static int read_named(struct reader *rd, enum record type, const char *p, size_t len)
{
	struct numbers v;
	char text[256];

	if (len < sizeof(v) || len - sizeof(v) >= sizeof(text))
		return -EBADMSG;
	memcpy(&v, p, sizeof(v));
	memcpy(text, p + sizeof(v), len - sizeof(v));
	text[len - sizeof(v)] = '\0';
	if (!is_netns(rd, v.netns))
		return -EBADMSG;
	if (type == RECORD_ALTNAME)
		return nctl_snapshot_add_altname(
			rd->j->snapshot, &(struct nctl_snap_altname){v.netns, v.flags, text});
	return nctl_snapshot_add_made(
		rd->j->snapshot, &(struct nctl_snap_made){v.netns, v.flags, nctl_kind_find(text)});
}

/* The next text of those behind each other, each with a NUL; NULL: there is none. */
static const char *next_text(const char **p, const char *end)
{
	const char *text = *p, *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	if (!nul)
		return NULL;
	*p = nul + 1;
	return text;
}

static int read_sysctl(struct reader *rd, const char *p, size_t len)
{
	struct nctl_snap_sysctl s = {0};
	const char *end = p + len;
	struct numbers v;

	if (len < sizeof(v))
		return -EBADMSG;
	memcpy(&v, p, sizeof(v));
	p += sizeof(v);
	s.netns = v.netns;
	s.name = next_text(&p, end);
	s.value = s.name ? next_text(&p, end) : NULL;
	s.old = s.value && v.flags & SYSCTL_HAS_OLD ? next_text(&p, end) : NULL;
	if (!is_netns(rd, v.netns) || !s.value || !(v.flags & SYSCTL_HAS_OLD) != !s.old)
		return -EBADMSG;
	return nctl_snapshot_add_sysctl(rd->j->snapshot, &s);
}

static int read_text(struct reader *rd, const char *p, size_t len)
{
	const char *end = p + len, *path = next_text(&p, end);

	return path ? nd_config_texts_add(&rd->j->texts, path, p, (size_t)(end - p)) : -EBADMSG;
}

static int read_record(struct reader *rd, enum record type, const char *p, size_t len)
{
	switch (type) {
	case RECORD_HEAD:
		return read_head(rd, p, len);
	case RECORD_NETNS:
		return read_netns(rd, p, len);
	case RECORD_LINK:
		return read_link(rd, p, len);
	case RECORD_MADE:
	case RECORD_ALTNAME:
		return read_named(rd, type, p, len);
	case RECORD_VLANS:
		return read_vlans(rd, p, len);
	case RECORD_ADDR:
		return read_addr(rd, p, len);
	case RECORD_SYSCTL:
		return read_sysctl(rd, p, len);
	case RECORD_FIB:
		return nd_journal_read_fib(rd->j->snapshot, p, len);
	case RECORD_TEXT:
		return read_text(rd, p, len);
	case RECORD_END:
		break;
	}
	return -EBADMSG;
}

/* 0 only if all is there: the last record ends the file. */
static int read_records(struct reader *rd, const char *p, const char *end)
{
	struct record_head h;
	int r = 0;

	while (r >= 0) {
		if ((size_t)(end - p) < sizeof(h))
			return -EBADMSG;
		memcpy(&h, p, sizeof(h));
		p += sizeof(h);
		if (h.type == RECORD_END)
			break;
		if ((((size_t)h.len + 3) & ~(size_t)3) > (size_t)(end - p))
			return -EBADMSG;
		r = read_record(rd, h.type, p, h.len);
		p += (h.len + 3) & ~3U;
	}
	if (r < 0)
		return r;
	return rd->j->snapshot && rd->n_netns == rd->j->snapshot->n_netns ? 0 : -EBADMSG;
}

int nd_journal_read(const struct store *s, struct journal *ret)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf first = NCTL_STRBUF_INIT;
	_cleanup_(nctl_freep) char *data = NULL, *aligned = NULL;
	struct journal j = JOURNAL_INIT;
	struct reader rd = {.j = &j};
	size_t len = 0;
	int r = nd_store_read(s, "journal", &data, &len);

	if (r >= 0)
		r = put_first_line(&first);
	if (r >= 0 && (len < first.len || memcmp(data, first.s, first.len) != 0))
		r = -EBADMSG;
	/* Messages are read where they lie. */
	aligned = r >= 0 ? malloc(len - first.len + 1) : NULL;
	if (r >= 0 && !aligned)
		r = -ENOMEM;
	if (r < 0)
		return r;
	memcpy(aligned, data + first.len, len - first.len);
	r = read_records(&rd, aligned, aligned + (len - first.len));
	if (r < 0) {
		nd_journal_fini(&j);
		return r;
	}
	*ret = j;
	return 0;
}

void nd_journal_fini(struct journal *j)
{
	nd_config_texts_fini(&j->texts);
	j->snapshot = nctl_snapshot_free(j->snapshot);
	*j = JOURNAL_INIT;
}
