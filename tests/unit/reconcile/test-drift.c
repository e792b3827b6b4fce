/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: drift, over the fake kernel: what others change of ours is brought back, once, and what is not ours is
 * left alone; what the kernel refuses stays pending and is tried again; what comes again and again is put
 * off; some of it is only reported.
 */
#include "desk.h"

static bool (*is_so)(void);
static struct nd_timer look;

static void on_look(struct nd_timer *t)
{
	if (is_so())
		nd_loop_stop(loop, 0);
	else
		nd_timer_set(t, nctl_time_add_ms(nctl_time_now(), 2));
}

static void until(bool (*f)(void))
{
	is_so = f;
	nd_timer_init(&look, loop, on_look, NULL);
	nd_timer_set(&look, nctl_time_now());
	run();
	nd_timer_stop(&look);
}

static const struct nctl_mirror *mirror(void)
{
	return nctl_session_mirror(nctl_hub_home(nd_netns_set_hub(nd_reconcile_netns(reconcile))));
}

static nctl_ifindex index_of(const char *name)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_find(mirror(), name);

	return l ? l->v.ifindex : 0;
}

static unsigned long long drift(const char *key)
{
	json_object *o;

	status("state");
	o = json_object_object_get(json_object_object_get(last, "drift"), key);
	assert_non_null(o);
	return (unsigned long long)json_object_get_int64(o);
}

static const char *pending(size_t i)
{
	json_object *o;

	status("state");
	o = json_object_object_get(last, "pending");
	return i < json_object_array_length(o) ? json_object_get_string(json_object_array_get_idx(o, i)) : "";
}

static bool has_address(const char *address)
{
	struct nctl_prefix p;

	assert_int_equal(nctl_prefix_parse(address, NCTL_PREFIX_NEED_LENGTH, &p), 0);
	return nctl_mirror_addr_find(mirror(), &p);
}

static bool is_repaired(void)
{
	return drift("repairs") > 0 && !strcmp(status("state"), "settled");
}

static bool has_d0(void)
{
	return has("d0") && !strcmp(status("state"), "settled");
}

static bool is_waiting(void)
{
	return !strcmp(status("state"), "waiting");
}

/* The first refusal is tried again at once: this is the second one. */
static bool is_refused(void)
{
	return drift("unrepaired") == 2 && is_waiting();
}

static bool is_refused_once(void)
{
	return drift("unrepaired") == 1 && has("v");
}

static bool is_refused_thrice(void)
{
	return drift("unrepaired") == 3 && is_waiting();
}

static bool is_settled(void)
{
	return !strcmp(status("state"), "settled");
}

static bool has_v(void)
{
	return has("v") && !strcmp(status("state"), "settled");
}

static unsigned long long passes;

/* So many passes later. */
static bool has_passed(void)
{
	return drift("passes") >= passes && strcmp(status("state"), "repairing");
}

static void until_passes(unsigned n)
{
	passes = drift("passes") + n;
	until(has_passed);
}

static const char one[] = "  dummy-devices: {d0: {addresses: [192.0.2.1/24]}}\n";

static void test_link(void **state)
{
	(void)state;
	write_text(file, one);
	start();
	assert_int_equal(rig_foreign_del(fake, index_of("d0")), 0);
	until(is_repaired);
	assert_true(has_address("192.0.2.1/24"));
	assert_string_equal(status("generation"), "1");
	assert_string_equal(status("owned_links"), "1");
	/* It is ours as the first one was: it goes when nobody wants it. */
	apply("  dummy-devices: {}\n", 0);
	assert_false(has("d0"));
}

static void test_address(void **state)
{
	(void)state;
	write_text(file, one);
	start();
	assert_int_equal(rig_foreign_addr(fake, index_of("d0"), "192.0.2.1/24", false), 0);
	until(is_repaired);
	assert_true(has_address("192.0.2.1/24"));
	assert_int_equal(drift("repairs"), 1);
}

static bool is_up(void)
{
	const struct nctl_mirror_link *l = nctl_mirror_link_find(mirror(), "d0");

	return l && nctl_link_is_up(&l->v) && l->v.mtu == 1400 && is_settled();
}

static void test_fields(void **state)
{
	(void)state;
	write_text(file, "  dummy-devices: {d0: {mtu: 1400}}\n");
	start();
	assert_int_equal(rig_foreign_mtu(fake, index_of("d0"), 1300), 0);
	assert_int_equal(rig_foreign_up(fake, index_of("d0"), false), 0);
	until(is_up);
}

static void test_rename(void **state)
{
	nctl_ifindex ifindex;

	(void)state;
	write_text(file, one);
	start();
	ifindex = index_of("d0");
	assert_int_equal(rig_foreign_name(fake, ifindex, "x"), 0);
	until(is_repaired);
	assert_int_equal(index_of("d0"), ifindex);
	assert_false(has("x"));
}

/* Nothing that happens to what is not ours begins a pass. */
static void test_foreign(void **state)
{
	unsigned long long before;

	(void)state;
	write_text(file, one);
	start();
	before = drift("passes");
	assert_int_equal(rig_foreign_addr(fake, 2, "198.51.100.1/24", true), 0);
	assert_int_equal(rig_foreign_addr(fake, index_of("d0"), "198.51.100.2/24", true), 0);
	assert_int_equal(rig_foreign_addr(fake, index_of("d0"), "198.51.100.2/24", false), 0);
	assert_int_equal(rig_foreign_mtu(fake, 2, 1300), 0);
	assert_int_equal(rig_foreign_new(fake, 3, "other", "dummy", 0), 0);
	assert_int_equal(rig_foreign_del(fake, 3), 0);
	assert_int_equal(rig_foreign_addr(fake, index_of("d0"), "192.0.2.1/24", false), 0);
	until(is_repaired);
	/* One that repaired, and one that looked again. */
	until_passes(1);
	assert_in_range(drift("passes"), before + 1, before + 3);
	assert_true(has_address("198.51.100.1/24"));
}

/* A parent that is no part of the configuration, and a card that is: they come when they come. */
static void test_wait(void **state)
{
	(void)state;
	write_text(file, "  vlans: {v: {id: 1, link: eth7, addresses: [192.0.2.1/24]}}\n"
			 "  ethernets: {eth7: {}}\n");
	start();
	assert_string_equal(status("state"), "waiting");
	assert_int_equal(rig_foreign_new(fake, 7, "eth7", "dummy", 0), 0);
	until(has_v);
	assert_string_equal(pending(0), "");
	/* And go, and come back. */
	assert_int_equal(rig_foreign_del(fake, 7), 0);
	until(is_waiting);
	assert_false(has("v"));
	assert_int_equal(rig_foreign_new(fake, 7, "eth7", "dummy", 0), 0);
	until(has_v);
}

/* What the kernel refuses is pending, with its reason, and tried again; the others are done. */
static void test_refused(void **state)
{
	(void)state;
	write_text(file, "  dummy-devices: {d0: {}, d1: {}}\n  vlans: {v: {id: 1, link: d1}}\n");
	start();
	/* Once may come of a change that was met half way: nobody is told. */
	refuse(RTM_NEWLINK, "v");
	assert_int_equal(rig_foreign_del(fake, index_of("v")), 0);
	until(is_refused_once);
	until(is_settled);
	assert_string_equal(pending(0), "");
	for (int i = 0; i < 2; i++)
		refuse(RTM_NEWLINK, "v");
	assert_int_equal(rig_foreign_del(fake, index_of("v")), 0);
	assert_int_equal(rig_foreign_del(fake, index_of("d0")), 0);
	until(is_refused_thrice);
	assert_true(has("d0"));
	assert_non_null(
		strstr(pending(0), "create vlan v: Operation not permitted (the kernel says: not today)"));
	until(has_v);
	assert_string_equal(pending(0), "");
}

/* The same of a configuration that was accepted in part. */
static void test_partly(void **state)
{
	(void)state;
	write_text(file, one);
	start();
	refuse(RTM_NEWLINK, "v");
	apply("  dummy-devices: {d0: {}}\n  vlans: {v: {id: 1, link: d0}}\n", ND_APPLY_KEEP_GOING);
	answer_is(4, "partly-applied");
	assert_string_equal(status("state"), "partly-applied");
	until(has_v);
}

static unsigned attacks;

/* Whenever it is there, it is deleted. */
static bool attack(void)
{
	nctl_ifindex i = index_of("d0");

	if (i && !rig_foreign_del(fake, i))
		attacks++;
	return attacks > 6 && *pending(0);
}

static void test_damped(void **state)
{
	(void)state;
	write_text(file, "  dummy-devices: {d0: {}, d1: {}}\n");
	start();
	attacks = 0;
	until(attack);
	/* Some times at once, and then it is put off; which is said. Attacks amid a repair may not count. */
	assert_in_range(attacks, 7, 14);
	assert_non_null(strstr(pending(0), "dummy d0"));
	/* Others are not. */
	assert_int_equal(rig_foreign_addr(fake, index_of("d1"), "198.51.100.2/24", true), 0);
	assert_int_equal(rig_foreign_up(fake, index_of("d1"), false), 0);
	until_passes(1);
	assert_true(nctl_link_is_up(&nctl_mirror_link_find(mirror(), "d1")->v));
	assert_false(has("d0"));
	until(has_d0);
}

static void ask_drift(void)
{
	unsigned before = answers;

	assert_int_equal(nd_reconcile_drift(reconcile, on_answer, NULL), 0);
	until_answers(before + 1);
}

static void test_report(void **state)
{
	(void)state;
	write_text(file,
		"  drift: report\n"
		"  dummy-devices: {d0: {}, d1: {drift: repair}}\n  ethernets: {eth7: {mtu: 1300}}\n");
	start();
	ask_drift();
	answer_is(1, NULL); /* a card that is not there */
	assert_string_equal(json_object_get_string(field("/plan/problems/0/type")), "wait");
	/* It is not drift that brings it. */
	assert_int_equal(rig_foreign_new(fake, 7, "eth7", "dummy", 0), 0);
	until(is_settled);
	assert_int_equal(nctl_mirror_link_find(mirror(), "eth7")->v.mtu, 1300);
	ask_drift();
	answer_is(0, NULL);
	assert_int_equal(rig_foreign_del(fake, index_of("d0")), 0);
	assert_int_equal(rig_foreign_del(fake, index_of("d1")), 0);
	until(is_waiting);
	assert_non_null(strstr(pending(0), "dummy d0 is not as configured"));
	assert_true(has("d1"));
	assert_false(has("d0"));
	ask_drift();
	answer_is(1, NULL);
	assert_string_equal(json_object_get_string(field("/plan/entries/0/label")), "d0");
	assert_false(has("d0"));
	/* An apply means it. */
	apply("  drift: report\n  dummy-devices: {d0: {}, d1: {drift: repair}}\n", 0);
	assert_true(has("d0"));
	assert_string_equal(status("state"), "settled");
}

/* A foreign link in the way of one does not keep others from being repaired. */
static void test_conflict(void **state)
{
	(void)state;
	write_text(file, "  bridges: {d0: {}}\n  dummy-devices: {d1: {}}\n");
	start();
	assert_int_equal(rig_foreign_del(fake, index_of("d0")), 0);
	assert_int_equal(rig_foreign_new(fake, 9, "d0", "dummy", 0), 0);
	assert_int_equal(rig_foreign_del(fake, index_of("d1")), 0);
	until(is_waiting);
	assert_true(has("d1"));
	assert_int_equal(index_of("d0"), 9);
	assert_non_null(strstr(pending(0), "is in the way of bridge d0"));
	assert_int_equal(rig_foreign_del(fake, 9), 0);
	until(has_d0);
}

static void ask_why(const char *netns, const char *link, int exit_status)
{
	struct nctl_strbuf b = NCTL_STRBUF_INIT;

	assert_int_equal(nd_reconcile_why(reconcile, netns, link, &b), 0);
	json_object_put(last);
	last = json_tokener_parse(nctl_strbuf_str(&b));
	nctl_strbuf_fini(&b);
	assert_non_null(last);
	assert_int_equal(json_object_get_int(field("/exit")), exit_status);
}

static void field_is(const char *path, const char *text)
{
	assert_string_equal(json_object_get_string(field(path)), text);
}

/* From what is asked for to what is to blame. */
static void test_why(void **state)
{
	(void)state;
	write_text(file, "  vlans: {v: {id: 1, link: w}, w: {id: 2, link: eth7, addresses: [192.0.2.1/24]}}\n"
			 "  ethernets: {eth7: {}}\n  dummy-devices: {d0: {}, d1: {activation-mode: off}}\n"
			 "  bonds: {b0: {}}\n");
	start();
	ask_why("", "d0", 0);
	field_is("/why/state", "up");
	ask_why("", "nowhere", 2);
	ask_why("nowhere", "d0", 2);
	ask_why("", "eth0", 1); /* a foreign one, which is down */
	assert_false(json_object_get_boolean(field("/why/wanted")));
	ask_why("", "d1", 1);
	field_is("/why/because/0/type", "down");
	ask_why("", "b0", 1);
	field_is("/why/state", "no-carrier");
	field_is("/why/because/0/because/0/type", "ports");
	ask_why("", "v", 1);
	field_is("/why/state", "absent");
	field_is("/why/line", "3");
	field_is("/why/because/0/link", "w");
	field_is("/why/because/0/because/0/link", "eth7");
	field_is("/why/because/0/because/0/state", "absent");
	field_is("/why/because/0/because/0/since_s", "0");
	/* What the kernel said, where it said so. */
	for (int i = 0; i < 2; i++)
		refuse(RTM_NEWLINK, "w");
	assert_int_equal(rig_foreign_new(fake, 7, "eth7", "dummy", 0), 0);
	until(is_refused);
	ask_why("", "v", 1);
	field_is("/why/because/0/link", "w");
	field_is("/why/because/0/because/0/type", "refused");
	assert_non_null(strstr(json_object_get_string(field("/why/because/0/because/0/text")), "not today"));
	field_is("/why/because/0/because/0/attempts", "1");
	until(has_v);
	/* Something foreign took the place. */
	assert_int_equal(rig_foreign_del(fake, index_of("d0")), 0);
	assert_int_equal(rig_foreign_new(fake, 9, "d0", "bridge", 0), 0);
	until(is_waiting);
	ask_why("", "d0", 1);
	field_is("/why/because/0/type", "blocked");
}

static bool cards_are_set(void)
{
	const struct nctl_mirror_link *a = nctl_mirror_link_find(mirror(), "card1"),
				      *b = nctl_mirror_link_find(mirror(), "card2"),
				      *c = nctl_mirror_link_find(mirror(), "lan0");

	return a && b && c && a->v.mtu == 1300 && b->v.mtu == 1300 && c->v.mtu == 1400 &&
	       nctl_link_is_up(&c->v) && is_settled();
}

static void add_card(int ifindex, const char *name)
{
	assert_int_equal(nctl_fake_netns_add_card(fake, nctl_fake_home(fake), ifindex, name), 0);
}

/* Devices that a pattern means, some of which the configuration does not know by name. */
static void test_match(void **state)
{
	(void)state;
	write_text(file,
		"  ethernets: {cards: {match: {name: \"card*\"}, mtu: 1300},\n"
		"    one: {match: {name: p1}, set-name: lan0, mtu: 1400}}\n  dummy-devices: {d0: {}}\n");
	start();
	assert_string_equal(status("state"), "waiting");
	ask_why("", "cards", 1);
	add_card(7, "card1");
	add_card(8, "card2");
	add_card(9, "p1");
	until(cards_are_set);
	assert_int_equal(rig_foreign_mtu(fake, 8, 1200), 0);
	assert_int_equal(rig_foreign_name(fake, 9, "p1"), 0);
	assert_int_equal(rig_foreign_up(fake, 9, false), 0);
	until_passes(1);
	until(cards_are_set);
	ask_why("", "card2", 0);
}

static void test_nothing_accepted(void **state)
{
	(void)state;
	write_text(file, "  dummy-devices: {d0: {mtuu: 1}}\n");
	start();
	ask_drift();
	answer_is(2, NULL);
	assert_string_equal(status("state"), "failed");
	assert_int_equal(rig_foreign_up(fake, 2, true), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_link, setup, teardown),
		cmocka_unit_test_setup_teardown(test_address, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rename, setup, teardown),
		cmocka_unit_test_setup_teardown(test_foreign, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_partly, setup, teardown),
		cmocka_unit_test_setup_teardown(test_damped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_report, setup, teardown),
		cmocka_unit_test_setup_teardown(test_conflict, setup, teardown),
		cmocka_unit_test_setup_teardown(test_why, setup, teardown),
		cmocka_unit_test_setup_teardown(test_match, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_accepted, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
