/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A pass resolved for the CPU. */

#include "cpu/dispatch.h"
#include "cpu/stages/deinterleave.h"

G_BEGIN_DECLS

/* The most samples of a row that are worked on at a time. */
#define CC_MOST_TILE (16 * CC_MASK_PERIOD)

typedef struct _CcTile CcTile;

/* Makes rows y0 to y1 - 1 of the target, as far as they are in a tile. `next` is the row that the
 * rings want next, CC_NO_ROW when they are empty; what they want then is given. */
typedef gint (*CcTileSweep)(const CcTile *tile, guint y0, guint y1, gint next);
#define CC_NO_ROW G_MININT

/* One pass over a plane.
 *
 * Every source row is loaded once, as lanes with its surroundings. What the windows of the next
 * rows want of it stays in a ring: the row itself, bundles of its samples with those of its
 * neighbours, or sums along it. From the rings come the S_i of a result row, or of all rows of a
 * block at once. methods.h has the ways to sum. Rows outside the picture are loaded like
 * others, from where the border rule says, so that nothing else knows of borders. "The picture" is
 * the plan's source rectangle throughout.
 *
 * A row is made in tiles of so many samples. Some tiles, which lie side by side and have rings of
 * their own, take turns: of each as few rows are made as can be.
 *
 * With a stride, rows that are left out are not made, unless they are in a block with others, and
 * of a row every pixel up to the last result is; thin takes the results from those. */
typedef struct {
  const CcPlan *plan; /* the program keeps it */
  const CcPass *pass;
  CcChoice choice;
  guint plane;
  CcRect source, target;
  guint stride;
  guint n_source;    /* samples in a row of the source */
  guint n;           /* those of them that are made, of which one in `stride` pixels is a result */
  guint tile;        /* samples of a row that are worked on at a time; the rings stay in L1 */
  gsize row_bytes;   /* of a row of the target */
  gsize sample_size; /* bytes */
  gsize pixel_size;
  guint step; /* samples of a pixel */
  CcBorder border;
  guint8 *fill;            /* a part of a row of the fill, where all components are filled */
  gsize fill_bytes;        /* how much that is; whole pixels */
  CcMasks *masks;          /* for merge; NULL: all components are filtered */
  guint8 *outside;         /* pixels of the constant border, as in the frame, for a tile */
  guint n_edge;            /* samples that the window reaches left and right of a row */
  CcOutside *left, *right; /* n_edge each */

  CcTileSweep run; /* with CC_LOOP_FILTER */
  /* kernels; reduce is NULL where the only sum is t */
  CcLoadFunc load;
  CcExtendFunc extend;
  CcReduceFunc reduce;
  CcFinishFunc finish;
  CcMergeFunc merge;
  CcThinFunc thin;     /* NULL with stride 1 */
  CcBundleFunc bundle; /* with choice.window only, as the next one */
  CcWindowFunc window_sums;
  CcAlongFunc along; /* with choice.lines only, as the next two */
  CcOverFunc over;
  CcSlideFunc slide, slide_to_samples; /* with choice.means only; not by columns */
  CcColumnsFunc add_columns;           /* by columns */
  gboolean makes_samples;              /* window_sums does, over, or slide_to_samples */

  guint spacing;        /* from one sample of the source to the next */
  gboolean by_position; /* rows of the source are unpacked, with those around it */

  guint n_matrices;
  guint window_rows; /* that the window reaches over */
  guint block_rows;  /* of the source, for as many of which results are made at once */
  gsize sample_lane_size, sum_lane_size, ring_lane_size;

  /* offsets into the scratch memory; those of rows are of sample 0 */
  gsize line, line_pitch, ring, ring_pitch;
  gsize matrix_pitch;         /* 0 when all share a ring */
  gsize levels, levels_pitch; /* with means: sums of some neighbours */
  gsize tile_pitch;           /* from a tile's rings to the next one's */
  guint tiles_in_turn;        /* tiles that take turns */
  gboolean streams;           /* no cache keeps the target */
  gboolean prefetches;
  gsize sums, sums_pitch, t, filtered;
  gsize thinned, thinned_src; /* with a stride: results and source samples of a chunk */
  gsize scratch_size;
} CcSweep;

/* Samples left of a tile that rows of 32-bit lanes have; whole vectors. */
static inline guint
cc_sweep_lead(const CcSweep *sweep) {
  return (guint)(cc_row_align(sweep->n_edge * sizeof(gint32)) / sizeof(gint32));
}

G_END_DECLS
