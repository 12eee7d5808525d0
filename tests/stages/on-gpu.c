/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages of tests on the GPU. */

#include "cuda/stages/stage.h"
#include "kernels.h"
#include "teststages.h"

CC_CUDA_DECLARE_MODULE(teststages);

static void (*set_plane_sizes)(CcLaunch *, const CcCudaStep *, const CcPlacement *);
static void (*set_plane_places)(CcLaunch *, const CcCudaStep *, const CcCudaPlaces *);

static void
set_sizes(CcLaunch *launch, const CcCudaStep *step, const CcPlacement *placement) {
  set_plane_sizes(launch, step, placement);
  for (gint p = 0; p < launch->n_parts && step->stage->reads == CC_READS_SAMPLES; p++)
    CC_OWN(TestStagePart, &launch->part[p])->n_pixels = (gint)test_stages_pixels(
        &step->plan->out_frame_layout.plane[p], &placement->frame_target[p]);
}

static void
set_places(CcLaunch *launch, const CcCudaStep *step, const CcCudaPlaces *places) {
  set_plane_places(launch, step, places);
  for (gint p = 0; p < launch->n_parts; p++)
    CC_OWN(TestStagePart, &launch->part[p])->count = places->results + step->stage->result_at;
}

static void
set_step(CcCudaStep *step, GByteArray *taps, GString *what) {
  const CcPlan *plan = step->plan;
  const gboolean is_maximum = step->stage->reads == CC_READS_PLANES;
  const CcStage *reader = cc_plan_get_reader(plan, step->stage);
  cc_cuda_stage_set_planes(step, cc_fatbin_teststages,
                           is_maximum ? "cc_test_maximum" : "cc_test_larger");
  set_plane_sizes = step->set_sizes;
  set_plane_places = step->set_places;
  step->set_sizes = set_sizes;
  step->set_places = set_places;
  for (guint p = 0; p < (guint)step->params.n_parts; p++) {
    const CcPlaneLayout *frame = &plan->frame_layout.plane[p];
    TestStagePart *own = CC_OWN(TestStagePart, &step->params.part[p]);
    own->luma = is_maximum || !frame->pairs ? -1 : frame->role[0] == CC_ROLE_LUMA ? 0 : 1;
    if (!is_maximum)
      continue;
    own->from_bytes = (gint)cc_plan_sample_bytes(plan, step->stage, p);
    own->to_bytes = (gint)cc_plan_sample_bytes(plan, reader, p);
    own->made_mask = (gint)cc_plan_made_components(plan, p);
  }
  g_string_append(what, is_maximum ? "maximum" : "larger");
}

static const CcCudaStageClass klass = {.set_step = set_step};

void
test_stages_use_on_gpu(void) {
  cc_cuda_stage_classes[CC_STAGE_TEST] = &klass;
}
