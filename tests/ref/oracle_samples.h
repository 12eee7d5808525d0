/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reading and writing of samples for the oracle, and the border rules. Samples are accessed by
 * kind, independent of their position in the frame. */

#include "engine/frame.h"
#include "engine/plan/filter.h"

G_BEGIN_DECLS

/* The position of samples of a kind in a frame. Each group of a plane has one such sample. A
 * macropixel has two luma samples (`two`), which are two samples apart. */
typedef struct {
  guint plane, first;
  gboolean two;
} Offset;

/* Samples that are filtered, copied or set together. A kind with three offsets is luma that is
 * computed from red, green and blue. */
typedef struct {
  const CcPlaneLayout *layout; /* layout of the plane that has the samples */
  CcRole role;
  guint n_offsets;
  Offset offset[3];
} Kind;

/* The words of a rectangle of samples of a kind. */
typedef struct {
  guint width, height;
  guint *word;
} Field;

/* Finds the first component with a role. Returns FALSE if there is none. */
gboolean oracle_find_role(const CcFrameLayout *layout, CcRole role, Offset *offset);

/* Returns a new field of the size of `rect`. The caller frees its words. */
Field oracle_field_new(const CcRect *rect);

/* Returns the samples of a kind in a rectangle. If the kind has three offsets, returns the luma. */
Field oracle_read_field(const Kind *kind, const CcFrame *frame, const CcRect *rect);

/* Writes the samples of `field` to a rectangle of the frame. `width` is the width of the frame. If
 * `width` is odd, the last luma sample of a row of macropixels is written twice. */
void oracle_write_field(const Kind *kind, const Field *field, const CcFrame *frame,
                        const CcRect *rect, guint width);

/* Returns the index (0 to n - 1) of the sample that a tap at position i reads. Returns -1 if the
 * tap reads the constant outside. */
gint oracle_border_index(gint i, gint n, CcBorder border);

G_END_DECLS
