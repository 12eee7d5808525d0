/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The filter: what the user asks for. */

#include "engine/kernel/kernel.h"

G_BEGIN_DECLS

/* What becomes of alpha. */
#define CC_ALPHAS(F)                                                                               \
  F(CC_ALPHA_COPY, "copy", "Copied")                                                               \
  F(CC_ALPHA_FILTER, "filter", "Filtered as the colours are")                                      \
  F(CC_ALPHA_OPAQUE, "opaque", "Set to opaque")

typedef enum { CC_ALPHAS(CC_LIST_CONSTANT) } CcAlpha;
enum { CC_N_ALPHAS = CC_ALPHAS(CC_LIST_PLUS_ONE) };

/* What R, G and B are filtered as. */
#define CC_COLORS(F)                                                                               \
  F(CC_COLOR_AUTO, "auto", "Grey with edge kernels, else components")                              \
  F(CC_COLOR_COMPONENTS, "components", "Red, green and blue each by itself")                       \
  F(CC_COLOR_GREY, "grey", "Their luma, which all three become")

typedef enum { CC_COLORS(CC_LIST_CONSTANT) } CcColor;
enum { CC_N_COLORS = CC_COLORS(CC_LIST_PLUS_ONE) };

/* A rectangle of pixels. */
typedef struct {
  guint x, y, width, height;
} CcRect;

/* The ranges of a filter's numbers; scale and bias may be negative as well. */
#define CC_MAX_SIGMA 1000.0
#define CC_MAX_SCALE 1e6
#define CC_MAX_BIAS 65535.0

/* Zero-initialised plus a kernel is a valid filter. */
typedef struct {
  CcKernel *kernel; /* not NULL; borrowed by cc_plan_new */
  guint size;       /* a wish, 0 or odd, as cc_kernel_get_size takes it */
  gdouble sigma;    /* pixels; > 0 samples a Gaussian where the kernel is one, else ignored: of the
                       size or, where that is 0, of as many taps as three sigma need */
  gdouble scale;    /* 0: the kernel's, or automatic */
  gdouble bias;     /* in 8-bit code values */
  CcResponse response;
  CcBorder border;
  gdouble border_value; /* 0 to 1 of full scale */
  CcChroma chroma;
  CcColor color;
  CcAlpha alpha;
  guint algorithm; /* of the GPU, which refuses one that cannot run the kernel (CcAlgorithm of
                      cuda/algorithm.h); 0: the fastest */
  guint stride;    /* 1, 2 or 4 (0 is 1): every n-th pixel of every n-th row is kept */
  /* The part of the picture that is filtered, as if it were all there is: no pixel outside it is
   * read, and the border rule applies at its edges. What of it lies outside of the picture is cut
   * off. An empty one is the whole picture. */
  CcRect source;
  /* Where the top left pixel of the result goes in the output picture; what does not fit there is
   * cut off. Without target_set it is the source's place, divided by the stride. */
  gboolean target_set;
  guint target_x, target_y;
} CcFilter;

/* Drops the reference to the kernel of a filter that has one. */
void cc_filter_clear(CcFilter *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcFilter, cc_filter_clear)

/* Whether two filters differ in nothing but the region: source and target. */
gboolean cc_filter_equal_but_region(const CcFilter *a, const CcFilter *b);

G_END_DECLS
