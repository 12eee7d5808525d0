/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "optionspec.h"

#include <gst/gst.h>
#include "engine/kernel/printable.h"
#include "engine/number.h"

#define MAX_BYTES 120
#define MAX_DEPTH 4 /* maximum depth of nested arrays; a matrix has 2 */

/* --- specifications --- */

/* Accepts every number, so that GObject passes the original value to the setter. */
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

static GParamSpec *
new_number_spec(const CcOption *self, const gchar *blurb, GParamFlags flags) {
  static gsize int_type = 0, double_type = 0;
  const gboolean whole = self->type == CC_OPTION_INT;
  gsize *type = whole ? &int_type : &double_type;
  if (g_once_init_enter(type))
    g_once_init_leave(type, derive(whole ? G_TYPE_PARAM_INT : G_TYPE_PARAM_DOUBLE,
                                   whole ? "GstCudaConvParamInt" : "GstCudaConvParamDouble"));
  GParamSpec *spec = g_param_spec_internal(*type, self->name, self->nick, blurb, flags);
  if (whole) {
    G_PARAM_SPEC_INT(spec)->minimum = (gint)self->min;
    G_PARAM_SPEC_INT(spec)->maximum = (gint)self->max;
    G_PARAM_SPEC_INT(spec)->default_value = (gint)self->fallback;
  } else {
    G_PARAM_SPEC_DOUBLE(spec)->minimum = self->min;
    G_PARAM_SPEC_DOUBLE(spec)->maximum = self->max;
    G_PARAM_SPEC_DOUBLE(spec)->default_value = self->fallback;
  }
  return spec;
}

/* "GstCudaConvChromaKernel" for chroma-kernel. */
static gchar *
make_type_name(const CcOption *self) {
  GString *name = g_string_new("GstCudaConv");
  for (const gchar *c = self->name; *c; c++)
    if (*c != '-')
      g_string_append_c(name, c == self->name || c[-1] == '-' ? g_ascii_toupper(*c) : *c);
  return g_string_free(name, FALSE);
}

/* The values are never freed, because GObject keeps types forever. */
static GType
get_enum_type(const CcOption *self) {
  g_autofree gchar *name = make_type_name(self);
  GType type = g_type_from_name(name);
  if (type)
    return type;
  const CcChoice *choices = self->choices(self);
  guint n = 0;
  while (choices[n].name)
    n++;
  GEnumValue *values = g_new0(GEnumValue, n + 1);
  for (guint i = 0; i < n; i++)
    values[i] = (GEnumValue){choices[i].value, choices[i].text, choices[i].name};
  type = g_enum_register_static(g_intern_string(name), values);
  gst_type_mark_as_plugin_api(type, 0);
  return type;
}

GParamSpec *
cc_option_new_spec(const CcOption *self, GParamFlags flags) {
  const gchar *name = self->name, *nick = self->nick;
  g_autofree gchar *with_unit =
      self->unit ? g_strdup_printf("%s; unit: %s", self->text, self->unit) : NULL;
  const gchar *blurb = with_unit ? g_intern_string(with_unit) : self->text;
  flags |= G_PARAM_STATIC_STRINGS;
  switch (self->type) {
  case CC_OPTION_INT:
  case CC_OPTION_DOUBLE:
    return new_number_spec(self, blurb, flags);
  case CC_OPTION_BOOLEAN:
    return g_param_spec_boolean(name, nick, blurb, self->fallback != 0, flags);
  case CC_OPTION_COLOR:
    return g_param_spec_uint(name, nick, blurb, 0, G_MAXUINT32, (guint)self->fallback, flags);
  case CC_OPTION_CHOICE:
    return g_param_spec_enum(name, nick, blurb, get_enum_type(self), cc_option_default(self).whole,
                             flags);
  case CC_OPTION_COEFFICIENTS:
  case CC_OPTION_TUPLES:
    return gst_param_spec_array(name, nick, blurb, NULL, flags);
  case CC_OPTION_TEXT:
    return g_param_spec_string(name, nick, blurb, NULL, flags);
  }
  g_return_val_if_reached(NULL);
}

/* --- values as text --- */

static gboolean
is_full(const GString *text) {
  return text->len > MAX_BYTES;
}

static void
append_string(GString *text, const gchar *string) {
  g_autofree gchar *start = g_strndup(string, MAX_BYTES + 1);
  g_autofree gchar *printable = cc_printable(start);
  g_string_append(text, printable);
}

static gboolean
is_short(const GValue *value) {
  return G_VALUE_HOLDS_INT(value) || G_VALUE_HOLDS_UINT(value) || G_VALUE_HOLDS_INT64(value) ||
         G_VALUE_HOLDS_UINT64(value) || G_VALUE_HOLDS_FLOAT(value) || G_VALUE_HOLDS_DOUBLE(value) ||
         G_VALUE_HOLDS_BOOLEAN(value) || G_VALUE_HOLDS_ENUM(value) ||
         GST_VALUE_HOLDS_FRACTION(value);
}

static void
append_value(GString *text, const GValue *value, guint depth) {
  if (is_short(value)) {
    g_autofree gchar *one = gst_value_serialize(value);
    g_string_append(text, one ? one : "?");
  } else if (G_VALUE_HOLDS_STRING(value)) {
    append_string(text, g_value_get_string(value) ? g_value_get_string(value) : "");
  } else if (!GST_VALUE_HOLDS_ARRAY(value)) {
    g_string_append_printf(text, "(%s)", G_VALUE_TYPE_NAME(value));
  } else if (depth == MAX_DEPTH) {
    g_string_append(text, "<...>");
  } else {
    g_string_append_c(text, '<');
    for (guint i = 0; i < gst_value_array_get_size(value) && !is_full(text); i++) {
      g_string_append(text, i > 0 ? ", " : "");
      append_value(text, gst_value_array_get_value(value, i), depth + 1);
    }
    g_string_append_c(text, '>');
  }
}

gchar *
cc_value_describe(const GValue *value) {
  g_autoptr(GString) text = g_string_new(NULL);
  if (G_VALUE_HOLDS_STRING(value))
    return cc_quote(g_value_get_string(value) ? g_value_get_string(value) : "");
  append_value(text, value, 0);
  return cc_shorten(text->str, MAX_BYTES);
}

/* --- values --- */

/* An entry is read only if its type is a single number or a text, so that no large value is
 * converted. */
static gboolean
append_array(CcCoefficients *to, const GValue *array, GError **error) {
  for (guint i = 0; i < gst_value_array_get_size(array); i++) {
    const GValue *entry = gst_value_array_get_value(array, i);
    g_auto(GValue) converted = G_VALUE_INIT;
    gdouble number = 0;
    gboolean ok = FALSE;
    g_value_init(&converted, G_TYPE_DOUBLE);
    if (to->n == CC_MAX_COEFFS) {
      ok = TRUE; /* the append function reports the error */
    } else if (G_VALUE_HOLDS_STRING(entry)) {
      const gchar *text = g_value_get_string(entry);
      ok = text && cc_number_parse(text, NULL, &number);
    } else if (!G_VALUE_HOLDS_BOOLEAN(entry) && !G_VALUE_HOLDS_CHAR(entry) &&
               g_value_transform(entry, &converted)) {
      /* Refuses entries that cannot be serialized, because get_property parses the serialized text.
       */
      g_autofree gchar *serialized = gst_value_serialize(entry);
      number = g_value_get_double(&converted);
      ok = serialized != NULL;
    }
    if (!ok) {
      g_autofree gchar *text = cc_value_describe(entry);
      cc_coefficients_refuse(to, text, "", error);
      return FALSE;
    }
    if (!cc_coefficients_append(to, number, error))
      return FALSE;
  }
  return TRUE;
}

/* The array is a flat list of numbers or an array of rows. */
static gboolean
read_array(const CcOption *self, CcCoefficients *to, const GValue *array, GError **error) {
  const guint n = gst_value_array_get_size(array);
  *to = (CcCoefficients){0};
  if (self->max < CC_MAX_COEFFS && n > self->max)
    return cc_coefficients_refuse_length(self->name, n, error);
  if (n == 0 || self->max < CC_MAX_COEFFS ||
      !GST_VALUE_HOLDS_ARRAY(gst_value_array_get_value(array, 0)))
    return append_array(to, array, error);
  for (guint i = 0; i < n; i++) {
    const GValue *row = gst_value_array_get_value(array, i);
    if (!GST_VALUE_HOLDS_ARRAY(row) || gst_value_array_get_size(row) == 0) {
      g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                  "entry %u is not a row of coefficients; write <<1,2,1>,<2,4,2>,<1,2,1>>", i + 1);
      return FALSE;
    }
    if (!append_array(to, row, error) || !cc_coefficients_end_row(to, error))
      return FALSE;
  }
  return TRUE;
}

/* Reads a whole number, which may also be a text. */
static gboolean
read_whole(const GValue *entry, gint *number) {
  gint64 value;
  if (G_VALUE_HOLDS_STRING(entry)) {
    const gchar *text = g_value_get_string(entry);
    return text && cc_integer_parse(text, number);
  }
  if (G_VALUE_HOLDS_INT(entry))
    value = g_value_get_int(entry);
  else if (G_VALUE_HOLDS_UINT(entry))
    value = g_value_get_uint(entry);
  else if (G_VALUE_HOLDS_INT64(entry))
    value = g_value_get_int64(entry);
  else
    return FALSE;
  *number = (gint)CLAMP(value, G_MININT, G_MAXINT);
  return *number == value;
}

static gboolean
append_tuple(CcTuples *to, guint size, const GValue *array, GError **error) {
  const guint n = gst_value_array_get_size(array);
  if (n != size)
    return cc_tuples_refuse_length(size, n, error);
  for (guint i = 0; i < n; i++) {
    const GValue *entry = gst_value_array_get_value(array, i);
    gint number;
    if (!read_whole(entry, &number)) {
      g_autofree gchar *what = cc_value_describe(entry);
      return cc_tuples_refuse(size, what, error);
    }
    if (!cc_tuples_append(to, size, i, number, error))
      return FALSE;
  }
  return TRUE;
}

/* The array is a tuple, an array of tuples, or empty. */
static gboolean
read_tuples(const CcOption *self, CcTuples *to, const GValue *array, GError **error) {
  const guint size = (guint)self->max, n = gst_value_array_get_size(array);
  const gboolean nested = n > 0 && GST_VALUE_HOLDS_ARRAY(gst_value_array_get_value(array, 0));
  *to = (CcTuples){0};
  if (!nested)
    return n == 0 || append_tuple(to, size, array, error);
  for (guint i = 0; i < n; i++) {
    const GValue *entry = gst_value_array_get_value(array, i);
    if (!GST_VALUE_HOLDS_ARRAY(entry)) {
      g_autofree gchar *what = cc_value_describe(entry);
      return cc_tuples_refuse(size, what, error);
    }
    if (!append_tuple(to, size, entry, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
cc_option_read(const CcOption *self, const GValue *from, CcOptionValue *value,
               CcCoefficients *coefficients, GError **error) {
  *value = (CcOptionValue){.coefficients = coefficients};
  switch (self->type) {
  case CC_OPTION_INT:
    value->whole = g_value_get_int(from);
    break;
  case CC_OPTION_DOUBLE:
    value->number = g_value_get_double(from);
    break;
  case CC_OPTION_BOOLEAN:
    value->whole = g_value_get_boolean(from);
    break;
  case CC_OPTION_COLOR:
    value->color = g_value_get_uint(from);
    break;
  case CC_OPTION_CHOICE:
    value->whole = g_value_get_enum(from);
    break;
  case CC_OPTION_COEFFICIENTS:
    if (!read_array(self, coefficients, from, error))
      return FALSE;
    value->text = gst_value_serialize(from);
    break;
  case CC_OPTION_TUPLES:
    return read_tuples(self, &value->tuples, from, error);
  case CC_OPTION_TEXT:
    value->text = g_value_get_string(from);
    break;
  }
  return TRUE;
}

void
cc_option_write(const CcOption *self, const CcOptionValue *value, GValue *to) {
  switch (self->type) {
  case CC_OPTION_INT:
    g_value_set_int(to, value->whole);
    break;
  case CC_OPTION_DOUBLE:
    g_value_set_double(to, value->number);
    break;
  case CC_OPTION_BOOLEAN:
    g_value_set_boolean(to, value->whole);
    break;
  case CC_OPTION_COLOR:
    g_value_set_uint(to, value->color);
    break;
  case CC_OPTION_CHOICE:
    g_value_set_enum(to, value->whole);
    break;
  case CC_OPTION_COEFFICIENTS:
    if (value->text)
      gst_value_deserialize(to, value->text);
    else
      g_value_reset(to);
    break;
  case CC_OPTION_TUPLES: {
    g_autofree gchar *text = cc_tuples_to_text(&value->tuples, (guint)self->max);
    gst_value_deserialize(to, text);
    break;
  }
  case CC_OPTION_TEXT:
    g_value_set_string(to, value->text);
    break;
  }
}
