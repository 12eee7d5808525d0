/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Specifications of properties that are numbers. They tell their range as g_param_spec_int and
 * g_param_spec_double do, but GObject hands on a number outside of it, in place of dropping it with
 * a warning that no application sees: the element refuses it as it refuses other values. */

#include <glib-object.h>

G_BEGIN_DECLS

GParamSpec *cc_number_spec_int(const gchar *name, const gchar *nick, const gchar *blurb, gint min,
                               gint max, gint fallback, GParamFlags flags);
GParamSpec *cc_number_spec_double(const gchar *name, const gchar *nick, const gchar *blurb,
                                  gdouble min, gdouble max, gdouble fallback, GParamFlags flags);

G_END_DECLS
