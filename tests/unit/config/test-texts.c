/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Which files are read, in which order, and which are refused. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "config/config.h"

static char root[64];

static void put_file(const char *path, const char *text, mode_t mode)
{
	_cleanup_(nctl_closep) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(root, "/tmp/config-texts-XXXXXX");
	if (!mkdtemp(root) || chdir(root) < 0)
		return -1;
	mkdir("a", 0755);
	mkdir("b", 0755);
	put_file("a/20.yaml", "a20", 0644);
	put_file("b/20.yaml", "b20", 0644);
	put_file("b/10.yaml", "b10", 0600);
	put_file("b/.x.yaml", "hidden", 0644);
	put_file("b/x.yml", "other", 0644);
	put_file("b/x.yaml~", "backup", 0644);
	put_file("group.yaml", "g", 0664);
	put_file("world.yaml", "w", 0602);
	put_file("any-name", "any", 0644);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const files[] = {"a/20.yaml", "b/20.yaml", "b/10.yaml", "b/.x.yaml", "b/x.yml",
		"b/x.yaml~", "group.yaml", "world.yaml", "any-name"};

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(files); i++)
		unlink(files[i]);
	rmdir("a");
	rmdir("b");
	return chdir("/") < 0 ? -1 : rmdir(root);
}

static void test_order(void **state)
{
	static const char *const paths[] = {"a/", "b", "missing"};
	struct nd_config_texts t = ND_CONFIG_TEXTS_INIT;
	struct nd_diagnostics d = ND_DIAGNOSTICS_INIT;

	(void)state;
	assert_int_equal(nd_config_read_paths(paths, 3, &t, &d), 0);
	assert_int_equal(d.n, 0);
	assert_int_equal(t.n, 2);
	assert_string_equal(t.v[0].path, "b/10.yaml");
	assert_string_equal(t.v[0].data, "b10");
	assert_string_equal(t.v[1].path, "a/20.yaml");
	assert_int_equal(t.v[1].len, 3);
	nd_config_texts_fini(&t);
	nd_diagnostics_fini(&d);
}

static void test_no_file(void **state)
{
	static const char *const paths[] = {"a"};
	struct nd_config_texts t = ND_CONFIG_TEXTS_INIT;
	struct nd_diagnostics d = ND_DIAGNOSTICS_INIT;

	(void)state;
	assert_int_equal(mkdir("a/folder.yaml", 0755), 0);
	assert_int_equal(mkfifo("a/fifo.yaml", 0644), 0);
	assert_int_equal(nd_config_read_paths(paths, 1, &t, &d), ND_CONFIG_INVALID);
	assert_int_equal(d.n_errors, 2);
	assert_int_equal(t.n, 1);
	rmdir("a/folder.yaml");
	unlink("a/fifo.yaml");
	nd_config_texts_fini(&t);
	nd_diagnostics_fini(&d);
}

/* Files that are given themselves are all read, whatever their names. */
static void test_named(void **state)
{
	static const char *const paths[] = {"any-name", "b/20.yaml", "a/20.yaml"};
	struct nd_config_texts t = ND_CONFIG_TEXTS_INIT;
	struct nd_diagnostics d = ND_DIAGNOSTICS_INIT;

	(void)state;
	assert_int_equal(nd_config_read_paths(paths, 3, &t, &d), 0);
	assert_int_equal(t.n, 3);
	assert_string_equal(t.v[0].path, "b/20.yaml");
	assert_string_equal(t.v[1].path, "a/20.yaml");
	assert_string_equal(t.v[2].path, "any-name");
	nd_config_texts_fini(&t);
	nd_diagnostics_fini(&d);
}

static void test_refused(void **state)
{
	static const char *const paths[] = {
		"group.yaml", "world.yaml", "missing.yaml", "", "any-name/x", "b/10.yaml"};
	struct nd_config_texts t = ND_CONFIG_TEXTS_INIT;
	struct nd_diagnostics d = ND_DIAGNOSTICS_INIT;

	(void)state;
	assert_int_equal(nd_config_read_paths(paths, 6, &t, &d), ND_CONFIG_INVALID);
	assert_int_equal(d.n_errors, 5);
	assert_int_equal(t.n, 1);
	assert_string_equal(t.v[0].path, "b/10.yaml");
	nd_config_texts_fini(&t);
	nd_diagnostics_fini(&d);
}

static void test_fd(void **state)
{
	struct nd_config_texts t = ND_CONFIG_TEXTS_INIT;
	struct nd_diagnostics d = ND_DIAGNOSTICS_INIT;
	int p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(write(p[1], "0123456789", 10), 10);
	close(p[1]);
	assert_int_equal(nd_config_read_fd(p[0], "-", &t, &d), 0);
	assert_int_equal(t.v[0].len, 10000);
	close(p[0]);
	p[0] = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	assert_int_equal(nd_config_read_fd(p[0], "zero", &t, &d), ND_CONFIG_INVALID);
	assert_non_null(strstr(d.v[0].message, "64 MiB"));
	close(p[0]);
	p[0] = open(".", O_RDONLY | O_CLOEXEC);
	assert_int_equal(nd_config_read_fd(p[0], "folder", &t, &d), ND_CONFIG_INVALID);
	close(p[0]);
	assert_int_equal(nd_config_read_fd(-1, "none", &t, &d), ND_CONFIG_INVALID);
	assert_int_equal(t.n, 1);
	nd_config_texts_fini(&t);
	nd_diagnostics_fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_fd),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
