/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The oracle's access to samples of a frame: by kind, independent of their position. */

#include "engine/frame.h"
#include "engine/plan/filter.h"

G_BEGIN_DECLS

/* Where a frame has samples of a kind: one in each group of a plane, or, for luma of macropixels,
 * two, which are two samples apart. */
typedef struct {
  guint plane, first;
  gboolean two;
} Offset;

/* Samples that are filtered, copied or set together. A kind with three offsets is the luma of red,
 * green and blue. */
typedef struct {
  const CcPlaneLayout *layout; /* of their plane */
  CcRole role;
  guint n_offsets;
  Offset offset[3];
} Kind;

/* The words of a rectangle of samples of a kind. */
typedef struct {
  guint width, height;
  guint *word;
} Field;

/* Makes a field of this size, which the caller frees. */
Field oracle_field_new(const CcRect *rect);

/* Reads the samples of a kind in a rectangle; the luma, if the kind has three offsets. */
Field oracle_read_field(const Kind *kind, const CcFrame *frame, const CcRect *rect);

/* Writes the samples back. `width` is the frame's. If it is odd, the last luma sample of a row of
 * macropixels is written twice. */
void oracle_write_field(const Kind *kind, const Field *field, const CcFrame *frame,
                        const CcRect *rect, guint width);

G_END_DECLS
