/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "roi_sigma.h"

#include <math.h>
#include "engine/error.h"

#define MAX_GAUSSIAN 21.0 /* the sigma that the largest Gaussian kernel can have */
#define N_BOXES 3

static gdouble
sigma_of(guint step) {
  return step + 1 < CC_N_ROI_SIGMAS ? exp2((step - (gdouble)CC_ROI_SIGMA_ONE) / 4)
                                    : CC_MAX_ROI_SIGMA;
}

gboolean
cc_filter_has_roi_sigma(const CcFilter *filter) {
  return filter->roi_sigma > 0 && filter->kernel->gaussian;
}

gboolean
cc_filter_check_roi_sigma(const CcFilter *filter, GError **error) {
  if (!cc_filter_has_roi_sigma(filter))
    return TRUE;
  const gchar *other = filter->stride > 1                     ? "stride=1"
                       : filter->scale != 0                   ? "scale=0"
                       : filter->bias != 0                    ? "bias=0"
                       : filter->response > CC_RESPONSE_CLAMP ? "response=auto or clamp"
                                                              : NULL;
  if (other)
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "roi-sigma=%g: %s is needed, because large "
                "regions are blurred several times",
                filter->roi_sigma, other);
  return !other;
}

guint
cc_roi_sigma_step(const CcFilter *filter, const CcRegion *region, gboolean *limited) {
  const guint side = MIN(region->source.width, region->source.height);
  const gdouble sigma = filter->roi_sigma * MAX(side, region->given_side);
  guint step = 0;
  while (step + 1 < CC_N_ROI_SIGMAS && sigma_of(step) < sigma)
    step++;
  *limited = sigma > CC_MAX_ROI_SIGMA;
  return step;
}

void
cc_roi_sigma_filter(const CcFilter *filter, guint step, CcFilter *blur) {
  const gdouble sigma = sigma_of(step);
  *blur = *filter;
  blur->size = 0;
  blur->sigma = sigma;
  blur->chroma_kernel = NULL;
  blur->chroma_size = 0;
  blur->algorithm = 0; /* an algorithm that runs all kernels of all steps */
  if (sigma <= MAX_GAUSSIAN)
    return;
  const guint side = (guint)ceil(sqrt(4 * sigma * sigma + 1));
  blur->kernel = cc_kernels_find("box");
  blur->size = MIN(side | 1, CC_MAX_KERNEL_SIZE);
  blur->sigma = 0;
  blur->repeats = N_BOXES;
}
