/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A plan resolved for the CPU: kernels, constants and tables, so that a frame is nothing but the
 * sweep. */

#include "isa.h"
#include "cpu/stages/direction_color.h"
#include "engine/run/backend.h"
#include "cpu/methods/sweep.h"
#include "cpu/stages/deinterleave.h"

G_BEGIN_DECLS

/* Rows y0 to y1 - 1 of a plane's target: what a thread takes at once. Of packed planes, which share
 * the rows of a frame, it takes those of all planes. */
typedef struct {
  guint plane, y0, y1;
} CcSlice;

typedef struct {
  CcProgram base;
  const CcVariant *variant;
  CcPlan whole; /* of pairs that are filtered as they lie */
  guint n_sweeps;
  CcSweep sweep[CC_MAX_PASSES];
  guint n_hue_sweeps; /* one for each field of the plan's hue */
  CcHueSweep hue_sweep[2];
  guint n_slices;
  CcSlice *slices;
  guint64 work; /* nanoseconds that a frame takes one thread, roughly */
  gsize scratch_size;
  guint copies;     /* a bit for each sweep whose kernel changes nothing */
  gboolean unpacks; /* then only a frame takes memory for sweeps, as it is a row of all tiles */
  gsize scratch_at[CC_MAX_PASSES]; /* where that of each sweep begins */
  CcUnpacked unpacked;             /* its rows are behind what the sweeps use */
} CcCpuProgram;

/* Resolves `plan`, which has to outlive the program, for a variant and up to n_threads threads. The
 * machine need not be able to run the variant unless the program is run. */
CcCpuProgram *cc_cpu_program_new(const CcPlan *plan, const CcVariant *variant, guint n_threads);
void cc_cpu_program_free(CcCpuProgram *program);

/* What a row of the target takes one thread, in picoseconds: no more than a rough guess, and rather
 * too little. */
guint64 cc_sweep_cost(const CcSweep *sweep);

/* What a frame runs, a line for each step; see CcProgram.steps. */
GStrv cc_cpu_program_explain(const CcCpuProgram *program);

/* The scratch memory that a frame takes; more than scratch_size where frames are unpacked. Only who
 * has such a frame should take that much. */
gsize cc_cpu_program_frame_scratch(const CcCpuProgram *program);

/* Makes a slice of dst. */
void cc_cpu_program_run(const CcCpuProgram *program, const CcSlice *slice, const CcFrame *src,
                        const CcFrame *dst, guint8 *scratch);

G_END_DECLS
