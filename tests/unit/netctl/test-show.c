/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The words that netctl understands, and what it prints: tables from a pipe, plans and results.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "netctl/query.h"

static char complaint[1024];

/* Runs parse on words separated by blanks; what it says on stderr is in complaint. */
static int parse(struct cli_request *q, const char *line)
{
	static char copy[512], *words[32]; /* the request points into them */
	int saved = dup(STDERR_FILENO), r;
	char *save = NULL;
	FILE *f = tmpfile();
	size_t n = 0;

	*q = (struct cli_request){0};
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	dup2(fileno(f), STDERR_FILENO);
	r = cli_grammar_parse(q, words, n);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(f);
	complaint[fread(complaint, 1, sizeof(complaint) - 1, f)] = '\0';
	fclose(f);
	return r;
}

static void expect(const char *line, enum cli_action action, const char *filters, size_t n_files)
{
	char text[512] = "";
	struct cli_request q;

	if (parse(&q, line) < 0)
		fail_msg("not taken: %s", line);
	for (size_t i = 0; i < q.n_filters; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s=%s;", q.filters[i].key,
			q.filters[i].value);
	assert_int_equal(q.action, action);
	assert_string_equal(text, filters);
	assert_int_equal(q.n_files, n_files);
}

static void words(void **state)
{
	(void)state;
	expect("l", CLI_LINK, "", 0);
	expect("link show", CLI_LINK, "", 0);
	expect("link sh dev eth0 up", CLI_LINK, "dev=eth0;up=;", 0);
	expect("li ls type vlan master b1", CLI_LINK, "type=vlan;master=b1;", 0);
	expect("link eth0", CLI_LINK, "dev=eth0;", 0);
	expect("link vrf red index 7", CLI_LINK, "vrf=red;index=7;", 0);
	expect("link dev up up", CLI_LINK, "dev=up;up=;", 0);
	expect("a", CLI_ADDRESS, "", 0);
	expect("addr show to 10.0.0.0/8 eth0", CLI_ADDRESS, "to=10.0.0.0/8;dev=eth0;", 0);
	expect("address foo.1 to 2000::/3", CLI_ADDRESS, "dev=foo.1;to=2000::/3;", 0);
	expect("address up scope global", CLI_ADDRESS, "up=;scope=global;", 0);
	expect("a show label eth0:* -tentative dynamic", CLI_ADDRESS, "label=eth0:*;tentative=not;dynamic=;", 0);
	expect("r", CLI_ROUTE, "", 0);
	expect("ro ls table all dev eth0", CLI_ROUTE, "table=all;dev=eth0;", 0);
	expect("route 10.0.0.0/8", CLI_ROUTE, "exact=10.0.0.0/8;", 0);
	expect("route show to root 10.0.0.0/8 proto bgp", CLI_ROUTE, "root=10.0.0.0/8;protocol=bgp;", 0);
	expect("route show match default via 10.0.0.1", CLI_ROUTE, "match=default;via=10.0.0.1;", 0);
	expect("route show vrf red type local scope host src 10.0.0.1 metric 7 nhid 8", CLI_ROUTE,
		"vrf=red;type=local;scope=host;src=10.0.0.1;metric=7;nhid=8;", 0);
	expect("route show from 2000::/3 tos 10", CLI_ROUTE, "from=2000::/3;tos=10;", 0);
	expect("ro g 10.0.0.1 from 10.0.0.2 iif eth0 mark 0x7", CLI_ROUTE_GET,
		"to=10.0.0.1;from=10.0.0.2;iif=eth0;mark=0x7;", 0);
	expect("route get to 2000::1 dev e uid 3 ipproto tcp sport 1 dport 2 vrf v dsfield 4", CLI_ROUTE_GET,
		"to=2000::1;oif=e;uid=3;ipproto=tcp;sport=1;dport=2;vrf=v;tos=4;", 0);
	expect("ru", CLI_RULE, "", 0);
	expect("rule show pref 7 lookup main from 10.0.0.0/8 fwmark 1/ff", CLI_RULE,
		"priority=7;table=main;from=10.0.0.0/8;fwmark=1/ff;", 0);
	expect("rule list iif a oif b proto 3 to all", CLI_RULE, "iif=a;oif=b;protocol=3;to=all;", 0);
	expect("nex", CLI_NEXTHOP, "", 0);
	expect("nexthop show id 7 groups fdb dev d proto bgp", CLI_NEXTHOP,
		"id=7;groups=;fdb=;dev=d;protocol=bgp;", 0);
	expect("n", CLI_NEIGH, "", 0);
	expect("neighbor show dev d nud all", CLI_NEIGH, "dev=d;nud=all;", 0);
	expect("neigh 10.0.0.1 proxy", CLI_NEIGH, "to=10.0.0.1;proxy=;", 0);
	expect("neigh bridge br b0", CLI_FDB, "br=b0;", 0);
	expect("fdb show brport p dynamic", CLI_FDB, "dev=p;dynamic=;", 0);
	expect("vrf", CLI_VRF, "", 0);
	expect("vrf show red", CLI_VRF, "dev=red;", 0);
	expect("m", CLI_MADDR, "", 0);
	expect("maddr show dev d why", CLI_MADDR, "dev=d;why=;", 0);
	expect("mo", CLI_MONITOR, "", 0);
	expect("monitor l a dump", CLI_MONITOR, "link=;address=;initial=;", 0);
	expect("stats", CLI_STATS, "", 0);
	expect("check a b c", CLI_CHECK, "", 3);
	expect("plan", CLI_PLAN, "", 0);
	expect("ap x.yaml", CLI_APPLY, "", 1);
	expect("apply", CLI_APPLY, "", 0);
	expect("reload", CLI_RELOAD, "", 0);
	expect("resync", CLI_RESYNC, "", 0);
	expect("res", CLI_RESYNC, "", 0);
	expect("stat", CLI_STATUS, "", 0);
	expect("drift", CLI_DRIFT, "", 0);
	expect("why d0", CLI_WHY, "dev=d0;", 0);
	expect("why dev why", CLI_WHY, "dev=why;", 0);
	expect("h", CLI_HELP, "", 0);
	expect("link move d0 netns t1", CLI_MOVE, "dev=d0;netns=t1;", 0);
	expect("li mo dev d0 name d1 netns 17", CLI_MOVE, "dev=d0;name=d1;netns=17;", 0);
	expect("link m", CLI_LINK, "dev=m;", 0);
	expect("netns", CLI_NETNS_LIST, "", 0);
	expect("net ls", CLI_NETNS_LIST, "", 0);
	expect("netns t1", CLI_NETNS_LIST, "name=t1;", 0);
	expect("netns list name all all", CLI_NETNS_LIST, "name=all;all=;", 0);
	expect("netns identify", CLI_NETNS_IDENTIFY, "", 0);
	expect("netns id 17", CLI_NETNS_IDENTIFY, "pid=17;", 0);
	expect("netns pids x", CLI_NETNS_PIDS, "name=x;", 0);
}

static void rests(void **state)
{
	char netns[] = "netns", ex[] = "ex", add[] = "add", x[] = "x", ls[] = "ls", l[] = "-l";
	char *exec_words[] = {netns, ex, x, ls, l}, *add_words[] = {netns, add, x},
	     *list_words[] = {netns, x};
	struct cli_request q;

	(void)state;
	assert_int_equal(parse(&q, "netns add a b{1..3} list"), 0);
	assert_int_equal(q.action, CLI_NETNS_ADD);
	assert_int_equal(q.n_rest, 3);
	assert_string_equal(q.rest[2], "list");
	assert_int_equal(parse(&q, "netns del x"), 0);
	assert_int_equal(q.action, CLI_NETNS_DEL);
	assert_int_equal(parse(&q, "netns exec x ls netns"), 0);
	assert_int_equal(q.action, CLI_NETNS_EXEC);
	assert_int_equal(q.n_rest, 3);
	/* From where on options are a command's. */
	assert_false(cli_grammar_ends_options(exec_words, 0));
	assert_false(cli_grammar_ends_options(exec_words, 1));
	assert_true(cli_grammar_ends_options(exec_words, 2));
	assert_false(cli_grammar_ends_options(exec_words, 3));
	assert_false(cli_grammar_ends_options(add_words, 2));
	assert_false(cli_grammar_ends_options(list_words, 2));
}

static void no_words(void **state)
{
	static const char *const lines[] = {"", "check", "foo", "links", "s", "route to", "route get",
		"route get from 1.2.3.4", "route show proto", "rule 7", "monitor eth0", "stats x", "nexthop 7",
		"fdb to x", "link dev", "link up up",
		"link a b", "link show to 10.0.0.0/8", "address to", "status x", "reload x.yaml", "re", "resync x",
		"link show show show", "link move", "link move d0", "link move netns x",
		"link move d0 d1 netns x", "netns add", "netns del", "netns exec", "netns pids",
		"netns pids a b", "netns identify 1 2", "netns yy zz"};
	struct cli_request q;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(lines); i++)
		if (parse(&q, lines[i]) == 0)
			fail_msg("taken: %s", lines[i]);
}

/* Every filter before and after every other one, with and without a verb. */
static void pairs_of_filters(void **state)
{
	static const struct {
		const char *words, *filter;
		bool of_addresses;
	} f[] = {{"dev d1", "dev=d1;", false}, {"d2", "dev=d2;", false}, {"index 3", "index=3;", false},
		{"type vlan", "type=vlan;", false}, {"master m", "master=m;", false},
		{"vrf v", "vrf=v;", false}, {"up", "up=;", false}, {"to 10.0.0.0/8", "to=10.0.0.0/8;", true},
		{"scope global", "scope=global;", true}};
	static const struct {
		const char *words;
		enum cli_action action;
	} o[] = {{"link", CLI_LINK}, {"link show", CLI_LINK}, {"l ls", CLI_LINK}, {"address", CLI_ADDRESS},
		{"a sh", CLI_ADDRESS}, {"addr list", CLI_ADDRESS}};
	char line[128], filters[128];
	struct cli_request q;

	(void)state;
	for (size_t k = 0; k < NCTL_ARRAY_SIZE(o); k++) {
		for (size_t i = 0; i < NCTL_ARRAY_SIZE(f) * NCTL_ARRAY_SIZE(f); i++) {
			size_t a = i / NCTL_ARRAY_SIZE(f), b = i % NCTL_ARRAY_SIZE(f);
			bool foreign = o[k].action == CLI_LINK && (f[a].of_addresses || f[b].of_addresses);

			snprintf(line, sizeof(line), "%s %s %s", o[k].words, f[a].words, f[b].words);
			snprintf(filters, sizeof(filters), "%s%s", f[a].filter, f[b].filter);
			/* dev and a bare name are one filter. */
			if (!foreign && a != b && !(a < 2 && b < 2))
				expect(line, o[k].action, filters, 0);
			else if (parse(&q, line) == 0)
				fail_msg("taken: %s", line);
			else if (!foreign)
				assert_non_null(strstr(complaint, "is given twice"));
		}
	}
}

/* -n and -a, and what they go with. */
static void namespaces(void **state)
{
	static const struct {
		const char *line, *netns;
		bool all, fine;
	} v[] = {
		{"link", "x", false, true},
		{"address dev eth0", "x", false, true},
		{"link move d0 netns y", "x", false, true},
		{"link", NULL, true, true},
		{"netns exec ls", NULL, true, true},
		{"netns exec x ls", NULL, false, true},
		{"netns exec x", NULL, false, false},
		{"netns exec x ls", "x", false, false},
		{"link move d0 netns y", NULL, true, false},
		{"link", "x", true, false},
		{"status", "x", false, false},
		{"apply f", NULL, true, false},
		{"netns list", "x", false, false},
		{"netns list", NULL, true, false},
		{"link", "", false, false},
		{"link", "..", false, false},
		{"link", "a/b", false, false},
	};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), saved;
	struct cli_request q;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(v); i++) {
		assert_int_equal(parse(&q, v[i].line), 0);
		q.netns = v[i].netns;
		q.all_netns = v[i].all;
		saved = dup(STDERR_FILENO);
		dup2(null, STDERR_FILENO);
		if ((cli_request_check(&q) == 0) != v[i].fine)
			fail_msg("%s: -n %s, -a %d", v[i].line, v[i].netns ? v[i].netns : "", v[i].all);
		dup2(saved, STDERR_FILENO);
		close(saved);
	}
	close(null);
}

static void expect_complaint(const char *line, const char *text)
{
	struct cli_request q;

	if (parse(&q, line) == 0)
		fail_msg("taken: %s", line);
	if (!strstr(complaint, text))
		fail_msg("%s: %s", line, complaint);
}

static void slips(void **state)
{
	(void)state;
	expect_complaint("lnik", "did you mean \"link\"?");
	expect_complaint("link typ bridge", "there is no \"typ\"; did you mean \"type\"?");
	expect_complaint("link show mastr br0 up", "did you mean \"master\"?");
	expect_complaint("link eth0 typ vlan", "there is no \"typ\"; did you mean \"type\"?");
	expect_complaint("address scop global", "did you mean \"scope\"?");
	expect_complaint("address show br0 scpoe link", "did you mean \"scope\"?");
	expect_complaint("link eth0 eth1", "\"dev\" is given twice: eth0 and eth1");
	expect_complaint("link show up dev", "\"dev\" wants the name of a device");
	expect_complaint("check", "something is missing at the end: FILE");
	expect_complaint("status x", "one word too many");
	expect_complaint("netns delte x", "did you mean \"delete\"?");
	expect_complaint("netns pids a b", "one word too many");
	expect_complaint("link move d0", "netns NAME");
}

static char printed[1 << 16];

/* Catches what fn prints. */
static int catch (
	int (*fn)(const struct cli_request *q, const void *arg), const struct cli_request *q, const void *arg)
{
	int saved = dup(STDOUT_FILENO), saved_err = dup(STDERR_FILENO), r;
	FILE *f = tmpfile();
	size_t n;

	fflush(stdout);
	dup2(fileno(f), STDOUT_FILENO);
	dup2(fileno(f), STDERR_FILENO);
	r = fn(q, arg);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	dup2(saved_err, STDERR_FILENO);
	close(saved);
	close(saved_err);
	rewind(f);
	n = fread(printed, 1, sizeof(printed) - 1, f);
	printed[n] = '\0';
	fclose(f);
	return r;
}

static int show_pipe(const struct cli_request *q, const void *arg)
{
	const char *text = arg;
	int fds[2], r;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(write(fds[1], text, strlen(text)), strlen(text));
	close(fds[1]);
	r = cli_query_show(q, fds[0]);
	close(fds[0]);
	return r;
}

#define LO                                                                                                   \
	"{\"ifindex\":1,\"ifname\":\"lo\",\"flags\":[\"LOOPBACK\",\"UP\"],\"mtu\":65536,"                    \
	"\"operstate\":\"UNKNOWN\",\"address\":\"00:00:00:00:00:00\"}\n"
#define VLAN                                                                                                 \
	"{\"ifindex\":70,\"link\":\"b1\",\"ifname\":\"foo.7\\u001b[2J\",\"flags\":[\"UP\"],\"mtu\":1500,"    \
	"\"master\":\"red\",\"operstate\":\"UP\",\"linkinfo\":{\"info_kind\":\"vlan\",\"info_data\":"        \
	"{\"protocol\":\"802.1Q\",\"id\":7,\"flags\":[\"REORDER_HDR\"]}}}\n"

static void links(void **state)
{
	struct cli_request q = {.action = CLI_LINK};

	(void)state;
	assert_int_equal(catch (show_pipe, &q, LO VLAN "\n"), CLI_OK);
	assert_string_equal(printed,
		"NAME       INDEX  KIND  STATE    MTU    MASTER  LOWER  ADDRESS            DETAILS\n"
		"lo         1            UNKNOWN  65536                 00:00:00:00:00:00\n"
		"foo.7?[2J  70     vlan  UP       1500   red     b1                        id 7\n");
	assert_int_equal(catch (show_pipe, &q, "\n"), CLI_OK);
	assert_string_equal(printed, "");
	q.json = true;
	assert_int_equal(catch (show_pipe, &q, "{\"a\":1}\n{\"b\":2}\n\n"), CLI_OK);
	assert_string_equal(printed, "[{\"a\":1},\n{\"b\":2}]\n");
	assert_int_equal(catch (show_pipe, &q, "\n"), CLI_OK);
	assert_string_equal(printed, "[]\n");
}

static void addresses(void **state)
{
	static const char line[] =
		"{\"ifindex\":1,\"ifname\":\"lo\",\"flags\":[],\"operstate\":\"UP\",\"addr_info\":["
		"{\"family\":\"inet\",\"local\":\"127.0.0.1\",\"prefixlen\":8,\"scope\":\"host\"},"
		"{\"family\":\"inet\",\"local\":\"10.0.0.1\",\"address\":\"10.0.0.2\",\"prefixlen\":32,"
		"\"scope\":\"global\",\"dynamic\":true}]}\n"
		"{\"ifindex\":2,\"ifname\":\"none\",\"operstate\":\"DOWN\",\"addr_info\":[]}\n\n";
	struct cli_request q = {.action = CLI_ADDRESS};

	(void)state;
	assert_int_equal(catch (show_pipe, &q, line), CLI_OK);
	assert_string_equal(printed, "NAME  STATE  ADDRESS      PEER      SCOPE   FLAGS\n"
				     "lo    UP     127.0.0.1/8            host\n"
				     "lo    UP     10.0.0.1/32  10.0.0.2  global  dynamic\n"
				     "none  DOWN\n");
}

static void memberships(void **state)
{
	static const char line[] =
		"{\"ifindex\":2,\"ifname\":\"v0\",\"maddr\":[{\"link\":\"33:33:00:00:00:01\",\"users\":2,"
		"\"why\":[{\"by\":\"all\",\"family\":\"inet6\",\"address\":\"ff02::1\"},"
		"{\"by\":\"upper\",\"dev\":\"mv0\"}]},"
		"{\"link\":\"01:00:5e:00:00:05\",\"features\":\"static\"},"
		"{\"link\":\"33:33:ff:00:00:05\",\"missing\":true},"
		"{\"family\":\"inet\",\"address\":\"224.0.0.1\"}]}\n\n";
	struct cli_request q = {.action = CLI_MADDR};

	(void)state;
	assert_int_equal(catch (show_pipe, &q, line), CLI_OK);
	assert_string_equal(printed,
		"NAME  TYPE  ADDRESS            USERS  DETAILS\n"
		"v0    link  33:33:00:00:00:01  2      all ff02::1, upper mv0\n"
		"v0    link  01:00:5e:00:00:05         static\n"
		"v0    link  33:33:ff:00:00:05         missing\n"
		"v0    inet  224.0.0.1\n");
}

/* Nothing that is cut short, or no JSON, looks like an answer. */
static void all_namespaces(void **state)
{
	static const char lines[] =
		"{\"netns\":\"\",\"ifindex\":1,\"ifname\":\"lo\"}\n"
		"{\"netns\":\"(own)\",\"ifindex\":1,\"ifname\":\"lo\"}\n"
		"{\"netns\":\"(own)\",\"ifindex\":2,\"ifname\":\"d2\"}\n"
		"{\"netns\":null,\"netns_cookie\":7,\"netns_pid\":17,\"ifindex\":1,\"ifname\":\"lo\"}\n"
		"{\"netns\":\"a\\u001bb\",\"ifindex\":1,\"ifname\":\"lo\"}\n\n";
	struct cli_request q = {.action = CLI_LINK, .all_netns = true};

	(void)state;
	assert_int_equal(catch (show_pipe, &q, lines), CLI_OK);
	assert_string_equal(printed, "netns: (own)\n"
				     "NAME  INDEX  STATE\n"
				     "lo    1      DOWN\n"
				     "\n"
				     "netns: (own)\n"
				     "NAME  INDEX  STATE\n"
				     "lo    1      DOWN\n"
				     "d2    2      DOWN\n"
				     "\n"
				     "netns: (cookie 7, pid 17)\n"
				     "NAME  INDEX  STATE\n"
				     "lo    1      DOWN\n"
				     "\n"
				     "netns: a?b\n"
				     "NAME  INDEX  STATE\n"
				     "lo    1      DOWN\n");
	assert_int_equal(catch (show_pipe, &q, "{\"ifindex\":1}\n\n"), CLI_USAGE);
	assert_int_equal(catch (show_pipe, &q, "{\"netns\":\"x\n\n"), CLI_USAGE);
	assert_int_equal(catch (show_pipe, &q, "\n"), CLI_OK);
	assert_string_equal(printed, "");
}

static void cut_short(void **state)
{
	struct cli_request q = {.action = CLI_LINK};

	(void)state;
	assert_int_equal(catch (show_pipe, &q, LO), CLI_NO_DAEMON);
	assert_int_equal(catch (show_pipe, &q, LO "{\"ifindex\":2"), CLI_NO_DAEMON);
	assert_int_equal(catch (show_pipe, &q, ""), CLI_NO_DAEMON);
	assert_int_equal(catch (show_pipe, &q, "{]\n\n"), CLI_USAGE);
	assert_int_equal(catch (show_pipe, &q, LO "\n" LO), CLI_USAGE);
	q.json = true;
	assert_int_equal(catch (show_pipe, &q, LO), CLI_NO_DAEMON);
	assert_null(strchr(printed, ']') ? strstr(printed, "]\n") : NULL);
}

static int show_answer(const struct cli_request *q, const void *arg)
{
	return cli_answer_show(q, arg);
}

static int show_status(const struct cli_request *q, const void *arg)
{
	return cli_status_show(q, arg);
}

static void plans(void **state)
{
	static const char plan[] =
		"{\"exit\":1,\"plan\":{\"changes\":1501,\"blocked\":1,\"entries\":["
		"{\"action\":\"create\",\"object\":\"link\",\"kind\":\"vlan\",\"label\":\"foo.{1..1500}\","
		"\"count\":1500,\"class\":\"live\",\"file\":\"s1.yaml\",\"line\":12,\"column\":5},"
		"{\"action\":\"change\",\"object\":\"link\",\"kind\":\"bond\",\"label\":\"b1\",\"count\":1,"
		"\"class\":\"flap\",\"fields\":[\"mtu\",\"mode\"],\"file\":\"s1.yaml\",\"line\":7}],"
		"\"problems\":[{\"type\":\"wait\",\"text\":\"eth7 is "
		"missing\",\"file\":\"s1.yaml\",\"line\":3}]}}";
	struct cli_request q = {.action = CLI_PLAN};

	(void)state;
	assert_int_equal(catch (show_answer, &q, plan), CLI_DIFFERENT);
	assert_string_equal(printed, "+  vlan  foo.{1..1500}  create 1500              s1.yaml:12:5\n"
				     "~  bond  b1             change mtu, mode (flap)  s1.yaml:7\n"
				     "? wait: eth7 is missing  s1.yaml:3\n"
				     "1500 to create, 1 to change; 1 blocked.\n");
	assert_int_equal(
		catch (show_answer, &q, "{\"exit\":0,\"plan\":{\"entries\":[],\"blocked\":0}}"), CLI_OK);
	assert_string_equal(printed, "Nothing to do: all is as configured.\n");
	assert_int_equal(
		catch (show_answer, &q, "{\"exit\":2,\"diagnostics_text\":\"a:1:2: x\\n ^\\n\"}"), CLI_USAGE);
	assert_string_equal(printed, "a:1:2: x\n ^\n");
	assert_int_equal(catch (show_answer, &q, "[]"), CLI_NO_DAEMON);
	assert_int_equal(catch (show_answer, &q, "{"), CLI_NO_DAEMON);
	q.json = true;
	assert_int_equal(catch (show_answer, &q, plan), CLI_DIFFERENT);
	assert_memory_equal(printed, plan, strlen(plan));
}

static void results(void **state)
{
	static const char result[] =
		"{\"exit\":4,\"result\":{\"state\":\"failed\",\"generation\":3,\"done\":9,\"refused\":1,"
		"\"poisoned\":2,"
		"\"unseen\":0,\"sends\":1,\"messages\":12,\"duration_us\":251337,\"refusals\":[{\"action\":"
		"\"create\","
		"\"object\":\"link\",\"name\":\"foo.7\",\"errno\":22,\"error\":\"Invalid argument\","
		"\"kernel\":\"VLAN id out of range\",\"file\":\"s1.yaml\",\"line\":12,\"column\":5}]}}";
	struct cli_request q = {.action = CLI_APPLY};

	(void)state;
	assert_int_equal(catch (show_answer, &q, result), CLI_REFUSED);
	assert_string_equal(printed, "s1.yaml:12:5: refused: create link foo.7: Invalid argument\n"
				     "    the kernel says: VLAN id out of range\n"
				     "failed, generation 3: 9 done, 1 refused, 2 not tried because of that; "
				     "12 messages in 1 send, 251 ms\n");
}

static void statuses(void **state)
{
	static const char text[] =
		"{\"state\":\"settled\",\"files\":[\"a\",\"b\"],\"kernel\":{\"sends\":3,\"changes\":7},"
		"\"pending\":[]}";
	struct cli_request q = {.action = CLI_STATUS};

	(void)state;
	assert_int_equal(catch (show_status, &q, text), CLI_OK);
	assert_string_equal(printed, "state            settled\n"
				     "files            a\n"
				     "                 b\n"
				     "kernel           changing messages 7, sends 3\n");
}

static int show_why(const struct cli_request *q, const void *arg)
{
	return cli_why_show(q, arg);
}

static void whys(void **state)
{
	static const char text[] =
		"{\"exit\":1,\"why\":{\"type\":\"link\",\"state\":\"absent\",\"text\":\"vlan v is not there\","
		"\"file\":\"a.yaml\",\"line\":3,\"column\":5,\"since_s\":200,\"because\":["
		"{\"type\":\"link\",\"state\":\"down\",\"text\":\"w is down\",\"because\":["
		"{\"type\":\"refused\",\"text\":\"No\",\"since_s\":4000,\"attempts\":3,\"again_in_s\":9}]},"
		"{\"type\":\"carrier\",\"text\":\"there is \\u001b no carrier\",\"since_s\":90000}]}}";
	struct cli_request q = {.action = CLI_WHY};

	(void)state;
	assert_int_equal(catch (show_why, &q, text), CLI_DIFFERENT);
	assert_string_equal(printed, "vlan v is not there, for 3 min 20 s  a.yaml:3:5\n"
				     "|- w is down\n"
				     "|  `- No; tried 1 h 6 min ago, 3 times, again in 9 s\n"
				     "`- there is ? no carrier, for 1 d 1 h\n");
	assert_int_equal(catch (show_why, &q, "{\"exit\":2,\"error\":\"none\"}"), CLI_USAGE);
	assert_int_equal(catch (show_why, &q, "[]"), CLI_NO_DAEMON);
	assert_int_equal(catch (show_why, &q, "{"), CLI_NO_DAEMON);
	assert_int_equal(catch (show_why, &q, "{\"exit\":0,\"why\":[7]}"), CLI_NO_DAEMON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(no_words),
		cmocka_unit_test(rests),
		cmocka_unit_test(namespaces),
		cmocka_unit_test(pairs_of_filters),
		cmocka_unit_test(slips),
		cmocka_unit_test(links),
		cmocka_unit_test(addresses),
		cmocka_unit_test(memberships),
		cmocka_unit_test(all_namespaces),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(plans),
		cmocka_unit_test(results),
		cmocka_unit_test(statuses),
		cmocka_unit_test(whys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
