/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* When the operations of a plan are carried out. */

enum nctl_phase {
	NCTL_PHASE_NETNS, /* new namespaces, and what holds for all links that they will have */
	NCTL_PHASE_CLEAR, /* unwanted addresses; links in the way of new ones */
	/*
	 * New links with lower and master, level by level; existing ones join masters that need it first, and
	 * links whose uppers would follow them up come up before there are any: one by one is no slower, and
	 * holds no lock for long.
	 */
	NCTL_PHASE_CREATE,
	NCTL_PHASE_TUNE,   /* what a creating message cannot carry, and changes of existing links */
	NCTL_PHASE_SYSCTL, /* sysctls of links: after their masters, before they come up */
	NCTL_PHASE_UP,     /* up, masters first */
	NCTL_PHASE_SETTLE, /* sysctls that coming up would undo */
	NCTL_PHASE_ADDRESS,
	NCTL_PHASE_ROUTE,   /* next hops, routes and rules (op-fib.h) */
	NCTL_PHASE_UNROUTE, /* those that nobody wants */
	NCTL_PHASE_REMOVE, /* unwanted namespaces and links: last, since it cannot be undone */
	NCTL_PHASE_N
};
const char *nctl_phase_name(enum nctl_phase p);

/* What is answered for before the next one starts. TUNE to ADDRESS are one stage. */
enum nctl_stage {
	NCTL_STAGE_NETNS,
	NCTL_STAGE_CLEAR,
	NCTL_STAGE_CREATE,
	NCTL_STAGE_CONFIGURE,
	NCTL_STAGE_ROUTE, /* ROUTE and UNROUTE */
	NCTL_STAGE_REMOVE,
	NCTL_STAGE_N
};
enum nctl_stage nctl_phase_stage(enum nctl_phase p);
