/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DOC: Reads configuration files as the daemon does and prints what it understood: the findings, then, if
 *there are no errors, one line for each device with everything that is wanted of it and where that was said.
 *
 *	config_dump [-t] PATH…	(-t: only how long it took and how many devices there are)
 *
 * Exit status: 0 valid, 2 not.
 */
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "config/config.h"
#include "dump_routing.h"
#include "obj/kind.h"
#include "obj/vlans.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_pos(const struct nctl_want *w, struct nctl_pos pos, struct nctl_strbuf *out)
{
	nctl_strbuf_printf(out, "@%s:%u:%u", base_name(w->files[pos.file]), pos.line, pos.column);
}

/* "NAMESPACE:", or ":" for the daemon's own. */
static void put_netns(const struct nctl_want_netns *netns, struct nctl_strbuf *out)
{
	nctl_strbuf_printf(out, "%s:", netns->name ? netns->name : "");
}

/* Of a link in `netns`; the other one's namespace is shown if it is a different one. */
static void put_ref(const struct nctl_want *w, const struct nctl_want_netns *netns, const char *key,
	const struct nctl_want_ref *ref, struct nctl_strbuf *out)
{
	if (!ref->name)
		return;
	nctl_strbuf_printf(out, " %s=", key);
	if (ref->link && ref->link->netns != netns)
		put_netns(ref->link->netns, out);
	nctl_strbuf_printf(out, "%s%s", ref->name, ref->link ? "" : "(foreign)");
	put_pos(w, ref->pos, out);
}

static void put_fields(const char *prefix, const struct nctl_field_table *t, const void *data, uint64_t has,
	struct nctl_strbuf *out)
{
	const struct nctl_field *f;
	size_t i;

	for (i = 0; i < t->n; i++) {
		f = &t->v[i];
		if (!(has >> i & 1) || !f->key)
			continue;
		nctl_strbuf_printf(out, " %s%s=", prefix, f->key);
		nctl_field_format_text(f, data, out);
	}
}

static void put_scope(uint8_t scope, struct nctl_strbuf *out)
{
	if (scope == RT_SCOPE_LINK || scope == RT_SCOPE_HOST)
		nctl_strbuf_puts(out, scope == RT_SCOPE_LINK ? ",link" : ",host");
	else if (scope != RT_SCOPE_UNIVERSE)
		nctl_strbuf_printf(out, ",scope=%u", scope);
}

static void put_addr(const struct nctl_want *w, const struct nctl_want_addr *a, struct nctl_strbuf *out)
{
	char buf[NCTL_PREFIX_STR];

	nctl_strbuf_printf(out, " %s", nctl_prefix_format(&a->v.local, buf));
	put_scope(a->v.scope, out);
	if (*a->v.label)
		nctl_strbuf_printf(out, ",label=%s", a->v.label);
	if (a->v.valid != NCTL_ADDR_FOREVER)
		nctl_strbuf_printf(out, ",valid=%u", a->v.valid);
	if (a->v.preferred != NCTL_ADDR_FOREVER)
		nctl_strbuf_printf(out, ",preferred=%u", a->v.preferred);
	if (a->v.peer.family)
		nctl_strbuf_printf(out, ",peer=%s", nctl_addr_format(&a->v.peer, buf));
	if (a->v.broadcast.family)
		nctl_strbuf_printf(out, ",broadcast=%s", nctl_addr_format(&a->v.broadcast, buf));
	if (a->v.metric)
		nctl_strbuf_printf(out, ",metric=%u", a->v.metric);
	if (a->v.flags)
		nctl_strbuf_printf(out, ",flags=%#x", a->v.flags);
	put_pos(w, a->pos, out);
}

static void put_sysctls(
	const struct nctl_want *w, const struct nctl_want_sysctl *v, size_t n, struct nctl_strbuf *out)
{
	size_t i;

	for (i = 0; i < n; i++) {
		nctl_strbuf_printf(out, " %s=\"%s\"", v[i].name, v[i].value);
		put_pos(w, v[i].pos, out);
	}
}

static void put_vlans(const struct nctl_want *w, const struct nctl_want_link *l, struct nctl_strbuf *out)
{
	nctl_strbuf_puts(out, " vlans=[");
	for (uint32_t i = 0; l->vlans && i < l->vlans->n; i++) {
		const struct nctl_vlan_range *v = &l->vlans->v[i];

		nctl_strbuf_printf(out, "%s%u", i ? ", " : "", v->first);
		if (v->last != v->first)
			nctl_strbuf_printf(out, "-%u", v->last);
		nctl_strbuf_puts(out, v->flags & NCTL_VLAN_PVID ? " pvid" : "");
		nctl_strbuf_puts(out, v->flags & NCTL_VLAN_UNTAGGED ? " untagged" : "");
	}
	nctl_strbuf_putc(out, ']');
	put_pos(w, l->vlans_pos, out);
}

static void put_ethtool(const struct nctl_want *w, const struct nctl_want_ethtool *e, struct nctl_strbuf *out)
{
	for (unsigned g = 0; g < NCTL_ETHTOOL_N_GROUPS; g++) {
		const struct nctl_switches *s = g < NCTL_ETHTOOL_N_SWITCHES ? &e->v.switches[g] : NULL;
		const struct nctl_ethtool_group_info *info = &nctl_ethtool_groups[g];
		const struct nctl_field_table t = {nctl_ethtool_fields.v + info->first, info->n};

		if (!nctl_ethtool_has_group(&e->v, g))
			continue;
		nctl_strbuf_printf(out, " %s:", nctl_ethtool_group_name(g));
		for (size_t i = 0; s && i < s->n; i++)
			nctl_strbuf_printf(out, " %c%s", s->v[i].on ? '+' : '-', s->v[i].name);
		if (!s)
			put_fields("", &t, &e->v, (e->v.has & nctl_ethtool_group_mask(g)) >> info->first, out);
		nctl_strbuf_putc(out, ' ');
		put_pos(w, e->pos[g], out);
	}
}

/* Secrets by their first byte: enough to tell them apart. */
static void put_wg(const struct nctl_want *w, const struct nctl_want_wg *wg, struct nctl_strbuf *out)
{
	char buf[NCTL_PREFIX_STR], addr[NCTL_ADDR_STR];

	nctl_strbuf_printf(out, " wireguard private=%02x..", wg->v.private_key[0]);
	if (wg->v.has & NCTL_WG_PORT)
		nctl_strbuf_printf(out, " port=%u", wg->v.port);
	if (wg->v.has & NCTL_WG_MARK)
		nctl_strbuf_printf(out, " mark=%u", wg->v.mark);
	for (size_t i = 0; i < wg->v.n_peers; i++) {
		const struct nctl_wg_peer *p = &wg->v.peers[i];

		nctl_strbuf_printf(out, " peer=%02x..", p->public_key[0]);
		if (!nctl_wg_key_is_none(p->shared_key))
			nctl_strbuf_printf(out, ",shared=%02x..", p->shared_key[0]);
		if (p->endpoint.family)
			nctl_strbuf_printf(out, ",at=%s port %u", nctl_addr_format(&p->endpoint, addr), p->endpoint_port);
		if (p->keepalive)
			nctl_strbuf_printf(out, ",keepalive=%u", p->keepalive);
		for (size_t k = 0; k < p->n_allowed; k++)
			nctl_strbuf_printf(out, ",%s", nctl_prefix_format(&p->allowed[k], buf));
	}
	for (const struct nctl_want_key_file *f = w->key_files; f; f = f->next) {
		if (f->key == wg->v.private_key)
			nctl_strbuf_printf(out, " private-key-in=%s", f->path);
		for (size_t i = 0; i < wg->v.n_peers; i++)
			if (f->key == wg->v.peers[i].shared_key)
				nctl_strbuf_printf(out, " shared-key-of-%02x-in=%s", wg->v.peers[i].public_key[0], f->path);
	}
}

static const char *admin_name(enum nctl_want_admin admin)
{
	switch (admin) {
	case NCTL_WANT_UP:
		return "up";
	case NCTL_WANT_DOWN:
		return "down";
	case NCTL_WANT_MANUAL:
		return "manual";
	}
	return "?";
}

static void put_match(const struct nctl_want *w, const struct nctl_want_match *m, struct nctl_strbuf *out)
{
	char buf[NCTL_LLADDR_STR];
	size_t i;

	nctl_strbuf_printf(out, " match(%s", m->name ? m->name : "");
	if (m->address.len)
		nctl_strbuf_printf(out, " %s", nctl_lladdr_format(&m->address, buf));
	for (i = 0; i < m->n_drivers; i++)
		nctl_strbuf_printf(out, " driver=%s", m->drivers[i]);
	nctl_strbuf_putc(out, ')');
	if (m->set_name) {
		nctl_strbuf_printf(out, " set-name=%s", m->set_name);
		put_pos(w, m->set_name_pos, out);
	}
}

static void put_link(const struct nctl_want *w, const struct nctl_want_link *l, struct nctl_strbuf *out)
{
	const struct nctl_want_port_ref *ref;
	size_t i;

	if (l->netns->name)
		put_netns(l->netns, out);
	nctl_strbuf_printf(out, "%s %s", l->v.name, l->v.kind->name);
	put_pos(w, l->pos, out);
	if (strcmp(l->def->label, l->v.name))
		nctl_strbuf_printf(out, " of %s", l->def->label);
	if (l->match)
		put_match(w, l->match, out);
	nctl_strbuf_printf(out, " %s%s", admin_name(l->admin), l->optional ? " optional" : "");
	if (l->report)
		nctl_strbuf_puts(out, " report");
	put_fields("", &nctl_link_fields, &l->v, l->v.has, out);
	put_fields("", &l->v.kind->data, l->v.data, l->v.data_has, out);
	for (ref = l->port_refs; ref; ref = ref->next)
		put_ref(w, l->netns, l->v.kind->data.v[ref->field].key, &ref->port, out);
	put_ref(w, l->netns, "lower", &l->lower, out);
	put_ref(w, l->netns, "master", &l->master, out);
	put_ref(w, l->netns, "peer", &l->peer, out);
	if (l->v.port_kind)
		put_fields("port.", &l->v.port_kind->port, l->v.port, l->v.port_has, out);
	if (l->has_vlans)
		put_vlans(w, l, out);
	for (i = 0; i < l->n_addrs; i++)
		put_addr(w, &l->addrs[i], out);
	put_sysctls(w, l->sysctls, l->n_sysctls, out);
	if (l->wg)
		put_wg(w, l->wg, out);
	if (l->ethtool)
		put_ethtool(w, l->ethtool, out);
	nctl_strbuf_putc(out, '\n');
}

static void put_def(const struct nctl_want_def *d, struct nctl_strbuf *out)
{
	if (!d->kind) {
		nctl_strbuf_printf(out, "%s: namespaces\n", d->label);
		return;
	}
	if (d->netns_def)
		nctl_strbuf_printf(out, "%s:", d->netns_def->label);
	nctl_strbuf_printf(out, "%s: %zu %s\n", d->label, d->n_links, d->kind->name);
}

static void put_namespace(const struct nctl_want *w, const struct nctl_want_netns *n, struct nctl_strbuf *out)
{
	nctl_strbuf_printf(out, "%s: namespace", n->name);
	put_pos(w, n->pos, out);
	if (strcmp(n->def->label, n->name))
		nctl_strbuf_printf(out, " of %s", n->def->label);
	put_sysctls(w, n->sysctls, n->n_sysctls, out);
	nctl_strbuf_putc(out, '\n');
}

static void put_want(const struct nctl_want *w, struct nctl_strbuf *out)
{
	size_t i;

	for (i = 0; i < w->n_defs; i++)
		put_def(w->defs[i], out);
	if (w->netns_pool)
		nctl_strbuf_printf(out, "%llu namespaces kept ready\n", (unsigned long long)w->netns_pool);
	if (w->netns[0]->n_sysctls) {
		nctl_strbuf_puts(out, "here:");
		put_sysctls(w, w->netns[0]->sysctls, w->netns[0]->n_sysctls, out);
		nctl_strbuf_putc(out, '\n');
	}
	for (i = 1; i < w->n_netns; i++)
		put_namespace(w, w->netns[i], out);
	for (i = 0; i < w->n_links; i++)
		put_link(w, w->links[i], out);
	put_routing(w, out);
}

int main(int argc, char **argv)
{
	struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	struct nd_diagnostics diag = ND_DIAGNOSTICS_INIT;
	struct nctl_strbuf out = NCTL_STRBUF_INIT;
	struct nctl_want *want = NULL;
	bool timing = argc > 1 && !strcmp(argv[1], "-t");
	nctl_time start = nctl_time_now();
	int skip = timing ? 2 : 1, r, q;

	r = nd_config_read_paths((const char *const *)argv + skip, (size_t)(argc - skip), &texts, &diag);
	q = r < 0 ? r : nd_config_parse(&texts, &diag, &want);
	nd_diagnostics_print(&diag, &out);
	if (timing && want)
		nctl_strbuf_printf(&out, "%zu devices in %lld us\n", want->n_links,
			(long long)nctl_time_diff_us(nctl_time_now(), start));
	else if (want && r == 0)
		put_want(want, &out);
	fputs(nctl_strbuf_str(&out), stdout);
	if (q < 0)
		fprintf(stderr, "config_dump: %s\n", strerror(-q));
	nctl_want_free(want);
	nd_diagnostics_fini(&diag);
	nd_config_texts_fini(&texts);
	nctl_strbuf_fini(&out);
	return r || q ? 2 : 0;
}
