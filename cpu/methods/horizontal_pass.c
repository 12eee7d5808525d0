/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "horizontal_pass.h"
#include "engine/ablation.h"

#define VECTOR_BYTES 64 /* that CcAlong.order is of, at most */
#define PART_BYTES 16

/* Whether they fit bytes without a sign, and the kernels can multiply them: by signed bytes, which
 * are half as large as those of samples. */
static gboolean
are_unsigned_bytes(CcTaps taps, const CcRows *rows) {
  const guint n = taps.width * taps.height;
  for (guint i = 0; i < n; i++) {
    const gint32 next = i + 1 < n ? taps.tap[i + 1] : 0;
    if (taps.tap[i] < 0 || taps.tap[i] > G_MAXUINT8 ||
        taps.tap[i] + (gint64)next >= 2 * rows->most_byte_taps)
      return FALSE;
  }
  return TRUE;
}

CcBundleKind
cc_along_find_kind(const CcTaps *taps, guint n, CcSampleType type, const CcRows *rows) {
  if (type == CC_SAMPLE_U16)
    return CC_BUNDLE_WORDS;
  gboolean bytes = rows->along[CC_BUNDLE_BYTES][0] != NULL && !cc_is_left_out("separable-bytes");
  gboolean centred =
      rows->along[CC_BUNDLE_CENTRED][0] != NULL && !cc_is_left_out("separable-centred");
  for (guint i = 0; i < n; i++) {
    bytes = bytes && cc_taps_are_bytes(taps[i], rows);
    centred = centred && are_unsigned_bytes(taps[i], rows);
  }
  return bytes ? CC_BUNDLE_BYTES : centred ? CC_BUNDLE_CENTRED : CC_BUNDLE_WIDENED;
}

/* Where byte `at` of a vector of bundles comes from; what a byte of two is widened with is 0. */
static guint8
place_of_byte(CcBundleKind kind, guint at, guint step) {
  enum { ZERO = 0x80 };
  const guint bundle = at / 4, byte = at % 4;
  switch (kind) {
  case CC_BUNDLE_BYTES:
  case CC_BUNDLE_CENTRED:
    return (guint8)(bundle + byte * step);
  case CC_BUNDLE_WIDENED:
    return byte % 2 ? ZERO : (guint8)(bundle + byte / 2 * step);
  case CC_BUNDLE_WORDS:
    return (guint8)(2 * (bundle + byte / 2 * step) + byte % 2);
  case CC_N_BUNDLE_KINDS:
    break;
  }
  g_return_val_if_reached(ZERO);
}

guint
cc_along_bundle(CcBundleKind kind) {
  return kind == CC_BUNDLE_BYTES || kind == CC_BUNDLE_CENTRED ? 4 : 2;
}

gint32 *
cc_along_bundle_taps(CcTaps taps, CcBundleKind kind, gint32 *room) {
  const guint bundle = cc_along_bundle(kind);
  for (guint first = 0; first < taps.height; first += bundle)
    *room++ = cc_taps_bundle(taps, (gint)first, 0, bundle);
  return room;
}

gint32 *
cc_along_init(CcAlong *self, CcBundleKind kind, CcTaps taps, guint depth, guint step,
              const CcRows *rows, gint32 *room) {
  const guint bundle = cc_along_bundle(kind);
  const guint size = kind == CC_BUNDLE_WORDS ? sizeof(guint16) : 1;
  *self = (CcAlong){
      .taps = room,
      .n_bundles = (taps.height + bundle - 1) / bundle,
      .n_pairs = (taps.height + 1) / 2,
      .step = step,
      .stride = (gsize)bundle * step * size,
  };
  for (guint i = 0; i < VECTOR_BYTES; i++)
    self->order[i] = place_of_byte(kind, rows->order_is_whole ? i : i % PART_BYTES, step);
  room = cc_along_bundle_taps(taps, kind, room);
  if (kind == CC_BUNDLE_CENTRED) {
    self->flip = (gint32)0x80808080;
    self->start = (gint32)(cc_taps_sum(taps) * (1 << 7));
  } else if (kind == CC_BUNDLE_WORDS && depth == 16) {
    self->flip = (gint32)0x80008000;
    self->start = (gint32)(cc_taps_sum(taps) * (1 << 15));
  }
  return room;
}
