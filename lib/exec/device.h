/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "codec/ethtool.h"
#include "codec/wireguard.h"
#include "exec/genl.h"

/*
 * What is read of, and told to, the driver of one link, and WireGuard, by generic netlink. done is called
 * once, from a dispatch of the hub; the job is its owner's again then. A change is judged by what reads back.
 */

struct nctl_device_job {
	struct nctl_genl_job base;
	nctl_ifindex ifindex;
	void (*done)(struct nctl_device_job *j);
	void *userdata;
	/* What came of it: 0, or a negative errno with a text (owned) or NULL. */
	int error;
	char *text;
	bool by_kernel; /* the text is the kernel's own */

	/* ethtool: the groups to read; of a change only one. want NULL: nothing is changed. */
	unsigned groups;
	const struct nctl_ethtool *want;
	struct nctl_ethtool now; /* as it was read last */
	unsigned known;          /* groups that could be read */

	/* WireGuard; want_wg NULL: nothing is changed. have_wg NULL: it is not known. */
	const struct nctl_wg *want_wg, *have_wg;
	struct nctl_wg_reading wg, before; /* before: a change, where it was not known */
	bool wg_known, before_known;

	/* device.c's own */
	unsigned at;
	bool set, decoded;
	struct nctl_switches changes;
	uint64_t mask;
	struct nctl_wg_writing writing;
};

/* Reads groups of the driver of a link (and changes one). All but what stands above "what came of it" and the
 * wants is zero. 0 or -ENOMEM. */
int nctl_device_ethtool(struct nctl_hub *h, struct nctl_session *s, struct nctl_device_job *j);
/* The same of a WireGuard link. */
int nctl_device_wireguard(struct nctl_hub *h, struct nctl_session *s, struct nctl_device_job *j);
/* Frees and wipes what the job has read. */
void nctl_device_job_fini(struct nctl_device_job *j);
