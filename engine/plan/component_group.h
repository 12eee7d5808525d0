/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plane_map.h"

G_BEGIN_DECLS

/* Components whose samples cover the same pixels: R, G and B; luma; Cb and Cr; or all three of
 * Y'CbCr. */
typedef struct {
  guint plane;        /* the plane whose rectangles are those of the group's samples */
  guint across, down; /* pixels that one sample covers in each direction */
  guint n;
  CcComponentOffset offset[3]; /* offset of each component in the frame */
  guint component[3];          /* number of each component: R, G, B, or Y', Cb, Cr */
} CcComponentGroup;

#define CC_MAX_COMPONENT_GROUPS 2

/* Adds a component to the last of *n groups, or to a new group if its samples cover a different
 * number of pixels. `pixels` is a plane with a sample for each pixel. `samples` has the size of the
 * component's plane. */
void cc_component_groups_add(CcComponentGroup *groups, guint *n, const CcPlaneLayout *pixels,
                             const CcPlaneLayout *samples, guint plane, CcComponentOffset offset,
                             guint component);

G_END_DECLS
