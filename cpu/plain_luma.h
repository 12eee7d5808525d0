/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The gradient of single pixels of luma, for plain loops. */

#include "component_offset.h"
#include "engine/plan/plan.h"

typedef struct {
  const CcPlan *plan;
  const CcOp *op;                /* the op of the gradient; it has two matrices */
  const CcComponentOffset *from; /* the luma, or three offsets of R, G and B */
  guint n_from;
  gint border;                 /* code value outside of the plane with CC_BORDER_CONSTANT */
  const CcPlaneLayout *layout; /* of the plane of luma; words have the same format in all planes */
  const CcRect *pixels;        /* source rectangle of luma */
  const CcFrame *src;
} CcPlainLuma;

typedef struct {
  gint64 x, y;
} CcGradientSums;

static inline guint
cc_plain_luma_load(const CcPlainLuma *self, guint i, guint x, guint y) {
  return cc_component_load(&self->from[i], self->src, self->layout->type, x, y) >>
         self->layout->shift;
}

/* The pixel may lie outside the source. */
static inline gint64
cc_plain_luma_at(const CcPlainLuma *self, gint x, gint y) {
  const gint column = cc_border_index(x, (gint)self->pixels->width, self->plan->border);
  const gint row = cc_border_index(y, (gint)self->pixels->height, self->plan->border);
  if (column < 0 || row < 0)
    return self->border;
  const guint i = self->pixels->x + (guint)column, j = self->pixels->y + (guint)row;
  if (self->n_from == 1)
    return cc_plain_luma_load(self, 0, i, j);
  return cc_luma_of(cc_plain_luma_load(self, 0, i, j), cc_plain_luma_load(self, 1, i, j),
                    cc_plain_luma_load(self, 2, i, j));
}

static inline CcGradientSums
cc_plain_luma_gradient(const CcPlainLuma *self, gint x, gint y) {
  const gint width = (gint)self->op->width, height = (gint)self->op->height;
  const gint32 *tap = self->op->tap_i;
  CcGradientSums sums = {0};
  for (gint j = 0; j < height; j++)
    for (gint i = 0; i < width; i++, tap++) {
      const gint64 luma = cc_plain_luma_at(self, x + i - width / 2, y + j - height / 2);
      sums.x += tap[0] * luma;
      sums.y += tap[width * height] * luma;
    }
  return sums;
}
