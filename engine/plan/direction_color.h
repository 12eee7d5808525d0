/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Direction color: frames with color if the response is the direction of the gradient.
 *
 * The gradient of a pixel is the sums S_0 and S_1 over its luma; plane_map.h defines the luma of R,
 * G and B. A sample shows the hue of the mean gradient of the pixels that it covers, as far as
 * these are in the source: the direction of (sum of S_0, sum of S_1) over these pixels. A luma, R,
 * G or B sample covers one pixel, a chroma sample up to 2x2. cc_hue_index gives the index of the
 * hue, and a table the word that is stored for an index. */

#include "direction_color_shared.h"
#include "op.h"
#include "plane_map.h"

G_BEGIN_DECLS

/* Components whose samples cover the same pixels and show the same hues: R, G and B; luma; Cb and
 * Cr; or all three of Y'CbCr. */
typedef struct {
  guint plane;        /* of the plan; its regions are those of these samples */
  guint across, down; /* pixels that one sample covers in each direction */
  guint n;
  CcComponentOffset offset[3]; /* of each component in the frame */
  guint component[3];          /* index in the table: R, G, B, or Y', Cb, Cr */
} CcComponentGroup;

/* How alpha or padding next to the samples of the first group is made. */
typedef enum {
  CC_PASSTHROUGH_NONE, /* no such component, or a pass writes it */
  CC_PASSTHROUGH_COPY,
  CC_PASSTHROUGH_FILL,
} CcPassthrough;

typedef struct {
  const CcOp *op; /* with two matrices */
  gfloat add;     /* argument of cc_hue_index */
  guint16 border; /* value of a tap outside with CC_BORDER_CONSTANT */
  guint plane;    /* of the plan: the luma that is summed */
  guint n_from;
  CcComponentOffset from[3]; /* of that luma in the frame; three if it is made of R, G and B */
  guint n_groups;
  CcComponentGroup group[2];
  CcPassthrough passthrough;
  CcRole passthrough_role;
  CcComponentOffset passthrough_offset; /* in the plane of the first group */
  guint16 passthrough_word;             /* fill value, as stored */
  guint16 word[3][CC_HUE_INDICES];      /* for each component and index, as stored */
} CcDirectionColor;

/* The color of an index in 8-bit R, G and B: black, or a hue with full saturation and brightness.
 */
void cc_hue_color(guint index, guint rgb[3]);

/* Sets the groups and the table for frames with these planes. The frames have color: R, G and B
 * that `map` turns into a plane of luma, or luma and chroma. The caller sets the other members.
 * `passthrough` is set to COPY if there is a passthrough component. */
void cc_direction_color_init(CcDirectionColor *color, const CcFrameLayout *planes,
                             const CcPlaneMap *map);

/* How many samples after the last one of a row repeat it, in component i of a group. `repeats` is
 * that of a CcPlacement, for each plane of the plan. */
static inline guint
cc_direction_color_repeats(const CcDirectionColor *color, const CcComponentGroup *group, guint i,
                           const guint *repeats) {
  return group->component[i] == 0 ? repeats[color->plane] : 0;
}

G_END_DECLS
