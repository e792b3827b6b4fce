/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the state of a fake kernel as sorted text, one line an object: what its dumps would say.
 */

#include "fake/core.h"
#include "fake/describe.h"
#include "fake/wire.h"

static void fk_print_message(struct fk_lines *lines, const void *bytes)
{
	struct fk_words w;
	if (fk_describe(bytes, false, &w))
		fk_lines_add(lines, w.text);
}

static void fk_print_addrs(struct fk_lines *lines, const struct nctl_list *head)
{
	_Alignas(8) uint8_t bytes[512];
	struct nctl_list *pos;
	nctl_list_for_each(pos, head) {
		struct fk_buf b = FK_BUF(bytes);
		fk_put_addr(&b, nctl_list_entry(pos, struct fk_addr, node), RTM_NEWADDR, 0, 0);
		fk_print_message(lines, bytes);
	}
}

static void fk_print_fib(struct fk_lines *lines, struct fk_netns *ns, uint16_t type)
{
	_Alignas(8) uint8_t bytes[FK_DUMP_MAX];
	struct fk_dump d = {.type = type};
	bool all;
	do {
		struct fk_buf b = FK_BUF(bytes);
		all = fk_fib_dump_fill(ns, &d, &b);
		for (size_t off = 0; off < b.len;
			off += NLMSG_ALIGN(((struct nlmsghdr *)(void *)(bytes + off))->nlmsg_len))
			fk_print_message(lines, bytes + off);
	} while (!all);
}

char *nctl_fake_netns_print(struct nctl_fake *f, uint64_t cookie)
{
	_Alignas(8) uint8_t bytes[4096];
	struct fk_lines lines = {0};
	struct nctl_list *pos;
	fk_lock(f);
	struct fk_netns *ns = fk_netns_find(f, cookie);
	if (!ns) {
		fk_unlock(f);
		return NULL;
	}
	nctl_list_for_each(pos, &ns->by_index) {
		struct fk_link *l = nctl_list_entry(pos, struct fk_link, index_node);
		struct fk_buf b = FK_BUF(bytes);
		fk_put_link(&b, l, RTM_NEWLINK, 0, 0);
		fk_print_message(&lines, bytes);
		fk_print_addrs(&lines, &l->addrs4);
		fk_print_addrs(&lines, &l->addrs6);
	}
	fk_print_fib(&lines, ns, RTM_GETROUTE);
	fk_print_fib(&lines, ns, RTM_GETNEXTHOP);
	fk_print_fib(&lines, ns, RTM_GETRULE);
	fk_unlock(f);
	fk_lines_sort(&lines);
	char *text = fk_lines_join(&lines);
	fk_lines_clear(&lines);
	return text;
}

char *nctl_fake_print(struct nctl_fake *f)
{
	return nctl_fake_netns_print(f, f->home->cookie);
}
