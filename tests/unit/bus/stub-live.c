/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: A stub of lib/exec/live for the tests of the bus: a kernel with any number of neighbours on the device
 * 1, told a hundred at a time, and with counters for each link that is asked for.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "exec/live.h"
#include "nl/attr.h"
#include "stub-netns.h"

#define A_PIECE 100

struct nctl_live {
	struct nd_netns_set *set;
	void (*ready)(void *userdata);
	void *userdata;
	struct nd_timer timer;
	bool waiting, stats;
	unsigned told, next; /* neighbours; of those asked for, the next one */
	uint32_t wanted[A_PIECE];
	unsigned n_wanted;
	struct nctl_msgbuf m;
	_Alignas(4) uint8_t room[512];
};

static void timer_event(struct nd_timer *t)
{
	struct nctl_live *l = t->userdata;

	l->waiting = false;
	l->ready(l->userdata);
}

static void wait_a_bit(struct nctl_live *l)
{
	l->waiting = true;
	l->set->pieces++;
	nd_timer_set(&l->timer, nctl_time_now());
}

int nctl_live_new(struct nctl_hub *h, struct nctl_session *s, void (*ready)(void *userdata), void *userdata,
	struct nctl_live **ret)
{
	struct nctl_live *l = calloc(1, sizeof(*l));

	(void)s;
	assert_non_null(l);
	l->set = (struct nd_netns_set *)(void *)h;
	l->ready = ready;
	l->userdata = userdata;
	nd_timer_init(&l->timer, l->set->loop, timer_event, l);
	*ret = l;
	return 0;
}

struct nctl_live *nctl_live_free(struct nctl_live *l)
{
	if (l)
		nd_timer_stop(&l->timer);
	free(l);
	return NULL;
}

int nctl_live_ask(struct nctl_live *l, const struct nctl_msgbuf *m)
{
	const struct nlmsghdr *nlh = NULL;

	l->n_wanted = l->next = l->told = 0;
	while ((nlh = nctl_msg_next(m->buf, m->len, nlh))) {
		const struct if_stats_msg *ifsm = (const void *)((const uint8_t *)nlh + NLMSG_HDRLEN);

		l->stats = nlh->nlmsg_type == RTM_GETSTATS;
		if (l->stats)
			l->wanted[l->n_wanted++] = ifsm->ifindex;
		else
			assert_int_equal(nlh->nlmsg_flags & NLM_F_DUMP, NLM_F_DUMP);
	}
	wait_a_bit(l);
	return 0;
}

static void put_neigh(struct nctl_live *l, unsigned i)
{
	struct ndmsg ndm = {.ndm_family = AF_INET, .ndm_ifindex = 1, .ndm_state = NUD_REACHABLE};
	uint8_t dst[4] = {10, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};

	nctl_msg_begin(&l->m, RTM_NEWNEIGH, 0, &ndm, sizeof(ndm));
	nctl_msg_put(&l->m, NDA_DST, dst, sizeof(dst));
	nctl_msg_put(&l->m, NDA_LLADDR, "\2\0\0\0\0\1", 6);
}

static void put_stats(struct nctl_live *l, uint32_t ifindex)
{
	struct rtnl_link_stats64 s = {.rx_bytes = ifindex * 1000ULL, .collisions = 7};
	struct if_stats_msg ifsm = {.ifindex = ifindex};

	nctl_msg_begin(&l->m, RTM_NEWSTATS, 0, &ifsm, sizeof(ifsm));
	nctl_msg_put(&l->m, IFLA_STATS_LINK_64, &s, sizeof(s));
}

const struct nlmsghdr *nctl_live_next(struct nctl_live *l, int *ret)
{
	unsigned n = l->stats ? l->n_wanted : l->set->neighs;

	*ret = l->waiting ? NCTL_LIVE_WAIT : 0;
	if (l->waiting || l->next == n)
		return NULL;
	if (l->told == A_PIECE) {
		l->told = 0;
		wait_a_bit(l);
		*ret = NCTL_LIVE_WAIT;
		return NULL;
	}
	l->told++;
	nctl_msgbuf_init(&l->m, l->room, sizeof(l->room));
	if (l->stats)
		put_stats(l, l->wanted[l->next++]);
	else
		put_neigh(l, l->next++);
	assert_int_equal(nctl_msg_commit(&l->m, 1), 0);
	return (const struct nlmsghdr *)(void *)l->room;
}

/* Verify is not asked for here. */
int nctl_live_ask_list(struct nctl_live *l, const struct nctl_dump_scope *scope)
{
	(void)l;
	(void)scope;
	return -EOPNOTSUPP;
}
