/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The plane map: how the planes that a plan filters lie in a frame. Most of them are the frame's
 * own planes. Luma and chroma of packed 4:2:2 are filtered as the two planes of NV16. If R, G and B
 * are to become one grey, their luma is filtered as one plane. Because of this map, the filter code
 * does not need to know packed formats. */

#include "engine/frame.h"
#include "engine/shared.h"

G_BEGIN_DECLS

/* The position of a component in a frame: sample i of the component in a row is sample
 * first + i * spacing of this row of the plane. */
typedef struct {
  guint plane, first, spacing;
} CcComponentOffset;

typedef enum {
  CC_PLANE_MAP_NONE,   /* the plane is the frame's own */
  CC_PLANE_MAP_SPACED, /* its samples are at offset[0], between samples of other components */
  /* luma of R, G and B at offset[0] to [2]; the result is stored in all three */
  CC_PLANE_MAP_LUMA,
} CcPlaneMapKind;

typedef struct {
  CcPlaneMapKind kind;
  CcComponentOffset offset[3];
} CcPlaneMap;

static inline guint
cc_plane_map_n_offsets(const CcPlaneMap *map) {
  return map->kind == CC_PLANE_MAP_LUMA ? 3 : 1;
}

/* Finds the first component with this role. */
gboolean cc_frame_layout_find_role(const CcFrameLayout *frame, CcRole role,
                                   CcComponentOffset *offset);

gboolean cc_frame_layout_has_rgb(const CcFrameLayout *frame);

gboolean cc_frame_layout_has_yuv(const CcFrameLayout *frame);

/* Finds the planes in which frames of a layout are filtered, and how they lie in the frame. With
 * `grey` the frame must have R, G and B, and a plane of their luma replaces them. Returns whether
 * any plane is not the frame's own. */
gboolean cc_plane_map_find(const CcFrameLayout *frame, gboolean grey, CcFrameLayout *planes,
                           CcPlaneMap map[CC_MAX_PLANES]);

G_END_DECLS
