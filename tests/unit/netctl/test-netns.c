/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Names of namespaces as netctl takes them, and lists and answers as it shows them, with this process in
 * the daemon's place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <systemd/sd-bus.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "netctl/cli.h"

static char printed[1 << 16], dir[] = "/tmp/netctl-test-XXXXXX";

/* Catches what fn prints on both channels. */
static int catch (int (*fn)(const struct cli_request *q), const struct cli_request *q)
{
	int saved = dup(STDOUT_FILENO), saved_err = dup(STDERR_FILENO), r;
	FILE *f = tmpfile();
	size_t n;

	fflush(stdout);
	dup2(fileno(f), STDOUT_FILENO);
	dup2(fileno(f), STDERR_FILENO);
	r = fn(q);
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

/* Words between commas as q's rest. */
static void set_rest(struct cli_request *q, const char *line)
{
	static char copy[512], *words[16];
	char *next = copy;

	snprintf(copy, sizeof(copy), "%s", line);
	q->rest = words;
	for (q->n_rest = 0; next; q->n_rest++)
		words[q->n_rest] = strsep(&next, ",");
}

static struct cli_names names;
static bool literal;

static int expand(const struct cli_request *q)
{
	return cli_names_expand(&names, q->rest, q->n_rest, literal);
}

/* The names, each followed by a comma; or NULL and what is said. */
static void expect_names(const char *line, const char *want, const char *complaint)
{
	struct cli_request q = {0};
	char text[512] = "";
	int status;

	set_rest(&q, line);
	names = (struct cli_names){.text = NCTL_STRBUF_INIT};
	status = catch (expand, &q);
	assert_int_equal(status, want ? CLI_OK : CLI_USAGE);
	for (const char *name = NULL; want && (name = cli_names_next(&names, name));)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s,", name);
	if (want)
		assert_string_equal(text, want);
	else if (!strstr(printed, complaint))
		fail_msg("%s", printed);
	cli_names_fini(&names);
}

static void ranges(void **state)
{
	static const char *const wrong[] = {"", ".", "..", "a/b", "{1..2}/x", "fine,a/b", "/"};
	char long_name[257];

	(void)state;
	memset(long_name, 'x', 256);
	long_name[256] = '\0';
	for (int i = 0; i < 2; i++) {
		literal = i;
		expect_names("a,t{1..3},-j,x y", "a,t1,t2,t3,-j,x y,", NULL);
		expect_names("v{10..30..10}.x", "v10.x,v20.x,v30.x,", NULL);
		for (size_t j = 0; j < NCTL_ARRAY_SIZE(wrong); j++)
			expect_names(wrong[j], NULL, "Invalid netns name \"");
		expect_names(long_name, NULL, "Invalid netns name \"");
		expect_names("{1..1000000},b", NULL, "at most 1000000 names");
	}
	expect_names("a{1..", "a{1..,", NULL);
	expect_names("a{1..2}{3..4}", "a{1..2}{3..4},", NULL);
	literal = false;
	expect_names("a{1..", NULL, "a{1..: the range has no end");
	expect_names("a{1..2}{3..4}", NULL, "a second range");
	expect_names("a}b", NULL, "a closing brace");
}

/* A daemon that answers: Query with query_lines, and the others after counting names. */
static const char *query_lines;

static int method(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	static const char failed[] = "{\"name\":\"n\",\"errno\":17,\"error\":\"no: File exists\"}";
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	const char *name;
	int fds[2], r, n = 0, n_failed = 0;

	(void)userdata;
	if (sd_bus_message_is_method_call(m, NULL, "Query")) {
		if (pipe2(fds, O_CLOEXEC) < 0 || write(fds[1], query_lines, strlen(query_lines)) < 0)
			return -EIO;
		close(fds[1]);
		r = sd_bus_reply_method_return(m, "h", fds[0]);
		close(fds[0]);
		return r < 0 ? r : 1;
	}
	if (sd_bus_message_is_method_call(m, NULL, "NetnsScan"))
		return sd_bus_reply_method_return(m, "s", "{\"exit\":0}");
	if (!sd_bus_message_is_method_call(m, NULL, "NetnsAdd"))
		return sd_bus_error_set(error, "org.netctld.Error.NoHelper", "There is no helper.");
	if (sd_bus_message_enter_container(m, 'a', "s") < 0)
		return -EBADMSG;
	for (; sd_bus_message_read(m, "s", &name) > 0; n++)
		n_failed += name[0] == 'n';
	nctl_strbuf_printf(&out, "{\"exit\":%d,\"done\":%d,\"failed_count\":%d,\"failed\":[",
		n_failed ? 4 : 0, n - n_failed, n_failed);
	for (int i = 0; i < n_failed && i < 100; i++)
		nctl_strbuf_printf(&out, "%s%s", i ? "," : "", failed);
	nctl_strbuf_puts(&out, "]}");
	return sd_bus_reply_method_return(m, "s", nctl_strbuf_str(&out));
}

static void serve(int listen_fd)
{
	sd_bus *bus;
	sd_id128_t id;
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0 || sd_bus_new(&bus) < 0 || sd_id128_randomize(&id) < 0 ||
		sd_bus_set_server(bus, 1, id) < 0 || sd_bus_set_anonymous(bus, 1) < 0 ||
		sd_bus_negotiate_fds(bus, 1) < 0 ||
		sd_bus_add_object(bus, NULL, "/org/netctld", method, NULL) < 0 ||
		sd_bus_set_fd(bus, fd, fd) < 0 || sd_bus_start(bus) < 0)
		_exit(1);
	while (sd_bus_process(bus, NULL) >= 0)
		if (sd_bus_wait(bus, 20000000) < 0)
			break;
	_exit(0);
}

/* Runs fn with such a daemon. */
static int with_daemon(int (*fn)(const struct cli_request *q), struct cli_request *q)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), status;
	pid_t pid;

	q->runtime_dir = dir;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/private", dir);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		serve(fd);
	close(fd);
	status = catch (fn, q);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	unlink(addr.sun_path);
	return status;
}

static int list(const struct cli_request *q)
{
	_cleanup_(cli_dbus_close) struct cli_bus bus = CLI_BUS_INIT;
	int status = cli_bus_connect(q->runtime_dir, &bus);

	return status == CLI_OK ? cli_netns_list(&bus, q) : status;
}

static void lists(void **state)
{
	struct cli_request q = {.action = CLI_NETNS_LIST};

	(void)state;
	query_lines = "{\"name\":\"z\",\"id\":3,\"cookie\":17,\"pid\":0}\n"
		      "{\"id\":5,\"cookie\":18,\"pid\":4711}\n"
		      "{\"name\":\"a\\u001bb\",\"more\":[{\"name\":\"no\"}]}\n"
		      "{\"cookie\":19,\"state\":\"home\"}\n"
		      "{\"name\":\"B\",\"id\":0}\n\n";
	assert_int_equal(with_daemon(list, &q), CLI_OK);
	assert_string_equal(printed, "B (id: 0)\na?b\nz (id: 3)\n(cookie 18, pid 4711) (id: 5)\n(own)\n");
	q.json = true;
	assert_int_equal(with_daemon(list, &q), CLI_OK);
	assert_string_equal(printed, "[{\"name\":\"B\",\"id\":0},\n"
				     "{\"name\":\"a\\u001bb\",\"more\":[{\"name\":\"no\"}]},\n"
				     "{\"name\":\"z\",\"id\":3,\"cookie\":17,\"pid\":0},\n"
				     "{\"id\":5,\"cookie\":18,\"pid\":4711},\n"
				     "{\"cookie\":19,\"state\":\"home\"}]\n");
	query_lines = "\n";
	assert_int_equal(with_daemon(list, &q), CLI_OK);
	assert_string_equal(printed, "[]\n");
	query_lines = "{\"name\":\"z\"}\n";
	assert_int_equal(with_daemon(list, &q), CLI_NO_DAEMON);
	assert_non_null(strstr(printed, "cut short"));
	query_lines = "{\"name\":\"z\"\n\n";
	assert_int_equal(with_daemon(list, &q), CLI_USAGE);
}

static void changes(void **state)
{
	struct cli_request q = {.action = CLI_NETNS_ADD};

	(void)state;
	set_rest(&q, "a,b{1..25000}");
	assert_int_equal(with_daemon(cli_netns_change, &q), CLI_OK);
	assert_string_equal(printed, "");
	q.json = true;
	assert_int_equal(with_daemon(cli_netns_change, &q), CLI_OK);
	assert_string_equal(printed, "{\"exit\":0,\"done\":25001,\"failed_count\":0,\"failed\":[]}\n");
	q.json = false;
	set_rest(&q, "m{1..10000},n{1..150},x");
	assert_int_equal(with_daemon(cli_netns_change, &q), CLI_REFUSED);
	assert_int_equal(strncmp(printed, "netctl: no: File exists\n", 24), 0);
	assert_string_equal(printed + 100 * 24, "netctl: ... and 50 more\n");
	q.json = true;
	assert_int_equal(with_daemon(cli_netns_change, &q), CLI_REFUSED);
	assert_int_equal(
		strncmp(printed, "{\"exit\":4,\"done\":10001,\"failed_count\":150,\"failed\":[{", 53), 0);
	q = (struct cli_request){.action = CLI_NETNS_DEL};
	set_rest(&q, "x");
	assert_int_equal(with_daemon(cli_netns_change, &q), CLI_REFUSED);
	assert_string_equal(printed, "netctl: There is no helper.\n");
	set_rest(&q, "\xff");
	assert_int_equal(with_daemon(cli_netns_change, &q), CLI_USAGE);
	assert_non_null(strstr(printed, "cannot be sent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges),
		cmocka_unit_test(lists),
		cmocka_unit_test(changes),
	};
	int r;

	if (!mkdtemp(dir))
		return 1;
	r = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(dir);
	return r;
}
