/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "loop/loop.h"
#include "reconcile/reconcile.h"

/*
 * The bus API (org.netctld.Manager on /org/netctld) on the private socket RUNTIME_DIR/private. Methods:
 *
 *   Check(a(sh) files)             -> s  JSON answer of nd_reconcile_check; files: path as shown, descriptor
 *   Config(b origin)               -> s  JSON answer of nd_reconcile_config, for root alone
 *   Plan(a(sh) files, u flags)     -> s  asynchronous; files empty: the daemon's own paths, for root alone
 *   Apply(a(sh) files, u flags)    -> s  asynchronous; files empty: error; ND_APPLY_* flags
 *   Batch(a(sh) file, u flags, a{ss} options)
 *                                  -> s  asynchronous, for root: lines of ip(8), JSON of nd_reconcile_batch; one file;
 *                                        ND_BATCH_* flags; option: netns
 *   Jobs()                         -> s  JSON of nd_reconcile_jobs
 *   Cancel(s job)                  -> s  for root: nd_reconcile_cancel, by number
 *   Reload(u flags)                -> s  asynchronous: the daemon's own paths, read again
 *   Status()                       -> s  JSON of nd_reconcile_status
 *   Query(s object, a{ss} filters) -> h  a pipe: one JSON object a line, an empty line if nothing is missing, then
 *                                        the end. Objects: link, address, route, rule, nexthop, neigh, fdb, vrf,
 *                                        netns, stats; daemon/bus/query has their filters
 *   Monitor(a{ss} filters)         -> h  a pipe: one JSON object a change, see below
 *   RouteGet(a{ss} question)       -> s  JSON as of ip -j route get, by the mirror; to, from, iif, oif, mark, vrf,
 *                                        uid, ipproto, sport, dport, tos, netns
 *   Resync(a{ss} netns)            -> s  asynchronous, for root: reads all of a namespace, or of all, once more;
 *                                        {"exit": 0|5, "namespaces": how many, "us": the longest time it took}
 *   Stats()                        -> s  JSON of counters, in groups
 *   NetnsAdd(as names)             -> s  asynchronous, for root: {"exit": 0|4, "done": N, "failed_count": N,
 *   NetnsDel(as names)             -> s      "failed": [{"name", "errno", "error"}…]}
 *   NetnsScan()                    -> s  asynchronous, for root: looks for namespaces without a name
 *   LinkMove(s from, s link, s to, s new_name)
 *                                  -> s  asynchronous, for root: {"exit": 0|4, "error", "errno"}; a namespace: its
 *                                        name, "" the daemon's own; to: or a PID. new_name "": as it is
 *
 * netns=NAME and all-netns are filters of all that is in a namespace; with the latter lines begin with the member
 * "netns", "" for the daemon's own, null for one without a name.
 *
 * Monitor's filters: link, address, route, rule, nexthop, netns (all, if there is none of these), netns=NAME,
 * all-netns, family, initial. Its records have "seq" (stepping by one), "op", and mostly "netns", "object",
 * "value". op: added, changed (with the names of what "changed"), removed; present and complete (with initial,
 * what is there, and the end of it); lost, resynced (the mirror may be wrong from the one to the other) and
 * synced, with its "epoch"; gap: so many records were "lost" since the reader was slow.
 *
 * Files must be regular; from anybody but root in memory (memfd_create(2)), so that reading cannot block.
 * Errors are org.netctld.Error.*: Denied, NotFound, NotReady, Busy, Stopping, LimitsExceeded, TooLarge,
 * InvalidFile, InvalidFilter, InvalidFlags, InvalidName, UnknownObject, NoFiles, NoHelper.
 */
struct nd_bus;

/* listen_fd: a bound listening socket that this takes over (socket activation), or -1: bind it here. */
int nd_bus_new(struct nd_loop *loop, struct nd_reconcile *reconcile, const char *runtime_dir, int listen_fd,
	struct nd_bus **ret);
struct nd_bus *nd_bus_free(struct nd_bus *b);
