/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: messages that a kernel sent, as JSON: what `ip -j -d` made of them at the time, in our order of keys.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/num.h"
#include "codec/route.h"
#include "obj/rtname.h"
#include "recorded.h"

static struct nctl_route_scratch scratch;

static const char *link_name(const void *userdata, uint32_t ifindex)
{
	(void)userdata;
	return ifindex == 3 ? "v0" : ifindex == 4 ? "vx0" : NULL;
}

static const struct nctl_names names = {.link_name = link_name};

static struct nlmsghdr *from_hex(const char *hex)
{
	size_t n = strlen(hex) / 2;
	uint8_t *bytes = malloc(n);
	char pair[3] = "";
	uint32_t v;

	for (size_t i = 0; i < n; i++) {
		memcpy(pair, hex + 2 * i, 2);
		assert_int_equal(nctl_parse_u32(pair, 16, 0, UINT8_MAX, &v), 0);
		bytes[i] = (uint8_t)v;
	}
	assert_int_equal(((struct nlmsghdr *)(void *)bytes)->nlmsg_len, n);
	return (void *)bytes;
}

static int print(const struct nlmsghdr *nlh, struct nctl_json *json)
{
	struct nctl_nexthop nexthop;
	struct nctl_neigh neigh;
	struct nctl_route route;
	struct nctl_rule rule;
	int r = -1;

	switch (nlh->nlmsg_type) {
	case RTM_NEWROUTE:
		r = nctl_route_decode(nlh, &scratch, &route);
		if (r == 0)
			nctl_route_json(&route, &names, json);
		break;
	case RTM_NEWNEXTHOP:
		r = nctl_nexthop_decode(nlh, &scratch, &nexthop);
		if (r == 0)
			nctl_nexthop_json(&nexthop, &names, json);
		break;
	case RTM_NEWRULE:
		r = nctl_rule_decode(nlh, &scratch, &rule);
		if (r == 0)
			nctl_rule_json(&rule, json);
		break;
	case RTM_NEWNEIGH:
		r = nctl_neigh_decode(nlh, &scratch, &neigh);
		if (r == 0)
			nctl_neigh_json(&neigh, &names, json);
		break;
	}
	return r;
}

static void expect(const char *hex, const char *text)
{
	_cleanup_(nctl_freep) struct nlmsghdr *nlh = from_hex(hex);
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_json json;

	nctl_json_init(&json, &out);
	assert_int_equal(print(nlh, &json), 0);
	assert_int_equal(out.err, 0);
	assert_string_equal(nctl_strbuf_str(&out), text);
	nctl_strbuf_fini(&out);
}

static void test_routes(void **state)
{
	(void)state;
	expect(recorded_plain,
		"{\"dst\":\"192.0.2.0/24\",\"table\":\"main\",\"metric\":20,\"type\":\"unicast\","
		"\"gateway\":\"10.0.0.2\",\"dev\":\"v0\",\"protocol\":\"bgp\",\"scope\":"
		"\"global\",\"flags\":[]}");
	expect(recorded_multipath,
		"{\"dst\":\"203.0.113.0/25\",\"table\":\"main\",\"type\":\"unicast\",\"protocol\":\"boot\","
		"\"scope\":\"global\",\"flags\":[],\"nexthops\":[{\"gateway\":\"10.0.0.7\",\"dev\":\"v0\","
		"\"weight\":3,\"flags\":[]},{\"via\":{\"family\":\"inet6\",\"host\":\"2001:db8::2\"},"
		"\"flow\":{\"from\":\"5\",\"to\":\"6\"},\"dev\":\"v0\",\"weight\":1,\"flags\":[\"onlink\"]}]"
		"}");
	expect(recorded_metrics,
		"{\"dst\":\"203.0.115.0/24\",\"table\":\"300\",\"type\":\"unicast\",\"gateway\":\"10.0.0.2\","
		"\"dev\":\"v0\",\"protocol\":\"boot\",\"scope\":\"global\",\"flags\":[],\"metrics\":[{"
		"\"mtu\":1400,\"rtt\":100,\"congestion\":\"cubic\"}],\"metrics_lock\":[\"mtu\"]}");
	expect(recorded_seg6,
		"{\"dst\":\"2001:db8:201::/48\",\"table\":\"main\",\"metric\":1024,\"expires\":999,\"type\":"
		"\"unicast\",\"encap\":\"seg6\",\"mode\":\"encap\",\"segs\":[\"2001:db8::a\","
		"\"2001:db8::b\"],\"gateway\":\"fe80::9\",\"dev\":\"v0\",\"protocol\":\"boot\",\"scope\":"
		"\"global\",\"flags\":[],\"pref\":\"low\"}");
}

static void test_others(void **state)
{
	(void)state;
	expect(recorded_resilient,
		"{\"id\":13,\"group\":[{\"id\":1},{\"id\":2,\"weight\":5}],\"type\":\"resilient\","
		"\"resilient_args\":{\"buckets\":32,\"idle_timer\":60,\"unbalanced_timer\":300,"
		"\"unbalanced_time\":0},\"scope\":\"global\",\"protocol\":\"unspec\",\"flags\":[]}");
	expect(recorded_rule,
		"{\"priority\":77,\"not\":null,\"src\":\"2001:db8:5::\",\"srclen\":48,\"fwmark\":\"0x5\","
		"\"fwmask\":\"0xff\",\"iif\":\"v0\",\"uid_start\":5,\"uid_end\":1000,\"ipproto\":\"ipproto-17\","
		"\"sport_start\":5,\"sport_end\":90,\"table\":\"70000\",\"suppress_prefixlen\":3,"
		"\"protocol\":\"unspec\"}");
	expect(recorded_neigh, "{\"dst\":\"10.0.0.6\",\"dev\":\"v0\",\"lladdr\":\"02:00:00:00:00:06\","
			       "\"state\":[\"PERMANENT\"],\"protocol\":\"bird\"}");
	expect(recorded_fdb, "{\"mac\":\"00:00:00:00:00:00\",\"ifname\":\"vx0\",\"dst\":\"10.0.0.10\","
			     "\"port\":4790,\"vni\":77,\"viaIf\":\"v0\",\"flags\":[\"self\"],\"state\":"
			     "\"permanent\"}");
}

/* The names that are built in, whatever this machine has. */
static int setup(void **state)
{
	(void)state;
	nctl_rtname_read(NULL, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nctl_route_scratch_fini(&scratch);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_routes),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
