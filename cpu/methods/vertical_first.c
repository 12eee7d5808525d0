/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Separable sums of bytes, vertical pass first (kernels/vertical_first.h).
 *
 * The vertical pass computes two words for each sample. The column's taps are split: tap = 2^bits *
 * high + low. One word is the sum of (sample - 128) times the low parts of the taps. The other word
 * is the sum with the high parts. The horizontal pass multiplies the first word by the row's tap
 * and the second word by 2^bits times this tap, and adds the products.
 *
 * If the column has three taps and the outer taps are equal, one word is the sum of the outer rows
 * and the other word is the middle row. The horizontal pass multiplies these words by products of a
 * column's tap and a row's tap.
 *
 * Two result rows are computed at a time: an even row and the row below. They are computed from dot
 * groups of two source rows. */

#include "dot_taps.h"
#include "tap_pattern.h"
#include "cpu/tile.h"
#include "engine/ablation.h"

#include <stdlib.h>

#define MAX_GROUPS ((CC_MAX_KERNEL_SIZE + 1) / 2)
#define MAX_BITS 7 /* maximum bits of the low parts of taps */
/* limit for |tap| + |next tap|, so that the sum of two byte products fits a word */
#define MAX_PAIR_OF_TAPS 128
#define SIGN 128 /* subtracted from samples */

typedef struct {
  CcMethod base;
  gboolean of_three;
  guint bits[CC_MAX_MATRICES]; /* bits of the low parts of taps; not used if of_three */
  CcColumn column[CC_MAX_MATRICES];
  CcRow row[CC_MAX_MATRICES];
  CcWideTaps *column_taps;
  gint32 *row_taps;
  CcColumnFunc run_column;
  CcRowFunc run_row;
  /* offset in scratch and pitch of two loaded rows, from which dot groups are made */
  gsize line, line_pitch;
  gsize lanes, lanes_pitch; /* offset in scratch and pitch of two rows of lanes */
} VerticalFirst;

/* --- plan time --- */

/* Returns whether, for one part of the taps, the sums of two products and the vertical sums fit
 * words. */
static gboolean
part_fits(const gint32 *tap, guint n) {
  gint64 sum = 0;
  for (guint i = 0; i < n; i++) {
    const gint64 own = llabs(tap[i]), next = i + 1 < n ? llabs(tap[i + 1]) : 0;
    if (own > G_MAXINT8 || own + next > MAX_PAIR_OF_TAPS)
      return FALSE;
    sum += own * SIGN;
  }
  return sum <= G_MAXINT16;
}

/* Returns the smallest possible number of bits of the low parts of the column's taps. Returns
 * MAX_BITS + 1 if the taps cannot be split, or if the row's taps times 2^bits do not fit words. */
static guint
find_bits(CcTaps column, CcTaps row) {
  CcSplitTaps split;
  guint bits = 0;
  for (; bits <= MAX_BITS; bits++) {
    cc_taps_split(column, bits, &split);
    if (part_fits(split.part[0], column.height) && part_fits(split.part[1], column.height))
      break;
  }
  for (guint i = 0; i < row.height; i++)
    if (llabs(row.tap[i]) << bits > G_MAXINT16)
      return MAX_BITS + 1;
  return bits;
}

/* Returns whether every matrix has three rows, equal outer rows, and products of column and row
 * taps that fit words. */
static gboolean
is_of_three(const CcOp *op) {
  if (op->height != 3 || !op->has_taps)
    return FALSE;
  for (guint m = 0; m < op->n_matrices; m++)
    if (op->column_i[m][0] != op->column_i[m][2] || !cc_taps_are_words(cc_taps_of_matrix(op, m)))
      return FALSE;
  return TRUE;
}

/* Returns whether all horizontal sums fit words. If they do, cc_separable needs only one word. */
static gboolean
rows_fit_words(const CcOp *op) {
  for (guint m = 0; m < op->n_matrices; m++)
    if (cc_taps_sum_of_absolutes(cc_taps_of_row(op, m)) * G_MAXUINT8 > G_MAXUINT16)
      return FALSE;
  return TRUE;
}

/* Chooses the kind of vertical pass. Returns the reason why no kind is possible, or NULL. */
static const gchar *
find_kind(VerticalFirst *self, const CcSweep *sweep) {
  const CcOp *op = sweep->pass->op;
  if (sweep->type != CC_SAMPLE_U8)
    return "samples have two bytes";
  if (!sweep->kernels->vertical_first)
    return "no kernel has the instruction set";
  if (!op->separable)
    return "the kernel is not separable";
  if (op->response == CC_RESPONSE_DIRECTION)
    return "the response is an angle";
  if (!cc_output_fits_32(op))
    return "sums pass 32 bits";
  self->of_three = is_of_three(op);
  if (cc_is_left_out(self->of_three ? "three-rows" : "vertical-first"))
    return "left out";
  if (self->of_three)
    return NULL;
  if (sweep->kernels->separable->order_is_whole)
    return "the instruction set can permute the bytes of a row";
  if (rows_fit_words(op))
    return "sums along a row fit one word";
  for (guint m = 0; m < op->n_matrices; m++) {
    self->bits[m] = find_bits(cc_taps_of_column(op, m), cc_taps_of_row(op, m));
    if (self->bits[m] > MAX_BITS)
      return "taps or sums of a column pass 16 bits";
  }
  return NULL;
}

static void
set_passes(VerticalFirst *self, const CcOp *op, guint m, guint step, CcWideTaps *column_taps,
           gint32 *row_taps) {
  const CcTaps column = cc_taps_of_column(op, m), row = cc_taps_of_row(op, m);
  self->column[m] = (CcColumn){.taps = column_taps, .n_groups = self->base.n_groups};
  self->row[m] = (CcRow){.taps = row_taps, .n_taps = op->width, .step = step};
  for (guint i = 0; i < op->width; i++) {
    const gint64 tap = row.tap[i];
    const gint32 low = (gint32)(self->of_three ? tap * column.tap[0] : tap);
    const gint32 high = (gint32)(self->of_three ? tap * column.tap[1] : tap * (1 << self->bits[m]));
    row_taps[i] = (gint32)((guint32)high << 16 | (guint16)low);
  }
  if (self->of_three)
    return;
  CcSplitTaps split;
  cc_taps_split(column, self->bits[m], &split);
  for (guint part = 0; part < 2; part++) {
    const CcTaps taps = {split.part[part], 1, column.height};
    self->column[m].start[part] = (gint16)(-SIGN * cc_taps_sum(taps));
    for (guint g = 0; g < self->base.n_groups; g++)
      for (guint i = 0; i < 2; i++) { /* for two rows of results */
        const gint32 word = cc_taps_group(taps, 2 * (gint)g - (gint)i, 0, 4);
        for (guint k = 0; k < G_N_ELEMENTS(*column_taps); k++)
          column_taps[4 * g + 2 * i + part][k] = (gint32)((word & 0xffff) * 0x10001u);
      }
  }
  self->row[m].start = (gint32)(SIGN * cc_taps_sum(column) * cc_taps_sum(row));
}

static CcMethod *
vertical_create(CcSweep *sweep, const gchar **reason) {
  const CcOp *op = sweep->pass->op;
  VerticalFirst found = {
      .base = {.klass = &cc_vertical_first,
               .output = sweep->output,
               .sample_lane = CC_LANE_8,
               .block_rows = 2,
               .n_groups = (op->height + 2) / 2,
               .streams = TRUE},
  };
  *reason = find_kind(&found, sweep);
  if (*reason)
    return NULL;
  VerticalFirst *self = g_memdup2(&found, sizeof found);
  self->base.n_taps = cc_tap_count(op);
  /* a ring row has the bytes of one source row, or of two */
  self->base.ring_lane = self->of_three ? CC_LANE_8 : CC_LANE_16;
  cc_output_take_32(&self->base.output, op);
  const CcRequantizationVariant requantization =
      cc_output_requantization_of_sums(&self->base.output);
  self->base.makes_samples = requantization != CC_REQUANTIZE_NONE;
  self->run_row = sweep->kernels->vertical_first->row[requantization];
  self->column_taps = g_new(CcWideTaps, 4 * self->base.n_groups * op->n_matrices);
  self->row_taps = g_new(gint32, op->width * op->n_matrices);
  for (guint m = 0; m < op->n_matrices; m++)
    set_passes(self, op, m, sweep->step, self->column_taps + 4 * self->base.n_groups * m,
               self->row_taps + op->width * m);
  self->run_column = self->of_three ? sweep->kernels->vertical_first->column_of_three
                                    : sweep->kernels->vertical_first->column;
  const guint n_rows = self->of_three ? 2 * self->base.n_groups : self->base.n_groups;
  const guint n_lanes = self->of_three ? 8 : 4; /* size of the rows of lanes, in rows of the ring */
  cc_sweep_reserve_tiles(sweep, &self->base, n_rows, n_rows + n_lanes, 2 * op->n_matrices);
  if (!self->of_three)
    self->line = cc_sweep_reserve_rows(sweep, 2, 1, &self->line_pitch);
  self->lanes = cc_sweep_reserve_rows(sweep, 2, sizeof(gint32), &self->lanes_pitch);
  return &self->base;
}

static void
vertical_explain(const CcMethod *method, GString *line) {
  const VerticalFirst *self = (const VerticalFirst *)method;
  g_string_append(line, self->of_three
                            ? "separable, three rows added first"
                            : "separable by dot products of 2 bytes, vertical pass first");
}

static void
vertical_free(CcMethod *method) {
  g_free(((VerticalFirst *)method)->column_taps);
  g_free(((VerticalFirst *)method)->row_taps);
  g_free(method);
}

/* --- run time --- */

/* Loads rows y and y + 1 as dot groups number `number`, or unchanged if of_three. */
static void
load_rows(const CcTile *tile, gint y, guint number) {
  const CcSweep *sweep = tile->sweep;
  const VerticalFirst *self = (const VerticalFirst *)sweep->method;
  const guint lead = cc_sweep_lead(sweep);
  gconstpointer lines[2];
  for (guint i = 0; i < 2; i++) {
    guint8 *line = self->of_three ? cc_tile_ring_row(tile, 2 * number + i, 2 * self->base.n_groups)
                                  : tile->scratch + self->line + i * self->line_pitch;
    cc_tile_load(tile, y + (gint)i, line);
    lines[i] = line - lead;
  }
  if (!self->of_three)
    sweep->kernels->vertical_first->interleave_rows(
        cc_tile_ring_row(tile, number, self->base.n_groups) - 2 * lead, lines,
        lead + tile->n + sweep->n_edge, 0);
}

static void
sum_block(const CcTile *tile, guint m, guint block, gpointer const *rows, const CcAhead *ahead) {
  const CcAhead no_row = {.streams = ahead->streams};
  const CcSweep *sweep = tile->sweep;
  const VerticalFirst *self = (const VerticalFirst *)sweep->method;
  const guint lead = cc_sweep_lead(sweep);
  gconstpointer groups[MAX_GROUPS];
  gpointer lanes[2];
  if (self->of_three)
    for (guint i = 0; i < 4; i++)
      groups[i] = cc_tile_ring_row(tile, 2 * block + i, 2 * self->base.n_groups) - lead;
  else
    for (guint g = 0; g < self->base.n_groups; g++)
      groups[g] = cc_tile_ring_row(tile, block + g, self->base.n_groups) - 2 * lead;
  for (guint i = 0; i < 2; i++)
    lanes[i] = tile->scratch + self->lanes + i * self->lanes_pitch - lead * sizeof(gint32);
  self->run_column(lanes, groups, &self->column[m], lead + tile->n + sweep->n_edge);
  for (guint i = 0; i < 2; i++)
    self->run_row(rows[i], (const gint32 *)lanes[i] + lead, &self->row[m], tile->n,
                  &self->base.output.to_sample, i == 0 ? ahead : &no_row);
}

const CcMethodClass cc_vertical_first = {
    .name = "vertical pass first",
    .create = vertical_create,
    .rows = cc_tile_run_blocks,
    .load_group = load_rows,
    .sum_block = sum_block,
    .explain = vertical_explain,
    .free = vertical_free,
};
