/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/time.h"

/*
 * As much of D-Bus as a client of one peer needs (D-Bus Specification: Authentication Protocol, Message
 * Protocol): method calls with strings, numbers, descriptors, and arrays and structures of these; answers of
 * one string or one descriptor. libsystemd has all of it, but to load it takes longer than to ask the daemon
 * something.
 */

#define CLI_DBUS_FDS 64 /* of a call */

/* A call in the making; the arguments are appended in the order of the signature. */
struct cli_msg {
	const char *method, *signature;
	struct nctl_strbuf body;
	int fds[CLI_DBUS_FDS]; /* owned */
	uint32_t n_fds;
};
void cli_msg_init(struct cli_msg *m, const char *method, const char *signature);
void cli_msg_fini(struct cli_msg *m);
/* -EINVAL if it is not UTF-8, -ENOMEM. */
int cli_msg_str(struct cli_msg *m, const char *s);
void cli_msg_u32(struct cli_msg *m, uint32_t v);
int cli_msg_fd(struct cli_msg *m, int fd); /* a duplicate is sent */
/* An array of strings, or (aligned) of structures, of which each begins with cli_msg_align. */
size_t cli_msg_array(struct cli_msg *m, bool aligned);
void cli_msg_array_end(struct cli_msg *m, size_t array, bool aligned);
void cli_msg_align(struct cli_msg *m);

struct cli_reply {
	uint8_t *buf;
	const char *text;  /* the string of it, or of an error; NULL none */
	const char *error; /* its name; NULL: it is none */
	int fd;            /* -1 none */
};
#define CLI_REPLY_INIT ((struct cli_reply){.fd = -1})
void cli_reply_fini(struct cli_reply *r);

struct cli_bus {
	int fd;
	uint32_t serial; /* of the last call */
	/*
	 * While an answer is waited for: each time that so many ms have passed, and when a signal came. A negative errno
	 * ends the call. NULL: nothing.
	 */
	int (*idle)(void *userdata);
	void *userdata;
	int idle_ms;
};
#define CLI_BUS_INIT ((struct cli_bus){.fd = -1})
/* Takes a connected socket over. 0 or a negative errno. */
int cli_dbus_open(struct cli_bus *bus, int fd);
void cli_dbus_close(struct cli_bus *bus);
/* 0: an answer, or an error of the peer's; -ETIMEDOUT; -EBADMSG: it does not speak D-Bus; another -errno. */
int cli_dbus_call(struct cli_bus *bus, const struct cli_msg *m, nctl_time deadline, struct cli_reply *ret);
