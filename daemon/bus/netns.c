/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The methods that change namespaces: names come and go, links move between them. All are for root
 * alone, and are answered when the work is done, that of a move when the mirrors show it, so that who asks
 * next sees it. Links are looked up in the mirror, and namespaces told by the cookie that was known at that
 * time: one that took the name since is left alone.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/filename.h"
#include "base/json.h"
#include "base/num.h"
#include "bus/private.h"
#include "bus/query.h"
#include "netns/jobs.h"

#define WAIT_MS 10000 /* for a namespace to be joined */
#define SEEN_MS 2000  /* for the event of a change that the kernel has agreed to */

static struct nd_netns_set *set_of(const struct nd_client *c)
{
	return nd_reconcile_netns(c->bus->reconcile);
}

static int no_helper(sd_bus_error *error)
{
	return sd_bus_error_set(error, ND_BUS_ERROR "NoHelper",
		"The daemon has no helper that could do this: it was not started as root, or the helper "
		"died.");
}

static int refuse(int r, sd_bus_error *error)
{
	if (r == -EPIPE)
		return no_helper(error);
	if (r == -EBUSY)
		return sd_bus_error_set(error, ND_BUS_ERROR "Busy", "The helper has too much to do already.");
	return r;
}

static int invalid_name(sd_bus_error *error, const char *name)
{
	return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidName", "Invalid netns name \"%.300s\"", name);
}

struct names {
	const char **v; /* of the message */
	size_t n, cap;
};

static void names_fini(struct names *names)
{
	free(names->v);
}

static int add_name(struct names *names, const char *name, sd_bus_error *error)
{
	size_t cap = names->cap ? 2 * names->cap : 64;
	const char **v;

	if (!nctl_is_file_name(name))
		return invalid_name(error, name);
	if (names->n == ND_NAMES_MAX)
		return nd_too_many(error, "names", ND_NAMES_MAX);
	if (names->n == names->cap) {
		v = realloc(names->v, cap * sizeof(*v));
		if (!v)
			return -ENOMEM;
		names->v = v;
		names->cap = cap;
	}
	names->v[names->n++] = name;
	return 0;
}

static int read_names(sd_bus_message *m, struct names *names, sd_bus_error *error)
{
	const char *name;
	int r;

	r = sd_bus_message_enter_container(m, 'a', "s");
	while (r >= 0 && (r = sd_bus_message_read_basic(m, 's', &name)) > 0)
		r = add_name(names, name, error);
	return r;
}

static void put_failure(struct nctl_json *json, const char *what, const char *name, int error)
{
	char text[NAME_MAX + 128];

	snprintf(text, sizeof(text), "Cannot %s namespace file \"/run/netns/%s\": %s", what, name,
		strerror(-error));
	nctl_json_obj_begin(json);
	nctl_json_kstr(json, "name", name);
	nctl_json_ki64(json, "errno", -error);
	nctl_json_kstr(json, "error", text);
	nctl_json_obj_end(json);
}

static void answer_names(
	struct nd_call *call, const char *what, const char *const *names, const int *errors, size_t n)
{
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	size_t failed = 0, told = 0;
	struct nctl_json json;

	for (size_t i = 0; i < n; i++)
		failed += errors[i] < 0;
	nctl_json_init(&json, &out);
	nctl_json_obj_begin(&json);
	nctl_json_ku64(&json, "exit", failed ? 4 : 0);
	nctl_json_ku64(&json, "done", n - failed);
	nctl_json_ku64(&json, "failed_count", failed);
	nctl_json_key(&json, "failed");
	nctl_json_arr_begin(&json);
	for (size_t i = 0; i < n && told < ND_FAILURES_MAX; i++) {
		if (errors[i] < 0) {
			put_failure(&json, what, names[i], errors[i]);
			told++;
		}
	}
	nctl_json_arr_end(&json);
	nctl_json_obj_end(&json);
	nd_call_answer_buf(call, &out);
}

static void created(const char *const *names, const int *errors, size_t n, void *userdata)
{
	answer_names(userdata, "create", names, errors, n);
}

static void deleted(const char *const *names, const int *errors, size_t n, void *userdata)
{
	answer_names(userdata, "remove", names, errors, n);
}

static int change_names(struct nd_client *c, sd_bus_message *m, sd_bus_error *error, nd_netns_done done,
	int (*change)(struct nd_netns_set *s, const char *const *names, size_t n, nd_netns_done done,
		void *userdata))
{
	_cleanup_(names_fini) struct names names = {0};
	struct nd_call *call;
	int r;

	r = nd_allow_change(c, error);
	if (r < 0)
		return r;
	r = read_names(m, &names, error);
	if (r < 0)
		return r;
	r = nd_call_new(c, m, error, &call);
	if (r < 0)
		return r;
	if (!names.n) {
		done(NULL, NULL, 0, call);
		return 1;
	}
	/* The answer may come, and call be gone, before this returns. */
	r = change(set_of(c), names.v, names.n, done, call);
	if (r >= 0) {
		nd_netns_job_name(set_of(c), call);
		return 1;
	}
	nd_call_free(call);
	return refuse(r, error);
}

int nd_method_netns_add(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return change_names(userdata, m, error, created, nd_netns_create);
}

int nd_method_netns_del(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	return change_names(userdata, m, error, deleted, nd_netns_delete);
}

static void scanned(int r, void *userdata)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;

	if (r < 0)
		nd_call_fail(userdata, refuse(r, &error), &error);
	else
		nd_call_answer(userdata, "{\"exit\":0}");
}

/* For root alone, since it is work, and shows processes of others. */
int nd_method_netns_scan(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	struct nd_client *c = userdata;
	struct nd_call *call;
	int r;

	r = nd_allow_change(c, error);
	if (r < 0)
		return r;
	r = nd_call_new(c, m, error, &call);
	if (r < 0)
		return r;
	r = nd_netns_scan(set_of(c), scanned, call);
	if (r >= 0)
		return 1;
	nd_call_free(call);
	return refuse(r, error);
}

/* A link on its way. from and to: "" is the daemon's own namespace. */
struct move {
	char from[NAME_MAX + 1], to[NAME_MAX + 1];
	char link[128];
	char new_name[16]; /* "": it keeps its name */
	char name[16];     /* before the move */
	pid_t pid;         /* to is this process's namespace */
	nctl_ifindex ifindex;
	uint64_t from_serial, to_serial; /* UINT64_MAX: not known */
};

static struct nd_netns *find(const struct nd_netns_set *set, const char *name)
{
	return *name ? nd_netns_find(set, name) : nd_netns_from(set, 0);
}

static struct nctl_mirror *mirror_of(const struct nd_netns_set *set, uint64_t serial)
{
	const struct nd_netns *n = nd_netns_from(set, serial);

	return n && nd_netns_serial(n) == serial ? nd_query_mirror(n) : NULL;
}

/* Do the mirrors show it? One that is not there shows nothing, and is not waited for. */
static bool is_seen(const struct move *v, const struct nd_netns_set *set)
{
	const struct nctl_mirror *from = mirror_of(set, v->from_serial), *to = mirror_of(set, v->to_serial);
	const struct nctl_mirror_link *l = from ? nctl_mirror_link_get(from, v->ifindex) : NULL;

	if (to && !nctl_mirror_link_find(to, *v->new_name ? v->new_name : v->name))
		return false;
	return from == to || !l || strcmp(l->v.name, v->name) != 0;
}

static void look_seen(struct nd_call *call, bool late)
{
	if (late || is_seen(call->data, set_of(call->client)))
		nd_call_answer(call, "{\"exit\":0}");
}

static void answer_refusal(struct nd_call *call, const struct nd_helper_answer *a)
{
	struct nctl_strbuf out = NCTL_STRBUF_INIT, text = NCTL_STRBUF_INIT;
	const struct move *v = call->data;
	struct nctl_json json;

	nctl_strbuf_printf(&text, "Cannot move \"%s\" to ", v->name);
	if (v->pid)
		nctl_strbuf_printf(&text, "the network namespace of process %d", (int)v->pid);
	else if (*v->to)
		nctl_strbuf_printf(&text, "network namespace \"%s\"", v->to);
	else
		nctl_strbuf_puts(&text, "the daemon's network namespace");
	nctl_strbuf_printf(&text, ": %s", strerror(-a->error));
	if (a->text && *a->text)
		nctl_strbuf_printf(&text, " (%s)", a->text);
	nctl_json_init(&json, &out);
	nctl_json_obj_begin(&json);
	nctl_json_ku64(&json, "exit", 4);
	nctl_json_kstr(&json, "error", nctl_strbuf_str(&text));
	nctl_json_ki64(&json, "errno", -a->error);
	nctl_json_obj_end(&json);
	if (text.err)
		out.err = text.err;
	nctl_strbuf_fini(&text);
	nd_call_answer_buf(call, &out);
}

static void moved(const struct nd_helper_answer *a, void *userdata)
{
	struct nd_call *call = userdata;

	call->kept = false;
	if (!call->client)
		nd_call_free(call);
	else if (a->error)
		answer_refusal(call, a);
	else
		nd_call_wait(call, SEEN_MS, look_seen);
}

static struct nd_netns_ref ref_of(const struct nd_netns *n, const char *name)
{
	return (struct nd_netns_ref){.name = name, .cookie = nd_netns_cookie(n)};
}

/* All that has to be known is known. 0, or an error. */
static int send_move(struct nd_call *call, sd_bus_error *error)
{
	struct nd_netns_set *set = set_of(call->client);
	struct nd_helper *helper = nd_netns_set_helper(set);
	struct move *v = call->data;
	const struct nd_netns *from = find(set, v->from), *to = v->pid ? NULL : find(set, v->to);
	struct nctl_mirror *m = from ? nd_query_mirror(from) : NULL;
	struct nd_netns_ref from_ref, to_ref = {.pid = v->pid};
	const struct nctl_mirror_link *l;
	int r;

	if (!m)
		return nd_query_no_netns(error, v->from, from);
	l = nctl_mirror_link_find(m, v->link);
	if (!l)
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "NotFound", "Device \"%s\" does not exist.", v->link);
	if (!v->pid && !to)
		return nd_query_no_netns(error, v->to, NULL);
	if (!helper)
		return no_helper(error);
	v->ifindex = l->v.ifindex;
	strcpy(v->name, l->v.name);
	v->from_serial = nd_netns_serial(from);
	v->to_serial = to ? nd_netns_serial(to) : UINT64_MAX;
	from_ref = ref_of(from, v->from);
	if (to)
		to_ref = ref_of(to, v->to);
	call->kept = true;
	/* moved may be called, and call be gone, before this returns. */
	r = nd_helper_link_move(
		helper, &from_ref, v->ifindex, &to_ref, *v->new_name ? v->new_name : NULL, moved, call);
	if (r >= 0)
		return 0;
	call->kept = false;
	return r == -EBUSY ? sd_bus_error_set(error, ND_BUS_ERROR "Busy", "The helper has too much to do.")
	                   : r;
}

static void look_from(struct nd_call *call, bool late)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	struct move *v = call->data;
	const struct nd_netns *from = find(set_of(call->client), v->from);
	int r;

	if (from && !nd_query_is_settled(from) && !late)
		return;
	nd_call_stop_waiting(call);
	r = send_move(call, &error);
	if (r < 0)
		nd_call_fail(call, r, &error);
}

/* Fills v from the message, as far as it can be known without a namespace. */
static int read_move(sd_bus_message *m, const struct nd_netns_set *set, struct move *v, sd_bus_error *error)
{
	const char *from, *link, *to, *new_name;
	uint32_t pid;
	int r;

	r = sd_bus_message_read(m, "ssss", &from, &link, &to, &new_name);
	if (r < 0)
		return r;
	if (*from && !nctl_is_file_name(from))
		return invalid_name(error, from);
	if (*to && !nctl_is_file_name(to))
		return invalid_name(error, to);
	if (!*link || strlen(link) >= sizeof(v->link))
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "NotFound", "Device \"%.64s\" does not exist.", link);
	if (strlen(new_name) >= sizeof(v->new_name))
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "InvalidName", "\"%.64s\" is too long for a device.", new_name);
	strcpy(v->from, from);
	strcpy(v->to, to);
	strcpy(v->link, link);
	strcpy(v->new_name, new_name);
	/* As ip(8): a name first; a number that is none is a process. */
	if (*to && !nd_netns_find(set, to) && nctl_parse_u32(to, 10, 1, INT_MAX, &pid) == 0)
		v->pid = (pid_t)pid;
	return 0;
}

int nd_method_link_move(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nctl_freep) struct move *v = calloc(1, sizeof(*v));
	struct nd_client *c = userdata;
	struct nd_call *call;
	int r;

	if (!v)
		return -ENOMEM;
	r = nd_allow_change(c, error);
	if (r < 0)
		return r;
	if (!nd_reconcile_is_ready(c->bus->reconcile))
		return nd_not_ready(error);
	nd_netns_set_look(set_of(c));
	r = read_move(m, set_of(c), v, error);
	if (r < 0)
		return r;
	r = nd_call_new(c, m, error, &call);
	if (r < 0)
		return r;
	call->data = take_ptr(v);
	nd_call_wait(call, WAIT_MS, look_from);
	return 1;
}
