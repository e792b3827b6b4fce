/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: dumps links and addresses of its namespace through lib/nl, lib/codec and lib/obj and prints
 * {"link": [...], "address": [...], "vlan": [...]} as `ip -j -d link`, `ip -j addr` and `bridge -c -j vlan`
 * would, for tests/live/json_compare.py. With "recreate NAME" it decodes that link, deletes it and makes it
 * again from what it decoded. With "state" it makes each link's message again from what it decoded of it, and
 * says which attributes differ.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "ask.h"
#include "known.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "codec/codec.h"
#include "nl/transport.h"
#include "obj/addr.h"
#include "obj/link.h"

struct state {
	struct known links;
	struct nctl_addr *addrs;
	size_t n_addrs;
	bool compares;   /* decoded links with their messages */
	size_t n_unlike; /* attributes that differ */
	size_t n_rest;   /* bytes that no field took */
};

static void tell(void *userdata, const char *path)
{
	const struct nctl_link *l = userdata;

	printf("%s (%s): %s is another\n", l->name, nctl_link_kind_name(l) ? nctl_link_kind_name(l) : "-",
		path);
}

/* The link as a copy, too, has all that the message has. */
static int compare_state(struct state *s, const struct nctl_link *l, const struct nlmsghdr *nlh)
{
	struct nctl_link copy;
	int r = nctl_link_copy(&copy, l);

	if (r < 0)
		return r;
	r = nctl_link_state_diff(&copy, nlh, tell, &copy);
	if (r > 0)
		s->n_unlike += (size_t)r;
	s->n_rest += copy.rest.n;
	nctl_link_fini(&copy);
	return r < 0 ? r : 0;
}

static int add_vlans(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_vlans *vlans = NULL;
	nctl_ifindex ifindex;
	int r = nctl_bridge_vlans_decode(nlh, &ifindex, &vlans);

	if (r)
		return r;
	for (size_t i = 0; i < s->links.n; i++) {
		if (s->links.v[i].ifindex != ifindex)
			continue;
		nctl_vlans_unref(s->links.v[i].vlans);
		s->links.v[i].vlans = nctl_vlans_ref(vlans);
	}
	nctl_vlans_unref(vlans);
	return 0;
}

static int add_link(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_link l = NCTL_LINK_INIT;
	int r = nctl_link_decode(nlh, &l);

	if (r == NCTL_CODEC_SKIP)
		return add_vlans(s, nlh);
	if (r == 0 && s->compares)
		r = compare_state(s, &l, nlh);
	if (r)
		return r;
	known_add(&s->links, &l);
	return 0;
}

static int add_addr(struct state *s, const struct nlmsghdr *nlh)
{
	struct nctl_addr a = NCTL_ADDR_INIT, *v;
	int r = nctl_addr_decode(nlh, &a);

	if (r)
		return r;
	v = realloc(s->addrs, (s->n_addrs + 1) * sizeof(*v));
	if (!v)
		abort();
	s->addrs = v;
	s->addrs[s->n_addrs++] = a;
	return 0;
}

static int take(void *userdata, const struct nlmsghdr *nlh)
{
	switch (nlh->nlmsg_type) {
	case RTM_NEWLINK:
		return add_link(userdata, nlh);
	case RTM_NEWADDR:
		return add_addr(userdata, nlh);
	}
	return 0;
}

static int run(struct nctl_transport *t, struct nctl_msgbuf *msg, struct state *s)
{
	return ask(t, msg, take, s);
}

static int dump_vlans(struct nctl_transport *t, struct nctl_msgbuf *msg, struct state *s)
{
	struct ifinfomsg ifi = {.ifi_family = AF_BRIDGE};

	nctl_msg_begin(msg, RTM_GETLINK, NLM_F_DUMP, &ifi, sizeof(ifi));
	nctl_msg_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_BRVLAN_COMPRESSED);
	nctl_msg_commit(msg, 4);
	return run(t, msg, s);
}

static int dump(struct nctl_transport *t, struct nctl_msgbuf *msg, struct state *s)
{
	struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC};
	struct ifaddrmsg ifa = {.ifa_family = AF_UNSPEC};
	int r;

	nctl_msg_begin(msg, RTM_GETLINK, NLM_F_DUMP, &ifi, sizeof(ifi));
	nctl_msg_commit(msg, 1);
	r = run(t, msg, s);
	if (r < 0)
		return r;
	nctl_msg_begin(msg, RTM_GETADDR, NLM_F_DUMP, &ifa, sizeof(ifa));
	nctl_msg_commit(msg, 2);
	r = run(t, msg, s);
	return r < 0 ? r : dump_vlans(t, msg, s);
}

static void print_vlans(const struct state *s, struct nctl_json *json)
{
	nctl_json_key(json, "vlan");
	nctl_json_arr_begin(json);
	for (size_t i = 0; i < s->links.n; i++) {
		if (!s->links.v[i].vlans)
			continue;
		nctl_json_obj_begin(json);
		nctl_json_kstr(json, "ifname", s->links.v[i].name);
		nctl_json_key(json, "vlans");
		nctl_vlans_json(s->links.v[i].vlans, json);
		nctl_json_obj_end(json);
	}
	nctl_json_arr_end(json);
}

static void print(const struct state *s)
{
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_names names = known_names(&s->links);
	struct nctl_json json;

	nctl_json_init(&json, &out);
	nctl_json_obj_begin(&json);
	nctl_json_key(&json, "link");
	nctl_json_arr_begin(&json);
	for (size_t i = 0; i < s->links.n; i++)
		nctl_link_json(&s->links.v[i], &names, &json);
	nctl_json_arr_end(&json);
	nctl_json_key(&json, "address");
	nctl_json_arr_begin(&json);
	for (size_t i = 0; i < s->links.n; i++) {
		nctl_json_obj_begin(&json);
		nctl_link_json_brief(&s->links.v[i], &names, &json);
		nctl_json_key(&json, "addr_info");
		nctl_json_arr_begin(&json);
		for (size_t j = 0; j < s->n_addrs; j++)
			if (s->addrs[j].ifindex == s->links.v[i].ifindex)
				nctl_addr_json(&s->addrs[j], &json);
		nctl_json_arr_end(&json);
		nctl_json_obj_end(&json);
	}
	nctl_json_arr_end(&json);
	print_vlans(s, &json);
	nctl_json_obj_end(&json);
	puts(nctl_strbuf_str(&out));
	nctl_strbuf_fini(&out);
}

static int change(struct nctl_transport *t, struct nctl_msgbuf *msg, struct state *s)
{
	if (nctl_msg_commit(msg, 3) != 0)
		return -EMSGSIZE;
	nctl_msgbuf_ack_last(msg);
	return run(t, msg, s);
}

/* What a creating message cannot carry. */
static int make_late(
	struct nctl_transport *t, struct nctl_msgbuf *msg, struct state *s, const struct nctl_link *l)
{
	struct nctl_link_diff d = {
		.common = l->has & nctl_fields_with(&nctl_link_fields, NCTL_FIELD_LATE),
		.data = l->kind ? l->data_has & nctl_fields_with(&l->kind->data, NCTL_FIELD_LATE) : 0,
		.port = l->port_has,
	};
	int r;

	/* A bond has a primary port in some modes only. */
	if (!l->kind || !l->kind->creatable || l->kind->creatable(l->data, d.data) != d.data)
		d.data = 0;

	nctl_link_encode_set(l->ifindex, l, &d, msg);
	r = change(t, msg, s);
	for (size_t i = 0; r == 0 && l->altnames && l->altnames[i]; i++) {
		nctl_link_encode_altname(l->ifindex, l->altnames[i], true, msg);
		r = change(t, msg, s);
	}
	return r;
}

static int make_again(
	struct nctl_transport *t, struct nctl_msgbuf *msg, struct state *s, const struct nctl_link *l)
{
	const struct nctl_link *peer = NULL;
	int r;

	if (l->kind && l->kind->traits & NCTL_KIND_PEERED)
		peer = known_find(&s->links, l->lower);
	nctl_link_encode_del(l->ifindex, msg);
	r = change(t, msg, s);
	if (r < 0)
		return r;
	nctl_link_encode_new(l, peer, msg);
	r = change(t, msg, s);
	return r < 0 ? r : make_late(t, msg, s, l);
}

static int recreate(struct nctl_transport *t, struct nctl_msgbuf *msg, struct state *s, const char *name)
{
	for (size_t i = 0; i < s->links.n; i++)
		if (strcmp(s->links.v[i].name, name) == 0)
			return make_again(t, msg, s, &s->links.v[i]);
	return -ENODEV;
}

int main(int argc, char **argv)
{
	_cleanup_(nctl_transport_freep) struct nctl_transport *t = NULL;
	static uint32_t buf[8192];
	struct nctl_kernel *k = nctl_kernel_here();
	struct nctl_msgbuf msg;
	struct state s = {.compares = argc == 2 && strcmp(argv[1], "state") == 0};
	int r;

	nctl_msgbuf_init(&msg, buf, sizeof(buf));
	r = k->open(k, NCTL_TRANSPORT_REQUEST, &t);
	if (r == 0)
		r = dump(t, &msg, &s);
	if (r == 0 && argc == 3 && strcmp(argv[1], "recreate") == 0)
		r = recreate(t, &msg, &s, argv[2]);
	else if (r == 0 && s.compares)
		printf("%zu links, %zu attributes differ, %zu bytes opaque\n", s.links.n, s.n_unlike,
			s.n_rest);
	else if (r == 0)
		print(&s);
	known_fini(&s.links);
	free(s.addrs);
	if (r < 0)
		fprintf(stderr, "jsondump: %s\n", strerror(-r));
	return r < 0 || s.n_unlike > 0;
}
