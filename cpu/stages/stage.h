/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How the CPU runs the stages of a plan that are no passes. A phase runs them on some rows at a
 * time, after its sweeps. */

#include "cpu/sweep.h"

G_BEGIN_DECLS

/* Rows y0 to y1 - 1 of a plane's target in a region: what a stage makes at once. Other threads make
 * other rows. Rows may be aligned to less than a sample. */
typedef struct {
  const CcPlan *plan;
  const CcStage *stage;
  const CcPlacement *placement;
  guint plane; /* of the plan; with CC_READS_SAMPLES, of the frame */
  guint y0, y1;
  const CcFrame *src, *dst; /* whole; src only if the stage needs the source */
  const CcStrip *from;      /* with CC_READS_PLANES: all rows of the targets in all planes, from the
                               stage before */
  const CcStrip *to;        /* with CC_READS_PLANES: where each plane's rows go */
  gpointer result;          /* of the region: result_bytes, which threads add to; NULL: none */
} CcStageRows;

/* A sample of two bytes in such a row. */
typedef guint16 CcWord __attribute__((aligned(1), may_alias));

typedef struct {
  const gchar *name; /* for people */
  /* Makes the state of a stage; adds the scratch memory that `run` needs, which depends on no
   * region. `kernels` is NULL where plain loops are wanted. NULL: it has no state. */
  gpointer (*create)(const CcPlan *plan, const CcStage *stage, const CcRows *kernels,
                     gsize *scratch_size);
  void (*free)(gpointer state); /* NULL: it has none */
  /* What a row takes one thread, in picoseconds, of the plane that CcStageRows counts; a tap of a
   * kernel takes CC_TAP_PS. */
  guint64 (*cost)(gconstpointer state, const CcPlan *plan, const CcPlacement *placement,
                  guint plane);
  /* Makes rows. `scratch` is aligned to CC_ROW_ALIGN. */
  void (*run)(gconstpointer state, const CcStageRows *rows, guint8 *scratch);
  /* Adds a line for each step, for people. NULL: that is the name. */
  void (*explain)(gconstpointer state, GPtrArray *lines);
} CcCpuStageClass;

#define CC_CPU_STAGE(constant, name) extern const CcCpuStageClass cc_cpu_##name;
CC_STAGES(CC_CPU_STAGE)
#undef CC_CPU_STAGE

/* The class of each kind; of CONVOLVE, which is sweeps, NULL. Tests set that of CC_STAGE_TEST
 * before any program is prepared. */
extern const CcCpuStageClass *cc_cpu_stage_classes[CC_N_STAGE_KINDS];

G_END_DECLS
