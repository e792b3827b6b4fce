/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"
#include "config/config.h"

/* Answers about configurations, as JSON objects; diag may have findings from reading them.
 * ret_exit (or NULL): the same as "exit". 0 or -errno. */

/* {"exit", "diagnostics", "links"}; netplan: with "beyond_netplan", how many keys and values netplan lacks.
 */
int nd_check_texts(const struct nd_config_texts *texts, struct nd_diagnostics *diag, bool netplan,
	struct nctl_strbuf *out, int *ret_exit);
/* {"exit", "diagnostics", "yaml"}: nd_config_show. */
int nd_check_show(const struct nd_config_texts *texts, struct nd_diagnostics *diag, bool origin,
	struct nctl_strbuf *out, int *ret_exit);
