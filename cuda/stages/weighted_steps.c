/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stage.h"

#include "weighted.h"

CC_CUDA_DECLARE_MODULE(weighted);

/* PREMULTIPLY writes the source of the inner plan, and DIVIDE writes the target of the frame. */
static void
set_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  const CcRect *rect = step->stage->kind == CC_STAGE_PREMULTIPLY ? &placement->frame_source[0]
                                                                 : &placement->frame_target[0];
  for (gint g = 0; g < launch->n_jobs; g++) {
    CcPlaneJob *job = &launch->job[g];
    job->src_width = job->width = (gint)rect->width;
    job->src_height = job->height = (gint)rect->height;
    cc_cuda_plane_job_set_tiles(
        job, cc_cuda_divide_up(rect->width, CC_WEIGHTED_WIDTH),
        cc_cuda_divide_up(rect->height, CC_WEIGHTED_HEIGHT * CC_WEIGHTED_ROWS));
  }
}

static void
set_addresses(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses) {
  const gboolean multiplies = step->stage->kind == CC_STAGE_PREMULTIPLY;
  const CcCudaAddresses *inner = addresses->inner;
  for (gint g = 0; g < launch->n_jobs; g++) {
    CcPlaneJob *job = &launch->job[g];
    const CcCudaPlane *src =
        multiplies ? &addresses->set[step->from][0] : &inner->set[CC_CUDA_FRAME_DST][g];
    const CcCudaPlane *dst =
        multiplies ? &inner->set[CC_CUDA_FRAME_SRC][g] : &addresses->set[step->to][0];
    job->src = src->offset;
    job->src_pitch = (gint)src->pitch;
    job->dst = dst->offset;
    job->dst_pitch = (gint)dst->pitch;
  }
}

static void
set_step(CcCudaStep *step, GByteArray *taps, GString *text) {
  const CcWeighted *weighted = step->stage->data;
  const CcPlaneLayout *plane = &step->plan->frame_layout.plane[0];
  const gboolean multiplies = step->stage->kind == CC_STAGE_PREMULTIPLY;
  step->module = cc_fatbin_weighted;
  g_snprintf(step->name, sizeof step->name, "%s_%s", multiplies ? "cc_premultiply" : "cc_divide",
             plane->type == CC_SAMPLE_U8 ? "u8" : "u16");
  step->block[0] = CC_WEIGHTED_WIDTH;
  step->block[1] = CC_WEIGHTED_HEIGHT;
  step->overlaps = TRUE;
  step->set_sizes = set_sizes;
  step->set_addresses = set_addresses;
  step->params.n_jobs = (gint)weighted->frame.n_planes;
  for (guint g = 0; g < weighted->frame.n_planes; g++) {
    CcPlaneJob *job = &step->params.job[g];
    CcWeightedJob *priv = CC_PRIVATE(CcWeightedJob, job);
    job->step = (gint)plane->step;
    job->sample_bytes = (gint)cc_sample_size(plane->type);
    job->filter_mask = (gint)weighted->colors[g];
    priv->alpha = (guint8)weighted->alpha;
    priv->is_luma = weighted->is_luma;
    for (guint c = 0; weighted->is_luma && c < plane->step; c++)
      if (plane->role[c] != CC_ROLE_ALPHA)
        priv->rgb[plane->role[c] - CC_ROLE_RED] = (guint8)c;
  }
  g_string_append(text, multiplies ? "premultiply" : "divide by alpha");
}

const CcCudaStageClass cc_cuda_premultiply = {.set_step = set_step};
const CcCudaStageClass cc_cuda_divide = {.set_step = set_step};
