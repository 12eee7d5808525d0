/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Packing: how the planes that a plan filters lie in a frame. Most are the frame's own. Luma and
 * chroma of packed 4:2:2 are filtered as the two planes that NV16 has, and of R, G and B that are
 * to become one grey, their luma is. So nothing that filters knows of such formats. */

#include "engine/frame.h"
#include "engine/shared.h"

G_BEGIN_DECLS

/* Where the samples of a row lie: sample i of it is sample first + i * spacing of a row of a plane
 * of the frame. */
typedef struct {
  guint plane, first, spacing;
} CcComponentOffset;

typedef enum {
  CC_PLANE_MAP_NONE,   /* the plane is the frame's */
  CC_PLANE_MAP_SPACED, /* its samples lie among others, at place[0] */
  CC_PLANE_MAP_LUMA, /* it is made of R, G and B, at place[0] to [2], which all become the result */
} CcPlaneMapKind;

/* How one plane lies in a frame. */
typedef struct {
  CcPlaneMapKind kind;
  CcComponentOffset offset[3];
} CcPlaneMap;

/* The places that a packing has. */
static inline guint
cc_plane_map_n_offsets(const CcPlaneMap *map) {
  return map->kind == CC_PLANE_MAP_LUMA ? 3 : 1;
}

/* Where the frame has a component of a role, the first one. FALSE: it has none. */
gboolean cc_frame_layout_find_role(const CcFrameLayout *frame, CcRole role,
                                   CcComponentOffset *offset);

/* Whether the frame has red, green and blue. */
gboolean cc_frame_layout_has_rgb(const CcFrameLayout *frame);

/* Whether it has luma and chroma. */
gboolean cc_frame_layout_has_yuv(const CcFrameLayout *frame);

/* Finds the planes in which frames of a layout are filtered, and how those lie in the frame. With
 * `grey`, R, G and B are one plane, their luma; the frame has all three of them. Whether any is
 * packed. */
gboolean cc_plane_map_find(const CcFrameLayout *frame, gboolean grey, CcFrameLayout *planes,
                           CcPlaneMap map[CC_MAX_PLANES]);

G_END_DECLS
