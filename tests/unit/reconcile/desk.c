/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: a reconciler over the fake kernel, and what is asked of it in tests.
 */
#include "desk.h"

struct nctl_fake *fake;
struct nd_loop *loop;
struct nd_reconcile *reconcile;
struct nd_timer guard;
char dir[64], file[128];
const char *paths[] = {file};
unsigned readies, answers, nulls;
json_object *last;

static void on_guard(struct nd_timer *t)
{
	nd_loop_stop(t->loop, -ETIMEDOUT);
}

void on_ready(void *userdata)
{
	(void)userdata;
	readies++;
	nd_loop_stop(loop, 0);
}

void on_answer(const char *json, size_t len, void *userdata)
{
	(void)userdata;
	if (!json) {
		nulls++;
		return;
	}
	assert_int_equal(strlen(json), len);
	json_object_put(last);
	last = json_tokener_parse(json);
	assert_non_null(last);
	answers++;
	nd_loop_stop(loop, 0);
}

void write_text(const char *path, const char *body)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "network:\n  version: 2\n%s", body);
	fclose(f);
	chmod(path, 0600);
}

void open_reconciler(void)
{
	const struct nd_reconcile_options opts = {.paths = paths,
		.n_paths = 1,
		.runtime_dir = dir,
		.kernel = nctl_fake_kernel(fake),
		.control_fd = -1};

	assert_int_equal(nd_loop_new(&loop), 0);
	nd_timer_init(&guard, loop, on_guard, NULL);
	nd_timer_set(&guard, nctl_time_add_ms(nctl_time_now(), 20000));
	assert_int_equal(nd_reconcile_new(loop, &opts, on_ready, NULL, &reconcile), 0);
}

void run(void)
{
	assert_int_equal(nd_loop_run(loop), 0);
}

/* An answer that came before the loop ran has stopped its next run. */
void until_answers(unsigned n)
{
	while (answers < n)
		run();
	assert_int_equal(answers, n);
}

void start(void)
{
	readies = 0;
	open_reconciler();
	while (!readies)
		run();
	assert_int_equal(readies, 1);
}

/* Also what a kill leaves: nothing is told to anybody, nothing is written. */
void stop(void)
{
	reconcile = nd_reconcile_free(reconcile);
	nd_timer_stop(&guard);
	loop = nd_loop_free(loop);
}

int setup(void **state)
{
	(void)state;
	readies = answers = nulls = 0;
	strcpy(dir, "/tmp/netctld-jobs-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/a.yaml", dir);
	fake = nctl_fake_new(1);
	return fake && !rig_foreign_new(fake, 2, "eth0", "dummy", 0) ? 0 : -1;
}

int teardown(void **state)
{
	static const char *const names[] = {
		"lock", "ledger", "generation", "ledger.new", "generation.new", "journal", "journal.new"};
	char path[128];

	(void)state;
	if (reconcile)
		stop();
	json_object_put(last);
	last = NULL;
	fake = nctl_fake_free(fake);
	unlink(file);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

int queue_with(const char *body, const struct nd_apply *how, void *userdata)
{
	struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	int r;

	nctl_strbuf_printf(&b, "network:\n  version: 2\n%s", body);
	assert_int_equal(nd_config_texts_add(&texts, "client.yaml", nctl_strbuf_str(&b), b.len), 0);
	r = nd_reconcile_apply(reconcile, &texts, how, on_answer, userdata);
	nd_config_texts_fini(&texts);
	nctl_strbuf_fini(&b);
	return r;
}

int queue(const char *body, unsigned flags, void *userdata)
{
	return queue_with(body, &(struct nd_apply){.flags = flags}, userdata);
}

void apply(const char *body, unsigned flags)
{
	unsigned before = answers;

	assert_int_equal(queue(body, flags, NULL), 0);
	until_answers(before + 1);
}

json_object *field(const char *path)
{
	json_object *o = NULL;

	assert_int_equal(json_pointer_get(last, path, &o), 0);
	return o;
}

void answer_is(int exit_status, const char *state)
{
	assert_int_equal(json_object_get_int(field("/exit")), exit_status);
	if (state)
		assert_string_equal(json_object_get_string(field("/result/state")), state);
}

const char *status(const char *key)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;
	json_object *o = NULL;

	nd_reconcile_status(reconcile, &b);
	json_object_put(last);
	last = json_tokener_parse(nctl_strbuf_str(&b));
	nctl_strbuf_fini(&b);
	assert_non_null(last);
	return json_object_object_get_ex(last, key, &o) ? json_object_get_string(o) : NULL;
}

void refuse(uint16_t type, const char *name)
{
	const struct nctl_fake_refusal f = {
		.type = type, .ifname = name, .error = -EPERM, .text = "not today"};

	assert_int_equal(nctl_fake_refuse(fake, &f), 0);
}

bool has(const char *name)
{
	return nctl_mirror_link_find(
		nctl_session_mirror(nctl_hub_home(nd_netns_set_hub(nd_reconcile_netns(reconcile)))), name);
}
