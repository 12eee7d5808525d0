/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The methods to sum. At plan time a method says whether it takes a pass, and at run time it makes
 * rows of the target from rows of the source. Methods that are alike share a file. cpu/dispatch.c
 * tries the methods in order. */

#include "cpu/output_stage.h"

G_BEGIN_DECLS

typedef struct _CcSweep CcSweep;
typedef struct _CcTile CcTile;
typedef struct _CcMethod CcMethod;

/* The ring of a tile is empty: no row of it was loaded yet. */
#define CC_NO_ROW G_MININT

typedef struct {
  const gchar *name; /* for people, of a method that does not run: "conv2d" */
  /* Makes the method for a pass that filters. NULL: it does not take the pass, and *reason says
   * why, a static text, or is NULL where that is nothing to be told. It takes its scratch memory
   * from the sweep, with cc_sweep_take_tiles first. */
  CcMethod *(*create)(CcSweep *sweep, const gchar **reason);
  /* Makes rows y0 to y1 - 1 of the target, as far as they are in the tile. `next` is the row of the
   * source that the tile's ring wants next, or CC_NO_ROW. Returns the row that it wants then. */
  gint (*rows)(const CcTile *tile, guint y0, guint y1, gint next);
  /* Of a method whose `rows` is cc_tile_run_blocks. Loads block_rows rows of the source from y on,
   * as dot groups number `number` of the rings. */
  void (*load_group)(const CcTile *tile, gint y, guint number);
  /* Makes the sums of matrix m for a block, or samples if makes_samples, into block_rows rows. */
  void (*sum_block)(const CcTile *tile, guint m, guint block, gpointer const *rows,
                    const CcAhead *ahead);
  void (*explain)(const CcMethod *self, GString *line);
  void (*free)(CcMethod *self);
} CcMethodClass;

/* The most block_rows. */
#define CC_MAX_BLOCK_ROWS 4

/* The private data of a method begins with this. */
struct _CcMethod {
  const CcMethodClass *klass;
  CcOutput output;
  CcLane sample_lane;     /* of loaded rows */
  CcLane ring_lane;       /* of the rows that the last sums are over */
  guint block_rows;       /* of the source, for as many of which results are made at once */
  guint n_groups;         /* dot groups that the windows of such a block reach over */
  guint n_taps;           /* of all matrices, in rows and columns where those are summed */
  gboolean makes_samples; /* kernels make samples, not sums; of one matrix */
  gboolean streams;       /* kernels may write past the caches, which helps those that wait for
                             memory */
};

/* The methods, in the order in which they are tried. */
#define CC_METHODS(F)                                                                              \
  F(cc_fused_macropixels)                                                                          \
  F(cc_box_columns)                                                                                \
  F(cc_fused)                                                                                      \
  F(cc_box_running)                                                                                \
  F(cc_tap_groups_of_bytes)                                                                        \
  F(cc_vertical_first)                                                                             \
  F(cc_separable)                                                                                  \
  F(cc_separable_wide)                                                                             \
  F(cc_conv2d)                                                                                     \
  F(cc_tap_groups)

#define CC_METHOD_DECLARE(name) extern const CcMethodClass name;
CC_METHODS(CC_METHOD_DECLARE)
#undef CC_METHOD_DECLARE

/* Whether a box that runs is faster than fused kernels. */
gboolean cc_box_is_large(const CcSweep *sweep);

/* The products that conv2d takes for each row of results. 0: it does not take the pass, and *reason
 * says why. */
guint cc_conv2d_cost(const CcSweep *sweep, const gchar **reason);

G_END_DECLS
