/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fake/world.h"

/* What the fake kernel's files offer each other, by file; all under the fake's lock. */

/* links.c: objects and the notifier chain */
struct fk_link *fk_link_new(struct fk_netns *ns, const struct fk_kind *kind);
void fk_random_addr(struct nctl_fake *f, uint8_t addr[static FK_ETH_ALEN]);
void fk_link_destroy(struct fk_link *l);
struct fk_link *fk_link_by_index(struct fk_netns *ns, int ifindex);
struct fk_link *fk_link_by_name(struct fk_netns *ns, const char *name);
int fk_name_number(struct fk_netns *ns, char name[static IFNAMSIZ]);
int fk_free_index(struct fk_netns *ns);
void fk_link_insert(struct fk_link *l);
int fk_link_register(struct fk_req *rq, struct fk_link *l);
void fk_notify(struct nctl_fake *f, struct fk_link *l, enum fk_event ev);
void fk_link_event(struct nctl_fake *f, struct fk_link *l);
void fk_state_change(struct nctl_fake *f, struct fk_link *l);
void fk_join(struct nctl_fake *f, struct fk_link *port, struct fk_link *master);
struct fk_link *fk_first_port(struct nctl_fake *f, const struct fk_link *master, bool live);
bool fk_oper_up(const struct fk_link *l);
unsigned fk_link_flags(const struct fk_link *l);
bool fk_is_below(struct nctl_fake *f, const struct fk_link *l, const struct fk_link *upper);
bool fk_has_upper(struct nctl_fake *f, const struct fk_link *l, const struct fk_kind *kind);
struct nctl_list *fk_links(struct fk_netns *ns);
bool fk_name_valid(const char *name);
void fk_doom(struct nctl_fake *f, struct fk_link *l,
	struct nctl_list *doomed); /* also what its kind takes along */
void fk_links_kill(struct nctl_fake *f, struct nctl_list *doomed);

/* netns.c */
int32_t fk_netns_id(const struct fk_netns *viewer, const struct fk_netns *ns); /* -1: none */
int32_t fk_netns_id_alloc(struct fk_netns *viewer, struct fk_netns *ns);
struct fk_netns *fk_netns_by_id(const struct fk_netns *viewer, int32_t nsid);

/* move.c */
int fk_move(struct nctl_fake *f, struct fk_link *l, struct fk_netns *to, const char *pattern, int ifindex);

/* carrier.c: carrier, operstate and the delayed work behind them */
void fk_carrier(struct nctl_fake *f, struct fk_link *l, bool on);
void fk_carrier_follow(struct nctl_fake *f, struct fk_link *l, const struct fk_link *lower);
void fk_linkwatch_init(struct nctl_fake *f, struct fk_link *l);
void fk_linkwatch_forget(struct nctl_fake *f, struct fk_link *l);
void fk_linkwatch_fire(struct nctl_fake *f, struct fk_link *l);
void fk_settle(struct nctl_fake *f);

/* change.c: one property of a link */
int fk_change_flags(struct fk_req *rq, struct fk_link *l, unsigned flags);
int fk_set_flags(struct nctl_fake *f, struct fk_link *l,
	unsigned flags);                               /* without the final notification of a request */
int fk_open(struct nctl_fake *f, struct fk_link *l);   /* dev_open */
void fk_close(struct nctl_fake *f, struct fk_link *l); /* dev_close */
int fk_set_mtu(struct fk_req *rq, struct fk_link *l, uint32_t mtu);
int fk_set_addr(struct fk_req *rq, struct fk_link *l, const uint8_t *addr);
int fk_rename(struct fk_req *rq, struct fk_link *l, const char *name);
int fk_set_master(struct fk_req *rq, struct fk_link *l, int ifindex);

/* addr*.c */
void fk_inet4_event(struct nctl_fake *f, struct fk_link *l, enum fk_event ev);
void fk_inet6_event(struct nctl_fake *f, struct fk_link *l, enum fk_event ev);
void fk_addr_event(struct nctl_fake *f, struct fk_addr *a, uint16_t type);
void fk_inet6_dad(struct nctl_fake *f, bool complete);
int fk_addr4_request(struct fk_req *rq);
int fk_addr6_request(struct fk_req *rq);

/* request.c, newlink.c, dellink.c: messages */
int fk_link_preset(struct fk_req *rq, struct fk_link *l, const struct nlattr **tb);
int fk_link_configure(struct fk_req *rq, struct fk_link *l, const struct ifinfomsg *ifi);
int fk_do_newlink(struct fk_req *rq);
int fk_do_dellink(struct fk_req *rq);
int fk_do_linkprop(struct fk_req *rq);
int fk_set_target(struct fk_req *rq, const struct nlattr **tb);
int fk_check_link_attrs(struct fk_req *rq, const struct nlattr **tb);
int fk_request(struct fk_req *rq);

#define fk_refuse(rq, err, words)                                                                            \
	({                                                                                                   \
		(rq)->text = (words);                                                                        \
		(err);                                                                                       \
	})
