/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The definition of the maxima of Canny's edges (engine/plan/canny.h) as a loop over the pixels of
 * the source, without regard to speed. */

#include "plain.h"
#include "plain_luma.h"

static CcGradientSums
gradient_at(const CcCanny *canny, const CcPlainLuma *luma, gint x, gint y) {
  CcGradientSums sums = cc_plain_luma_gradient(luma, x, y);
  sums.x = cc_canny_round(sums.x, (int)canny->round_bits);
  sums.y = cc_canny_round(sums.y, (int)canny->round_bits);
  return sums;
}

static gint64
magnitude_at(const CcCanny *canny, const CcPlainLuma *luma, gint x, gint y) {
  if (x < 0 || y < 0 || x >= (gint)luma->pixels->width || y >= (gint)luma->pixels->height)
    return 0;
  const CcGradientSums sums = gradient_at(canny, luma, x, y);
  return cc_canny_magnitude(sums.x, sums.y, canny->is_l2);
}

/* Whether the magnitude of a pixel is above `low` and a maximum. */
static gboolean
is_weak(const CcCanny *canny, const CcPlainLuma *luma, gint x, gint y, gint64 magnitude) {
  static const gint steps[][2] = {[CC_CANNY_ACROSS] = {1, 0},
                                  [CC_CANNY_DOWN] = {0, 1},
                                  [CC_CANNY_FALLING] = {1, 1},
                                  [CC_CANNY_RISING] = {-1, 1}};
  if (magnitude <= canny->low)
    return FALSE;
  const CcGradientSums sums = gradient_at(canny, luma, x, y);
  const CcCannyAxis axis = cc_canny_axis(sums.x, sums.y);
  const gint *step = steps[axis];
  return cc_canny_is_maximum(magnitude, magnitude_at(canny, luma, x - step[0], y - step[1]),
                             magnitude_at(canny, luma, x + step[0], y + step[1]), axis);
}

void
cc_plain_suppress(const CcPlan *plan, const CcPlacement *placement, const CcFrame *src,
                  const CcEdgeMap *map, guint y0, guint y1) {
  const CcCanny *canny = cc_plan_get_canny(plan);
  const guint plane = canny->group.plane;
  const CcPlainLuma luma = {.plan = plan,
                            .op = canny->op,
                            .from = canny->group.offset,
                            .n_from = canny->group.n,
                            .border = canny->border,
                            .layout = &plan->layout.plane[plane],
                            .pixels = &placement->source[plane],
                            .src = src};
  for (guint y = y0; y < y1; y++)
    for (guint i = 0; i < map->n_words; i++) {
      guint64 weak = 0, strong = 0;
      for (guint b = 0; b < 64 && 64 * i + b < luma.pixels->width; b++) {
        const gint x = (gint)(64 * i + b);
        const gint64 magnitude = magnitude_at(canny, &luma, x, (gint)y);
        if (!is_weak(canny, &luma, x, (gint)y, magnitude))
          continue;
        weak |= G_GUINT64_CONSTANT(1) << b;
        if (magnitude > canny->high)
          strong |= G_GUINT64_CONSTANT(1) << b;
      }
      map->weak[cc_edge_map_word(map, y, i)] = weak;
      map->strong[cc_edge_map_word(map, y, i)] = strong;
    }
}
