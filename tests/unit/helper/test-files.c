/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* DOC: which configuration files the helper opens, in which order, and what it does not open. */

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "fixture.h"

enum { EXIT_SKIP = 77, MANY = 200, TOO_MANY = 4097 };

static const char *program;

/* Starts a helper with the paths, asks, and ends it; the answer stays. */
static int open_files(const char *const *paths)
{
	struct helper h;
	int r;

	helper_start(&h, program, paths);
	r = ASK(&h, .type = ND_PROTO_OPEN_FILES);
	assert_int_equal(helper_stop(&h), 0);
	return r;
}
#define OPEN_FILES(...) open_files((const char *const[]){__VA_ARGS__, NULL})

/* The answer is this path with this content. */
static void check(size_t i, const char *path, const char *content)
{
	char buf[64] = "";

	assert_true(i < answer.n_strings);
	assert_int_equal(answer.n_fds, answer.n_strings);
	assert_string_equal(answer.strings[i], path);
	assert_true(read(answer.fds[i], buf, sizeof(buf) - 1) >= 0);
	assert_string_equal(buf, content);
	assert_int_equal(write(answer.fds[i], "x", 1), -1);
}

static void test_order(void **state)
{
	(void)state;
	mkdir("/run/1", 0700);
	mkdir("/run/2", 0755);
	write_file("/run/1/b.yaml", "1b");
	write_file("/run/2/b.yaml", "2b");
	write_file("/run/2/a.yaml", "2a");
	write_file("/run/2/.hidden.yaml", "");
	write_file("/run/2/other.conf", "");
	write_file("/run/2/.yaml", "");
	write_file("/run/named.yaml", "n");
	write_file("/run/b.yaml", "nb");
	assert_int_equal(symlink("/run/named.yaml", "/run/2/z.yaml"), 0);
	assert_int_equal(OPEN_FILES("/run/1", "/run/2/"), 0);
	assert_int_equal(answer.n_strings, 3);
	check(0, "/run/2/a.yaml", "2a");
	check(1, "/run/1/b.yaml", "1b");
	check(2, "/run/2/z.yaml", "n");
	/* A file that is named stands before a folder's of that name, and shadows nothing. */
	assert_int_equal(OPEN_FILES("/run/none", "/run/2", "/run/named.yaml", "/run/b.yaml"), 0);
	assert_int_equal(answer.n_strings, 5);
	check(1, "/run/b.yaml", "nb");
	check(2, "/run/2/b.yaml", "2b");
	check(3, "/run/named.yaml", "n");
	assert_int_equal(OPEN_FILES("/run/none"), 0);
	assert_int_equal(answer.n_strings, 0);
}

static void test_refused(void **state)
{
	(void)state;
	mkdir("/run/3", 0755);
	assert_int_equal(OPEN_FILES("/run/none.yaml"), -ENOENT);
	assert_string_equal(answer.strings[0], "/run/none.yaml");
	assert_int_equal(OPEN_FILES(""), -ENOENT);
	assert_int_equal(OPEN_FILES("/run/3", "/dev/null"), -EINVAL);
	assert_int_equal(mkfifo("/run/3/a.yaml", 0600), 0);
	assert_int_equal(OPEN_FILES("/run/3"), -EINVAL);
	assert_string_equal(answer.strings[0], "/run/3/a.yaml is not a regular file");
	unlink("/run/3/a.yaml");
	assert_int_equal(symlink("nowhere", "/run/3/a.yaml"), 0);
	assert_int_equal(OPEN_FILES("/run/3"), -ENOENT);
	unlink("/run/3/a.yaml");
	mkdir("/run/3/a.yaml", 0755);
	assert_int_equal(OPEN_FILES("/run/3"), -EINVAL);
	rmdir("/run/3/a.yaml");
}

static void test_many(void **state)
{
	char path[64], content[16];
	size_t i;

	(void)state;
	mkdir("/run/4", 0755);
	for (i = 0; i < TOO_MANY; i++) {
		snprintf(path, sizeof(path), "/run/4/%04zu.yaml", i);
		snprintf(content, sizeof(content), "%zu", i);
		write_file(path, content);
		if (i + 1 == MANY) {
			assert_int_equal(OPEN_FILES("/run/4"), 0);
			assert_int_equal(answer.n_strings, MANY);
			assert_int_equal(answer.n_parts, (MANY + ND_PROTO_FDS_MAX - 1) / ND_PROTO_FDS_MAX);
			for (size_t k = 0; k < MANY; k++) {
				snprintf(path, sizeof(path), "/run/4/%04zu.yaml", k);
				snprintf(content, sizeof(content), "%zu", k);
				check(k, path, content);
			}
		}
	}
	assert_int_equal(OPEN_FILES("/run/4"), -E2BIG);
	assert_int_equal(answer.n_fds, 0);
}

/* A key, and nothing that is none, from any file of root's. */
static void test_keys(void **state)
{
	static const char key[] = "4GgaQCy68nzNsUE5aJ9fuLzHhB65tAlwbmA72MWnOm8=";
	struct helper h;
	char text[128];

	(void)state;
	write_file("/run/secret", "root:$6$salt$hash:19000:0:99999:7:::\n");
	snprintf(text, sizeof(text), " %s\n", key);
	write_file("/run/key", text);
	snprintf(text, sizeof(text), "%s\nmore\n", key);
	write_file("/run/two", text);
	write_file("/run/empty", "");
	write_file("/run/open", key);
	assert_int_equal(chmod("/run/open", 0666), 0);
	helper_start(&h, program, (const char *const[]){NULL});
	assert_int_equal(ASK(&h, .type = ND_PROTO_READ_KEY, .strings = {"/run/key"}), 0);
	assert_int_equal(answer.n_strings, 1);
	assert_string_equal(answer.strings[0], key);
	assert_int_equal(ASK(&h, .type = ND_PROTO_READ_KEY, .strings = {"/run/secret"}), -EBADMSG);
	assert_null(strstr(answer.strings[0], "salt"));
	assert_int_equal(ASK(&h, .type = ND_PROTO_READ_KEY, .strings = {"/run/two"}), -EBADMSG);
	assert_int_equal(ASK(&h, .type = ND_PROTO_READ_KEY, .strings = {"/run/empty"}), -EBADMSG);
	assert_int_equal(ASK(&h, .type = ND_PROTO_READ_KEY, .strings = {"/run/open"}), -EACCES);
	assert_int_equal(ASK(&h, .type = ND_PROTO_READ_KEY, .strings = {"/run/none"}), -ENOENT);
	assert_int_equal(ASK(&h, .type = ND_PROTO_READ_KEY, .strings = {"/run"}), -EINVAL);
	assert_int_equal(ASK(&h, .type = ND_PROTO_READ_KEY, .strings = {"/dev/zero"}), -EINVAL);
	assert_int_equal(ASK(&h, .type = ND_PROTO_READ_KEY, .strings = {"run/key"}), -EINVAL);
	assert_int_equal(helper_stop(&h), 0);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_keys),
	};

	program = argc > 1 ? argv[1] : "netctld-helper";
	if (!sandbox()) {
		puts("SKIP: no right to make network and mount namespaces");
		return EXIT_SKIP;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
