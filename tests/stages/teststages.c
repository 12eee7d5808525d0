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

/* --- what they have to give --- */

/* The samples of a component in a plane of the plan, as words. */
typedef struct {
  const CcPlan *plan;
  guint plane, component;
  CcRect source, target;
  guint repeats;
} Samples;

static guint
load(const Samples *self, const CcFrame *frame, const CcRect *rect, guint x, guint y, guint place) {
  const CcPlaneLayout *layout = &self->plan->layout.plane[self->plane];
  return cc_place_load(&self->plan->packing[self->plane].place[place], frame, layout->type,
                       (rect->x + x) * layout->step + self->component, rect->y + y);
}

static void
store(const Samples *self, const CcFrame *frame, guint x, guint y, guint place, guint word) {
  const CcPlaneLayout *layout = &self->plan->layout.plane[self->plane];
  const guint n = x + 1 == self->target.width ? 1 + self->repeats : 1;
  for (guint i = 0; i < n; i++)
    cc_place_store(&self->plan->packing[self->plane].place[place], frame, layout->type,
                   (self->target.x + x + i) * layout->step + self->component, self->target.y + y,
                   word);
}

static guint
border_word(const Samples *self) {
  const CcPlan *plan = self->plan;
  for (guint i = 0; i < plan->n_passes; i++)
    if (plan->pass[i].plane == self->plane && plan->pass[i].filter_mask >> self->component & 1)
      return (guint)plan->pass[i].border[self->component] << plan->layout.plane[self->plane].shift;
  g_assert_not_reached();
}

static guint
maximum_at(const Samples *self, const guint *words, guint x, guint y) {
  guint most = 0;
  for (gint j = -1; j <= 1; j++)
    for (gint i = -1; i <= 1; i++) {
      const gint column =
          cc_border_index((gint)x + i, (gint)self->target.width, self->plan->border);
      const gint row = cc_border_index((gint)y + j, (gint)self->target.height, self->plan->border);
      const guint word = column < 0 || row < 0
                             ? border_word(self)
                             : words[(guint)row * self->target.width + (guint)column];
      most = MAX(most, word);
    }
  return most;
}

/* Of luma that is made of R, G and B all three places hold the same. */
static guint64
apply_maximum(const Samples *self, const CcFrame *dst) {
  const guint n_places = cc_packing_n_places(&self->plan->packing[self->plane]);
  const guint width = self->target.width, height = self->target.height;
  g_autofree guint *words = g_new(guint, (gsize)width * height);
  guint64 n_changed = 0;
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      words[y * width + x] = load(self, dst, &self->target, x, y, 0);
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++) {
      const guint word = maximum_at(self, words, x, y);
      n_changed += word != words[y * width + x];
      for (guint k = 0; k < n_places; k++)
        store(self, dst, x, y, k, word);
    }
  return n_changed;
}

static guint64
apply_larger(const Samples *self, const CcFrame *src, const CcFrame *dst) {
  const guint n_places = cc_packing_n_places(&self->plan->packing[self->plane]);
  const guint stride = self->plan->stride;
  guint64 n_changed = 0;
  for (guint y = 0; y < self->target.height; y++)
    for (guint x = 0; x < self->target.width; x++)
      for (guint k = 0; k < n_places; k++) {
        const guint from = load(self, src, &self->source, stride * x, stride * y, k);
        if (from > load(self, dst, &self->target, x, y, k)) {
          store(self, dst, x, y, k, from);
          n_changed++;
        }
      }
  return n_changed;
}

void
test_stages_apply(const TestStages *stages, const CcPlan *plan, const CcRegion *region,
                  const CcFrame *src, const CcFrame *dst, guint64 count[3]) {
  CcPlacement placement;
  cc_plan_place(plan, region, &placement);
  for (guint i = 0; i < stages->n; i++)
    for (guint p = 0; p < plan->layout.n_planes; p++)
      for (guint c = 0; c < plan->layout.plane[p].step; c++) {
        const Samples samples = {
            plan, p, c, placement.source[p], placement.target[p], placement.repeats[p]};
        if (cc_plan_filtered_components(plan, p) >> c & 1)
          count[i] += stages->stage[i].reads == CC_READS_PLANES ? apply_maximum(&samples, dst)
                                                                : apply_larger(&samples, src, dst);
      }
}
