/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "values.h"

#include <float.h>
#include <math.h>

#define MAX_LENGTH 20   /* of one array: more than a side of a matrix */
#define MAX_VALUES 1024 /* of one input, including copies and wrappers */
#define MAX_DEPTH 16    /* of values that are read one inside the other */
#define MAX_WRAPS 512   /* of one operation; GStreamer copies and frees values recursively */

typedef struct {
  FuzzBytes *bytes;
  guint depth, n_values;
} Maker;

static void take_value(Maker *self, GValue *value);

/* --- values that hold other values --- */

typedef enum {
  HOLDER_ARRAY,
  HOLDER_LIST,
  HOLDER_STRUCTURE,
  HOLDER_CAPS,
  N_HOLDERS,
} Holder;

/* Makes an array or list with n entries. GStreamer's parser makes arrays of mixed types, but its
 * functions refuse to append such entries. The entries are therefore numbers, which entry_of()
 * replaces. */
static void
init_array(GValue *value, gboolean list, guint n) {
  g_value_init(value, list ? GST_TYPE_LIST : GST_TYPE_ARRAY);
  for (guint i = 0; i < n; i++) {
    GValue entry = G_VALUE_INIT;
    g_value_init(&entry, G_TYPE_INT);
    if (list)
      gst_value_list_append_and_take_value(value, &entry);
    else
      gst_value_array_append_and_take_value(value, &entry);
  }
}

/* The place for an entry of such an array. The old entry is cleared. */
static GValue *
entry_of(GValue *value, guint i) {
  GValue *entry = (GValue *)(GST_VALUE_HOLDS_LIST(value) ? gst_value_list_get_value(value, i)
                                                         : gst_value_array_get_value(value, i));
  g_value_unset(entry);
  return entry;
}

/* Puts the value into an array, list, structure or caps. */
static void
wrap(GValue *value, Holder holder) {
  GValue outer = G_VALUE_INIT;
  GstStructure *structure;
  if (holder == HOLDER_ARRAY || holder == HOLDER_LIST) {
    init_array(&outer, holder == HOLDER_LIST, 1);
    *entry_of(&outer, 0) = *value;
  } else {
    structure = gst_structure_new_empty("s");
    gst_structure_take_value(structure, "f", value);
    if (holder == HOLDER_CAPS) {
      g_value_init(&outer, GST_TYPE_CAPS);
      g_value_take_boxed(&outer, gst_caps_new_full(structure, NULL));
    } else {
      g_value_init(&outer, GST_TYPE_STRUCTURE);
      g_value_take_boxed(&outer, structure);
    }
  }
  *value = outer;
}

static void
take_wrapped(Maker *self, GValue *value) {
  const Holder holder = fuzz_take_byte(self->bytes) % N_HOLDERS;
  const guint n = (guint)fuzz_take_uint(self->bytes, 2) % (MAX_WRAPS + 1);
  take_value(self, value);
  for (guint i = 0; i < n; i++)
    wrap(value, holder);
  self->n_values += n;
}

static void
take_array(Maker *self, GValue *value, gboolean list) {
  const guint n = fuzz_take_byte(self->bytes) % (MAX_LENGTH + 1);
  init_array(value, list, n);
  for (guint i = 0; i < n; i++)
    take_value(self, entry_of(value, i));
}

/* An array of equal entries: a whole row from a few bytes. */
static void
take_row(Maker *self, GValue *value) {
  g_auto(GValue) one = G_VALUE_INIT;
  const guint before = self->n_values, wanted = fuzz_take_byte(self->bytes) % (MAX_LENGTH + 1);
  take_value(self, &one);
  const guint values_of_one = self->n_values - before;
  const guint n = MIN(wanted, MAX_VALUES / values_of_one);
  init_array(value, FALSE, n);
  for (guint i = 0; i < n; i++) {
    GValue *entry = entry_of(value, i);
    g_value_init(entry, G_VALUE_TYPE(&one));
    g_value_copy(&one, entry);
  }
  self->n_values += n * values_of_one;
}

/* --- other values --- */

static void
take_int(Maker *self, GValue *value, guint n_bytes) {
  g_value_init(value, G_TYPE_INT);
  g_value_set_int(value, (gint)fuzz_take_int(self->bytes, n_bytes));
}

static void
take_double(Maker *self, GValue *value) {
  static const gdouble edges[] = {0.5,       -0.0,  1e8,     -1e8,    100000001,
                                  1e-8,      1e300, DBL_MAX, DBL_MIN, INFINITY,
                                  -INFINITY, NAN,   1.0 / 3, 1e6,     4294967296};
  const guint edge = fuzz_take_byte(self->bytes);
  g_value_init(value, G_TYPE_DOUBLE);
  g_value_set_double(value,
                     edge < G_N_ELEMENTS(edges) ? edges[edge] : fuzz_take_double(self->bytes));
}

/* A text from the bytes, a long text, or NULL. */
static void
take_string(Maker *self, GValue *value) {
  g_value_init(value, G_TYPE_STRING);
  const guint length = fuzz_take_byte(self->bytes);
  if (length < 128)
    g_value_take_string(value, fuzz_take_string(self->bytes, length));
  else if (length < 192)
    g_value_take_string(
        value, g_strnfill((length - 128) * 64, (gchar)MAX(fuzz_take_byte(self->bytes), 1)));
}

static void
take_fraction(Maker *self, GValue *value) {
  const gint numerator = (gint)fuzz_take_number(self->bytes, 1, 9);
  const gint denominator = (gint)fuzz_take_number(self->bytes, 1, 9);
  g_value_init(value, GST_TYPE_FRACTION);
  gst_value_set_fraction(value, MAX(numerator, -G_MAXINT),
                         denominator ? MAX(denominator, -G_MAXINT) : 1);
}

/* Numbers of other types. */
static void
take_converted(Maker *self, GValue *value) {
  const GType types[] = {G_TYPE_BOOLEAN, G_TYPE_CHAR,  G_TYPE_UCHAR,  G_TYPE_UINT, G_TYPE_LONG,
                         G_TYPE_ULONG,   G_TYPE_INT64, G_TYPE_UINT64, G_TYPE_FLOAT};
  g_auto(GValue) number = G_VALUE_INIT;
  g_value_init(value, types[fuzz_take_byte(self->bytes) % G_N_ELEMENTS(types)]);
  g_value_init(&number, G_TYPE_INT64);
  g_value_set_int64(&number, fuzz_take_int(self->bytes, 8));
  g_value_transform(&number, value);
}

/* A type without a value. */
static void
take_unset(Maker *self, GValue *value) {
  const GType types[] = {
      G_TYPE_STRING,     GST_TYPE_STRUCTURE,  GST_TYPE_CAPS,         G_TYPE_OBJECT,
      G_TYPE_POINTER,    GST_TYPE_BUFFER,     GST_TYPE_INT_RANGE,    GST_TYPE_INT64_RANGE,
      GST_TYPE_FRACTION, GST_TYPE_BITMASK,    GST_TYPE_DOUBLE_RANGE, GST_TYPE_FRACTION_RANGE,
      G_TYPE_DATE,       GST_TYPE_DATE_TIME,  GST_TYPE_FLAG_SET,     G_TYPE_GTYPE,
      G_TYPE_PARAM,      GST_TYPE_TAG_LIST,   G_TYPE_STRV,           G_TYPE_BYTES,
      GST_TYPE_STATE,    GST_TYPE_SEEK_FLAGS, GST_TYPE_SAMPLE,       G_TYPE_VARIANT,
      GST_TYPE_ELEMENT,  GST_TYPE_ALLOCATOR,  GST_TYPE_SEGMENT,      G_TYPE_ERROR,
  };
  g_value_init(value, types[fuzz_take_byte(self->bytes) % G_N_ELEMENTS(types)]);
}

static void
take_value(Maker *self, GValue *value) {
  if (++self->n_values > MAX_VALUES || self->depth == MAX_DEPTH) {
    take_int(self, value, 1);
    return;
  }
  self->depth++;
  switch (fuzz_take_byte(self->bytes) % 12) {
  case 1:
    take_int(self, value, 4);
    break;
  case 2:
    take_double(self, value);
    break;
  case 3:
    take_string(self, value);
    break;
  case 4:
    take_fraction(self, value);
    break;
  case 5:
    take_converted(self, value);
    break;
  case 6:
    take_unset(self, value);
    break;
  case 7:
    take_array(self, value, TRUE);
    break;
  case 8:
  case 9:
    take_array(self, value, FALSE);
    break;
  case 10:
    take_row(self, value);
    break;
  case 11:
    take_wrapped(self, value);
    break;
  default:
    take_int(self, value, 1);
  }
  self->depth--;
}

void
fuzz_take_value(FuzzBytes *bytes, GValue *value) {
  Maker maker = {.bytes = bytes};
  take_value(&maker, value);
}

/* --- comparison --- */

static gboolean
same_number(const GValue *a, const GValue *b) {
  g_auto(GValue) x = G_VALUE_INIT, y = G_VALUE_INIT;
  g_value_init(&x, G_TYPE_DOUBLE);
  g_value_init(&y, G_TYPE_DOUBLE);
  return g_value_transform(a, &x) && g_value_transform(b, &y) &&
         g_value_get_double(&x) == g_value_get_double(&y);
}

gboolean
fuzz_same_value(const GValue *a, const GValue *b) {
  if (G_VALUE_TYPE(a) != G_VALUE_TYPE(b))
    return FALSE;
  if (G_VALUE_HOLDS_STRING(a))
    return g_strcmp0(g_value_get_string(a), g_value_get_string(b)) == 0;
  if (!GST_VALUE_HOLDS_ARRAY(a))
    return same_number(a, b);
  gboolean same = gst_value_array_get_size(a) == gst_value_array_get_size(b);
  for (guint i = 0; same && i < gst_value_array_get_size(a); i++)
    same = fuzz_same_value(gst_value_array_get_value(a, i), gst_value_array_get_value(b, i));
  return same;
}

void
fuzz_set_lines(GstElement *element, FuzzBytes *bytes, guint n,
               void (*set)(GstElement *element, const gchar *line)) {
  g_autofree gchar *text = fuzz_take_string(bytes, bytes->size);
  g_auto(GStrv) lines = g_strsplit(text, "\n", (gint)n);
  for (gchar **line = lines; *line; line++)
    if (**line)
      set(element, *line);
}
