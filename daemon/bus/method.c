/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The methods of org.netctld.Manager that deal with configurations, and the list of all. Every one is
 * open to everybody as far as sd-bus is concerned; who may change something is decided here, by the uid that
 * the kernel gave (nd_allow_change). A job is answered when the reconciler says so (call.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "bus/apply.h"
#include "config/config.h"
#include "log/log.h"

int nd_allow_change(const struct nd_client *c, sd_bus_error *error)
{
	if (c->privileged)
		return 0;
	return sd_bus_error_set(
		error, ND_BUS_ERROR "Denied", "Only root and the daemon's own user may change something.");
}

/* What the reconciler could not do, in words; -errno is the result in any case. */
int nd_explain(int r, sd_bus_error *error)
{
	if (r == -EAGAIN)
		return nd_not_ready(error);
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
int nd_answer_diagnostics(sd_bus_message *m, const struct nd_diagnostics *diag)
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

int nd_read_files(const struct nd_client *c, sd_bus_message *m, struct nd_config_texts *texts,
	struct nd_diagnostics *diag, sd_bus_error *error)
{
	int r, fd, invalid = 0;
	const char *path;
	off_t total = 0;

	/* A short text can stand for a million devices. */
	if (!c->privileged)
		texts->most = ND_DEVICES_UNPRIVILEGED;
	r = sd_bus_message_enter_container(m, 'a', "(sh)");
	if (r < 0)
		return r;
	for (size_t n = 0; (r = sd_bus_message_read(m, "(sh)", &path, &fd)) > 0; n++) {
		if (n == ND_FILES_MAX)
			return nd_too_many(error, "files", ND_FILES_MAX);
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

int nd_read_change(
	const struct nd_client *c, sd_bus_message *m, struct nd_config_texts *texts, sd_bus_error *error)
{
	_cleanup_(nd_diagnostics_fini) struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	int r = nd_allow_change(c, error);

	if (r >= 0)
		r = nd_read_files(c, m, texts, &diag, error);
	if (r == ND_CONFIG_INVALID)
		r = nd_answer_diagnostics(m, &diag);
	else if (r >= 0)
		return 0;
	return r < 0 ? r : 1;
}

static int method_check(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nd_config_texts_fini) struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	_cleanup_(nd_diagnostics_fini) struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_client *c = userdata;
	int r;

	r = nd_read_files(c, m, &texts, &diag, error);
	if (r != 0)
		return r < 0 ? r : nd_answer_diagnostics(m, &diag);
	r = nd_reconcile_check(c->bus->reconcile, &texts, &out);
	return r < 0 ? nd_explain(r, error) : answer_buf(m, &out);
}

void nd_call_finished(const char *json, size_t len, void *userdata)
{
	(void)len;
	if (json)
		nd_call_answer(userdata, json);
	else
		nd_call_stopping(userdata);
}

/* Plan and Apply alike. */
static int start(struct nd_client *c, sd_bus_message *m, const struct nd_config_texts *texts,
	const struct nd_apply *how,
	int (*job)(struct nd_reconcile *r, const struct nd_config_texts *texts, const struct nd_apply *how,
		void (*answer)(const char *json, size_t len, void *userdata), void *userdata),
	sd_bus_error *error)
{
	struct nd_call *call;
	int r;

	r = nd_call_new(c, m, error, &call);
	if (r < 0)
		return r;
	/* The answer may come, and call be gone, before this returns. */
	r = job(c->bus->reconcile, texts, how, nd_call_finished, call);
	if (r < 0) {
		nd_call_free(call);
		return nd_explain(r, error);
	}
	return 1;
}

static int method_plan(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nd_config_texts_fini) struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	_cleanup_(nd_diagnostics_fini) struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	struct nd_client *c = userdata;
	struct nd_apply how = {0};
	int r;

	r = nd_read_files(c, m, &texts, &diag, error);
	if (r != 0)
		return r < 0 ? r : nd_answer_diagnostics(m, &diag);
	r = nd_read_apply(m, &how, error);
	/* The daemon reads its own files with its own rights, and diagnostics show lines of them. */
	if (r >= 0 && !texts.n)
		r = nd_allow_change(c, error);
	return r < 0 ? r : start(c, m, texts.n ? &texts : NULL, &how, nd_reconcile_plan, error);
}

static int method_apply(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nd_config_texts_fini) struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	struct nd_client *c = userdata;
	struct nd_apply how = {0};
	int r;

	r = nd_read_change(c, m, &texts, error);
	if (r != 0)
		return r;
	if (texts.n == 0)
		return sd_bus_error_set(
			error, ND_BUS_ERROR "NoFiles", "Apply wants files; Reload takes the daemon's.");
	r = nd_read_apply(m, &how, error);
	return r < 0 ? r : start(c, m, &texts, &how, nd_reconcile_apply, error);
}

static int method_reload(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct nd_client *c = userdata;
	struct nd_apply how = {0};
	int r;

	r = nd_allow_change(c, error);
	if (r < 0)
		return r;
	r = nd_read_apply(m, &how, error);
	return r < 0 ? r : start(c, m, NULL, &how, nd_reconcile_apply, error);
}

/* Lines of the daemon's own files. */
static int method_config(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_client *c = userdata;
	int r, origin;

	r = nd_allow_change(c, error);
	if (r >= 0)
		r = sd_bus_message_read(m, "b", &origin);
	if (r >= 0)
		r = nd_reconcile_config(c->bus->reconcile, origin, &out);
	return r < 0 ? r : answer_buf(m, &out);
}

static int method_why(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_client *c = userdata;
	const char *netns, *link;
	int r;

	if (!nd_reconcile_is_ready(c->bus->reconcile))
		return nd_not_ready(error);
	r = sd_bus_message_read(m, "ss", &netns, &link);
	if (r >= 0)
		r = nd_reconcile_why(c->bus->reconcile, netns, link, &out);
	return r < 0 ? r : answer_buf(m, &out);
}

static int method_status(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nd_client *c = userdata;

	(void)error;
	nd_reconcile_status(c->bus->reconcile, &out);
	return answer_buf(m, &out);
}

const sd_bus_vtable nd_bus_vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD_WITH_ARGS("Check", SD_BUS_ARGS("a(sh)", files), SD_BUS_RESULT("s", json), method_check,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Config", SD_BUS_ARGS("b", origin), SD_BUS_RESULT("s", json), method_config,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Plan", SD_BUS_ARGS("a(sh)", files, "u", flags, "a{ss}", options),
		SD_BUS_RESULT("s", json), method_plan, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Apply", SD_BUS_ARGS("a(sh)", files, "u", flags, "a{ss}", options),
		SD_BUS_RESULT("s", json), method_apply, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Batch", SD_BUS_ARGS("a(sh)", files, "u", flags, "a{ss}", options),
		SD_BUS_RESULT("s", json), nd_method_batch, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Reload", SD_BUS_ARGS("u", flags, "a{ss}", options), SD_BUS_RESULT("s", json),
		method_reload, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Confirm", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", json), nd_method_confirm,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Rollback", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", json), nd_method_rollback,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Drift", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", json), nd_method_drift,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Why", SD_BUS_ARGS("s", netns, "s", link), SD_BUS_RESULT("s", json), method_why,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Status", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", json), method_status,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Jobs", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", json), nd_method_jobs,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Cancel", SD_BUS_ARGS("s", job), SD_BUS_RESULT("s", json), nd_method_cancel,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Query", SD_BUS_ARGS("s", object, "a{ss}", filters),
		SD_BUS_RESULT("h", lines), nd_method_query, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Monitor", SD_BUS_ARGS("a{ss}", filters), SD_BUS_RESULT("h", lines),
		nd_method_monitor, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("RouteGet", SD_BUS_ARGS("a{ss}", question), SD_BUS_RESULT("s", json),
		nd_method_route_get, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Resync", SD_BUS_ARGS("a{ss}", netns), SD_BUS_RESULT("s", json),
		nd_method_resync, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("Stats", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", json), nd_method_stats,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("NetnsAdd", SD_BUS_ARGS("as", names), SD_BUS_RESULT("s", json),
		nd_method_netns_add, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("NetnsDel", SD_BUS_ARGS("as", names), SD_BUS_RESULT("s", json),
		nd_method_netns_del, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("NetnsScan", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", json), nd_method_netns_scan,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_METHOD_WITH_ARGS("LinkMove", SD_BUS_ARGS("s", from, "s", link, "s", to, "s", new_name),
		SD_BUS_RESULT("s", json), nd_method_link_move, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};
