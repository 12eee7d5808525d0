/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "cpu/stages/deinterleave.h"
#include "cpu/stages/direction_color.h"

G_BEGIN_DECLS

/* Rows y0 to y1 - 1 of a plane's target: what a thread takes at once. Of packed planes, which share
 * the rows of a frame, it takes those of all planes. */
typedef struct {
  guint plane, y0, y1;
} CcSlice;

/* What runs in parallel over slices of rows. A barrier stands between two phases and nowhere else:
 * a slice reads the source only, or what the phases before have made. */
typedef struct {
  const CcPlan *plan; /* of the program */
  guint n_sweeps;
  CcSweep sweep[CC_MAX_PASSES];
  gboolean unpacks; /* frames are deinterleaved and interleaved, some rows at a time */
  CcUnpacked unpacked;
  gsize scratch_at[CC_MAX_PASSES]; /* if it unpacks: where the memory of each sweep begins */
  guint n_hue_sweeps;              /* one for each component group of the plan's direction color */
  CcHueSweep hue_sweep[2];
  gsize scratch_size;  /* that a thread needs */
  gsize fixed_scratch; /* of which so much does not grow with the frame */
  guint n_slices;
  CcSlice *slices;
} CcPhase;

/* Makes a slice of dst, with the scratch_size of the phase, aligned to CC_ROW_ALIGN. */
void cc_phase_run(const CcPhase *phase, const CcSlice *slice, const CcFrame *src,
                  const CcFrame *dst, guint8 *scratch);

G_END_DECLS
