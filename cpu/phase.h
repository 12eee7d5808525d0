/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cpu/stages/deinterleave.h"
#include "cpu/stages/stage.h"
#include "engine/run/backend.h"

G_BEGIN_DECLS

/* Rows y0 to y1 - 1 of a plane's target in part number `part` of a submission, which is a region or
 * a field of a region. A thread processes one slice at a time. In packed frames, samples of several
 * planes share a row of the frame. A slice then covers these rows of all planes. With counts_rows,
 * y0 and y1 count the rows of the stage. */
typedef struct {
  guint part, plane, y0, y1;
} CcSlice;

typedef struct {
  const CcStage *stage;
  const CcCpuStageClass *klass;
  gpointer state;
} CcPhaseStage;

/* The planes that one phase writes and the next phase reads. They are as large as the output. */
typedef struct {
  /* offset in the memory of the planes, pitch, and size of a pixel, all in bytes */
  gsize at[CC_MAX_PLANES], pitch[CC_MAX_PLANES], pixel_size[CC_MAX_PLANES];
} CcPlaneSet;

/* A part of a program. Threads process the slices of a phase in parallel. A phase begins when all
 * slices of the phase before are done. A slice can therefore read the source and all output of
 * earlier phases. The first phase has sweeps that read the source. Each later phase begins with a
 * stage that reads planes, with a stage that changes pixels, or with a stage that changes samples.
 * The latter begins a phase only if the plan has direction-color, which writes samples outside the
 * plane of its slice, if the stage is DIVIDE, which reads what other phases made, or if it or the
 * stage before it is alone (CcStage.is_alone). A phase that begins with the stage REPEAT has sweeps
 * that read planes. */
typedef struct {
  const CcPlan *plan; /* the plan of the program, or the plan into which it was rewritten */
  gboolean is_inner;  /* the program is CcCpuProgram.inner */
  const CcRows *kernels;
  guint repetition; /* number of the repetition that the sweeps run, from 1 on; 0: no sweeps */
  guint n_sweeps;
  CcSweep sweep[CC_MAX_PASSES];
  guint n_stages;
  CcPhaseStage stage[CC_MAX_STAGES];
  CcPlaneSet from, to;   /* planes from the phase before, and planes for the next phase */
  gboolean makes_planes; /* the output is written to `to` and not to the frame */
  gboolean counts_rows;  /* the phase is one stage whose class counts its rows (n_rows) */
  /* stages change the samples of a few rows at a time, while these rows are in a cache */
  gboolean changes_samples;
  /* number of rows that are processed at a time; G_MAXUINT: all rows of a slice */
  guint n_rows;
  gboolean deinterleaves; /* frames are deinterleaved and interleaved, a few rows at a time */
  CcDeinterleaved deinterleaved;
  gsize scratch_at[CC_MAX_PASSES]; /* offset of the memory of each sweep in the scratch memory */
  /* offset of the memory of the stages, which share it because they run one after another */
  gsize stage_scratch_at;
  /* of planes whose rows a stage makes from rows in scratch memory: the offset of these rows, and
   * their pitch; a pitch of 0: the rows are in the frame */
  gsize rows_at[CC_MAX_PLANES], rows_pitch[CC_MAX_PLANES];
  gsize shared_at;     /* offset of the memory that stages share, in the memory of the planes */
  gsize scratch_size;  /* bytes of scratch memory that each thread needs */
  gsize fixed_scratch; /* the part of scratch_size that sweeps without chunks and stages need */
} CcPhase;

/* Returns the number of planes that a stage runs over. A stage that counts its rows runs over all
 * planes at once. A stage that changes samples runs over the planes of the frame. Any other stage
 * runs over the planes of the plan. */
static inline guint
cc_phase_n_planes(const CcPhase *self, const CcPhaseStage *stage) {
  return self->counts_rows                         ? 1
         : stage->stage->reads == CC_READS_SAMPLES ? self->plan->frame_layout.n_planes
                                                   : self->plan->layout.n_planes;
}

/* Estimates how many picoseconds one thread takes for a region. */
guint64 cc_phase_cost(const CcPhase *self, const CcPlacement *placement);

/* Cuts part number `part` of a submission into slices for up to n_threads threads. Appends the
 * slices (CcSlice) to `slices`. For one thread, slices are whole planes. */
void cc_phase_cut(const CcPhase *self, const CcPlacement *placement, guint part, guint n_threads,
                  GArray *slices);

/* Processes a slice of a submission. `placement` and `info` are those of the slice's part, and the
 * results of `info` are its own. `inner` has the frames of CcCpuProgram.inner, or NULL. `scratch`
 * has scratch_size bytes and is aligned to CC_ROW_ALIGN. `planes` is the memory of all plane sets.
 */
void cc_phase_run(const CcPhase *self, const CcPlacement *placement, const CcSlice *slice,
                  const CcSubmitInfo *info, const CcInnerFrames *inner, guint8 *planes,
                  guint8 *scratch);

G_END_DECLS
