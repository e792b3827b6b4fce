/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: Batch: a text of lines, which the reconciler carries out. */
#include <string.h>

#include "base/cleanup.h"
#include "bus/apply.h"
#include "config/config.h"

static int read_how(sd_bus_message *m, struct nd_batch_how *how, sd_bus_error *error)
{
	const char *key, *value;
	int r = sd_bus_message_read(m, "u", &how->flags);

	if (r >= 0 && how->flags & ~(unsigned)ND_BATCH_FORCE)
		return sd_bus_error_setf(
			error, ND_BUS_ERROR "InvalidFlags", "Unknown flags 0x%x.", how->flags);
	if (r >= 0)
		r = sd_bus_message_enter_container(m, 'a', "{ss}");
	while (r >= 0 && (r = sd_bus_message_read(m, "{ss}", &key, &value)) > 0) {
		if (strcmp(key, "netns") || strlen(value) >= sizeof(how->netns))
			return sd_bus_error_setf(error, ND_BUS_ERROR "InvalidOption",
				"There is no option %.64s of that value.", key);
		strcpy(how->netns, value);
	}
	return r < 0 ? r : sd_bus_message_exit_container(m);
}

int nd_method_batch(sd_bus_message *m, void *userdata, sd_bus_error *error)
{
	_cleanup_(nd_config_texts_fini) struct nd_config_texts texts = ND_CONFIG_TEXTS_INIT;
	struct nd_client *c = userdata;
	struct nd_batch_how how = {0};
	struct nd_call *call;
	int r;

	r = nd_read_change(c, m, &texts, error);
	if (r != 0)
		return r;
	r = read_how(m, &how, error);
	if (r >= 0 && texts.n != 1)
		r = sd_bus_error_set(error, ND_BUS_ERROR "NoFiles", "Batch wants one file.");
	if (r >= 0)
		r = nd_call_new(c, m, error, &call);
	if (r < 0)
		return r;
	r = nd_reconcile_batch(c->bus->reconcile, &texts.v[0], &how, nd_call_finished, call);
	if (r >= 0)
		return 1;
	nd_call_free(call);
	return nd_explain(r, error);
}
