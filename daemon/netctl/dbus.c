/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The client's side of D-Bus over one connection (dbus.h). Calls are made one after the other.
 * Everything that comes in is checked against its length; messages that are no answer to the call are
 * skipped.
 */
#include "netctl/dbus.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MESSAGE_MAX (128 << 20) /* "Message Format" */
#define HEADER_MIN  16          /* the fixed part, and the length of the array of fields */
#define REPLY_FDS   4

enum { METHOD_CALL = 1, METHOD_RETURN, METHOD_ERROR };
enum { PATH = 1, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE, UNIX_FDS };

static void pad(struct nctl_strbuf *b, size_t to)
{
	while (b->len % to && !b->err)
		nctl_strbuf_putc(b, '\0');
}

static void put_u32(struct nctl_strbuf *b, uint32_t v)
{
	uint32_t le = htole32(v);

	pad(b, 4);
	nctl_strbuf_put(b, &le, sizeof(le));
}

static void put_str(struct nctl_strbuf *b, const char *s)
{
	put_u32(b, (uint32_t)strlen(s));
	nctl_strbuf_put(b, s, strlen(s) + 1);
}

static void set_u32(struct nctl_strbuf *b, size_t at, size_t v)
{
	uint32_t le = htole32((uint32_t)v);

	if (!b->err)
		memcpy(b->s + at, &le, sizeof(le));
}

void cli_msg_init(struct cli_msg *m, const char *method, const char *signature)
{
	*m = (struct cli_msg){.method = method, .signature = signature, .body = NCTL_STRBUF_INIT};
}

void cli_msg_fini(struct cli_msg *m)
{
	while (m->n_fds)
		close(m->fds[--m->n_fds]);
	nctl_strbuf_fini(&m->body);
}

/* The length of the character at s, 0: it is not UTF-8 (RFC 3629). */
static size_t utf8_char(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;

	if (s[0] >= 0x80 && (s[0] < 0xc2 || s[0] > 0xf4))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
		(s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

int cli_msg_str(struct cli_msg *m, const char *s)
{
	size_t n;

	for (const char *p = s; *p; p += n) {
		n = utf8_char((const unsigned char *)p);
		if (!n)
			return -EINVAL;
	}
	put_str(&m->body, s);
	return m->body.err;
}

void cli_msg_u32(struct cli_msg *m, uint32_t v)
{
	put_u32(&m->body, v);
}

int cli_msg_fd(struct cli_msg *m, int fd)
{
	if (m->n_fds == CLI_DBUS_FDS)
		return -E2BIG;
	m->fds[m->n_fds] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (m->fds[m->n_fds] < 0)
		return -errno;
	put_u32(&m->body, m->n_fds++);
	return m->body.err;
}

void cli_msg_align(struct cli_msg *m)
{
	pad(&m->body, 8);
}

size_t cli_msg_array(struct cli_msg *m, bool aligned)
{
	size_t at;

	put_u32(&m->body, 0);
	at = m->body.len - 4;
	if (aligned)
		pad(&m->body, 8);
	return at;
}

void cli_msg_array_end(struct cli_msg *m, size_t array, bool aligned)
{
	size_t begin = array + 4;

	/* The padding in front of the first item does not count. */
	if (aligned)
		begin = (begin + 7) & ~(size_t)7;
	set_u32(&m->body, array, m->body.len - begin);
}

void cli_reply_fini(struct cli_reply *r)
{
	free(r->buf);
	if (r->fd >= 0)
		close(r->fd);
	*r = CLI_REPLY_INIT;
}

static int wait_for(int fd, short events, nctl_time deadline)
{
	struct pollfd p = {.fd = fd, .events = events};
	int64_t left;
	int k;

	do {
		left = nctl_time_diff_us(deadline, nctl_time_now());
		if (left <= 0)
			return -ETIMEDOUT;
		k = poll(&p, 1, (int)nctl_min(left / 1000 + 1, (int64_t)INT32_MAX));
	} while (k < 0 && errno == EINTR);
	return k < 0 ? -errno : k == 0 ? -ETIMEDOUT : 0;
}

/* All of it; the descriptors go with the first byte. */
static int send_all(int fd, struct iovec *iov, const int *fds, size_t n_fds, nctl_time deadline)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(CLI_DBUS_FDS * sizeof(int))] = {0};
	struct msghdr mh = {.msg_iov = iov, .msg_iovlen = 2};
	struct cmsghdr *c = (struct cmsghdr *)(void *)control;
	ssize_t n;
	int r;

	if (n_fds) {
		*c = (struct cmsghdr){.cmsg_len = CMSG_LEN(n_fds * sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
		mh.msg_control = control;
		mh.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
	}
	while (iov[0].iov_len + iov[1].iov_len) {
		n = sendmsg(fd, &mh, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			r = wait_for(fd, POLLOUT, deadline);
			if (r < 0)
				return r;
			continue;
		}
		if (n < 0)
			return -errno;
		mh.msg_control = NULL;
		mh.msg_controllen = 0;
		for (int i = 0; i < 2; i++) {
			size_t k = nctl_min((size_t)n, iov[i].iov_len);

			iov[i].iov_base = (char *)iov[i].iov_base + k;
			iov[i].iov_len -= k;
			n -= (ssize_t)k;
		}
	}
	return 0;
}

/* The first descriptor that is sent is kept, others are closed. */
static void take_fds(struct msghdr *mh, int *fd)
{
	int fds[REPLY_FDS];

	for (struct cmsghdr *c = CMSG_FIRSTHDR(mh); c; c = CMSG_NXTHDR(mh, c)) {
		size_t n = c->cmsg_len < CMSG_LEN(0) ? 0 : (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS || n > REPLY_FDS)
			continue;
		memcpy(fds, CMSG_DATA(c), n * sizeof(int));
		for (size_t i = 0; i < n; i++) {
			if (*fd < 0)
				*fd = fds[i];
			else
				close(fds[i]);
		}
	}
}

/* At least one byte, up to len. How many, or a negative errno. */
static ssize_t receive_some(int fd, void *buf, size_t len, nctl_time deadline, int *ret_fd)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(REPLY_FDS * sizeof(int))];
	ssize_t n;
	int r;

	for (;;) {
		struct iovec iov = {buf, len};
		struct msghdr mh = {.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control)};

		n = recvmsg(fd, &mh, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (n > 0) {
			take_fds(&mh, ret_fd);
			return n;
		}
		if (n == 0)
			return -ECONNRESET;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
		r = errno == EAGAIN ? wait_for(fd, POLLIN, deadline) : 0;
		if (r < 0)
			return r;
	}
}

/* Exactly len bytes. */
static int receive_all(int fd, void *buf, size_t len, nctl_time deadline, int *ret_fd)
{
	ssize_t n;

	for (size_t done = 0; done < len; done += (size_t)n) {
		n = receive_some(fd, (char *)buf + done, len - done, deadline, ret_fd);
		if (n < 0)
			return (int)n;
	}
	return 0;
}

/*
 * "Authentication Protocol": whom we are the kernel tells the peer. It answers in three lines, which hold
 * nothing that must be known before the first call, so they are read together with its answer.
 */
int cli_dbus_open(struct cli_bus *bus, int fd)
{
	char hello[] = "\0AUTH EXTERNAL\r\nDATA\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n";
	struct iovec iov[2] = {{hello, sizeof(hello) - 1}, {NULL, 0}};

	*bus = (struct cli_bus){.fd = fd};
	return send_all(fd, iov, NULL, 0, nctl_time_add_ms(nctl_time_now(), 30000));
}

void cli_dbus_close(struct cli_bus *bus)
{
	if (bus->fd >= 0)
		close(bus->fd);
	bus->fd = -1;
}

/* The lines DATA, OK with an id, AGREE_UNIX_FD, and nothing more before it is asked for. */
static int read_hello(struct cli_bus *bus, nctl_time deadline)
{
	static const char *const starts[] = {"DATA\r\n", "OK ", "AGREE_UNIX_FD\r\n"};
	char text[256];
	size_t len = 0, line = 0, i = 0;
	int fd = -1;
	ssize_t n;
	char *nl;

	while (i < NCTL_ARRAY_SIZE(starts)) {
		n = len == sizeof(text) ? -EBADMSG
					: receive_some(bus->fd, text + len, sizeof(text) - len, deadline, &fd);
		if (fd >= 0) {
			close(fd);
			return -EBADMSG;
		}
		if (n < 0)
			return (int)n;
		len += (size_t)n;
		for (; (nl = memchr(text + line, '\n', len - line)); line = (size_t)(nl + 1 - text), i++)
			if (i == NCTL_ARRAY_SIZE(starts) || len - line < strlen(starts[i]) ||
				memcmp(text + line, starts[i], strlen(starts[i])) != 0)
				return -EBADMSG;
	}
	return line == len ? 0 : -EBADMSG;
}

static void put_field(struct nctl_strbuf *b, uint8_t code, char type, const char *s)
{
	pad(b, 8);
	nctl_strbuf_putc(b, (char)code);
	nctl_strbuf_putc(b, 1);
	nctl_strbuf_putc(b, type);
	nctl_strbuf_putc(b, '\0');
	if (type != 'g') {
		put_str(b, s);
		return;
	}
	nctl_strbuf_putc(b, (char)strlen(s));
	nctl_strbuf_put(b, s, strlen(s) + 1);
}

static void put_header(struct nctl_strbuf *b, const struct cli_msg *m, uint32_t serial)
{
	static const char fixed[] = {'l', METHOD_CALL, 0, 1};

	nctl_strbuf_put(b, fixed, sizeof(fixed));
	put_u32(b, (uint32_t)m->body.len);
	put_u32(b, serial);
	put_u32(b, 0);
	put_field(b, PATH, 'o', "/org/netctld");
	put_field(b, INTERFACE, 's', "org.netctld.Manager");
	put_field(b, MEMBER, 's', m->method);
	if (*m->signature)
		put_field(b, SIGNATURE, 'g', m->signature);
	if (m->n_fds) {
		pad(b, 8);
		nctl_strbuf_put(b, "\x09\x01u", 4); /* UNIX_FDS */
		put_u32(b, m->n_fds);
	}
	set_u32(b, 12, b->len - HEADER_MIN);
	pad(b, 8);
}

static int send_call(struct cli_bus *bus, const struct cli_msg *m, nctl_time deadline)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf head = NCTL_STRBUF_INIT;
	struct iovec iov[2];

	put_header(&head, m, ++bus->serial);
	if (head.err || m->body.err)
		return head.err ? head.err : m->body.err;
	if (m->body.len > MESSAGE_MAX - head.len)
		return -EMSGSIZE;
	iov[0] = (struct iovec){head.s, head.len};
	iov[1] = (struct iovec){m->body.s, m->body.len};
	return send_all(bus->fd, iov, m->fds, m->n_fds, deadline);
}

/* What is read of a message: bytes [at, end) of p. */
struct reader {
	const uint8_t *p;
	size_t at, end;
	bool bad;
};

static bool take_room(struct reader *r, size_t align, size_t n)
{
	size_t at = (r->at + align - 1) & ~(align - 1);

	if (r->bad || at > r->end || n > r->end - at) {
		r->bad = true;
		return false;
	}
	r->at = at;
	return true;
}

static uint8_t get_u8(struct reader *r)
{
	return take_room(r, 1, 1) ? r->p[r->at++] : 0;
}

static uint32_t get_u32(struct reader *r)
{
	uint32_t v = 0;

	if (!take_room(r, 4, 4))
		return 0;
	memcpy(&v, r->p + r->at, sizeof(v));
	r->at += 4;
	return le32toh(v);
}

/* NULL if it is none: it must end where its length says. */
static const char *get_str(struct reader *r, size_t len)
{
	const char *s = take_room(r, 1, len + 1) ? (const char *)r->p + r->at : NULL;

	if (!s || memchr(s, '\0', len + 1) != s + len) {
		r->bad = true;
		return NULL;
	}
	r->at += len + 1;
	return s;
}

struct fields {
	const char *error, *signature;
	uint32_t reply_serial;
};

static void read_fields(struct reader *r, struct fields *f)
{
	while (!r->bad && r->at < r->end) {
		const char *type, *s = NULL;
		uint32_t number = 0;
		uint8_t code;

		if (!take_room(r, 8, 1))
			return;
		code = get_u8(r);
		type = get_str(r, get_u8(r));
		if (!type)
			return;
		if (strcmp(type, "s") == 0 || strcmp(type, "o") == 0)
			s = get_str(r, get_u32(r));
		else if (strcmp(type, "g") == 0)
			s = get_str(r, get_u8(r));
		else if (strcmp(type, "u") == 0)
			number = get_u32(r);
		else
			r->bad = true;
		if (code == ERROR_NAME)
			f->error = s;
		else if (code == SIGNATURE)
			f->signature = s;
		else if (code == REPLY_SERIAL)
			f->reply_serial = number;
	}
}

/* A whole message; ret->buf is it. 0, > 0: it is no answer to the call, -errno. */
static int read_message(struct cli_bus *bus, nctl_time deadline, struct cli_reply *ret)
{
	struct fields f = {.signature = ""};
	uint8_t head[HEADER_MIN];
	size_t body_len, fields_len, body;
	struct reader r;
	int e = receive_all(bus->fd, head, sizeof(head), deadline, &ret->fd);

	if (e < 0)
		return e;
	r = (struct reader){head, 4, sizeof(head), head[0] != 'l' || head[3] != 1};
	body_len = get_u32(&r);
	(void)get_u32(&r);
	fields_len = get_u32(&r);
	if (r.bad || body_len > MESSAGE_MAX || fields_len > MESSAGE_MAX)
		return -EBADMSG;
	body = (HEADER_MIN + fields_len + 7) & ~(size_t)7;
	ret->buf = malloc(body + body_len + 1);
	if (!ret->buf)
		return -ENOMEM;
	memcpy(ret->buf, head, sizeof(head));
	e = receive_all(bus->fd, ret->buf + HEADER_MIN, body + body_len - HEADER_MIN, deadline, &ret->fd);
	if (e < 0)
		return e;
	r = (struct reader){ret->buf, HEADER_MIN, HEADER_MIN + fields_len, false};
	read_fields(&r, &f);
	if (r.bad)
		return -EBADMSG;
	if (f.reply_serial != bus->serial || (head[1] != METHOD_RETURN && head[1] != METHOD_ERROR))
		return 1;
	if (head[1] == METHOD_ERROR)
		ret->error = f.error ? f.error : "";
	r = (struct reader){ret->buf, body, body + body_len, false};
	if (f.signature[0] == 's')
		ret->text = get_str(&r, get_u32(&r));
	return r.bad ? -EBADMSG : 0;
}

/* Until there is something to read. */
static int wait_idle(struct cli_bus *bus)
{
	struct pollfd p = {.fd = bus->fd, .events = POLLIN};
	int r = 0;

	while (bus->idle && r >= 0 && poll(&p, 1, bus->idle_ms) <= 0)
		r = bus->idle(bus->userdata);
	return r;
}

int cli_dbus_call(struct cli_bus *bus, const struct cli_msg *m, nctl_time deadline, struct cli_reply *ret)
{
	/* sd-bus, at the other end, does not look at a call that comes together with the greeting before it is
	 * woken once more. Nor must descriptors come before the peer has agreed to take them. */
	int r = bus->serial == 0 ? read_hello(bus, deadline) : 0;

	if (r >= 0)
		r = send_call(bus, m, deadline);
	while (r >= 0) {
		cli_reply_fini(ret);
		r = wait_idle(bus);
		if (r < 0)
			break;
		r = read_message(bus, deadline, ret);
		if (r == 0)
			return 0;
	}
	cli_reply_fini(ret);
	return r;
}
