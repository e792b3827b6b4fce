/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: the VLANs of bridges and their ports in a mirror: what keeps them, what ends them, whose word counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "mirror/vlans.h"

enum { BRIDGE = 1, PORT = 2, OTHER = 3 };

static const struct nctl_kind bridge = {.name = "bridge", .traits = NCTL_KIND_VLANS};

struct heard {
	struct nctl_sub sub;
	unsigned n, vlans;
	const struct nctl_vlans *old_vlans, *new_vlans;
};

static void hear(void *userdata, const void *record)
{
	const struct nctl_change *c = record;
	struct heard *h = userdata;

	h->n++;
	if (c->op != NCTL_CHANGED || !c->link_diff.vlans)
		return;
	h->vlans++;
	h->old_vlans = c->old_link->vlans;
	h->new_vlans = c->new_link->vlans;
}

static void put(
	struct nctl_mirror *m, nctl_ifindex ifindex, const char *name, bool is_bridge, nctl_ifindex master)
{
	struct nctl_link l = NCTL_LINK_INIT;

	l.ifindex = ifindex;
	strcpy(l.name, name);
	l.has = NCTL_LINK_BIT(NAME) | NCTL_LINK_BIT(MASTER);
	l.master = master;
	if (is_bridge)
		assert_int_equal(nctl_link_set_kind(&l, &bridge), 0);
	if (master)
		assert_int_equal(nctl_link_set_port_kind(&l, &bridge), 0);
	assert_int_equal(nctl_mirror_link_put(m, &l, NCTL_SOURCE_EVENT), 0);
}

static struct nctl_vlans *vlans(uint16_t first, uint16_t last)
{
	struct nctl_vlan_range r = {first, last, 0};
	struct nctl_vlans *ret;

	assert_int_equal(nctl_vlans_new(&r, 1, &ret), 0);
	return ret;
}

static uint16_t first_vlan(const struct nctl_mirror *m, nctl_ifindex ifindex)
{
	const struct nctl_vlans *v = nctl_mirror_link_get(m, ifindex)->v.vlans;

	return v ? v->v[0].first : 0;
}

static void test_keep(void **state)
{
	struct nctl_mirror *m;
	struct heard h = {0};

	(void)state;
	assert_int_equal(nctl_mirror_new(&m), 0);
	put(m, BRIDGE, "br", true, 0);
	put(m, PORT, "p", false, BRIDGE);
	nctl_subs_add(nctl_mirror_subs(m), &h.sub, hear, &h);
	nctl_mirror_link_vlans_put(m, BRIDGE, vlans(1, 1), NCTL_SOURCE_EVENT);
	nctl_mirror_link_vlans_put(m, PORT, vlans(5, 9), NCTL_SOURCE_EVENT);
	assert_int_equal(h.vlans, 2);
	assert_null(h.old_vlans);
	assert_ptr_equal(h.new_vlans, nctl_mirror_link_get(m, PORT)->v.vlans);

	/* The same again is no news; another message of the link leaves them. */
	nctl_mirror_link_vlans_put(m, PORT, vlans(5, 9), NCTL_SOURCE_EVENT);
	put(m, PORT, "q", false, BRIDGE);
	put(m, BRIDGE, "bridge", true, 0);
	assert_int_equal(h.vlans, 2);
	assert_int_equal(first_vlan(m, PORT), 5);
	assert_int_equal(first_vlan(m, BRIDGE), 1);

	/* No port any more: the bridge says so, or the link. */
	nctl_mirror_link_vlans_put(m, PORT, NULL, NCTL_SOURCE_EVENT);
	assert_int_equal(first_vlan(m, PORT), 0);
	nctl_mirror_link_vlans_put(m, PORT, vlans(7, 7), NCTL_SOURCE_EVENT);
	put(m, PORT, "q", false, 0);
	assert_int_equal(first_vlan(m, PORT), 0);
	assert_int_equal(h.vlans, 5);

	/* Of a link that is not there: nothing. */
	nctl_mirror_link_vlans_put(m, OTHER, vlans(7, 7), NCTL_SOURCE_EVENT);
	nctl_mirror_link_drop(m, BRIDGE);
	nctl_sub_remove(&h.sub);
	nctl_mirror_free(m);
}

static void test_dump(void **state)
{
	struct nctl_dump_scope scope = {.type = NCTL_OBJECT_LINK};
	struct nctl_mirror *m;

	(void)state;
	assert_int_equal(nctl_mirror_new(&m), 0);
	put(m, BRIDGE, "br", true, 0);
	nctl_mirror_link_vlans_put(m, BRIDGE, vlans(1, 1), NCTL_SOURCE_EVENT);
	nctl_mirror_dump_begin(m, &scope);
	nctl_mirror_link_vlans_put(m, BRIDGE, vlans(2, 2), NCTL_SOURCE_DUMP);
	assert_int_equal(first_vlan(m, BRIDGE), 2);
	nctl_mirror_link_vlans_put(m, BRIDGE, vlans(3, 3), NCTL_SOURCE_EVENT);
	nctl_mirror_link_vlans_put(m, BRIDGE, vlans(4, 4), NCTL_SOURCE_DUMP);
	assert_int_equal(first_vlan(m, BRIDGE), 3);
	nctl_mirror_dump_end(m, false);
	nctl_mirror_dump_begin(m, &scope);
	nctl_mirror_link_vlans_put(m, BRIDGE, vlans(4, 4), NCTL_SOURCE_DUMP);
	assert_int_equal(first_vlan(m, BRIDGE), 4);
	nctl_mirror_dump_end(m, false);
	nctl_mirror_free(m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
