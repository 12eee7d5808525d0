/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The stages of a plan that are not passes, on the CPU. A phase runs them on some rows at a time,
 * after its sweeps. */

#include "cpu/sweep.h"

G_BEGIN_DECLS

/* Rows y0 to y1 - 1 of a plane's target in a region: the unit that a stage processes. Other threads
 * process other rows. The alignment of rows may be less than a sample. */
typedef struct {
  const CcPlan *plan;
  const CcStage *stage;
  const CcPlacement *placement;
  guint plane; /* of the plan; with CC_READS_SAMPLES, of the frame */
  guint y0, y1;
  const CcFrame *src, *dst; /* whole; src only if the stage needs the source */
  /* With CC_READS_PLANES: the target rows of all planes from the stage before, and where the rows
   * of each plane go. */
  const CcStrip *from, *to;
  gpointer result; /* of the region: result_bytes, to which threads add; NULL: none */
} CcStageRows;

/* A two-byte sample in such a row. */
typedef guint16 CcWord __attribute__((aligned(1), may_alias));

typedef struct {
  const gchar *name; /* for people */
  /* Creates the state of a stage. Adds the scratch memory that `run` needs, which must not depend
   * on the region. `kernels` is NULL for plain loops. `create` may be NULL: no state. */
  gpointer (*create)(const CcPlan *plan, const CcStage *stage, const CcRows *kernels,
                     gsize *scratch_size);
  void (*free)(gpointer state); /* NULL: no state */
  /* Returns the picoseconds that one thread takes for a row of `plane`, which is counted as in
   * CcStageRows. A tap of a kernel costs CC_TAP_PS. */
  guint64 (*cost)(gconstpointer state, const CcPlan *plan, const CcPlacement *placement,
                  guint plane);
  /* Processes rows. `scratch` is aligned to CC_ROW_ALIGN. */
  void (*run)(gconstpointer state, const CcStageRows *rows, guint8 *scratch);
  /* Adds a line for each step, for people. NULL: the line is the name. */
  void (*explain)(gconstpointer state, GPtrArray *lines);
} CcCpuStageClass;

#define CC_CPU_STAGE(constant, name) extern const CcCpuStageClass cc_cpu_##name;
CC_STAGES(CC_CPU_STAGE)
#undef CC_CPU_STAGE

/* The class of each kind; NULL for CONVOLVE, which is done by sweeps. Tests set the class of
 * CC_STAGE_TEST before any program is prepared. */
extern const CcCpuStageClass *cc_cpu_stage_classes[CC_N_STAGE_KINDS];

G_END_DECLS
