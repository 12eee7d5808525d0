/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Separable sums by dot products (dot_products.h). A word is a signed 16-bit integer.
 *
 * The horizontal pass computes horizontal sums and splits each sum into words. One word is enough
 * if the sums fit 16 bits after an offset has moved the middle of their range to 0. Otherwise one
 * word has the low bits and another word has the bits above. A dot group has the words of two
 * neighbouring rows. The vertical pass multiplies dot groups by the column's taps and adds the
 * products. It computes two result rows at a time: an even row and the row below.
 *
 * With two words, one accumulator can add the products of both words. The column's taps for the
 * high words are then shifted left by the number of low bits, and must still fit words. Otherwise
 * each word has its own accumulator. The two accumulators are combined at the end. If the result
 * exceeds 32 bits, its low bits are dropped.
 *
 * With byte products, the row's taps can be split into a low and a high part. The sums are then not
 * split. Each part gives its own sums, which must fit words. To make the sums smaller, 128 is
 * subtracted from the samples.
 *
 * Wide sums have three words. The vertical sums of each word fit 32 bits. The output stage combines
 * the three sums in double. Horizontal sums may exceed 32 bits, because they are computed in pieces
 * that fit. */

#include "dot_taps.h"
#include "tap_pattern.h"
#include "cpu/tile.h"
#include "engine/ablation.h"

#define MAX_GROUPS ((CC_MAX_KERNEL_SIZE + 1) / 2)
#define MIN_LOW_BITS 8 /* with quantized taps, results stay exact without this many low bits */
#define MAX_LOW_BITS 15
#define WORD_LIMIT (2 << CC_PART_BITS) /* with three words, each word is less than this */
#define VECTOR_BYTES 64                /* size of CcHorizontal.order */
#define VECTOR_PART_BYTES 16

typedef struct {
  CcMethod base;
  CcDotKind kind;       /* kind of dot groups in the horizontal pass */
  guint n_parts;        /* number of words of a horizontal sum, 1 to CC_MAX_PARTS */
  guint low_bits;       /* bits of each word except the last word */
  gboolean splits_taps; /* taps are split, and sums are not split */
  guint vertical_parts; /* number of accumulators of a vertical sum: n_parts, or 1 for all words */
  guint dropped;        /* number of low bits that the results lack */
  CcHorizontal horizontal[CC_MAX_MATRICES];
  CcVertical vertical[CC_MAX_MATRICES];
  gint32 *taps;
  CcHorizontalFunc sum_horizontal;
  CcVerticalFunc sum_vertical;
  gsize line, line_pitch; /* offset in scratch and pitch of two loaded rows */
} Separable;

/* --- plan time: the kind of dot groups --- */

/* Returns whether the taps fit unsigned bytes and the row kernels can multiply them by signed
 * bytes. The kernels may add two neighbouring products in 16 bits, so the sum of two taps is
 * limited. The limit is 2 * max_byte_taps, because signed samples have half the magnitude of
 * unsigned samples. */
static gboolean
are_unsigned_bytes(CcTaps taps, const CcRows *kernels) {
  for (guint i = 0; i < taps.height; i++) {
    const gint32 next = i + 1 < taps.height ? taps.tap[i + 1] : 0;
    if (taps.tap[i] < 0 || taps.tap[i] > G_MAXUINT8 ||
        taps.tap[i] + (gint64)next >= 2 * kernels->max_byte_taps)
      return FALSE;
  }
  return TRUE;
}

/* Chooses the kind of dot groups. Returns FALSE if a tap does not fit a word. */
static gboolean
find_kind(Separable *self, const CcSweep *sweep) {
  const CcOp *op = sweep->pass->op;
  const CcRows *kernels = sweep->kernels;
  gboolean bytes =
      kernels->separable->horizontal[CC_DOT_BYTES][0] && !cc_is_left_out("separable-bytes");
  gboolean centred =
      kernels->separable->horizontal[CC_DOT_CENTRED][0] && !cc_is_left_out("separable-centred");
  for (guint m = 0; m < op->n_matrices; m++) {
    const CcTaps row = cc_taps_of_row(op, m);
    if (!cc_taps_are_words(row) || !cc_taps_are_words(cc_taps_of_column(op, m)))
      return FALSE;
    bytes = bytes && cc_taps_are_bytes(row, kernels);
    centred = centred && are_unsigned_bytes(row, kernels);
  }
  self->kind = sweep->type == CC_SAMPLE_U16 ? CC_DOT_WORDS
               : bytes                      ? CC_DOT_BYTES
               : centred                    ? CC_DOT_CENTRED
                                            : CC_DOT_WIDENED;
  return TRUE;
}

/* --- plan time: one word or two --- */

/* Decides whether horizontal sums have one word or two. Sums may wrap around, because only the
 * results must fit 32 bits. If low bits are dropped, the vertical sums of the low words must fit 32
 * bits too, because the result needs their carry. With one word, no bits can be dropped. */
static gboolean
find_parts(Separable *self, const CcOp *op, gint64 max_sample) {
  gint64 span = 0, steepest = 0;
  const gint64 largest = cc_op_largest_sum(op);
  for (guint m = 0; m < op->n_matrices; m++) {
    span = MAX(span, cc_taps_sum_of_absolutes(cc_taps_of_row(op, m)) * max_sample);
    steepest = MAX(steepest, cc_taps_sum_of_absolutes(cc_taps_of_column(op, m)));
  }
  self->low_bits = 0;
  self->n_parts = span <= G_MAXUINT16 && !cc_is_left_out("separable-one-part") ? 1 : 2;
  if (self->n_parts == 1)
    return largest <= G_MAXINT32;
  if (cc_is_left_out("separable-two-parts"))
    return FALSE;
  for (self->low_bits = MIN_LOW_BITS; self->low_bits <= MAX_LOW_BITS; self->low_bits++) {
    self->dropped = largest <= G_MAXINT32 ? 0 : self->low_bits;
    if (span <= G_MAXUINT32 && span >> self->low_bits < G_MAXUINT16 &&
        (self->dropped == 0 || (steepest + 1) << self->low_bits <= G_MAXINT32) &&
        (largest >> self->dropped) + 1 <= G_MAXINT32)
      return TRUE;
  }
  return FALSE;
}

/* Returns whether the row kernels can multiply the taps as signed bytes, and whether the sums of
 * the taps with signed samples fit words. */
static gboolean
fits_word(CcTaps taps, const CcRows *kernels) {
  const gint64 sum = cc_taps_sum(taps), absolute = cc_taps_sum_of_absolutes(taps);
  const gint64 plus = (absolute + sum) / 2, minus = (absolute - sum) / 2;
  return cc_taps_are_bytes(taps, kernels) && plus * G_MAXINT8 - minus * G_MININT8 <= G_MAXINT16 &&
         plus * G_MININT8 - minus * G_MAXINT8 >= G_MININT16;
}

/* Decides how each tap of the row is split into two bytes. Returns FALSE if no split is possible.
 * For dropped bits, see find_parts. */
static gboolean
find_split(Separable *self, const CcSweep *sweep) {
  const CcOp *op = sweep->pass->op;
  const gint64 largest = cc_op_largest_sum(op);
  if (sweep->type != CC_SAMPLE_U8 || self->n_parts != 2 ||
      !sweep->kernels->separable->horizontal_split || cc_is_left_out("separable-cut-taps"))
    return FALSE;
  for (guint bits = 1; bits < 8; bits++) {
    const guint dropped = largest <= G_MAXINT32 ? 0 : bits;
    gboolean fits = (largest >> dropped) + 1 <= G_MAXINT32;
    for (guint m = 0; m < op->n_matrices && fits; m++) {
      const gint64 column_sum = cc_taps_sum_of_absolutes(cc_taps_of_column(op, m));
      CcSplitTaps split;
      cc_taps_split(cc_taps_of_row(op, m), bits, &split);
      fits = fits_word((CcTaps){split.part[0], 1, op->width}, sweep->kernels) &&
             fits_word((CcTaps){split.part[1], 1, op->width}, sweep->kernels) &&
             (dropped == 0 || column_sum * -G_MININT16 + (1 << bits) <= G_MAXINT32);
    }
    if (fits) {
      self->kind = CC_DOT_BYTES;
      self->splits_taps = TRUE;
      self->low_bits = bits;
      self->dropped = dropped;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
can_add_parts(const Separable *self, const CcOp *op) {
  if (self->dropped || cc_is_left_out("separable-added-parts"))
    return FALSE;
  for (guint m = 0; m < op->n_matrices; m++)
    for (guint i = 0; i < op->height; i++)
      if (ABS((gint64)op->column_i[m][i]) << self->low_bits > G_MAXINT16)
        return FALSE;
  return TRUE;
}

/* If one word is not enough, splits the taps if possible, else the sums. Returns FALSE if the
 * results cannot be computed from one or two words. */
static gboolean
find_words(Separable *self, const CcSweep *sweep, gint64 max_sample) {
  const CcOp *op = sweep->pass->op;
  const gboolean splits_sums = find_parts(self, op, max_sample);
  if (!find_split(self, sweep) && !splits_sums)
    return FALSE;
  self->vertical_parts = can_add_parts(self, op) ? 1 : self->n_parts;
  return TRUE;
}

/* --- plan time: three words --- */

/* Returns whether the op has one matrix and three words are enough for its horizontal sums. Each
 * word must be below WORD_LIMIT. The vertical sums of each word and both arguments of
 * codes_of_parts must fit 32 bits. */
static gboolean
find_three_words(Separable *self, const CcOp *op, gint64 max_sample) {
  const gint64 row_sum = cc_taps_sum_of_absolutes(cc_taps_of_row(op, 0)) * max_sample;
  const gint64 column_sum = cc_taps_sum_of_absolutes(cc_taps_of_column(op, 0));
  self->n_parts = self->vertical_parts = CC_MAX_PARTS;
  self->low_bits = CC_PART_BITS;
  return op->n_matrices == 1 && (row_sum >> CC_HIGH_BITS) + 2 < WORD_LIMIT &&
         column_sum * WORD_LIMIT + (1 << (CC_HIGH_BITS + 1)) <= G_MAXINT32 &&
         (cc_op_largest_sum(op) >> CC_HIGH_BITS) + WORD_LIMIT <= G_MAXINT32;
}

/* Divides the dot groups of a row into pieces whose sums fit 32 bits. Returns FALSE if there are
 * more than CC_MAX_PIECES pieces, or if the sum of one dot group does not fit. */
static gboolean
set_pieces(CcHorizontal *horizontal, CcTaps taps, guint group, gint64 max_sample) {
  gint64 sum = 0;
  for (guint g = 0; g < horizontal->n_groups; g++) {
    const CcTaps some = {taps.tap + g * group, 1, MIN(group, taps.height - g * group)};
    const gint64 more = cc_taps_sum_of_absolutes(some) * max_sample;
    sum += more;
    if (g == 0 || sum > G_MAXINT32) {
      if (horizontal->n_pieces == CC_MAX_PIECES || more > G_MAXINT32)
        return FALSE;
      horizontal->n_pieces++;
      sum = more;
    }
    horizontal->piece_end[horizontal->n_pieces - 1] = g + 1;
  }
  return TRUE;
}

/* --- plan time: the passes --- */

/* Returns the index of the loaded byte that becomes byte `at` of a vector of dot groups. If
 * this byte is 0 because it widens a sample, returns ZERO. */
static guint8
source_of_byte(CcDotKind kind, guint at, guint step) {
  enum { ZERO = 0x80 };
  const guint group = at / 4, byte = at % 4;
  switch (kind) {
  case CC_DOT_BYTES:
  case CC_DOT_CENTRED:
    return (guint8)(group + byte * step);
  case CC_DOT_WIDENED:
    return byte % 2 ? ZERO : (guint8)(group + byte / 2 * step);
  case CC_DOT_WORDS:
    return (guint8)(2 * (group + byte / 2 * step) + byte % 2);
  case CC_N_DOT_KINDS:
    break;
  }
  g_return_val_if_reached(ZERO);
}

/* Packs a row of taps into lanes at `to`. Returns the end of the lanes. */
static gint32 *
group_taps(CcTaps taps, CcDotKind kind, gint32 *to) {
  const guint size = cc_dot_size(kind);
  for (guint first = 0; first < taps.height; first += size)
    *to++ = cc_taps_group(taps, (gint)first, 0, size);
  return to;
}

/* Initialises *horizontal for the taps `row`. Writes the packed taps to `to`. Returns their end. */
static gint32 *
set_row(CcHorizontal *horizontal, const Separable *self, const CcSweep *sweep, CcTaps row,
        gint32 *to) {
  const guint size = cc_dot_size(self->kind);
  const guint depth = sweep->plan->layout.plane[sweep->plane].depth;
  *horizontal = (CcHorizontal){
      .taps = to,
      .n_groups = (row.height + size - 1) / size,
      .n_pairs = (row.height + 1) / 2,
      .step = sweep->step,
      .stride = size * sweep->step * sweep->sample_size,
      .low_bits = self->low_bits,
  };
  for (guint i = 0; i < VECTOR_BYTES; i++)
    horizontal->order[i] = source_of_byte(
        self->kind, sweep->kernels->separable->order_is_whole ? i : i % VECTOR_PART_BYTES,
        sweep->step);
  if (self->kind == CC_DOT_CENTRED) {
    horizontal->flip = (gint32)0x80808080;
    horizontal->start = (gint32)(cc_taps_sum(row) * (1 << 7));
  } else if (self->kind == CC_DOT_WORDS && depth == 16) {
    horizontal->flip = (gint32)0x80008000;
    horizontal->start = (gint32)(cc_taps_sum(row) * (1 << 15));
  }
  return group_taps(row, self->kind, to);
}

/* Writes the packed taps of matrix m to `to`. Returns their end, or NULL if there are too many
 * pieces. Sets *offset: the computed horizontal sums are the plan's horizontal sums plus
 * *offset. */
static gint32 *
set_horizontal(Separable *self, const CcSweep *sweep, guint m, gint32 *to, gint64 *offset) {
  const CcTaps row = cc_taps_of_row(sweep->pass->op, m);
  const gint64 max_sample = (1 << sweep->plan->layout.plane[sweep->plane].depth) - 1;
  CcHorizontal *horizontal = &self->horizontal[m];
  if (self->splits_taps) { /* the two halves of a lane are separate sums */
    CcSplitTaps split;
    cc_taps_split(row, self->low_bits, &split);
    const CcTaps low = {split.part[0], 1, row.height}, high = {split.part[1], 1, row.height};
    gint32 *const low_taps = set_row(horizontal, self, sweep, high, to);
    horizontal->start = (guint16)(G_MININT8 * cc_taps_sum(high));
    horizontal->low_start = (guint16)(G_MININT8 * cc_taps_sum(low));
    horizontal->low_taps = low_taps;
    *offset = G_MININT8 * cc_taps_sum(row);
    return group_taps(low, self->kind, low_taps);
  }
  to = set_row(horizontal, self, sweep, row, to);
  if (self->n_parts < CC_MAX_PARTS) { /* moves the middle of the range of sums to 0 or -1 */
    const gint64 all = cc_taps_sum_of_absolutes(row) * max_sample;
    *offset = -(cc_taps_sum(row) * max_sample - all) / 2 - all / 2 - 1;
    horizontal->start = (gint32)(horizontal->start + *offset);
    return to;
  }
  /* the number that the flip subtracts from each sample */
  const gint64 lacking = horizontal->flip ? (max_sample + 1) / 2 : 0;
  *offset = -lacking * cc_taps_sum(row);
  horizontal->start = 0;
  return set_pieces(horizontal, row, cc_dot_size(self->kind), MAX(lacking, max_sample - lacking))
             ? to
             : NULL;
}

/* `start` is the initial value of the sums. Returns the end of the packed taps. */
static gint32 *
set_vertical(Separable *self, const CcOp *op, guint m, gint64 start, gint32 *to) {
  CcVertical *vertical = &self->vertical[m];
  /* number of parts whose products are added in one accumulator */
  const guint parts = self->n_parts / self->vertical_parts;
  vertical->taps = to;
  vertical->n_groups = self->base.n_groups * parts;
  vertical->low_bits = self->low_bits;
  vertical->drops_low = self->dropped > 0;
  for (guint p = 0; p < self->vertical_parts; p++) {
    const gboolean last = p + 1 == self->vertical_parts;
    vertical->start[p] = (gint32)(last ? start : start & ((1 << self->low_bits) - 1));
    start >>= self->low_bits;
  }
  if (self->n_parts == CC_MAX_PARTS) { /* adds 2^31 to both arguments of codes_of_parts */
    vertical->start[0] ^= G_MININT32;
    vertical->start[2] ^= G_MININT32;
  }
  for (guint g = 0; g < self->base.n_groups; g++)
    for (guint p = 0; p < parts; p++) {
      gint32 shifted[CC_MAX_KERNEL_SIZE];
      for (guint i = 0; i < op->height; i++)
        shifted[i] = op->column_i[m][i] * (1 << p * self->low_bits);
      for (gint i = 0; i < 2; i++) /* for two rows of results */
        *to++ = cc_taps_group((CcTaps){shifted, 1, op->height}, 2 * (gint)g - i, 0, 2);
    }
  return to;
}

static void
separable_free(CcMethod *method) {
  g_free(((Separable *)method)->taps);
  g_free(method);
}

/* Returns FALSE if no output stage of the sums is exact. */
static gboolean
take_output(Separable *self, const CcOp *op) {
  CcOutput *output = &self->base.output;
  if (self->n_parts == CC_MAX_PARTS)
    return cc_output_take_parts(output, op);
  if (self->dropped)
    return cc_output_take_32_without(output, op, self->dropped);
  if (!cc_output_fits_32(op))
    return FALSE;
  cc_output_take_32(output, op);
  return TRUE;
}

#define COST_OF_SPLITTING 4 /* cost of splitting horizontal sums into words, in products */

/* Returns whether conv2d can compute the sums and needs no more products for each result than this
 * method. */
static gboolean
costs_more(const Separable *self, const CcSweep *sweep) {
  const gchar *unused;
  const guint conv2d = cc_conv2d_cost(sweep, &unused);
  const guint width = sweep->pass->op->width, size = cc_dot_size(self->kind);
  return conv2d &&
         (width + size - 1) / size + COST_OF_SPLITTING + self->base.n_groups * self->n_parts >=
             conv2d;
}

static CcMethod *
create(CcSweep *sweep, const CcMethodClass *klass, gboolean wide, const gchar **reason) {
  const CcOp *op = sweep->pass->op;
  const gint64 max_sample = (1 << sweep->plan->layout.plane[sweep->plane].depth) - 1;
  Separable found = {
      .base = {.klass = klass,
               .output = sweep->output,
               .sample_lane = sweep->type == CC_SAMPLE_U8 ? CC_LANE_8 : CC_LANE_16,
               .ring_lane = CC_LANE_32,
               .block_rows = 2,
               .n_groups = (op->height + 2) / 2},
  };
  *reason = !op->separable                          ? "the kernel is not separable"
            : op->response == CC_RESPONSE_DIRECTION ? "the response is an angle"
            : cc_is_left_out(wide ? "separable-three-parts" : "separable") ? "left out"
            : !find_kind(&found, sweep)                                    ? "taps pass 16 bits"
            : wide && !find_three_words(&found, op, max_sample)            ? "sums pass three words"
            : !wide && !find_words(&found, sweep, max_sample)              ? "sums pass two words"
            : costs_more(&found, sweep) ? "conv2d multiplies less"
            : !take_output(&found, op)  ? "no output stage of such sums is exact"
                                        : NULL;
  if (*reason)
    return NULL;
  Separable *self = g_memdup2(&found, sizeof found);
  self->base.n_taps = cc_tap_count(op);
  gint32 *to = self->taps = g_new(
      gint32, op->n_matrices * ((op->width + 3) / 2 + 2 * self->n_parts * self->base.n_groups));
  for (guint m = 0; m < op->n_matrices && to; m++) {
    gint64 offset;
    to = set_horizontal(self, sweep, m, to, &offset);
    if (to)
      to = set_vertical(self, op, m, -offset * cc_taps_sum(cc_taps_of_column(op, m)), to);
  }
  if (!to) {
    *reason = "horizontal sums exceed 32 bits too often";
    separable_free(&self->base);
    return NULL;
  }
  const CcRows *kernels = sweep->kernels;
  const CcRequantizationVariant requantization =
      cc_output_requantization_of_sums(&self->base.output);
  self->base.makes_samples = requantization != CC_REQUANTIZE_NONE;
  self->sum_horizontal = self->splits_taps
                             ? kernels->separable->horizontal_split
                             : kernels->separable->horizontal[self->kind][self->n_parts - 1];
  self->sum_vertical =
      kernels->separable->vertical[sweep->type][requantization][self->vertical_parts - 1];
  const guint n_rows = op->n_matrices * self->base.n_groups * self->n_parts;
  cc_sweep_reserve_tiles(sweep, &self->base, n_rows, n_rows, op->n_matrices * 2);
  self->line =
      cc_sweep_reserve_rows(sweep, 2, cc_lane_size(self->base.sample_lane), &self->line_pitch);
  return &self->base;
}

static CcMethod *
separable_create(CcSweep *sweep, const gchar **reason) {
  return create(sweep, &cc_separable, FALSE, reason);
}

/* Does not take bytes if the instruction set cannot multiply bytes, because tap groups are then
 * faster. */
static CcMethod *
separable_wide_create(CcSweep *sweep, const gchar **reason) {
  if (sweep->output.lane != CC_LANE_DOUBLE ||
      (sweep->type == CC_SAMPLE_U8 && !sweep->kernels->separable->horizontal[CC_DOT_BYTES][0]))
    return NULL;
  return create(sweep, &cc_separable_wide, TRUE, reason);
}

static void
separable_explain(const CcMethod *method, GString *line) {
  static const gchar *const parts[] = {"one word", "two words", "three words"};
  const Separable *self = (const Separable *)method;
  g_string_append_printf(line, "separable by %s, sums along a row in %s", cc_dot_name(self->kind),
                         parts[self->n_parts - 1]);
  if (self->splits_taps)
    g_string_append(line, " of split taps");
  if (self->vertical_parts < self->n_parts)
    g_string_append(line, " added by dot products");
  if (self->dropped)
    g_string_append_printf(line, ", low %u bits dropped", self->dropped);
}

/* --- run time --- */

/* Returns the dot groups of rows 2 * number and 2 * number + 1. Row 0 is the first row of the first
 * window. */
static gint32 *
ring_row(const CcTile *tile, const Separable *self, guint m, guint number, guint part) {
  const guint row = (m * self->base.n_groups + number % self->base.n_groups) * self->n_parts + part;
  return (gpointer)(tile->rings + row * tile->sweep->ring_pitch);
}

static void
load_lines(const CcTile *tile, gint y, guint number) {
  const CcSweep *sweep = tile->sweep;
  const Separable *self = (const Separable *)sweep->method;
  gconstpointer from[2];
  for (guint i = 0; i < 2; i++) {
    guint8 *line = tile->scratch + self->line + i * self->line_pitch;
    cc_tile_load(tile, y + (gint)i, line);
    from[i] = line - sweep->n_edge * sweep->sample_lane_size;
  }
  for (guint m = 0; m < sweep->n_matrices; m++) {
    gint32 *parts[CC_MAX_PARTS];
    for (guint p = 0; p < self->n_parts; p++)
      parts[p] = ring_row(tile, self, m, number, p);
    self->sum_horizontal(parts, from, &self->horizontal[m], tile->n);
  }
}

static void
sum_vertical(const CcTile *tile, guint m, guint block, gpointer const *rows, const CcAhead *ahead) {
  const Separable *self = (const Separable *)tile->sweep->method;
  gconstpointer groups[CC_MAX_PARTS * MAX_GROUPS];
  for (guint g = 0; g < self->base.n_groups; g++)
    for (guint p = 0; p < self->n_parts; p++)
      groups[g * self->n_parts + p] = ring_row(tile, self, m, block + g, p);
  self->sum_vertical(rows, groups, &self->vertical[m], tile->n, &self->base.output.to_sample,
                     ahead);
}

const CcMethodClass cc_separable = {
    .name = "separable in one or two words",
    .create = separable_create,
    .rows = cc_tile_run_blocks,
    .load_group = load_lines,
    .sum_block = sum_vertical,
    .explain = separable_explain,
    .free = separable_free,
};

const CcMethodClass cc_separable_wide = {
    .name = "separable in three words",
    .create = separable_wide_create,
    .rows = cc_tile_run_blocks,
    .load_group = load_lines,
    .sum_block = sum_vertical,
    .explain = separable_explain,
    .free = separable_free,
};
