/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The methods to sum. At plan time a method accepts or declines a pass. At run time it makes rows
 * of the target from rows of the source. Similar methods share a file. cpu/dispatch.c tries the
 * methods in order. */

#include "cpu/output_stage.h"

G_BEGIN_DECLS

typedef struct _CcSweep CcSweep;
typedef struct _CcTile CcTile;
typedef struct _CcMethod CcMethod;

/* The ring of a tile is empty: no row has been loaded. */
#define CC_NO_ROW G_MININT

typedef struct {
  const gchar *name; /* for people, in reports of declined methods: "conv2d" */
  /* Creates the method for a pass that filters. Returns NULL if it does not take the pass. *reason
   * is then a static text, or NULL if there is nothing to report. Reserves its scratch memory from
   * the sweep, starting with cc_sweep_reserve_tiles. */
  CcMethod *(*create)(CcSweep *sweep, const gchar **reason);
  /* Makes rows y0 to y1 - 1 of the target, as far as they are in the tile. `next` is the source row
   * that the tile's ring loads next, or CC_NO_ROW. Returns the new `next`. */
  gint (*rows)(const CcTile *tile, guint y0, guint y1, gint next);
  /* For methods whose `rows` is cc_tile_run_blocks. Loads block_rows rows of the source from y on,
   * as dot groups number `number` of the rings. */
  void (*load_group)(const CcTile *tile, gint y, guint number);
  /* Makes the sums of matrix m for a block into block_rows rows, or samples if makes_samples. */
  void (*sum_block)(const CcTile *tile, guint m, guint block, gpointer const *rows,
                    const CcAhead *ahead);
  void (*explain)(const CcMethod *self, GString *line);
  void (*free)(CcMethod *self);
} CcMethodClass;

/* The largest block_rows. */
#define CC_MAX_BLOCK_ROWS 4

/* The private data of a method begins with this. */
struct _CcMethod {
  const CcMethodClass *klass;
  CcOutput output;
  CcLane sample_lane;     /* of loaded rows */
  CcLane ring_lane;       /* of the rows that the final sums read */
  guint block_rows;       /* source rows of a block, whose results are made at once */
  guint n_groups;         /* dot groups that the windows of a block need */
  guint n_taps;           /* of all matrices; taps of rows and columns if separable */
  gboolean makes_samples; /* kernels make samples, not sums; of one matrix only */
  /* kernels may use non-temporal stores, which helps if they are bound by memory */
  gboolean streams;
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

/* Returns whether a box with running sums is faster than fused kernels. */
gboolean cc_box_is_large(const CcSweep *sweep);

/* Returns the number of products that conv2d needs for each row of results. Returns 0 if conv2d
 * does not take the pass, with *reason. */
guint cc_conv2d_cost(const CcSweep *sweep, const gchar **reason);

G_END_DECLS
