/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The other side of the bus for its tests: a stub of the reconciler, and clients that run in a child
 * process with the blocking calls of sd-bus, while the bus runs in the test's own loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>
#include <malloc.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "stub.h"
#include "stub-netns.h"

int nd_reconcile_check(struct nd_reconcile *r, const struct nd_config_texts *texts, struct nctl_strbuf *out)
{
	(void)r;
	nctl_strbuf_printf(out, "{\"exit\":0,\"n\":%zu", texts->n);
	for (size_t i = 0; i < texts->n; i++)
		nctl_strbuf_printf(
			out, ",\"%s\":\"%.*s\"", texts->v[i].path, (int)texts->v[i].len, texts->v[i].data);
	nctl_strbuf_puts(out, "}");
	return out->err;
}

int nd_reconcile_config(struct nd_reconcile *r, bool origin, struct nctl_strbuf *out)
{
	(void)r;
	nctl_strbuf_printf(out, "{\"exit\":0,\"yaml\":\"%d\"}", origin);
	return out->err;
}

int nd_reconcile_plan(struct nd_reconcile *r, const struct nd_config_texts *texts, const struct nd_apply *how,
	void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	const char *json = texts ? "{\"exit\":1,\"own\":false}" : "{\"exit\":1,\"own\":true}";

	(void)r;
	if (how->flags & ND_APPLY_KEEP_GOING)
		return -EAGAIN;
	answer(json, strlen(json), userdata);
	return 0;
}

int nd_reconcile_why(struct nd_reconcile *r, const char *netns, const char *link, struct nctl_strbuf *out)
{
	(void)r;
	nctl_strbuf_printf(out, "{\"exit\":0,\"why\":{\"text\":\"%s/%s\"}}", netns, link);
	return out->err;
}

int nd_reconcile_drift(struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata),
	void *userdata)
{
	(void)r;
	answer("{\"exit\":0}", strlen("{\"exit\":0}"), userdata);
	return 0;
}

int nd_reconcile_confirm(
	struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	static const char json[] = "{\"exit\":0}";

	(void)r;
	answer(json, strlen(json), userdata);
	return 0;
}

int nd_reconcile_rollback(
	struct nd_reconcile *r, void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	(void)r;
	(void)answer;
	(void)userdata;
	return -EBUSY;
}

int nd_reconcile_batch(struct nd_reconcile *r, struct nd_config_text *text, const struct nd_batch_how *how,
	void (*answer)(const char *json, size_t len, void *userdata), void *userdata)
{
	(void)r;
	(void)text;
	(void)how;
	(void)answer;
	(void)userdata;
	return -EBUSY;
}

void nd_reconcile_jobs(struct nd_reconcile *r, int (*pid_of)(const void *userdata, void *arg), void *arg,
	struct nctl_strbuf *out)
{
	(void)r;
	(void)pid_of;
	(void)arg;
	nctl_strbuf_puts(out, "{\"jobs\":[]}");
}

int nd_reconcile_cancel(struct nd_reconcile *r, uint64_t number)
{
	(void)r;
	return number == 1 ? 0 : -ENOENT;
}

int nd_reconcile_apply(struct nd_reconcile *r, const struct nd_config_texts *texts,
	const struct nd_apply *how, void (*answer)(const char *json, size_t len, void *userdata),
	void *userdata)
{
	static const char json[] = "{\"exit\":0}";

	(void)texts;
	(void)how;
	switch (r->apply) {
	case STUB_APPLY_BUSY:
		return -EBUSY;
	case STUB_APPLY_NOW:
		answer(json, strlen(json), userdata);
		break;
	case STUB_APPLY_HOLD:
		r->held[r->n_held].answer = answer;
		r->held[r->n_held++].userdata = userdata;
		break;
	}
	r->n_applies++;
	return 0;
}

void nd_reconcile_forget(struct nd_reconcile *r, void *userdata)
{
	for (size_t i = 0; i < r->n_held; i++) {
		if (r->held[i].userdata == userdata) {
			r->held[i].answer = NULL;
			r->n_forgotten++;
		}
	}
}

void nd_reconcile_be_brief(struct nd_reconcile *r)
{
	(void)r;
}

void nd_reconcile_status(struct nd_reconcile *r, struct nctl_strbuf *out)
{
	for (size_t i = 0; i < r->n_held; i++)
		if (r->held[i].answer)
			r->held[i].answer("{\"exit\":4}", 10, r->held[i].userdata);
	r->n_held = 0;
	if (r->step)
		r->step(r, ++r->n_steps);
	nctl_strbuf_puts(out, "{\"state\":\"idle\"");
	while (out->len < r->status_bytes)
		nctl_strbuf_puts(out, "          ");
	nctl_strbuf_puts(out, "}");
}

bool nd_reconcile_is_ready(const struct nd_reconcile *r)
{
	(void)r;
	return true;
}

struct nd_netns_set *nd_reconcile_netns(const struct nd_reconcile *r)
{
	return (struct nd_netns_set *)(uintptr_t)&r->set;
}

static void put_link(struct nctl_mirror *m, unsigned ifindex, const char *name, bool up, unsigned master,
	const struct nctl_kind *kind)
{
	struct nctl_link l = NCTL_LINK_INIT;
	struct nctl_addr a = NCTL_ADDR_INIT;

	l.ifindex = ifindex;
	l.flags = up ? IFF_UP : 0;
	l.mtu = 1500;
	l.master = master;
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(MTU) | NCTL_LINK_BIT(MASTER);
	snprintf(l.name, sizeof(l.name), "%s", name);
	if (kind)
		assert_int_equal(nctl_link_set_kind(&l, kind), 0);
	assert_int_equal(nctl_mirror_link_put(m, &l, NCTL_SOURCE_EVENT), 0);
	nctl_link_fini(&l);
	a.ifindex = ifindex;
	a.local = (struct nctl_prefix){AF_INET, 24, {10, (uint8_t)(ifindex >> 8), (uint8_t)ifindex, 1}};
	assert_int_equal(nctl_mirror_addr_put(m, &a, NCTL_SOURCE_EVENT), 0);
}

static const struct nctl_kind vrf_kind = {.name = "vrf", .traits = NCTL_KIND_VRF};
static const struct nctl_kind vlan_kind = {.name = "vlan"};
const struct nctl_kind *const nctl_kinds[] = {&vrf_kind, &vlan_kind, NULL};

void add_links(struct fixture *f, unsigned n)
{
	char name[IF_NAMESIZE];

	put_link(f->stub.mirror, 1, "red", true, 0, &vrf_kind);
	for (unsigned i = 2; i <= n; i++) {
		snprintf(name, sizeof(name), "l%u", i);
		put_link(f->stub.mirror, i, name, i % 10 == 0, i % 100 == 0, i % 2 ? &vlan_kind : NULL);
	}
}

static void guard_event(struct nd_timer *t)
{
	nd_loop_stop(t->loop, -ETIMEDOUT);
}

static void child_event(struct nd_signal *s, int signum)
{
	struct fixture *f = s->userdata;
	int status;

	(void)signum;
	if (f->pid > 0 && waitpid(f->pid, &status, WNOHANG) == f->pid)
		nd_loop_stop(f->loop, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || nd_loop_new(&f->loop) < 0)
		return -1;
	strcpy(f->dir, "/tmp/netctld-test-XXXXXX");
	if (!mkdtemp(f->dir) || chmod(f->dir, 0755) < 0)
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/private", f->dir);
	nd_signal_init(&f->child, f->loop, SIGCHLD, child_event, f);
	nd_timer_init(&f->guard, f->loop, guard_event, f);
	if (stub_start(f) < 0)
		return -1;
	if (nd_bus_new(f->loop, &f->stub, f->dir, -1, &f->bus) < 0)
		return -1;
	*state = f;
	return 0;
}

int teardown(void **state)
{
	struct fixture *f = *state;

	nd_bus_free(f->bus);
	assert_int_equal(access(f->path, F_OK), -1);
	rmdir(f->dir);
	nd_signal_stop(&f->child);
	nd_timer_stop(&f->guard);
	stub_end(f);
	nd_loop_free(f->loop);
	free(f);
	return 0;
}

void run_for(struct fixture *f, unsigned ms)
{
	nd_timer_set(&f->guard, nctl_time_add_ms(nctl_time_now(), ms));
	assert_int_equal(nd_loop_run(f->loop), -ETIMEDOUT);
}

int run_client(struct fixture *f, int uid, void (*client)(struct fixture *f))
{
	int r;

	fflush(NULL);
	f->pid = fork();
	assert_true(f->pid >= 0);
	if (f->pid == 0) {
		if (uid >= 0 && setresuid((uid_t)uid, (uid_t)uid, (uid_t)uid) < 0)
			_exit(77);
		client(f);
		_exit(0);
	}
	nd_timer_set(&f->guard, nctl_time_add_ms(nctl_time_now(), 120000));
	r = nd_loop_run(f->loop);
	if (r == -ETIMEDOUT) {
		kill(f->pid, SIGKILL);
		waitpid(f->pid, NULL, 0);
	}
	f->pid = 0;
	nd_timer_stop(&f->guard);
	return r;
}

static size_t most;

static size_t memory(void)
{
	struct mallinfo2 i = mallinfo2();

	return i.uordblks + i.hblkhd;
}

static void before_wait(struct nd_prepare *p)
{
	(void)p;
	most = nctl_max(most, memory());
}

int run_client_measured(struct fixture *f, void (*client)(struct fixture *f), size_t *ret_bytes)
{
	size_t before = memory();
	struct nd_prepare prepare;
	int status;

	most = before;
	nd_prepare_init(&prepare, f->loop, before_wait, NULL);
	status = run_client(f, -1, client);
	nd_prepare_stop(&prepare);
	*ret_bytes = most - before;
	return status;
}

void client_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: client: %s\n", file, line, what);
	_exit(1);
}

int client_socket(struct fixture *f)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", f->path);
	CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	return fd;
}

sd_bus *client_connect(struct fixture *f)
{
	int fd = client_socket(f);
	sd_bus *bus;

	CHECK(sd_bus_new(&bus) >= 0);
	CHECK(sd_bus_set_fd(bus, fd, fd) >= 0);
	CHECK(sd_bus_negotiate_fds(bus, 1) >= 0);
	CHECK(sd_bus_start(bus) >= 0);
	return bus;
}

int client_memfd(const char *content)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	CHECK(fd >= 0 && fchmod(fd, 0600) == 0);
	CHECK(write(fd, content, strlen(content)) == (ssize_t)strlen(content));
	return fd;
}

sd_bus_message *client_call(sd_bus *bus, const char *method)
{
	sd_bus_message *m;

	CHECK(sd_bus_message_new_method_call(bus, &m, NULL, "/org/netctld", "org.netctld.Manager", method) >=
		0);
	return m;
}

sd_bus_message *client_send(sd_bus *bus, sd_bus_message *m, const char *want)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	int r = sd_bus_call(bus, m, 20000000, &error, &reply);
	const char *dot = error.name ? strrchr(error.name, '.') : NULL;

	sd_bus_message_unref(m);
	if (want && r < 0 && dot && strcmp(dot + 1, want) == 0)
		return NULL;
	if (!want && r >= 0)
		return reply;
	fprintf(stderr, "client: wanted %s, got %s: %s\n", want ? want : "an answer",
		error.name ? error.name : "an answer", error.message ? error.message : strerror(-r));
	_exit(1);
}

int client_pipe(sd_bus *bus, const char *want, const char *method, const char *object, va_list ap)
{
	sd_bus_message *m = client_call(bus, method), *reply;
	const char *key;
	int fd = -1;

	if (object)
		CHECK(sd_bus_message_append(m, "s", object) >= 0);
	CHECK(sd_bus_message_open_container(m, 'a', "{ss}") >= 0);
	while ((key = va_arg(ap, const char *)))
		CHECK(sd_bus_message_append(m, "{ss}", key, va_arg(ap, const char *)) >= 0);
	CHECK(sd_bus_message_close_container(m) >= 0);
	reply = client_send(bus, m, want);
	if (!reply)
		return -1;
	CHECK(sd_bus_message_read(reply, "h", &fd) >= 0);
	fd = dup(fd);
	sd_bus_message_unref(reply);
	return fd;
}

int client_query(sd_bus *bus, const char *want, const char *object, ...)
{
	va_list ap;
	int fd;

	va_start(ap, object);
	fd = client_pipe(bus, want, "Query", object, ap);
	va_end(ap);
	return fd;
}

char *client_slurp(int fd, size_t *ret_len)
{
	size_t cap = 64 << 20, len = 0;
	char *text = malloc(cap);
	ssize_t n;

	CHECK(text);
	while ((n = read(fd, text + len, nctl_min((size_t)4096, cap - len - 1))) > 0)
		len += (size_t)n;
	CHECK(n == 0);
	close(fd);
	text[len] = '\0';
	*ret_len = len;
	return text;
}
