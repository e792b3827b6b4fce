/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: What Verify found: a word a namespace, every difference, and, summed over all of them, what was
 * compared how often: attributes byte by byte, fields with libnl's reading, and what was skipped and why.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "netctl/query.h"

struct outcome {
	const struct cli_request *q;
	struct json_object *sums; /* of each type: objects, attributes, libnl, skipped */
	size_t n, n_different;
	int64_t objects;
};

/* Adds what is in from to the members of the same names in to; texts are kept as they are. */
static void add(struct json_object *to, struct json_object *from)
{
	json_object_object_foreach(from, key, v)
	{
		struct json_object *old = cli_json_get(to, key);

		if (json_object_is_type(v, json_type_object)) {
			if (!old) {
				old = json_object_new_object();
				json_object_object_add(to, key, old);
			}
			add(old, v);
		} else if (json_object_is_type(v, json_type_int)) {
			json_object_object_add(to, key,
				json_object_new_int64(
					(old ? json_object_get_int64(old) : 0) + json_object_get_int64(v)));
		} else if (json_object_is_type(v, json_type_string)) {
			json_object_object_add(to, key, json_object_get(v));
		}
	}
}

static void put_netns(struct json_object *o)
{
	const char *name = cli_json_str(o, "netns");

	if (!json_object_object_get_ex(o, "netns", NULL))
		return;
	fputs("netns ", stdout);
	if (!cli_json_get(o, "netns"))
		printf("(cookie %" PRId64 ")", cli_json_int(o, "netns_cookie"));
	else
		cli_text_put(stdout, *name ? name : "(own)", false);
	fputs(": ", stdout);
}

static void put_texts(struct json_object *types)
{
	json_object_object_foreach(types, type, v)
	{
		struct json_object *texts = cli_json_get(v, "texts");
		size_t n = texts ? json_object_array_length(texts) : 0;

		(void)type;
		for (size_t i = 0; i < n; i++) {
			fputs("  ", stdout);
			cli_text_put(
				stdout, json_object_get_string(json_object_array_get_idx(texts, i)), false);
			putchar('\n');
		}
		if (cli_json_int(v, "differences") > (int64_t)n)
			printf("  and %" PRId64 " more of this type\n",
				cli_json_int(v, "differences") - (int64_t)n);
	}
}

/* One that is as it should be is only counted. */
static void put_different(struct json_object *o, struct json_object *report)
{
	const char *state = cli_json_str(o, "state");

	put_netns(o);
	fputs(cli_style_begin(CLI_RED), stdout);
	if (strcmp(state, "still") != 0)
		printf("%s, ",
			strcmp(state, "changing") == 0 ? "the kernel's state goes on changing" : state);
	printf("%" PRId64 " differences\n", cli_json_int(report, "differences"));
	fputs(cli_style_end(CLI_RED), stdout);
	put_texts(cli_json_get(report, "types"));
}

static int take_line(const char *text, size_t len, void *userdata)
{
	_cleanup_(nctl_freep) char *copy = strndup(text, len);
	struct json_object *o = copy ? json_tokener_parse(copy) : NULL, *report = cli_json_get(o, "report");
	struct outcome *out = userdata;
	bool equal;

	if (!report || !cli_json_get(report, "types")) {
		json_object_put(o);
		return copy ? -EBADMSG : -ENOMEM;
	}
	equal = json_object_get_boolean(cli_json_get(report, "equal"));
	out->n_different += !equal;
	out->objects += cli_json_int(report, "objects");
	if (out->q->json) {
		fputs(out->n ? ",\n" : "[", stdout);
		fwrite(text, 1, len, stdout);
	} else {
		add(out->sums, cli_json_get(report, "types"));
		if (!equal)
			put_different(o, report);
	}
	out->n++;
	json_object_put(o);
	return 0;
}

static void put_counts(const char *title, struct json_object *o)
{
	bool any = false;

	if (!o)
		return;
	json_object_object_foreach(o, key, v)
	{
		printf("%s%s ", any ? ", " : title, key);
		cli_text_put(stdout, json_object_get_string(v), false);
		any = true;
	}
	if (any)
		putchar('\n');
}

static void put_sums(const struct outcome *out)
{
	json_object_object_foreach(out->sums, type, v)
	{
		cli_text_pad(type, 10, CLI_BOLD);
		printf(" %" PRId64 "\n", cli_json_int(v, "objects"));
		put_counts("  byte by byte: ", cli_json_get(v, "attributes"));
		put_counts("  as libnl reads it: ", cli_json_get(v, "libnl"));
		put_counts("  skipped: ", cli_json_get(v, "skipped"));
	}
	printf("%zu %s, %" PRId64 " objects: ", out->n, out->n == 1 ? "namespace" : "namespaces",
		out->objects);
	if (out->n_different)
		printf("%zu not equal\n", out->n_different);
	else
		puts("equal");
}

int cli_verify_show(struct cli_bus *bus, const struct cli_request *q)
{
	_cleanup_(cli_reply_fini) struct cli_reply reply = CLI_REPLY_INIT;
	struct outcome out = {.q = q};
	int r, status = cli_pipe_open(bus, q, "Query", "verify", &reply);

	if (status != CLI_OK)
		return status;
	out.sums = json_object_new_object();
	r = cli_lines_read(reply.fd, take_line, NULL, &out);
	if (r == 0 && q->json)
		fputs(out.n ? "]\n" : "[]\n", stdout);
	else if (r == 0)
		put_sums(&out);
	json_object_put(out.sums);
	if (r < 0)
		return cli_query_explain(r);
	return out.n_different ? CLI_DIFFERENT : CLI_OK;
}
