/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DOC: macsec (drivers/net/macsec.c macsec_fill_info, IEEE 802.1AE). Its keys are told by generic netlink,
 * not here. */
#include <inttypes.h>
#include <linux/if_link.h>
#include <linux/if_macsec.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "obj/kind.h"

struct macsec_data {
	uint64_t sci, cipher;
	uint32_t window;
	uint8_t icv_len, encoding_sa, encrypt, protect, inc_sci, es, scb, replay_protect, validation, offload;
};

static const struct nctl_name cipher_names[] = {
	{"GCM-AES-128", MACSEC_CIPHER_ID_GCM_AES_128, NULL},
	{"GCM-AES-256", MACSEC_CIPHER_ID_GCM_AES_256, NULL},
	{"GCM-AES-XPN-128", MACSEC_CIPHER_ID_GCM_AES_XPN_128, NULL},
	{"GCM-AES-XPN-256", MACSEC_CIPHER_ID_GCM_AES_XPN_256, NULL},
	{0},
};
static const struct nctl_name validation_names[] = {
	{"disabled", MACSEC_VALIDATE_DISABLED, NULL},
	{"check", MACSEC_VALIDATE_CHECK, NULL},
	{"strict", MACSEC_VALIDATE_STRICT, NULL},
	{0},
};
static const struct nctl_name offload_names[] = {
	{"off", MACSEC_OFFLOAD_OFF, NULL},
	{"phy", MACSEC_OFFLOAD_PHY, NULL},
	{"mac", MACSEC_OFFLOAD_MAC, NULL},
	{0},
};

static void sci_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	char buf[20];

	snprintf(buf, sizeof(buf), "%016" PRIx64, nctl_field_get(f, data));
	nctl_json_str(json, buf);
}

/* The first cipher has an older number as well, which the kernel sends for it. */
static void cipher_print(const struct nctl_field *f, const void *data, struct nctl_json *json)
{
	uint64_t v = nctl_field_get(f, data);
	const struct nctl_name *n = f->names;

	if (v == MACSEC_DEFAULT_CIPHER_ID)
		v = MACSEC_CIPHER_ID_GCM_AES_128;
	while (n->name && n->value != v)
		n++;
	nctl_json_str(json, n->name ? n->name : "(unknown)");
}

static const struct nctl_field_ops cipher_ops = {.print = cipher_print};
static const struct nctl_field_ops sci_ops = {.print = sci_print};

/* clang-format off */
#define M(member_, attr_, json_, type_)                                                                      \
	{.json = json_, NCTL_FIELD(struct macsec_data, member_), .attr = IFLA_MACSEC_##attr_,                \
		.type = NCTL_FIELD_##type_
#define FIXED .change = NCTL_CHANGE_RECREATE

static const struct nctl_field macsec_fields[] = {
	M(sci, SCI, "sci", UINT), .ops = &sci_ops, .flags = NCTL_FIELD_BIG_ENDIAN, FIXED},
	M(protect, PROTECT, "protect", BOOL)},
	M(cipher, CIPHER_SUITE, "cipher_suite", ENUM), .names = cipher_names, .ops = &cipher_ops, .key = "cipher-suite",
		.help = "how frames are encrypted"},
	M(icv_len, ICV_LEN, "icv_len", UINT), FIXED},
	M(encoding_sa, ENCODING_SA, "encoding_sa", UINT), .max = 3},
	M(validation, VALIDATION, "validation", ENUM), .names = validation_names, .key = "validate",
		.help = "what happens to frames that are not as they should be"},
	M(offload, OFFLOAD, "offload", ENUM), .names = offload_names},
	M(encrypt, ENCRYPT, "encrypt", BOOL), .key = "encrypt", .help = "whether frames are encrypted"},
	M(inc_sci, INC_SCI, "inc_sci", BOOL)},
	M(es, ES, "es", BOOL)},
	M(scb, SCB, "scb", BOOL)},
	M(replay_protect, REPLAY_PROTECT, "replay_protect", BOOL), .key = "replay-protect",
		.help = "whether frames that come again are dropped"},
	M(window, WINDOW, "window", UINT)},
};
/* clang-format on */

const struct nctl_kind nctl_kind_macsec = {
	.name = "macsec",
	.lower_key = "link",
	.help = "links whose frames are protected on another link",
	.traits = NCTL_KIND_LOWER_REQUIRED | NCTL_KIND_MULTICAST_TO_LOWER,
	.data_size = sizeof(struct macsec_data),
	.data = {macsec_fields, NCTL_ARRAY_SIZE(macsec_fields)},
};
