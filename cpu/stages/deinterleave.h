/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Deinterleaving and interleaving of packed frames. Sweeps write a few rows of all planes at a time
 * to scratch memory. These rows are interleaved into the frame while they are still in a cache. If
 * sweeps cannot load the samples of a plane directly from the frame, rows of the source are
 * deinterleaved into scratch memory first. */

#include "cpu/sweep.h"

G_BEGIN_DECLS

/* The rows of one plane in the scratch memory. */
typedef struct {
  gsize at, pitch;
} CcDeinterleavedRows;

typedef struct {
  const CcPlan *plan;
  const CcRows *rows; /* kernels; NULL: plain loops, which need no deinterleaving */
  guint radius;       /* number of rows above and below a row that sweeps may load for it */
  guint n_rows;       /* number of target rows that are computed at a time; a power of two */
  guint n_loaded;     /* number of deinterleaved source rows that are kept; a power of two */
  guint load_mask;    /* bit p is set if plane p is deinterleaved */
  CcDeinterleavedRows src[CC_MAX_PLANES], dst[CC_MAX_PLANES];
  gsize size; /* offset of the end of all rows in the scratch memory */
} CcDeinterleaved;

/* `at` is the offset of the rows in the scratch memory. */
void cc_deinterleaved_init(CcDeinterleaved *self, const CcPlan *plan, const CcRows *rows,
                           guint load_mask, guint radius, gsize at);

/* How far a slice has been deinterleaved and interleaved. `from` is the frame's memory or the
 * deinterleaved rows of each plane. The number of a deinterleaved row is its position relative to
 * the source. Rows above and below the source are deinterleaved too, except with a constant
 * border. */
typedef struct {
  const CcDeinterleaved *deinterleaved;
  const CcPlacement *placement;
  const CcFrame *src, *dst;
  CcStrip from[CC_MAX_PLANES], to[CC_MAX_PLANES];
  gint next;    /* position of the row that is deinterleaved next */
  guint stored; /* number of the target row that is interleaved next */
} CcDeinterleaving;

void cc_deinterleaving_begin(CcDeinterleaving *self, const CcDeinterleaved *deinterleaved,
                             const CcPlacement *placement, const CcFrame *src, const CcFrame *dst,
                             guint y0, guint8 *scratch);

/* Deinterleaves all source rows that target rows up to y - 1 need, as far as that has not been
 * done. */
void cc_deinterleaving_load(CcDeinterleaving *self, guint y);

/* Interleaves the target rows up to y - 1 into the frame, as far as that has not been done. */
void cc_deinterleaving_store(CcDeinterleaving *self, guint y);

G_END_DECLS
