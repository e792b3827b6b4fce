/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the parser of what the kernel tells of multicast memberships, with real text, in pieces of any length,
 * and with hostile text.
 */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "mirror/maddr.h"
#include "random.h"
#include "test.h"

static const char dev_mcast[] = "2    v1              2     0     333300000001\n"
				"2    v1              1     0     01005e000001\n"
				"2    v1              1     0     3333ff000001\n"
				"3    a-long-name-0123 1     1     333300001234\n"
				"3    a-long-name-0123 1     0     01005e010203\n"
				"7    ib0             1     0     00ffffffff12401bffff000000000000ffffffff\n"
				"8    nothing         1     0     \n";
static const char igmp[] = "Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n"
			   "2\tv1        :     1      V3\n\t\t\t\t010000E0     1 0:00000000\t\t0\n"
			   "3\ta-long-name-0123:     2      V2\n\t\t\t\t030201EF     3 1:00000010\t\t1\n";
static const char igmp6[] = "2    v1              ff0200000000000000000001ff000001     1 00000004 0\n"
			    "2    v1              ff020000000000000000000000000001     1 0000000C 0\n"
			    "2    v1              ff010000000000000000000000000001     1 00000008 0\n";

static int parse(
	enum nctl_maddr_file file, const char *text, size_t len, size_t piece, struct nctl_maddr_list *l)
{
	struct nctl_maddr_parser p;
	int r = 0;

	nctl_maddr_parser_init(&p, file, l);
	for (size_t at = 0; r == 0 && at < len; at += piece)
		r = nctl_maddr_parse(&p, text + at, nctl_min(piece, len - at));
	return r < 0 ? r : nctl_maddr_parse_end(&p);
}

static void parse_all(size_t piece, struct nctl_maddr_list *l)
{
	*l = NCTL_MADDR_LIST_INIT;
	assert_int_equal(parse(NCTL_MADDR_DEV_MCAST, dev_mcast, strlen(dev_mcast), piece, l), 0);
	assert_int_equal(parse(NCTL_MADDR_IGMP, igmp, strlen(igmp), piece, l), 0);
	assert_int_equal(parse(NCTL_MADDR_IGMP6, igmp6, strlen(igmp6), piece, l), 0);
}

static void test_parse(void **state)
{
	struct nctl_maddr_list l, again;
	char text[NCTL_ADDR_STR];

	(void)state;
	parse_all(SIZE_MAX / 2, &l);
	assert_int_equal(l.n, 6 + 2 + 3);
	assert_int_equal(l.v[0].users, 2);
	assert_true(l.v[3].is_static && l.v[3].ifindex == 3);
	assert_int_equal(l.v[5].mac.len, 20);
	assert_string_equal(nctl_addr_format(&l.v[6].group, text), "224.0.0.1");
	assert_string_equal(nctl_addr_format(&l.v[7].group, text), "239.1.2.3");
	assert_int_equal(l.v[7].users, 3);
	assert_string_equal(nctl_addr_format(&l.v[8].group, text), "ff02::1:ff00:1");
	assert_true(l.v[8].loaded && l.v[9].loaded && !l.v[10].loaded);
	for (size_t piece = 1; piece < 80; piece++) {
		parse_all(piece, &again);
		assert_int_equal(again.n, l.n);
		assert_memory_equal(again.v, l.v, l.n * sizeof(*l.v));
		nctl_maddr_list_fini(&again);
	}
	nctl_maddr_list_fini(&l);
}

static void test_hostile(void **state)
{
	static const struct {
		enum nctl_maddr_file file;
		const char *text;
	} bad[] = {
		{NCTL_MADDR_DEV_MCAST, "2 v1 1 0 333300000001"},
		{NCTL_MADDR_DEV_MCAST, "\n"},
		{NCTL_MADDR_DEV_MCAST, "0 v1 1 0 333300000001\n"},
		{NCTL_MADDR_DEV_MCAST, "-2 v1 1 0 333300000001\n"},
		{NCTL_MADDR_DEV_MCAST, "4294967297 v1 1 0 333300000001\n"},
		{NCTL_MADDR_DEV_MCAST, "2 v1 x 0 333300000001\n"},
		{NCTL_MADDR_DEV_MCAST, "2 v1 1 2 333300000001\n"},
		{NCTL_MADDR_DEV_MCAST, "2 v1 1 0 33330000000\n"},
		{NCTL_MADDR_DEV_MCAST, "2 v1 1 0 33330000000g\n"},
		{NCTL_MADDR_DEV_MCAST,
			"2 v1 1 0 000000000000000000000000000000000000000000000000000000000000000000\n"},
		{NCTL_MADDR_DEV_MCAST, "2 v1 1 0 333300000001 x\n"},
		{NCTL_MADDR_DEV_MCAST, "1 2 3 4 5 6 7 8 9 10 11 12\n"},
		{NCTL_MADDR_IGMP, "\t\t\t\t010000E0     1 0:00000000\t\t0\n"},
		{NCTL_MADDR_IGMP, "x\tv1 : 1 V3\n"},
		{NCTL_MADDR_IGMP, "2\tv1 : 1 V3\n\t\t\t\t010000E\t1 0:00000000\t\t0\n"},
		{NCTL_MADDR_IGMP, "2\tv1 : 1 V3\n\t\t\t\t010000E000\t1 0:00000000\t\t0\n"},
		{NCTL_MADDR_IGMP, "2\tv1 : 1 V3\n\t\t\t\t010000E0\t-1 0:00000000\t\t0\n"},
		{NCTL_MADDR_IGMP6, "2 v1 ff02 1 0000000C 0\n"},
		{NCTL_MADDR_IGMP6, "2 v1 ff020000000000000000000000000001 1 C 0\n"},
		{NCTL_MADDR_IGMP6, "2 v1 ff02000000000000000000000000000100 1 0000000C 0\n"},
		{NCTL_MADDR_IGMP6, "2 v1 ff020000000000000000000000000001 1 0000000C\n"},
	};
	struct random r = random_init("hostile");
	static const char *const texts[] = {dev_mcast, igmp, igmp6};
	char text[1024], line[NCTL_MADDR_LINE_MAX + 1];

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(bad); i++) {
		struct nctl_maddr_list l = NCTL_MADDR_LIST_INIT;

		assert_int_equal(parse(bad[i].file, bad[i].text, strlen(bad[i].text), 7, &l), -EBADMSG);
		nctl_maddr_list_fini(&l);
	}
	memset(line, 'x', sizeof(line));
	for (size_t piece = 1; piece <= sizeof(line); piece += 16) {
		struct nctl_maddr_list l = NCTL_MADDR_LIST_INIT;

		assert_int_equal(parse(NCTL_MADDR_IGMP6, line, sizeof(line), piece, &l), -EBADMSG);
		nctl_maddr_list_fini(&l);
	}
	/* Real text with a few bytes changed: an error or lines within their bounds, never more. */
	for (unsigned i = 0; i < 20000; i++) {
		enum nctl_maddr_file f = (enum nctl_maddr_file)random_below(&r, NCTL_MADDR_N_FILES);
		size_t len = strlen(texts[f]);
		struct nctl_maddr_list l = NCTL_MADDR_LIST_INIT;
		struct nctl_maddrs *s;

		memcpy(text, texts[f], len);
		for (unsigned k = 1 + random_below(&r, 4); k; k--)
			text[random_below(&r, (unsigned)len)] =
				random_below(&r, 3) ? "0123456789 \t\n:EFx"[random_below(&r, 17)]
						    : (char)random_below(&r, 256);
		parse(f, text, len, 1 + random_below(&r, 90), &l);
		assert_int_equal(nctl_maddrs_new(&s), 0);
		for (size_t k = 0; k < l.n; k++) {
			assert_in_range(l.v[k].ifindex, 1, INT32_MAX);
			assert_in_range(l.v[k].mac.len, 0, NCTL_LLADDR_MAX);
			assert_true((l.v[k].mac.len > 0) != (l.v[k].group.family != 0));
			nctl_maddrs_read_line(s, &l.v[k]);
		}
		nctl_maddrs_free(s);
		nctl_maddr_list_fini(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
