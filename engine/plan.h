/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The plan: what happens to every sample of every plane, worked out once when caps or properties
 * change, never per frame. It fixes the arithmetic to the last bit, so that all backends and
 * algorithms give the same bytes; docs/numerics.md explains it. */

#include <glib.h>
#include "algorithm.h"
#include "frame.h"
#include "kernel.h"

G_BEGIN_DECLS

typedef enum {
  CC_ALPHA_COPY,
  CC_ALPHA_FILTER,
  CC_ALPHA_OPAQUE,
} CcAlpha;

/* A rectangle of pixels. */
typedef struct {
  guint x, y, width, height;
} CcRect;

/* The ranges of a filter's numbers; scale and bias may be negative as well. */
#define CC_MAX_SIGMA 1000.0
#define CC_MAX_SCALE 1e6
#define CC_MAX_BIAS 65535.0

/* What the user asks for. Zero-initialised plus a kernel is a valid filter. */
typedef struct {
  CcKernel *kernel; /* not NULL; borrowed by cc_plan_new */
  guint size;       /* 0: the kernel's default */
  gdouble sigma;    /* pixels; > 0 samples a Gaussian where the kernel is one, else ignored */
  gdouble scale;    /* 0: the kernel's, or automatic */
  gdouble bias;     /* in 8-bit code values */
  CcResponse response;
  CcBorder border;
  gdouble border_value; /* 0 to 1 of full scale */
  CcChroma chroma;
  CcAlpha alpha;
  CcAlgorithm algorithm; /* refused where it cannot run the kernel, on every backend */
  guint stride;          /* 1, 2 or 4 (0 is 1): every n-th pixel of every n-th row is kept */
  /* The part of the picture that is filtered, as if it were all there is: no pixel outside it is
   * read, and the border rule applies at its edges. What of it lies outside of the picture is cut
   * off. An empty one is the whole picture. */
  CcRect source;
  /* Where the top left pixel of the result goes in the output picture; what does not fit there is
   * cut off. Without target_set it is the source's place, divided by the stride. */
  gboolean target_set;
  guint target_x, target_y;
} CcFilter;

/* How sums are formed; both give the same bytes on every backend.
 *   F32  float: s = fmaf(tap, sample, s) from 0 in raster order, or, when separable, rows left to
 *        right and then the column top to bottom; t in float; v = fmaf(t, mul_f, add_f). Where the
 *        op is exact no sum that matters can be rounded, so any order, int32 or packed lanes may
 *        be used instead.
 *   I64  64-bit integers, then v = fma((double)t, mul, add); for exact ops beyond float. */
typedef enum {
  CC_ARITH_F32,
  CC_ARITH_I64,
} CcArith;

/* The arithmetic of one kind of sample. A sample becomes
 *   S_i = sum of matrix i over its neighbourhood (a correlation: the matrix is not flipped)
 *   t   = the response's combination of the S_i (see CcResponse)
 *   out = clamp(floor(t * mul + add), lo, hi)
 * add holds bias, black or mid-grey, and the half that makes floor round half up; when mul and bias
 * are rational it is raised by less than the smallest step, so that no rounding error can move a
 * result across a half. For direction, t is cc_direction and the last step is
 *   out = floor(fmaf(t, mul_f, add_f)) modulo hi + 1, in either arithmetic.
 * last_step_shared.h is the definition of both in code.
 *
 * With magnitude in F32: n = fmaf(S_i, S_i, n) from 0, t = sqrtf(n). In I64 the same in double.
 * magnitude-l1 adds in order i. direction converts each S to float first. */
struct _CcOp {
  guint n_matrices;
  guint width, height; /* the window, common to all matrices */
  CcResponse response; /* never AUTO */
  CcArith arith;
  gboolean exact; /* the taps are integers; the result is the rational one, whatever the order */
  gboolean separable; /* matrix i is column i times row i */
  /* matrix i, row r, column c at [(i * height + r) * width + c]; tap_i only when exact */
  gint32 tap_i[CC_MAX_TAPS];
  gfloat tap_f[CC_MAX_TAPS];
  /* only when separable */
  gint32 row_i[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE], column_i[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE];
  gfloat row_f[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE], column_f[CC_MAX_MATRICES][CC_MAX_KERNEL_SIZE];
  /* the least and greatest S_i that samples of this depth can give; only when exact */
  gint64 sum_min[CC_MAX_MATRICES], sum_max[CC_MAX_MATRICES];
  gdouble mul, add;
  gfloat mul_f, add_f;
  gint lo, hi; /* code values, hi = 2^depth - 1 */
};

/* One sweep over a plane. The masks have a bit per component and do not overlap; a component in
 * none of them is not written (another pass does). Code values are of the plane's depth, not
 * shifted. */
typedef struct {
  guint plane;
  const CcOp *op;    /* NULL when filter_mask is 0 */
  guint filter_mask; /* filtered with op */
  guint copy_mask;   /* copied bit by bit, shifted words included */
  guint fill_mask;   /* set to fill[] */
  guint16 fill[CC_MAX_COMPONENTS];
  guint16 border[CC_MAX_COMPONENTS]; /* what a tap outside reads with CC_BORDER_CONSTANT */
} CcPass;

#define CC_MAX_PASSES (2 * CC_MAX_PLANES)

/* Immutable once made, reference counted. */
typedef struct {
  gatomicrefcount refs;
  CcFrameLayout layout;     /* of the input */
  CcFrameLayout out_layout; /* of the output: planes of 1/stride the size, rounded up */
  guint stride;             /* 1, 2 or 4 */
  /* For each plane, in its own pixels: what is read, and what is written. Pixel (x, y) of the
   * target is made from the window around pixel (stride * x, stride * y) of the source, both
   * counted from their top left corners. Neither is empty. */
  CcRect source[CC_MAX_PLANES], target[CC_MAX_PLANES];
  CcAlgorithm algorithm;
  CcBorder border;
  guint n_passes; /* every component of every plane is written by exactly one */
  CcPass pass[CC_MAX_PASSES];
  guint n_ops;
  CcOp *op;
} CcPlan;

/* Works out the plan of `filter` for frames of `layout`. CC_ERROR_INVALID names the property, its
 * value and what would be accepted. */
CcPlan *cc_plan_new(const CcFilter *filter, const CcFrameLayout *layout, GError **error);
CcPlan *cc_plan_ref(CcPlan *plan);
void cc_plan_unref(CcPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CcPlan, cc_plan_unref)

/* One line for logs: the path that the plan took, as "3x3 separable exact f32 magnitude, 2 passes".
 */
gchar *cc_plan_describe(const CcPlan *plan);

G_END_DECLS
