/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

/*
 * What daemon and helper say to each other. The keeper of the helper holds one SOCK_SEQPACKET socketpair with
 * the daemon, the control socket. Each time it starts a helper, it sends one message of ND_PROTO_CHANNELS
 * descriptors (SCM_RIGHTS), one socket for each channel, with a struct nd_proto_hello; the other ends are the
 * helper's. A thread of the helper serves each channel, one request at a time, so that each request is
 * answered in its order. A message is a struct, then its strings, each ended by a NUL; everything in the byte
 * order of the machine. Both sides take nothing for granted: length, type, number of strings and descriptors
 * are checked, and a message that is wrong ends the channel (and so the helper, which the keeper starts
 * again).
 */

enum nd_proto_channel {
	ND_PROTO_MAKE,     /* CREATE, DELETE, SYSCTL_WRITE, LINK_MOVE, POOL, PREPARE */
	ND_PROTO_MAKE_TOO, /* CREATE, DELETE: two at a time are a quarter faster (tests/bench/s3) */
	ND_PROTO_LOOK,     /* JOIN, NSID_IN, SYSCTL_READ, OPEN_FILES, SCAN, OPEN_MADDR, READ_KEY */
	ND_PROTO_SOCKET,   /* OPEN_SOCKET; used by one thread of the daemon, which waits for the answer */
	ND_PROTO_CHANNELS
};

enum {
	ND_PROTO_MAGIC = 0x6e64f004,      /* changes with any change here: both come from one build */
	ND_PROTO_MESSAGE_MAX = 64 * 1024, /* bytes */
	ND_PROTO_STRINGS_MAX = 129,       /* of a message */
	ND_PROTO_FDS_MAX = 64,            /* of a message */
};

struct nd_proto_hello {
	uint32_t magic;
	int32_t pid; /* of the helper */
};

enum nd_proto_type {
	ND_PROTO_CREATE,  /* s: name; flags: ND_PROTO_REPAIR. -> cookie */
	ND_PROTO_DELETE,  /* s: name; cookie: 0 or expected */
	ND_PROTO_JOIN,    /* a namespace -> cookie, nsid (assigned if there was none) */
	ND_PROTO_NSID_IN, /* a namespace, and a second one of -> nsid of the second one as the first sees it
	                   */
	ND_PROTO_SYSCTL_READ,  /* a namespace; s: names. -> s: a value each ("" with its bit in missing: no
	                          such) */
	ND_PROTO_SYSCTL_WRITE, /* a namespace; s: name, value. -> s: what reads back */
	ND_PROTO_LINK_MOVE,    /* from a namespace to a second one; number: ifindex; s: new name, or "" */
	ND_PROTO_OPEN_FILES,   /* -> s: paths; as many descriptors, read only; perhaps in several messages */
	ND_PROTO_SCAN,         /* -> processes; perhaps in several messages */
	ND_PROTO_POOL,         /* number: how many -> nsid: how many are ready */
	ND_PROTO_PREPARE,
	ND_PROTO_OPEN_SOCKET, /* a namespace; number: enum nctl_transport_role. -> a descriptor, cookie */
	ND_PROTO_OPEN_MADDR,  /* a namespace -> s: names below /proc/net; a descriptor each, read only */
	ND_PROTO_READ_KEY,    /* s: absolute path -> s: the key of 44 characters that the file holds */
	ND_PROTO_TYPES
};

enum { ND_PROTO_REPAIR = 1 << 0 };

/*
 * A namespace: the string, if it is not "", names it; else pid, if not 0; else it is the daemon's own. If
 * cookie is not 0 it must fit, or the error is -ESTALE. Requests with namespaces have one string for each,
 * before all others, "" if there is no name.
 */
struct nd_proto_request {
	uint32_t magic, type;
	uint64_t id; /* comes back in the answer */
	uint64_t cookie[2];
	int32_t pid[2];
	uint32_t number, flags;
	uint32_t n_strings;
};

struct nd_proto_process {
	uint64_t dev, ino; /* stat(2) of its /proc/PID/ns/net */
	int32_t pid;
	uint32_t pad;
};

struct nd_proto_answer {
	uint32_t magic, type;
	uint64_t id;
	int32_t error; /* 0 or a negative errno; then the only string, if any, says what failed */
	int32_t nsid;
	uint64_t cookie;
	uint64_t missing[2]; /* SYSCTL_READ: bit i: no value i */
	uint32_t more;       /* further messages of this answer follow */
	uint32_t n_strings;
	uint32_t n_processes; /* struct nd_proto_process each, before the strings */
	uint32_t pad;
};
