/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: names of numbers from files of our own making, in the order in which ip(8) takes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "obj/route.h"
#include "obj/rtname.h"

static char top[] = "/tmp/rtname-XXXXXX";
static char etc[64], share[64];

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void make_folder(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static int setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(etc, sizeof(etc), "%s/etc", top);
	snprintf(share, sizeof(share), "%s/share", top);
	make_folder(top, "etc");
	make_folder(top, "share");
	make_folder(etc, "iproute2");
	make_folder(etc, "iproute2/rt_tables.d");
	make_folder(share, "iproute2");
	make_folder(share, "iproute2/rt_tables.d");
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command); /* a path of ours */
}

static void expect(enum nctl_rtname_kind kind, uint32_t id, const char *name)
{
	char buf[NCTL_RTNAME_STR];

	assert_string_equal(nctl_rtname(kind, id, buf), name);
}

static void test_built_in(void **state)
{
	uint32_t v;
	uint8_t u8;

	(void)state;
	nctl_rtname_read(NULL, NULL);
	expect(NCTL_RTNAME_PROTOCOL, 4, "static");
	expect(NCTL_RTNAME_PROTOCOL, 78, "78");
	expect(NCTL_RTNAME_SCOPE, 253, "link");
	expect(NCTL_RTNAME_SCOPE, 7, "7");
	expect(NCTL_RTNAME_TABLE, 254, "main");
	expect(NCTL_RTNAME_TABLE, 4294967295U, "4294967295");
	expect(NCTL_RTNAME_REALM, 0, "unknown");
	expect(NCTL_RTNAME_DSFIELD, 16, "0x10");
	expect(NCTL_RTNAME_GROUP, 0, "default");
	expect(NCTL_RTNAME_IP_PROTO, 6, "ipproto-6");
	assert_int_equal(nctl_route_table_parse("main", &v), 0);
	assert_int_equal(v, 254);
	assert_int_equal(nctl_route_table_parse("0xffffffff", &v), 0);
	assert_int_equal(v, 4294967295U);
	assert_int_equal(nctl_route_table_parse("4294967296", &v), -ERANGE);
	assert_int_equal(nctl_route_table_parse("mainx", &v), -ENOENT);
	assert_int_equal(nctl_route_table_parse("", &v), -ENOENT);
	assert_int_equal(nctl_route_protocol_parse("bgp", &u8), 0);
	assert_int_equal(u8, 186);
	assert_int_equal(nctl_route_protocol_parse("256", &u8), -ERANGE);
	assert_int_equal(nctl_route_scope_parse("host", &u8), 0);
	assert_int_equal(u8, 254);
	assert_int_equal(nctl_route_type_parse("blackhole", &u8), 0);
	assert_int_equal(u8, 6);
	assert_int_equal(nctl_route_type_parse("none", &u8), -ENOENT);
}

static void test_files(void **state)
{
	uint32_t v;

	(void)state;
	/* The whole file of /etc hides that of /usr/share. */
	write_file(share, "iproute2/rt_protos", "200 hidden\n");
	write_file(etc, "iproute2/rt_protos",
		"# nothing\n\n  4\tfixed # by us\n0x4e netctl\n78x bad\n-1 bad\n"
		"300 bad\n5\n999999999999999999999 bad\n6 six");
	write_file(share, "iproute2/rt_scopes", "7 mine\r\n");
	write_file(share, "iproute2/rt_tables.d/a.conf", "1000 one\n");
	write_file(share, "iproute2/rt_tables.d/b.conf", "1001 hidden\n");
	write_file(etc, "iproute2/rt_tables.d/b.conf", "1002 two\n1002 zwei\n");
	write_file(etc, "iproute2/rt_tables.d/c.txt", "1003 three\n");
	write_file(etc, "iproute2/rt_tables.d/.d.conf", "1004 four\n");
	write_file(etc, "protocols", "# x\ntcp\t6\tTCP # transmission\nno\n");
	nctl_rtname_read(etc, share);
	expect(NCTL_RTNAME_PROTOCOL, 4, "fixed");
	expect(NCTL_RTNAME_PROTOCOL, 78, "netctl");
	expect(NCTL_RTNAME_PROTOCOL, 6, "six");
	expect(NCTL_RTNAME_PROTOCOL, 5, "5");
	expect(NCTL_RTNAME_PROTOCOL, 200, "200");
	expect(NCTL_RTNAME_PROTOCOL, 186, "bgp");
	expect(NCTL_RTNAME_SCOPE, 7, "mine");
	expect(NCTL_RTNAME_TABLE, 1000, "one");
	expect(NCTL_RTNAME_TABLE, 1001, "1001");
	expect(NCTL_RTNAME_TABLE, 1002, "zwei");
	expect(NCTL_RTNAME_TABLE, 1003, "1003");
	expect(NCTL_RTNAME_TABLE, 1004, "1004");
	expect(NCTL_RTNAME_IP_PROTO, 6, "tcp");
	assert_int_equal(nctl_route_table_parse("two", &v), 0);
	assert_int_equal(v, 1002);
}

static void test_hostile(void **state)
{
	char *text = malloc(1 << 21), *p = text;

	(void)state;
	/* A name that is too long, a line without an end, too large a file: the built-in names remain. */
	p += sprintf(p, "1000 ");
	memset(p, 'x', 300);
	strcpy(p + 300, "\n1001 good\n1002");
	write_file(etc, "iproute2/rt_tables", text);
	nctl_rtname_read(etc, NULL);
	expect(NCTL_RTNAME_TABLE, 1000, "1000");
	expect(NCTL_RTNAME_TABLE, 1001, "good");
	memset(text, '\n', 1 << 21);
	text[(1 << 21) - 1] = '\0';
	write_file(etc, "iproute2/rt_tables", text);
	nctl_rtname_read(etc, share);
	expect(NCTL_RTNAME_TABLE, 254, "main");
	expect(NCTL_RTNAME_TABLE, 1001, "1001");
	free(text);
	nctl_rtname_read(NULL, NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
