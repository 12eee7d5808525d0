/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lower.h"

#include "dispatch.h"
#include "cpu/stages/identity.h"
#include "cpu/stages/macropixel.h"

#define MIN_SLICE_ROWS 16
#define MIN_SLICE_NS 3000
#define HUE_TAPS 64 /* as much as the direction color of a gradient */

/* --- rewritten plans --- */

/* Whether the sweep of all macropixels runs, which is faster than to take them apart. */
static gboolean
find_macropixels(const CcPlan *plan, const CcRows *kernels, CcPlan *whole) {
  if (!cc_pairs_find(plan, whole))
    return FALSE;
  CcSweep sweep;
  cc_sweep_init(&sweep, whole, &whole->pass[0], kernels);
  const gboolean found = sweep.method && sweep.method->klass == &cc_fused_macropixels;
  cc_sweep_clear(&sweep);
  return found;
}

/* Find a plan that gives the same; the first that does wins. */
static gboolean (*const rewrites[])(const CcPlan *plan, const CcRows *kernels, CcPlan *other) = {
    cc_copies_find,
    find_macropixels,
};

/* --- slices --- */

static guint64
hue_work(const CcHueSweep *sweep) {
  const CcOp *op = sweep->plan->hue->op;
  const guint width = sweep->plan->target[sweep->field->plane].width;
  const guint64 n_pixels = (guint64)sweep->field->across * sweep->field->down * width;
  return n_pixels * (2 * op->width * op->height + HUE_TAPS) * CC_TAP_PS;
}

/* Cuts every plane so that threads take large slices first and small ones in the end, when they
 * should all be done at the same time. Returns the picoseconds that a frame takes one thread. */
static guint64
cut_slices(CcPhase *phase, guint n_threads) {
  const CcPlan *plan = phase->plan;
  GArray *slices = g_array_new(FALSE, FALSE, sizeof(CcSlice));
  guint window = plan->hue ? plan->hue->op->height : 1;
  guint64 of_frame = 0;
  for (guint i = 0; i < phase->n_sweeps; i++)
    window = MAX(window, phase->sweep[i].window_rows);
  for (guint p = 0; p < (plan->packed ? 1 : plan->layout.n_planes); p++) {
    const guint height = plan->target[p].height;
    guint64 of_row = 0; /* of packed planes, of all */
    for (guint i = 0; i < phase->n_sweeps; i++)
      if (plan->packed || phase->sweep[i].plane == p)
        of_row += cc_sweep_cost(&phase->sweep[i]);
    for (guint i = 0; i < phase->n_hue_sweeps; i++)
      if (plan->packed || phase->hue_sweep[i].field->plane == p)
        of_row += hue_work(&phase->hue_sweep[i]);
    of_frame += of_row * height;
    /* A slice loads the rows above and below itself again, and takes long enough that taking it
     * costs nothing beside that. Larger ones leave more threads without any. */
    const guint64 worth = MIN_SLICE_NS * G_GUINT64_CONSTANT(1000) / MAX(of_row, 1);
    const guint least = (guint)MAX(MAX(MIN_SLICE_ROWS, window - 1), MIN(worth, G_MAXINT));
    for (guint y = 0; y < height;) {
      const guint left = height - y;
      guint rows = n_threads > 1 ? MAX(least, 3 * left / (4 * n_threads)) : left;
      rows = (rows + CC_MAX_BLOCK_ROWS - 1) / CC_MAX_BLOCK_ROWS *
             CC_MAX_BLOCK_ROWS; /* no block twice */
      if (rows + least > left)
        rows = left;
      const CcSlice slice = {p, y, y + rows};
      g_array_append_val(slices, slice);
      y += rows;
    }
  }
  phase->n_slices = slices->len;
  phase->slices = (CcSlice *)g_array_free(slices, FALSE);
  return of_frame;
}

/* --- phases --- */

static void
set_unpacked(CcPhase *phase, const CcRows *kernels) {
  guint window = 1, mask = 0;
  gsize at = 0;
  for (guint i = 0; i < phase->n_sweeps; i++) {
    const CcSweep *sweep = &phase->sweep[i];
    phase->scratch_at[i] = at;
    at += sweep->scratch_size;
    /* A block begins up to block_rows - 1 rows above the last row that is made, or ends as many
     * below, and its last dot group has as many more. */
    const guint beside = sweep->method ? sweep->method->block_rows - 1 : 0;
    window = MAX(window, sweep->window_rows + 4 * beside);
    if (sweep->by_position && sweep->pass->filter_mask | sweep->pass->copy_mask)
      mask |= 1u << sweep->plane;
  }
  phase->unpacks = TRUE;
  phase->fixed_scratch = 0;
  cc_unpacked_init(&phase->unpacked, phase->plan, kernels, mask, window / 2, at);
  phase->scratch_size = phase->unpacked.size;
}

static void
phase_init(CcPhase *phase, const CcPlan *plan, const CcRows *kernels) {
  phase->plan = plan;
  phase->n_sweeps = plan->n_passes;
  for (guint i = 0; i < plan->n_passes; i++) {
    CcSweep *sweep = &phase->sweep[i];
    cc_sweep_init(sweep, plan, &plan->pass[i], kernels);
    phase->scratch_size = MAX(phase->scratch_size, sweep->scratch_size);
  }
  phase->fixed_scratch = phase->scratch_size;
  if (plan->packed && kernels && phase->n_sweeps > 0)
    set_unpacked(phase, kernels);
  phase->n_hue_sweeps = plan->hue ? plan->hue->n_fields : 0;
  for (guint i = 0; i < phase->n_hue_sweeps; i++) {
    CcHueSweep *sweep = &phase->hue_sweep[i];
    cc_hue_sweep_init(sweep, plan, &plan->hue->field[i], kernels);
    phase->scratch_size = MAX(phase->scratch_size, sweep->scratch_size);
    phase->fixed_scratch = MAX(phase->fixed_scratch, sweep->scratch_size);
  }
}

CcCpuProgram *
cc_cpu_program_new(const CcPlan *plan, const CcVariant *variant, guint n_threads) {
  CcCpuProgram *program = g_new0(CcCpuProgram, 1);
  program->plan = plan;
  program->variant = variant;
  for (guint i = 0; i < G_N_ELEMENTS(rewrites) && variant->rows && !program->rewritten; i++)
    program->rewritten = rewrites[i](plan, variant->rows, &program->other);
  program->n_phases = 1;
  phase_init(&program->phase[0], program->rewritten ? &program->other : plan, variant->rows);
  program->work = cut_slices(&program->phase[0], n_threads) / 1000;
  return program;
}

void
cc_cpu_program_free(CcCpuProgram *program) {
  for (guint p = 0; p < program->n_phases; p++) {
    CcPhase *phase = &program->phase[p];
    for (guint i = 0; i < phase->n_sweeps; i++)
      cc_sweep_clear(&phase->sweep[i]);
    for (guint i = 0; i < phase->n_hue_sweeps; i++)
      cc_hue_sweep_clear(&phase->hue_sweep[i]);
    g_free(phase->slices);
  }
  g_free(program);
}
