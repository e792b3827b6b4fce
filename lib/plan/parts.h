/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plan/private.h"

/* What each file of lib/plan does for the others; nobody else includes it. */

/* netns.c: what comes now is in that namespace. */
void nctl_plan_enter(struct builder *b, uint32_t netns);
/* Copies netns. 0 or -ENOMEM. */
int nctl_plan_netns_init(struct builder *b, const struct nctl_plan_netns *netns, size_t n);
/* If any of them is not there, makes the mirror of what such ones will hold. 0 or -ENOMEM. */
int nctl_plan_netns_fresh(struct builder *b);
/* An operation on the namespace that b is in, as a whole. */
struct nctl_op *nctl_plan_netns_op(struct builder *b, enum nctl_op_type type, enum nctl_phase phase);
/* It goes, with all that is in it. */
bool nctl_plan_netns_is_doomed(const struct nctl_plan_netns *n);
/* Wanted ones that are not there, and what must be set before there are links. */
void nctl_plan_netns_new(struct builder *b);
/* Was the last problem at this place? One sentence is enough for a whole range. */
bool nctl_plan_was_last_at(const struct nctl_plan *p, const struct nctl_pos *pos);
/* Asks by which nsid `second` knows `first`, for a pair between them, if home is neither. Returns the
 * operation that must have succeeded, NCTL_OP_NONE: none. */
uint32_t nctl_plan_nsid(struct builder *b, uint32_t first, uint32_t second);
/* Can the two links be ends of one pair, as the namespaces of both tell? */
bool nctl_plan_is_pair(const struct nctl_plan *p, uint32_t netns, const struct nctl_link *l,
	uint32_t other_netns, const struct nctl_link *other);

/* match.c: b->want with its matches bound, if it has any. 0 or -ENOMEM. */
int nctl_plan_bind(struct builder *b);

/* rename.c: gives `have` the name of w. Returns whether the link is down then. */
bool nctl_plan_rename(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have);

/* sysctl.c: those of the namespace that b is in, which need no links. */
void nctl_plan_netns_sysctls(struct builder *b);
/* Those of all namespaces that name a link, after the operations of all links. */
void nctl_plan_netns_tune(struct builder *b);
/*
 * Those of w: before it comes up, or (late) those that are undone when it does. lost: what they are now does not
 * last.
 */
void nctl_plan_link_sysctls(struct builder *b, const struct nctl_want_link *w, bool late, bool lost);

/* Does it switch IPv6 off, and so take addresses along? */
bool nctl_plan_stops_ipv6(const char *name, const char *value);
/* When that of a link is set back. */
enum nctl_phase nctl_plan_sysctl_phase(const char *name);

/* order.c: fills b->ports, b->first_port, b->order and the items' level and early. 0 or -ENOMEM. */
int nctl_plan_order(struct builder *b);

/* build.c: appends, in the namespace that b is in, zeroed but for needs. NULL after a failure, which is in
 * b->err. */
struct nctl_op *nctl_plan_add(struct builder *b, enum nctl_op_type type, enum nctl_phase phase);
void nctl_plan_problem(struct builder *b, int type, const struct nctl_pos *pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
uint32_t nctl_plan_last(const struct builder *b); /* index of the operation added last */
/* Copies in the plan's arena; after a failure, which is in b->err, NULL and "". */
struct nctl_addr *nctl_plan_copy_addr(struct builder *b, const struct nctl_addr *a);
const char *nctl_plan_copy_name(struct builder *b, const char *name);
void nctl_plan_adopt_link(struct builder *b, const struct nctl_mirror_link *l);
void nctl_plan_adopt_addr(struct builder *b, const struct nctl_addr *a);

/* links.c: the link that is there for w, in the namespace that b is in: by its name or an altname, or ours under another
 * name. NULL: none. */
const struct nctl_mirror_link *nctl_plan_find(const struct builder *b, const struct nctl_want_link *w);
/* Operations of one wanted link, after those of all that it depends on. */
void nctl_plan_link(struct builder *b, const struct nctl_want_link *w);

struct nctl_op *nctl_plan_link_op(
	struct builder *b, const struct nctl_want_link *w, enum nctl_op_type type, enum nctl_phase phase);
static inline bool nctl_plan_is_ours(const struct builder *b, nctl_ifindex ifindex)
{
	return nctl_ledger_link_get(b->ledger, ifindex);
}

/* tune.c: what is to be set of a link that is made (the second end of a pair: it was given no master), or
 * kept. */
void nctl_plan_tune_new(struct builder *b, const struct nctl_want_link *w, bool is_second);
void nctl_plan_keep(struct builder *b, const struct nctl_want_link *w, const struct nctl_mirror_link *have);

/* devices.c: what its driver and WireGuard are told. is_new: it is made. */
void nctl_plan_devices(struct builder *b, const struct nctl_want_link *w, bool is_new);
/* What was read of that link, or NULL. */
const struct nctl_plan_device *nctl_plan_device_find(const struct nctl_plan *p, uint32_t netns, nctl_ifindex ifindex);

/* ports.c: fields of w that name its ports, after the operations of all links. */
void nctl_plan_ports(struct builder *b, const struct nctl_want_link *w);

/* vlans.c: VLANs of w, if they are listed, after the operations of all links. */
void nctl_plan_vlans(struct builder *b, const struct nctl_want_link *w);
/* Gives op a copy of vlans, whose reference it takes. NULL: no memory (b->err). */
struct nctl_op *nctl_plan_vlans_op(struct builder *b, struct nctl_op *op, struct nctl_vlans *vlans);

/* addrs.c: operations for its addresses. */
void nctl_plan_addrs(struct builder *b, const struct nctl_want_link *w);
/* Of IPv4: what the kernel compares; the first address in it is the primary. */
struct nctl_prefix nctl_plan_subnet(const struct nctl_addr *a);
bool nctl_plan_addr_must_go(const struct nctl_addr *want, const struct nctl_addr *have);
bool nctl_plan_addr_differs(const struct nctl_addr *want, const struct nctl_addr *have);

/* fib.c: routes, next hops and rules of all namespaces, after all else. */
void nctl_plan_fib(struct builder *b);

/* remove.c: who is doomed, and the deletions. */
int nctl_plan_doom(struct builder *b);
/* Does this link in b's namespace go, since nobody wants it any more? */
bool nctl_plan_is_doomed(const struct builder *b, nctl_ifindex ifindex);
/* l, an end of a pair in b's namespace, goes. NULL: no memory (b->err). */
struct pair_end *nctl_plan_pair_goes(struct builder *b, const struct nctl_mirror_link *l);
/* The other end of that pair, if it goes as well; or NULL. */
struct pair_end *nctl_plan_pair_other(const struct builder *b, const struct nctl_mirror_link *l);
/* The doomed twin of a new link on the same lower goes early. */
void nctl_plan_make_way(struct builder *b, const struct nctl_want_link *w);
/* Doomed links that stand on l go early: l is about to become a port. */
void nctl_plan_clear_uppers(struct builder *b, const struct nctl_mirror_link *l);
void nctl_plan_remove(struct builder *b);

/* foreign.c: says what of others goes along with l; again: what it is made again as, or NULL. */
void nctl_plan_spare_foreign(struct builder *b, const struct nctl_mirror_link *l,
	const struct nctl_want_link *again, const struct nctl_pos *pos);

/* op.c: what of wanted differs in have, of the fields that wanted sets. */
bool nctl_plan_diff(const struct nctl_link *wanted, const struct nctl_link *have, struct nctl_link_diff *ret);
bool nctl_plan_has_altname(const struct nctl_link *l, const char *altname);

/* sort.c: sorts the operations as plan.h says. 0 or -ENOMEM. */
int nctl_plan_sort(struct nctl_plan *p);

struct nctl_snapshot;
/* snap-told.c: operations that set what is told, as if they had been done, to be undone; gone: by namespace. */
void nctl_snapshot_restore_told(struct builder *b, const struct nctl_snapshot *s, const bool *gone);

/* remember.c, undo.c: copies what the operations will change; and frees the copies. */
int nctl_plan_remember(struct nctl_plan *p);
bool nctl_plan_addr_is_kept(const struct nctl_addr *a);
void nctl_plan_forget(struct nctl_plan *p);
/* remember-fib.c: likewise, of routes, next hops and rules. */
int nctl_plan_remember_fib(struct nctl_plan *p);
