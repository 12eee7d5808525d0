/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reads and writes single samples of frames as stored words. Only loops that need not be fast use
 * these functions. */

#include "engine/plan/plane_map.h"

/* Returns the address of sample i in row y of a frame. */
static inline guint8 *
cc_component_address(const CcComponentOffset *offset, const CcFrame *frame, CcSampleType type,
                     guint i, guint y) {
  const CcPlane *plane = &frame->plane[offset->plane];
  const gsize sample = offset->first + (gsize)i * offset->spacing;
  return plane->data + (gssize)y * plane->pitch + sample * cc_sample_size(type);
}

static inline guint
cc_component_load(const CcComponentOffset *offset, const CcFrame *frame, CcSampleType type, guint i,
                  guint y) {
  const guint8 *from = cc_component_address(offset, frame, type, i, y);
  return type == CC_SAMPLE_U8 ? from[0] : from[0] | (guint)from[1] << 8;
}

static inline void
cc_component_store(const CcComponentOffset *offset, const CcFrame *frame, CcSampleType type,
                   guint i, guint y, guint word) {
  guint8 *to = cc_component_address(offset, frame, type, i, y);
  to[0] = (guint8)word;
  if (type == CC_SAMPLE_U16)
    to[1] = (guint8)(word >> 8);
}
