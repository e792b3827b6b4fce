/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Any bytes as a message to the privileged helper: it is refused, or it is carried out by operations
 *that do nothing but look whether the request keeps what private.h promises, and give answers of all shapes,
 *which must come out of the socket well formed. The first byte says on which channel the rest comes.
 *
 *	fuzz-helper CORPUS
 *	fuzz-helper-plain SECONDS [SEED]     without libFuzzer; makes its own requests and spoils them
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/filename.h"
#include "base/num.h"
#include "base/time.h"
#include "helper/private.h"
#include "plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(expression)                                                                                    \
	do {                                                                                                 \
		if (!(expression)) {                                                                         \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #expression);                     \
			abort();                                                                             \
		}                                                                                            \
	} while (0)

/* The message under way, and the socket that its answers come out of. */
static const char *message, *message_end;
static int reader = -1, writer = -1;
static uint64_t carried_out, refused;

/* Takes the answers that are there. The last one, if there is one at all: are there more to come? */
static bool drain(void)
{
	static char buf[ND_PROTO_MESSAGE_MAX + 1] __attribute__((aligned(8)));
	char control[CMSG_SPACE(ND_PROTO_FDS_MAX * sizeof(int))] __attribute__((aligned(8)));
	const struct nd_proto_answer *a = (const void *)buf;
	bool more = true;
	struct cmsghdr *c;
	const char *s;
	ssize_t k;

	for (;;) {
		struct iovec iov = {buf, sizeof(buf)};
		struct msghdr m = {.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control)};

		k = recvmsg(reader, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (k < 0)
			return more;
		CHECK(more); /* nothing follows the last part */
		CHECK((size_t)k >= sizeof(*a) && k <= ND_PROTO_MESSAGE_MAX && !(m.msg_flags & MSG_CTRUNC));
		CHECK(a->magic == ND_PROTO_MAGIC && a->type < ND_PROTO_TYPES && a->error <= 0 &&
			a->more <= 1);
		CHECK(a->n_processes <= ND_REPLY_PROCESSES && a->n_strings <= ND_PROTO_STRINGS_MAX);
		CHECK(!a->error || (a->n_strings <= 1 && !a->n_processes && !a->more && !a->cookie));
		s = buf + sizeof(*a) + a->n_processes * sizeof(struct nd_proto_process);
		CHECK(s <= buf + k);
		for (uint32_t i = 0; i < a->n_strings; i++, s++) {
			s = memchr(s, '\0', (size_t)(buf + k - s));
			CHECK(s);
		}
		CHECK(s == buf + k);
		c = CMSG_FIRSTHDR(&m);
		CHECK(!c || !a->error);
		for (size_t i = 0; c && i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++)
			close(((const int *)(const void *)CMSG_DATA(c))[i]);
		more = a->more;
	}
}

static void check_names(const char *s)
{
	_cleanup_(nctl_freep) char *framed = NULL;

	if (nctl_is_file_name(s))
		CHECK(*s && strlen(s) <= NAME_MAX && !strchr(s, '/') && strcmp(s, ".") && strcmp(s, ".."));
	if (!nd_sysctl_is_good(s))
		return;
	CHECK(asprintf(&framed, "/%s/", s) > 0);
	CHECK(!strstr(framed, "//") && !strstr(framed, "/./") && !strstr(framed, "/../"));
}

static void check_request(const struct nd_request *q)
{
	const char *s = message + sizeof(q->h);

	CHECK(q->h.type < ND_PROTO_TYPES && q->h.magic == ND_PROTO_MAGIC);
	CHECK(q->h.n_strings <= ND_PROTO_STRINGS_MAX && q->n_netns <= q->h.n_strings && q->n_netns <= 2);
	CHECK(q->h.pid[0] >= 0 && q->h.pid[1] >= 0 && !(q->h.flags & ~(uint32_t)ND_PROTO_REPAIR));
	for (uint32_t i = 0; i < q->h.n_strings; i++) {
		CHECK(q->strings[i] == s);
		check_names(s);
		s += strlen(s) + 1;
	}
	CHECK(s == message_end);
}

/* Parts of an answer as an operation gives them, of any shape and size. */
static void add_anything(struct nd_reply *a)
{
	static char text[8192];
	uint32_t n = any(8);

	memset(text, 'x', sizeof(text) - 1);
	for (uint32_t i = 0; i < n; i++)
		nd_reply_add_string(a, text + any(any(4) ? 16 : sizeof(text)) % sizeof(text));
	if (any(4) == 0)
		for (n = any(4); n && a->n_fds < ND_PROTO_FDS_MAX; n--)
			a->fds[a->n_fds++] = fcntl(reader, F_DUPFD_CLOEXEC, 0);
	if (any(8) == 0) {
		if (!a->memory)
			a->memory = calloc(ND_REPLY_PROCESSES, sizeof(*a->processes));
		CHECK(a->memory);
		a->processes = a->memory;
		a->h.n_processes = any(ND_REPLY_PROCESSES + 1);
	}
}

static int operation(struct nd_place *p, const struct nd_request *q, struct nd_reply *a)
{
	CHECK(!p);
	check_request(q);
	carried_out++;
	/* Depends on the message alone, so that a finding can be had again. */
	random_state = q->h.id * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (uint32_t parts = any(3); parts; parts--) {
		add_anything(a);
		if (sizeof(a->h) + a->h.n_processes * sizeof(*a->processes) + a->strings.len >
			ND_PROTO_MESSAGE_MAX)
			break; /* operations look to that themselves */
		CHECK(nd_reply_send(a, true) == 0);
		CHECK(drain());
	}
	add_anything(a);
	a->h.cookie = any(2);
	a->h.nsid = (int32_t)any(3) - 1;
	switch (any(4)) {
	case 0:
		return nd_reply_refuse(a, -(int)(1 + any(100)), "%s", q->h.n_strings ? q->strings[0] : "");
	case 1:
		return -(int)(1 + any(100));
	default:
		return 0;
	}
}

static nd_operation operations[ND_PROTO_TYPES];

static void set_up(void)
{
	int pair[2];

	if (reader >= 0)
		return;
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	reader = pair[0];
	writer = pair[1];
	for (size_t i = 0; i < ND_PROTO_TYPES; i++)
		operations[i] = operation;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(nctl_freep) char *copy = NULL;
	uint64_t before = carried_out;
	int r;

	set_up();
	if (size == 0)
		return 0;
	/* Of its very size, so that a sanitizer sees each byte too far. */
	copy = malloc(size);
	CHECK(copy);
	memcpy(copy, data + 1, size - 1);
	message = copy;
	message_end = copy + size - 1;
	r = nd_dispatch(operations, NULL, (enum nd_proto_channel)(data[0] % (ND_PROTO_CHANNELS + 1)), writer,
		message, size - 1);
	CHECK(r == 0 || r == -EBADMSG);
	CHECK((carried_out > before) == (r == 0)); /* one or the other */
	CHECK(drain() == (r < 0));                 /* an answer exactly if it was a request */
	refused += r < 0;
	return 0;
}

#ifdef PLAIN
enum { INPUT_MAX = ND_PROTO_MESSAGE_MAX + 64 };

static size_t make_random(uint8_t *buf)
{
	size_t len = any(any(8) ? 200 : INPUT_MAX), i;

	for (i = 0; i < len; i++)
		buf[i] = (uint8_t)any(256);
	return len;
}

/* A good request, more or less: of any type, mostly on its channel. */
static size_t make_request(uint8_t *buf)
{
	static const char *const words[] = {"", "a", "tenant1", "..", ".", "/", "a/b", "ipv4/ip_forward",
		"ipv4/../x", "net.ipv4", "\xff\xfe"};
	static const uint8_t channels[ND_PROTO_TYPES] = {0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 2, 1};
	static const uint8_t strings[ND_PROTO_TYPES] = {1, 1, 1, 2, 5, 3, 3, 0, 0, 0, 0, 1, 1};
	struct nd_proto_request h = {
		.magic = ND_PROTO_MAGIC, .type = any(ND_PROTO_TYPES), .id = any(UINT32_MAX)};
	char *p = (char *)buf + 1 + sizeof(h);

	buf[0] = any(16) ? channels[h.type] : (uint8_t)any(256);
	h.n_strings = h.type == ND_PROTO_SYSCTL_READ ? 2 + any(ND_PROTO_STRINGS_MAX) : strings[h.type];
	h.cookie[0] = any(4) ? 0 : any(UINT32_MAX);
	h.pid[any(2)] = any(4) ? 0 : (int32_t)any(40000);
	h.number = any(2) ? 0 : any(5);
	h.flags = any(4) ? 0 : any(3);
	for (uint32_t i = 0; i < h.n_strings; i++)
		p = stpcpy(p, words[any(NCTL_ARRAY_SIZE(words))]) + 1;
	memcpy(buf + 1, &h, sizeof(h));
	return (size_t)(p - (char *)buf);
}

static size_t spoil(uint8_t *buf, size_t len)
{
	for (uint32_t n = any(4); n && len; n--) {
		switch (any(5)) {
		case 0:
			buf[any((uint32_t)len)] = (uint8_t)any(256);
			break;
		case 1:
			buf[any((uint32_t)len)] ^= (uint8_t)(1U << any(8));
			break;
		case 2:
			len = any((uint32_t)len + 1);
			break;
		case 3: /* the ends of the range of a number */
			memset(buf + any((uint32_t)len), any(2) ? 0xff : 0, nctl_min(len, (size_t)4));
			break;
		default:
			len = nctl_min(len + any(300), (size_t)INPUT_MAX);
		}
	}
	return len;
}

static void step(void)
{
	static uint8_t buf[INPUT_MAX + 16];
	size_t len = any(8) ? make_request(buf) : make_random(buf);

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
	printf("# %llu messages, %llu carried out, %llu refused\n", (unsigned long long)n,
		(unsigned long long)carried_out, (unsigned long long)refused);
	return carried_out && refused ? 0 : 1;
}
#endif
