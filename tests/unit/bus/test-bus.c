/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The bus as its clients see it: every method and limit, who may do what, clients that vanish, do not
 * read or talk nonsense, and the socket's file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "stub.h"

#define NOBODY 65534

static void expect_json(sd_bus_message *reply, const char *want)
{
	const char *json;

	CHECK(sd_bus_message_read(reply, "s", &json) >= 0);
	if (strcmp(json, want) != 0)
		client_fail(json, 0, want);
	sd_bus_message_unref(reply);
}

static sd_bus_message *apply_call(sd_bus *bus, unsigned flags)
{
	sd_bus_message *m = client_call(bus, "Apply");

	CHECK(sd_bus_message_append(m, "a(sh)ua{ss}", 1, "f.yaml", client_memfd("network: {}"), flags, 0) >=
		0);
	return m;
}

/* What everybody may ask. */
static void reading_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m;

	expect_json(client_send(bus, client_call(bus, "Status"), NULL), "{\"state\":\"idle\"}");
	m = client_call(bus, "Check");
	CHECK(sd_bus_message_append(m, "a(sh)", 2, "a", client_memfd("one"), "b", client_memfd("two")) >= 0);
	expect_json(client_send(bus, m, NULL), "{\"exit\":0,\"n\":2,\"a\":\"one\",\"b\":\"two\"}");
	m = client_call(bus, "Plan");
	CHECK(sd_bus_message_append(m, "a(sh)ua{ss}", 1, "a", client_memfd(""), 0, 0) >= 0);
	expect_json(client_send(bus, m, NULL), "{\"exit\":1,\"own\":false}");
	m = client_call(bus, "Plan");
	CHECK(sd_bus_message_append(m, "a(sh)ua{ss}", 0, 1u << 30, 0) >= 0);
	client_send(bus, m, "InvalidFlags");
	client_send(bus, client_call(bus, "NoSuchMethod"), "UnknownMethod");
	sd_bus_close_unref(bus);
}

/* The daemon's own files may hold what not everybody may read. */
static void own_files_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m = client_call(bus, "Plan");

	CHECK(sd_bus_message_append(m, "a(sh)ua{ss}", 0, 0, 0) >= 0);
	expect_json(client_send(bus, m, NULL), "{\"exit\":1,\"own\":true}");
	m = client_call(bus, "Plan");
	CHECK(sd_bus_message_append(m, "a(sh)ua{ss}", 0, (unsigned)ND_APPLY_KEEP_GOING, 0) >= 0);
	client_send(bus, m, "NotReady");
	sd_bus_close_unref(bus);
}

static void applying_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m;

	expect_json(client_send(bus, apply_call(bus, 0), NULL), "{\"exit\":0}");
	m = client_call(bus, "Reload");
	CHECK(sd_bus_message_append(m, "ua{ss}", 0, 0) >= 0);
	expect_json(client_send(bus, m, NULL), "{\"exit\":0}");
	m = client_call(bus, "Apply");
	CHECK(sd_bus_message_append(m, "a(sh)ua{ss}", 0, 0, 0) >= 0);
	client_send(bus, m, "NoFiles");
	m = client_call(bus, "Reload");
	CHECK(sd_bus_message_append(m, "ua{ss}", 0, 1, "confirm", "60") >= 0);
	expect_json(client_send(bus, m, NULL), "{\"exit\":0}");
	m = client_call(bus, "Reload");
	CHECK(sd_bus_message_append(m, "ua{ss}", 0, 1, "confirm", "soon") >= 0);
	client_send(bus, m, "InvalidOption");
	m = client_call(bus, "Reload");
	CHECK(sd_bus_message_append(m, "ua{ss}", 0, 1, "colour", "red") >= 0);
	client_send(bus, m, "InvalidOption");
	expect_json(client_send(bus, client_call(bus, "Confirm"), NULL), "{\"exit\":0}");
	client_send(bus, client_call(bus, "Rollback"), "Busy");
	sd_bus_close_unref(bus);
}

static void reading(void **state)
{
	assert_int_equal(run_client(*state, -1, reading_client), 0);
	assert_int_equal(run_client(*state, -1, own_files_client), 0);
}

static void applying(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(run_client(f, -1, applying_client), 0);
	assert_int_equal(f->stub.n_applies, 3);
}

static void busy_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	client_send(bus, apply_call(bus, 0), "Busy");
	sd_bus_close_unref(bus);
}

static void busy(void **state)
{
	struct fixture *f = *state;

	f->stub.apply = STUB_APPLY_BUSY;
	assert_int_equal(run_client(f, -1, busy_client), 0);
}

static void denied_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m;

	client_send(bus, apply_call(bus, 0), "Denied");
	m = client_call(bus, "Reload");
	CHECK(sd_bus_message_append(m, "ua{ss}", 0, 0) >= 0);
	client_send(bus, m, "Denied");
	m = client_call(bus, "Plan");
	CHECK(sd_bus_message_append(m, "a(sh)ua{ss}", 0, 0, 0) >= 0);
	client_send(bus, m, "Denied");
	client_send(bus, client_call(bus, "Confirm"), "Denied");
	client_send(bus, client_call(bus, "Rollback"), "Denied");
	/* A file on a disk could be one of FUSE. */
	m = client_call(bus, "Check");
	CHECK(sd_bus_message_append(m, "a(sh)", 1, "exe", open("/proc/self/exe", O_RDONLY | O_CLOEXEC)) >= 0);
	client_send(bus, m, "InvalidFile");
	sd_bus_close_unref(bus);
	reading_client(f);
}

static void denied(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0)
		skip();
	assert_int_equal(run_client(f, NOBODY, denied_client), 0);
	assert_int_equal(f->stub.n_applies, 0);
}

static void files_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m;
	int fd = client_memfd("x"), pipes[2], big = client_memfd("");

	m = client_call(bus, "Check");
	CHECK(sd_bus_message_open_container(m, 'a', "(sh)") >= 0);
	for (int i = 0; i < 65; i++)
		CHECK(sd_bus_message_append(m, "(sh)", "f", fd) >= 0);
	CHECK(sd_bus_message_close_container(m) >= 0);
	client_send(bus, m, "LimitsExceeded");
	CHECK(pipe2(pipes, O_CLOEXEC) == 0);
	m = client_call(bus, "Check");
	CHECK(sd_bus_message_append(m, "a(sh)", 1, "pipe", pipes[0]) >= 0);
	client_send(bus, m, "InvalidFile");
	CHECK(ftruncate(big, (64 << 20) + 1) == 0);
	m = client_call(bus, "Check");
	CHECK(sd_bus_message_append(m, "a(sh)", 1, "big", big) >= 0);
	client_send(bus, m, "TooLarge");
	/* Two halves are too large as well. */
	CHECK(ftruncate(big, 40 << 20) == 0);
	m = client_call(bus, "Check");
	CHECK(sd_bus_message_append(m, "a(sh)", 2, "big", big, "big", big) >= 0);
	client_send(bus, m, "TooLarge");
	sd_bus_close_unref(bus);
}

static void files(void **state)
{
	assert_int_equal(run_client(*state, -1, files_client), 0);
}

static int count_reply(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	unsigned *n = userdata;

	(void)error;
	n[sd_bus_message_is_method_error(m, "org.netctld.Error.LimitsExceeded")]++;
	return 1;
}

static void wait_for(sd_bus *bus, const unsigned *n, unsigned want)
{
	int r;

	while (*n < want) {
		r = sd_bus_process(bus, NULL);
		CHECK(r >= 0);
		if (r == 0)
			CHECK(sd_bus_wait(bus, 20000000) > 0);
	}
}

/* 16 calls wait, four are refused at once; the next Status answers the first ones. */
static void many_calls_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	sd_bus_message *m;
	unsigned n[2] = {0, 0};

	for (int i = 0; i < 20; i++) {
		m = apply_call(bus, 0);
		CHECK(sd_bus_call_async(bus, NULL, m, count_reply, n, 0) >= 0);
		sd_bus_message_unref(m);
	}
	wait_for(bus, &n[1], 4);
	CHECK(n[0] == 0);
	sd_bus_message_unref(client_send(bus, client_call(bus, "Status"), NULL));
	wait_for(bus, &n[0], 16);
	CHECK(n[1] == 4);
	sd_bus_close_unref(bus);
}

static void many_calls(void **state)
{
	struct fixture *f = *state;

	f->stub.apply = STUB_APPLY_HOLD;
	assert_int_equal(run_client(f, -1, many_calls_client), 0);
	assert_int_equal(f->stub.n_applies, 16);
	assert_int_equal(f->stub.n_forgotten, 0);
}

static void vanishing_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f), *other = client_connect(f);
	sd_bus_message *m = apply_call(bus, 0);

	CHECK(sd_bus_call_async(bus, NULL, m, NULL, NULL, 0) >= 0);
	CHECK(sd_bus_flush(bus) >= 0);
	/* Only to be sure that the first one has been taken up. */
	m = client_call(other, "Plan");
	CHECK(sd_bus_message_append(m, "a(sh)ua{ss}", 0, 0, 0) >= 0);
	sd_bus_message_unref(client_send(other, m, NULL));
	m = client_call(bus, "Plan");
	CHECK(sd_bus_message_append(m, "a(sh)ua{ss}", 0, 0, 0) >= 0);
	sd_bus_message_unref(client_send(bus, m, NULL));
}

static void status_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);

	sd_bus_message_unref(client_send(bus, client_call(bus, "Status"), NULL));
	sd_bus_close_unref(bus);
}

static void vanishing(void **state)
{
	struct fixture *f = *state;

	f->stub.apply = STUB_APPLY_HOLD;
	assert_int_equal(run_client(f, -1, vanishing_client), 0);
	assert_int_equal(f->stub.n_held, 1);
	run_for(f, 50);
	assert_int_equal(f->stub.n_forgotten, 1);
	assert_int_equal(run_client(f, -1, status_client), 0);
}

/* The bus goes while a job is pending: teardown frees it with the call still there. */
static void holding_client(struct fixture *f)
{
	(void)f;
	vanishing_client(f);
}

static void stopping(void **state)
{
	struct fixture *f = *state;

	f->stub.apply = STUB_APPLY_HOLD;
	assert_int_equal(run_client(f, -1, holding_client), 0);
}

/* The answers to 300 calls, 30 MB, wait for a client that does not read until it has sent all. */
static void deaf_client(struct fixture *f)
{
	sd_bus *bus = client_connect(f);
	unsigned n[2] = {0, 0};
	sd_bus_message *m;

	for (int i = 0; i < 300; i++) {
		m = client_call(bus, "Status");
		CHECK(sd_bus_call_async(bus, NULL, m, count_reply, n, 60000000) >= 0);
		sd_bus_message_unref(m);
	}
	status_client(f);
	wait_for(bus, &n[0], 300);
	sd_bus_close_unref(bus);
}

static void deaf(void **state)
{
	struct fixture *f = *state;

	f->stub.status_bytes = 100000;
	assert_int_equal(run_client(f, -1, deaf_client), 0);
}

static void expect_eof(int fd)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		continue;
	CHECK(n == 0 || errno == ECONNRESET);
	close(fd);
}

static void garbage_client(struct fixture *f)
{
	static const char auth[] = "\0AUTH EXTERNAL\r\nDATA\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n";
	static char noise[100000];
	int fd;

	/* No NUL first, which a greeting begins with; and a greeting without end. */
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)((i + 8) * 7919 >> 3);
	fd = client_socket(f);
	CHECK(send(fd, noise, 4096, MSG_NOSIGNAL) > 0);
	expect_eof(fd);
	fd = client_socket(f);
	CHECK(send(fd, "", 1, MSG_NOSIGNAL) > 0);
	CHECK(send(fd, noise, sizeof(noise), MSG_NOSIGNAL) > 0);
	expect_eof(fd);
	fd = client_socket(f);
	CHECK(send(fd, auth, sizeof(auth) - 1, MSG_NOSIGNAL) > 0);
	CHECK(send(fd, noise, 4096, MSG_NOSIGNAL) > 0 || errno == EPIPE);
	expect_eof(fd);
	/* Half of a greeting, and nothing at all, then away. */
	fd = client_socket(f);
	CHECK(send(fd, auth, 9, MSG_NOSIGNAL) > 0);
	close(fd);
	close(client_socket(f));
	status_client(f);
}

static void garbage(void **state)
{
	assert_int_equal(run_client(*state, -1, garbage_client), 0);
}

static void crowd_client(struct fixture *f)
{
	sd_bus *kept[32];

	for (int i = 0; i < 32; i++) {
		kept[i] = client_connect(f);
		sd_bus_message_unref(client_send(kept[i], client_call(kept[i], "Status"), NULL));
	}
	expect_eof(client_socket(f));
	for (int i = 0; i < 32; i++)
		sd_bus_close_unref(kept[i]);
	/* The bus may meet the new one before it hears that the old ones are gone. */
	for (int i = 0; i < 100; i++) {
		sd_bus_message *m;
		int r;

		kept[0] = client_connect(f);
		m = client_call(kept[0], "Status");
		r = sd_bus_call(kept[0], m, 0, NULL, NULL);
		sd_bus_message_unref(m);
		sd_bus_close_unref(kept[0]);
		if (r >= 0)
			return;
	}
	CHECK(false);
}

static void crowd(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0)
		skip();
	assert_int_equal(run_client(f, NOBODY, crowd_client), 0);
}

static void sockets(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct nd_bus *second = NULL;
	char long_dir[200];
	struct stat st;
	int fd;

	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0666);
	assert_int_equal(nd_bus_new(f->loop, &f->stub, f->dir, -1, &second), -EADDRINUSE);
	f->bus = nd_bus_free(f->bus);
	assert_int_equal(access(f->path, F_OK), -1);
	/* What a dead daemon left. */
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", f->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	close(fd);
	assert_int_equal(nd_bus_new(f->loop, &f->stub, f->dir, -1, &f->bus), 0);
	assert_int_equal(run_client(f, -1, status_client), 0);
	f->bus = nd_bus_free(f->bus);
	/* Something else of this name stays. */
	fd = open(f->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	assert_int_equal(nd_bus_new(f->loop, &f->stub, f->dir, -1, &f->bus), -EADDRINUSE);
	assert_int_equal(unlink(f->path), 0);
	memset(long_dir, 'x', sizeof(long_dir) - 1);
	long_dir[sizeof(long_dir) - 1] = '\0';
	assert_int_equal(nd_bus_new(f->loop, &f->stub, long_dir, -1, &f->bus), -ENAMETOOLONG);
}

/* Socket activation: the file is the service manager's, and stays. */
static void activation(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	f->bus = nd_bus_free(f->bus);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", f->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(nd_bus_new(f->loop, &f->stub, "/nonexistent", fd, &f->bus), 0);
	assert_int_equal(run_client(f, -1, status_client), 0);
	f->bus = nd_bus_free(f->bus);
	assert_int_equal(unlink(f->path), 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reading),
		TEST(applying),
		TEST(busy),
		TEST(denied),
		TEST(files),
		TEST(many_calls),
		TEST(vanishing),
		TEST(stopping),
		TEST(deaf),
		TEST(garbage),
		TEST(crowd),
		TEST(sockets),
		TEST(activation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
