/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Answers about configurations that need no kernel, and so no daemon either: is one right, is it
 * netplan's as well, what do its files say together.
 */
#include "base/cleanup.h"
#include "reconcile/check.h"
#include "reconcile/private.h"

int nd_check_texts(const struct nd_config_texts *texts, struct nd_diagnostics *diag, bool netplan,
	struct nctl_strbuf *out, int *ret_exit)
{
	_cleanup_(nctl_want_freep) struct nctl_want *want = NULL;
	int exit = ND_EXIT_FINE, r = 0;
	struct nctl_json j;
	size_t ours = 0;

	if (!diag->n_errors)
		r = nd_config_parse(texts, diag, &want);
	if (r == 0 && want && netplan)
		r = nd_config_netplan(texts, diag, &ours);
	if (r < 0)
		return r;
	if (!want)
		exit = ND_EXIT_CONFIG;
	else if (ours)
		exit = ND_EXIT_DIFFERENT;
	if (ret_exit)
		*ret_exit = exit;
	nd_report_begin(&j, out, exit, NULL);
	nd_report_diagnostics(&j, diag);
	if (want)
		nctl_json_ku64(&j, "links", want->n_links);
	if (want && netplan)
		nctl_json_ku64(&j, "beyond_netplan", ours);
	nd_report_end(&j);
	return out->err;
}

int nd_check_show(const struct nd_config_texts *texts, struct nd_diagnostics *diag, bool origin,
	struct nctl_strbuf *out, int *ret_exit)
{
	_cleanup_(nctl_strbuf_fini) struct nctl_strbuf yaml = NCTL_STRBUF_INIT;
	int r = diag->n_errors ? ND_CONFIG_INVALID : nd_config_show(texts, origin, diag, &yaml);
	int exit = r == 0 ? ND_EXIT_FINE : ND_EXIT_CONFIG;
	struct nctl_json j;

	if (r < 0)
		return r;
	if (ret_exit)
		*ret_exit = exit;
	nd_report_begin(&j, out, exit, NULL);
	nd_report_diagnostics(&j, diag);
	if (r == 0)
		nctl_json_kstr(&j, "yaml", nctl_strbuf_str(&yaml));
	nd_report_end(&j);
	return out->err;
}
