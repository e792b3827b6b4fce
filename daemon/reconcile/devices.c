/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: what drivers and WireGuard have now, of the links that the configuration says something about, and of
 * WireGuard links that are ours and may go: read by generic netlink before a plan is made, some at a time.
 * What cannot be read is not known to the plan, and told anew.
 */
#include "reconcile/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exec/device.h"
#include "log/log.h"
#include "plan/match.h"

enum { READINGS_MAX = 64 }; /* under way */

struct device_reading {
	struct nctl_list link; /* in readings */
	struct nd_reconcile *r;
	uint32_t netns;
	const struct nctl_want_link *want; /* NULL: it is not wanted */
	unsigned open;                     /* jobs under way */
	struct nctl_device_job ethtool, wg;
};

void nd_devices_init(struct devices *ds)
{
	nctl_list_init(&ds->readings);
}

void nd_devices_fini(struct devices *ds)
{
	struct nctl_list *pos;

	while ((pos = nctl_list_first(&ds->readings))) {
		struct device_reading *d = nctl_list_entry(pos, struct device_reading, link);

		nctl_list_del(pos);
		nctl_device_job_fini(&d->ethtool);
		nctl_device_job_fini(&d->wg);
		free(d);
	}
	free(take_ptr(ds->v));
}

/* Keeps what is of interest: a driver has a hundred switches, and there may be thousands of links. */
static void shrink(struct device_reading *d)
{
	for (unsigned g = 0; g < NCTL_ETHTOOL_N_SWITCHES; g++) {
		const struct nctl_switches *want = &d->want->ethtool->v.switches[g];
		struct nctl_switches *now = &d->ethtool.now.switches[g];
		struct nctl_switch *v;
		size_t n = 0;

		for (size_t i = 0; i < now->n; i++)
			for (size_t k = 0; k < want->n; k++)
				if (nctl_switch_means(want->v[k].name, &now->v[i])) {
					now->v[n++] = now->v[i];
					break;
				}
		v = now->v ? realloc(now->v, (n + 1) * sizeof(*v)) : NULL;
		now->v = v ? v : now->v;
		now->n = n;
	}
}

static void on_read(struct nctl_device_job *job)
{
	struct device_reading *d = job->userdata;
	struct nd_reconcile *r = d->r;

	d->open--;
	if (r->closing)
		return;
	if (job == &d->ethtool)
		shrink(d);
	else if (!job->wg_known)
		nd_debug("%s", job->text ? job->text : strerror(-job->error));
	if (!d->open)
		nd_job_current(r)->gather.devices.under_way--;
	nd_gather_look(r);
}

static void start(struct device_reading *d, struct nctl_session *s, nctl_ifindex ifindex, bool has_keys)
{
	struct nctl_hub *hub = d->r->hub;

	d->ethtool.done = d->wg.done = on_read;
	d->ethtool.userdata = d->wg.userdata = d;
	d->ethtool.ifindex = d->wg.ifindex = ifindex;
	for (unsigned g = 0; d->want && d->want->ethtool && g < NCTL_ETHTOOL_N_GROUPS; g++)
		if (nctl_ethtool_has_group(&d->want->ethtool->v, g))
			d->ethtool.groups |= 1u << g;
	if (d->ethtool.groups && nctl_device_ethtool(hub, s, &d->ethtool) == 0)
		d->open++;
	if (has_keys && nctl_device_wireguard(hub, s, &d->wg) == 0)
		d->open++;
}

/* Reads of one link what there is to read; without memory it is not known. */
static void read_one(struct nd_reconcile *r, uint32_t netns, struct nctl_session *s,
	const struct nctl_mirror_link *l, const struct nctl_want_link *want)
{
	bool has_keys = l->v.kind && (l->v.kind->traits & NCTL_KIND_KEYS);
	struct devices *ds = &nd_job_current(r)->gather.devices;
	struct device_reading *d;

	if (!has_keys && !(want && want->ethtool))
		return;
	d = calloc(1, sizeof(*d));
	if (!d)
		return;
	d->r = r;
	d->netns = netns;
	d->want = want;
	nctl_list_add_tail(&ds->readings, &d->link);
	start(d, s, l->v.ifindex, has_keys);
	ds->n++;
	ds->under_way += d->open > 0;
}

static struct nctl_session *session_of(const struct nd_reconcile *r, const struct nctl_want_netns *w)
{
	const struct nd_netns *n = w->name ? nd_netns_find(r->netns, w->name) : nd_netns_from(r->netns, 0);

	return n ? nd_netns_session(n) : NULL;
}

static void read_wanted(struct nd_reconcile *r, const struct nctl_want_link *w)
{
	struct nctl_session *s = w->ethtool || w->wg ? session_of(r, w->netns) : NULL;
	const struct nctl_mirror_link *l;
	struct nctl_want_match match;

	if (!s)
		return;
	if (!w->match) {
		l = nctl_mirror_link_find(nctl_session_mirror(s), w->v.name);
		if (l)
			read_one(r, w->netns->number, s, l, w);
		return;
	}
	/* The drivers of devices are not known yet: perhaps one too many is read. */
	match = *w->match;
	match.n_drivers = 0;
	for (l = nctl_mirror_link_from(nctl_session_mirror(s), 1); l; l = nctl_mirror_link_next(l))
		if (nctl_match_fits(&match, &l->v, NULL))
			read_one(r, w->netns->number, s, l, w);
}

/* WireGuard links of ours that nobody wants any more: should they have to come back, so must their keys. */
static void read_unwanted(struct nd_reconcile *r, const struct nctl_want_netns *w)
{
	struct nctl_session *s = session_of(r, w);
	const struct nctl_ledger *ledger = s ? nd_ledgers_find(&r->ledgers, nctl_session_cookie(s)) : NULL;
	const struct nctl_want *want = nd_job_current(r)->want;
	const struct nctl_ledger_link *e;

	for (e = ledger ? nctl_ledger_link_from(ledger, 1) : NULL; e;
		e = nctl_ledger_link_from(ledger, e->ifindex + 1)) {
		const struct nctl_kind *k = nctl_kind_find(e->kind);
		const struct nctl_mirror_link *l;
		const struct nctl_want_link *wanted;

		if (!k || !(k->traits & NCTL_KIND_KEYS))
			continue;
		l = nctl_mirror_link_get(nctl_session_mirror(s), e->ifindex);
		wanted = l ? nctl_want_find(want, w->number, l->v.name) : NULL;
		if (l && !(wanted && (wanted->wg || wanted->ethtool)))
			read_one(r, w->number, s, l, NULL);
	}
}

bool nd_devices_look(struct nd_reconcile *r)
{
	const struct nctl_want *want = nd_job_current(r)->want;
	struct devices *ds = &nd_job_current(r)->gather.devices;

	if (!nd_keys_look(r))
		return false;
	for (; ds->next < want->n_links && ds->under_way < READINGS_MAX; ds->next++)
		read_wanted(r, want->links[ds->next]);
	for (; ds->next == want->n_links && ds->next_keys < want->n_netns && ds->under_way < READINGS_MAX;
		ds->next_keys++)
		read_unwanted(r, want->netns[ds->next_keys]);
	return ds->next == want->n_links && ds->next_keys == want->n_netns && !ds->under_way;
}

static int cmp_device(const void *a, const void *b)
{
	const struct nctl_plan_device *x = a, *y = b;

	if (x->netns != y->netns)
		return x->netns < y->netns ? -1 : 1;
	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

int nd_devices_list(struct devices *ds, struct nctl_plan_options *opts)
{
	struct nctl_list *pos;
	size_t n = 0;

	if (!ds->n)
		return 0;
	free(ds->v);
	ds->v = calloc(ds->n, sizeof(*ds->v));
	if (!ds->v)
		return -ENOMEM;
	nctl_list_for_each(pos, &ds->readings) {
		const struct device_reading *d = nctl_list_entry(pos, struct device_reading, link);

		ds->v[n++] = (struct nctl_plan_device){.netns = d->netns,
			.ifindex = d->ethtool.ifindex,
			.ethtool = &d->ethtool.now,
			.known = d->ethtool.known,
			.wg = d->wg.wg_known ? &d->wg.wg.v : NULL};
	}
	if (n)
		qsort(ds->v, n, sizeof(*ds->v), cmp_device);
	opts->devices = ds->v;
	opts->n_devices = n;
	return 0;
}
