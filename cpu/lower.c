/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lower.h"

#include "dispatch.h"
#include "cpu/stages/identity.h"
#include "cpu/stages/macropixel.h"

/* Rows of a chunk, which then stays in a cache. The number is a power of two and a multiple of
 * every block_rows. */
#define CHUNK_ROWS 16

/* --- rewritten plans --- */

/* Rewrites the plan if the fused sweep of macropixels can run it, because that sweep is faster than
 * deinterleaving. */
static gboolean
find_macropixels(const CcPlan *plan, const CcRows *kernels, CcPlan *whole) {
  if (!cc_macropixel_find(plan, whole))
    return FALSE;
  CcSweep sweep;
  cc_sweep_init(&sweep, whole, &whole->pass[0], kernels, FALSE, FALSE);
  const gboolean found = sweep.method && sweep.method->klass == &cc_fused_macropixels;
  cc_sweep_clear(&sweep);
  return found;
}

/* Functions that rewrite a plan to a faster plan that gives the same bytes. The first function that
 * returns TRUE is used. */
static gboolean (*const rewrites[])(const CcPlan *plan, const CcRows *kernels, CcPlan *other) = {
    cc_identity_find,
    find_macropixels,
};

/* --- phases --- */

static void
set_deinterleaving(CcPhase *phase, gsize at) {
  guint window = 1, mask = 0;
  for (guint i = 0; i < phase->n_sweeps; i++) {
    const CcSweep *sweep = &phase->sweep[i];
    /* With b = block_rows - 1, a block begins up to b rows above the rows that are needed, or ends
     * up to b rows below them. The last dot group of a block may have up to b more rows. */
    const guint beside = sweep->method ? sweep->method->block_rows - 1 : 0;
    window = MAX(window, sweep->window_rows + 4 * beside);
    if (sweep->by_position && sweep->pass->filter_mask | sweep->pass->copy_mask)
      mask |= 1u << sweep->plane;
  }
  phase->deinterleaves = TRUE;
  cc_deinterleaved_init(&phase->deinterleaved, phase->plan, phase->kernels, mask, window / 2, at);
  phase->n_rows = phase->deinterleaved.n_rows;
  phase->scratch_size = phase->deinterleaved.size;
}

/* Adds a stage to a phase. Returns the bytes of scratch memory that the stage needs. */
static gsize
add_stage(CcPhase *phase, const CcStage *stage) {
  CcPhaseStage *added = &phase->stage[phase->n_stages++];
  gsize size = 0;
  added->stage = stage;
  added->klass = cc_cpu_stage_classes[stage->kind];
  if (added->klass->create)
    added->state = added->klass->create(phase->plan, stage, phase->kernels, &size);
  return cc_row_align(size);
}

/* If the sweeps of a phase run in chunks, each sweep has its own scratch memory. */
static void
add_sweeps(CcPhase *phase, gboolean in_chunks) {
  gsize all = 0, max = 0;
  phase->n_sweeps = phase->plan->n_passes;
  for (guint i = 0; i < phase->n_sweeps; i++) {
    CcSweep *sweep = &phase->sweep[i];
    cc_sweep_init(sweep, phase->plan, &phase->plan->pass[i], phase->kernels, phase->repetition > 1,
                  in_chunks);
    sweep->to_scratch = phase->plan->packed;
    sweep->streams &= !phase->makes_planes;
    phase->scratch_at[i] = in_chunks ? all : 0;
    all += sweep->scratch_size;
    max = MAX(max, sweep->scratch_size);
  }
  phase->scratch_size = in_chunks ? all : max;
}

/* Returns whether all stages before the last one leave rows as they are. */
static gboolean
only_last_stage_changes(const CcPhase *phase) {
  for (guint i = 0; i + 1 < phase->n_stages; i++)
    if (phase->stage[i].stage->kind != CC_STAGE_MEASURE)
      return FALSE;
  return TRUE;
}

/* Reserves scratch memory for the rows from which a stage makes the rows of the frame. */
static void
reserve_rows(CcPhase *phase) {
  const CcPlan *plan = phase->plan;
  const CcPhaseStage *last = &phase->stage[phase->n_stages - 1];
  for (guint i = 0; i < phase->n_sweeps; i++) {
    CcSweep *sweep = &phase->sweep[i];
    const guint p = sweep->plane;
    if (!last->klass->makes_rows || !last->klass->makes_rows(last->state, p))
      continue;
    sweep->to_scratch = TRUE;
    if (phase->rows_pitch[p] > 0)
      continue;
    phase->rows_pitch[p] =
        cc_row_align(cc_plane_row_bytes(&plan->out_layout.plane[p])) + CC_ROW_SLACK;
    phase->rows_at[p] = phase->scratch_size;
    phase->scratch_size += CHUNK_ROWS * phase->rows_pitch[p];
  }
}

/* Adds the planes of a layout to memory of *size bytes. The samples have the size that the stage
 * `reader` expects. */
static void
set_planes(CcPlaneSet *set, const CcPlan *plan, const CcFrameLayout *planes, const CcStage *reader,
           gsize *size) {
  for (guint p = 0; p < planes->n_planes; p++) {
    const CcPlaneLayout *layout = &planes->plane[p];
    const gsize sample = cc_plan_sample_bytes(plan, reader, p);
    set->at[p] = *size;
    set->pixel_size[p] = layout->step * sample;
    set->pitch[p] = cc_row_align(layout->width * set->pixel_size[p] + CC_ROW_SLACK);
    *size += set->pitch[p] * layout->height;
  }
}

/* Returns whether stage i > 0 begins a new phase. It does if it must wait for all slices of the
 * stages before it. */
static gboolean
begins_phase(const CcPlan *plan, guint i) {
  const CcStage *stage = &plan->stage[i];
  if (stage->reads == CC_READS_PLANES)
    return plan->n_passes > 0;
  if (stage->reads == CC_READS_PIXELS || stage->inner || stage->is_alone || stage[-1].is_alone)
    return TRUE;
  return stage->reads == CC_READS_SAMPLES && stage[-1].reads != CC_READS_SAMPLES &&
         cc_plan_get_direction_color(plan);
}

/* Initialises the phase that begins with stage number `first`. Returns the number of the first
 * stage of the next phase. Direction-color runs in the first phase that writes the frame. */
static guint
phase_init(CcCpuProgram *program, CcPhase *phase, const CcPlan *plan, guint first) {
  const CcStage *stage = plan->stage;
  const gboolean in_frame = stage[first].reads >= CC_READS_SAMPLES;
  guint end = first + 1;
  while (end < plan->n_stages && !begins_phase(plan, end))
    end++;
  const CcStage *reader = cc_plan_get_reader(plan, &stage[end - 1]);
  phase->plan = plan;
  phase->kernels = program->variant->rows;
  phase->makes_planes = reader != NULL;
  phase->counts_rows =
      cc_cpu_stage_classes[stage[first].kind] && cc_cpu_stage_classes[stage[first].kind]->n_rows;
  for (guint i = MAX(first, 1); i < end && !in_frame; i++)
    phase->changes_samples |= stage[i].reads == CC_READS_SAMPLES;
  phase->n_rows = phase->changes_samples ? CHUNK_ROWS : G_MAXUINT;
  const gboolean in_chunks = plan->packed || phase->changes_samples;
  if (stage[first].kind == CC_STAGE_CONVOLVE || stage[first].kind == CC_STAGE_REPEAT) {
    phase->repetition = first + 1;
    add_sweeps(phase, in_chunks);
  }
  phase->fixed_scratch = in_chunks ? 0 : phase->scratch_size;
  gsize stage_scratch = 0;
  for (guint i = 1; i < end; i++) {
    const gboolean paints = stage[i].reads == CC_READS_SOURCE;
    const gboolean reads_nothing = stage[i].reads == CC_READS_PLANES && plan->n_passes == 0;
    if (stage[i].kind == CC_STAGE_REPEAT)
      continue; /* sweeps run it */
    if (paints ? !reader && !in_frame : i >= first && !reads_nothing) {
      const gsize size = add_stage(phase, &stage[i]);
      stage_scratch = MAX(stage_scratch, size);
    }
  }
  if (phase->changes_samples && only_last_stage_changes(phase) && phase->kernels && !plan->packed)
    reserve_rows(phase);
  if (plan->packed && !in_frame && plan->n_passes > 0 && (first > 0 || phase->kernels))
    set_deinterleaving(phase, phase->scratch_size);
  /* stages that alternate with sweeps or with interleaving, a few rows at a time, need their own
   * scratch memory */
  if (first > 0 || phase->changes_samples)
    phase->stage_scratch_at = phase->scratch_size;
  phase->scratch_size = MAX(phase->scratch_size, phase->stage_scratch_at + stage_scratch);
  phase->fixed_scratch = MAX(phase->fixed_scratch, stage_scratch);
  if (reader)
    set_planes(&phase->to, plan, &plan->out_layout, reader, &program->planes_size);
  return end;
}

static CcCpuProgram *program_new(const CcPlan *plan, const CcVariant *variant, gsize planes_size);

/* Moves the phases of the inner program to the program. */
static void
add_inner_phases(CcCpuProgram *program, const CcPlan *plan) {
  gsize *size = &program->planes_size;
  set_planes(&program->inner_source, plan, &plan->frame_layout, NULL, size);
  set_planes(&program->inner_target, plan, &plan->out_frame_layout, NULL, size);
  CcCpuProgram *inner = program->inner = program_new(plan, program->variant, *size);
  for (guint p = 0; p < inner->n_phases; p++) {
    inner->phase[p].is_inner = TRUE;
    program->phase[program->n_phases++] = inner->phase[p];
  }
  inner->n_phases = 0;
  program->scratch_size = MAX(program->scratch_size, inner->scratch_size);
  *size = inner->planes_size;
}

/* `planes_size` is the size of the planes that are in the memory already. */
static CcCpuProgram *
program_new(const CcPlan *plan, const CcVariant *variant, gsize planes_size) {
  CcCpuProgram *program = g_new0(CcCpuProgram, 1);
  program->planes_size = planes_size;
  program->plan = plan;
  program->variant = variant;
  const gboolean may_rewrite = variant->rows && cc_plan_may_change_planes(plan);
  for (guint i = 0; i < G_N_ELEMENTS(rewrites) && may_rewrite && !program->rewritten; i++)
    program->rewritten = rewrites[i](plan, variant->rows, &program->other);
  program->phase = g_new0(CcPhase, 2 * CC_MAX_STAGES);
  const gsize shared_at = program->planes_size = cc_row_align(program->planes_size);
  for (guint i = 0; i < plan->n_stages; i++) {
    const CcCpuStageClass *klass = cc_cpu_stage_classes[plan->stage[i].kind];
    if (klass && klass->shared_bytes)
      program->shared_size = klass->shared_bytes(plan, &plan->stage[i]);
  }
  program->planes_size += cc_row_align(program->shared_size);
  CcPlaneSet none = {0}, *from = &none;
  for (guint stage = 0; stage < plan->n_stages;) {
    if (plan->stage[stage].inner)
      add_inner_phases(program, plan->stage[stage].inner);
    CcPhase *phase = &program->phase[program->n_phases++];
    phase->from = *from;
    phase->shared_at = shared_at;
    from = &phase->to;
    stage = phase_init(program, phase, program->rewritten ? &program->other : plan, stage);
    program->scratch_size = MAX(program->scratch_size, phase->scratch_size);
  }
  program->planes_size = cc_row_align(program->planes_size);
  return program;
}

CcCpuProgram *
cc_cpu_program_new(const CcPlan *plan, const CcVariant *variant) {
  return program_new(plan, variant, 0);
}

void
cc_cpu_program_free(CcCpuProgram *program) {
  for (guint p = 0; p < program->n_phases; p++) {
    CcPhase *phase = &program->phase[p];
    for (guint i = 0; i < phase->n_sweeps; i++)
      cc_sweep_clear(&phase->sweep[i]);
    for (guint i = 0; i < phase->n_stages; i++)
      if (phase->stage[i].klass->free)
        phase->stage[i].klass->free(phase->stage[i].state);
  }
  if (program->inner)
    cc_cpu_program_free(program->inner);
  g_free(program->phase);
  g_free(program);
}
