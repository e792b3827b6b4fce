/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Any bytes as messages of the privileged helper: the daemon's end of it believes an answer or refuses
 *it, keeps what netns/helper.h promises of those that it believes, and loses no descriptor. The first byte is
 *the type of the request, the second one how many values it asked for; then come messages, each as a length
 *of two bytes, a byte of descriptors (its highest bit: some were lost) and the message itself. A length of
 *0xffff is one of the right magic, type and id, put before what follows.
 *
 *	fuzz-answers CORPUS
 *	fuzz-answers-plain SECONDS [SEED]     without libFuzzer; makes its own answers and spoils them
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define POISON
#endif
#ifdef POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#include "base/cleanup.h"
#include "base/num.h"
#include "base/time.h"
#include "net/types.h"
#include "netns/client.h"
#include "plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ID = 77, VALUES_MAX = 64 };

static uint64_t believed, refused;
static int null_fd = -1;
static struct nd_message m;

#define CHECK(expression)                                                                                    \
	do {                                                                                                 \
		if (!(expression)) {                                                                         \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #expression);                     \
			abort();                                                                             \
		}                                                                                            \
	} while (0)

static void check_whole(const struct nd_answer *answer)
{
	const struct nd_helper_answer *a = &answer->a;

	CHECK(a->error <= 0 && a->error >= -4095);
	CHECK(!a->error || (a->n == 0 && a->nsid == NCTL_NSID_NONE && !a->cookie));
	CHECK(!a->text || (a->error && *a->text));
	CHECK(a->nsid >= NCTL_NSID_NONE);
	if (answer->type == ND_PROTO_SCAN)
		CHECK(a->n <= ND_ANSWER_PROCESSES_MAX && !a->values && !a->fds);
	else
		CHECK(a->n <= ND_ANSWER_FILES_MAX && !a->processes);
	if (answer->type == ND_PROTO_SYSCTL_READ && !a->error)
		CHECK(a->n == answer->n_values);
	if ((answer->type == ND_PROTO_SYSCTL_WRITE || answer->type == ND_PROTO_READ_KEY) && !a->error)
		CHECK(a->n == 1 && a->values[0]);
	for (size_t i = 0; i < a->n; i++) {
		if (a->processes)
			CHECK(a->processes[i].pid > 0);
		else if (answer->type == ND_PROTO_OPEN_FILES || answer->type == ND_PROTO_OPEN_MADDR)
			CHECK(*a->values[i] && strlen(a->values[i]) < PATH_MAX &&
				fcntl(a->fds[i], F_GETFD) >= 0);
		else
			CHECK(!a->values[i] || strlen(a->values[i]) < ND_PROTO_MESSAGE_MAX);
	}
}

/* The next message of the input, if there is one. */
static bool next_message(const uint8_t **p, const uint8_t *end, enum nd_proto_type type)
{
	struct nd_proto_answer h = {.magic = ND_PROTO_MAGIC, .type = type, .id = ID};
	size_t len, before = 0;

	if (end - *p < 3)
		return false;
	len = (size_t)((*p)[0] | (*p)[1] << 8);
	m.n_fds = nctl_min((size_t)((*p)[2] & 0x7f), (size_t)ND_PROTO_FDS_MAX);
	m.lost_fds = (*p)[2] & 0x80;
	*p += 3;
	if (len == UINT16_MAX) {
		before = offsetof(struct nd_proto_answer, error);
		memcpy(m.buf, &h, before);
	}
	len = nctl_min(nctl_min(len, (size_t)(end - *p)), sizeof(m.buf) - before);
	if (len)
		memcpy(m.buf + before, *p, len);
	*p += len;
	m.len = before + len;
	for (size_t i = 0; i < m.n_fds; i++) {
		m.fds[i] = fcntl(null_fd, F_DUPFD_CLOEXEC, 0);
		CHECK(m.fds[i] >= 0);
	}
	return m.len > 0; /* an empty one is the end of a channel */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *p = data + 2, *end = data + size;
	struct nd_answer a;
	const char *why = NULL;
	int r = ND_ANSWER_MORE, lowest;

	if (null_fd < 0)
		null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (size < 2)
		return 0;
	lowest = dup(null_fd);
	close(lowest);
	nd_answer_init(&a, data[0] % ND_PROTO_TYPES, ID);
	a.n_values = data[1] % (VALUES_MAX + 1);
	while (r == ND_ANSWER_MORE && next_message(&p, end, a.type)) {
		ASAN_POISON_MEMORY_REGION(m.buf + m.len, sizeof(m.buf) - m.len);
		r = nd_answer_add(&a, &m, &why);
		ASAN_UNPOISON_MEMORY_REGION(m.buf, sizeof(m.buf));
		CHECK(r == 0 || r == ND_ANSWER_MORE || (r == -EBADMSG && why));
		nd_message_fini(&m);
	}
	nd_message_fini(&m);
	if (r == 0)
		check_whole(&a);
	believed += r == 0;
	refused += r < 0;
	nd_answer_fini(&a);
	CHECK(a.a.n == 0 && !a.values && !a.fds && !a.processes && !a.text);
	r = dup(null_fd);
	CHECK(r == lowest);
	close(r);
	return 0;
}

#ifdef PLAIN
enum { INPUT_MAX = 256 * 1024 };

static uint8_t *put_message(
	uint8_t *p, const void *h, size_t len, const void *rest, size_t rest_len, uint8_t fds)
{
	p[0] = (uint8_t)(len + rest_len);
	p[1] = (uint8_t)((len + rest_len) >> 8);
	p[2] = fds;
	memcpy(p + 3, h, len);
	if (rest_len)
		memcpy(p + 3 + len, rest, rest_len);
	return p + 3 + len + rest_len;
}

/* A good answer, more or less, to a request of any type. */
static size_t make_answer(uint8_t *buf)
{
	enum nd_proto_type type = any(ND_PROTO_TYPES);
	bool in_parts = type == ND_PROTO_OPEN_FILES || type == ND_PROTO_SCAN;
	uint8_t *p = buf + 2;
	static union {
		char text[2 * VALUES_MAX];
		struct nd_proto_process v[1000];
	} rest;

	buf[0] = (uint8_t)type;
	buf[1] = (uint8_t)any(VALUES_MAX + 1);
	for (uint32_t parts = 1 + (in_parts ? any(5) : 0); parts; parts--) {
		struct nd_proto_answer h = {
			ND_PROTO_MAGIC, type, ID, .nsid = (int32_t)any(3) - 1, .more = parts > 1};
		size_t len = 0;
		uint8_t fds = type == ND_PROTO_OPEN_SOCKET;

		if (type == ND_PROTO_SYSCTL_READ)
			h.n_strings = buf[1];
		if (type == ND_PROTO_SYSCTL_WRITE || type == ND_PROTO_READ_KEY)
			h.n_strings = 1;
		if (type == ND_PROTO_OPEN_FILES)
			fds = (uint8_t)(h.n_strings = 1 + any(ND_PROTO_FDS_MAX));
		if (type == ND_PROTO_OPEN_MADDR)
			fds = (uint8_t)(h.n_strings = any(4));
		if (type == ND_PROTO_SCAN)
			h.n_processes = 1 + any(NCTL_ARRAY_SIZE(rest.v));
		for (uint32_t i = 0; i < h.n_processes; i++)
			rest.v[i] = (struct nd_proto_process){.ino = i, .pid = (int32_t)i + 1};
		for (uint32_t i = 0; i < h.n_strings; i++, len += 2)
			memcpy(rest.text + len, "v", 2);
		h.missing[0] = any(2) ? any(UINT32_MAX) : 0;
		if (any(8) == 0 && parts == 1) {
			h = (struct nd_proto_answer){ND_PROTO_MAGIC, type, ID, .error = -(int32_t)any(200)};
			h.n_strings = any(2);
			len = 0;
			fds = 0;
			if (h.n_strings)
				len = (size_t)stpcpy(rest.text, "it is not so") - (size_t)rest.text + 1;
		}
		len += h.n_processes * sizeof(rest.v[0]);
		p = put_message(p, &h, sizeof(h), &rest, len, fds | (any(16) == 0 ? 0x80 : 0));
	}
	return (size_t)(p - buf);
}

static size_t make_random(uint8_t *buf)
{
	size_t len = any(400);

	for (size_t i = 0; i < len; i++)
		buf[i] = (uint8_t)any(256);
	/* Else hardly any gets past the magic. */
	if (len > 4 && any(2))
		buf[2] = buf[3] = 0xff;
	return len;
}

static size_t spoil(uint8_t *buf, size_t len)
{
	for (uint32_t n = any(4); n && len; n--) {
		/* Mostly near the front, where the header is. */
		uint32_t at = any(any(2) ? (uint32_t)nctl_min(len, (size_t)80) : (uint32_t)len);

		switch (any(5)) {
		case 0:
			buf[at] = (uint8_t)any(256);
			break;
		case 1:
			buf[at] ^= (uint8_t)(1U << any(8));
			break;
		case 2:
			len = any((uint32_t)len + 1);
			break;
		case 3: /* the ends of the range of a number */
			memset(buf + at, any(2) ? 0xff : 0, nctl_min(len - at, (size_t)4));
			break;
		default:
			memmove(buf + at + 1, buf + at, len - at);
			len++;
		}
	}
	return len;
}

static void step(void)
{
	static uint8_t buf[INPUT_MAX];
	size_t len = any(8) ? make_answer(buf) : make_random(buf);

	if (any(2))
		len = spoil(buf, len);
	LLVMFuzzerTestOneInput(buf, len);
}

int main(int argc, char **argv)
{
	uint64_t n;
	int r = run_plain(argc, argv, step, &n);

	if (r)
		return r;
	printf("# %llu answers, %llu believed, %llu refused\n", (unsigned long long)n,
		(unsigned long long)believed, (unsigned long long)refused);
	return believed && refused ? 0 : 1;
}
#endif
