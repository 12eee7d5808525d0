/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sweep.h"
#include "engine/ablation.h"

#include "cpu/stages/macropixel.h"

#define LARGE_FRAME 4000000 /* bytes; output frames of this size or more exceed the caches */

gboolean
cc_exceeds_caches(const CcPlan *plan) {
  return cc_frame_layout_bytes(&plan->out_frame_layout) >= LARGE_FRAME &&
         !cc_is_left_out("streaming");
}

/* bytes of rings and sums that a tile uses at a time; they fit L1 */
#define TILE_BYTES (32 * 1024)
#define RINGS_BYTES (512 * 1024) /* bytes of the rings of all interleaved tiles; they fit L2 */
#define MIN_TILE 768  /* samples; in narrower tiles, samples beside the tile cost too much */
#define SAMPLE_TAPS 8 /* cost of a sample without its taps, in taps (CC_TAP_PS) */

gsize
cc_lane_size(CcLane lane) {
  static const gsize sizes[CC_N_LANES] = {
      [CC_LANE_8] = 1, [CC_LANE_16] = 2, [CC_LANE_32] = 4, [CC_LANE_64] = 8, [CC_LANE_DOUBLE] = 8};
  return sizes[lane];
}

gsize
cc_sweep_reserve(CcSweep *self, gsize n_bytes) {
  const gsize at = self->scratch_size;
  self->scratch_size += cc_row_align(n_bytes);
  return at;
}

gsize
cc_sweep_reserve_rows(CcSweep *self, guint n_rows, gsize lane_size, gsize *pitch) {
  const gsize lead = cc_row_align(self->n_edge * lane_size);
  const gsize row = lead + (self->tile + self->n_edge) * lane_size + CC_ROW_SLACK;
  /* an odd number of cache lines, so that neighbouring rows fall into different cache sets */
  *pitch = cc_row_align(row) | CC_ROW_ALIGN;
  return cc_sweep_reserve(self, n_rows * *pitch) + lead;
}

/* Returns the width of tiles for n samples. There are as few tiles as possible, all about equally
 * wide, and none much wider than `max`. */
static guint
even_tile(guint n, guint max) {
  const guint n_tiles = (n + max - 1) / max, even = (n + n_tiles - 1) / n_tiles;
  return MIN((even + CC_MASK_PERIOD - 1) / CC_MASK_PERIOD * CC_MASK_PERIOD, n);
}

void
cc_sweep_reserve_tiles(CcSweep *self, const CcMethod *method, guint n_rows, guint n_used,
                       guint n_sums) {
  const gsize ring_size = cc_lane_size(method->ring_lane);
  const gsize sum_size = cc_lane_size(method->output.lane);
  const gsize bytes = n_used * ring_size + n_sums * sum_size;
  const guint max = (guint)CLAMP(TILE_BYTES / bytes, MIN_TILE, CC_MAX_TILE);
  const guint n = cc_sweep_samples(self, self->width);
  self->tile = even_tile(n, max);
  const guint n_tiles = (n + self->tile - 1) / self->tile;
  const gsize fitting = MAX(RINGS_BYTES / (n_rows * ring_size * self->tile), 1);
  self->interleaved_tiles = self->in_chunks ? n_tiles : (guint)MIN(n_tiles, fitting);
  self->ring =
      cc_sweep_reserve_rows(self, self->interleaved_tiles * n_rows, ring_size, &self->ring_pitch);
  self->tile_pitch = n_rows * self->ring_pitch;
  self->sums_pitch = cc_row_align(self->tile * sum_size) + CC_ROW_SLACK;
  self->sums = cc_sweep_reserve(self, MAX(n_sums, 1) * self->sums_pitch);
  self->t = cc_sweep_reserve(self, self->tile * sizeof(gdouble) + CC_ROW_SLACK);
  self->filtered = cc_sweep_reserve(self, self->tile * self->sample_size);
}

/* Sets `outside` for n pixels or macropixels from number `first` on. All of them lie outside the
 * source. */
static void
set_outside(const CcArea *self, CcOutside *outside, gint first, guint n) {
  const CcSweep *sweep = self->sweep;
  const CcPlaneLayout *plane = &sweep->plan->layout.plane[sweep->plane];
  for (guint i = 0; i < n * sweep->step; i++) {
    const guint c = i % sweep->step;
    const gint step = (gint)cc_macropixel_step(plane, c), in_pixel = (gint)c % step;
    const gint pixel = (first * (gint)sweep->step + (gint)i - in_pixel) / step;
    const gint from = cc_border_index(pixel, (gint)self->n_source / step, sweep->border);
    outside[i] = (CcOutside){from < 0 ? -1 : (from * step + in_pixel) * (gint)sweep->spacing,
                             sweep->pass->border[c]};
  }
}

void
cc_area_init(CcArea *self, const CcSweep *sweep, const CcRect *source, const CcRect *target,
             guint8 *scratch) {
  *self = (CcArea){
      .sweep = sweep,
      .source_height = source->height,
      .width = target->width,
      .height = target->height,
      .n_source = source->width * sweep->step,
      .n = cc_sweep_samples(sweep, target->width),
      .row_bytes = target->width * sweep->pixel_size,
  };
  if (sweep->loop != CC_LOOP_FILTER)
    return;
  self->tile = even_tile(self->n, sweep->tile);
  self->interleaved_tiles = MIN(sweep->interleaved_tiles, (self->n + self->tile - 1) / self->tile);
  const guint radius = sweep->n_edge / sweep->step;
  self->left = (CcOutside *)(gpointer)(scratch + sweep->outside_left);
  self->right = (CcOutside *)(gpointer)(scratch + sweep->outside_right);
  set_outside(self, self->left, -(gint)radius, radius);
  set_outside(self, self->right, (gint)source->width, radius);
}

guint64
cc_sweep_cost(const CcSweep *self, guint width) {
  guint64 taps = SAMPLE_TAPS;
  if (self->method)
    taps += self->method->n_taps * MAX(self->sum_size / 2, 1);
  return cc_sweep_samples(self, width) * taps * CC_TAP_PS;
}
