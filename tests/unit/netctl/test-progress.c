/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: the line that shows how far the daemon is: what it says, and that it never is wider than the terminal.
 */
#include "test.h"

#include "base/cleanup.h"
#include "netctl/progress.h"

static const struct {
	struct cli_progress_state s;
	size_t width;
	const char *want;
} cases[] = {
	{{"batch", "", 0, 0, 0, -1}, 79, "batch"},
	{{"batch", "waiting", 0, 0, 0, -1}, 79, "batch, waiting"},
	{{"batch", "", 500, 1000, 0, 250}, 79,
		"batch [====================>                   ]  50 % 500/1000, 250/s"},
	{{"batch", "", 1000, 1000, 3, 250}, 60,
		"batch [===================] 100 % 1000/1000, 3 failed, 250/s"},
	{{"apply", "create vlan", 7, 100, 0, 10}, 50, "apply [>          ]   7 % 7/100, 10/s, create vlan"},
	{{"apply", "create vlan", 7, 100, 0, 10}, 30, "apply   7 % 7/100, 10/s, creat"},
};

static void test_lines(void **state)
{
	char buf[256];

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(cases); i++) {
		cli_progress_line(&cases[i].s, cases[i].width, buf, sizeof(buf));
		assert_string_equal(buf, cases[i].want);
		assert_true(strlen(buf) <= cases[i].width);
	}
}

/* Whatever the numbers. */
static void test_widths(void **state)
{
	const struct cli_progress_state s = {
		"netns-delete", "going-back", INT32_MAX, INT64_MAX / 1000, 12345, 99999};
	char buf[256];

	(void)state;
	for (size_t width = 1; width < 200; width++)
		assert_true(strlen(cli_progress_line(&s, width, buf, sizeof(buf))) <= width);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_widths)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
