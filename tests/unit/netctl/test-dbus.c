/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: netctl's D-Bus: what it sends is read by sd-bus, and what comes back, whole, in pieces, cut short, and
 * with any byte of it changed, is either understood or refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "netctl/dbus.h"

#define HELLO "DATA\r\nOK 0123456789abcdef0123456789abcdef\r\nAGREE_UNIX_FD\r\n"

/* Gives back what it got: "s" + a{ss} as one string; a(sh) as the first file's descriptor. */
static int method(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	const char *a, *b;
	uint32_t number;
	int fd;

	(void)userdata;
	if (sd_bus_message_has_signature(m, "a(sh)u")) {
		if (sd_bus_message_enter_container(m, 'a', "(sh)") < 0 ||
			sd_bus_message_read(m, "(sh)", &a, &fd) <= 0)
			return -EBADMSG;
		return sd_bus_reply_method_return(m, "h", fd);
	}
	if (sd_bus_message_has_signature(m, "as")) {
		if (sd_bus_message_enter_container(m, 'a', "s") < 0)
			return -EBADMSG;
		while (sd_bus_message_read(m, "s", &a) > 0)
			nctl_strbuf_printf(&out, "%s,", a);
		return sd_bus_reply_method_return(m, "s", nctl_strbuf_str(&out));
	}
	if (!sd_bus_message_has_signature(m, "sa{ss}u"))
		return sd_bus_error_set(error, "org.netctld.Error.Odd", "odd");
	if (sd_bus_message_read(m, "s", &a) < 0 || sd_bus_message_enter_container(m, 'a', "{ss}") < 0)
		return -EBADMSG;
	nctl_strbuf_puts(&out, a);
	while (sd_bus_message_read(m, "{ss}", &a, &b) > 0)
		nctl_strbuf_printf(&out, " %s=%s", a, b);
	if (sd_bus_message_exit_container(m) < 0 || sd_bus_message_read(m, "u", &number) < 0)
		return -EBADMSG;
	nctl_strbuf_printf(&out, " %u", number);
	return sd_bus_reply_method_return(m, "s", nctl_strbuf_str(&out));
}

static pid_t serve(int fds[2])
{
	sd_id128_t id;
	sd_bus *bus;
	pid_t pid;
	int r;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	fflush(NULL);
	pid = fork();
	if (pid) {
		close(fds[1]);
		return pid;
	}
	close(fds[0]);
	if (sd_bus_new(&bus) < 0 || sd_id128_randomize(&id) < 0 || sd_bus_set_server(bus, 1, id) < 0 ||
		sd_bus_set_anonymous(bus, 1) < 0 || sd_bus_negotiate_fds(bus, 1) < 0 ||
		sd_bus_add_object(bus, NULL, "/org/netctld", method, NULL) < 0 ||
		sd_bus_set_fd(bus, fds[1], fds[1]) < 0 || sd_bus_start(bus) < 0)
		_exit(1);
	while ((r = sd_bus_process(bus, NULL)) >= 0)
		if (r == 0 && sd_bus_wait(bus, UINT64_MAX) < 0)
			break;
	_exit(0);
}

static nctl_time soon(void)
{
	return nctl_time_add_ms(nctl_time_now(), 20000);
}

static void pair(struct cli_msg *m, const char *a, const char *b)
{
	cli_msg_align(m);
	assert_int_equal(cli_msg_str(m, a), 0);
	assert_int_equal(cli_msg_str(m, b), 0);
}

static void spoken(void **state)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	struct cli_bus bus;
	struct cli_msg m;
	int fds[2], pipes[2];
	pid_t pid = serve(fds);
	size_t array;
	char c = 0;

	(void)state;
	assert_int_equal(cli_dbus_open(&bus, fds[0]), 0);
	/* Every alignment of what follows a string. */
	for (int i = 0; i < 9; i++) {
		static const char *const words[] = {
			"", "a", "ab", "abc", "abcd", "abcde", "\xc3\xa4", "x", "y"};

		cli_msg_init(&m, "Query", "sa{ss}u");
		assert_int_equal(cli_msg_str(&m, words[i]), 0);
		array = cli_msg_array(&m, true);
		for (int k = 0; k < i; k++)
			pair(&m, words[k], words[i - k]);
		cli_msg_array_end(&m, array, true);
		cli_msg_u32(&m, 0xfedcba98);
		assert_int_equal(cli_dbus_call(&bus, &m, soon(), &reply), 0);
		assert_null(reply.error);
		assert_non_null(strstr(reply.text, " 4275878552"));
		assert_int_equal(strncmp(reply.text, words[i], strlen(words[i])), 0);
		cli_msg_fini(&m);
	}
	cli_msg_init(&m, "Names", "as");
	array = cli_msg_array(&m, false);
	assert_int_equal(cli_msg_str(&m, "one"), 0);
	assert_int_equal(cli_msg_str(&m, "three"), 0);
	cli_msg_array_end(&m, array, false);
	assert_int_equal(cli_dbus_call(&bus, &m, soon(), &reply), 0);
	assert_string_equal(reply.text, "one,three,");
	cli_msg_fini(&m);
	/* A descriptor there and back. */
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	cli_msg_init(&m, "Plan", "a(sh)u");
	array = cli_msg_array(&m, true);
	cli_msg_align(&m);
	assert_int_equal(cli_msg_str(&m, "file"), 0);
	assert_int_equal(cli_msg_fd(&m, pipes[1]), 0);
	cli_msg_array_end(&m, array, true);
	cli_msg_u32(&m, 1);
	assert_int_equal(cli_dbus_call(&bus, &m, soon(), &reply), 0);
	assert_true(reply.fd >= 0);
	assert_int_equal(write(reply.fd, "x", 1), 1);
	assert_int_equal(read(pipes[0], &c, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	cli_msg_fini(&m);
	cli_msg_init(&m, "Foo", "");
	assert_int_equal(cli_dbus_call(&bus, &m, soon(), &reply), 0);
	assert_string_equal(reply.error, "org.netctld.Error.Odd");
	assert_string_equal(reply.text, "odd");
	assert_int_equal(cli_msg_str(&m, "\xff"), -EINVAL);
	assert_int_equal(cli_msg_str(&m, "\xed\xa0\x80"), -EINVAL);
	assert_int_equal(cli_msg_str(&m, "\xc3"), -EINVAL);
	cli_msg_fini(&m);
	cli_dbus_close(&bus);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* An answer "ok" to the first call, as sd-bus would write it. */
static const uint8_t answer[] = {'l', 2, 1, 1, 7, 0, 0, 0, 1, 0, 0, 0, 15, 0, 0, 0, 5, 1, 'u', 0, 1, 0, 0, 0,
	8, 1, 'g', 0, 1, 's', 0, 0, 2, 0, 0, 0, 'o', 'k', 0};

/* What becomes of a call whose answer is this, in pieces of `piece` bytes, and then the end. */
static int call(const void *bytes, size_t len, size_t piece, struct cli_reply *reply)
{
	struct cli_bus bus;
	struct cli_msg m;
	int fds[2], r;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(write(fds[1], HELLO, strlen(HELLO)), strlen(HELLO));
	assert_int_equal(cli_dbus_open(&bus, fds[0]), 0);
	cli_msg_init(&m, "Status", "");
	/* The greeting must be alone: the answer comes behind it from a thread of its own. */
	fflush(NULL);
	if (fork() == 0) {
		char buf[4096];

		/* Not before the call. */
		for (ssize_t n, total = 0; total < 100; total += n)
			if ((n = read(fds[1], buf, sizeof(buf))) <= 0)
				_exit(1);
		for (size_t at = 0; at < len; at += piece)
			if (write(fds[1], (const char *)bytes + at, nctl_min(piece, len - at)) < 0)
				break;
		_exit(0);
	}
	close(fds[1]);
	r = cli_dbus_call(&bus, &m, soon(), reply);
	cli_dbus_close(&bus);
	cli_msg_fini(&m);
	wait(NULL);
	return r;
}

static void spoiled(void **state)
{
	struct cli_reply reply = CLI_REPLY_INIT;
	uint8_t bytes[sizeof(answer)];

	(void)state;
	for (size_t piece = 1; piece <= sizeof(answer); piece += 13) {
		assert_int_equal(call(answer, sizeof(answer), piece, &reply), 0);
		assert_string_equal(reply.text, "ok");
		cli_reply_fini(&reply);
	}
	for (size_t len = 0; len < sizeof(answer); len += 5) {
		assert_true(call(answer, len, sizeof(answer), &reply) < 0);
		assert_null(reply.buf);
	}
	for (size_t i = 0; i < sizeof(answer); i++) {
		for (int bit = 0; bit < 8; bit += 3) {
			memcpy(bytes, answer, sizeof(answer));
			bytes[i] ^= (uint8_t)(1 << bit);
			/* Whatever it is: no crash, no end to be waited for, nothing beyond the message. */
			if (call(bytes, sizeof(bytes), sizeof(bytes), &reply) == 0 && reply.text)
				assert_true(strlen(reply.text) <= 6);
			cli_reply_fini(&reply);
		}
	}
}

static void strangers(void **state)
{
	static const char *const hellos[] = {"", "REJECTED\r\n", "DATA\r\nOK x\r\nERROR\r\n",
		"DATA\r\nOK x\r\nAGREE_UNIX_FD\r\nmore", "HTTP/1.0 400 Bad Request\r\n\r\n"};

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(hellos); i++) {
		struct cli_reply reply = CLI_REPLY_INIT;
		struct cli_bus bus;
		struct cli_msg m;
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
		assert_int_equal(write(fds[1], hellos[i], strlen(hellos[i])), strlen(hellos[i]));
		assert_int_equal(cli_dbus_open(&bus, fds[0]), 0);
		close(fds[1]);
		cli_msg_init(&m, "Status", "");
		assert_true(cli_dbus_call(&bus, &m, soon(), &reply) < 0);
		cli_msg_fini(&m);
		cli_dbus_close(&bus);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spoken),
		cmocka_unit_test(spoiled),
		cmocka_unit_test(strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
