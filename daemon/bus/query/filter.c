/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Filters that many objects of Query have: devices by name, index and master, namespaces, the family;
 * and the pieces that the others are made of. What a name means is looked up when a namespace is entered
 * (nd_devs_find), since it may mean something else in each.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "bus/private.h"
#include "bus/query/object.h"

int nd_filter_invalid(sd_bus_error *error, const char *what, const char *value, const char *advice)
{
	return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidFilter", "%s: %.64s%s%s", what, value,
		advice ? "; " : "", advice ? advice : "");
}

int nd_filter_no_device(sd_bus_error *error, const char *name)
{
	/* ip(8)'s words */
	return sd_bus_error_setf(error, ND_BUS_ERROR "NotFound", "Device \"%.64s\" does not exist.", name);
}

int nd_filter_u32(const char *what, const char *value, uint32_t max, uint32_t *ret, sd_bus_error *error)
{
	if (nctl_parse_u32(value, 10, 0, max, ret) < 0)
		return nd_filter_invalid(error, what, value, NULL);
	return 0;
}

int nd_parse_mark(const char *text, uint32_t *ret)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	return nctl_parse_u32(hex ? text + 2 : text, hex ? 16 : 10, 0, UINT32_MAX, ret);
}

int nd_filter_flag(const char *name, const char *value, bool *ret, sd_bus_error *error)
{
	if (*value)
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "InvalidFilter", "\"%s\" has no value: %.64s", name, value);
	*ret = true;
	return 0;
}

int nd_filter_prefix(const char *value, struct nctl_prefix *ret, sd_bus_error *error)
{
	if (nctl_prefix_parse(value, NCTL_PREFIX_ANY, ret) != 0)
		return nd_filter_invalid(error, "No prefix", value, NULL);
	return 0;
}

static int set_name(char name[128], const char *value, sd_bus_error *error)
{
	/* No name of a device, nor an alternative one, is longer. */
	if (!*value || strlen(value) >= 128)
		return nd_filter_no_device(error, value);
	strcpy(name, value);
	return 0;
}

int nd_filter_dev(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return set_name(q->devs.dev_name, value, error);
}

int nd_filter_index(struct nd_query *q, const char *value, sd_bus_error *error)
{
	uint32_t v;

	if (nctl_parse_u32(value, 10, 1, INT32_MAX, &v) < 0)
		return nd_filter_invalid(error, "No interface index", value, NULL);
	q->devs.index = v;
	return 0;
}

int nd_filter_master(struct nd_query *q, const char *value, sd_bus_error *error)
{
	return set_name(q->devs.master_name, value, error);
}

int nd_filter_vrf(struct nd_query *q, const char *value, sd_bus_error *error)
{
	q->devs.vrf = true;
	return set_name(q->devs.master_name, value, error);
}

int nd_filter_family(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (strcmp(value, "inet") == 0)
		q->family = AF_INET;
	else if (strcmp(value, "inet6") == 0)
		q->family = AF_INET6;
	else
		return nd_filter_invalid(error, "No address family", value, "inet or inet6");
	return 0;
}

int nd_filter_netns(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (!*value || strlen(value) >= sizeof(q->netns))
		return nd_filter_invalid(error, "No name of a network namespace", value, NULL);
	strcpy(q->netns, value);
	if (q->space == ND_SCOPE_ALL)
		return nd_filter_invalid(error, "\"all-netns\" is given as well", value, NULL);
	q->space = ND_SCOPE_ONE;
	return 0;
}

int nd_filter_all_netns(struct nd_query *q, const char *value, sd_bus_error *error)
{
	if (*value)
		return nd_filter_invalid(error, "\"all-netns\" has no value", value, NULL);
	if (q->space == ND_SCOPE_ONE)
		return nd_filter_invalid(error, "\"netns\" is given as well", q->netns, NULL);
	q->space = ND_SCOPE_ALL;
	return 0;
}

int nd_devs_find(struct nd_query_devs *d, const struct nctl_mirror *m, const char **ret_name)
{
	const struct nctl_mirror_link *l;

	d->dev = d->index;
	d->master = 0;
	if (d->index && !nctl_mirror_link_get(m, d->index))
		return -ENXIO;
	if (*d->dev_name) {
		*ret_name = d->dev_name;
		l = nctl_mirror_link_find(m, d->dev_name);
		if (!l)
			return -ENODEV;
		/* Both an index and a name: of one link, or nothing fits (no link has that index), which is
		 * no error. */
		d->dev = d->index && d->index != l->v.ifindex ? UINT32_MAX : l->v.ifindex;
	}
	if (*d->master_name) {
		*ret_name = d->master_name;
		l = nctl_mirror_link_find(m, d->master_name);
		if (!l)
			return -ENODEV;
		if (d->vrf && (!l->v.kind || !(l->v.kind->traits & NCTL_KIND_VRF)))
			return -EINVAL;
		d->master = l->v.ifindex;
	}
	return 0;
}
