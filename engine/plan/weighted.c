/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "weighted.h"

/* Adds a plane whose pixels have `step` samples. */
static CcPlaneLayout *
add_plane(CcWeighted *self, const CcPlaneLayout *frame, guint step, guint colors) {
  CcPlaneLayout *plane = &self->frame.plane[self->frame.n_planes];
  *plane = (CcPlaneLayout){.width = frame->width,
                           .height = frame->height,
                           .step = step,
                           .type = CC_SAMPLE_U16,
                           .depth = 16};
  self->colors[self->frame.n_planes++] = colors;
  return plane;
}

/* Adds a plane with some colors and their weight. The other samples of a pixel are padding. The
 * role of the filtered samples chooses the kernel. */
static void
add_colors(CcWeighted *self, const CcPlaneLayout *frame, guint colors, gboolean are_chroma) {
  if (!colors)
    return;
  CcPlaneLayout *plane = add_plane(self, frame, frame->step, colors);
  for (guint c = 0; c < frame->step; c++)
    plane->role[c] = c != self->alpha && !(colors >> c & 1) ? CC_ROLE_PADDING
                     : are_chroma                           ? CC_ROLE_CB
                                                            : CC_ROLE_GREY;
}

void
cc_weighted_init(CcWeighted *self, const CcFrameLayout *frame, gboolean is_luma, gboolean chroma,
                 gboolean has_chroma_kernel) {
  const CcPlaneLayout *plane = &frame->plane[0];
  guint bright = 0, chromas = 0;
  g_assert(frame->n_planes == 1 && plane->step == 4 && plane->shift == 0);
  *self = (CcWeighted){.is_luma = is_luma, .max = (1u << plane->depth) - 1};
  for (guint c = 0; c < plane->step; c++)
    if (plane->role[c] == CC_ROLE_ALPHA)
      self->alpha = c;
    else if (!cc_role_is_chroma(plane->role[c]))
      bright |= 1u << c;
    else if (chroma)
      chromas |= 1u << c;
  if (is_luma) {
    add_plane(self, plane, 2, bright);
  } else if (has_chroma_kernel) {
    add_colors(self, plane, bright, FALSE);
    add_colors(self, plane, chromas, TRUE);
  } else {
    add_colors(self, plane, bright | chromas, FALSE);
  }
}
