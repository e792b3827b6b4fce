/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <net/if.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "base/list.h"
#include "fake/fake.h"

/* What the fake kernel is made of: the objects, a request in work, the kinds of links. */

enum { FK_MAX_ALTNAMES = 8, FK_DATA_MAX = 512, FK_ETH_ALEN = 6, FK_INFINITY = -1 };

/* The kernel's netdevice notifier events that have an effect here (linux/netdevice.h). */
enum fk_event {
	FK_UP,
	FK_DOWN,
	FK_CHANGE,
	FK_REGISTER,
	FK_UNREGISTER,
	FK_CHANGEMTU,
	FK_CHANGEADDR,
	FK_CHANGENAME,
	FK_CHANGEUPPER,
	FK_CHANGEINFO, /* anything else that makes rtnetlink send the link again */
};

struct fk_netns;

struct fk_link {
	struct fk_netns *ns;
	/* in its namespace's links, in the order of their registration, as the kernel walks them */
	struct nctl_list node;
	struct nctl_list index_node; /* in by_index, ascending, as it dumps them */
	struct nctl_list watch;      /* in the world's linkwatch queue */
	struct nctl_list uppers;     /* that have it as lower, in any namespace */
	struct nctl_list upper_node; /* in its lower link's uppers */
	struct nctl_list doom;       /* in a list of links about to go */
	const struct fk_kind *kind;  /* NULL: lo */
	int ifindex;
	char name[IFNAMSIZ];
	char altnames[FK_MAX_ALTNAMES][128];
	unsigned n_altnames;
	unsigned flags;                                      /* IFF_*, without what is computed */
	bool running;                                        /* open, or being opened: netif_running() */
	bool carrier, registered, announced, closing, dying; /* announced: its first event is out */
	uint8_t operstate, addr_gen_mode;
	uint32_t mtu6; /* what IPv6 knows of mtu */
	uint32_t mtu, min_mtu, max_mtu, group, txqlen;
	uint16_t type; /* ARPHRD_* */
	uint8_t addr[FK_ETH_ALEN], brd[FK_ETH_ALEN];
	bool addr_set; /* by a user: NET_ADDR_SET */
	bool mtu_set;  /* bridge: by a user */
	char alias[256];
	struct fk_link *master, *lower, *peer; /* lower: IFLA_LINK of vlan and macvlan; peer: of a veth */
	unsigned joined;                       /* when, as a port */
	bool port_live;                   /* bridge port in forwarding state, bond slave with its link up */
	bool has_inet4, has_inet6, ready; /* an in_device and an inet6_dev exist; IF_READY */
	struct nctl_list addrs4, addrs6;
	uint32_t id;         /* VLAN id, VRF table, bond or macvlan mode */
	uint16_t vlan_proto; /* network order */
	uint32_t vlan_flags;
	uint32_t miimon;
	struct fk_link *active; /* slave of a bond */
	uint32_t saved_mtu;     /* of a bond slave, from before it joined */
	uint8_t saved_addr[FK_ETH_ALEN];
	uint8_t data[FK_DATA_MAX]; /* other IFLA_INFO_DATA attributes, as the creator gave them */
	size_t data_len;
};

struct fk_addr {
	struct nctl_list node; /* in its link's list, in the kernel's order */
	struct fk_link *link;
	uint8_t family, len, scope, proto;
	uint8_t local[16], peer[16], brd[4]; /* peer: IFA_ADDRESS; equal to local without a peer */
	bool has_brd;
	uint32_t flags, valid, preferred, metric;
	char label[IFNAMSIZ];
	bool dad; /* duplicate address detection has work to do */
};

/* One request being worked on; what goes into the answer. */
struct fk_req {
	struct nctl_fake *f;
	struct fk_netns *ns;     /* of the socket */
	struct fk_netns *target; /* IFLA_TARGET_NETNSID; else ns */
	const struct nlmsghdr *nlh;
	const char *text;         /* extended ack */
	const struct nlattr *bad; /* the attribute blamed */
	uint32_t offset;          /* of it, if bad is NULL */
};

struct fk_kind {
	const char *name;
	bool physical; /* a driver's: has no rtnl_link_ops, and outlives its namespace */
	bool local;    /* never leaves its namespace */
	void (*setup)(struct nctl_fake *f, struct fk_link *l);
	/* What is refused of a message for this kind, new or not; the MAC has been looked at. NULL: nothing.
	 */
	int (*validate)(struct fk_req *rq, const struct nlattr **tb, const struct nlattr *data);
	/* Makes and registers l from its attributes; NULL: fk_link_register alone. */
	int (*create)(
		struct fk_req *rq, struct fk_link *l, const struct nlattr **tb, const struct nlattr *data);
	int (*change)(struct fk_req *rq, struct fk_link *l, const struct nlattr *data);
	int (*open)(struct nctl_fake *f, struct fk_link *l);
	void (*stop)(struct nctl_fake *f, struct fk_link *l);
	int (*set_mtu)(struct fk_req *rq, struct fk_link *l, uint32_t mtu);
	int (*set_addr)(struct fk_req *rq, struct fk_link *l, const uint8_t *addr);
	int (*enslave)(struct fk_req *rq, struct fk_link *l, struct fk_link *port);
	void (*release)(struct nctl_fake *f, struct fk_link *l, struct fk_link *port);
	/* Something happened to a port of l, or to the lower link of l. */
	void (*port_event)(struct nctl_fake *f, struct fk_link *l, struct fk_link *port, enum fk_event ev);
	void (*lower_event)(struct nctl_fake *f, struct fk_link *l, struct fk_link *lower, enum fk_event ev);
	/* Before the links die; puts further victims on the list by fk_doom. */
	void (*doom)(struct nctl_fake *f, struct fk_link *l, struct nctl_list *doomed);
	/* When the last message about l has been made, before it is sent. */
	void (*uninit)(struct nctl_fake *f, struct fk_link *l);
	size_t (*put_data)(const struct fk_link *l, uint8_t *buf); /* explicit IFLA_INFO_DATA attributes */
};

extern const struct fk_kind fk_kind_veth, fk_kind_bridge, fk_kind_macvlan, fk_kind_dummy, fk_kind_ifb,
	fk_kind_vlan, fk_kind_bond, fk_kind_vrf, fk_kind_card;
bool fk_rx_busy(struct nctl_fake *f, const struct fk_link *l);
const struct fk_kind *fk_kind_find(const char *name, size_t len);

/* Has it rtnl_link_ops? */
static inline bool fk_is_virtual(const struct fk_link *l)
{
	return l->kind && !l->kind->physical;
}
