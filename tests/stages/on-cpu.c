/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages of tests on the CPU, sample by sample. */

#include "cpu/component_offset.h"
#include "cpu/stages/stage.h"
#include "teststages.h"

#define SCRATCH_BYTES 1000 /* written by a stage, to show that the memory is its own */

static gpointer
create(const CcPlan *plan, const CcStage *stage, const CcRows *kernels, gsize *scratch_size) {
  *scratch_size = SCRATCH_BYTES;
  return NULL;
}

static guint64
cost(gconstpointer state, const CcPlan *plan, const CcPlacement *placement, guint plane) {
  return 1000000 * placement->frame_target[0].width; /* worth all threads */
}

typedef guint32 Long __attribute__((aligned(1), may_alias));

static guint
load_sample(const guint8 *row, guint i, gsize bytes) {
  return bytes == 1 ? row[i] : bytes == 2 ? ((const CcWord *)row)[i] : ((const Long *)row)[i];
}

static void
store_sample(guint8 *row, guint i, gsize bytes, guint word) {
  if (bytes == 1)
    row[i] = (guint8)word;
  else if (bytes == 2)
    ((CcWord *)row)[i] = (guint16)word;
  else
    ((Long *)row)[i] = word;
}

/* The largest sample around component c of pixel (x, y). */
static guint
maximum_at(const CcStageRows *rows, guint x, guint y, guint c, gsize bytes) {
  const CcPlan *plan = rows->plan;
  const CcPlaneLayout *layout = &plan->layout.plane[rows->plane];
  const CcRect *target = &rows->placement->target[rows->plane];
  guint max = 0;
  for (gint j = -1; j <= 1; j++)
    for (gint i = -1; i <= 1; i++) {
      const gint row = cc_border_index((gint)y + j, (gint)target->height, plan->border);
      const gint column = cc_border_index((gint)x + i, (gint)target->width, plan->border);
      const guint word = row < 0 || column < 0
                             ? cc_plan_border_code(plan, rows->plane, c) << layout->shift
                             : load_sample(cc_strip_row(&rows->from[rows->plane], row),
                                           (guint)column * layout->step + c, bytes);
      max = MAX(max, word);
    }
  return max;
}

static guint64
run_maximum(const CcStageRows *rows) {
  const CcPlan *plan = rows->plan;
  const guint p = rows->plane, step = plan->layout.plane[p].step;
  const guint filtered = cc_plan_filtered_components(plan, p);
  const gsize from_bytes = cc_plan_sample_bytes(plan, rows->stage, p);
  const gsize to_bytes = cc_plan_sample_bytes(plan, cc_plan_get_reader(plan, rows->stage), p);
  guint64 n_changed = 0;
  for (guint y = rows->y0; y < rows->y1; y++)
    for (guint i = 0; i < rows->placement->target[p].width * step; i++) {
      if (!(cc_plan_made_components(plan, p) >> i % step & 1))
        continue;
      const guint before = load_sample(cc_strip_row(&rows->from[p], (gint)y), i, from_bytes);
      const guint word =
          filtered >> i % step & 1 ? maximum_at(rows, i / step, y, i % step, from_bytes) : before;
      n_changed += word != before;
      store_sample(cc_strip_row(&rows->to[p], (gint)y), i, to_bytes, word);
    }
  return n_changed;
}

static guint64
run_larger(const CcStageRows *rows) {
  const CcPlan *plan = rows->plan;
  const CcPlaneLayout *layout = &plan->frame_layout.plane[rows->plane];
  const CcRect *source = &rows->placement->frame_source[rows->plane];
  const CcRect *target = &rows->placement->frame_target[rows->plane];
  const guint n_pixels = test_stages_pixels(&plan->out_frame_layout.plane[rows->plane], target);
  const CcComponentOffset offset = {rows->plane, 0, 1};
  guint64 n_changed = 0;
  for (guint y = rows->y0; y < rows->y1; y++)
    for (guint i = 0; i < target->width * layout->step; i++) {
      const guint from_at =
          source->x * layout->step + test_stages_source_sample(layout, plan->stride, n_pixels, i);
      const guint from = cc_component_load(&offset, rows->src, layout->type, from_at,
                                           source->y + plan->stride * y);
      const guint at = target->x * layout->step + i;
      if (from <= cc_component_load(&offset, rows->dst, layout->type, at, target->y + y))
        continue;
      cc_component_store(&offset, rows->dst, layout->type, at, target->y + y, from);
      n_changed++;
    }
  return n_changed;
}

static void
run(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  for (guint i = 0; i < SCRATCH_BYTES; i++)
    scratch[i] = (guint8)i;
  const guint64 n = rows->stage->reads == CC_READS_PLANES ? run_maximum(rows) : run_larger(rows);
  __atomic_fetch_add((guint64 *)rows->result, n, __ATOMIC_RELAXED);
}

static const CcCpuStageClass klass = {
    .name = "a stage of tests", .create = create, .cost = cost, .run = run};

void
test_stages_use_on_cpu(void) {
  cc_cpu_stage_classes[CC_STAGE_TEST] = &klass;
}
