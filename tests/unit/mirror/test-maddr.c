/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: multicast memberships: who wants what, against a model that works it out anew from all links and
 * addresses after each of many random changes; allocations that fail; readings and what they explain; and
 * what a turn's worth of lines costs.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "mirror/maddr.h"
#include "random.h"
#include "test.h"

#include <linux/if_arp.h>

enum { LINKS = 12, ADDRS = 5, RUNS = 60, STEPS = 400 };

/* -- failing memory -- */

static int fail_in = -1;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	return fail_in >= 0 && fail_in-- == 0 ? NULL : __real_calloc(n, size);
}

void *__wrap_malloc(size_t size)
{
	return fail_in >= 0 && fail_in-- == 0 ? NULL : __real_malloc(size);
}

/* -- kinds -- */

static void one_port(const void *data, uint64_t has, struct nctl_kind_ports *ret)
{
	const uint32_t *port = data;

	(void)has;
	ret->one = true;
	ret->the_one = *port;
}

static void lacp_ports(const void *data, uint64_t has, struct nctl_kind_ports *ret)
{
	(void)data;
	(void)has;
	ret->lacp = true;
}

static const struct nctl_kind kinds[] = {
	{.name = "plain"},
	{.name = "down", .traits = NCTL_KIND_MULTICAST_TO_LOWER | NCTL_KIND_REGISTERS},
	{.name = "all", .traits = NCTL_KIND_MULTICAST_TO_PORTS},
	{.name = "one", .traits = NCTL_KIND_MULTICAST_TO_PORTS, .data_size = 4, .ports = one_port},
	{.name = "lacp", .traits = NCTL_KIND_MULTICAST_TO_PORTS, .data_size = 4, .ports = lacp_ports},
};

/* -- the model -- */

struct model_link {
	bool here;
	unsigned kind, flags;
	nctl_ifindex lower, master;
	uint32_t the_one;
	bool addrs[ADDRS];
};

static const char *const addresses[ADDRS] = {
	"2001:db8::1", "2001:db8:1::1", "fe80::2", "2001:db8::3", "2001:db8::ab12:3456"};

struct model {
	struct nctl_maddrs *s;
	struct model_link links[LINKS + 1];
};

static struct nctl_lladdr mac(const char *text)
{
	struct nctl_lladdr m;

	assert_int_equal(nctl_lladdr_parse(text, &m), 0);
	return m;
}

static struct nctl_addr address(nctl_ifindex ifindex, unsigned i)
{
	struct nctl_addr a = NCTL_ADDR_INIT;

	a.ifindex = ifindex;
	assert_int_equal(nctl_addr_parse(addresses[i], &a.local), 0);
	a.local.len = 64;
	return a;
}

static struct nctl_lladdr solicited(unsigned i)
{
	struct nctl_addr a = address(1, i);
	struct nctl_prefix group;
	struct nctl_lladdr m;

	nctl_maddr_solicited_node(&a.local, &group);
	assert_true(nctl_maddr_of_group(&group, &m));
	return m;
}

static void feed(struct model *m, nctl_ifindex ifindex)
{
	const struct model_link *v = &m->links[ifindex];
	struct nctl_link l = NCTL_LINK_INIT;
	uint32_t data = v->the_one;

	l.ifindex = ifindex;
	l.arphrd = ARPHRD_ETHER;
	l.flags = v->flags;
	l.kind = &kinds[v->kind];
	l.lower = v->lower;
	l.master = v->master;
	l.data = l.kind->data_size ? &data : NULL;
	nctl_maddrs_link(m->s, &l);
}

static bool is_up(const struct model *m, nctl_ifindex i)
{
	return m->links[i].here && m->links[i].flags & IFF_UP;
}

/* Does a hand its addresses down to b? How many times. */
static unsigned hands_down(const struct model *m, nctl_ifindex a, nctl_ifindex b)
{
	const struct model_link *x = &m->links[a], *y = &m->links[b];
	unsigned n = 0;

	if (a == b || !is_up(m, a))
		return 0;
	n += x->kind == 1 && x->lower == b;
	if (y->here && y->master == a)
		n += x->kind == 2 || x->kind == 4 || (x->kind == 3 && x->the_one == b);
	return n;
}

/* What link i has of its own: the addresses whose MAC it is, and whether all want it. */
static unsigned own(const struct model *m, nctl_ifindex i, const struct nctl_lladdr *a, bool *ret_all)
{
	const struct nctl_lladdr nodes = mac("33:33:00:00:00:01"), hosts = mac("01:00:5e:00:00:01");
	const struct model_link *v = &m->links[i];
	unsigned n = 0;

	*ret_all =
		is_up(m, i) && v->flags & IFF_MULTICAST &&
		(nctl_lladdr_equal(a, &hosts) || (nctl_lladdr_equal(a, &nodes) && !(v->flags & IFF_SLAVE)));
	for (unsigned k = 0; v->here && k < ADDRS; k++) {
		struct nctl_lladdr s = solicited(k);

		n += v->addrs[k] && nctl_lladdr_equal(&s, a);
	}
	return n;
}

enum special { NONE, LACP, VLANS };

/* By whom link i is made to listen to such an address, beside all others. */
static unsigned made_to(const struct model *m, nctl_ifindex i, enum special special)
{
	unsigned n = 0;

	for (nctl_ifindex k = 1; k <= LINKS; k++) {
		const struct model_link *v = &m->links[k];

		n += special == LACP && v->kind == 4 && m->links[i].master == k && hands_down(m, k, i);
		n += special == VLANS && v->here && v->kind == 1 && v->lower == i && k != i;
	}
	return n;
}

/* Everything about one MAC, by going round until nothing changes. */
static void check_mac(const struct model *m, const struct nctl_lladdr *a, enum special special)
{
	bool has[LINKS + 1] = {false}, changed = true, all;

	while (changed) {
		changed = false;
		for (nctl_ifindex i = 1; i <= LINKS; i++) {
			bool now = own(m, i, a, &all) && !(m->links[i].flags & IFF_NOARP);

			now |= all || made_to(m, i, special);
			for (nctl_ifindex k = 1; k <= LINKS; k++)
				now |= has[k] && hands_down(m, k, i);
			changed |= now && !has[i];
			has[i] |= now;
		}
	}
	for (nctl_ifindex i = 1; i <= LINKS; i++) {
		unsigned uppers = 0, made = made_to(m, i, special), n_own = own(m, i, a, &all);

		for (nctl_ifindex k = 1; k <= LINKS; k++)
			uppers += has[k] ? hands_down(m, k, i) : 0;
		if (!uppers && !made && !n_own && !all) {
			assert_int_equal(nctl_maddrs_count(m->s, i, a, NCTL_MADDR_ALL), -1);
			continue;
		}
		assert_int_equal(nctl_maddrs_count(m->s, i, a, NCTL_MADDR_ADDRESS), n_own);
		assert_int_equal(nctl_maddrs_count(m->s, i, a, NCTL_MADDR_ALL), all);
		assert_int_equal(nctl_maddrs_count(m->s, i, a, NCTL_MADDR_UPPER), uppers);
		assert_int_equal(nctl_maddrs_count(m->s, i, a, NCTL_MADDR_PORT), special == LACP ? made : 0);
		assert_int_equal(
			nctl_maddrs_count(m->s, i, a, NCTL_MADDR_VLANS), special == VLANS ? made : 0);
	}
}

static void check(const struct model *m)
{
	static const struct {
		const char *mac;
		enum special special;
	} fixed[] = {{"33:33:00:00:00:01", NONE}, {"01:00:5e:00:00:01", NONE}, {"01:80:c2:00:00:02", LACP},
		{"01:80:c2:00:00:21", VLANS}};

	for (unsigned i = 0; i < NCTL_ARRAY_SIZE(fixed); i++) {
		struct nctl_lladdr a = mac(fixed[i].mac);

		check_mac(m, &a, fixed[i].special);
	}
	for (unsigned i = 0; i < ADDRS; i++) {
		struct nctl_lladdr a = solicited(i);

		check_mac(m, &a, NONE);
	}
}

/* wild: also what no kernel lets be, links on top of each other in circles. Else all goes from higher numbers
 * down. */
static void change(struct model *m, struct random *r, bool wild)
{
	static const unsigned flags[] = {IFF_UP | IFF_MULTICAST, IFF_UP | IFF_MULTICAST, IFF_MULTICAST,
		IFF_UP, IFF_UP | IFF_MULTICAST | IFF_SLAVE, IFF_UP | IFF_NOARP};
	nctl_ifindex i = 1 + random_below(r, LINKS);
	struct model_link *v = &m->links[i];
	struct nctl_addr a;
	unsigned k;

	switch (random_below(r, 8)) {
	case 0:
		memset(v, 0, sizeof(*v));
		nctl_maddrs_link_gone(m->s, i);
		return;
	case 1:
	case 2:
	case 3:
		k = random_below(r, ADDRS);
		if (!v->here)
			return;
		v->addrs[k] = !v->addrs[k];
		a = address(i, k);
		nctl_maddrs_addr(m->s, &a, v->addrs[k]);
		return;
	case 4:
		v->flags = flags[random_below(r, NCTL_ARRAY_SIZE(flags))];
		break;
	case 5:
		v->the_one = random_below(r, LINKS + 1);
		break;
	default:
		v->kind = random_below(r, NCTL_ARRAY_SIZE(kinds));
		v->lower = random_below(r, wild ? LINKS + 1 : i);
		v->master = random_below(r, 3) && i < LINKS ? i + 1 + random_below(r, LINKS - i) : 0;
		break;
	}
	v->here = true;
	feed(m, i);
}

static void test_random(void **state)
{
	struct random r = random_init("random");

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		struct model m = {0};

		assert_int_equal(nctl_maddrs_new(&m.s), 0);
		for (unsigned i = 0; i < STEPS; i++) {
			change(&m, &r, false);
			if (i % 8 == 0 || i + 1 == STEPS)
				check(&m);
		}
		for (nctl_ifindex k = 1; k <= LINKS; k++)
			nctl_maddrs_link_gone(m.s, k);
		assert_int_equal(nctl_maddrs_size(m.s), 0);
		m.s = nctl_maddrs_free(m.s);
	}
}

/* Circles, and memory that runs out anywhere: nothing is lost or kept too long (the sanitizer sees to that).
 */
static void test_trouble(void **state)
{
	struct random r = random_init("trouble");

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		struct model m = {0};

		assert_int_equal(nctl_maddrs_new(&m.s), 0);
		for (unsigned i = 0; i < STEPS; i++) {
			fail_in = random_below(&r, 4) ? -1 : (int)random_below(&r, 6);
			change(&m, &r, true);
			fail_in = -1;
			if (random_below(&r, 40) == 0)
				nctl_maddrs_reset(m.s);
		}
		m.s = nctl_maddrs_free(m.s);
	}
}

/*
 * Links in a circle, as no kernel lets them be, but as events and a dump between them may show: what comes
 * and what goes would run after each other for ever. It comes to an end, and the store knows that it may be
 * wrong.
 */
static void test_circle(void **state)
{
	struct model m = {
		.links = {
			[1] = {.here = true, .kind = 3, .flags = IFF_UP | IFF_MULTICAST, .the_one = 5},
			[2] = {.here = true, .kind = 1, .flags = IFF_UP, .master = 1, .lower = 3},
			[3] = {.here = true, .kind = 1, .flags = IFF_UP, .lower = 4},
			[4] = {.here = true, .kind = 1, .flags = IFF_UP, .lower = 1},
			[5] = {.here = true, .flags = IFF_UP, .master = 1},
		}};

	(void)state;
	assert_int_equal(nctl_maddrs_new(&m.s), 0);
	for (nctl_ifindex i = 1; i <= 5; i++)
		feed(&m, i);
	assert_false(nctl_maddrs_is_incomplete(m.s));
	/* It hands down to the second link from now on, and wants nothing any more itself. */
	m.links[1].the_one = 2;
	m.links[1].flags = IFF_UP;
	feed(&m, 1);
	assert_true(nctl_maddrs_is_incomplete(m.s));
	m.s = nctl_maddrs_free(m.s);
}

/* -- readings -- */

static int parse(
	enum nctl_maddr_file file, const char *text, size_t len, size_t piece, struct nctl_maddr_list *l)
{
	struct nctl_maddr_parser p;
	int r = 0;

	nctl_maddr_parser_init(&p, file, l);
	for (size_t at = 0; r == 0 && at < len; at += piece)
		r = nctl_maddr_parse(&p, text + at, nctl_min(piece, len - at));
	return r < 0 ? r : nctl_maddr_parse_end(&p);
}

static void read_back(struct nctl_maddrs *s, const char *macs, const char *groups4, const char *groups6)
{
	struct nctl_maddr_list l = NCTL_MADDR_LIST_INIT;

	assert_int_equal(parse(NCTL_MADDR_DEV_MCAST, macs, strlen(macs), 9, &l), 0);
	assert_int_equal(parse(NCTL_MADDR_IGMP, groups4, strlen(groups4), 9, &l), 0);
	assert_int_equal(parse(NCTL_MADDR_IGMP6, groups6, strlen(groups6), 9, &l), 0);
	nctl_maddrs_read_begin(s);
	for (size_t i = 0; i < l.n; i++)
		nctl_maddrs_read_line(s, &l.v[i]);
	while (nctl_maddrs_read_end(s, 2))
		;
	nctl_maddr_list_fini(&l);
}

static const char *link_name(const void *userdata, uint32_t ifindex)
{
	static char name[16];

	(void)userdata;
	snprintf(name, sizeof(name), "l%u", ifindex);
	return name;
}

static void assert_json(const struct nctl_maddrs *s, nctl_ifindex ifindex, bool why, const char *expected)
{
	const struct nctl_maddr_filter f = {.why = why};
	const struct nctl_names names = {.link_name = link_name};
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_json json;

	nctl_json_init(&json, &out);
	nctl_json_arr_begin(&json);
	nctl_maddrs_json(s, ifindex, &f, &names, &json);
	nctl_json_arr_end(&json);
	assert_string_equal(nctl_strbuf_str(&out), expected);
	nctl_strbuf_fini(&out);
}

/* A VLAN-like link 3 on 2: a program joined a group on 3, the administrator added a MAC to it. */
static void test_why(void **state)
{
	struct model m = {0};
	struct nctl_addr a = address(3, 0);

	(void)state;
	assert_int_equal(nctl_maddrs_new(&m.s), 0);
	m.links[2] = (struct model_link){.here = true, .flags = IFF_UP | IFF_MULTICAST};
	m.links[3] =
		(struct model_link){.here = true, .flags = IFF_UP | IFF_MULTICAST, .kind = 1, .lower = 2};
	feed(&m, 3);
	feed(&m, 2);
	nctl_maddrs_addr(m.s, &a, true);
	assert_json(m.s, 3, false, "[]");
	read_back(m.s,
		"2 l2 2 0 333300000001\n2 l2 2 0 01005e000001\n2 l2 1 0 3333ff000001\n2 l2 2 0 01005e010203\n"
		"2 l2 1 0 333300001234\n"
		"3 l3 2 0 333300000001\n3 l3 2 0 01005e000001\n3 l3 2 0 01005e010203\n3 l3 2 1 "
		"333300001234\n",
		"2\tl2 : 1 V3\n\t\t\t\t010000E0 1 0:00000000\t\t0\n3\tl3 : 1 V3\n\t\t\t\t010000E0 1 "
		"0:00000000\t\t0\n"
		"\t\t\t\t030201EF 2 0:00000000\t\t0\n",
		"2 l2 ff020000000000000000000000000001 1 0000000C 0\n"
		"3 l3 ff020000000000000000000000000001 1 0000000C 0\n");
	assert_json(m.s, 3, false,
		"[{\"link\":\"01:00:5e:00:00:01\",\"users\":2},{\"link\":\"01:00:5e:01:02:03\",\"users\":2},"
		"{\"link\":\"33:33:00:00:00:01\",\"users\":2},"
		"{\"link\":\"33:33:00:00:12:34\",\"users\":2,\"features\":\"static\"},"
		"{\"family\":\"inet\",\"address\":\"224.0.0.1\"},"
		"{\"family\":\"inet\",\"address\":\"239.1.2.3\",\"users\":2},"
		"{\"family\":\"inet6\",\"address\":\"ff02::1\"}]");
	assert_json(m.s, 2, true,
		"[{\"link\":\"01:00:5e:00:00:01\",\"users\":2,\"why\":[{\"by\":\"all\",\"family\":\"inet\","
		"\"address\":\"224.0.0.1\"},{\"by\":\"upper\",\"dev\":\"l3\"}]},"
		"{\"link\":\"01:00:5e:01:02:03\",\"users\":2,\"why\":[{\"by\":\"upper\",\"dev\":\"l3\"},"
		"{\"by\":\"unknown\"}]},"
		"{\"link\":\"33:33:00:00:00:01\",\"users\":2,\"why\":[{\"by\":\"all\",\"family\":\"inet6\","
		"\"address\":\"ff02::1\"},{\"by\":\"upper\",\"dev\":\"l3\"}]},"
		"{\"link\":\"33:33:00:00:12:34\",\"why\":[{\"by\":\"upper\",\"dev\":\"l3\"}]},"
		"{\"link\":\"33:33:ff:00:00:01\",\"why\":[{\"by\":\"upper\",\"dev\":\"l3\"}]},"
		"{\"family\":\"inet\",\"address\":\"224.0.0.1\"},{\"family\":\"inet6\",\"address\":\"ff02::"
		"1\"}]");
	assert_json(m.s, 3, true,
		"[{\"link\":\"01:00:5e:00:00:01\",\"users\":2,\"why\":[{\"by\":\"all\",\"family\":\"inet\","
		"\"address\":\"224.0.0.1\"}]},"
		"{\"link\":\"01:00:5e:01:02:03\",\"users\":2,\"why\":[{\"by\":\"group\",\"family\":\"inet\","
		"\"address\":\"239.1.2.3\",\"users\":2}]},"
		"{\"link\":\"33:33:00:00:00:01\",\"users\":2,\"why\":[{\"by\":\"all\",\"family\":\"inet6\","
		"\"address\":\"ff02::1\"}]},"
		"{\"link\":\"33:33:00:00:12:34\",\"users\":2,\"features\":\"static\",\"why\":[{\"by\":"
		"\"static\"}]},"
		/* It should be there, by its address. */
		"{\"link\":\"33:33:ff:00:00:01\",\"missing\":true,\"why\":[{\"by\":\"address\","
		"\"family\":\"inet6\",\"address\":\"2001:db8::1\"}]},"
		"{\"family\":\"inet\",\"address\":\"224.0.0.1\"},"
		"{\"family\":\"inet\",\"address\":\"239.1.2.3\",\"users\":2},"
		"{\"family\":\"inet6\",\"address\":\"ff02::1\"}]");
	/* The next reading has less: what it lacks goes, on both. */
	read_back(m.s, "2 l2 1 0 333300000001\n", "", "");
	assert_json(m.s, 2, false, "[{\"link\":\"33:33:00:00:00:01\"}]");
	assert_json(m.s, 3, false, "[]");
	nctl_maddrs_link_gone(m.s, 3);
	nctl_maddrs_link_gone(m.s, 2);
	assert_int_equal(nctl_maddrs_size(m.s), 0);
	nctl_maddrs_free(m.s);
}

/* S1's shape: what one of many VLANs costs may not hang on how many there are. */
static double cost(unsigned n)
{
	struct nctl_maddrs *s;
	struct nctl_link l = NCTL_LINK_INIT;
	nctl_time begin;
	double us;

	assert_int_equal(nctl_maddrs_new(&s), 0);
	l.arphrd = ARPHRD_ETHER;
	l.flags = IFF_UP | IFF_MULTICAST;
	l.ifindex = 1;
	nctl_maddrs_link(s, &l);
	l.kind = &kinds[1];
	l.lower = 1;
	for (unsigned i = 0; i < n; i++) {
		struct nctl_addr a = address(i + 2, 0);

		l.ifindex = i + 2;
		nctl_maddrs_link(s, &l);
		nctl_maddrs_addr(s, &a, true);
	}
	begin = nctl_time_now();
	for (unsigned i = 0; i < 1000; i++) {
		l.ifindex = 2 + i % n;
		nctl_maddrs_link_gone(s, l.ifindex);
		nctl_maddrs_link(s, &l);
	}
	us = (double)nctl_time_diff_us(nctl_time_now(), begin) / 1000;
	printf("# one of %u links on another one goes and comes: %.2f us\n", n, us);
	nctl_maddrs_free(s);
	return us;
}

static void test_cost(void **state)
{
	double few = cost(10), many = cost(10000);

	(void)state;
	assert_true(many < few * 8 + 10);
}

/* A turn of the daemon: 2,000 lines over 10,000 links that have as many already. */
static void test_turn(void **state)
{
	enum { N = 10000 };
	struct model m = {0};
	struct nctl_link l = NCTL_LINK_INIT;
	struct nctl_maddr_line line = {.users = 1, .mac = mac("33:33:00:00:00:01")};
	int64_t worst[2] = {0};

	(void)state;
	assert_int_equal(nctl_maddrs_new(&m.s), 0);
	l.arphrd = ARPHRD_ETHER;
	l.flags = IFF_UP | IFF_MULTICAST;
	for (l.ifindex = 1; l.ifindex <= N; l.ifindex++)
		nctl_maddrs_link(m.s, &l);
	for (unsigned round = 0; round < 2; round++) {
		nctl_maddrs_read_begin(m.s);
		for (unsigned i = 0; i < 5 * N; i += 2000) {
			nctl_time begin = nctl_time_now();

			for (unsigned k = i; k < i + 2000; k++) {
				line.ifindex = 1 + k / 5;
				line.mac.b[5] = (uint8_t)(k % 5);
				nctl_maddrs_read_line(m.s, &line);
			}
			worst[round] = nctl_max(worst[round], nctl_time_diff_us(nctl_time_now(), begin));
		}
		while (nctl_maddrs_read_end(m.s, 2000))
			;
	}
	printf("# 2,000 lines, new and known: at worst %ld us and %ld us\n", (long)worst[0], (long)worst[1]);
	nctl_maddrs_free(m.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_trouble),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_why),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
