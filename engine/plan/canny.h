/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Canny's edges. Source: J. Canny, "A Computational Approach to Edge Detection", IEEE Transactions
 * on Pattern Analysis and Machine Intelligence 8(6), 1986. The result is that of OpenCV's Canny,
 * byte for byte.
 *
 * Three stages do this. SUPPRESS computes the gradient (x, y) of each pixel of the luma: the sums
 * of both matrices, for the kernel sobel of 7x7 divided by 16 and rounded half to even. Its
 * magnitude is |x| + |y|, or x^2 + y^2 with the norm L2. A pixel is weak if its magnitude is above
 * `low` and a maximum along the gradient (cc_canny_is_maximum). It is strong if the magnitude is
 * also above `high`. Outside of the region, magnitudes are 0, while samples follow the border rule.
 * HYSTERESIS finds the weak pixels that are connected to a strong one, through weak pixels in any
 * of eight directions. EDGES makes these pixels white and all others black. */

#include "canny_shared.h"
#include "component_group.h"
#include "op.h"

G_BEGIN_DECLS

typedef struct {
  const CcOp *op; /* the op of the gradient; its response has the norm */
  guint16 border; /* code value outside of the plane with CC_BORDER_CONSTANT */
  /* The luma, grey, or R, G and B, which are read as their luma. Each gets the result. `plane` is a
   * plane of the plan. */
  CcComponentGroup group;
  guint round_bits; /* argument `bits` of cc_canny_round */
  gboolean is_l2;
  gint64 low, high;     /* compared with magnitudes */
  guint16 black, white; /* stored words */
} CcCanny;

/* Whether the response is canny or canny-l1. */
static inline gboolean
cc_response_is_canny(CcResponse response) {
  return response == CC_RESPONSE_CANNY || response == CC_RESPONSE_CANNY_L1;
}

/* Sets `group` of a plan with these planes. Returns the role of the gradient's samples: luma or
 * grey. */
CcRole cc_canny_set_group(CcCanny *self, const CcFrameLayout *planes, const CcPlaneMap *map);

/* Sets `low` and `high` from thresholds in code values of the gradient. is_l2 and round_bits must
 * be set. As in OpenCV, thresholds are divided as the gradient is, squared with the norm L2, and
 * then rounded down. */
void cc_canny_set_thresholds(CcCanny *self, gdouble low, gdouble high);

/* The largest absolute value of x and y, and the largest magnitude. */
gint64 cc_canny_largest_gradient(const CcCanny *self);
gint64 cc_canny_largest_magnitude(const CcCanny *self);

G_END_DECLS
