/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The ladder: what a pass of a plan is run with, and why. */

#include "engine/plan/plan.h"
#include "cpu/methods/separable.h"
#include "cpu/methods/box.h"
#include "cpu/kernels/row_kernels.h"
#include "cpu/methods/tap_groups.h"
#include "cpu/methods/conv2d.h"

G_BEGIN_DECLS

/* The loops over the rows of a target. */
typedef enum {
  CC_LOOP_PLAIN,  /* the definition; does whatever the pass is */
  CC_LOOP_FILTER, /* filters, and merges other components in where there are some */
  CC_LOOP_MERGE,  /* copied and filled components together */
  CC_LOOP_COPY,   /* all are copied */
  CC_LOOP_FILL,   /* all are filled */
} CcLoop;

#define CC_MAX_DECLINED 8

/* The methods that were tried, and why each does not run. The texts are static. */
typedef struct {
  guint n;
  struct {
    const gchar *method, *reason;
  } entry[CC_MAX_DECLINED];
} CcDeclined;

typedef struct {
  CcLoop loop;
  gboolean merges; /* components of different fates lie side by side */

  /* the rest only with CC_LOOP_FILTER */
  CcLane sum_lane;
  guint left;       /* sums are 2^left as large as the plan's */
  gboolean reduces; /* else the only sum is t */
  CcReduce reduce;
  CcNumber number; /* that t is */
  CcFinishForm form;
  CcFinish to_sample;
  gboolean separable; /* run as column times row, by sums of terms or lines */
  CcLane sample_lane; /* of loaded rows */
  CcLane ring_lane;   /* of the rows that the last sums are over */
  /* The way to sum: products over whole windows, or along lines and over them, or running sums.
   * NULL all: sums of terms. */
  CcWindow *window;
  CcLines *lines;
  CcMeans *means;
  /* sums of terms */
  CcApplyFunc apply; /* sums, reduction and last step at once; NULL: they are not */
  gboolean pairs;    /* samples with even and odd numbers have places of their own along a line */
  CcWeights along[CC_MAX_MATRICES]; /* sums along a line, when separable */
  CcWeights over[CC_MAX_MATRICES];  /* sums over the window's rows */
  CcDeclined declined;
} CcChoice;

/* Walks down the ladder. `rows` are the row kernels of the variant; NULL: it has none. */
void cc_choice_init(CcChoice *choice, const CcPlan *plan, const CcPass *pass, const CcRows *rows);
void cc_choice_clear(CcChoice *choice);

/* What the kernels that sum make of the sums, where there is a choice. */
CcSumStep cc_choice_sum_step(const CcChoice *choice);

G_END_DECLS
