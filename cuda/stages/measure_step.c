/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The step that measures. */

#include "stage.h"

#include "luma_source.h"
#include "measure.h"

CC_CUDA_DECLARE_MODULE(measure);

static void
set_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  const CcMeasure *measure = step->stage->data;
  const CcRect *target = &placement->frame_target[measure->group.plane];
  CcPlaneJob *job = &launch->job[0];
  job->width = (gint)cc_target_pixels(&measure->frame.plane[measure->group.plane], target);
  job->height = (gint)target->height;
  cc_cuda_plane_job_set_tiles(job, cc_cuda_divide_up((guint)job->width, CC_MEASURE_TILE_WIDTH),
                              cc_cuda_divide_up((guint)job->height, CC_MEASURE_TILE_HEIGHT));
}

static void
set_addresses(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses) {
  CcMeasureJob *priv = CC_PRIVATE(CcMeasureJob, &launch->job[0]);
  cc_cuda_luma_source_set_addresses(&priv->luma, addresses->set[step->to]);
  priv->result = addresses->results + step->stage->result_at;
}

static void
set_step(CcCudaStep *step, GByteArray *taps, GString *text) {
  const CcMeasure *measure = step->stage->data;
  const CcPlaneLayout *plane = &measure->frame.plane[measure->group.plane];
  CcPlaneJob *job = &step->params.job[0];
  CcMeasureJob *priv = CC_PRIVATE(CcMeasureJob, job);
  step->params.stride = 1;
  step->params.n_jobs = 1;
  job->step = 1;
  job->shift = (gint)plane->shift;
  job->sample_bytes = (gint)cc_sample_size(plane->type);
  cc_cuda_luma_source_init(&priv->luma, measure->group.offset, measure->group.n);
  priv->limits = measure->limits;
  priv->has_histogram = measure->has_histogram;
  step->module = cc_fatbin_measure;
  g_snprintf(step->name, sizeof step->name, "cc_measure_%s",
             plane->type == CC_SAMPLE_U8 ? "u8" : "u16");
  step->block[0] = CC_MEASURE_WIDTH;
  step->block[1] = CC_MEASURE_HEIGHT;
  step->overlaps = TRUE;
  step->set_sizes = set_sizes;
  step->set_addresses = set_addresses;
  g_string_append(text, "measure");
}

const CcCudaStageClass cc_cuda_measure = {.set_step = set_step};
