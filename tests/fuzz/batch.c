/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Any bytes as lines of ip(8): each line is wrong at a place that is in the text, or becomes operations
 *that can be encoded; windows end, and what was read with a check is not wrong when it is carried out.
 *
 *	fuzz-batch CORPUS
 *	fuzz-batch-plain SECONDS [SEED]     without libFuzzer; makes lines of its own
 */
#include <stdlib.h>
#include <string.h>

#include "../unit/batch/known.h"
#include "base/cleanup.h"
#include "exec/private.h"
#include "plain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t right, wrong;
static uint32_t room[1 << 14];

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static void check_line(const struct nd_batch_window *w, const struct nd_batch_line *l, size_t lines)
{
	struct nctl_msgbuf msg;

	expect(l->number >= 1 && l->number <= lines);
	if (l->error) {
		expect(!l->n_ops && *l->error && l->at_line <= lines);
		wrong++;
		return;
	}
	right++;
	for (uint32_t i = l->first_op; i < l->first_op + l->n_ops; i++) {
		expect(i < w->plan->n_ops && nd_batch_line_of(w, &w->plan->ops[i]) == l);
		nctl_msgbuf_init(&msg, room, sizeof(room));
		if (nctl_op_info(&w->plan->ops[i])->rtnl)
			nctl_op_encode(w->plan, &w->plan->ops[i], &msg);
		nctl_msg_commit(&msg, 1);
	}
}

/* Returns how many lines are wrong by themselves. */
static size_t read_all(const uint8_t *data, size_t size, const struct nd_batch_view *view)
{
	struct nd_batch b = {.text = (const char *)data, .len = size};
	size_t lines = 1, n = 0, at;
	bool end = false;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	while (!end) {
		_cleanup_(nd_batch_window_freep) struct nd_batch_window *w = NULL;

		at = b.at;
		expect(nd_batch_fill(&b, view, 16, 64, &w) == 0);
		expect(w->end || b.at > at);
		for (size_t i = 0; i < w->n_lines; i++) {
			check_line(w, &w->lines[i], lines);
			n += w->lines[i].error && w->lines[i].column;
		}
		end = w->end;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct known k;

	known_init(&k);
	/* What is wrong behind a name that is not there is not looked at. */
	expect(read_all(data, size, &k.view) <= read_all(data, size, NULL));
	known_fini(&k);
	return 0;
}

#ifdef PLAIN
static const char *const lines[] = {
	"link add d0 type dummy",
	"link add link eth0 name f.5 type vlan id 5 protocol 802.1ad gvrp on ingress-qos-map 1:2 3:4",
	"link add v0 type veth peer name v1 netns other",
	"link add vx type vxlan id 7 dev eth0 dstport 4789 local 192.0.2.1 group 239.1.1.1 nolearning "
        "srcport 5 6",
	"link add b0 type bond mode 802.3ad miimon 100 arp_ip_target 10.0.0.1,10.0.0.2",
	"link add br0 type bridge stp_state 1 forward_delay 1500",
	"link add g0 type gre local 192.0.2.1 remote 192.0.2.2 key 5 ttl 64",
	"link add red type vrf table main",
	"link set eth0 up mtu 1400 master br0 alias \"a b\" arp off",
	"link set eth0 name e0",
	"link set eth1 netns other",
	"link set eth0 type bridge_slave cost 5",
	"link del d0",
	"link property add dev eth0 altname long",
	"addr add 192.0.2.1/24 brd + dev eth0 label eth0:1 valid_lft 100",
	"addr del 2001:db8::1/64 dev eth0",
	"addr flush dev eth0 scope global",
	"route add 10.0.0.0/8 nexthop via 192.0.2.1 weight 3 nexthop dev eth1",
	"route replace unreachable default table 100 metric 7 mtu lock 1400",
	"route flush table all proto static",
	"route add default vrf blue via 2001:db8::1 onlink dev eth0",
	"rule add not from 10.0.0.0/8 fwmark 1/3 uidrange 5-6 lookup 100 pref 5",
	"rule del pref 5",
	"neigh replace 192.0.2.7 lladdr 02:00:00:00:00:01 dev eth0 nud stale",
	"nexthop add id 7 group 5/6,3 proto static",
	"nexthop replace id 5 via 192.0.2.9 dev eth0 onlink",
	"netns add a",
	"netns del a",
};

/* One line, perhaps with a word of another one in place of its own. */
static size_t put_line(char *text, size_t size)
{
	const char *line = lines[any(NCTL_ARRAY_SIZE(lines))], *other = lines[any(NCTL_ARRAY_SIZE(lines))];
	size_t n = 0, at = any(4) ? SIZE_MAX : any(8), len;

	for (size_t i = 0; *line && n + 128 < size; i++) {
		const char *from = i == at ? other + any((uint32_t)strlen(other)) : line;

		len = strcspn(from, " ");
		memcpy(text + n, from, len);
		n += len;
		text[n++] = ' ';
		line += strcspn(line, " ");
		line += *line == ' ';
	}
	text[n++] = '\n';
	return n;
}

static void step(void)
{
	char text[4096];
	size_t n = 0;

	for (uint32_t i = any(20); i > 0 && n + 512 < sizeof(text); i--)
		n += put_line(text + n, sizeof(text) - n);
	for (uint32_t i = any(3); i > 0 && n; i--)
		text[any((uint32_t)n)] = (char)any(256);
	LLVMFuzzerTestOneInput((const uint8_t *)text, n);
}

int main(int argc, char **argv)
{
	uint64_t n;
	int r = run_plain(argc, argv, step, &n);

	if (r == 0)
		printf("# %llu texts, %llu lines right, %llu refused\n", (unsigned long long)n,
			(unsigned long long)right, (unsigned long long)wrong);
	return r;
}
#endif
