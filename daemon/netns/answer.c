/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Answers of the helper, read with distrust: every number in them is checked against what is there and
 * against what the request asked for, before anything is taken. Files and processes, which may come in
 * several messages, are bounded. Pure: knows no socket.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "net/types.h"
#include "netns/client.h"

enum { ERRNO_MAX = 4095 };

void nd_answer_init(struct nd_answer *a, enum nd_proto_type type, uint64_t id)
{
	*a = (struct nd_answer){.type = type, .id = id, .a.nsid = NCTL_NSID_NONE};
}

static void drop_content(struct nd_answer *a)
{
	for (size_t i = 0; a->values && i < a->a.n; i++)
		free(a->values[i]);
	for (size_t i = 0; a->fds && i < a->a.n; i++)
		nctl_closep(&a->fds[i]);
	free(a->values);
	free(a->fds);
	free(a->processes);
	a->values = NULL;
	a->fds = NULL;
	a->processes = NULL;
	a->a.n = a->cap = 0;
}

void nd_answer_fini(struct nd_answer *a)
{
	drop_content(a);
	free(a->text);
	nd_answer_init(a, a->type, a->id);
}

void nd_answer_fail(struct nd_answer *a, int error)
{
	drop_content(a);
	a->a.error = error;
}

/* What stands in one message, all of it checked against the message's length. */
struct view {
	struct nd_proto_answer h;
	const struct nd_proto_process *processes;
	const char *strings[ND_PROTO_STRINGS_MAX];
};

static const char *read_view(const struct nd_message *m, struct view *v)
{
	const char *p = (const char *)m->buf, *end = p + m->len, *nul;

	if (m->len < sizeof(v->h))
		return "it is too short";
	memcpy(&v->h, p, sizeof(v->h));
	p += sizeof(v->h);
	if (v->h.magic != ND_PROTO_MAGIC)
		return "its magic is wrong";
	if (v->h.error > 0 || v->h.error < -ERRNO_MAX)
		return "its error is no errno";
	if (v->h.more > 1 || v->h.nsid < NCTL_NSID_NONE)
		return "a number in it is out of range";
	if (v->h.n_processes > (size_t)(end - p) / sizeof(*v->processes))
		return "it has fewer processes than it says";
	v->processes = (const struct nd_proto_process *)(const void *)p;
	p += v->h.n_processes * sizeof(*v->processes);
	if (v->h.n_strings > ND_PROTO_STRINGS_MAX)
		return "it has too many strings";
	for (size_t i = 0; i < v->h.n_strings; i++, p = nul + 1) {
		nul = memchr(p, '\0', (size_t)(end - p));
		if (!nul)
			return "it has fewer strings than it says";
		v->strings[i] = p;
	}
	return p == end ? NULL : "something follows its end";
}

/* Is it of the shape that fits the request? */
static const char *check_shape(const struct nd_answer *a, const struct view *v, const struct nd_message *m)
{
	const struct nd_proto_answer *h = &v->h;
	bool in_parts = a->type == ND_PROTO_OPEN_FILES || a->type == ND_PROTO_SCAN;
	size_t n_strings = 0, n_fds = 0;

	if (h->type != a->type || h->id != a->id)
		return "nobody asked for it";
	if (h->error)
		return h->more || h->n_strings > 1 || h->n_processes || m->n_fds ? "it has more than an error"
		                                                                 : NULL;
	if (h->more && (!in_parts || (!h->n_strings && !h->n_processes)))
		return "it cannot go on";
	if (h->n_processes && a->type != ND_PROTO_SCAN)
		return "nobody asked for processes";
	if (a->type == ND_PROTO_SYSCTL_READ)
		n_strings = a->n_values;
	if (a->type == ND_PROTO_SYSCTL_WRITE || a->type == ND_PROTO_READ_KEY)
		n_strings = 1;
	if (a->type == ND_PROTO_OPEN_FILES)
		n_strings = n_fds = h->n_strings;
	if (a->type == ND_PROTO_OPEN_SOCKET)
		n_fds = 1;
	if (a->type == ND_PROTO_OPEN_MADDR)
		n_strings = n_fds = nctl_max(1U, nctl_min(h->n_strings, 3U));
	if (h->n_strings != n_strings)
		return "it has not the strings that were asked for";
	if (m->n_fds != n_fds && !m->lost_fds)
		return "it has not the descriptors that were asked for";
	return NULL;
}

static void *grown(void *v, size_t cap, size_t size, int *r)
{
	void *p = reallocarray(v, cap, size);

	if (!p)
		*r = -ENOMEM;
	return p ? p : v;
}

/* Makes room for n more strings, descriptors and processes, as far as the type has them. */
static int reserve(struct nd_answer *a, size_t n)
{
	size_t max = a->type == ND_PROTO_SCAN ? ND_ANSWER_PROCESSES_MAX : ND_ANSWER_FILES_MAX;
	size_t need = a->a.n + n, cap = nctl_max(need, nctl_min(a->cap * 2, max));
	int r = 0;

	if (need > max)
		return -E2BIG;
	if (need <= a->cap)
		return 0;
	if (a->type == ND_PROTO_SCAN) {
		a->processes = grown(a->processes, cap, sizeof(*a->processes), &r);
	} else {
		a->values = grown(a->values, cap, sizeof(*a->values), &r);
		a->fds = grown(a->fds, cap, sizeof(*a->fds), &r);
	}
	if (r == 0)
		a->cap = cap;
	return r;
}

static bool is_missing(const struct nd_proto_answer *h, size_t i)
{
	return h->missing[i / 64] >> (i % 64) & 1;
}

static int add_strings(struct nd_answer *a, const struct view *v, struct nd_message *m)
{
	for (size_t i = 0; i < v->h.n_strings; i++) {
		char *s = NULL;

		if (a->type != ND_PROTO_SYSCTL_READ || !is_missing(&v->h, i)) {
			s = strdup(v->strings[i]);
			if (!s)
				return -ENOMEM;
		}
		a->fds[a->a.n] = i < m->n_fds ? take_fd(m->fds[i]) : -1;
		a->values[a->a.n++] = s;
	}
	return 0;
}

static const char *add_processes(struct nd_answer *a, const struct view *v)
{
	for (size_t i = 0; i < v->h.n_processes; i++) {
		const struct nd_proto_process *p = &v->processes[i];

		if (p->pid <= 0)
			return "it has a process without a number";
		a->processes[a->a.n++] =
			(struct nd_helper_process){.pid = p->pid, .dev = p->dev, .ino = p->ino};
	}
	return NULL;
}

static bool opens_files(enum nd_proto_type type)
{
	return type == ND_PROTO_OPEN_FILES || type == ND_PROTO_OPEN_MADDR;
}

static const char *add_content(struct nd_answer *a, const struct view *v, struct nd_message *m)
{
	int r;

	for (size_t i = 0; opens_files(a->type) && i < v->h.n_strings; i++)
		if (!*v->strings[i] || strlen(v->strings[i]) >= PATH_MAX)
			return "it has a file with a bad path";
	r = reserve(a, v->h.n_strings + v->h.n_processes);
	if (r == 0 && v->h.n_strings)
		r = add_strings(a, v, m);
	if (r < 0)
		nd_answer_fail(a, r);
	return r == 0 ? add_processes(a, v) : NULL;
}

static bool has_nsid(enum nd_proto_type type)
{
	return type == ND_PROTO_JOIN || type == ND_PROTO_NSID_IN || type == ND_PROTO_POOL;
}

int nd_answer_add(struct nd_answer *a, struct nd_message *m, const char **ret_why)
{
	struct view v;
	const char *why = read_view(m, &v);

	if (!why)
		why = check_shape(a, &v, m);
	if (!why && v.h.error && !a->a.error) {
		nd_answer_fail(a, v.h.error);
		a->text = v.h.n_strings && *v.strings[0] ? strdup(v.strings[0]) : NULL;
	} else if (!why && m->lost_fds) {
		nd_answer_fail(a, -EMFILE);
	} else if (!why && !a->a.error) {
		why = a->type == ND_PROTO_OPEN_SOCKET ? NULL : add_content(a, &v, m);
	}
	if (why) {
		*ret_why = why;
		return -EBADMSG;
	}
	a->a.text = a->text;
	a->a.cookie = a->a.error ? 0 : v.h.cookie;
	if (!a->a.error && has_nsid(a->type))
		a->a.nsid = v.h.nsid;
	a->a.values = (const char *const *)a->values;
	a->a.fds = opens_files(a->type) ? a->fds : NULL;
	a->a.processes = a->processes;
	return v.h.more ? ND_ANSWER_MORE : 0;
}
