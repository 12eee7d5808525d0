/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "phase.h"

#include "plain.h"
#include "tile.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A slice under way. */
typedef struct {
  const CcPhase *phase;
  const CcSlice *slice;
  const CcSubmission *submission;
  CcPlacement placement;       /* of the slice's region */
  CcStrip from[CC_MAX_PLANES]; /* what the phase before has made */
  CcStrip to[CC_MAX_PLANES];   /* what this phase makes, in planes */
  guint8 *scratch;
} Run;

static CcStrip
strip_of(guint8 *data, gssize pitch, const CcRect *rect, gsize pixel_size) {
  return (CcStrip){data + (gssize)rect->y * pitch + rect->x * pixel_size, pitch, 0, G_MAXUINT};
}

static void
place_set(CcStrip strips[CC_MAX_PLANES], const Run *run, const CcPlaneSet *set, guint8 *planes) {
  for (guint p = 0; p < run->phase->plan->layout.n_planes; p++)
    strips[p] = strip_of(planes + set->at[p], (gssize)set->pitch[p], &run->placement.target[p],
                         set->pixel_size[p]);
}

/* Whether a plane of the plan is made with the slice. */
static gboolean
has_plane(const Run *run, guint plane) {
  return run->phase->plan->packed || plane == run->slice->plane;
}

/* --- stages --- */

static void
run_stage(const Run *run, const CcPhaseStage *stage, guint plane, guint y0, guint y1) {
  const CcPhase *self = run->phase;
  const CcSubmission *submission = run->submission;
  guint8 *results = submission->results;
  const CcStageRows rows = {
      .placement = &run->placement,
      .plane = plane,
      .y0 = y0,
      .y1 = y1,
      .src = stage->needs_source ? &submission->src : NULL,
      .dst = &submission->dst,
      .from = run->from,
      .to = run->to,
      .result =
          stage->has_result
              ? results + run->slice->region * cc_plan_result_bytes(self->plan) + stage->result_at
              : NULL,
  };
  stage->klass->run(stage->state, &rows, run->scratch + self->stage_scratch_at);
}

/* Runs those stages that read the same, over all planes of the slice. */
static void
run_stages(const Run *run, CcStageReads reads, guint y0, guint y1) {
  const CcPhase *self = run->phase;
  const guint n_planes =
      reads == CC_READS_SAMPLES ? self->plan->frame_layout.n_planes : self->plan->layout.n_planes;
  for (guint i = 0; i < self->n_stages; i++)
    for (guint p = 0; self->stage[i].reads == reads && p < n_planes; p++)
      if (has_plane(run, p))
        run_stage(run, &self->stage[i], p, y0, y1);
}

/* --- the phase --- */

/* A sweep over the slice. */
typedef struct {
  CcArea area;
  CcStrip from;
  gint next;
} SweepRun;

static void
run_sweep(const Run *run, SweepRun *self, guint i, const CcUnpacking *unpacking, guint y0,
          guint y1) {
  const CcPhase *phase = run->phase;
  const CcSubmission *submission = run->submission;
  const CcPlacement *placement = &run->placement;
  const CcSweep *sweep = &phase->sweep[i];
  const guint p = sweep->plane;
  if (sweep->loop == CC_LOOP_PLAIN) {
    cc_plain_sweep(phase->plan, sweep->pass, placement, &submission->src, &submission->dst,
                   phase->is_last ? NULL : run->to, y0, y1);
    return;
  }
  guint8 *scratch = run->scratch + phase->scratch_at[i];
  if (y0 == run->slice->y0) {
    const CcPlane *plane = &submission->src.plane[p];
    cc_area_init(&self->area, sweep, &placement->source[p], &placement->target[p], scratch);
    self->from = phase->unpacks ? unpacking->from[p]
                                : strip_of(plane->data, plane->pitch, &placement->source[p],
                                           sweep->pixel_size);
    self->next = CC_NO_ROW;
  }
  cc_area_run(&self->area, &self->from, &run->to[p], y0, y1, &self->next, scratch);
}

/* Makes the rows of all planes that the slice has, some at a time. */
static void
run_rows(Run *run) {
  const CcPhase *self = run->phase;
  const CcSlice *slice = run->slice;
  const CcSubmission *submission = run->submission;
  SweepRun sweep[CC_MAX_PASSES];
  CcUnpacking unpacking;
  if (self->unpacks) {
    cc_unpacking_begin(&unpacking, &self->unpacked, &run->placement, &submission->src,
                       &submission->dst, slice->y0, run->scratch);
    for (guint p = 0; self->is_last && p < self->plan->layout.n_planes; p++)
      run->to[p] = unpacking.to[p];
  }
  for (guint y0 = slice->y0, y1; y0 < slice->y1; y0 = y1) {
    y1 = y0 + MIN(self->n_rows, slice->y1 - y0);
    if (self->unpacks)
      cc_unpacking_load(&unpacking, y1);
    for (guint i = 0; i < self->n_sweeps; i++)
      if (has_plane(run, self->sweep[i].plane))
        run_sweep(run, &sweep[i], i, &unpacking, y0, y1);
    run_stages(run, CC_READS_PLANES, y0, y1);
    if (self->unpacks && self->is_last)
      cc_unpacking_store(&unpacking, y1);
    if (self->changes_samples) {
      run_stages(run, CC_READS_SOURCE, y0, y1);
      run_stages(run, CC_READS_SAMPLES, y0, y1);
    }
  }
  /* after sweeps, which write whole pixels of packed frames */
  if (!self->changes_samples)
    run_stages(run, CC_READS_SOURCE, slice->y0, slice->y1);
}

void
cc_phase_run(const CcPhase *self, const CcSlice *slice, const CcSubmission *submission,
             guint8 *planes, guint8 *scratch) {
  const CcPlan *plan = self->plan;
  Run run = {.phase = self, .slice = slice, .submission = submission, .scratch = scratch};
  cc_plan_place(plan, &submission->regions[slice->region], &run.placement);
  place_set(run.from, &run, &self->from, planes);
  if (!self->is_last)
    place_set(run.to, &run, &self->to, planes);
  for (guint p = 0; self->is_last && !plan->packed && p < plan->layout.n_planes; p++) {
    const CcPlaneLayout *layout = &plan->layout.plane[p];
    run.to[p] = strip_of(submission->dst.plane[p].data, submission->dst.plane[p].pitch,
                         &run.placement.target[p], layout->step * cc_sample_size(layout->type));
  }
  run_rows(&run);
#ifdef __SSE2__
  _mm_sfence(); /* after what was written past the caches */
#endif
}
