/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cpu/stages/deinterleave.h"
#include "cpu/stages/stage.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

/* Rows y0 to y1 - 1 of a plane's target in a region: what a thread takes at once. Of packed planes,
 * which share the rows of a frame, it takes those of all planes. */
typedef struct {
  guint region, plane, y0, y1;
} CcSlice;

/* A stage of a phase. */
typedef struct {
  const CcStage *stage;
  const CcCpuStageClass *klass;
  gpointer state;
} CcPhaseStage;

/* Whole planes between two phases, as large as the output. */
typedef struct {
  gsize at[CC_MAX_PLANES], pitch[CC_MAX_PLANES], pixel_size[CC_MAX_PLANES]; /* bytes */
} CcPlaneSet;

/* What runs in parallel over slices of rows. A barrier stands between two phases and nowhere else:
 * a slice reads the source only, or what the phases before have made. The first phase has the
 * sweeps; each of the others begins with a stage that reads planes, or with those that change
 * samples where direction-color has painted them, which reaches beyond the planes of a slice. */
typedef struct {
  const CcPlan *plan; /* of the program, or what that was rewritten to */
  const CcRows *kernels;
  guint n_sweeps;
  CcSweep sweep[CC_MAX_PASSES];
  guint n_stages;
  CcPhaseStage stage[CC_MAX_STAGES];
  CcPlaneSet from, to;      /* between it and the phases beside it */
  gboolean makes_planes;    /* it writes `to` and not the frame */
  gboolean changes_samples; /* stages change the samples of some rows while they are in a cache */
  guint n_rows;             /* that are made at a time; G_MAXUINT: all of a slice */
  gboolean unpacks;         /* frames are deinterleaved and interleaved, some rows at a time */
  CcDeinterleaved deinterleaved;
  gsize scratch_at[CC_MAX_PASSES]; /* where the memory of each sweep begins */
  gsize stage_scratch_at;          /* that of all stages, one after another */
  gsize scratch_size;              /* that a thread needs */
  gsize fixed_scratch;             /* of which so much does not grow with the frame */
} CcPhase;

/* The planes that a stage runs over: of the frame where it changes samples, else of the plan. */
static inline guint
cc_phase_n_planes(const CcPhase *self, const CcPhaseStage *stage) {
  return stage->stage->reads == CC_READS_SAMPLES ? self->plan->frame_layout.n_planes
                                                 : self->plan->layout.n_planes;
}

/* Picoseconds that a region takes one thread, roughly. */
guint64 cc_phase_cost(const CcPhase *self, const CcPlacement *placement);

/* Adds the slices, of CcSlice, into which a phase cuts a region, number `region` of a submission,
 * for up to n_threads threads. One thread makes whole planes. */
void cc_phase_cut(const CcPhase *self, const CcPlacement *placement, guint region, guint n_threads,
                  GArray *slices);

/* Makes a slice of a submission, whose region lies at `placement`, with the scratch_size of the
 * phase, aligned to CC_ROW_ALIGN. `planes` is the memory of all plane sets. */
void cc_phase_run(const CcPhase *self, const CcPlacement *placement, const CcSlice *slice,
                  const CcSubmitInfo *submission, guint8 *planes, guint8 *scratch);

G_END_DECLS
