/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sums of tap groups: samples whose taps have the same absolute value are added or subtracted
 * before one multiplication. A fused kernel computes the sums and the resulting bytes. Other row
 * kernels only compute sums. tile.c then applies the output stage. */

#include "tap_pattern.h"
#include "cpu/stages/macropixel.h"
#include "cpu/tile.h"
#include "engine/ablation.h"

#include <stdlib.h>

typedef struct {
  CcMethod base;
  guint n_matrices;
  gboolean separable;
  CcTapGroups horizontal[CC_MAX_MATRICES]; /* horizontal sums; only if separable */
  /* vertical sums; if not separable, sums over whole windows */
  CcTapGroups vertical[CC_MAX_MATRICES];
  CcApplyFunc apply;    /* the fused kernel; NULL: kernels make sums */
  gboolean macropixels; /* even and odd samples have their own horizontal taps */
  /* offset in scratch of a loaded row; only if separable */
  gsize line;
  /* bytes from the ring of a matrix to the ring of the next; 0: all matrices share a ring */
  gsize matrix_pitch;
} TapGroups;

/* --- plan time: any taps --- */

/* Patterns without a kernel for the lane use the kernel for any pattern. */
static void
choose_kernels(CcTapGroups *groups, guint n_matrices, const CcSumFunc kernels[CC_N_PATTERNS]) {
  for (guint m = 0; m < n_matrices; m++) {
    if (!kernels[groups[m].pattern])
      groups[m].pattern = CC_PATTERN_ANY;
    groups[m].sum = kernels[groups[m].pattern];
  }
}

static void
set_groups(TapGroups *self, const CcOp *op, guint step) {
  CcTapPosition offsets[CC_MAX_COEFFS];
  const gint center = (gint)op->width / 2, pixel = (gint)step;
  const guint area = op->width * op->height;
  for (guint m = 0; m < op->n_matrices; m++) {
    CcTapGroups *horizontal = &self->horizontal[m], *vertical = &self->vertical[m];
    if (self->separable) {
      for (guint i = 0; i < op->width; i++)
        offsets[i] = (CcTapPosition){0, ((gint)i - center) * pixel};
      cc_tap_groups_init(horizontal, op->row_i[m], offsets, op->width);
      for (guint i = 0; i < op->height; i++)
        offsets[i] = (CcTapPosition){i, 0};
      cc_tap_groups_init(vertical, op->column_i[m], offsets, op->height);
    } else {
      for (guint i = 0; i < area; i++)
        offsets[i] = (CcTapPosition){i / op->width, ((gint)(i % op->width) - center) * pixel};
      cc_tap_groups_init(vertical, op->tap_i + m * area, offsets, area);
    }
    for (guint t = 0; t < vertical->n_groups; t++)
      vertical->group[t].factor *= 1 << self->base.output.left;
    self->base.n_taps += horizontal->n_taps + vertical->n_taps;
  }
}

/* Loaded samples stay bytes if they have one byte, sums have 16 bits, and every sum of samples has
 * a kernel that takes bytes. */
static gboolean
keeps_bytes(const TapGroups *self, const CcSweep *sweep) {
  const CcTapGroups *over_samples = self->separable ? self->horizontal : self->vertical;
  if (sweep->type != CC_SAMPLE_U8 || self->base.output.lane != CC_LANE_16)
    return FALSE;
  for (guint m = 0; m < sweep->n_matrices; m++)
    if (over_samples[m].pattern == CC_PATTERN_ANY)
      return FALSE;
  return TRUE;
}

/* Does not reserve scratch memory. */
static TapGroups *
groups_new(const CcSweep *sweep, const CcMethodClass *klass) {
  const CcOp *op = sweep->pass->op;
  const CcRows *kernels = sweep->kernels;
  TapGroups *self = g_new0(TapGroups, 1);
  self->base = (CcMethod){.klass = klass, .output = sweep->output, .block_rows = 1};
  self->n_matrices = op->n_matrices;
  self->separable = cc_prefers_separable(op);
  set_groups(self, op, sweep->step);
  const CcLane sum_lane = self->base.output.lane;
  const CcLane sample_lane = keeps_bytes(self, sweep) ? CC_LANE_8 : sum_lane;
  const CcLane ring_lane = self->separable ? sum_lane : sample_lane;
  self->base.sample_lane = sample_lane;
  self->base.ring_lane = ring_lane;
  if (self->separable)
    choose_kernels(self->horizontal, op->n_matrices, kernels->tap_groups->sum[sample_lane]);
  choose_kernels(self->vertical, op->n_matrices, kernels->tap_groups->sum[ring_lane]);
  return self;
}

static void
groups_free(CcMethod *method) {
  TapGroups *self = (TapGroups *)method;
  for (guint m = 0; m < CC_MAX_MATRICES; m++) {
    cc_tap_groups_clear(&self->horizontal[m]);
    cc_tap_groups_clear(&self->vertical[m]);
  }
  g_free(self);
}

static CcMethod *
take_scratch(TapGroups *self, CcSweep *sweep) {
  const guint n_rows = (self->separable ? sweep->n_matrices : 1) * sweep->window_rows;
  gsize unused;
  cc_sweep_reserve_tiles(sweep, &self->base, n_rows, n_rows, self->apply ? 0 : sweep->n_matrices);
  if (self->separable) {
    self->line = cc_sweep_reserve_rows(sweep, 1, cc_lane_size(self->base.sample_lane), &unused);
    self->matrix_pitch = sweep->window_rows * sweep->ring_pitch;
  }
  return &self->base;
}

static CcMethod *
bytes_create(CcSweep *sweep, const gchar **reason) {
  TapGroups *self = groups_new(sweep, &cc_tap_groups_of_bytes);
  if (self->base.sample_lane == CC_LANE_8 && !cc_is_left_out("sum-patterns"))
    return take_scratch(self, sweep);
  groups_free(&self->base);
  return NULL;
}

static CcMethod *
any_create(CcSweep *sweep, const gchar **reason) {
  TapGroups *self = groups_new(sweep, &cc_tap_groups);
  if (cc_is_left_out("sum-patterns")) {
    const CcLane lane = self->base.output.lane;
    self->base.sample_lane = self->base.ring_lane = lane;
    for (guint m = 0; m < sweep->n_matrices; m++) {
      self->horizontal[m].pattern = self->vertical[m].pattern = CC_PATTERN_ANY;
      self->horizontal[m].sum = self->vertical[m].sum =
          sweep->kernels->tap_groups->sum[lane][CC_PATTERN_ANY];
    }
  }
  return take_scratch(self, sweep);
}

/* --- plan time: fused gradients --- */

/* Returns whether a 3x3 matrix has `corner`, `middle`, `corner` in one outer line, the negatives in
 * the other, and 0 between them. `next` and `across` are the distances of taps within a line and
 * between lines. */
static gboolean
is_derivative(const gint32 *tap, guint next, guint across, gint32 corner, gint32 middle) {
  const gint32 line[] = {corner, middle, corner};
  for (guint i = 0; i < 3; i++) {
    const gint32 *at = tap + i * next;
    if (at[0] != line[i] || at[across] != 0 || at[2 * across] != -line[i])
      return FALSE;
  }
  return TRUE;
}

/* Returns CC_N_GRADIENTS if the two matrices form no gradient that has kernels. The sums must not
 * be separable. */
static CcGradient
find_gradient(const TapGroups *self, const CcOp *op) {
  const CcTapGroups *vertical = self->vertical;
  if (vertical[0].pattern == CC_PATTERN_11 && vertical[1].pattern == CC_PATTERN_11 &&
      abs(vertical[0].group[0].factor) == abs(vertical[1].group[0].factor))
    return CC_GRADIENT_OF_FOUR;
  if (op->width != 3 || op->height != 3)
    return CC_N_GRADIENTS;
  /* the second matrix must be the first one transposed, or its negative */
  const gint32 *x = op->tap_i, *y = op->tap_i + 9;
  const gint32 corner = x[0], middle = x[3];
  return is_derivative(x, 3, 1, corner, middle) && (is_derivative(y, 1, 3, corner, middle) ||
                                                    is_derivative(y, 1, 3, -corner, -middle))
             ? CC_GRADIENT_OF_EIGHT
             : CC_N_GRADIENTS;
}

static CcTapGroups
groups_of_four(const CcTapPosition *offsets, guint n, const gint32 *factors) {
  CcTapGroups groups = {
      .pattern = CC_PATTERN_ANY,
      .n_groups = n / 4,
      .n_taps = n,
      .group = g_new0(CcTapGroup, n / 4),
      .offsets = g_memdup2(offsets, n * sizeof *offsets),
  };
  for (guint i = 0; i < groups.n_groups; i++)
    groups.group[i].factor = factors[i];
  return groups;
}

/* Puts the taps of both matrices into the first groups, and leaves the second groups empty. */
static void
join_gradient(TapGroups *self, CcGradient gradient, const CcOp *op, guint step) {
  CcTapGroups *vertical = self->vertical, both;
  if (gradient == CC_GRADIENT_OF_FOUR) {
    const CcTapPosition *a = vertical[0].offsets, *b = vertical[1].offsets;
    const CcTapPosition offsets[] = {a[0], a[1], b[0], b[1]};
    both = groups_of_four(offsets, G_N_ELEMENTS(offsets), &vertical[0].group[0].factor);
  } else {
    const gint pixel = (gint)step, unit = 1 << self->base.output.left;
    const CcTapPosition offsets[] = {{0, -pixel}, {2, pixel}, {2, -pixel}, {0, pixel},
                                     {1, -pixel}, {1, pixel}, {0, 0},      {2, 0}};
    const gint32 factors[] = {op->tap_i[0] * unit, op->tap_i[3] * unit};
    both = groups_of_four(offsets, G_N_ELEMENTS(offsets), factors);
  }
  for (guint m = 0; m < 2; m++)
    cc_tap_groups_clear(&vertical[m]);
  vertical[0] = both;
  vertical[1] = (CcTapGroups){.pattern = CC_PATTERN_ANY};
  self->base.n_taps = both.n_taps;
}

static const gchar *
find_gradient_kernel(TapGroups *self, const CcSweep *sweep) {
  const CcOp *op = sweep->pass->op;
  const CcGradient gradient = find_gradient(self, op);
  if (cc_is_left_out("fused-gradient"))
    return "left out";
  if (gradient == CC_N_GRADIENTS)
    return "the two matrices are no gradient that has a kernel";
  self->apply = sweep->kernels->tap_groups->apply_gradient[gradient][self->base.output.reduce];
  if (!self->apply)
    return "no such kernel has the response and the output stage";
  join_gradient(self, gradient, op, sweep->step);
  return NULL;
}

/* --- plan time: fused sums --- */

/* Chooses the fused kernel and, for separable sums, the kernel of the horizontal sums. Returns the
 * reason why there is no fused kernel, or NULL. */
static const gchar *
find_sum_kernel(TapGroups *self, const CcSweep *sweep) {
  const CcTapPattern pattern = self->vertical[0].pattern;
  if (cc_is_left_out(self->separable ? "fused-separable" : "fused-conv2d") ||
      cc_is_left_out(cc_tap_pattern_name(pattern)))
    return "left out";
  self->apply =
      sweep->kernels->tap_groups->apply[self->base.ring_lane][pattern][self->base.output.reduces];
  if (!self->apply)
    return "no kernel has the pattern of the taps";
  if (self->separable)
    choose_kernels(self->horizontal, 1, sweep->kernels->tap_groups->sum_split);
  return NULL;
}

/* Fused kernels take bytes. Their output stage is CC_REQUANTIZE_16 or, for the norm of two
 * matrices, CC_REQUANTIZE_F32. */
static CcMethod *
create_fused(const CcSweep *sweep, const CcMethodClass *klass, const gchar **reason) {
  *reason = sweep->type == CC_SAMPLE_U16 ? "samples have two bytes" : sweep->why_not_16;
  if (*reason)
    return NULL;
  TapGroups *self = groups_new(sweep, klass);
  const CcOutput *output = &self->base.output;
  const gboolean in_16 = output->requantization == CC_REQUANTIZE_16;
  self->base.streams = TRUE;
  *reason =
      self->base.sample_lane != CC_LANE_8 ? "no kernel has the pattern of the taps"
      : sweep->n_matrices == 1 && in_16   ? find_sum_kernel(self, sweep)
      : sweep->n_matrices == 2 && !self->separable && (in_16 || output->reduce == CC_REDUCE_NORM)
          ? find_gradient_kernel(self, sweep)
          : "no such kernel has the response and the output stage";
  if (!*reason)
    return &self->base;
  groups_free(&self->base);
  return NULL;
}

static CcMethod *
fused_create(CcSweep *sweep, const gchar **reason) {
  if (cc_box_is_large(sweep)) {
    *reason = "running sums of a box this large are faster";
    return NULL;
  }
  CcMethod *self = create_fused(sweep, &cc_fused, reason);
  return self ? take_scratch((TapGroups *)self, sweep) : NULL;
}

/* Split sums (kernels/byte_sums.h) keep even and odd samples apart. In macropixels, one of the two
 * is luma and the other is chroma. The distance of neighbours in luma is not the same as in chroma,
 * so luma and chroma have different tap positions. */
static CcMethod *
macropixels_create(CcSweep *sweep, const gchar **reason) {
  const CcPlaneLayout *plane = &sweep->plan->layout.plane[sweep->plane];
  if (!plane->has_macropixels || cc_is_left_out("macropixel"))
    return NULL;
  TapGroups *self = (TapGroups *)create_fused(sweep, &cc_fused_macropixels, reason);
  if (!self)
    return NULL;
  CcTapGroups *horizontal = &self->horizontal[0];
  if (!self->separable || !sweep->kernels->tap_groups->sum_pairs[horizontal->pattern]) {
    groups_free(&self->base);
    return NULL;
  }
  const guint n = horizontal->n_taps;
  horizontal->sum = sweep->kernels->tap_groups->sum_pairs[horizontal->pattern];
  horizontal->offsets = g_renew(CcTapPosition, horizontal->offsets, 2 * n);
  for (guint i = 0; i < n; i++) {
    const gint pixels = horizontal->offsets[i].offset / (gint)plane->step;
    horizontal->offsets[i].offset = pixels * (gint)cc_macropixel_step(plane, 0);
    horizontal->offsets[n + i] = (CcTapPosition){0, pixels * (gint)cc_macropixel_step(plane, 1)};
  }
  horizontal->n_taps = 2 * n;
  self->base.n_taps += n;
  self->macropixels = TRUE;
  return take_scratch(self, sweep);
}

/* --- for people --- */

static void
explain_patterns(GString *line, const CcTapGroups *groups, guint n) {
  for (guint m = 0; m < n; m++)
    g_string_append_printf(line, "%s%s", m ? ", " : "", cc_tap_pattern_name(groups[m].pattern));
}

static void
groups_explain(const CcMethod *method, GString *line) {
  const TapGroups *self = (const TapGroups *)method;
  if (self->apply && self->n_matrices == 2) {
    g_string_append(line, "fused gradient");
    return;
  }
  g_string_append(line, self->apply ? "fused tap groups " : "tap groups ");
  if (self->separable) {
    explain_patterns(line, self->horizontal, self->n_matrices);
    g_string_append(line, " horizontal, ");
  }
  explain_patterns(line, self->vertical, self->n_matrices);
  if (self->separable)
    g_string_append(line, " vertical");
  if (self->macropixels)
    g_string_append(line, ", whole macropixels");
}

/* --- run time --- */

static guint8 *
ring_row(const CcTile *tile, const TapGroups *self, guint m, guint at) {
  return tile->rings + m * self->matrix_pitch + at * tile->sweep->ring_pitch;
}

/* Loads row y of the source into the rings, or its horizontal sums. The row may lie outside the
 * source. Its position in the ring is (y + radius) % window. */
static void
load_row(const CcTile *tile, const TapGroups *self, gint y) {
  const CcSweep *sweep = tile->sweep;
  const guint at = (guint)(y + (gint)sweep->window_rows / 2) % sweep->window_rows;
  guint8 *row = self->separable ? tile->scratch + self->line : ring_row(tile, self, 0, at);
  cc_tile_load(tile, y, row);
  for (guint m = 0; m < sweep->n_matrices && self->separable; m++) {
    const CcTapGroups *groups = &self->horizontal[m];
    gconstpointer taps[CC_MAX_KERNEL_SIZE];
    for (guint i = 0; i < groups->n_taps; i++)
      taps[i] = row + groups->offsets[i].offset * (gssize)sweep->sample_lane_size;
    groups->sum(ring_row(tile, self, m, at), groups->group, groups->n_groups, taps, tile->n);
  }
}

/* All rows of the window must be in the rings. */
static void
make_row(const CcTile *tile, const TapGroups *self, guint y, gint next) {
  const CcSweep *sweep = tile->sweep;
  /* ring position of the first row of the window */
  const guint top = y * sweep->stride % sweep->window_rows;
  const gssize lane = (gssize)cc_lane_size(self->base.ring_lane);
  gconstpointer taps[CC_MAX_TAPS];
  guint n_taps = 0;
  CcAhead ahead;
  cc_tile_ahead(tile, next, y + 1, 1, &ahead);
  for (guint m = 0; m < sweep->n_matrices; m++)
    for (guint i = 0; i < self->vertical[m].n_taps; i++) {
      const CcTapPosition *offset = &self->vertical[m].offsets[i];
      const guint at = top + offset->row;
      taps[n_taps++] =
          ring_row(tile, self, m, at < sweep->window_rows ? at : at - sweep->window_rows) +
          offset->offset * lane;
    }
  if (self->apply) {
    guint8 *out = cc_tile_result(tile, y);
    self->apply(out, self->vertical[0].group, taps, tile->n, &self->base.output.to_sample, &ahead);
    cc_tile_store(tile, y, out);
    return;
  }
  gconstpointer sums[CC_MAX_MATRICES];
  n_taps = 0;
  for (guint m = 0; m < sweep->n_matrices; m++) {
    const CcTapGroups *groups = &self->vertical[m];
    guint8 *sum = tile->scratch + sweep->sums + m * sweep->sums_pitch;
    groups->sum(sum, groups->group, groups->n_groups, taps + n_taps, tile->n);
    n_taps += groups->n_taps;
    sums[m] = sum;
  }
  cc_tile_finish(tile, sums, y, &ahead);
}

static gint
groups_rows(const CcTile *tile, guint y0, guint y1, gint next) {
  const TapGroups *self = (const TapGroups *)tile->sweep->method;
  const gint radius = (gint)tile->sweep->window_rows / 2;
  for (guint y = y0; y < y1; y++) {
    const gint center = (gint)(y * tile->sweep->stride);
    for (next = MAX(next, center - radius); next <= center + radius; next++)
      load_row(tile, self, next);
    make_row(tile, self, y, next);
  }
  return next;
}

#define DEFINE_CLASS(symbol, title, create_func)                                                   \
  const CcMethodClass symbol = {                                                                   \
      .name = title,                                                                               \
      .create = create_func,                                                                       \
      .rows = groups_rows,                                                                         \
      .explain = groups_explain,                                                                   \
      .free = groups_free,                                                                         \
  };

DEFINE_CLASS(cc_fused_macropixels, "fused macropixels", macropixels_create)
DEFINE_CLASS(cc_fused, "fused", fused_create)
DEFINE_CLASS(cc_tap_groups_of_bytes, "tap groups of bytes", bytes_create)
DEFINE_CLASS(cc_tap_groups, "tap groups", any_create)
