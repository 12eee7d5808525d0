/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "luma_rows.h"

#include "engine/ablation.h"
#include "engine/plan/output_stage.h"

#include <string.h>

/* --- rows of pixels --- */

static const guint8 *
pixel_at(const CcLumaPart *self, guint i, guint y, guint x) {
  const CcComponentOffset *from = &self->luma->from[i];
  const CcPlane *plane = &self->src->plane[from->plane];
  const gsize sample = from->first + (gsize)(self->pixels->x + x) * from->spacing;
  return plane->data + (gssize)(self->pixels->y + y) * plane->pitch +
         sample * cc_sample_size(self->luma->type);
}

static void
load_pixels(const CcLumaPart *self, guint y, guint x, guint n, guint8 *lanes) {
  const CcLumaRows *luma = self->luma;
  const CcSampleKernels *kernels = luma->rows->samples;
  const guint shift = luma->plan->layout.plane[luma->plane].shift;
  const guint8 *in = pixel_at(self, 0, y, x);
  guint8 *words = self->scratch + luma->words;
  guint spacing = luma->from[0].spacing;
  if (luma->n_from == 3) {
    const gconstpointer rgb[3] = {in, pixel_at(self, 1, y, x), pixel_at(self, 2, y, x)};
    kernels->luma[luma->type](words, rgb, spacing, n, shift);
    in = words;
    spacing = 1;
  }
  kernels->load[luma->type][luma->lane](lanes, in, spacing, n, shift);
}

static void
set_border(const CcLumaRows *luma, guint8 *lanes, guint n) {
  const CcOutside outside = {-1, (guint16)luma->border};
  const gsize size = cc_lane_size(luma->lane);
  for (guint i = 0; i < n; i++)
    luma->rows->samples->extend[luma->type][luma->lane](lanes + i * size, NULL, &outside, 1, 0);
}

/* Returns row `at` of the ring. Row y of the source lies in row (y + radius) % window of the ring.
 * If row y lies outside the source, the ring has the row that the border rule gives. */
static guint8 *
ring_row(const CcLumaPart *self, guint at) {
  return self->scratch + self->luma->ring + at * self->luma->ring_pitch;
}

/* Pixels x0 to x1 - 1 lie left or right of the source. */
static void
load_beside(const CcLumaPart *self, guint y, gint x0, gint x1, guint8 *lanes) {
  for (gint x = x0; x < x1; x++, lanes += cc_lane_size(self->luma->lane)) {
    const gint column = cc_border_index(x, (gint)self->pixels->width, self->luma->plan->border);
    if (column < 0)
      set_border(self->luma, lanes, 1);
    else
      load_pixels(self, y, (guint)column, 1, lanes);
  }
}

/* Loads row y, and the pixels that the window needs left and right of the part. Row y may lie
 * outside the source. */
static void
load_row(const CcLumaPart *self, gint y) {
  const CcOp *op = self->luma->op;
  const gint radius = (gint)op->width / 2, size = (gint)cc_lane_size(self->luma->lane);
  const gint from = cc_border_index(y, (gint)self->pixels->height, self->luma->plan->border);
  const gint left = self->first - radius, right = self->first + (gint)self->n_pixels + radius;
  const gint inside = MAX(left, 0), beside = MIN(right, (gint)self->pixels->width);
  guint8 *row = ring_row(self, (guint)(y + (gint)op->height / 2) % op->height) - radius * size;
  if (from < 0) {
    set_border(self->luma, row, (guint)(right - left));
    return;
  }
  load_beside(self, (guint)from, left, inside, row);
  load_pixels(self, (guint)from, (guint)inside, (guint)(beside - inside),
              row + (inside - left) * size);
  load_beside(self, (guint)from, beside, right, row + (beside - left) * size);
}

const guint8 *
cc_luma_part_load(CcLumaPart *self, gint y, guint of) {
  const gint radius = (gint)self->luma->op->height / 2;
  for (self->next = MAX(self->next, y - radius); self->next <= y + radius; self->next++)
    load_row(self, self->next);
  return ring_row(self, ((guint)y + of) % self->luma->op->height);
}

void
cc_luma_part_sum(CcLumaPart *self, guint m, gint y, gpointer out) {
  const CcLumaRows *luma = self->luma;
  const CcTapGroups *weights = &luma->weights[m];
  gconstpointer taps[CC_MAX_COEFFS];
  for (guint i = 0; i < weights->n_taps; i++)
    taps[i] = cc_luma_part_load(self, y, weights->offsets[i].row) +
              weights->offsets[i].offset * (gssize)cc_lane_size(luma->lane);
  weights->sum(out, weights->group, weights->n_groups, taps, self->n_pixels);
}

/* --- plan time --- */

/* Chooses the narrowest lanes. Kernels that sum bytes to words exist for some patterns. */
static void
set_weights(CcLumaRows *self, gint64 largest) {
  const CcOp *op = self->op;
  const guint area = op->width * op->height;
  CcTapPosition offsets[CC_MAX_COEFFS];
  for (guint i = 0; i < area; i++)
    offsets[i] = (CcTapPosition){i / op->width, (gint)(i % op->width) - (gint)op->width / 2};
  for (guint m = 0; m < 2; m++)
    cc_tap_groups_init(&self->weights[m], op->tap_i + m * area, offsets, area);
  const CcTapPattern *pattern[2] = {&self->weights[0].pattern, &self->weights[1].pattern};
  const CcSumFunc *of_bytes = self->rows->tap_groups->sum[CC_LANE_8];
  self->sum_lane = largest <= G_MAXINT16   ? CC_LANE_16
                   : largest <= G_MAXINT32 ? CC_LANE_32
                                           : CC_LANE_64;
  const gboolean sums_bytes = self->sum_lane == CC_LANE_16 && self->type == CC_SAMPLE_U8 &&
                              of_bytes[*pattern[0]] && of_bytes[*pattern[1]] &&
                              !cc_is_left_out("sum-patterns");
  self->lane = sums_bytes ? CC_LANE_8 : self->sum_lane;
  for (guint m = 0; m < 2; m++) {
    CcTapGroups *weights = &self->weights[m];
    const CcSumFunc *kernels = self->rows->tap_groups->sum[self->lane];
    if (!kernels[weights->pattern] || cc_is_left_out("sum-patterns"))
      weights->pattern = CC_PATTERN_ANY;
    weights->sum = kernels[weights->pattern];
  }
}

gsize
cc_luma_rows_init(CcLumaRows *self, gint64 largest, guint n_pixels) {
  self->type = self->plan->layout.plane[self->plane].type;
  set_weights(self, MAX(largest, cc_op_largest_sum(self->op)));
  const gsize size = cc_lane_size(self->lane);
  const guint n_loaded = n_pixels + self->op->width - 1;
  const gsize lead = cc_row_align(self->op->width / 2 * size);
  self->words = 0;
  const gsize at = cc_row_align(n_loaded * cc_sample_size(self->type));
  self->ring_pitch = cc_row_align(lead + n_loaded * size + CC_ROW_SLACK);
  self->ring = at + lead;
  return at + self->op->height * self->ring_pitch;
}

void
cc_luma_rows_clear(CcLumaRows *self) {
  for (guint m = 0; m < 2; m++)
    cc_tap_groups_clear(&self->weights[m]);
}

void
cc_luma_rows_explain(const CcLumaRows *self, GString *line) {
  g_string_append_printf(
      line, "tap groups %s, %s; %u-bit sums", cc_tap_pattern_name(self->weights[0].pattern),
      cc_tap_pattern_name(self->weights[1].pattern), 8 * (guint)cc_lane_size(self->sum_lane));
}
