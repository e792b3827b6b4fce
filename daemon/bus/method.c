/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The methods of org.netctld.Manager. Every one is open to everybody as far as sd-bus is concerned; who
 * may change something is decided here, by the uid that the kernel gave (allow_change). An apply is answered
 * when the reconciler says so: until then a struct call holds the message. A client that goes away forgets
 * its calls, the jobs behind them go on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "bus/private.h"
#include "config/config.h"
#include "log/log.h"

#define APPLY_FLAGS ((unsigned)ND_APPLY_KEEP_GOING | (unsigned)ND_APPLY_ALLOW_RECREATE)

struct call {
	struct nctl_list link; /* in the client's calls */
	struct nd_client *client;
	sd_bus_message *m;
};

static struct call *call_free(struct call *call)
{
	nctl_list_del(&call->link);
	call->client->n_calls--;
	sd_bus_message_unref(call->m);
	free(call);
	return NULL;
}

void nd_calls_forget(struct nd_client *c)
{
	struct nctl_list *pos;

	while ((pos = nctl_list_first(&c->calls))) {
		struct call *call = nctl_list_entry(pos, struct call, link);

		nd_reconcile_forget(c->bus->reconcile, call);
		call_free(call);
	}
}

static int allow_change(const struct nd_client *c, sd_bus_error *error)
{
	if (c->privileged)
		return 0;
	return sd_bus_error_set(
		error, ND_BUS_ERROR "Denied", "Only root and the daemon's own user may change something.");
}

static int too_many(sd_bus_error *error, const char *what, unsigned n)
{
	return sd_bus_error_setf(error, ND_BUS_ERROR "LimitsExceeded", "At most %u %s at once.", n, what);
}

static int check_flags(uint32_t flags, sd_bus_error *error)
{
	if ((flags & ~APPLY_FLAGS) == 0)
		return 0;
	return sd_bus_error_setf(
		error, ND_BUS_ERROR "InvalidFlags", "Unknown flags 0x%x.", flags & ~APPLY_FLAGS);
}

/* What the reconciler could not do, in words; -errno is the result in any case. */
static int explain(int r, sd_bus_error *error)
{
	if (r == -EAGAIN)
		return sd_bus_error_set(error, ND_BUS_ERROR "NotReady",
			"The daemon is still reading the kernel's state; try again in a moment.");
	if (r == -EBUSY)
		return sd_bus_error_set(error, ND_BUS_ERROR "Busy", "Too many jobs are waiting already.");
	return r;
}

static int answer(sd_bus_message *m, const char *json)
{
	int r = sd_bus_reply_method_return(m, "s", json);

	return r < 0 ? r : 1;
}

static int answer_buf(sd_bus_message *m, const struct nctl_strbuf *out)
{
	return out->err ? out->err : answer(m, nctl_strbuf_str(out));
}

/* The files could not even be read: the same shape as any other answer about a configuration. */
static int answer_diagnostics(sd_bus_message *m, const struct nd_diagnostics *diag)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT, text = NCTL_STRBUF_INIT;
	struct nctl_json json;

	nd_diagnostics_print(diag, &text);
	if (text.err)
		return text.err;
	nctl_json_init(&json, &out);
	nctl_json_obj_begin(&json);
	nctl_json_ku64(&json, "exit", 2);
	nctl_json_kstr(&json, "error", "the files cannot be used");
	nctl_json_key(&json, "diagnostics");
	nd_diagnostics_json(diag, &json);
	nctl_json_kstr(&json, "diagnostics_text", nctl_strbuf_str(&text));
	nctl_json_obj_end(&json);
	return answer_buf(m, &out);
}

/*
 * May the loop read fd? Reading must not wait: root may hand in any regular file, everybody else one that
 * lives in memory (F_GET_SEALS of fcntl(2) works on nothing else), since a file of FUSE or NFS can block for
 * ever.
 */
static int check_file(const struct nd_client *c, int fd, const char *path, off_t *total, sd_bus_error *error)
{
	off_t max = c->privileged ? ND_FILES_BYTES : ND_FILES_BYTES_UNPRIVILEGED;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (!c->privileged && fcntl(fd, F_GET_SEALS) < 0))
		return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidFile",
			"%.256s: pass a file in memory (memfd_create(2)).", path);
	if (st.st_size > max - *total)
		return sd_bus_error_setf(error, ND_BUS_ERROR "TooLarge",
			"The files have more than %lld bytes.", (long long)max);
	*total += st.st_size;
	return 0;
}

/* Reads the argument a(sh). 0, ND_CONFIG_INVALID with the reasons in diag, or -errno. */
static int read_files(const struct nd_client *c, sd_bus_message *m, struct nd_config_texts *texts,
	struct nd_diagnostics *diag, sd_bus_error *error)
{
	int r, fd, invalid = 0;
	const char *path;
	off_t total = 0;

	r = sd_bus_message_enter_container(m, 'a', "(sh)");
	if (r < 0)
		return r;
	for (size_t n = 0; (r = sd_bus_message_read(m, "(sh)", &path, &fd)) > 0; n++) {
		if (n == ND_FILES_MAX)
			return too_many(error, "files", ND_FILES_MAX);
		r = check_file(c, fd, path, &total, error);
		if (r < 0)
			return r;
		/* The descriptor may have been read by its sender. */
		if (lseek(fd, 0, SEEK_SET) < 0)
			return -errno;
		r = nd_config_read_fd(fd, path, texts, diag);
		if (r < 0)
			return r;
		invalid = r > 0 ? ND_CONFIG_INVALID : invalid;
	}
	if (r < 0)
		return r;
	r = sd_bus_message_exit_container(m);
	return r < 0 ? r : invalid;
}

static int method_check(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nd_config_texts_fini) struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	_cleanup_(nd_diagnostics_fini) struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_client *c = userdata;
	int r;

	r = read_files(c, m, &texts, &diag, error);
	if (r != 0)
		return r < 0 ? r : answer_diagnostics(m, &diag);
	r = nd_reconcile_check(c->bus->reconcile, &texts, &out);
	return r < 0 ? explain(r, error) : answer_buf(m, &out);
}

static int method_plan(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nd_config_texts_fini) struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	_cleanup_(nd_diagnostics_fini) struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_client *c = userdata;
	uint32_t flags;
	int r;

	r = read_files(c, m, &texts, &diag, error);
	if (r != 0)
		return r < 0 ? r : answer_diagnostics(m, &diag);
	r = sd_bus_message_read(m, "u", &flags);
	if (r < 0)
		return r;
	r = check_flags(flags, error);
	/* The daemon reads its own files with its own rights, and diagnostics show lines of them. */
	if (r >= 0 && !texts.n)
		r = allow_change(c, error);
	if (r < 0)
		return r;
	r = nd_reconcile_plan(c->bus->reconcile, texts.n ? &texts : NULL, flags, &out);
	return r < 0 ? explain(r, error) : answer_buf(m, &out);
}

static void applied(const char *json, size_t len, void *userdata)
{
	struct call *call = userdata;
	struct nd_client *c = call->client;
	int r;

	(void)len;
	if (json)
		r = answer(call->m, json);
	else
		r = sd_bus_reply_method_errorf(call->m, ND_BUS_ERROR "Stopping", "The daemon is stopping.");
	call_free(call);
	if (r < 0)
		nd_client_doom(c);
	else
		nd_client_update(c);
}

static int apply(struct nd_client *c, sd_bus_message *m, const struct nd_config_texts *texts, unsigned flags,
	sd_bus_error *error)
{
	struct call *call;
	int r;

	if (c->n_calls >= ND_CALLS_MAX)
		return too_many(error, "unanswered calls", ND_CALLS_MAX);
	call = calloc(1, sizeof(*call));
	if (!call)
		return -ENOMEM;
	call->client = c;
	call->m = sd_bus_message_ref(m);
	nctl_list_init(&call->link);
	nctl_list_add_tail(&c->calls, &call->link);
	c->n_calls++;
	/* The answer may come, and call be gone, before this returns. */
	r = nd_reconcile_apply(c->bus->reconcile, texts, flags, applied, call);
	if (r < 0) {
		call_free(call);
		return explain(r, error);
	}
	return 1;
}

static int method_apply(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nd_config_texts_fini) struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	_cleanup_(nd_diagnostics_fini) struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	struct nd_client *c = userdata;
	uint32_t flags;
	int r;

	r = allow_change(c, error);
	if (r < 0)
		return r;
	r = read_files(c, m, &texts, &diag, error);
	if (r != 0)
		return r < 0 ? r : answer_diagnostics(m, &diag);
	if (texts.n == 0)
		return sd_bus_error_set(
			error, ND_BUS_ERROR "NoFiles", "Apply wants files; Reload takes the daemon's.");
	r = sd_bus_message_read(m, "u", &flags);
	if (r < 0)
		return r;
	r = check_flags(flags, error);
	return r < 0 ? r : apply(c, m, &texts, flags, error);
}

static int method_reload(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct nd_client *c = userdata;
	uint32_t flags;
	int r;

	r = allow_change(c, error);
	if (r < 0)
		return r;
	r = sd_bus_message_read(m, "u", &flags);
	if (r < 0)
		return r;
	r = check_flags(flags, error);
	return r < 0 ? r : apply(c, m, NULL, flags, error);
}

static int method_status(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_client *c = userdata;

	(void)error;
	nd_reconcile_status(c->bus->reconcile, &out);
	return answer_buf(m, &out);
}

static int read_query(struct nd_client *c, sd_bus_message *m, struct nd_query *q, sd_bus_error *error)
{
	const struct nctl_mirror *mirror = nd_reconcile_mirror(c->bus->reconcile);
	const char *object, *key, *value;
	int r;

	if (!mirror)
		return explain(-EAGAIN, error);
	r = sd_bus_message_read(m, "s", &object);
	if (r < 0)
		return r;
	r = nd_query_init(q, object, error);
	if (r < 0)
		return r;
	r = sd_bus_message_enter_container(m, 'a', "{ss}");
	if (r < 0)
		return r;
	while ((r = sd_bus_message_read(m, "{ss}", &key, &value)) > 0) {
		r = nd_query_filter(q, mirror, key, value, error);
		if (r < 0)
			return r;
	}
	return r;
}

static int method_query(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_closep) int fd = -1;
	struct nd_client *c = userdata;
	struct nd_query q;
	int r;

	if (c->n_streams >= ND_STREAMS_MAX_PER_CLIENT)
		return too_many(error, "answers to one client", ND_STREAMS_MAX_PER_CLIENT);
	nd_reconcile_be_brief(c->bus->reconcile);
	if (c->bus->n_streams >= ND_STREAMS_MAX)
		return too_many(error, "answers", ND_STREAMS_MAX);
	r = read_query(c, m, &q, error);
	if (r < 0)
		return r;
	r = nd_stream_new(c, &q, &fd);
	if (r < 0)
		return r;
	r = sd_bus_reply_method_return(m, "h", fd);
	return r < 0 ? r : 1;
}

const sd_bus_vtable nd_bus_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("Check", SD_BUS_ARGS("a(sh)", files), SD_BUS_RESULT("s", json), method_check,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Plan", SD_BUS_ARGS("a(sh)", files, "u", flags), SD_BUS_RESULT("s", json),
		method_plan, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Apply", SD_BUS_ARGS("a(sh)", files, "u", flags), SD_BUS_RESULT("s", json),
		method_apply, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Reload", SD_BUS_ARGS("u", flags), SD_BUS_RESULT("s", json), method_reload,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Status", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", json), method_status,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Query", SD_BUS_ARGS("s", object, "a{ss}", filters),
		SD_BUS_RESULT("h", lines), method_query, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};
