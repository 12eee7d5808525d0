/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Weighted alpha: colors are filtered with the weight of their alpha, so that the color of
 * transparent pixels does not bleed into others. Source: T. Porter and T. Duff, "Compositing
 * Digital Images", SIGGRAPH 1984, which calls the products premultiplied.
 *
 * Two stages do this. PREMULTIPLY makes planes of 16 bits from the source. The planes are those of
 * a frame of their own, which an inner plan filters. A region of the frame is the same region
 * there. DIVIDE makes the colors of the target from the result. Before it, the target has the
 * colors of the source, and keeps them where Q is 0. */

#include "engine/frame.h"
#include "weighted_shared.h"

G_BEGIN_DECLS

/* Frames with alpha are one plane, whose pixels have three colors and alpha, with 8 or 16 bits. */
typedef struct {
  /* The frames of the inner plan. If R, G and B are filtered as their luma (is_luma), they are one
   * plane with the P of luma and Q. Else they have a plane for each kernel. The pixels of each
   * plane have a P for each color, in the order of the frame, and Q in the place of alpha. */
  CcFrameLayout frame;
  gboolean is_luma;
  guint alpha;     /* number of the alpha in a pixel of the frame */
  guint max;       /* largest code value */
  guint colors[2]; /* the colors that DIVIDE makes from plane g; one bit stands for each */
} CcWeighted;

/* Sets the parameters of both stages for frames of a layout that has alpha. `is_luma`: R, G and B
 * are filtered as their luma. `chroma`: chroma is filtered. `has_chroma_kernel`: with a kernel of
 * its own. */
void cc_weighted_init(CcWeighted *self, const CcFrameLayout *frame, gboolean is_luma,
                      gboolean chroma, gboolean has_chroma_kernel);

G_END_DECLS
