/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/oracle_samples.h"

static guint
load_word(const guint8 *row, guint index, CcSampleType type) {
  if (type == CC_SAMPLE_U8)
    return row[index];
  return row[2 * index] | (guint)row[2 * index + 1] << 8;
}

static void
store_word(guint8 *row, guint index, CcSampleType type, guint word) {
  if (type == CC_SAMPLE_U8) {
    row[index] = (guint8)word;
  } else {
    row[2 * index] = (guint8)word;
    row[2 * index + 1] = (guint8)(word >> 8);
  }
}

gboolean
oracle_find_role(const CcFrameLayout *layout, CcRole role, Offset *offset) {
  for (guint p = 0; p < layout->n_planes; p++)
    for (guint c = 0; c < layout->plane[p].step; c++)
      if (layout->plane[p].role[c] == role) {
        *offset = (Offset){p, c, layout->plane[p].has_macropixels && role == CC_ROLE_LUMA};
        return TRUE;
      }
  return FALSE;
}

Field
oracle_field_new(const CcRect *rect) {
  return (Field){rect->width, rect->height, g_new(guint, (gsize)rect->width * rect->height)};
}

static guint
index_at(const CcPlaneLayout *layout, const Offset *offset, guint x) {
  if (offset->two)
    return x / 2 * layout->step + x % 2 * 2 + offset->first;
  return x * layout->step + offset->first;
}

static guint
word_at(const Kind *kind, const CcFrame *frame, guint i, guint x, guint y) {
  const CcPlane *plane = &frame->plane[kind->offset[i].plane];
  return load_word(plane->data + (gssize)y * plane->pitch,
                   index_at(kind->layout, &kind->offset[i], x), kind->layout->type);
}

static guint
luma_word_at(const Kind *kind, const CcFrame *frame, guint x, guint y) {
  guint shift = kind->layout->shift;
  gint64 red = word_at(kind, frame, 0, x, y) >> shift;
  gint64 green = word_at(kind, frame, 1, x, y) >> shift;
  gint64 blue = word_at(kind, frame, 2, x, y) >> shift;
  return (guint)((13933 * red + 46871 * green + 4732 * blue + 32768) / 65536) << shift;
}

Field
oracle_read_field(const Kind *kind, const CcFrame *frame, const CcRect *rect) {
  Field field = oracle_field_new(rect);
  guint *to = field.word;
  for (guint y = rect->y; y < rect->y + rect->height; y++)
    for (guint x = rect->x; x < rect->x + rect->width; x++)
      *to++ =
          kind->n_offsets == 3 ? luma_word_at(kind, frame, x, y) : word_at(kind, frame, 0, x, y);
  return field;
}

static void
write_sample(const Kind *kind, const CcFrame *frame, guint x, guint y, guint word) {
  for (guint i = 0; i < kind->n_offsets; i++) {
    const CcPlane *plane = &frame->plane[kind->offset[i].plane];
    store_word(plane->data + (gssize)y * plane->pitch, index_at(kind->layout, &kind->offset[i], x),
               kind->layout->type, word);
  }
}

void
oracle_write_field(const Kind *kind, const Field *field, const CcFrame *frame, const CcRect *rect,
                   guint width) {
  const guint *from = field->word;
  guint end = rect->x + rect->width;
  for (guint y = rect->y; y < rect->y + rect->height; y++) {
    for (guint x = rect->x; x < end; x++)
      write_sample(kind, frame, x, y, *from++);
    if (kind->offset[0].two && end == width && width % 2 == 1)
      write_sample(kind, frame, end, y, from[-1]);
  }
}

gint
oracle_border_index(gint i, gint n, CcBorder border) {
  while (i < 0 || i >= n) {
    switch (border) {
    case CC_BORDER_REPLICATE:
      i = i < 0 ? 0 : n - 1;
      break;
    case CC_BORDER_REFLECT:
      i = i < 0 ? -1 - i : 2 * n - 1 - i;
      break;
    case CC_BORDER_REFLECT_101:
      i = n == 1 ? 0 : i < 0 ? -i : 2 * (n - 1) - i;
      break;
    case CC_BORDER_WRAP:
      i += i < 0 ? n : -n;
      break;
    case CC_BORDER_CONSTANT:
      return -1;
    }
  }
  return i;
}
