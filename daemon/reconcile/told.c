/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: reports of what drivers and WireGuard are told: names, and never a value of WireGuard, which may be a secret.
 */
#include "reconcile/report.h"

#include "base/cleanup.h"

bool nd_report_is_told(const struct nctl_op *op)
{
	return op->type == NCTL_OP_ETHTOOL_SET || op->type == NCTL_OP_WG_SET;
}

static void put_driver(struct nctl_json *j, const struct nctl_op *op)
{
	struct nctl_switch room[NCTL_SWITCHES_MAX];
	struct nctl_switches switches = {room, 0};
	uint64_t mask = op->ethtool->has & nctl_ethtool_group_mask(op->group);

	if (op->old_ethtool)
		mask = nctl_ethtool_diff(op->ethtool, op->old_ethtool, op->group, &switches);
	else if (op->group < NCTL_ETHTOOL_N_SWITCHES)
		switches = op->ethtool->switches[op->group];
	for (size_t i = 0; i < nctl_ethtool_fields.n; i++)
		if (mask >> i & 1)
			nctl_json_str(j, nctl_ethtool_fields.v[i].key);
	for (size_t i = 0; i < switches.n; i++)
		nctl_json_str(j, switches.v[i].name);
}

static void put_wireguard(struct nctl_json *j, const struct nctl_op *op)
{
	static const char *const wg[] = {"private-key", "port", "mark", "peers"};
	unsigned diff = op->old_wg ? nctl_wg_diff(op->wg, op->old_wg) : op->wg->has;

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(wg); i++)
		if (diff & 1u << i)
			nctl_json_str(j, wg[i]);
}

void nd_report_told_fields(struct nctl_json *j, const struct nctl_op *op)
{
	bool is_vlans = op->type == NCTL_OP_VLANS_ADD || op->type == NCTL_OP_VLANS_DEL;

	if (!is_vlans && !nd_report_is_told(op))
		return;
	nctl_json_key(j, "fields");
	nctl_json_arr_begin(j);
	if (is_vlans)
		nctl_json_str(j, "vlans");
	else if (op->type == NCTL_OP_ETHTOOL_SET)
		put_driver(j, op);
	else
		put_wireguard(j, op);
	nctl_json_arr_end(j);
}
