/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: names of protocols, scopes, tables and their like, from the files that ip(8) reads, which belong to
 * the administrator: so sizes are bounded, and what cannot be understood is left out. Of one kind all entries
 * stand in one array, ascending by number; of equal numbers the last read gives the name.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/num.h"
#include "obj/rtname.h"

#define MAX_FILE    (1 << 20)
#define MAX_ENTRIES 65536
#define MAX_NAME    255

struct entry {
	uint32_t id;
	uint32_t order; /* of reading */
	const char *name;
};

struct names {
	struct entry *v;
	size_t n, cap;
};

static struct names all[NCTL_RTNAME_N_KINDS];
static bool have_read;

static const struct {
	const char *file;
	bool folder;     /* there is a file.d as well */
	bool name_first; /* as in protocols(5) */
	uint32_t max;
} kinds[NCTL_RTNAME_N_KINDS] = {
	[NCTL_RTNAME_PROTOCOL] = {"iproute2/rt_protos", true, false, UINT8_MAX},
	[NCTL_RTNAME_SCOPE] = {"iproute2/rt_scopes", false, false, UINT8_MAX},
	[NCTL_RTNAME_TABLE] = {"iproute2/rt_tables", true, false, UINT32_MAX},
	[NCTL_RTNAME_REALM] = {"iproute2/rt_realms", false, false, UINT8_MAX},
	[NCTL_RTNAME_DSFIELD] = {"iproute2/rt_dsfield", false, false, UINT8_MAX},
	[NCTL_RTNAME_GROUP] = {"iproute2/group", false, false, INT32_MAX},
	[NCTL_RTNAME_IP_PROTO] = {"protocols", false, true, UINT8_MAX},
};

static const struct {
	enum nctl_rtname_kind kind;
	uint32_t id;
	const char *name;
} built_in[] = {
	{NCTL_RTNAME_PROTOCOL, RTPROT_UNSPEC, "unspec"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_REDIRECT, "redirect"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_KERNEL, "kernel"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_BOOT, "boot"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_STATIC, "static"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_GATED, "gated"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_RA, "ra"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_MRT, "mrt"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_ZEBRA, "zebra"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_BIRD, "bird"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_DNROUTED, "dnrouted"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_XORP, "xorp"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_NTK, "ntk"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_DHCP, "dhcp"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_KEEPALIVED, "keepalived"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_BABEL, "babel"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_BGP, "bgp"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_ISIS, "isis"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_OSPF, "ospf"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_RIP, "rip"},
	{NCTL_RTNAME_PROTOCOL, RTPROT_EIGRP, "eigrp"},
	{NCTL_RTNAME_SCOPE, RT_SCOPE_UNIVERSE, "global"},
	{NCTL_RTNAME_SCOPE, RT_SCOPE_SITE, "site"},
	{NCTL_RTNAME_SCOPE, RT_SCOPE_LINK, "link"},
	{NCTL_RTNAME_SCOPE, RT_SCOPE_HOST, "host"},
	{NCTL_RTNAME_SCOPE, RT_SCOPE_NOWHERE, "nowhere"},
	{NCTL_RTNAME_TABLE, RT_TABLE_DEFAULT, "default"},
	{NCTL_RTNAME_TABLE, RT_TABLE_MAIN, "main"},
	{NCTL_RTNAME_TABLE, RT_TABLE_LOCAL, "local"},
	{NCTL_RTNAME_REALM, 0, "unknown"},
	{NCTL_RTNAME_DSFIELD, 0, "0"},
	{NCTL_RTNAME_GROUP, 0, "default"},
};

static void add(struct names *names, uint32_t id, const char *name, size_t len)
{
	_cleanup_(nctl_freep) char *copy = strndup(name, len);

	if (!copy || names->n == MAX_ENTRIES ||
		nctl_array_grow(&names->v, &names->cap, names->n, sizeof(*names->v)) < 0)
		return;
	names->v[names->n] = (struct entry){.id = id, .order = (uint32_t)names->n, .name = take_ptr(copy)};
	names->n++;
}

/* The next word of a line, and its length: 0 at the end or a comment. */
static const char *next_word(const char **line, size_t *ret_len)
{
	const char *p = *line + strspn(*line, " \t"), *end;

	end = *p == '#' ? p : p + strcspn(p, " \t\r");
	*line = end;
	*ret_len = (size_t)(end - p);
	return p;
}

static int parse_number(const char *text, uint32_t max, uint32_t *ret)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');

	return nctl_parse_u32(hex ? text + 2 : text, hex ? 16 : 10, 0, max, ret);
}

static void read_line(enum nctl_rtname_kind kind, const char *line)
{
	const char *number, *name;
	size_t n_number, n_name;
	char digits[16];
	uint32_t id;

	number = next_word(&line, &n_number);
	name = next_word(&line, &n_name);
	if (kinds[kind].name_first) {
		const char *p = number;
		size_t n = n_number;

		number = name;
		n_number = n_name;
		name = p;
		n_name = n;
	}
	if (n_number == 0 || n_name == 0 || n_number >= sizeof(digits) || n_name > MAX_NAME)
		return;
	memcpy(digits, number, n_number);
	digits[n_number] = '\0';
	if (parse_number(digits, kinds[kind].max, &id) == 0)
		add(&all[kind], id, name, n_name);
}

/* 0, or a negative errno if there is no such file that can be read. */
static int read_file(enum nctl_rtname_kind kind, const char *path)
{
	_cleanup_(nctl_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_(nctl_freep) char *text = NULL;
	char *line, *end;
	size_t len;
	int r;

	if (fd < 0)
		return -errno;
	r = nctl_read_all(fd, MAX_FILE, &text, &len);
	if (r < 0)
		return r;
	for (line = text; line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		read_line(kind, line);
	}
	return 0;
}

static int is_conf(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return d->d_name[0] != '.' && n > 5 && strcmp(d->d_name + n - 5, ".conf") == 0;
}

/* The files of a folder, by name; not those that unless has as well. */
static void read_folder(enum nctl_rtname_kind kind, const char *base, const char *unless)
{
	_cleanup_(nctl_freep) char *folder = NULL;
	struct dirent **list;
	char path[1024];
	int n;

	if (asprintf(&folder, "%s/%s.d", base, kinds[kind].file) < 0) {
		folder = NULL; /* it is undefined then */
		return;
	}
	n = scandir(folder, &list, is_conf, alphasort);
	for (int i = 0; i < n; i++) {
		bool hidden = false;

		if (unless && snprintf(path, sizeof(path), "%s/%s.d/%s", unless, kinds[kind].file,
				      list[i]->d_name) < (int)sizeof(path))
			hidden = access(path, F_OK) == 0;
		if (!hidden &&
			snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name) < (int)sizeof(path))
			read_file(kind, path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static int try_file(enum nctl_rtname_kind kind, const char *base)
{
	char path[1024];

	if (!base || snprintf(path, sizeof(path), "%s/%s", base, kinds[kind].file) >= (int)sizeof(path))
		return -ENOENT;
	return read_file(kind, path);
}

static void read_kind(enum nctl_rtname_kind kind, const char *etc, const char *share)
{
	if (try_file(kind, etc) == -ENOENT)
		try_file(kind, share);
	if (!kinds[kind].folder)
		return;
	if (share)
		read_folder(kind, share, etc);
	if (etc)
		read_folder(kind, etc, NULL);
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void clear(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free((void *)(uintptr_t)names->v[i].name);
	free(names->v);
	*names = (struct names){0};
}

void nctl_rtname_read(const char *etc, const char *share)
{
	have_read = true;
	for (size_t i = 0; i < NCTL_RTNAME_N_KINDS; i++)
		clear(&all[i]);
	for (size_t i = 0; i < NCTL_ARRAY_SIZE(built_in); i++)
		add(&all[built_in[i].kind], built_in[i].id, built_in[i].name, strlen(built_in[i].name));
	for (size_t i = 0; i < NCTL_RTNAME_N_KINDS; i++) {
		read_kind((enum nctl_rtname_kind)i, etc, share);
		if (all[i].n)
			qsort(all[i].v, all[i].n, sizeof(*all[i].v), compare);
	}
}

static const struct names *names_of(enum nctl_rtname_kind kind)
{
	if (!have_read)
		nctl_rtname_read("/etc", "/usr/share");
	return &all[kind];
}

/* The last of equal numbers, or NULL. */
static const char *find(const struct names *names, uint32_t id)
{
	size_t low = 0, high = names->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (names->v[mid].id <= id)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 && names->v[low - 1].id == id ? names->v[low - 1].name : NULL;
}

const char *nctl_rtname(enum nctl_rtname_kind kind, uint32_t id, char buf[NCTL_RTNAME_STR])
{
	const char *name = find(names_of(kind), id);

	if (name)
		return name;
	if (kind == NCTL_RTNAME_DSFIELD)
		snprintf(buf, NCTL_RTNAME_STR, "0x%02x", id);
	else if (kind == NCTL_RTNAME_IP_PROTO)
		snprintf(buf, NCTL_RTNAME_STR, "ipproto-%u", id);
	else
		snprintf(buf, NCTL_RTNAME_STR, "%u", id);
	return buf;
}

int nctl_rtname_parse(enum nctl_rtname_kind kind, const char *text, uint32_t max, uint32_t *ret)
{
	const struct names *names = names_of(kind);
	int r;

	for (size_t i = names->n; i > 0; i--) {
		if (strcmp(names->v[i - 1].name, text) == 0 && names->v[i - 1].id <= max) {
			*ret = names->v[i - 1].id;
			return 0;
		}
	}
	r = parse_number(text, max, ret);
	return r == -EINVAL ? -ENOENT : r;
}
