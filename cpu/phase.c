/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "phase.h"

#include "plain.h"
#include "tile.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A slice while a thread processes it. */
typedef struct {
  const CcPhase *phase;
  const CcSlice *slice;
  const CcSubmitInfo *info;
  const CcFrame *src, *dst; /* of the program that has the phase */
  const CcInnerFrames *inner;
  guint8 *shared;
  const CcPlacement *placement;
  CcStrip from[CC_MAX_PLANES]; /* rows of the planes from the phase before */
  CcStrip to[CC_MAX_PLANES];   /* rows of the planes that this phase makes */
  guint8 *scratch;
} Run;

static CcStrip
strip_of(guint8 *data, gssize pitch, const CcRect *rect, gsize pixel_size) {
  return (CcStrip){data + (gssize)rect->y * pitch + rect->x * pixel_size, pitch, 0, G_MAXUINT};
}

static void
place_set(CcStrip strips[CC_MAX_PLANES], const Run *run, const CcPlaneSet *set, guint8 *planes) {
  for (guint p = 0; p < run->phase->plan->layout.n_planes; p++)
    strips[p] = strip_of(planes + set->at[p], (gssize)set->pitch[p], &run->placement->target[p],
                         set->pixel_size[p]);
}

static gboolean
has_plane(const Run *run, guint plane) {
  return run->phase->plan->packed || plane == run->slice->plane;
}

/* --- stages --- */

static void
run_stage(const Run *run, const CcPhaseStage *self, guint plane, guint y0, guint y1) {
  const CcPlan *plan = run->phase->plan;
  const CcStage *stage = self->stage;
  const gboolean needs_source = stage->needs_source || stage->reads == CC_READS_SOURCE;
  const CcStageRows rows = {
      .plan = plan,
      .stage = stage,
      .placement = run->placement,
      .plane = plane,
      .y0 = y0,
      .y1 = y1,
      .src = needs_source ? run->src : NULL,
      .dst = run->dst,
      .from = run->from,
      .to = run->to,
      .inner = run->inner,
      .shared = run->shared,
      .result = stage->result_bytes ? (guint8 *)run->info->results + stage->result_at : NULL,
  };
  self->klass->run(self->state, &rows,
                   run->scratch ? run->scratch + run->phase->stage_scratch_at : NULL);
}

static void
run_stages(const Run *run, CcStageReads reads, guint y0, guint y1) {
  const CcPhase *self = run->phase;
  for (guint i = 0; i < self->n_stages; i++)
    for (guint p = 0; p < cc_phase_n_planes(self, &self->stage[i]); p++)
      if (self->stage[i].stage->reads == reads && has_plane(run, p))
        run_stage(run, &self->stage[i], p, y0, y1);
}

/* --- the phase --- */

typedef struct {
  CcArea area;
  CcStrip from;
  gint next;
} SweepRun;

static void
run_sweep(const Run *run, SweepRun *self, guint i, const CcDeinterleaving *deinterleaving, guint y0,
          guint y1) {
  const CcPhase *phase = run->phase;
  const CcPlacement *placement = run->placement;
  const CcSweep *sweep = &phase->sweep[i];
  const guint p = sweep->plane;
  if (sweep->loop == CC_LOOP_PLAIN) {
    cc_plain_sweep(phase->plan, sweep->pass, placement, run->src, run->dst,
                   phase->repetition > 1 ? run->from : NULL,
                   phase->makes_planes || phase->deinterleaves ? run->to : NULL, y0, y1);
    return;
  }
  guint8 *scratch = run->scratch ? run->scratch + phase->scratch_at[i] : NULL;
  if (y0 == run->slice->y0) {
    const CcPlane *plane = &run->src->plane[p];
    const gboolean is_first = phase->repetition == 1;
    cc_area_init(&self->area, sweep, is_first ? &placement->source[p] : &placement->target[p],
                 &placement->target[p], scratch);
    self->from = !is_first              ? run->from[p]
                 : phase->deinterleaves ? deinterleaving->from[p]
                                        : strip_of(plane->data, plane->pitch, &placement->source[p],
                                                   sweep->pixel_size);
    self->next = CC_NO_ROW;
  }
  cc_area_run(&self->area, &self->from, &run->to[p], y0, y1, &self->next, scratch);
}

/* Computes the rows of all planes of the slice, at most n_rows rows at a time. */
static void
run_rows(Run *run) {
  const CcPhase *self = run->phase;
  const CcSlice *slice = run->slice;
  SweepRun sweep[CC_MAX_PASSES];
  CcDeinterleaving deinterleaving;
  if (self->deinterleaves) {
    cc_deinterleaving_begin(&deinterleaving, &self->deinterleaved, run->placement, run->src,
                            run->dst, slice->y0, run->scratch);
    for (guint p = 0; !self->makes_planes && p < self->plan->layout.n_planes; p++)
      run->to[p] = deinterleaving.to[p];
  }
  for (guint y0 = slice->y0, y1; y0 < slice->y1; y0 = y1) {
    y1 = y0 + MIN(self->n_rows, slice->y1 - y0);
    if (self->deinterleaves)
      cc_deinterleaving_load(&deinterleaving, y1);
    for (guint i = 0; i < self->n_sweeps; i++)
      if (has_plane(run, self->sweep[i].plane))
        run_sweep(run, &sweep[i], i, &deinterleaving, y0, y1);
    run_stages(run, CC_READS_PLANES, y0, y1);
    if (self->deinterleaves && !self->makes_planes)
      cc_deinterleaving_store(&deinterleaving, y1);
    if (self->changes_samples) {
      run_stages(run, CC_READS_SOURCE, y0, y1);
      run_stages(run, CC_READS_SAMPLES, y0, y1);
    }
  }
  /* these stages run after the interleaving, which writes whole pixels of packed frames */
  if (!self->changes_samples) {
    run_stages(run, CC_READS_SOURCE, slice->y0, slice->y1);
    run_stages(run, CC_READS_SAMPLES, slice->y0, slice->y1);
    run_stages(run, CC_READS_PIXELS, slice->y0, slice->y1);
  }
}

void
cc_phase_run(const CcPhase *self, const CcPlacement *placement, const CcSlice *slice,
             const CcSubmitInfo *info, const CcInnerFrames *inner, guint8 *planes,
             guint8 *scratch) {
  const CcPlan *plan = self->plan;
  Run run = {.phase = self,
             .slice = slice,
             .info = info,
             .src = self->is_inner ? &inner->source : &info->src,
             .dst = self->is_inner ? &inner->target : &info->dst,
             .inner = inner,
             .shared = planes ? planes + self->shared_at : NULL,
             .placement = placement,
             .scratch = scratch};
  if (planes)
    place_set(run.from, &run, &self->from, planes);
  if (self->makes_planes)
    place_set(run.to, &run, &self->to, planes);
  for (guint p = 0; !self->makes_planes && !plan->packed && p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *layout = &plan->layout.plane[p];
    run.to[p] = strip_of(run.dst->plane[p].data, run.dst->plane[p].pitch, &placement->target[p],
                         cc_plane_group_bytes(layout));
    if (self->rows_pitch[p] > 0)
      run.to[p] =
          (CcStrip){scratch + self->rows_at[p], (gssize)self->rows_pitch[p], 0, self->n_rows - 1};
  }
  run_rows(&run);
#ifdef __SSE2__
  _mm_sfence(); /* orders non-temporal stores */
#endif
}

/* --- slices --- */

#define MIN_SLICE_ROWS 16
#define MIN_SLICE_NS 3000

static guint
n_sliced_planes(const CcPhase *self) {
  return self->plan->packed || self->counts_rows ? 1 : self->plan->layout.n_planes;
}

/* Returns the estimated single-threaded picoseconds for a row of a plane's target. For packed
 * frames: for a row of all planes. */
static guint64
row_cost(const CcPhase *self, const CcPlacement *placement, guint plane) {
  const CcPlan *plan = self->plan;
  guint64 cost = 0;
  for (guint i = 0; i < self->n_sweeps; i++) {
    const CcSweep *sweep = &self->sweep[i];
    if (plan->packed || sweep->plane == plane)
      cost += cc_sweep_cost(sweep, placement->target[sweep->plane].width);
  }
  for (guint i = 0; i < self->n_stages; i++) {
    const CcPhaseStage *stage = &self->stage[i];
    for (guint p = 0; stage->klass->cost && p < cc_phase_n_planes(self, stage); p++)
      if (plan->packed || p == plane)
        cost += stage->klass->cost(stage->state, plan, placement, p);
  }
  return cost;
}

static guint
n_sliced_rows(const CcPhase *self, const CcPlacement *placement, guint plane) {
  const CcPhaseStage *stage = &self->stage[0];
  return self->counts_rows ? stage->klass->n_rows(stage->state, self->plan, placement)
                           : placement->target[plane].height;
}

guint64
cc_phase_cost(const CcPhase *self, const CcPlacement *placement) {
  guint64 cost = 0;
  for (guint p = 0; p < n_sliced_planes(self); p++)
    cost += row_cost(self, placement, p) * n_sliced_rows(self, placement, p);
  return cost;
}

/* Large slices come first and small ones last, so that all threads finish at about the same
 * time. */
void
cc_phase_cut(const CcPhase *self, const CcPlacement *placement, guint part, guint n_threads,
             GArray *slices) {
  guint window = 1;
  for (guint i = 0; i < self->n_sweeps; i++)
    window = MAX(window, self->sweep[i].window_rows);
  for (guint p = 0; p < n_sliced_planes(self); p++) {
    const guint height = n_sliced_rows(self, placement, p);
    const guint64 cost = MAX(row_cost(self, placement, p), 1);
    /* Every slice also loads the rows above and below it, which other slices load too. The
     * minimum must be so large that this cost, and the cost of taking a slice, are negligible. With
     * a larger minimum there would be too few slices for the threads. */
    const guint64 worth = MIN_SLICE_NS * G_GUINT64_CONSTANT(1000) / cost;
    const guint min = (guint)MAX(MAX(MIN_SLICE_ROWS, window - 1), MIN(worth, G_MAXINT));
    for (guint y = 0; y < height;) {
      const guint left = height - y;
      guint rows = n_threads > 1 ? MAX(min, 3 * left / (4 * n_threads)) : left;
      /* a multiple of every block_rows, so that no block is computed by two slices */
      rows = (rows + CC_MAX_BLOCK_ROWS - 1) / CC_MAX_BLOCK_ROWS * CC_MAX_BLOCK_ROWS;
      if (rows + min > left)
        rows = left;
      const CcSlice slice = {part, p, y, y + rows};
      g_array_append_val(slices, slice);
      y += rows;
    }
  }
}
