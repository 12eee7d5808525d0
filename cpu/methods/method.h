/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Methods to compute the sums of a filter. At plan time a method accepts or declines a pass. At run
 * time the method computes rows of the target from rows of the source. Similar methods share a
 * file. cpu/dispatch.c tries the methods in order. */

#include "cpu/output_stage.h"

G_BEGIN_DECLS

typedef struct _CcSweep CcSweep;
typedef struct _CcTile CcTile;
typedef struct _CcMethod CcMethod;

/* The ring of a tile is empty: no row has been loaded. */
#define CC_NO_ROW G_MININT

typedef struct {
  const gchar *name; /* name in messages and reports of declined methods: "conv2d" */
  /* Creates the method for a pass that filters, and reserves its scratch memory. The first
   * reservation is cc_sweep_reserve_tiles. Returns NULL if the method does not take the pass.
   * *reason is then a static text, or NULL if there is no reason to report. */
  CcMethod *(*create)(CcSweep *sweep, const gchar **reason);
  /* Computes the tile's part of rows y0 to y1 - 1 of the target. `next` is the source row that the
   * tile's ring loads next, or CC_NO_ROW. Returns the new `next`. */
  gint (*rows)(const CcTile *tile, guint y0, guint y1, gint next);
  /* Loads block_rows rows of the source from y on into the rings, where they become the dot groups
   * of number `number` (cc_tile_run_blocks). Set only if `rows` is cc_tile_run_blocks. */
  void (*load_group)(const CcTile *tile, gint y, guint number);
  /* Computes block_rows rows of sums of matrix m for a block, or rows of samples if makes_samples.
   * Set only if `rows` is cc_tile_run_blocks. */
  void (*sum_block)(const CcTile *tile, guint m, guint block, gpointer const *rows,
                    const CcAhead *ahead);
  void (*explain)(const CcMethod *self, GString *line);
  void (*free)(CcMethod *self);
} CcMethodClass;

#define CC_MAX_BLOCK_ROWS 4

/* The base of a method's private data, which begins with this struct. */
struct _CcMethod {
  const CcMethodClass *klass;
  CcOutput output;
  CcLane sample_lane; /* lane type of loaded rows */
  CcLane ring_lane;   /* lane type of the ring rows that the final sums read */
  guint block_rows;   /* rows of a block: this many rows are loaded, and summed, at once */
  guint n_groups;     /* number of dot groups that the windows of a block need */
  /* number of nonzero taps, for the estimate of the cost; see cc_tap_count */
  guint n_taps;
  gboolean makes_samples; /* kernels compute samples and not sums; only with one matrix */
  /* Kernels may use non-temporal stores. These help if memory bandwidth limits the kernels. */
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

/* Returns whether the pass is a box for which running sums are faster than fused kernels. */
gboolean cc_box_is_large(const CcSweep *sweep);

/* Returns how many dot products conv2d needs for one sum of a matrix. If conv2d cannot compute the
 * sums, returns 0 and sets *reason. conv2d declines some passes for other reasons. */
guint cc_conv2d_cost(const CcSweep *sweep, const gchar **reason);

G_END_DECLS
