/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* CPU implementations of the stages of a plan, except CONVOLVE. A phase runs stages after its
 * sweeps. */

#include "cpu/sweep.h"

G_BEGIN_DECLS

/* The frames of CcStage.inner. */
typedef struct {
  CcFrame source, target;
} CcInnerFrames;

/* Rows y0 to y1 - 1 of a plane's target in a region. One call of CcCpuStageClass.run processes
 * these rows. Other threads process other rows. A row may begin at an address that is not aligned
 * for its sample type. */
typedef struct {
  const CcPlan *plan;
  const CcStage *stage;
  const CcPlacement *placement;
  guint plane; /* index of a plane of the plan; with CC_READS_SAMPLES, of a plane of the frame */
  guint y0, y1;
  const CcFrame *src, *dst; /* whole frames; src is set only if the stage needs the source */
  /* With CC_READS_PLANES: `from` has the target rows of all planes that the stage before made, and
   * the stage writes the rows of each plane to `to`. With CC_READS_SAMPLES: unless the frame is
   * packed, `to` has the rows of each plane. They are in the frame, or in scratch memory
   * (makes_rows). */
  const CcStrip *from, *to;
  const CcInnerFrames *inner; /* NULL: the plan has no stage with an inner plan */
  guint8 *shared; /* aligned to CC_ROW_ALIGN; NULL: the plan has no stage with shared_bytes */
  /* result of the region, result_bytes large, to which all threads add; NULL: no result */
  gpointer result;
} CcStageRows;

/* A two-byte sample in a row that may be unaligned. */
typedef guint16 CcWord __attribute__((aligned(1), may_alias));

/* Returns the source samples of row y of a target in plane `plane` of the frame. With a stride, the
 * samples are copied to `scratch`, which has the size of a row of the output. */
const guint8 *cc_cpu_source_row(const CcStageRows *rows, const CcRows *kernels, guint plane,
                                guint y, guint8 *scratch);

typedef struct {
  const gchar *name; /* name in messages */
  /* Creates the state of a stage. Adds the bytes of scratch memory that `run` needs to
   * *scratch_size. This number of bytes must not depend on the region. `kernels` is NULL for plain
   * loops. `create` is NULL if the stage has no state. */
  gpointer (*create)(const CcPlan *plan, const CcStage *stage, const CcRows *kernels,
                     gsize *scratch_size);
  void (*free)(gpointer state); /* NULL if the stage has no state */
  /* How many rows a region has, for stages that are alone in a phase: CC_READS_PIXELS, whose rows
   * consist of cells, and HYSTERESIS. `plane` of CcStageRows is 0, and y0 and y1 count these rows.
   * NULL: the rows are those of a plane. */
  guint (*n_rows)(gconstpointer state, const CcPlan *plan, const CcPlacement *placement);
  /* Returns the bytes of memory that this stage and later stages share for a region. They are the
   * same memory for all regions, so regions of such plans are processed one after another. One
   * stage of a plan has it at most. NULL: none. */
  gsize (*shared_bytes)(const CcPlan *plan, const CcStage *stage);
  /* CC_READS_SAMPLES only: whether the stage makes all samples of the plane `plane` of an unpacked
   * frame from its rows `to`, which are then in scratch memory. NULL: no. */
  gboolean (*makes_rows)(gconstpointer state, guint plane);
  /* Returns how many picoseconds one thread takes for a row of `plane`. NULL: none. `plane` is the
   * index of a plane as in CcStageRows. A tap of a kernel costs CC_TAP_PS. */
  guint64 (*cost)(gconstpointer state, const CcPlan *plan, const CcPlacement *placement,
                  guint plane);
  /* `scratch` is aligned to CC_ROW_ALIGN. */
  void (*run)(gconstpointer state, const CcStageRows *rows, guint8 *scratch);
  /* Adds a line of text for each step to `lines`. NULL: the only line is `name`. */
  void (*explain)(gconstpointer state, GPtrArray *lines);
} CcCpuStageClass;

#define CC_CPU_STAGE(constant, name) extern const CcCpuStageClass cc_cpu_##name;
CC_STAGES(CC_CPU_STAGE)
#undef CC_CPU_STAGE

/* The class of each kind of stage. NULL for CONVOLVE and REPEAT, because sweeps do the passes.
 * Tests set the class of CC_STAGE_TEST before any program is prepared. */
extern const CcCpuStageClass *cc_cpu_stage_classes[CC_N_STAGE_KINDS];

G_END_DECLS
