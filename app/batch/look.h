/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A look at a film before it is made in pieces. */

#include <gst/pbutils/pbutils.h>

G_BEGIN_DECLS

/* The length of a film that can be read from other places than its start. */
gboolean look_at_film(GstDiscoverer *discoverer, const gchar *path, GstClockTime *length,
                      GError **error);

/* Reads the film up to a time in its first seconds, once from the start and once from shortly
 * before that time. FALSE when that does not give the same frame, as with containers whose times
 * are estimates. */
gboolean look_into_film(const gchar *path, GstClockTime length, GError **error);

G_END_DECLS
