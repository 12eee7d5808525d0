/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages of tests on the GPU. */

#include "cuda/stages/stage.h"
#include "kernels.h"
#include "teststages.h"

CC_CUDA_DECLARE_MODULE(teststages);

/* --- MAXIMUM: planes of the plan --- */

static void
set_part_places(CcPart *part, const CcCudaStep *step, const CcCudaPlaces *places, guint plane) {
  const CcCudaPlane *from = &places->set[step->from][plane], *to = &places->set[step->to][plane];
  part->src = from->offset;
  part->src_pitch = (gint)from->pitch;
  part->dst = to->offset;
  part->dst_pitch = (gint)to->pitch;
  CC_OWN(TestStagePart, part)->count = places->results + step->result_offset;
}

static void
set_places(CcLaunch *launch, const CcCudaStep *step, const CcCudaPlaces *places) {
  for (gint p = 0; p < launch->n_parts; p++)
    set_part_places(&launch->part[p], step, places, (guint)p);
}

static void
set_part_sizes(CcPart *part, const CcRect *source, const CcRect *target) {
  part->width = (gint)target->width;
  part->height = (gint)target->height;
  part->src_width = (gint)source->width;
  part->src_height = (gint)source->height;
  cc_cuda_part_set_tiles(part,
                         cc_cuda_divide_up(target->width * (guint)part->step, TEST_STAGE_ACROSS),
                         cc_cuda_divide_up(target->height, TEST_STAGE_DOWN));
}

static void
set_maximum_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  for (gint p = 0; p < launch->n_parts; p++)
    set_part_sizes(&launch->part[p], &placement->target[p], &placement->target[p]);
}

static void
set_maximum_part(CcPart *part, const CcCudaStep *step, guint p) {
  const CcPlan *plan = step->plan;
  const CcPlaneLayout *layout = &plan->layout.plane[p];
  TestStagePart *own = CC_OWN(TestStagePart, part);
  part->step = (gint)layout->step;
  part->shift = (gint)layout->shift;
  part->filter_mask = (gint)cc_plan_filtered_components(plan, p);
  own->from_bytes = (gint)cc_plan_sample_bytes(plan, step->stage, p);
  own->to_bytes = (gint)cc_plan_sample_bytes(plan, cc_plan_get_reader(plan, step->stage), p);
  part->sample_bytes = MIN(own->from_bytes, own->to_bytes);
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    if (pass->plane != p)
      continue;
    own->made_mask |= (gint)(pass->filter_mask | pass->copy_mask | pass->fill_mask);
    for (guint c = 0; c < layout->step; c++)
      if (pass->filter_mask >> c & 1)
        part->border_code[c] = pass->border[c];
  }
}

/* --- LARGER: planes of the frame --- */

/* The roles that passes filter, a bit each; with grey, those that it is made of. */
static guint
filtered_roles(const CcPlan *plan) {
  guint roles = 0;
  for (guint p = 0; p < plan->layout.n_planes; p++)
    for (guint c = 0; c < plan->layout.plane[p].step; c++)
      if (cc_plan_filtered_components(plan, p) >> c & 1)
        roles |= 1u << plan->layout.plane[p].role[c];
  if (roles & 1u << CC_ROLE_GREY)
    roles |= 1u << CC_ROLE_RED | 1u << CC_ROLE_GREEN | 1u << CC_ROLE_BLUE;
  return roles;
}

static void
set_larger_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  for (gint p = 0; p < launch->n_parts; p++) {
    const CcPlaneLayout *layout = &step->plan->out_frame_layout.plane[p];
    const CcRect *target = &placement->frame_target[p];
    const gboolean is_cut =
        layout->width % 2 && target->x + target->width == cc_plane_groups(layout);
    set_part_sizes(&launch->part[p], &placement->frame_source[p], target);
    CC_OWN(TestStagePart, &launch->part[p])->n_pixels = 2 * (gint)target->width - (is_cut ? 1 : 0);
  }
}

static void
set_larger_part(CcPart *part, const CcPlan *plan, guint p) {
  const CcPlaneLayout *layout = &plan->frame_layout.plane[p];
  const guint roles = filtered_roles(plan);
  TestStagePart *own = CC_OWN(TestStagePart, part);
  part->step = (gint)layout->step;
  part->shift = (gint)layout->shift;
  part->sample_bytes = own->from_bytes = (gint)cc_sample_size(layout->type);
  own->luma = !layout->pairs ? -1 : layout->role[0] == CC_ROLE_LUMA ? 0 : 1;
  for (guint c = 0; c < layout->step; c++)
    part->filter_mask |= (gint)(roles >> layout->role[c] & 1) << c;
}

/* --- steps --- */

static void
set_step(CcCudaStep *step, GByteArray *taps, GString *what) {
  const CcPlan *plan = step->plan;
  const gboolean is_maximum = step->stage->reads == CC_READS_PLANES;
  CcLaunch *launch = &step->params;
  launch->stride = (gint)plan->stride;
  launch->border = plan->border;
  launch->n_parts = (gint)(is_maximum ? plan->layout.n_planes : plan->frame_layout.n_planes);
  for (guint p = 0; p < (guint)launch->n_parts; p++)
    if (is_maximum)
      set_maximum_part(&launch->part[p], step, p);
    else
      set_larger_part(&launch->part[p], plan, p);
  step->module = cc_fatbin_teststages;
  g_strlcpy(step->name, is_maximum ? "cc_test_maximum" : "cc_test_larger", sizeof step->name);
  step->block[0] = TEST_STAGE_ACROSS;
  step->block[1] = TEST_STAGE_DOWN;
  step->overlaps = TRUE;
  step->set_sizes = is_maximum ? set_maximum_sizes : set_larger_sizes;
  step->set_places = set_places;
  g_string_append(what, is_maximum ? "maximum" : "larger");
}

static const CcCudaStageClass klass = {.set_step = set_step};

void
test_stages_use_on_gpu(void) {
  cc_cuda_set_test_stage(&klass);
}
