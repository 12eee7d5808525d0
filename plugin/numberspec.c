/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numberspec.h"

/* GObject sets what this has changed nothing of. */
static gboolean
change_nothing(GParamSpec *spec, GValue *value) {
  return FALSE;
}

static void
init_class(gpointer klass, gpointer data) {
  ((GParamSpecClass *)klass)->value_validate = change_nothing;
}

static GType
derive(GType parent, const gchar *name) {
  GTypeQuery query;
  g_type_query(parent, &query);
  const GTypeInfo info = {.class_size = (guint16)query.class_size,
                          .class_init = init_class,
                          .instance_size = (guint16)query.instance_size};
  return g_type_register_static(parent, name, &info, 0);
}

GParamSpec *
cc_number_spec_int(const gchar *name, const gchar *nick, const gchar *blurb, gint min, gint max,
                   gint fallback, GParamFlags flags) {
  static gsize type = 0;
  if (g_once_init_enter(&type))
    g_once_init_leave(&type, derive(G_TYPE_PARAM_INT, "GstCudaConvParamInt"));
  GParamSpecInt *spec = g_param_spec_internal(type, name, nick, blurb, flags);
  spec->minimum = min;
  spec->maximum = max;
  spec->default_value = fallback;
  return G_PARAM_SPEC(spec);
}

GParamSpec *
cc_number_spec_double(const gchar *name, const gchar *nick, const gchar *blurb, gdouble min,
                      gdouble max, gdouble fallback, GParamFlags flags) {
  static gsize type = 0;
  if (g_once_init_enter(&type))
    g_once_init_leave(&type, derive(G_TYPE_PARAM_DOUBLE, "GstCudaConvParamDouble"));
  GParamSpecDouble *spec = g_param_spec_internal(type, name, nick, blurb, flags);
  spec->minimum = min;
  spec->maximum = max;
  spec->default_value = fallback;
  return G_PARAM_SPEC(spec);
}
