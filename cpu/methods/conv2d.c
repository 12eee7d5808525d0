/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Direct two-dimensional sums by dot products (dot_products.h).
 *
 * Rows of the source form vertical dot groups of two words or four bytes. A block has as many rows
 * of results as a dot group has elements. All rows of a block are computed from the same dot
 * groups. From one row of a block to the next, the taps are shifted down by one row. */

#include "dot_taps.h"
#include "tap_pattern.h"
#include "cpu/tile.h"
#include "engine/ablation.h"

#define MAX_GROUPS ((CC_MAX_MATRIX_SIZE + 1) / 2 * CC_MAX_MATRIX_SIZE)

typedef struct {
  CcMethod base;
  CcDotKind kind; /* CC_DOT_BYTES, CC_DOT_WIDENED or CC_DOT_WORDS */
  gint32 flip;    /* XOR mask that turns samples into signed words */
  /* The taps of matrix m, group g, column c and row i of the block are at
   * ((m * n_groups + g) * width + c) * block_rows + i. */
  gint32 *taps;
  gint32 start[CC_MAX_MATRICES]; /* initial value of the sums of each matrix */
  CcDotGroupFunc group;
  CcConv2dFunc sum;
  /* offset in scratch and pitch of loaded rows, from which dot groups are made */
  gsize line, line_pitch;
} Conv2d;

/* --- plan time --- */

/* Returns the kind of dot groups for the pass. If no kind is possible, sets *reason. */
static CcDotKind
find_kind(const CcSweep *sweep, const gchar **reason) {
  const CcOp *op = sweep->pass->op;
  const CcRows *kernels = sweep->kernels;
  /* Without an instruction for four products, dot groups of four bytes are not faster for matrices
   * of up to three rows, because a block of four rows multiplies by too many taps of 0. */
  const gboolean has_bytes = kernels->conv2d->sum[1][0][0] && !cc_is_left_out("conv2d-bytes") &&
                             (op->height > 3 || kernels->has_dot_of_four);
  CcDotKind kind = sweep->type == CC_SAMPLE_U16 ? CC_DOT_WORDS
                   : has_bytes                  ? CC_DOT_BYTES
                                                : CC_DOT_WIDENED;
  *reason = op->response == CC_RESPONSE_DIRECTION ? "the response is an angle"
            : !op->has_taps                       ? "there are only rows and columns"
            : cc_op_largest_sum(op) > G_MAXINT32  ? "sums pass 32 bits"
            : cc_is_left_out("conv2d")            ? "left out"
                                                  : NULL;
  for (guint m = 0; m < op->n_matrices && !*reason; m++) {
    if (!cc_taps_are_words(cc_taps_of_matrix(op, m)))
      *reason = "taps pass 16 bits";
    else if (kind == CC_DOT_BYTES && !cc_taps_are_bytes(cc_taps_of_matrix(op, m), kernels))
      kind = CC_DOT_WIDENED;
  }
  return kind;
}

static guint
count_groups(const CcOp *op, CcDotKind kind) {
  const guint rows = cc_dot_size(kind);
  return (op->height + 2 * (rows - 1)) / rows;
}

guint
cc_conv2d_cost(const CcSweep *sweep, const gchar **reason) {
  const CcDotKind kind = find_kind(sweep, reason);
  return *reason ? 0 : count_groups(sweep->pass->op, kind) * sweep->pass->op->width;
}

/* Returns whether tap groups would not be separable and cost less than half as much as conv2d.
 * conv2d also multiplies by taps of 0. Both costs are in instructions on 16-bit lanes. */
static gboolean
is_sparse(const CcSweep *sweep, guint n_groups) {
  static const guint lane_costs[CC_N_LANES] = {
      [CC_LANE_16] = 1, [CC_LANE_32] = 2, [CC_LANE_64] = 8, [CC_LANE_DOUBLE] = 8};
  const CcOp *op = sweep->pass->op;
  const guint cost = lane_costs[sweep->output.lane] * cc_tap_groups_cost(op);
  return !cc_prefers_separable(op) &&
         2 * cost < lane_costs[CC_LANE_32] * op->n_matrices * n_groups * op->width;
}

static CcMethod *
conv2d_create(CcSweep *sweep, const gchar **reason) {
  const CcOp *op = sweep->pass->op;
  const gint64 middle = sweep->plan->layout.plane[sweep->plane].depth == 16 ? 1 << 15 : 0;
  const CcDotKind kind = find_kind(sweep, reason);
  if (*reason)
    return NULL;
  const guint rows = cc_dot_size(kind), n_groups = count_groups(op, kind);
  *reason = is_sparse(sweep, n_groups) ? "most taps are 0"
            : !cc_output_fits_32(op)   ? "results pass 32 bits"
                                       : NULL;
  if (*reason)
    return NULL;
  Conv2d *self = g_new0(Conv2d, 1);
  self->base = (CcMethod){
      .klass = &cc_conv2d,
      .output = sweep->output,
      .sample_lane = sweep->type == CC_SAMPLE_U8 ? CC_LANE_8 : CC_LANE_16,
      .ring_lane = CC_LANE_32,
      .block_rows = rows,
      .n_groups = n_groups,
      .n_taps = cc_tap_count(op),
      .streams = TRUE,
  };
  cc_output_take_32(&self->base.output, op);
  self->kind = kind;
  self->flip = middle ? (gint32)0x80008000 : 0;
  gint32 *to = self->taps = g_new(gint32, op->n_matrices * n_groups * op->width * rows);
  for (guint m = 0; m < op->n_matrices; m++) {
    const CcTaps taps = cc_taps_of_matrix(op, m);
    self->start[m] = (gint32)(cc_taps_sum(taps) * middle);
    for (guint g = 0; g < n_groups; g++)
      for (guint c = 0; c < op->width; c++)
        for (guint i = 0; i < rows; i++)
          *to++ = cc_taps_group(taps, (gint)(g * rows) - (gint)i, c, rows);
  }
  const CcRequantizationVariant requantization =
      cc_output_requantization_of_sums(&self->base.output);
  self->base.makes_samples = requantization != CC_REQUANTIZE_NONE;
  self->group = sweep->kernels->conv2d->group[kind];
  self->sum = sweep->kernels->conv2d->sum[kind == CC_DOT_BYTES][sweep->type][requantization];
  cc_sweep_reserve_tiles(sweep, &self->base, n_groups, n_groups, op->n_matrices * rows);
  self->line =
      cc_sweep_reserve_rows(sweep, rows, cc_lane_size(self->base.sample_lane), &self->line_pitch);
  return &self->base;
}

static void
conv2d_explain(const CcMethod *method, GString *line) {
  g_string_append_printf(line, "conv2d by %s, %u rows at once",
                         cc_dot_name(((const Conv2d *)method)->kind), method->block_rows);
}

static void
conv2d_free(CcMethod *method) {
  g_free(((Conv2d *)method)->taps);
  g_free(method);
}

/* --- run time --- */

static void
load_group(const CcTile *tile, gint y, guint number) {
  const CcSweep *sweep = tile->sweep;
  const Conv2d *self = (const Conv2d *)sweep->method;
  const guint lead = cc_sweep_lead(sweep);
  gconstpointer lines[4];
  for (guint i = 0; i < self->base.block_rows; i++) {
    guint8 *line = tile->scratch + self->line + i * self->line_pitch;
    cc_tile_load(tile, y + (gint)i, line);
    lines[i] = line - lead * sweep->sample_lane_size;
  }
  self->group(cc_tile_ring_row(tile, number, self->base.n_groups) - lead * sizeof(gint32), lines,
              lead + tile->n + sweep->n_edge, self->flip);
}

static void
sum_block(const CcTile *tile, guint m, guint block, gpointer const *rows, const CcAhead *ahead) {
  const CcSweep *sweep = tile->sweep;
  const Conv2d *self = (const Conv2d *)sweep->method;
  const guint width = sweep->pass->op->width, n = self->base.n_groups * width;
  gconstpointer groups[MAX_GROUPS];
  for (guint g = 0; g < self->base.n_groups; g++)
    for (guint c = 0; c < width; c++)
      groups[g * width + c] =
          (gint32 *)(gpointer)cc_tile_ring_row(tile, block + g, self->base.n_groups) +
          ((gint)c - (gint)width / 2) * (gint)sweep->step;
  self->sum(rows, groups, self->taps + m * n * self->base.block_rows, n, tile->n, self->start[m],
            &self->base.output.to_sample, ahead);
}

const CcMethodClass cc_conv2d = {
    .name = "conv2d",
    .create = conv2d_create,
    .rows = cc_tile_run_blocks,
    .load_group = load_group,
    .sum_block = sum_block,
    .explain = conv2d_explain,
    .free = conv2d_free,
};
