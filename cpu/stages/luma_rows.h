/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Rows of luma for stages that compute gradients. Rows of a part of the source are loaded as lanes
 * into a ring that is as high as the window. The border rule gives rows and columns outside of the
 * source. */

#include "stage.h"
#include "cpu/methods/tap_pattern.h"

G_BEGIN_DECLS

typedef struct {
  const CcPlan *plan;
  const CcOp *op;                /* the op of the gradient; it has two matrices */
  const CcComponentOffset *from; /* the luma, or three offsets of R, G and B */
  guint n_from;
  guint plane;  /* plane of the plan that has a sample for each pixel */
  guint border; /* code value outside of the plane with CC_BORDER_CONSTANT */
  const CcRows *rows;
  CcSampleType type;
  CcLane lane, sum_lane; /* of loaded samples, and of sums */
  CcTapGroups weights[2];
  gsize words, ring, ring_pitch; /* offsets in the scratch memory, and the pitch of the ring */
} CcLumaRows;

/* Sets the lanes and weights. All members before `type` must be set. `largest` is the largest
 * absolute value that the caller stores in lanes of sums. Returns the scratch memory that the rows
 * need if at most n_pixels pixels of a row are loaded, without the edges of the window. */
gsize cc_luma_rows_init(CcLumaRows *self, gint64 largest, guint n_pixels);
void cc_luma_rows_clear(CcLumaRows *self);

/* Appends the tap groups of both matrices and the lanes of the sums. */
void cc_luma_rows_explain(const CcLumaRows *self, GString *line);

/* A part of the rows while a thread processes it. */
typedef struct {
  const CcLumaRows *luma;
  const CcRect *pixels; /* source rectangle of the luma */
  const CcFrame *src;
  guint8 *scratch; /* memory that cc_luma_rows_init requires */
  gint first;      /* number of the first pixel of the part; all of its pixels lie in the source */
  guint n_pixels;
  gint next; /* row of pixels that is loaded next; G_MININT: no row is loaded */
} CcLumaPart;

/* Loads the rows of the windows around row y. Rows must be loaded in ascending order. Returns the
 * lanes of the part's pixels in row number `of` of the window. */
const guint8 *cc_luma_part_load(CcLumaPart *self, gint y, guint of);

/* Loads the rows of the windows around row y, and computes the sums of matrix m for all pixels of
 * the row. */
void cc_luma_part_sum(CcLumaPart *self, guint m, gint y, gpointer out);

G_END_DECLS
