/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the queue of jobs for generic netlink. One job at a time, one message at a time, over a conversation
 * (live.h) with the job's namespace that is kept while the next job is for the same: what waits for the
 * kernel is the asker's thread, never the loop. These messages are few, a handful for a link, and each wants
 * an answer of its own. Numbers of families are asked for once in a burst of jobs, since a module may come
 * and go.
 */
#include "exec/genl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec/ethtool.h"
#include "codec/wireguard.h"
#include "exec/live.h"
#include "exec/private.h"
#include "nl/genl.h"

enum { ROOM = NCTL_WG_MESSAGE + 1024 };

struct nctl_genl {
	struct nctl_list jobs; /* the first one is at work */
	struct nctl_live *live;
	const struct nctl_session *at;          /* where live is */
	uint16_t numbers[NCTL_GENL_N_FAMILIES]; /* 0: not known */
	enum { AT_REST, ASKED_FAMILY, ASKED } state;
	bool arrived; /* something of the answer */
	bool refused;
	struct nctl_reply refusal;
	_Alignas(4) uint8_t room[ROOM];
};

static const char *const names[NCTL_GENL_N_FAMILIES] = {NCTL_ETHTOOL_FAMILY, NCTL_WG_FAMILY};
static const char *const missing[NCTL_GENL_N_FAMILIES] = {
	"this kernel has no ethtool netlink", "this kernel has no WireGuard (module wireguard)"};

static struct nctl_genl_job *current(const struct nctl_genl *g)
{
	struct nctl_list *first = nctl_list_first(&g->jobs);

	return first ? nctl_list_entry(first, struct nctl_genl_job, link) : NULL;
}

static void forget_refusal(struct nctl_genl *g)
{
	free(g->refusal.text);
	g->refusal = (struct nctl_reply){0};
	g->refused = false;
}

static void hang_up(struct nctl_genl *g)
{
	g->live = nctl_live_free(g->live);
	g->at = NULL;
	g->state = AT_REST;
	/* Keys may have been in it. */
	explicit_bzero(g->room, sizeof(g->room));
}

/* The first job is over. */
static void finish(struct nctl_genl *g, int error, const char *text)
{
	struct nctl_genl_job *j = current(g);

	nctl_list_del(&j->link);
	g->state = AT_REST;
	j->done(j, error, text);
}

static void on_ready(void *userdata)
{
	struct nctl_genl *g = userdata;

	g->arrived = true;
}

static int call(struct nctl_hub *h, const struct nctl_genl_job *j)
{
	struct nctl_genl *g = h->genl;
	int r;

	if (g->live && g->at == j->session)
		return 0;
	hang_up(g);
	r = nctl_live_new_generic(h, j->session, on_ready, g, &g->live);
	if (r == 0)
		g->at = j->session;
	return r;
}

/* Sends the next message of the first job, or ends it. */
static void ask_on(struct nctl_hub *h)
{
	struct nctl_genl *g = h->genl;
	struct nctl_genl_job *j = current(g);
	struct nctl_msgbuf m;
	int r = j->session ? call(h, j) : -ENOENT;

	if (r < 0) {
		finish(g, r, r == -ENOENT ? "the network namespace is gone" : NULL);
		return;
	}
	nctl_msgbuf_init(&m, g->room, sizeof(g->room));
	if (!g->numbers[j->family]) {
		nctl_genl_encode_getfamily(names[j->family], &m);
		g->state = ASKED_FAMILY;
	} else if (j->ask(j, g->numbers[j->family], &m)) {
		g->state = ASKED;
	} else {
		finish(g, 0, NULL);
		return;
	}
	r = nctl_msg_commit(&m, 0) == 0 ? nctl_live_ask(g->live, &m) : -EMSGSIZE;
	if (r < 0)
		finish(g, r, NULL);
}

static void take(struct nctl_genl *g, const struct nlmsghdr *nlh)
{
	struct nctl_genl_job *j = current(g);

	if (nlh->nlmsg_type == NLMSG_ERROR) {
		forget_refusal(g);
		g->refused = nctl_reply_read(nlh, &g->refusal);
	} else if (g->state == ASKED_FAMILY) {
		(void)nctl_genl_decode_family(nlh, &g->numbers[j->family]);
	} else {
		j->take(j, nlh);
	}
}

/* All of the answer is there; r is how it ended. */
static void conclude(struct nctl_genl *g, int r)
{
	struct nctl_genl_job *j = current(g);
	bool was_family = g->state == ASKED_FAMILY, go_on;

	g->state = AT_REST;
	if (r < 0 && !g->refused) {
		hang_up(g);
		finish(g, r,
			r == -ENOENT  ? "the network namespace is gone"
			: r == -EPIPE ? "the privileged helper is gone"
				      : NULL);
		return;
	}
	if (was_family) {
		if (!g->numbers[j->family])
			finish(g, -EOPNOTSUPP, missing[j->family]);
		return;
	}
	go_on = j->answered(j, g->refused ? &g->refusal : NULL);
	if (!go_on)
		finish(g, 0, NULL);
}

/* Reads what has arrived. */
static void read_on(struct nctl_genl *g)
{
	const struct nlmsghdr *nlh;
	int r = 0;

	g->arrived = false;
	while ((nlh = nctl_live_next(g->live, &r)))
		take(g, nlh);
	if (r == NCTL_LIVE_WAIT)
		return;
	conclude(g, r);
	forget_refusal(g);
}

void nctl_genl_dispatch(struct nctl_hub *h)
{
	struct nctl_genl *g = h->genl;

	while (g && (g->state == AT_REST ? current(g) != NULL : g->arrived)) {
		if (g->state != AT_REST)
			read_on(g);
		else if (current(g))
			ask_on(h);
		if (nctl_turn_is_over(h)) {
			h->ops->wake(h->userdata);
			return;
		}
	}
	if (g && g->live && g->state == AT_REST) {
		hang_up(g);
		memset(g->numbers, 0, sizeof(g->numbers));
	}
}

int nctl_genl_submit(struct nctl_hub *h, struct nctl_genl_job *j)
{
	if (!h->genl) {
		h->genl = calloc(1, sizeof(*h->genl));
		if (!h->genl)
			return -ENOMEM;
		nctl_list_init(&h->genl->jobs);
	}
	nctl_list_init(&j->link);
	nctl_list_add_tail(&h->genl->jobs, &j->link);
	h->ops->wake(h->userdata);
	return 0;
}

void nctl_genl_gone(struct nctl_hub *h, const struct nctl_session *s)
{
	struct nctl_list *pos;

	if (!h->genl)
		return;
	if (h->genl->at == s)
		h->genl->at = NULL;
	nctl_list_for_each(pos, &h->genl->jobs) {
		struct nctl_genl_job *j = nctl_list_entry(pos, struct nctl_genl_job, link);

		if (j->session == s)
			j->session = NULL;
	}
}

void nctl_genl_end(struct nctl_hub *h)
{
	struct nctl_genl *g = h->genl;

	if (!g)
		return;
	while (current(g))
		finish(g, -ECANCELED, NULL);
	hang_up(g);
	forget_refusal(g);
	free(g);
	h->genl = NULL;
}
