/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

#include "mirror/mirror.h"

/*
 * Is a mirror what the kernel says? Each message of a fresh dump is compared with the mirror's object in two
 * ways: its attributes, byte by byte, with those of the object encoded again, and every field that libnl can
 * decode with the object's. What only one side has is a difference as well. Knows no sockets: the caller
 * hands in the dumps, one type after the other.
 */

struct nctl_json;
struct nctl_verify;

enum { NCTL_VERIFY_TEXTS_MAX = 100 }; /* differences of a type told one by one; of the others the number */

/* m outlives it. 0 or -ENOMEM. */
int nctl_verify_new(const struct nctl_mirror *m, struct nctl_verify **ret);
struct nctl_verify *nctl_verify_free(struct nctl_verify *v);
void nctl_verify_freep(struct nctl_verify **v);

/* The dump of a type begins; for a second time: what the first one gave is forgotten. */
void nctl_verify_begin(struct nctl_verify *v, enum nctl_object_type type);
/* One message of it; of links also those of family AF_BRIDGE, with VLANs. 0 or -ENOMEM. */
int nctl_verify_message(struct nctl_verify *v, const struct nlmsghdr *nlh);
/*
 * The dump is complete: looks at up to budget objects of the mirror, whether they were in it. True: there are
 * more, call again.
 */
bool nctl_verify_end(struct nctl_verify *v, size_t budget);
/* Of the type in hand. */
bool nctl_verify_differs(const struct nctl_verify *v);
/* The mirror changed since begin, so that differences say nothing: begin again. */
bool nctl_verify_is_stale(const struct nctl_verify *v);

size_t nctl_verify_count_objects(const struct nctl_verify *v);
size_t nctl_verify_count_differences(const struct nctl_verify *v);
/* {"equal", "objects", "differences", "<type>": {"objects", "attributes", "fields", "skipped", ...}, ...} */
void nctl_verify_json(const struct nctl_verify *v, struct nctl_json *json);

/*
 * The i-th of the attributes of a type that are not compared byte by byte: they tick, or the kernel changes
 * them without a word. ret_name: as in "RTA_CACHEINFO", in buf if need be. False behind the last.
 */
bool nctl_verify_skipped(
	enum nctl_object_type type, size_t i, char buf[64], const char **ret_name, const char **ret_reason);
