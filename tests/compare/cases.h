/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which of the many combinations of parameters are run: every pair of values of any two parameters
 * comes up on small pictures, and a random choice of all combinations on large ones. */

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
  CcFrameLayout layout;
  Pattern pattern;
  Placement src, dst;
  guint32 seed;     /* of the picture */
  gboolean refused; /* direction with other than two matrices, which the plan must not accept */
  /* for its description */
  const gchar *kernel, *format, *range;
  guint width, height;
} Case;

/* All parameters of a case on one line. */
gchar *case_describe(const Case *c);

typedef struct {
  GArray *kernels;      /* of TestKernel */
  GArray *combinations; /* of Combination */
  guint32 seed;
} CaseList;

/* `rounds` sets of all pairs on small pictures, then as many cases as given of 640x360 and
 * 1921x1081 pixels. Equal arguments give equal lists. */
CaseList *case_list_new(guint32 seed, guint rounds, guint n_medium, guint n_large);

/* n random cases of 1921x1081 pixels, the largest windows among them, for plans that are not run.
 */
CaseList *case_list_new_of_plans(guint32 seed, guint n);

void case_list_free(CaseList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CaseList, case_list_free)

/* Case `index` of the list, which has to outlive it. */
Case case_list_get(const CaseList *list, guint index);

G_END_DECLS
