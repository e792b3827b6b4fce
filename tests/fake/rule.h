/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fake/core.h"

/* Routing rules of the fake kernel. */

struct fk_rule {
	struct nctl_list node; /* in its namespace's of the family, in the order in which they are tried */
	uint8_t family, action, tos, protocol, dst_len, src_len, dst[16], src[16];
	bool l3mdev;
	uint32_t table, priority, mark, mask, target, flags;
	char iif[IFNAMSIZ], oif[IFNAMSIZ];
	int iifindex, oifindex; /* -1: detached */
};

void fk_rules_init(struct fk_netns *ns);
void fk_rules_free(struct fk_netns *ns);
int fk_rule_request(struct fk_req *rq);
void fk_rules_link_event(struct fk_link *l, enum fk_event ev);
struct nctl_list *fk_rules(struct fk_netns *ns, uint8_t family);
bool fk_rule_matches(const struct fk_rule *r, const uint8_t *dst, int oif);
void fk_rules_vrf(struct fk_netns *ns);
