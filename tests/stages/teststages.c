/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "teststages.h"

#include "cpu/component_offset.h"

#define MAXIMUM(bytes)                                                                             \
  {                                                                                                \
    .kind = CC_STAGE_TEST, .reads = CC_READS_PLANES, .sample_bytes = bytes,                        \
    .result_bytes = sizeof(guint64)                                                                \
  }
#define LARGER                                                                                     \
  {                                                                                                \
    .kind = CC_STAGE_TEST, .reads = CC_READS_SAMPLES, .needs_source = TRUE,                        \
    .result_bytes = sizeof(guint64)                                                                \
  }

const TestStages test_stages[] = {
    {"none", 0, {{0}}},
    {"maximum", 1, {MAXIMUM(0)}},
    {"maximum twice", 2, {MAXIMUM(0), MAXIMUM(4)}},
    {"larger", 1, {LARGER}},
    {"maximum twice, larger", 3, {MAXIMUM(0), MAXIMUM(4), LARGER}},
    {NULL, 0, {{0}}},
};

/* --- MAXIMUM --- */

/* The samples of a component in a plane of the plan, as words. */
typedef struct {
  const CcPlan *plan;
  guint plane, component;
  CcRect target;
  guint repeats;
} Samples;

static guint
load(const Samples *self, const CcFrame *frame, guint x, guint y) {
  const CcPlaneLayout *layout = &self->plan->layout.plane[self->plane];
  return cc_component_load(&self->plan->map[self->plane].offset[0], frame, layout->type,
                           (self->target.x + x) * layout->step + self->component,
                           self->target.y + y);
}

/* With luma computed from R, G and B, all three get the word. */
static void
store(const Samples *self, const CcFrame *frame, guint x, guint y, guint word) {
  const CcPlaneLayout *layout = &self->plan->layout.plane[self->plane];
  const CcPlaneMap *map = &self->plan->map[self->plane];
  const guint n = x + 1 == self->target.width ? 1 + self->repeats : 1;
  for (guint k = 0; k < cc_plane_map_n_offsets(map); k++)
    for (guint i = 0; i < n; i++)
      cc_component_store(&map->offset[k], frame, layout->type,
                         (self->target.x + x + i) * layout->step + self->component,
                         self->target.y + y, word);
}

static guint
maximum_at(const Samples *self, const guint *words, guint x, guint y) {
  const CcPlan *plan = self->plan;
  guint max = 0;
  for (gint j = -1; j <= 1; j++)
    for (gint i = -1; i <= 1; i++) {
      const gint column = cc_border_index((gint)x + i, (gint)self->target.width, plan->border);
      const gint row = cc_border_index((gint)y + j, (gint)self->target.height, plan->border);
      const guint word = column < 0 || row < 0
                             ? cc_plan_border_code(plan, self->plane, self->component)
                                   << plan->layout.plane[self->plane].shift
                             : words[(guint)row * self->target.width + (guint)column];
      max = MAX(max, word);
    }
  return max;
}

static guint64
apply_maximum(const Samples *self, const CcFrame *dst) {
  const guint width = self->target.width, height = self->target.height;
  g_autofree guint *words = g_new(guint, (gsize)width * height);
  guint64 n_changed = 0;
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      words[y * width + x] = load(self, dst, x, y);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++) {
      const guint word = maximum_at(self, words, x, y);
      n_changed += word != words[y * width + x];
      store(self, dst, x, y, word);
    }
  return n_changed;
}

/* --- LARGER --- */

static guint64
apply_larger(const CcPlan *plan, const CcPlacement *placement, const CcFrame *src,
             const CcFrame *dst) {
  guint64 n_changed = 0;
  for (guint p = 0; p < plan->frame_layout.n_planes; p++) {
    const CcPlaneLayout *layout = &plan->frame_layout.plane[p];
    const CcRect *source = &placement->frame_source[p], *target = &placement->frame_target[p];
    const guint n_pixels = test_stages_pixels(&plan->out_frame_layout.plane[p], target);
    const CcComponentOffset offset = {p, 0, 1};
    for (guint y = 0; y < target->height; y++)
      for (guint i = 0; i < target->width * layout->step; i++) {
        const guint at = target->x * layout->step + i;
        const guint from = cc_component_load(
            &offset, src, layout->type,
            source->x * layout->step + test_stages_source_sample(layout, plan->stride, n_pixels, i),
            source->y + plan->stride * y);
        if (from <= cc_component_load(&offset, dst, layout->type, at, target->y + y))
          continue;
        cc_component_store(&offset, dst, layout->type, at, target->y + y, from);
        n_changed++;
      }
  }
  return n_changed;
}

static void
apply(const TestStages *stages, const CcPlan *plan, const CcPlacement *placement,
      const CcFrame *src, const CcFrame *dst, guint64 count[3]) {
  for (guint i = 0; i < stages->n; i++) {
    if (stages->stage[i].reads == CC_READS_SAMPLES)
      count[i] += apply_larger(plan, placement, src, dst);
    for (guint p = 0; p < plan->layout.n_planes; p++)
      for (guint c = 0; c < plan->layout.plane[p].step; c++) {
        const Samples samples = {plan, p, c, placement->target[p], placement->repeats[p]};
        if (stages->stage[i].reads == CC_READS_PLANES &&
            cc_plan_filtered_components(plan, p) >> c & 1)
          count[i] += apply_maximum(&samples, dst);
      }
  }
}

void
test_stages_apply(const TestStages *stages, const CcPlan *plan, const CcRegion *region,
                  gboolean by_fields, const CcFrame *src, const CcFrame *dst, guint64 count[3]) {
  const guint n_planes = plan->frame_layout.n_planes;
  for (guint f = 0; f < (by_fields ? 2 : 1); f++) {
    const guint fields[CC_MAX_PLANES] = {f, f, f, f};
    CcFrame from = *src, to = *dst;
    CcPlacement placement;
    cc_plan_place(plan, region, &placement);
    if (by_fields) {
      cc_placement_take_field(&placement, plan, f);
      cc_frame_take_field(&from, n_planes, fields);
      cc_frame_take_field(&to, n_planes, placement.target_field);
    }
    apply(stages, plan, &placement, &from, &to, count);
  }
}
