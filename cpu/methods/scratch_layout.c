/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scratch_layout.h"

#define TILE_BYTES (32 * 1024)   /* of a tile in use, in a cache of level 1 */
#define RINGS_BYTES (512 * 1024) /* of rings, in one of level 2 */
#define MIN_TILE 768             /* samples; narrower ones would load too many edges */

gsize
cc_sweep_take(CcSweep *sweep, gsize n_bytes) {
  const gsize at = sweep->scratch_size;
  sweep->scratch_size += cc_row_align(n_bytes);
  return at;
}

gsize
cc_sweep_take_rows(CcSweep *sweep, guint n_rows, gsize lane_size, gsize *pitch) {
  const gsize lead = cc_row_align(sweep->n_edge * lane_size);
  const gsize row = lead + (sweep->tile + sweep->n_edge) * lane_size + CC_ROW_SLACK;
  /* an odd number of cache lines, so that the rows of a column fall into different cache sets */
  *pitch = cc_row_align(row) | CC_ROW_ALIGN;
  return cc_sweep_take(sweep, n_rows * *pitch) + lead;
}

/* Rows of the picture are cut into tiles of equal size where a level 1 cache would not hold their
 * rings and sums: rows of so many bytes a sample. */
static guint
choose_tile(const CcSweep *sweep, gsize bytes) {
  const guint most = (guint)CLAMP(TILE_BYTES / bytes, MIN_TILE, CC_MOST_TILE);
  const guint n_tiles = (sweep->n + most - 1) / most;
  const guint even = (sweep->n + n_tiles - 1) / n_tiles;
  const guint tile = (even + CC_MASK_PERIOD - 1) / CC_MASK_PERIOD * CC_MASK_PERIOD;
  return MIN(tile, sweep->n);
}

void
cc_sweep_take_tiles(CcSweep *sweep, guint n_rows, guint n_used, guint n_sums) {
  const gsize ring_bytes = n_rows * sweep->ring_lane_size;
  sweep->tile = choose_tile(sweep, n_used * sweep->ring_lane_size + n_sums * sweep->sum_lane_size);
  const guint n_tiles = (sweep->n + sweep->tile - 1) / sweep->tile;
  const gsize fitting = MAX(RINGS_BYTES / (ring_bytes * sweep->tile), 1);
  sweep->tiles_in_turn = sweep->plan->packed ? n_tiles : (guint)MIN(n_tiles, fitting);
  sweep->ring = cc_sweep_take_rows(sweep, sweep->tiles_in_turn * n_rows, sweep->ring_lane_size,
                                   &sweep->ring_pitch);
  sweep->tile_pitch = n_rows * sweep->ring_pitch;
  sweep->sums_pitch = cc_row_align(sweep->tile * sweep->sum_lane_size) + CC_ROW_SLACK;
  sweep->sums = cc_sweep_take(sweep, MAX(n_sums, 1) * sweep->sums_pitch);
  sweep->t = cc_sweep_take(sweep, sweep->tile * sizeof(gdouble) + CC_ROW_SLACK);
  sweep->filtered = cc_sweep_take(sweep, sweep->tile * sweep->sample_size);
}
