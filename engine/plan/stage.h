/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A stage: a step in the life of a sample. A plan has a list of stages, and each backend has a
 * table of how it runs each kind: cpu/stages/stage.h, cuda/stages/stage.h. */

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
  CC_STAGE_CONVOLVE,        /* the passes of the plan: sums, response, scale and bias, code value */
  CC_STAGE_DIRECTION_COLOR, /* the direction of a gradient as a color; data: CcHue */
  CC_STAGE_TEST,            /* of tests only; data is theirs */
  CC_N_STAGE_KINDS,
} CcStageKind;

/* What a stage is made from. */
typedef enum {
  /* Windows of the source. It makes components that no other such stage makes. */
  CC_READS_SOURCE,
  /* The intermediate planes that the stage before has made, with neighbours: all of a region is
   * made before it begins, in the planes that the plan works on. A stage that reads the source
   * comes before it and writes those planes, and direction-color writes the frame after it. */
  CC_READS_PLANES,
  /* Single samples of the frame, which it changes where they are. Such stages come last. */
  CC_READS_SAMPLES,
} CcStageReads;

typedef struct {
  CcStageKind kind;
  CcStageReads reads;
  gboolean needs_source; /* the sample of the source that became its sample, too */
  guint sample_bytes; /* with READS_PLANES: of a sample of the planes that it reads, 1, 2 or 4; 0:
                         as many as in a frame */
  gsize result_bytes; /* that are read back with the frame, for each region; a multiple of 8 */
  gconstpointer data; /* of the kind */
} CcStage;

G_END_DECLS
