/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: The session from afar that this user sits in, as sshd(8) tells it: the daemon takes care not to cut it
 * off. What cannot be understood is left out, since it is only advice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/prefix.h"
#include "netctl/cli.h"

/* An address without a zone; loopback carries no session from afar. */
static bool is_usable(char *text)
{
	static const uint8_t one[16] = {[15] = 1};
	struct nctl_prefix p;

	text[strcspn(text, "%")] = '\0';
	if (nctl_addr_parse(text, &p) != 0)
		return false;
	return p.family == AF_INET ? p.addr[0] != 127 : memcmp(p.addr, one, sizeof(one)) != 0;
}

/* "PEER PORT LOCAL PORT" */
int cli_session_add(struct cli_request *q)
{
	const char *env = getenv("SSH_CONNECTION");
	int r;

	if (!env || sscanf(env, "%63s %*s %63s", q->session[0], q->session[1]) != 2)
		return 0;
	if (!is_usable(q->session[0]) || !is_usable(q->session[1]))
		return 0;
	r = cli_request_filter(q, "session-peer", q->session[0]);
	return r < 0 ? r : cli_request_filter(q, "session-local", q->session[1]);
}
