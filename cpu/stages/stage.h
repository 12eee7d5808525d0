/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How the CPU runs the stages of a plan that are no passes. A phase runs them on some rows at a
 * time, after its sweeps. */

#include "cpu/sweep.h"

G_BEGIN_DECLS

/* Rows y0 to y1 - 1 of a plane's target in a region: what a stage makes at once. Other threads make
 * other rows. */
typedef struct {
  const CcPlacement *placement;
  guint plane; /* of the plan; with CC_READS_SAMPLES, of the frame */
  guint y0, y1;
  const CcFrame *src, *dst;
  const CcStrip *from; /* with CC_READS_PLANES: the targets in all planes, whole, from the stage
                          before; rows may be aligned to less than a sample */
  const CcStrip *to;   /* with CC_READS_PLANES: where each plane's rows go */
  gpointer result;     /* of the region, result_bytes, which threads add to; NULL: there are none */
} CcStageRows;

typedef struct {
  /* Makes the state of a stage; adds the scratch memory that `run` needs, which depends on no
   * region. `kernels` is NULL where plain loops are wanted. */
  gpointer (*create)(const CcPlan *plan, const CcStage *stage, const CcRows *kernels,
                     gsize *scratch_size);
  /* What a row takes one thread, in picoseconds, of the plane that CcStageRows counts. */
  guint64 (*cost)(gconstpointer self, const CcPlacement *placement, guint plane);
  /* Makes rows. `scratch` is aligned to CC_ROW_ALIGN. */
  void (*run)(gconstpointer self, const CcStageRows *rows, guint8 *scratch);
  /* Adds a line for each step, for people. */
  void (*explain)(gconstpointer self, GPtrArray *lines);
  void (*free)(gpointer self);
} CcCpuStageClass;

extern const CcCpuStageClass cc_cpu_direction_color;

/* The class of a kind; NULL: of CONVOLVE, which is sweeps. */
const CcCpuStageClass *cc_cpu_stage_class(CcStageKind kind);

/* The class of CC_STAGE_TEST, before any program is prepared. */
void cc_cpu_set_test_stage(const CcCpuStageClass *klass);

G_END_DECLS
