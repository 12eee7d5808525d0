/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Samples of a frame, as the oracle sees them: by their kind, wherever they lie. */

#include "engine/frame.h"
#include "engine/plan/filter.h"

G_BEGIN_DECLS

/* Where a frame has samples of a kind: one in each group of a plane, or in pairs two, which are two
 * samples apart. */
typedef struct {
  guint plane, first;
  gboolean two;
} Place;

/* Samples that are filtered, copied or set together. Those that lie at three places are the luma of
 * red, green and blue. */
typedef struct {
  const CcPlaneLayout *layout; /* of the plane where they lie */
  CcRole role;
  guint n_places;
  Place place[3];
} Kind;

/* The words of a rectangle of samples of a kind. */
typedef struct {
  guint width, height;
  guint *word;
} Field;

/* A field of this size, which the caller frees. */
Field oracle_field_new(const CcRect *rect);

/* The samples of a kind in a rectangle; the luma of those at three places. */
Field oracle_read_field(const Kind *kind, const CcFrame *frame, const CcRect *rect);

/* Puts them back. `width` is the frame's. Where it is odd, the last of a row of pairs comes twice.
 */
void oracle_write_field(const Kind *kind, const Field *field, const CcFrame *frame,
                        const CcRect *rect, guint width);

G_END_DECLS
