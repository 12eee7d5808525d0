/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A stage: one processing step of a plan. */

#include "engine/shared.h"
#include <glib.h>

G_BEGIN_DECLS

/* The kinds of stages other than CONVOLVE, REPEAT and TEST: F(constant, name). Each backend has a
 * class for each of these kinds: cc_cpu_NAME of cpu/stages/stage.h, cc_cuda_NAME of
 * cuda/stages/stage.h. */
#define CC_STAGES(F)                                                                               \
  F(CC_STAGE_DIRECTION_COLOR, direction_color) /* data: CcDirectionColor */                        \
  F(CC_STAGE_SUPPRESS, suppress)               /* data: CcCanny */                                 \
  F(CC_STAGE_PREMULTIPLY, premultiply)         /* data: CcWeighted */                              \
  F(CC_STAGE_DIVIDE, divide)                   /* data: CcWeighted */                              \
  F(CC_STAGE_HYSTERESIS, hysteresis)           /* data: CcCanny */                                 \
  F(CC_STAGE_EDGES, edges)                     /* data: CcCanny */                                 \
  F(CC_STAGE_MEASURE, measure)                 /* data: CcMeasure */                               \
  F(CC_STAGE_COMPOSE, compose)                 /* data: CcCompose */                               \
  F(CC_STAGE_OVERLAY, overlay)                 /* data: CcOverlay */

typedef enum {
  CC_STAGE_CONVOLVE, /* the passes of the plan: sums, response, scale and bias, code value */
  CC_STAGE_REPEAT,   /* the passes again, from the target of the stage before to the same target */
  CC_STAGE_TEST,     /* for tests only; data is private to them */
  CC_STAGES(CC_LIST_CONSTANT)
} CcStageKind;
enum { CC_N_STAGE_KINDS = 3 CC_STAGES(CC_LIST_PLUS_ONE) };

typedef enum {
  /* Neighbourhoods of source samples. No two stages with this input make the same component. */
  CC_READS_SOURCE,
  /* Neighbourhoods in intermediate planes. The previous stage writes these planes, or CONVOLVE if
   * the previous stage is direction-color. They are complete before this stage begins. This
   * stage writes every component that a pass makes (cc_plan_made_components). It copies all bits of
   * the stored words of components that it leaves unchanged. The colors of direction-color are not
   * in these planes, because they are written to the frame afterwards. */
  CC_READS_PLANES,
  /* Single samples of the frame, including the samples of direction-color. The stage changes
   * these samples. Four stages differ. PREMULTIPLY only reads the source, and writes the source of
   * an inner plan. HYSTERESIS and EDGES read what SUPPRESS made of the region. MEASURE changes
   * nothing. */
  CC_READS_SAMPLES,
  /* Samples of several planes of the frame that belong to the same pixels. All stages before it are
   * complete before this stage begins. The stage changes the samples in place. Such stages come
   * last. */
  CC_READS_PIXELS,
} CcStageReads;

typedef struct {
  CcStageKind kind;
  CcStageReads reads;
  gboolean needs_source; /* the stage also reads the source sample at the same position */
  /* With CC_READS_SAMPLES: all stages before this stage are complete before it begins, and it is
   * complete before the next stage begins. */
  gboolean is_alone;
  /* With CC_READS_PLANES: bytes of a sample in the planes that the stage reads: 1, 2 or 4. 0: the
   * sample size of the frame, which the output of CONVOLVE has. */
  guint sample_bytes;
  /* bytes of results for each region, read back with the frame; a multiple of 8 */
  gsize result_bytes;
  /* A plan that runs before the stage, from frames that an earlier stage made to other frames that
   * the stage reads. Owned. NULL: none. A plan has one such stage at most. */
  struct _CcPlan *inner;
  gpointer data;            /* parameters of the stage; NULL: none */
  GDestroyNotify free_data; /* frees `data` with the plan; NULL: `data` is borrowed */
  /* offset of the stage's results within the results of a region, in bytes; set by the plan */
  gsize result_at;
} CcStage;

G_END_DECLS
