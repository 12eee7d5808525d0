/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bytes.h"

#include <string.h>

guint8
fuzz_take_byte(FuzzBytes *bytes) {
  return (guint8)fuzz_take_uint(bytes, 1);
}

guint64
fuzz_take_uint(FuzzBytes *bytes, guint n_bytes) {
  guint64 value = 0;
  for (guint i = 0; i < n_bytes && bytes->size > 0; i++) {
    value |= (guint64)*bytes->data << (8 * i);
    bytes->data++;
    bytes->size--;
  }
  return value;
}

gint64
fuzz_take_int(FuzzBytes *bytes, guint n_bytes) {
  const guint64 value = fuzz_take_uint(bytes, n_bytes);
  const guint64 sign = (guint64)1 << (8 * n_bytes - 1);
  return (gint64)((value ^ sign) - sign);
}

gdouble
fuzz_take_double(FuzzBytes *bytes) {
  const guint64 bits = fuzz_take_uint(bytes, sizeof bits);
  gdouble value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

gchar *
fuzz_take_string(FuzzBytes *bytes, gsize length) {
  length = MIN(length, bytes->size);
  gchar *text = g_strndup((const gchar *)bytes->data, length);
  bytes->data += length;
  bytes->size -= length;
  return text;
}

/* Limits of integer types, and numbers that reach these limits in products. */
static const guint64 edges[] = {
    0,
    1,
    2,
    3,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    (1 << 24) + 1,
    G_MAXINT / 2,
    G_MAXINT - 1,
    G_MAXINT,
    G_MAXINT + (guint64)1,
    G_MAXUINT - 1,
    G_MAXUINT,
    G_MAXUINT + (guint64)1,
    (guint64)1 << 62,
    G_MAXINT64,
    (guint64)G_MAXINT64 + 1,
    G_MAXUINT64 - 63,
    G_MAXUINT64 - 1,
    G_MAXUINT64,
};

#define edge(i) edges[(i) % G_N_ELEMENTS(edges)]

static guint64
throw_dice(FuzzBytes *bytes, guint64 sensible, guint64 far) {
  bytes->dice = bytes->dice * 1103515245 + 12345;
  const guint thrown = bytes->dice >> 16;
  return thrown % 8 < 3 ? sensible : thrown % 8 < 6 ? far : edge(thrown / 8);
}

guint64
fuzz_take_number(FuzzBytes *bytes, guint64 sensible, guint64 far) {
  switch (fuzz_take_byte(bytes) % 8) {
  case 1:
    return far;
  case 2:
    return sensible + (guint64)fuzz_take_int(bytes, 1);
  case 3:
    return far + (guint64)fuzz_take_int(bytes, 1);
  case 4:
    return fuzz_take_byte(bytes);
  case 5:
    return fuzz_take_uint(bytes, 4);
  case 6:
    return fuzz_take_uint(bytes, 8);
  case 7:
    return edge(fuzz_take_byte(bytes));
  default:
    return bytes->dice ? throw_dice(bytes, sensible, far) : sensible;
  }
}
