/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stage.h"

#include "cuda/tile_sizes.h"

#define CLASS(constant, name) [constant] = &cc_cuda_##name,
const CcCudaStageClass *cc_cuda_stage_classes[CC_N_STAGE_KINDS] = {CC_STAGES(CLASS)};
#undef CLASS

/* --- steps with one thread per sample --- */

static gboolean
is_in_frame(const CcCudaStep *step) {
  return step->stage->reads >= CC_READS_SAMPLES;
}

static void
set_plane_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  for (gint p = 0; p < launch->n_jobs; p++) {
    CcPlaneJob *job = &launch->job[p];
    const CcRect *to = is_in_frame(step) ? &placement->frame_target[p] : &placement->target[p];
    const CcRect *from =
        is_in_frame(step) && step->stage->needs_source ? &placement->frame_source[p] : to;
    job->src_width = (gint)from->width;
    job->src_height = (gint)from->height;
    job->width = (gint)to->width;
    job->height = (gint)to->height;
    cc_cuda_plane_job_set_tiles(
        job, cc_cuda_divide_up(to->width, CC_STAGE_TILE_WIDTH) * (guint)job->step,
        cc_cuda_divide_up(to->height, CC_STAGE_TILE_HEIGHT));
  }
}

static void
set_plane_addresses(CcLaunch *launch, const CcCudaStep *step, const CcCudaAddresses *addresses) {
  const guint from = is_in_frame(step) && !step->stage->needs_source ? step->to : step->from;
  for (gint p = 0; p < launch->n_jobs; p++) {
    CcPlaneJob *job = &launch->job[p];
    job->src = addresses->set[from][p].offset;
    job->src_pitch = (gint)addresses->set[from][p].pitch;
    job->dst = addresses->set[step->to][p].offset;
    job->dst_pitch = (gint)addresses->set[step->to][p].pitch;
  }
}

void
cc_cuda_stage_set_planes(CcCudaStep *step, CcCudaModule module, const gchar *name) {
  const CcPlan *plan = step->plan;
  const CcFrameLayout *planes = is_in_frame(step) ? &plan->frame_layout : &plan->layout;
  CcLaunch *launch = &step->params;
  step->module = module;
  g_strlcpy(step->name, name, sizeof step->name);
  step->block[0] = CC_STAGE_TILE_WIDTH;
  step->block[1] = CC_STAGE_TILE_HEIGHT;
  step->overlaps = TRUE;
  step->set_sizes = set_plane_sizes;
  step->set_addresses = set_plane_addresses;
  launch->border = plan->border;
  launch->stride = is_in_frame(step) && step->stage->needs_source ? (gint)plan->stride : 1;
  launch->n_jobs = (gint)planes->n_planes;
  for (guint p = 0; p < planes->n_planes; p++) {
    CcPlaneJob *job = &launch->job[p];
    const CcPlaneLayout *layout = &planes->plane[p];
    job->step = (gint)layout->step;
    job->shift = (gint)layout->shift;
    job->sample_bytes = (gint)cc_sample_size(layout->type);
    if (is_in_frame(step))
      continue;
    job->filter_mask = (gint)cc_plan_filtered_components(plan, p);
    job->copy_mask = (gint)cc_plan_made_components(plan, p) & ~job->filter_mask;
    for (guint c = 0; c < layout->step; c++)
      if (job->filter_mask >> c & 1)
        job->border_code[c] = (gint)cc_plan_border_code(plan, p, c);
  }
}
