/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Direction color: frames with color if the response is the direction of the gradient.
 *
 * The gradient of a pixel consists of the sums S_0 and S_1 of the luma plane. cc_luma_of defines
 * the luma of R, G and B. A sample shows the hue of the mean gradient of the pixels that it covers:
 * the direction of (sum of S_0, sum of S_1) over these pixels. Pixels outside of the source do not
 * count. A luma, R, G or B sample covers one pixel, a chroma sample up to 2x2. cc_hue_index gives
 * the index of the hue. The table `word` of CcDirectionColor has the stored word of each index. */

#include "component_group.h"
#include "direction_color_shared.h"
#include "op.h"

G_BEGIN_DECLS

/* How alpha or padding next to the samples of the first group is made. */
typedef enum {
  CC_PASSTHROUGH_NONE, /* no such component, or a pass writes it */
  CC_PASSTHROUGH_COPY,
  CC_PASSTHROUGH_FILL,
} CcPassthrough;

typedef struct {
  const CcOp *op; /* the op of the gradient; it has two matrices */
  gfloat add;     /* the argument `add` of cc_hue_index */
  guint16 border; /* code value outside of the plane with CC_BORDER_CONSTANT */
  guint plane;    /* plane of the plan that holds the luma */
  guint n_from;
  CcComponentOffset from[3]; /* offset of luma in the frame, or the three offsets of R, G and B */
  guint n_groups;
  CcComponentGroup group[CC_MAX_COMPONENT_GROUPS]; /* `plane` is a plane of the plan */
  CcPassthrough passthrough;
  CcRole passthrough_role;
  /* offset of the passthrough component, in the plane of the first group */
  CcComponentOffset passthrough_offset;
  guint16 passthrough_word;        /* fill value of the passthrough component, as stored */
  guint16 word[3][CC_HUE_INDICES]; /* the table: a stored word for each component and hue index */
} CcDirectionColor;

/* The 8-bit R, G and B of an index: black, or a hue with full saturation and brightness. */
void cc_hue_color(guint index, guint rgb[3]);

/* Sets all members except op, add, border and passthrough_word, for a plan with these planes. The
 * frames must have color: either `map` turns R, G and B into a plane of luma, or the frames have
 * luma and chroma. `passthrough` is set to COPY if there is a passthrough component. */
void cc_direction_color_init(CcDirectionColor *color, const CcFrameLayout *planes,
                             const CcPlaneMap *map);

/* The entry of CcPlacement.repeats that applies to component i of a group, or 0. */
static inline guint
cc_direction_color_repeats(const CcDirectionColor *color, const CcComponentGroup *group, guint i,
                           const guint *repeats) {
  return group->component[i] == 0 ? repeats[color->plane] : 0;
}

G_END_DECLS
