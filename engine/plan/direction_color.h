/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Direction as hue: what becomes of frames with colour when the angle of the gradient is asked for.
 *
 * A pixel's gradient is the sums S_0 and S_1 over its luma, which of R, G and B is that of
 * packing.h. A sample shows the hue of the mean gradient of the pixels it stands for, as far as
 * they are in the source: of (sum of S_0, sum of S_1) over them. Those are one pixel for luma, R, G
 * and B, and up to 2x2 for chroma. cc_hue_index gives the index of the hue, and a table what is
 * stored for that. */

#include "direction_color_shared.h"
#include "op.h"
#include "plane_map.h"

G_BEGIN_DECLS

/* Samples that stand for the same pixels and show the same hues: R, G and B; luma; Cb and Cr; or
 * all three of Y'CbCr. */
typedef struct {
  guint plane;        /* of the plan, whose regions these samples have */
  guint across, down; /* pixels that one stands for, each way */
  guint n;
  CcComponentOffset offset[3]; /* where they lie in the frame */
  guint component[3];          /* which each one is in the table: R, G, B, or Y', Cb, Cr */
} CcComponentGroup;

/* What becomes of alpha or padding that lies beside the samples of the first field. */
typedef enum {
  CC_PASSTHROUGH_NONE, /* there is none, or a pass writes it */
  CC_PASSTHROUGH_COPY,
  CC_PASSTHROUGH_FILL,
} CcPassthrough;

typedef struct {
  const CcOp *op; /* of the sums of two matrices */
  gfloat add;     /* of cc_hue_index */
  guint16 border; /* what a tap outside reads with CC_BORDER_CONSTANT */
  guint plane;    /* of the plan: the luma that the sums are over */
  guint n_from;
  CcComponentOffset
      from[3]; /* where that lies in the frame; three: it is that of R, G and B there */
  guint n_groups;
  CcComponentGroup group[2];
  CcPassthrough passthrough;
  CcRole passthrough_role;
  CcComponentOffset passthrough_offset; /* in the plane of the frame where the first field is */
  guint16 passthrough_word;             /* to fill with, as stored */
  guint16 word[3][CC_HUE_INDICES];      /* as stored, for each component and index */
} CcDirectionColor;

/* The colour of an index in 8-bit R, G and B: black, or a hue in full saturation and brightness. */
void cc_hue_color(guint index, guint rgb[3]);

/* Sets the fields and the table for frames with these planes, which have colour: R, G and B, of
 * which `packing` makes a plane of luma, or luma and chroma. The rest is left to the caller:
 * `aside` says COPY where there is something aside. */
void cc_direction_color_init(CcDirectionColor *color, const CcFrameLayout *planes,
                             const CcPlaneMap *map);

/* How many samples behind the last one of a row repeat it, of component number i of a field.
 * `repeats` is that of a region, for each plane of the plan. */
static inline guint
cc_direction_color_repeats(const CcDirectionColor *color, const CcComponentGroup *group, guint i,
                           const guint *repeats) {
  return group->component[i] == 0 ? repeats[color->plane] : 0;
}

G_END_DECLS
