/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stage MEASURE. Samples that are not contiguous are copied to a row in the scratch memory, and
 * the luma of R, G and B is made there. */

#include "compose_row.h"

#define PIXEL_PS 20 /* cost of a pixel, in picoseconds */
#define COPY_PS 100 /* of a pixel that is copied, or that has a bin */

typedef struct {
  const CcMeasure *measure;
  const CcRows *kernels; /* NULL: plain loops */
  gboolean copies;       /* the samples of a row are not contiguous, or are three of a pixel */
} Measure;

static gpointer
create(const CcPlan *plan, const CcStage *stage, const CcRows *kernels, gsize *scratch_size) {
  Measure *self = g_new(Measure, 1);
  const CcMeasure *measure = self->measure = stage->data;
  const CcPlaneLayout *plane = &measure->frame.plane[measure->group.plane];
  self->kernels = kernels;
  self->copies = measure->group.n > 1 || measure->group.offset[0].spacing > 1;
  if (self->copies)
    *scratch_size += (gsize)plane->width * cc_sample_size(plane->type);
  return self;
}

static guint64
cost(gconstpointer state, const CcPlan *plan, const CcPlacement *placement, guint plane) {
  const Measure *self = state;
  const CcMeasure *measure = self->measure;
  const guint n = plane == measure->group.plane ? cc_target_pixels(&measure->frame.plane[plane],
                                                                   &placement->frame_target[plane])
                                                : 0;
  return (guint64)n * (PIXEL_PS + COPY_PS * (guint)(self->copies + measure->has_histogram));
}

/* The address of row y of the target. Rows of other frames than packed ones may be in scratch
 * memory. */
static guint8 *
row_at(const CcStageRows *rows, guint plane, guint y) {
  return rows->plan->packed ? cc_target_row(rows, plane, y)
                            : cc_strip_row(&rows->to[plane], (gint)y);
}

/* Returns how many rows from y on lie at equal distances in memory. Rows in scratch memory are a
 * ring. */
static guint
rows_from(const CcStageRows *rows, guint plane, guint y) {
  const CcStrip *strip = &rows->to[plane];
  const guint behind = rows->plan->packed
                           ? G_MAXUINT
                           : strip->mask - (((guint)((gint)y - strip->first)) & strip->mask);
  return MIN(rows->y1 - y - 1, behind) + 1;
}

/* The samples of component i of the group in row y. */
static const guint8 *
component_at(const CcMeasure *measure, const CcStageRows *rows, guint i, guint y) {
  const CcComponentOffset *offset = &measure->group.offset[i];
  return row_at(rows, offset->plane, y) +
         offset->first * cc_sample_size(measure->frame.plane[offset->plane].type);
}

/* --- plain loops --- */

static guint
code_at(const CcMeasure *measure, const CcStageRows *rows, guint x, guint y) {
  const CcPlaneLayout *plane = &measure->frame.plane[measure->group.plane];
  guint code[3] = {0};
  for (guint i = 0; i < measure->group.n; i++)
    code[i] = cc_row_load(plane, component_at(measure, rows, i, y),
                          x * measure->group.offset[i].spacing) >>
              plane->shift;
  return measure->group.n == 3 ? cc_luma_of(code[0], code[1], code[2]) : code[0];
}

/* The definition as a loop. */
static void
measure_plainly(const CcMeasure *measure, const CcStageRows *rows, guint n, CcMeasured *to) {
  for (guint y = rows->y0; y < rows->y1; y++)
    for (guint x = 0; x < n; x++) {
      const guint code = code_at(measure, rows, x, y);
      cc_measured_take(to, &measure->limits, code);
      if (measure->has_histogram)
        to->bin[(guint8)(code >> measure->limits.bin_shift)]++;
    }
}

/* --- kernels --- */

/* Copies the samples of row y, or makes the luma. */
static void
copy_row(const Measure *self, const CcStageRows *rows, guint y, guint n, guint8 *samples) {
  const CcMeasure *measure = self->measure;
  const CcPlaneLayout *plane = &measure->frame.plane[measure->group.plane];
  const CcSampleKernels *kernels = self->kernels->samples;
  const guint spacing = measure->group.offset[0].spacing;
  gconstpointer from[3];
  for (guint i = 0; i < measure->group.n; i++)
    from[i] = component_at(measure, rows, i, y);
  if (measure->group.n == 3)
    kernels->luma[plane->type](samples, from, spacing, n, plane->shift);
  else
    kernels->load[plane->type][plane->type == CC_SAMPLE_U8 ? CC_LANE_8 : CC_LANE_16](
        samples, from[0], spacing, n, 0);
}

static void
measure_rows(const Measure *self, const CcStageRows *rows, guint n, guint8 *scratch,
             CcMeasured *to) {
  const CcMeasure *measure = self->measure;
  const CcMeasureKernels *kernels = self->kernels->measure;
  const CcPlaneLayout *plane = &measure->frame.plane[measure->group.plane];
  for (guint y = rows->y0, n_at_once; y < rows->y1; y += n_at_once) {
    n_at_once = self->copies ? 1 : rows_from(rows, measure->group.plane, y);
    const guint8 *first = self->copies ? scratch : component_at(measure, rows, 0, y);
    const gssize pitch = n_at_once > 1 ? component_at(measure, rows, 0, y + 1) - first : 0;
    if (self->copies)
      copy_row(self, rows, y, n, scratch);
    kernels->sums[plane->type](to, &measure->limits, first, pitch, n, n_at_once, plane->shift);
    if (measure->has_histogram)
      kernels->bins[plane->type](to->bin, first, pitch, n, n_at_once,
                                 measure->limits.bin_shift + plane->shift);
  }
}

/* --- the stage --- */

static void
add_to_result(CcMeasured *result, const CcMeasured *part, gboolean has_histogram) {
  guint64 largest = __atomic_load_n(&result->largest, __ATOMIC_RELAXED);
  __atomic_fetch_add(&result->n, part->n, __ATOMIC_RELAXED);
  __atomic_fetch_add(&result->sum, part->sum, __ATOMIC_RELAXED);
  __atomic_fetch_add(&result->squares, part->squares, __ATOMIC_RELAXED);
  while (part->largest > largest &&
         !__atomic_compare_exchange_n(&result->largest, &largest, part->largest, FALSE,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  __atomic_fetch_add(&result->n_above, part->n_above, __ATOMIC_RELAXED);
  __atomic_fetch_add(&result->n_black, part->n_black, __ATOMIC_RELAXED);
  __atomic_fetch_add(&result->n_white, part->n_white, __ATOMIC_RELAXED);
  for (guint i = 0; i < CC_MEASURE_BINS && has_histogram; i++)
    if (part->bin[i])
      __atomic_fetch_add(&result->bin[i], part->bin[i], __ATOMIC_RELAXED);
}

static void
run(gconstpointer state, const CcStageRows *rows, guint8 *scratch) {
  const Measure *self = state;
  const CcMeasure *measure = self->measure;
  const guint p = measure->group.plane;
  if (rows->plane != p)
    return;
  const guint n = cc_target_pixels(&measure->frame.plane[p], &rows->placement->frame_target[p]);
  CcMeasured part = {0};
  if (self->kernels)
    measure_rows(self, rows, n, scratch, &part);
  else
    measure_plainly(measure, rows, n, &part);
  add_to_result(rows->result, &part, measure->has_histogram);
}

const CcCpuStageClass cc_cpu_measure = {
    .name = "measure", .create = create, .free = g_free, .cost = cost, .run = run};
