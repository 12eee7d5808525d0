/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cpu/stages/deinterleave.h"
#include "cpu/stages/stage.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

/* Rows y0 to y1 - 1 of a plane's target in a region: the unit of work of a thread. With packed
 * planes, whose samples share the rows of a frame, a slice covers the rows of all planes. */
typedef struct {
  guint region, plane, y0, y1;
} CcSlice;

typedef struct {
  const CcStage *stage;
  const CcCpuStageClass *klass;
  gpointer state;
} CcPhaseStage;

/* Whole planes between two phases, as large as the output. */
typedef struct {
  gsize at[CC_MAX_PLANES], pitch[CC_MAX_PLANES], pixel_size[CC_MAX_PLANES]; /* bytes */
} CcPlaneSet;

/* The part of a program that runs in parallel over slices of rows. Barriers are only between
 * phases: a slice reads the source and the output of earlier phases. The first phase has the
 * sweeps. Each later phase begins with a stage that reads planes, or with the stages that change
 * samples after direction-color has written them, because direction-color writes beyond the planes
 * of a slice. */
typedef struct {
  const CcPlan *plan; /* of the program, or its rewritten plan */
  const CcRows *kernels;
  guint n_sweeps;
  CcSweep sweep[CC_MAX_PASSES];
  guint n_stages;
  CcPhaseStage stage[CC_MAX_STAGES];
  CcPlaneSet from, to;      /* from the phase before; to the next phase */
  gboolean makes_planes;    /* the output goes to `to` instead of the frame */
  gboolean changes_samples; /* stages change some rows of samples while they are in a cache */
  guint n_rows;             /* processed at a time; G_MAXUINT: all rows of a slice */
  gboolean deinterleaves;   /* frames are deinterleaved and interleaved, some rows at a time */
  CcDeinterleaved deinterleaved;
  gsize scratch_at[CC_MAX_PASSES]; /* offsets of the sweeps' memory */
  gsize stage_scratch_at;          /* shared by all stages, which run one after another */
  gsize scratch_size;              /* for a thread */
  gsize fixed_scratch;             /* the part of scratch_size that does not grow with the frame */
} CcPhase;

/* Returns the number of planes that a stage runs over: of the frame if it changes samples, else of
 * the plan. */
static inline guint
cc_phase_n_planes(const CcPhase *self, const CcPhaseStage *stage) {
  return stage->stage->reads == CC_READS_SAMPLES ? self->plan->frame_layout.n_planes
                                                 : self->plan->layout.n_planes;
}

/* Estimates the picoseconds that one thread takes for a region. */
guint64 cc_phase_cost(const CcPhase *self, const CcPlacement *placement);

/* Cuts region number `region` of a submission into slices for up to n_threads threads, and appends
 * them (CcSlice). For one thread, slices are whole planes. */
void cc_phase_cut(const CcPhase *self, const CcPlacement *placement, guint region, guint n_threads,
                  GArray *slices);

/* Processes a slice of a submission. `placement` is that of the slice's region. `scratch` has
 * scratch_size bytes and is aligned to CC_ROW_ALIGN. `planes` is the memory of all plane sets. */
void cc_phase_run(const CcPhase *self, const CcPlacement *placement, const CcSlice *slice,
                  const CcSubmitInfo *info, guint8 *planes, guint8 *scratch);

G_END_DECLS
