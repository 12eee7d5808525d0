/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A stage: one step that samples go through. A plan has a list of stages. */

#include "engine/shared.h"
#include <glib.h>

G_BEGIN_DECLS

/* The kinds of stages other than passes: F(constant, name). Each backend has a class for each kind,
 * cc_cpu_NAME and cc_cuda_NAME: cpu/stages/stage.h, cuda/stages/stage.h. */
#define CC_STAGES(F) F(CC_STAGE_DIRECTION_COLOR, direction_color) /* data: CcDirectionColor */

typedef enum {
  CC_STAGE_CONVOLVE, /* the passes of the plan: sums, response, scale and bias, code value */
  CC_STAGE_TEST,     /* for tests only; data is private to them */
  CC_STAGES(CC_LIST_CONSTANT)
} CcStageKind;
enum { CC_N_STAGE_KINDS = 2 CC_STAGES(CC_LIST_PLUS_ONE) };

/* The input of a stage. */
typedef enum {
  /* Neighbourhoods of the source. The stage makes components that no other stage with this input
   * makes. */
  CC_READS_SOURCE,
  /* The intermediate planes of the stage before, with neighbours. All of a region is complete
   * before the stage begins. The stage makes every component that a pass makes
   * (cc_plan_made_components), and passes on all bits of the stored words of components that it
   * leaves unchanged. The colors of direction-color are not in these planes: they are written to
   * the frame afterwards. */
  CC_READS_PLANES,
  /* Single samples of the frame, changed in place, also those of direction-color. Such stages come
   * last. */
  CC_READS_SAMPLES,
} CcStageReads;

typedef struct {
  CcStageKind kind;
  CcStageReads reads;
  gboolean needs_source; /* it also reads the source sample at the same position */
  /* With READS_PLANES: bytes of a sample of the planes that it reads, 1, 2 or 4. 0: as in a frame,
   * like the output of CONVOLVE. */
  guint sample_bytes;
  gsize result_bytes;       /* read back with the frame for each region; a multiple of 8 */
  gpointer data;            /* parameters of the kind; NULL: none */
  GDestroyNotify free_data; /* frees `data` with the plan; NULL: `data` is borrowed */
  gsize result_at; /* offset of its result within the results of a region; set by the plan */
} CcStage;

G_END_DECLS
