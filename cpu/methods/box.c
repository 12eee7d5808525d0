/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Box filters: all taps of the window are equal.
 *
 * With running sums, the horizontal sums of the row that enters the windows are added to the sums
 * of windows. The horizontal sums of the row that leaves the windows are subtracted. With column
 * sums, the samples of the row that enters are added to the column sums, and the samples of the row
 * that leaves are subtracted. The same row kernel then adds neighbouring column sums and computes
 * samples from the results. */

#include "tap_pattern.h"
#include "cpu/tile.h"
#include "engine/ablation.h"

#include <string.h>

#define MIN_RUNNING 25 /* pixels of a window; fused kernels are faster for smaller windows */
#define N_LEVELS 3
#define COLUMNS_ROWS 2 /* number of ring rows whose memory the column sums use */

typedef struct {
  CcMethod base;
  gint32 factor; /* every tap, times 2^left */
  /* for column sums */
  CcColumnSumsFunc make;
  CcColumnsFunc add;
  /* For running sums. A horizontal sum is composed of partial sums of several levels. A partial sum
   * of level i covers width[i] pixels. Level 0 is the samples. A partial sum of level i > 0 is
   * composed of width[i] / width[i - 1] partial sums of level i - 1. The horizontal sum is composed
   * of count[i] partial sums of each level i, from the widest level down. */
  guint width[N_LEVELS], count[N_LEVELS];
  CcSumFunc sum;
  CcSlideFunc slide, slide_to_samples;
  gsize line, levels, levels_pitch;
} Box;

/* --- plan time --- */

static gboolean
are_same(const gint32 *taps, guint n) {
  for (guint i = 1; i < n; i++)
    if (taps[i] != taps[0])
      return FALSE;
  return TRUE;
}

/* Returns the reason why neither method of this file takes the pass, or NULL. */
static const gchar *
why_no_box(const CcSweep *sweep) {
  const CcOp *op = sweep->pass->op;
  return cc_is_left_out("box")                   ? "left out"
         : op->response == CC_RESPONSE_DIRECTION ? "the response is an angle"
         : !op->separable || op->n_matrices != 1 || op->width == 1 || op->height == 1 ||
                 !are_same(op->row_i[0], op->width) || !are_same(op->column_i[0], op->height)
             ? "the taps differ"
         : !cc_output_fits_32(op) ? "sums pass 32 bits"
                                  : NULL;
}

gboolean
cc_box_is_large(const CcSweep *sweep) {
  return sweep->pass->op->width * sweep->pass->op->height >= MIN_RUNNING && !why_no_box(sweep);
}

/* Samples of one byte are summed in 16 bits if the output stage has 16-bit sums. All other samples
 * are summed in 32 bits. */
static gboolean
is_in_16(const CcSweep *sweep) {
  return sweep->output.lane == CC_LANE_16 && sweep->type == CC_SAMPLE_U8;
}

static Box *
box_new(const CcSweep *sweep, const CcMethodClass *klass) {
  const CcOp *op = sweep->pass->op;
  Box *self = g_new0(Box, 1);
  self->base = (CcMethod){
      .klass = klass, .output = sweep->output, .block_rows = 1, .n_taps = cc_tap_count(op)};
  if (!is_in_16(sweep))
    cc_output_take_32(&self->base.output, op);
  self->factor = op->row_i[0][0] * op->column_i[0][0] * (1 << self->base.output.left);
  return self;
}

static void
box_free(CcMethod *method) {
  g_free(method);
}

/* AVX2 and wider instruction sets have kernels for column sums, for windows up to 15 pixels wide.
 * Bytes use CC_REQUANTIZE_16, words use CC_REQUANTIZE_CENTRED. A ring has one row more than the
 * window, for the row that leaves. */
static CcMethod *
columns_create(CcSweep *sweep, const gchar **reason) {
  const CcOp *op = sweep->pass->op;
  const guint radius = op->width / 2;
  const gboolean is_u8 = sweep->type == CC_SAMPLE_U8;
  *reason = why_no_box(sweep);
  if (*reason)
    return NULL;
  const CcColumnSumsFunc make =
      radius > CC_MAX_BOX_RADIUS
          ? NULL
          : sweep->kernels->box->make_columns[sweep->type][sweep->step - 1][radius - 1];
  *reason = cc_is_left_out(is_u8 ? "box-columns-8" : "box-columns-16") ? "left out"
            : !make ? "no kernel has the instruction set and the size"
                    : NULL;
  if (*reason)
    return NULL;
  Box *self = box_new(sweep, &cc_box_columns);
  CcOutput *output = &self->base.output;
  const gboolean is_exact =
      !output->reduces && (is_u8 ? output->requantization == CC_REQUANTIZE_16
                                 : self->factor == 1 && cc_output_take_centred(output, op));
  if (!is_exact) {
    *reason = "no kernel has the response and the output stage";
    g_free(self);
    return NULL;
  }
  self->base.sample_lane = self->base.ring_lane = is_u8 ? CC_LANE_8 : CC_LANE_16;
  self->base.streams = TRUE;
  self->make = make;
  self->add = sweep->kernels->box->add_columns[sweep->type];
  cc_sweep_reserve_tiles(sweep, &self->base, op->height + 1 + COLUMNS_ROWS, 2 + COLUMNS_ROWS, 0);
  return &self->base;
}

/* Returns how many samples and partial sums are read to compute a horizontal sum and its partial
 * sums. Level 1 is `a` pixels wide, and level 2 is a * b pixels wide. */
static guint
cost_of(guint width, guint a, guint b) {
  const guint of_levels = (a > 1 ? a : 0) + (b > 1 ? b : 0);
  return of_levels + width / (a * b) + width % (a * b) / a + width % a;
}

static void
set_levels(Box *self, guint width) {
  guint best_a = 1, best_b = 1;
  for (guint a = 1; a <= width; a++)
    for (guint b = 1; a * b <= width; b++)
      if (cost_of(width, a, b) < cost_of(width, best_a, best_b))
        best_a = a, best_b = b;
  const guint widths[N_LEVELS] = {1, best_a, best_a * best_b};
  guint left = width;
  for (guint level = N_LEVELS; level-- > 0;) {
    const gboolean used = level == 0 || widths[level] > widths[level - 1];
    self->width[level] = widths[level];
    self->count[level] = used ? left / widths[level] : 0;
    left -= self->count[level] * widths[level];
  }
}

/* A ring has two rows more than the window: one for the row that leaves, and one for the sums of
 * windows. */
static CcMethod *
running_create(CcSweep *sweep, const gchar **reason) {
  const CcRows *kernels = sweep->kernels;
  gsize unused;
  if (why_no_box(sweep))
    return NULL;
  Box *self = box_new(sweep, &cc_box_running);
  const CcLane lane = self->base.output.lane;
  const CcRequantizationVariant requantization =
      cc_output_requantization_of_sums(&self->base.output);
  self->base.sample_lane = self->base.ring_lane = lane;
  self->base.makes_samples = requantization != CC_REQUANTIZE_NONE;
  self->sum = kernels->tap_groups->sum[lane][CC_PATTERN_ANY];
  self->slide = kernels->box->slide[sweep->type][CC_REQUANTIZE_NONE][lane == CC_LANE_32];
  self->slide_to_samples = kernels->box->slide[sweep->type][requantization][lane == CC_LANE_32];
  set_levels(self, sweep->pass->op->width);
  cc_sweep_reserve_tiles(sweep, &self->base, sweep->window_rows + 2, sweep->window_rows + 2, 0);
  self->line = cc_sweep_reserve_rows(sweep, 1, cc_lane_size(lane), &unused);
  self->levels =
      cc_sweep_reserve_rows(sweep, N_LEVELS - 1, cc_lane_size(lane), &self->levels_pitch) -
      cc_row_align(sweep->n_edge * cc_lane_size(lane));
  return &self->base;
}

static void
columns_explain(const CcMethod *method, GString *line) {
  g_string_append(line, "box by column sums");
}

static void
running_explain(const CcMethod *method, GString *line) {
  g_string_append(line, "box by running sums");
}

/* --- run time: column sums --- */

/* Returns the bytes from the address that ring_row returns to the last column of the first window,
 * which is n_edge samples right of the first result. */
static gsize
lead_of(const CcSweep *sweep) {
  return cc_row_align(sweep->n_edge * sweep->sample_lane_size);
}

/* Returns the bytes from the first to the last column of a window, aligned. */
static gsize
span_of(const CcSweep *sweep) {
  return cc_row_align(2 * sweep->n_edge * sweep->sample_lane_size);
}

/* Returns the address of row y in the ring. The ring has one row more than the window, so row y
 * replaces row y - window - 1. */
static guint8 *
ring_row(const CcTile *tile, gint y) {
  const CcSweep *sweep = tile->sweep;
  const guint at = (guint)(y + 2 * (gint)sweep->window_rows) % (sweep->window_rows + 1);
  return tile->rings + at * sweep->ring_pitch;
}

/* Returns the address of the column sum of the last column of the first window. */
static guint8 *
columns_of(const CcTile *tile) {
  const CcSweep *sweep = tile->sweep;
  return tile->rings + (sweep->window_rows + 1) * sweep->ring_pitch - lead_of(sweep) +
         COLUMNS_ROWS * span_of(sweep);
}

/* Loads row y and adds it to the column sums. Subtracts row y - window. If target >= 0, y is the
 * last row of the windows of row `target`, and the samples of row `target` are computed. */
static void
enter_row(const CcTile *tile, gint y, gint target) {
  const CcSweep *sweep = tile->sweep;
  const Box *self = (const Box *)sweep->method;
  const gsize lead = lead_of(sweep), span = span_of(sweep);
  guint8 *in = ring_row(tile, y) + lead;
  const guint8 *out = ring_row(tile, y - (gint)sweep->window_rows) + lead;
  cc_tile_load(tile, y, in - sweep->n_edge * sweep->sample_lane_size);
  if (target < 0) {
    self->add(columns_of(tile) - COLUMNS_ROWS * span, in - span, out - span,
              span + tile->n * sweep->sample_lane_size);
    return;
  }
  CcAhead ahead;
  cc_tile_ahead(tile, y + 1, (guint)target + 1, 1, &ahead);
  guint8 *samples = cc_tile_result(tile, (guint)target);
  self->make(columns_of(tile), in, out, tile->n, samples, &self->base.output.to_sample,
             self->factor, &ahead);
  cc_tile_store(tile, (guint)target, samples);
}

static gint
columns_rows(const CcTile *tile, guint y0, guint y1, gint next) {
  const CcSweep *sweep = tile->sweep;
  const gint radius = (gint)sweep->window_rows / 2;
  if (next == CC_NO_ROW) {
    memset(tile->rings - lead_of(sweep), 0,
           (sweep->window_rows + 1 + COLUMNS_ROWS) * sweep->ring_pitch);
    next = (gint)(y0 * sweep->stride) - radius;
  }
  for (guint y = y0; y < y1; y++)
    for (const gint last = (gint)(y * sweep->stride) + radius; next <= last; next++)
      enter_row(tile, next, next == last ? (gint)y : -1);
  return next;
}

/* --- run time: running sums --- */

/* `line` points to the first sample of the first window. */
static void
sum_levels(const CcTile *tile, const Box *self, const guint8 *line, guint8 *sums) {
  const CcSweep *sweep = tile->sweep;
  const gsize pixel = sweep->step * sweep->sum_size;
  gconstpointer taps[CC_MAX_KERNEL_SIZE];
  const guint8 *row[N_LEVELS] = {line};
  for (guint level = 1; level < N_LEVELS; level++) {
    const guint width = self->width[level], below = self->width[level - 1];
    const CcTapGroup plain = {1, width / below, 0};
    row[level] = row[level - 1];
    if (width == below)
      continue;
    for (guint i = 0; i < width / below; i++)
      taps[i] = row[level - 1] + i * below * pixel;
    guint8 *to = tile->scratch + self->levels + (level - 1) * self->levels_pitch;
    self->sum(to, &plain, 1, taps, tile->n + 2 * sweep->n_edge - (width - 1) * sweep->step);
    row[level] = to;
  }
  guint n_taps = 0, first = 0;
  for (guint level = N_LEVELS; level-- > 0;)
    for (guint i = 0; i < self->count[level]; i++, first += self->width[level])
      taps[n_taps++] = row[level] + first * pixel;
  const CcTapGroup whole = {self->factor, n_taps, 0};
  self->sum(sums, &whole, 1, taps, tile->n);
}

/* Like enter_row, with horizontal sums and sums of windows instead of samples and column sums. */
static void
enter_sums(const CcTile *tile, gint y, gint target) {
  const CcSweep *sweep = tile->sweep;
  const Box *self = (const Box *)sweep->method;
  const CcFinish *finish = &self->base.output.to_sample;
  guint8 *line = tile->scratch + self->line, *in = ring_row(tile, y);
  guint8 *windows = tile->rings + (sweep->window_rows + 1) * sweep->ring_pitch;
  const guint8 *out = ring_row(tile, y - (gint)sweep->window_rows);
  CcAhead ahead = {0};
  cc_tile_load(tile, y, line);
  sum_levels(tile, self, line - sweep->n_edge * sweep->sample_lane_size, in);
  if (target >= 0)
    cc_tile_ahead(tile, y + 1, (guint)target + 1, 1, &ahead);
  if (target >= 0 && self->base.makes_samples) {
    guint8 *samples = cc_tile_result(tile, (guint)target);
    self->slide_to_samples(windows, in, out, tile->n, samples, finish, &ahead);
    cc_tile_store(tile, (guint)target, samples);
    return;
  }
  self->slide(windows, in, out, tile->n, NULL, finish, &ahead);
  if (target >= 0)
    cc_tile_finish(tile, (gconstpointer[]){windows}, (guint)target, &ahead);
}

static gint
running_rows(const CcTile *tile, guint y0, guint y1, gint next) {
  const CcSweep *sweep = tile->sweep;
  const gint radius = (gint)sweep->window_rows / 2;
  if (next == CC_NO_ROW) {
    memset(tile->rings, 0, (sweep->window_rows + 2) * sweep->ring_pitch);
    next = (gint)(y0 * sweep->stride) - radius;
  }
  for (guint y = y0; y < y1; y++)
    for (const gint last = (gint)(y * sweep->stride) + radius; next <= last; next++)
      enter_sums(tile, next, next == last ? (gint)y : -1);
  return next;
}

const CcMethodClass cc_box_columns = {
    .name = "box by column sums",
    .create = columns_create,
    .rows = columns_rows,
    .explain = columns_explain,
    .free = box_free,
};

const CcMethodClass cc_box_running = {
    .name = "box by running sums",
    .create = running_create,
    .rows = running_rows,
    .explain = running_explain,
    .free = box_free,
};
