/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A stage: a step in the life of a sample. A plan has a list of stages. */

#include "engine/shared.h"
#include <glib.h>

G_BEGIN_DECLS

/* The kinds of stages that are no passes: F(constant, name). Each backend has a class for each,
 * cc_cpu_NAME and cc_cuda_NAME: cpu/stages/stage.h, cuda/stages/stage.h. */
#define CC_STAGES(F)                                                                               \
  F(CC_STAGE_DIRECTION_COLOR,                                                                      \
    direction_color) /* the direction of a gradient; data: CcDirectionColor */

typedef enum {
  CC_STAGE_CONVOLVE, /* the passes of the plan: sums, response, scale and bias, code value */
  CC_STAGE_TEST,     /* of tests only; data is theirs */
  CC_STAGES(CC_LIST_CONSTANT)
} CcStageKind;
enum { CC_N_STAGE_KINDS = 2 CC_STAGES(CC_LIST_PLUS_ONE) };

/* What a stage is made from. */
typedef enum {
  /* Windows of the source. It makes components that no other such stage makes. */
  CC_READS_SOURCE,
  /* The intermediate planes that the stage before has made, with neighbours: all of a region is
   * made before it begins, in the planes that the plan works on. It makes every component that a
   * pass makes (cc_plan_made_components), and passes on those that it leaves alone, all bits of
   * the stored words. What direction-color paints is not in the planes: the frame gets it
   * afterwards. */
  CC_READS_PLANES,
  /* Single samples of the frame, which it changes where they are, also those that are painted. Such
   * stages come last. */
  CC_READS_SAMPLES,
} CcStageReads;

typedef struct {
  CcStageKind kind;
  CcStageReads reads;
  gboolean needs_source; /* the sample of the source that became its sample, too */
  guint sample_bytes; /* with READS_PLANES: of a sample of the planes that it reads, 1, 2 or 4; 0:
                         as many as in a frame, which is what CONVOLVE makes */
  gsize result_bytes; /* that are read back with the frame, for each region; a multiple of 8 */
  gpointer data;      /* of the kind: the numbers that it works with; NULL: there are none */
  GDestroyNotify free_data; /* frees it with the plan; NULL: it is borrowed */
  gsize result_at;          /* where its result begins in those of a region; the plan sets it */
} CcStage;

G_END_DECLS
