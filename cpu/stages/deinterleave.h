/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Packed frames. Sweeps make a few rows of all planes at a time in scratch memory, and these rows
 * are interleaved into the frame while they are still in a cache. Planes that sweeps cannot load
 * directly from the frame are deinterleaved before. */

#include "cpu/sweep.h"

G_BEGIN_DECLS

/* The rows of one plane in the scratch memory. */
typedef struct {
  gsize at, pitch;
} CcDeinterleavedRows;

/* The part that is set once for a plan. */
typedef struct {
  const CcPlan *plan;
  const CcRows *rows; /* NULL: plain loops, which need no deinterleaving */
  guint radius;       /* rows above and below that windows read */
  guint n_rows;       /* rows of the target at a time; a power of two */
  guint n_loaded;     /* rows of the source in memory; a power of two */
  guint load_mask;    /* planes to deinterleave, a bit each */
  CcDeinterleavedRows src[CC_MAX_PLANES], dst[CC_MAX_PLANES];
  gsize size; /* end of all rows in the scratch memory */
} CcDeinterleaved;

/* The rows begin at scratch + `at`. */
void cc_deinterleaved_init(CcDeinterleaved *self, const CcPlan *plan, const CcRows *rows,
                           guint load_mask, guint radius, gsize at);

/* Progress within the rows of a target. `from` is the frame's memory, or deinterleaved rows.
 * Deinterleaved rows are numbered by position: they include the rows above and below the source,
 * except for a constant border. */
typedef struct {
  const CcDeinterleaved *deinterleaved;
  const CcPlacement *placement;
  const CcFrame *src, *dst;
  CcStrip from[CC_MAX_PLANES], to[CC_MAX_PLANES];
  gint next;    /* the position to deinterleave next */
  guint stored; /* the row to interleave next */
} CcDeinterleaving;

void cc_deinterleaving_begin(CcDeinterleaving *self, const CcDeinterleaved *deinterleaved,
                             const CcPlacement *placement, const CcFrame *src, const CcFrame *dst,
                             guint y0, guint8 *scratch);

/* Deinterleaves the rows needed for rows of the target up to y - 1, if not done yet. */
void cc_deinterleaving_load(CcDeinterleaving *self, guint y);

/* Interleaves the rows up to y - 1 into the frame, if not done yet. */
void cc_deinterleaving_store(CcDeinterleaving *self, guint y);

G_END_DECLS
