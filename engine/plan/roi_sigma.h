/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The blur of a region with the option roi-sigma: its sigma is a share of the smaller side of the
 * region. Sigmas are rounded up to steps, so that regions of many sizes need few programs. */

#include "filter.h"
#include "region.h"

G_BEGIN_DECLS

/* Step k has a sigma of 2^((k - CC_ROI_SIGMA_ONE) / 4) pixels, from half a pixel on. The highest
 * step has CC_MAX_ROI_SIGMA instead. */
enum { CC_ROI_SIGMA_ONE = 4, CC_N_ROI_SIGMAS = 29 };

/* The sigma of three boxes of 127x127, sqrt((127^2 - 1) / 4). */
#define CC_MAX_ROI_SIGMA 63.4980314655504

/* Whether the filter has roi-sigma and a Gaussian kernel, which uses it. */
gboolean cc_filter_has_roi_sigma(const CcFilter *filter);

/* Whether the other settings of the filter allow roi-sigma. If not, CC_ERROR_INVALID names the
 * setting. */
gboolean cc_filter_check_roi_sigma(const CcFilter *filter, GError **error);

/* The step for a region. *limited is set to whether the region would need
 * a sigma above CC_MAX_ROI_SIGMA. */
guint cc_roi_sigma_step(const CcFilter *filter, const CcRegion *region, gboolean *limited);

/* Sets `blur` to the filter of a step: a Gaussian, or three boxes if its sigma is above 21 pixels.
 * Three boxes approximate a Gaussian: P. Kovesi, "Fast Almost-Gaussian Filtering", DICTA 2010. The
 * kernel of `blur` is borrowed. */
void cc_roi_sigma_filter(const CcFilter *filter, guint step, CcFilter *blur);

G_END_DECLS
