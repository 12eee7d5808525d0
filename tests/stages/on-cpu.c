/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stages of tests on the CPU, row by row, and without rows of other slices. */

#include "cpu/component_offset.h"
#include "cpu/stages/stage.h"
#include "teststages.h"

typedef struct {
  const CcPlan *plan;
  const CcStage *stage;
} Stage;

static gpointer
create(const CcPlan *plan, const CcStage *stage, const CcRows *kernels, gsize *scratch_size) {
  Stage *self = g_new(Stage, 1);
  *self = (Stage){plan, stage};
  /* one without chunks of rows would show that memory is not the stage's own */
  *scratch_size = stage->reads == CC_READS_PLANES ? 1000 : 0;
  return self;
}

static guint64
cost(gconstpointer state, const CcPlacement *placement, guint plane) {
  return 1000 * placement->frame_target[0].width;
}

static void
add_count(const CcStageRows *rows, guint64 n) {
  __atomic_fetch_add((guint64 *)rows->result, n, __ATOMIC_RELAXED);
}

/* --- MAXIMUM --- */

/* Samples, wherever a pitch puts them. */
typedef guint16 Word __attribute__((aligned(1), may_alias));
typedef guint32 Long __attribute__((aligned(1), may_alias));

static guint
load_sample(const guint8 *row, guint i, gsize bytes) {
  return bytes == 1 ? row[i] : bytes == 2 ? ((const Word *)row)[i] : ((const Long *)row)[i];
}

static void
store_sample(guint8 *row, guint i, gsize bytes, guint word) {
  if (bytes == 1)
    row[i] = (guint8)word;
  else if (bytes == 2)
    ((Word *)row)[i] = (guint16)word;
  else
    ((Long *)row)[i] = word;
}

static guint
border_word(const CcPlan *plan, guint plane, guint component) {
  guint code = 0;
  for (guint i = 0; i < plan->n_passes; i++)
    if (plan->pass[i].plane == plane && plan->pass[i].filter_mask >> component & 1)
      code = plan->pass[i].border[component];
  return code << plan->layout.plane[plane].shift;
}

/* Whether some pass makes the component: of one that is painted later, nothing is in the planes. */
static gboolean
is_made(const CcPlan *plan, guint plane, guint component) {
  guint mask = 0;
  for (guint i = 0; i < plan->n_passes; i++)
    if (plan->pass[i].plane == plane)
      mask |= plan->pass[i].filter_mask | plan->pass[i].copy_mask | plan->pass[i].fill_mask;
  return mask >> component & 1;
}

static void
run_maximum(const Stage *self, const CcStageRows *rows) {
  const CcPlan *plan = self->plan;
  const guint p = rows->plane, step = plan->layout.plane[p].step;
  const CcRect *target = &rows->placement->target[p];
  const gint width = (gint)target->width, height = (gint)target->height;
  const gsize from_bytes = cc_plan_sample_bytes(plan, self->stage, p);
  const gsize to_bytes = cc_plan_sample_bytes(plan, cc_plan_get_reader(plan, self->stage), p);
  guint64 n_changed = 0;
  for (guint y = rows->y0; y < rows->y1; y++)
    for (guint i = 0; i < target->width * step; i++) {
      const guint c = i % step;
      if (!is_made(plan, p, c))
        continue;
      const guint before = load_sample(cc_strip_row(&rows->from[p], (gint)y), i, from_bytes);
      guint most = before;
      for (gint j = -1; j <= 1 && cc_plan_filtered_components(plan, p) >> c & 1; j++)
        for (gint k = -1; k <= 1; k++) {
          const gint row = cc_border_index((gint)y + j, height, plan->border);
          const gint column = cc_border_index((gint)(i / step) + k, width, plan->border);
          const guint word = row < 0 || column < 0
                                 ? border_word(plan, p, c)
                                 : load_sample(cc_strip_row(&rows->from[p], row),
                                               (guint)column * step + c, from_bytes);
          most = MAX(most, word);
        }
      n_changed += most != before;
      store_sample(cc_strip_row(&rows->to[p], (gint)y), i, to_bytes, most);
    }
  add_count(rows, n_changed);
}

/* --- LARGER --- */

static void
run_larger(const Stage *self, const CcStageRows *rows) {
  const CcPlan *plan = self->plan;
  const CcPlacement *placement = rows->placement;
  guint64 n_changed = 0;
  for (guint p = 0; p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *layout = &plan->layout.plane[p];
    const CcRect *source = &placement->source[p], *target = &placement->target[p];
    const guint mask = cc_plan_filtered_components(plan, p);
    for (guint k = 0; k < cc_packing_n_places(&plan->packing[p]); k++) {
      const CcPlace *place = &plan->packing[p].place[k];
      if (place->plane != rows->plane)
        continue;
      for (guint y = rows->y0; y < rows->y1; y++)
        for (guint i = 0; i < target->width * layout->step; i++) {
          const guint x = i / layout->step, c = i % layout->step;
          const guint from = cc_place_load(place, rows->src, layout->type,
                                           (source->x + plan->stride * x) * layout->step + c,
                                           source->y + plan->stride * y);
          const guint at = (target->x + x) * layout->step + c;
          const guint before = cc_place_load(place, rows->dst, layout->type, at, target->y + y);
          if (!(mask >> c & 1) || from <= before)
            continue;
          n_changed++;
          for (guint n = 0; n <= (x + 1 == target->width ? placement->repeats[p] : 0); n++)
            cc_place_store(place, rows->dst, layout->type, at + n * layout->step, target->y + y,
                           from);
        }
    }
  }
  add_count(rows, n_changed);
}

static void
run(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const Stage *self = state;
  if (self->stage->reads == CC_READS_SAMPLES) {
    run_larger(self, rows);
    return;
  }
  for (guint i = 0; i < 1000; i++)
    scratch[i] = (guint8)i;
  run_maximum(self, rows);
}

static void
explain(gconstpointer state, GPtrArray *lines) {
  const Stage *self = state;
  g_ptr_array_add(lines, g_strdup(self->stage->reads == CC_READS_PLANES ? "maximum" : "larger"));
}

static const CcCpuStageClass klass = {
    .create = create, .cost = cost, .run = run, .explain = explain, .free = g_free};

void
test_stages_use_on_cpu(void) {
  cc_cpu_set_test_stage(&klass);
}
