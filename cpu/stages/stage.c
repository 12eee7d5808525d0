/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stage.h"

#include <string.h>

#define CLASS(constant, name) [constant] = &cc_cpu_##name,
const CcCpuStageClass *cc_cpu_stage_classes[CC_N_STAGE_KINDS] = {CC_STAGES(CLASS)};

const guint8 *
cc_cpu_source_row(const CcStageRows *rows, const CcRows *kernels, guint plane, guint y,
                  guint8 *scratch) {
  const CcPlan *plan = rows->plan;
  const CcPlaneLayout *layout = &plan->frame_layout.plane[plane];
  const CcRect *source = &rows->placement->frame_source[plane];
  const CcRect *target = &rows->placement->frame_target[plane];
  const gsize size = cc_sample_size(layout->type), pixel = layout->step * size;
  const guint8 *from = rows->src->plane[plane].data +
                       (gssize)(source->y + plan->stride * y) * rows->src->plane[plane].pitch +
                       source->x * pixel;
  if (plan->stride == 1)
    return from;
  if (kernels && !layout->has_macropixels) {
    kernels->samples->thin[plan->stride == 4][pixel](scratch, from, target->width);
    return scratch;
  }
  const guint n_pixels = cc_target_pixels(&plan->out_frame_layout.plane[plane], target);
  for (guint i = 0; i < target->width * layout->step; i++)
    memcpy(scratch + i * size, from + size * cc_source_sample(layout, plan->stride, n_pixels, i),
           size);
  return scratch;
}
