/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Names of numbers as ip(8) knows them: those that are built in, and those of rt_protos, rt_scopes,
 * rt_tables, rt_realms, rt_dsfield and group in /etc/iproute2 (where a file is missing: in
 * /usr/share/iproute2), with rt_protos.d/X.conf and rt_tables.d/X.conf, and of /etc/protocols. Files are read
 * once, by the first call; where other threads print as well, call nctl_rtname_read before they begin.
 */
enum nctl_rtname_kind {
	NCTL_RTNAME_PROTOCOL, /* rtm_protocol */
	NCTL_RTNAME_SCOPE,
	NCTL_RTNAME_TABLE,
	NCTL_RTNAME_REALM,
	NCTL_RTNAME_DSFIELD,  /* TOS; hexadecimal without a name */
	NCTL_RTNAME_GROUP,    /* of links */
	NCTL_RTNAME_IP_PROTO, /* "ipproto-N" without a name */
	NCTL_RTNAME_N_KINDS
};

#define NCTL_RTNAME_STR 24 /* a number as text, with its NUL */

/* The name, or the number as text in buf. A name lives until the next nctl_rtname_read. */
const char *nctl_rtname(enum nctl_rtname_kind kind, uint32_t id, char buf[NCTL_RTNAME_STR]);
/* A name, or a number up to max (decimal, or hexadecimal with 0x). 0, -ENOENT or -ERANGE. */
int nctl_rtname_parse(enum nctl_rtname_kind kind, const char *text, uint32_t max, uint32_t *ret);

/*
 * Reads all again from these folders instead ("/etc" and "/usr/share"; NULL: none). What is not to be read or
 * not to be understood is left out.
 */
void nctl_rtname_read(const char *etc, const char *share);
