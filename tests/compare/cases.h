/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The combinations of parameters that are run. On small frames, every pair of values of any two
 * parameters comes up. On large frames, combinations are chosen at random. */

#include "engine/plan/plan.h"
#include "tests/compare/kernels.h"
#include "tests/ref/formats.h"
#include "tests/ref/guarded.h"

G_BEGIN_DECLS

typedef enum {
  DIM_KERNEL,
  DIM_SIZE,
  DIM_FORMAT,
  DIM_BORDER,
  DIM_RESPONSE,
  DIM_CHROMA,
  DIM_COLOR,
  DIM_ALPHA,
  DIM_SCALE,
  DIM_BIAS,
  DIM_RANGE,
  DIM_STRIDE,
  DIM_REGION,
  DIM_COMPOSE,
  DIM_PATTERN,
  DIM_SRC,
  DIM_DST,
  DIM_COUNT,
} Dimension;

/* A value for each parameter, as an index. */
typedef struct {
  guint8 level[DIM_COUNT];
} Combination;

/* A case ready to run. */
typedef struct {
  CcFilter filter;
  CcRoi roi;
  CcFrameLayout layout;
  Pattern pattern;
  Placement src, dst;
  guint32 seed;     /* of the frame */
  gboolean refused; /* direction without two matrices, which the plan must refuse */
  /* for the description */
  const gchar *kernel, *format, *range;
  guint width, height;
} Case;

/* Returns all parameters of a case on one line. */
gchar *case_describe(const Case *c);

/* Returns " chroma-kernel=NAME chroma-size=N", without the parts that are not set. */
gchar *case_describe_chroma(const CcFilter *filter);

typedef struct {
  GArray *kernels;      /* of TestKernel */
  GArray *combinations; /* of Combination */
  guint32 seed;
} CaseList;

/* Makes `rounds` sets of all pairs on small frames, then random cases of 640x360 and 1921x1081
 * pixels. Equal arguments give equal lists. */
CaseList *case_list_new(guint32 seed, guint rounds, guint n_medium, guint n_large);

/* Makes n random cases of 1921x1081 pixels, including the largest windows, for plans that are not
 * run. */
CaseList *case_list_new_of_plans(guint32 seed, guint n);

void case_list_free(CaseList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CaseList, case_list_free)

/* Returns case `index` of the list, which must outlive it. */
Case case_list_get(const CaseList *list, guint index);

G_END_DECLS
