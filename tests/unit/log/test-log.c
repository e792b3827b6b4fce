/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Lines on stderr, with hostile text.
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
#include <unistd.h>

#include "log/log.h"

static int read_end, saved_stderr;
static char text[65536];

static int setup(void **state)
{
	int fds[2];

	(void)state;
	unsetenv("JOURNAL_STREAM");
	saved_stderr = dup(STDERR_FILENO);
	if (saved_stderr < 0 || pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0 || dup2(fds[1], STDERR_FILENO) < 0)
		return -1;
	close(fds[1]);
	read_end = fds[0];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(read_end);
	return 0;
}

static const char *logged(void)
{
	ssize_t n = read(read_end, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void lines(void **state)
{
	(void)state;
	nd_log_open("test", 6);
	errno = ENOENT;
	nd_error("%s: no such link", "eth7");
	assert_int_equal(errno, ENOENT);
	assert_string_equal(logged(), "test: error: eth7: no such link\n");
	nd_info("ready\n");
	assert_string_equal(logged(), "test: ready\n");
	nd_debug("not now");
	assert_string_equal(logged(), "");
	nd_log_set_level(7);
	nd_debug("now");
	assert_string_equal(logged(), "test: debug: now\n");
}

static void hostile(void **state)
{
	static char big[100000];

	(void)state;
	nd_log_open("test", 7);
	nd_warn("%s", "a\nnetctld: b\033[2J\177\tc");
	assert_string_equal(logged(), "test: warning: a\n\tnetctld: b?[2J?\tc\n");
	memset(big, '\n', sizeof(big) - 1);
	big[0] = 'x';
	big[3000] = 'y';
	nd_notice("%s", big);
	assert_true(strlen(logged()) > 3000);
	assert_int_equal(text[strlen(text) - 1], '\n');
}

/* A stream that is not stderr's is none of ours. */
static void stale_stream(void **state)
{
	(void)state;
	setenv("JOURNAL_STREAM", "1:1", 1);
	nd_log_open("test", 6);
	nd_notice("here");
	assert_string_equal(logged(), "test: here\n");
	setenv("JOURNAL_STREAM", "nonsense", 1);
	nd_log_open("test", 6);
	nd_notice("here");
	assert_string_equal(logged(), "test: here\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines, setup, teardown),
		cmocka_unit_test_setup_teardown(hostile, setup, teardown),
		cmocka_unit_test_setup_teardown(stale_stream, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
