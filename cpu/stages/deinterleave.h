/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Packed frames: sweeps make a few rows of all planes at a time, in scratch memory, and those are
 * put together while they are still in a cache. What sweeps cannot load from where it lies
 * in the frame is taken apart before. */

#include "cpu/sweep.h"

G_BEGIN_DECLS

/* The rows of one plane in the scratch memory. */
typedef struct {
  gsize at, pitch;
} CcUnpackedRows;

/* What is worked out once for a plan. */
typedef struct {
  const CcPlan *plan;
  const CcRows *rows; /* NULL: plain loops; then it takes nothing apart */
  guint radius;       /* rows above and below that windows read */
  guint n_rows;       /* of the target that are made at a time, a power of two */
  guint n_loaded;     /* rows of the source that there is room for, a power of two */
  guint load_mask;    /* planes that are taken apart, a bit each */
  CcUnpackedRows src[CC_MAX_PLANES], dst[CC_MAX_PLANES];
  gsize size; /* of the scratch memory up to the end of all rows */
} CcDeinterleaved;

/* The rows begin at scratch + `at`. */
void cc_deinterleaved_init(CcDeinterleaved *self, const CcPlan *plan, const CcRows *rows,
                           guint load_mask, guint radius, gsize at);

/* Rows of a target under way. `from` is the frame's memory, or rows that are taken apart. Those
 * count positions: rows above and below the source are there too, but with a constant border. */
typedef struct {
  const CcDeinterleaved *deinterleaved;
  const CcPlacement *placement;
  const CcFrame *src, *dst;
  CcStrip from[CC_MAX_PLANES], to[CC_MAX_PLANES];
  gint next;    /* the position that is to be taken apart next */
  guint stored; /* the row that is to be put together next */
} CcDeinterleaving;

void cc_deinterleaving_begin(CcDeinterleaving *self, const CcDeinterleaved *deinterleaved,
                             const CcPlacement *placement, const CcFrame *src, const CcFrame *dst,
                             guint y0, guint8 *scratch);

/* Takes apart what rows of the target up to y - 1 are made from and is not yet. */
void cc_deinterleaving_load(CcDeinterleaving *self, guint y);

/* Puts together what of the rows up to y - 1 is not yet. */
void cc_deinterleaving_store(CcDeinterleaving *self, guint y);

G_END_DECLS
