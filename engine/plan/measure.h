/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Measuring: statistics of the code values of a result, as exact integers. The stage MEASURE reads
 * the luma, the grey, or the luma of R, G and B (cc_luma_of), after the convolution and before
 * threshold, invert, mix and overlay. All threads add to the results of a region, which begin
 * with 0. Each field of a region adds to the same results. */

#include "component_group.h"
#include "filter.h"
#include "measure_shared.h"

G_BEGIN_DECLS

typedef struct {
  CcFrameLayout frame; /* of the output */
  /* The luma, the grey, R if all of R, G and B are grey, or R, G and B in this order. `plane` is a
   * plane of the frame. */
  CcComponentGroup group;
  CcMeasureLimits limits;
  gboolean has_histogram;
} CcMeasure;

/* Returns NULL if nothing is measured. `frame` is the layout of the output. `is_grey` is whether R,
 * G and B of each pixel are equal, so that they are their luma. */
CcMeasure *cc_measure_new(const CcFilter *filter, const CcFrameLayout *frame, gboolean is_grey);

/* Whether the samples of a pixel are in several planes of the frame. */
gboolean cc_measure_reads_planes(const CcMeasure *self);

/* Bytes of the results: CcMeasured, with the bins only if there is a histogram. */
gsize cc_measure_result_bytes(const CcMeasure *self);

/* Adds a code value to the sums. Histograms are separate. */
static inline void
cc_measured_take(CcMeasured *self, const CcMeasureLimits *limits, unsigned code) {
  self->n++;
  self->sum += code;
  self->squares += (uint64_t)code * code;
  self->largest = code > self->largest ? code : self->largest;
  self->n_above += code >= limits->above;
  self->n_black += code <= limits->black;
  self->n_white += code >= limits->white;
}

/* Adds the figures of another region or field. */
void cc_measured_add(CcMeasured *self, const CcMeasured *other, gboolean has_histogram);

G_END_DECLS
