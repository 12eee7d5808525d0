/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stage.h"

#include "cuda/tile_sizes.h"

#define CLASS(constant, name) [constant] = &cc_cuda_##name,
const CcCudaStageClass *cc_cuda_stage_classes[CC_N_STAGE_KINDS] = {CC_STAGES(CLASS)};
#undef CLASS

/* --- steps with a thread for each sample --- */

static gboolean
is_in_frame(const CcCudaStep *step) {
  return step->stage->reads == CC_READS_SAMPLES;
}

static void
set_plane_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  for (gint p = 0; p < launch->n_parts; p++) {
    CcPart *part = &launch->part[p];
    const CcRect *to = is_in_frame(step) ? &placement->frame_target[p] : &placement->target[p];
    const CcRect *from =
        is_in_frame(step) && step->stage->needs_source ? &placement->frame_source[p] : to;
    part->src_width = (gint)from->width;
    part->src_height = (gint)from->height;
    part->width = (gint)to->width;
    part->height = (gint)to->height;
    cc_cuda_part_set_tiles(part,
                           cc_cuda_divide_up(to->width, CC_STAGE_TILE_WIDTH) * (guint)part->step,
                           cc_cuda_divide_up(to->height, CC_STAGE_TILE_HEIGHT));
  }
}

static void
set_plane_places(CcLaunch *launch, const CcCudaStep *step, const CcCudaPlaces *places) {
  const guint from = is_in_frame(step) && !step->stage->needs_source ? step->to : step->from;
  for (gint p = 0; p < launch->n_parts; p++) {
    CcPart *part = &launch->part[p];
    part->src = places->set[from][p].offset;
    part->src_pitch = (gint)places->set[from][p].pitch;
    part->dst = places->set[step->to][p].offset;
    part->dst_pitch = (gint)places->set[step->to][p].pitch;
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
  step->set_places = set_plane_places;
  launch->border = plan->border;
  launch->stride = is_in_frame(step) && step->stage->needs_source ? (gint)plan->stride : 1;
  launch->n_parts = (gint)planes->n_planes;
  for (guint p = 0; p < planes->n_planes; p++) {
    CcPart *part = &launch->part[p];
    const CcPlaneLayout *layout = &planes->plane[p];
    part->step = (gint)layout->step;
    part->shift = (gint)layout->shift;
    part->sample_bytes = (gint)cc_sample_size(layout->type);
    if (is_in_frame(step))
      continue;
    part->filter_mask = (gint)cc_plan_filtered_components(plan, p);
    part->copy_mask = (gint)cc_plan_made_components(plan, p) & ~part->filter_mask;
    for (guint c = 0; c < layout->step; c++)
      if (part->filter_mask >> c & 1)
        part->border_code[c] = (gint)cc_plan_border_code(plan, p, c);
  }
}
