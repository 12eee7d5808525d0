/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define MELODY_RATE 48000
#define MELODY_CHANNELS 2

/* Returns a quiet melody of `seconds` seconds: 16-bit samples, two interleaved channels. Free with
 * g_free. */
gint16 *melody_new(gdouble seconds, gsize *n_bytes);

G_END_DECLS
