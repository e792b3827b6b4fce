/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: the warning about a systemd-networkd that removes what it does not know: unless its configuration says
 * otherwise, it takes away routes and rules of others when it starts and whenever a link that it manages is
 * configured anew (ManageForeignRoutes= and ManageForeignRoutingPolicyRules= of networkd.conf(5), both yes by
 * default). conf/networkd has a drop-in against that. That it runs is seen by the link that systemd keeps for
 * each unit that is active (the folder of networkd's own state outlives it).
 */
#include "reconcile/confirm.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "log/log.h"

enum { DROP_INS_MAX = 64 };

/* What was said last; a drop-in of a later name has the last word, whatever its folder. */
struct words {
	bool routes, rules;
};

static bool is_yes(const char *value)
{
	static const char *const no[] = {"no", "n", "0", "false", "f", "off"};

	for (size_t i = 0; i < NCTL_ARRAY_SIZE(no); i++)
		if (!strcasecmp(value, no[i]))
			return false;
	return true;
}

static void read_line(char *line, struct words *w)
{
	char *value = strchr(line, '=');

	if (!value || *line == '#' || *line == ';')
		return;
	*value++ = '\0';
	value += strspn(value, " \t");
	value[strcspn(value, " \t\r\n")] = '\0';
	line[strcspn(line, " \t")] = '\0';
	if (!strcmp(line, "ManageForeignRoutes"))
		w->routes = is_yes(value);
	else if (!strcmp(line, "ManageForeignRoutingPolicyRules"))
		w->rules = is_yes(value);
}

static void read_conf(const char *path, struct words *w)
{
	FILE *f = fopen(path, "re");
	char line[512];

	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		read_line(line + strspn(line, " \t"), w);
	fclose(f);
}

static int is_drop_in(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 5 && e->d_name[0] != '.' && !strcmp(e->d_name + n - 5, ".conf");
}

struct drop_in {
	char name[256], path[384];
};

static int cmp_drop_in(const void *x, const void *y)
{
	return strcmp(((const struct drop_in *)x)->name, ((const struct drop_in *)y)->name);
}

/* A name in an earlier folder hides the same one in later ones. */
static size_t list_drop_ins(const char *dir, struct drop_in *v, size_t n)
{
	struct dirent **names;
	int found = scandir(dir, &names, is_drop_in, alphasort);

	for (int i = 0; i < found; i++) {
		bool hidden = n == DROP_INS_MAX;

		for (size_t k = 0; k < n && !hidden; k++)
			hidden = !strcmp(v[k].name, names[i]->d_name);
		if (!hidden) {
			snprintf(v[n].name, sizeof(v[n].name), "%s", names[i]->d_name);
			snprintf(v[n].path, sizeof(v[n].path), "%s/%s", dir, names[i]->d_name);
			n++;
		}
		free(names[i]);
	}
	if (found >= 0)
		free(names);
	return n;
}

static struct words read_all(void)
{
	static const char *const dirs[] = {"/etc/systemd/networkd.conf.d", "/run/systemd/networkd.conf.d",
		"/usr/local/lib/systemd/networkd.conf.d", "/usr/lib/systemd/networkd.conf.d"};
	_cleanup_(nctl_freep) struct drop_in *v = calloc(DROP_INS_MAX, sizeof(*v));
	struct words w = {true, true};
	size_t n = 0;

	read_conf("/etc/systemd/networkd.conf", &w);
	for (size_t i = 0; v && i < NCTL_ARRAY_SIZE(dirs); i++)
		n = list_drop_ins(dirs[i], v, n);
	if (n)
		qsort(v, n, sizeof(*v), cmp_drop_in);
	for (size_t i = 0; i < n; i++)
		read_conf(v[i].path, &w);
	return w;
}

/* The link's target is no file. */
static bool is_active(void)
{
	struct stat st;

	return lstat("/run/systemd/units/invocation:systemd-networkd.service", &st) == 0;
}

void nd_networkd_look(struct nd_reconcile *r)
{
	struct words w = {false, false};
	const char *was = r->networkd;

	if (is_active())
		w = read_all();
	r->networkd = w.routes && w.rules ? "systemd-networkd runs and removes routes and rules of others"
	              : w.routes          ? "systemd-networkd runs and removes routes of others"
	              : w.rules           ? "systemd-networkd runs and removes rules of others"
	                                  : NULL;
	if (r->networkd && r->networkd != was)
		nd_warn("%s: install the drop-in 50-netctld.conf in /etc/systemd/networkd.conf.d and restart "
			"it",
			r->networkd);
}
