/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: jobs that read settings of one link and change them. Of a driver: the group is read, what differs is
 * set, and it is read again, since drivers round, and the kernel drops features without a word
 * (net/core/dev.c netdev_fix_features). Of WireGuard: the difference goes out in as many messages as it
 * takes, then all is read.
 */
#include "exec/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

static struct nctl_device_job *job_of(struct nctl_genl_job *base)
{
	return nctl_container_of(base, struct nctl_device_job, base);
}

static void fail(struct nctl_device_job *j, int error, const char *text, bool by_kernel)
{
	j->error = error;
	free(j->text);
	j->text = text ? strdup(text) : NULL;
	j->by_kernel = by_kernel && text;
}

static void finished(struct nctl_genl_job *base, int error, const char *text)
{
	struct nctl_device_job *j = job_of(base);

	if (error < 0)
		fail(j, error, text, false);
	free(take_ptr(j->changes.v));
	j->done(j);
}

/* Does the group differ from what is wanted of it? */
static bool differs(struct nctl_device_job *j)
{
	j->changes.n = 0;
	j->mask = nctl_ethtool_diff(j->want, &j->now, j->at, &j->changes);
	return j->mask || j->changes.n;
}

static void next_group(struct nctl_device_job *j)
{
	while (j->at < NCTL_ETHTOOL_N_GROUPS && !(j->groups & 1u << j->at))
		j->at++;
}

static bool ask_ethtool(struct nctl_genl_job *base, uint16_t family, struct nctl_msgbuf *msg)
{
	struct nctl_device_job *j = job_of(base);

	next_group(j);
	if (j->at == NCTL_ETHTOOL_N_GROUPS)
		return false;
	j->decoded = false;
	if (j->want && (j->known & 1u << j->at) && !j->set) {
		j->set = true;
		nctl_ethtool_encode_set(family, j->ifindex, j->at, j->want, j->mask, &j->changes, msg);
		return true;
	}
	if (j->at < NCTL_ETHTOOL_N_SWITCHES)
		j->now.switches[j->at].n = 0;
	j->now.has &= ~nctl_ethtool_group_mask(j->at);
	nctl_ethtool_encode_get(family, j->ifindex, j->at, msg);
	return true;
}

static void take_ethtool(struct nctl_genl_job *base, const struct nlmsghdr *nlh)
{
	struct nctl_device_job *j = job_of(base);

	if (nctl_ethtool_decode(nlh, j->at, &j->now) == 0)
		j->decoded = true;
}

/* What the driver did not take, by name. */
static void fail_unchanged(struct nctl_device_job *j)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf text = NCTL_STRBUF_INIT;
	const struct nctl_field_table *t = &nctl_ethtool_fields;

	for (size_t i = 0; i < t->n; i++)
		if (j->mask >> i & 1) {
			nctl_strbuf_printf(&text, "%s%s is ", text.len ? ", " : "", t->v[i].key);
			nctl_field_format_text(&t->v[i], &j->now, &text);
		}
	for (size_t i = 0; i < j->changes.n && i < 8; i++)
		nctl_strbuf_printf(&text, "%s%s is %s", text.len ? ", " : "", j->changes.v[i].name,
			j->changes.v[i].on ? "off" : "on");
	nctl_strbuf_puts(&text, ", and the driver keeps it so");
	fail(j, -EOPNOTSUPP, nctl_strbuf_str(&text), false);
}

/* After a change: what follows is the reading that judges it. */
static bool answered_change(struct nctl_device_job *j, const struct nctl_reply *refusal)
{
	if (refusal) {
		fail(j, refusal->error, refusal->text, true);
		return false;
	}
	j->known = 0;
	return true;
}

static bool answered_ethtool(struct nctl_genl_job *base, const struct nctl_reply *refusal)
{
	struct nctl_device_job *j = job_of(base);

	if (j->want && j->set && j->known)
		return answered_change(j, refusal);
	if (!refusal && j->decoded)
		j->known |= 1u << j->at;
	if (!j->want) {
		j->at++; /* what cannot be read is not known */
		return true;
	}
	if (!j->known) {
		fail(j, refusal ? refusal->error : -EBADMSG,
			refusal ? refusal->text : "the answer makes no sense", refusal);
		return false;
	}
	if (!differs(j))
		return false;
	if (j->set)
		fail_unchanged(j);
	return !j->set;
}

int nctl_device_ethtool(struct nctl_hub *h, struct nctl_session *s, struct nctl_device_job *j)
{
	j->base = (struct nctl_genl_job){.session = s,
		.family = NCTL_GENL_ETHTOOL,
		.ask = ask_ethtool,
		.take = take_ethtool,
		.answered = answered_ethtool,
		.done = finished};
	next_group(j);
	if (j->want) {
		j->changes.v = calloc(NCTL_SWITCHES_MAX, sizeof(*j->changes.v));
		if (!j->changes.v)
			return -ENOMEM;
	}
	return nctl_genl_submit(h, &j->base);
}

static bool ask_wireguard(struct nctl_genl_job *base, uint16_t family, struct nctl_msgbuf *msg)
{
	struct nctl_device_job *j = job_of(base);
	const struct nctl_wg *have = j->before_known ? &j->before.v : j->have_wg;

	if (j->want_wg && have && nctl_wg_encode_set(family, j->ifindex, j->want_wg, have, &j->writing, msg))
		return true;
	j->set = have || !j->want_wg; /* the last message of all */
	nctl_wg_encode_get(family, j->ifindex, msg);
	return true;
}

static void take_wireguard(struct nctl_genl_job *base, const struct nlmsghdr *nlh)
{
	struct nctl_device_job *j = job_of(base);
	bool before = j->want_wg && !j->have_wg && !j->before_known;
	int r;

	if ((!j->set && !before) || j->error)
		return;
	r = nctl_wg_decode(nlh, before ? &j->before : &j->wg);
	if (r < 0)
		fail(j, r, "the answer makes no sense", false);
	j->decoded = r == 0;
}

static bool answered_wireguard(struct nctl_genl_job *base, const struct nctl_reply *refusal)
{
	struct nctl_device_job *j = job_of(base);

	if (refusal)
		fail(j, refusal->error, refusal->text, true);
	if (refusal || j->error)
		return false;
	if (!j->set) {
		if (j->want_wg && !j->have_wg && !j->before_known)
			nctl_wg_sort(&j->before.v);
		j->before_known = !j->have_wg;
		return true; /* the next message */
	}
	nctl_wg_sort(&j->wg.v);
	j->wg_known = j->decoded;
	if (j->want_wg && (!j->wg_known || nctl_wg_diff(j->want_wg, &j->wg.v)))
		fail(j, -EIO, "WireGuard shows something else than it was told", false);
	return false;
}

int nctl_device_wireguard(struct nctl_hub *h, struct nctl_session *s, struct nctl_device_job *j)
{
	j->base = (struct nctl_genl_job){.session = s,
		.family = NCTL_GENL_WIREGUARD,
		.ask = ask_wireguard,
		.take = take_wireguard,
		.answered = answered_wireguard,
		.done = finished};
	return nctl_genl_submit(h, &j->base);
}

void nctl_device_job_fini(struct nctl_device_job *j)
{
	nctl_ethtool_fini(&j->now);
	nctl_wg_fini(&j->wg.v);
	nctl_wg_fini(&j->before.v);
	free(j->changes.v);
	free(j->text);
}
