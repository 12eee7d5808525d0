/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The filter: the user's settings. */

#include "engine/kernel/kernel.h"

G_BEGIN_DECLS

#define CC_ALPHAS(F)                                                                               \
  F(CC_ALPHA_COPY, "copy", "Copied")                                                               \
  F(CC_ALPHA_FILTER, "filter", "Filtered as the colors are")                                       \
  F(CC_ALPHA_OPAQUE, "opaque", "Set to opaque")                                                    \
  F(CC_ALPHA_WEIGHTED, "weighted", "Filtered, and colors by the weight of their alpha")

typedef enum { CC_ALPHAS(CC_LIST_CONSTANT) } CcAlpha;
enum { CC_N_ALPHAS = CC_ALPHAS(CC_LIST_PLUS_ONE) };

#define CC_COLORS(F)                                                                               \
  F(CC_COLOR_AUTO, "auto", "Grey with edge kernels, else components")                              \
  F(CC_COLOR_COMPONENTS, "components", "Red, green and blue each by itself")                       \
  F(CC_COLOR_GREY, "grey", "Their luma, which all three become")

typedef enum { CC_COLORS(CC_LIST_CONSTANT) } CcColor;
enum { CC_N_COLORS = CC_COLORS(CC_LIST_PLUS_ONE) };

#define CC_OUTSIDES(F)                                                                             \
  F(CC_OUTSIDE_COPY, "copy", "Copied from the input")                                              \
  F(CC_OUTSIDE_BLACK, "black", "Set to black")

typedef enum { CC_OUTSIDES(CC_LIST_CONSTANT) } CcOutsideRegions;
enum { CC_N_OUTSIDES = CC_OUTSIDES(CC_LIST_PLUS_ONE) };

#define CC_FIELDS(F)                                                                               \
  F(CC_FIELDS_AUTO, "auto", "Each field of interlaced video by itself")                            \
  F(CC_FIELDS_FRAME, "frame", "Frames as a whole")

typedef enum { CC_FIELDS(CC_LIST_CONSTANT) } CcFields;
enum { CC_N_FIELDS = CC_FIELDS(CC_LIST_PLUS_ONE) };

#define CC_MEASURES(F)                                                                             \
  F(CC_MEASURE_OFF, "off", "Nothing")                                                              \
  F(CC_MEASURE_SUMS, "sums", "Number, sum, sum of squares, largest, and counts")                   \
  F(CC_MEASURE_HISTOGRAM, "histogram", "The same, and a histogram of 256 bins")

typedef enum { CC_MEASURES(CC_LIST_CONSTANT) } CcMeasures;
enum { CC_N_MEASURES = CC_MEASURES(CC_LIST_PLUS_ONE) };

/* The limits of a filter's numbers; scale and bias may also be negative. */
#define CC_MAX_SIGMA 1000.0
#define CC_MAX_SCALE 1e6
#define CC_MAX_BIAS 65535.0
#define CC_MAX_MIX 8.0 /* mix may also be negative */
#define CC_MAX_REPEATS 3u
#define CC_MAX_GRADIENT 1e6 /* of low and high */
#define CC_DEFAULT_LOW 100.0
#define CC_DEFAULT_HIGH 200.0

/* A zero-initialised filter with a kernel is valid. */
typedef struct {
  CcKernel *kernel; /* not NULL; borrowed by cc_plan_new */
  guint size;       /* requested size, 0 or odd, as for cc_kernel_get_size */
  /* In pixels. > 0: a Gaussian kernel is sampled with this sigma and has `size` rows and columns.
   * If size is 0, its rows and columns cover three sigma on both sides. Other kernels ignore sigma.
   */
  gdouble sigma;
  gdouble scale; /* 0: the kernel's own scale, which may be automatic */
  gdouble bias;  /* in 8-bit code values */
  CcResponse response;
  /* Thresholds of the responses canny and canny-l1, in 8-bit code values of the gradient. They are
   * exchanged if low is above high. */
  gdouble low, high;
  CcBorder border;
  gdouble border_value; /* fraction of full scale, 0 to 1 */
  CcChroma chroma;
  /* A built-in kernel for the chroma planes, with its own response, the automatic scale and no
   * bias. NULL: `kernel` with the settings above. With a chroma kernel, CC_CHROMA_AUTO is filter.
   */
  CcKernel *chroma_kernel;
  guint chroma_size; /* requested size for the chroma planes; 0: `size` */
  CcColor color;
  CcAlpha alpha;
  /* CcAlgorithm of cuda/algorithm.h; 0: the fastest that can run the plan. The CUDA backend
   * refuses an algorithm that cannot run the plan. */
  guint algorithm;
  guint stride; /* n = 1, 2 or 4 (0 means 1): every n-th pixel of every n-th row is kept */
  /* How often the passes run one after another, each on the result of the one before: up to
   * CC_MAX_REPEATS times (0 means 1). More than once only with stride 1 and without
   * direction-color. */
  guint repeats;
  gdouble threshold; /* 0: off; above 0: fraction of the range from black to white, up to 1 */
  gboolean invert;
  gboolean mixes; /* FALSE: as with a mix of 1 */
  gdouble mix;
  guint overlay; /* 0xAARRGGBB; 0: off */
  CcMeasures measure;
  /* The settings for parts of frames. They do not change the plan of the filter. */
  CcFields fields;
  CcOutsideRegions outside; /* what pixels outside of all regions have */
  /* > 0: sigma of a Gaussian kernel as a share of the smaller side of each region */
  gdouble roi_sigma;
} CcFilter;

/* Drops the reference to the kernel, if the filter has one. */
void cc_filter_clear(CcFilter *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CcFilter, cc_filter_clear)

gboolean cc_filter_equal(const CcFilter *a, const CcFilter *b);

/* What happens to chroma, never CC_CHROMA_AUTO. Overlay and threshold may still replace it. The
 * filter must have a kernel. */
CcChroma cc_filter_get_chroma(const CcFilter *self);

/* Why chroma_kernel and chroma_size have no effect, as the end of a sentence. NULL: they have one,
 * or they are not set. */
const gchar *cc_filter_ignores_chroma_kernel(const CcFilter *self);

G_END_DECLS
