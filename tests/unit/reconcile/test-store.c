/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the runtime folder: what is written is read again, and what is broken harms nothing else.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "obj/vlans.h"
#include "reconcile/private.h"
#include "test.h"

enum { COOKIE = 4096 };

static char dir[64];
static struct store store;
static struct ledgers ledgers;
static struct nctl_ledger *ledger; /* of COOKIE */

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/netctld-store-XXXXXX");
	if (!mkdtemp(dir) || nd_ledgers_init(&ledgers) < 0)
		return -1;
	ledger = nd_ledgers_get(&ledgers, COOKIE);
	return nd_store_open(&store, dir);
}

static void remove_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

static int teardown(void **state)
{
	(void)state;
	nd_store_close(&store);
	nd_ledgers_fini(&ledgers);
	remove_file("lock");
	remove_file("ledger");
	remove_file("ledger.new");
	remove_file("generation");
	remove_file("generation.new");
	remove_file("journal");
	remove_file("journal.new");
	return rmdir(dir);
}

static void write_file(const char *name, const void *data, size_t len)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

/* A new daemon: what it reads. */
static void reload(void)
{
	nd_store_close(&store);
	assert_int_equal(nd_store_open(&store, dir), 0);
	nd_ledgers_fini(&ledgers);
	assert_int_equal(nd_ledgers_init(&ledgers), 0);
	assert_int_equal(nd_store_load_ledger(&store, &ledgers), 0);
	ledger = nd_ledgers_get(&ledgers, COOKIE);
}

static struct nctl_ledger_link link_entry(
	nctl_ifindex ifindex, const char *kind, const char *name, bool adopted)
{
	struct nctl_ledger_link e = {.ifindex = ifindex, .adopted = adopted};

	strcpy(e.kind, kind);
	strcpy(e.name, name);
	return e;
}

static void append(nctl_ifindex ifindex, const char *name)
{
	const struct nctl_intent i = {.cookie = COOKIE, .link = link_entry(ifindex, "dummy", name, false)};

	assert_int_equal(nd_store_append_links(&store, &i, 1), 0);
}

static void test_ledger(void **state)
{
	struct nctl_ledger_link a = link_entry(5, "", "eth0", true);
	struct nctl_ledger_link b = link_entry(1000000, "vlan", "fifteen.letters", false);
	struct nctl_addr v4 = NCTL_ADDR_INIT, v6 = NCTL_ADDR_INIT;

	(void)state;
	assert_int_equal(nd_store_load_ledger(&store, &ledgers), 0);
	assert_int_equal(nctl_ledger_link_count(ledger), 0);
	v4.ifindex = 5;
	nctl_prefix_parse("192.0.2.1/24", NCTL_PREFIX_NEED_LENGTH, &v4.local);
	nctl_prefix_parse("198.51.100.1/24", NCTL_PREFIX_NEED_LENGTH, &v4.peer);
	v6.ifindex = 6;
	nctl_prefix_parse("2001:db8:1234:5678:9abc:def0:1234:5678/128", NCTL_PREFIX_NEED_LENGTH, &v6.local);
	nctl_ledger_link_add(ledger, &a);
	nctl_ledger_link_add(ledger, &b);
	nctl_ledger_addr_add(ledger, &v4);
	nctl_ledger_addr_add(ledger, &v6);
	assert_int_equal(nd_store_write_ledger(&store, &ledgers), 0);
	append(1000001, "later");
	reload();
	assert_int_equal(nctl_ledger_link_count(ledger), 3);
	assert_memory_equal(nctl_ledger_link_get(ledger, 5), &a, sizeof(a));
	assert_memory_equal(nctl_ledger_link_get(ledger, 1000000), &b, sizeof(b));
	assert_string_equal(nctl_ledger_link_get(ledger, 1000001)->name, "later");
	assert_true(nctl_ledger_addr_has(ledger, &v4));
	assert_true(nctl_ledger_addr_has(ledger, &v6));
	v4.peer = NCTL_PREFIX_NULL;
	assert_false(nctl_ledger_addr_has(ledger, &v4));
}

/* The same ifindex in two namespaces, and names with whatever a file name may hold. */
static void test_namespaces(void **state)
{
	static const char odd[] = " blank  and \xff";
	struct nctl_intent i = {.cookie = COOKIE + 1, .link = link_entry(5, "veth", "eth0", false)};
	const struct nctl_ledger_netns *n;

	(void)state;
	assert_int_equal(nd_store_load_ledger(&store, &ledgers), 0);
	append(5, "v1");
	assert_int_equal(nd_store_append_links(&store, &i, 1), 0);
	assert_int_equal(nd_store_append_netns(&store, "t1", 0), 0);
	assert_int_equal(nd_store_append_netns(&store, "t1", 77), 0);
	assert_int_equal(nd_store_append_netns(&store, odd, 78), 0);
	for (int round = 0; round < 2; round++) {
		reload();
		assert_int_equal(nd_ledgers_link_count(&ledgers), 2);
		assert_string_equal(nctl_ledger_link_get(ledger, 5)->name, "v1");
		assert_null(nd_ledgers_find(&ledgers, COOKIE + 2));
		assert_string_equal(
			nctl_ledger_link_get(nd_ledgers_find(&ledgers, COOKIE + 1), 5)->name, "eth0");
		assert_int_equal(nctl_netns_ledger_count(ledgers.netns), 2);
		n = nctl_netns_ledger_get(ledgers.netns, "t1");
		assert_int_equal(n->cookie, 77);
		assert_int_equal(nctl_netns_ledger_get(ledgers.netns, odd)->cookie, 78);
		assert_int_equal(nd_store_write_ledger(&store, &ledgers), 0);
	}
}

/* Killed in the middle of a line: it is no entry, and does not spoil the next one. */
static void test_half_a_line(void **state)
{
	static const char torn[] = "link 4096 5 made dummy d0\nlink 4096 6 made dum";

	(void)state;
	write_file("ledger", torn, strlen(torn));
	reload();
	assert_int_equal(nctl_ledger_link_count(ledger), 1);
	append(7, "d2");
	append(8, "d3");
	reload();
	assert_int_equal(nctl_ledger_link_count(ledger), 3);
	assert_non_null(nctl_ledger_link_get(ledger, 7));
	assert_null(nctl_ledger_link_get(ledger, 6));
}

static void test_garbage(void **state)
{
	static const char garbage[] =
		"\n\n  \nlink\nlink 4096\nlink x y z\nlink 4096 -1\n"
		"link 99999999999999999999999999 1 made dummy d0\n"
		"\0\0\0binary\xff\xfe\n"
		"addr 4096 5 nonsense -\naddr 4096 5 192.0.2.1 -\naddr 4096 5 192.0.2.1/24\n"
		"route 4096 5 made dummy d0\n"
		"link 4096 9 made averyveryverylongkindname averyveryverylongname\n"
		"link 4096 5 made dummy d0\n";

	(void)state;
	write_file("ledger", garbage, sizeof(garbage) - 1);
	reload();
	assert_non_null(nctl_ledger_link_get(ledger, 5));
	assert_null(nctl_ledger_addr_next(ledger, NULL));
	assert_true(nctl_ledger_link_count(ledger) <= 3);
	assert_int_equal(nd_store_write_ledger(&store, &ledgers), 0);
	append(6, "d1");
	reload();
	assert_non_null(nctl_ledger_link_get(ledger, 5));
	assert_non_null(nctl_ledger_link_get(ledger, 6));
}

static void test_generation(void **state)
{
	static const char binary[] = "a: 1\n\0\xff%s\n7 7\n";
	struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT, back = ND_CONFIG_TEXTS_INIT;
	uint64_t number = 0;
	struct stat st;
	char path[128];

	(void)state;
	assert_int_equal(nd_store_load_generation(&store, &number, &back), -ENOENT);
	nd_config_texts_add(&texts, "/etc/netctld/a b\n.yaml", binary, sizeof(binary) - 1);
	nd_config_texts_add(&texts, "empty.yaml", "", 0);
	assert_int_equal(nd_store_write_generation(&store, 77, &texts), 0);
	assert_int_equal(nd_store_load_generation(&store, &number, &back), 0);
	assert_int_equal(number, 77);
	assert_int_equal(back.n, 2);
	assert_string_equal(back.v[0].path, texts.v[0].path);
	assert_int_equal(back.v[0].len, sizeof(binary) - 1);
	assert_memory_equal(back.v[0].data, binary, sizeof(binary) - 1);
	assert_string_equal(back.v[1].path, "empty.yaml");
	assert_int_equal(back.v[1].len, 0);
	nd_config_texts_fini(&back);
	nd_config_texts_fini(&texts);
	/* It may hold secrets. */
	snprintf(path, sizeof(path), "%s/generation", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	/* No configuration at all is one, too. */
	assert_int_equal(nd_store_write_generation(&store, 78, &texts), 0);
	assert_int_equal(nd_store_load_generation(&store, &number, &back), 0);
	assert_int_equal(number, 78);
	assert_int_equal(back.n, 0);
}

static void test_broken_generation(void **state)
{
	static const char *const broken[] = {"", "netctld-generation 2 7 0\n", "netctld-generation 1 7 0",
		"netctld-generation 1 7 1\n", "netctld-generation 1 7 1\n5 5\n",
		"netctld-generation 1 7 1\n1 99\na\nb\n",
		"netctld-generation 1 7 1\n18446744073709551615 2\na\nb\n",
		"netctld-generation 1 7 1\n2 18446744073709551614\na\nb\n",
		"netctld-generation 1 7 2\n1 1\na\nb\n", "netctld-generation 1 7 1\n1 1\na\nb"};
	static const char whole[] = "netctld-generation 1 7 1\n1 1\na\nb\n";
	struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	uint64_t number = 1;

	(void)state;
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(broken); i++) {
		write_file("generation", broken[i], strlen(broken[i]));
		assert_int_equal(nd_store_load_generation(&store, &number, &texts), -EBADMSG);
		assert_int_equal(texts.n, 0);
		assert_int_equal(number, 1);
	}
	/* Cut off anywhere. */
	for (size_t n = 0; n < sizeof(whole) - 1; n++) {
		write_file("generation", whole, n);
		assert_int_equal(nd_store_load_generation(&store, &number, &texts), -EBADMSG);
	}
	write_file("generation", whole, sizeof(whole) - 1);
	assert_int_equal(nd_store_load_generation(&store, &number, &texts), 0);
	assert_int_equal(number, 7);
	nd_config_texts_fini(&texts);
}

/* A snapshot with one of everything. */
static void fill(struct journal *j)
{
	const struct nctl_vlan_range vlans[] = {{1, 1, NCTL_VLAN_PVID | NCTL_VLAN_UNTAGGED}, {10, 20, 0}};
	const struct nctl_snap_link l = {.netns = 1,
		.touched = {.common = NCTL_LINK_BIT(MTU), .data = 5, .vlans = true},
		.ours = true,
		.adopted = true};
	struct nctl_snap_addr a = {.netns = 1, .v = NCTL_ADDR_INIT, .added = true};
	const struct nctl_snap_made m = {1, 1000001, nctl_kind_find("vlan")};
	const struct nctl_snap_altname n = {1, 7, "another"};
	const struct nctl_snap_sysctl s = {1, "net/x", NULL, "1"}, t = {0, "net/y", "", "2"};
	struct nctl_link link = NCTL_LINK_INIT;

	*j = JOURNAL_INIT;
	j->waiting = true;
	j->flags = 3;
	j->generation = 7;
	j->deadline = (nctl_time){123456};
	assert_int_equal(nd_config_texts_add(&j->texts, "a.yaml", "network: {}", 11), 0);
	assert_int_equal(nctl_snapshot_new(2, &j->snapshot), 0);
	j->snapshot->netns[0].cookie = 1;
	j->snapshot->netns[1] = (struct nctl_snap_netns){.name = "t 1", .cookie = 4096, .made = true};
	link.ifindex = 7;
	link.mtu = 1400;
	link.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(MTU);
	strcpy(link.name, "x7");
	assert_int_equal(nctl_link_set_kind(&link, nctl_kind_find("vlan")), 0);
	assert_int_equal(nctl_vlans_new(vlans, NCTL_ARRAY_SIZE(vlans), &link.vlans), 0);
	assert_int_equal(nctl_snapshot_add_link(j->snapshot, &l, &link), 0);
	nctl_link_fini(&link);
	a.v.ifindex = 7;
	assert_int_equal(nctl_prefix_parse("192.0.2.1/24", NCTL_PREFIX_NEED_LENGTH, &a.v.local), 0);
	assert_int_equal(nctl_snapshot_add_addr(j->snapshot, &a), 0);
	assert_int_equal(nctl_snapshot_add_made(j->snapshot, &m), 0);
	assert_int_equal(nctl_snapshot_add_altname(j->snapshot, &n), 0);
	assert_int_equal(nctl_snapshot_add_sysctl(j->snapshot, &s), 0);
	assert_int_equal(nctl_snapshot_add_sysctl(j->snapshot, &t), 0);
}

static void test_journal(void **state)
{
	const struct nctl_snap_link *l;
	struct journal j, read;

	(void)state;
	assert_int_equal(nd_journal_read(&store, &read), -ENOENT);
	fill(&j);
	assert_int_equal(nd_journal_write(&store, &j), 0);
	nd_journal_fini(&j);
	assert_int_equal(nd_journal_read(&store, &read), 0);
	assert_true(read.waiting && read.flags == 3 && read.generation == 7);
	assert_int_equal(read.deadline.usec, 123456);
	assert_int_equal(read.texts.n, 1);
	assert_string_equal(read.texts.v[0].path, "a.yaml");
	assert_int_equal(read.snapshot->n_netns, 2);
	assert_string_equal(read.snapshot->netns[1].name, "t 1");
	assert_true(read.snapshot->netns[1].made && !read.snapshot->netns[1].ours);
	l = nctl_snapshot_find(read.snapshot, 1, 7);
	assert_non_null(l);
	assert_true(l->ours && l->adopted && l->touched.data == 5 && l->v.mtu == 1400);
	assert_string_equal(l->v.kind->name, "vlan");
	assert_true(l->touched.vlans && l->v.vlans && l->v.vlans->n == 2);
	assert_true(l->v.vlans->v[1].first == 10 && l->v.vlans->v[1].last == 20);
	assert_true(read.snapshot->n_addrs == 1 && read.snapshot->addrs[0].added);
	assert_true(read.snapshot->n_made == 1 && read.snapshot->made[0].ifindex == 1000001);
	assert_string_equal(read.snapshot->altnames[0].name, "another");
	assert_true(read.snapshot->n_sysctls == 2 && !read.snapshot->sysctls[0].old);
	assert_string_equal(read.snapshot->sysctls[1].old, "");
	nd_journal_fini(&read);
	assert_int_equal(nd_journal_remove(&store), 0);
	assert_int_equal(nd_journal_read(&store, &read), -ENOENT);
}

/* Cut off anywhere, or with any byte turned: never taken for a whole one, or harmless. */
static void test_broken_journal(void **state)
{
	char *data = NULL, *copy;
	struct journal j;
	size_t len = 0;

	(void)state;
	fill(&j);
	assert_int_equal(nd_journal_write(&store, &j), 0);
	nd_journal_fini(&j);
	assert_int_equal(nd_store_read(&store, "journal", &data, &len), 0);
	copy = malloc(len);
	assert_non_null(copy);
	for (size_t i = 0; i < len; i++) {
		write_file("journal", data, i);
		assert_int_equal(nd_journal_read(&store, &j), -EBADMSG);
		memcpy(copy, data, len);
		copy[i] = (char)~copy[i];
		write_file("journal", copy, len);
		if (nd_journal_read(&store, &j) == 0)
			nd_journal_fini(&j);
	}
	free(copy);
	free(data);
}

static void test_locked(void **state)
{
	struct store other = STORE_INIT;

	(void)state;
	assert_int_equal(nd_store_open(&other, dir), STORE_LOCKED);
	nd_store_close(&store);
	assert_int_equal(nd_store_open(&other, dir), 0);
	nd_store_close(&other);
	assert_int_equal(nd_store_open(&store, dir), 0);
	assert_int_equal(nd_store_open(&other, "/nowhere/at/all"), -ENOENT);
}

#define CASE(name_) cmocka_unit_test_setup_teardown(test_##name_, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(ledger),
		CASE(namespaces),
		CASE(half_a_line),
		CASE(garbage),
		CASE(generation),
		CASE(broken_generation),
		CASE(journal),
		CASE(broken_journal),
		CASE(locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
