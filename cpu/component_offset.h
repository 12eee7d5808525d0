/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Single samples of frames, as stored words, for loops without regard to speed. */

#include "engine/plan/plane_map.h"

/* Where sample i of row y lies in a frame. */
static inline guint8 *
cc_place_find(const CcPlace *place, const CcFrame *frame, CcSampleType type, guint i, guint y) {
  const CcPlane *plane = &frame->plane[place->plane];
  const gsize sample = place->first + (gsize)i * place->spacing;
  return plane->data + (gssize)y * plane->pitch + sample * cc_sample_size(type);
}

static inline guint
cc_place_load(const CcPlace *place, const CcFrame *frame, CcSampleType type, guint i, guint y) {
  const guint8 *from = cc_place_find(place, frame, type, i, y);
  return type == CC_SAMPLE_U8 ? from[0] : from[0] | (guint)from[1] << 8;
}

static inline void
cc_place_store(const CcPlace *place, const CcFrame *frame, CcSampleType type, guint i, guint y,
               guint word) {
  guint8 *to = cc_place_find(place, frame, type, i, y);
  to[0] = (guint8)word;
  if (type == CC_SAMPLE_U16)
    to[1] = (guint8)(word >> 8);
}
