/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ladder is to be read from top to bottom; cc_choice_init at the end walks it.
 *
 *   1 variant  plain, C, AVX2 or AVX-512: the fastest that the machine runs and the user allows
 *              (isa.c), the same for all plans
 *   2 loop     what becomes of the components of a pixel
 *   3 sums     the narrowest lane that holds the sums, and with it the last step
 *   4 order    column times row, or all taps at once
 *   5 shape    kernels that know the taps' pattern, where there are some
 *   6 samples  bytes as they are, or widened to the lane of the sums
 *   7 at once  sum and last step in one kernel, also of two matrices that are a gradient
 *   8 running  sums that change from row to row, of windows whose taps are all the same
 *   9 products several neighbours at a time, where no kernel knows the taps' pattern
 *
 * Products are summed in 32 bits whatever rung 3 says, in three parts where one does not hold them,
 * and so are running sums in one, but for those of bytes that it puts into 16 bits; the last step
 * follows.
 *
 * Whatever a rung says, the bytes are those of plain.c. */

#include "dispatch.h"
#include "requantize.h"
#include "cpu/methods/gradient.h"
#include "cpu/stages/macropixel.h"
#include "engine/ablation.h"

#include <math.h>

/* Notes why a method does not run; gives FALSE. */
static gboolean
decline(CcChoice *choice, const gchar *method, const gchar *reason) {
  CcDeclined *declined = &choice->declined;
  g_assert(declined->n < CC_MAX_DECLINED);
  declined->entry[declined->n].method = method;
  declined->entry[declined->n++].reason = reason;
  return FALSE;
}

/* --- 2: the loop --- */

static void
choose_loop(CcChoice *choice, const CcPass *pass, guint all_components) {
  if (pass->filter_mask)
    choice->loop = CC_LOOP_FILTER;
  else if (pass->copy_mask == all_components)
    choice->loop = CC_LOOP_COPY;
  else if (pass->fill_mask == all_components)
    choice->loop = CC_LOOP_FILL;
  else
    choice->loop = CC_LOOP_MERGE;
  choice->merges = choice->loop == CC_LOOP_MERGE ||
                   (choice->loop == CC_LOOP_FILTER && pass->filter_mask != all_components);
}

/* --- 3: the lane of the sums and the last step --- */

/* The last step as the plan has it, from sums in `lane`. */
static void
take_plans_step(CcChoice *choice, const CcOp *op, CcLane lane) {
  const gboolean in_float = op->arith == CC_ARITH_F32;
  choice->sum_lane = lane;
  choice->left = 0;
  choice->reduces = TRUE;
  choice->number = (CcNumber)lane;
  choice->form = in_float ? CC_FINISH_F32 : CC_FINISH_F64;
  switch (op->response) {
  case CC_RESPONSE_CLAMP:
  case CC_RESPONSE_OFFSET:
    choice->reduces = op->n_matrices > 1;
    choice->reduce = CC_REDUCE_MAX;
    break;
  case CC_RESPONSE_ABSOLUTE:
    choice->reduce = CC_REDUCE_MAX_ABS;
    break;
  case CC_RESPONSE_MAGNITUDE_L1:
    choice->reduce = CC_REDUCE_SUM_ABS;
    break;
  case CC_RESPONSE_MAGNITUDE:
    choice->reduce = in_float ? CC_REDUCE_NORM : CC_REDUCE_NORM_DOUBLE;
    choice->number = in_float ? CC_NUMBER_FLOAT : CC_NUMBER_DOUBLE;
    break;
  case CC_RESPONSE_DIRECTION:
    choice->reduce = CC_REDUCE_TURNS;
    choice->number = CC_NUMBER_FLOAT;
    choice->form = CC_FINISH_TURNS;
    break;
  case CC_RESPONSE_AUTO: /* no op has it */
    break;
  }
}

/* The last step from t in 16 bits: all in 16 bits, or the plan's in float. */
static gboolean
find_step_from_16(CcChoice *choice, const CcOp *op, gboolean t_fits) {
  if (!cc_is_left_out("output-16") &&
      cc_find_form_16(op, choice->reduces, &choice->to_sample, &choice->left)) {
    choice->form = CC_FINISH_16;
    return TRUE;
  }
  return choice->form == CC_FINISH_F32 && t_fits;
}

/* Whether 16 bits do. Sums wrap around, so that all that comes next has to be told from what they
 * are modulo 2^16. */
static gboolean
take_16_bits(CcChoice *choice, const CcOp *op) {
  const gboolean sums_fit = cc_op_largest_sum(op) <= G_MAXINT16;
  if (cc_is_left_out("sums-16"))
    return decline(choice, "16-bit sums", "left out");
  take_plans_step(choice, op, CC_LANE_16);
  if (choice->reduces && !sums_fit)
    return decline(choice, "16-bit sums", "they pass 16 bits");
  if (op->response == CC_RESPONSE_DIRECTION)
    return TRUE;
  if (op->response == CC_RESPONSE_MAGNITUDE)
    return choice->reduce == CC_REDUCE_NORM || /* the other has no kernel for 16 bits */
           decline(choice, "16-bit sums", "the root is in double");
  const CcRange t = cc_op_range(op);
  if (t.most - t.least > G_MAXUINT16)
    return decline(choice, "16-bit sums", "they pass 16 bits");
  return find_step_from_16(choice, op, sums_fit && t.most <= G_MAXINT16) ||
         decline(choice, "16-bit sums", "no output stage in 16 bits or float is exact");
}

/* Whether all sums fit 32 bits, and t where it is made in the lane of the sums. */
static gboolean
fits_32_bits(const CcOp *op) {
  return cc_op_largest_sum(op) <= G_MAXINT32 &&
         (op->response != CC_RESPONSE_MAGNITUDE_L1 || cc_op_range(op).most <= G_MAXINT32);
}

/* Whether there is a form for sums of 32 bits, which lack their `dropped` lowest bits; takes it. */
static gboolean
find_step_from_32(CcChoice *choice, const CcOp *op, guint dropped) {
  if (!cc_is_left_out("output-shift") && cc_find_form_bits(op, dropped, &choice->to_sample)) {
    choice->form = CC_FINISH_BITS;
    return TRUE;
  }
  if (cc_is_left_out("output-float") || !cc_find_form_shifted(op, dropped, &choice->to_sample))
    return FALSE;
  choice->to_sample.shifted.right -= dropped;
  choice->form = CC_FINISH_SHIFTED;
  return TRUE;
}

static void
take_32_bits(CcChoice *choice, const CcOp *op) {
  take_plans_step(choice, op, CC_LANE_32);
  if (choice->number == CC_NUMBER_32)
    find_step_from_32(choice, op, 0);
}

static gboolean
take_32_bits_without(CcChoice *choice, const CcOp *op, guint dropped) {
  take_plans_step(choice, op, CC_LANE_32);
  return !choice->reduces && find_step_from_32(choice, op, dropped);
}

/* Whether there is a form for sums in three parts; takes it. */
static gboolean
take_three_parts(CcChoice *choice, const CcOp *op) {
  take_plans_step(choice, op, CC_LANE_32);
  choice->form = CC_FINISH_PARTS;
  return !choice->reduces && cc_find_form_parts(op, &choice->to_sample);
}

#define LARGEST_IN_DOUBLE (G_GINT64_CONSTANT(1) << 53)

/* A vector holds twice as many samples in half the bits, so the narrowest lane is the best. An op
 * whose arithmetic is float has sums that fit 32 bits. Doubles have instructions for products where
 * integers of 64 bits lack them. */
static void
choose_sums(CcChoice *choice, const CcOp *op) {
  if (take_16_bits(choice, op))
    return;
  else if (fits_32_bits(op))
    take_32_bits(choice, op);
  else
    take_plans_step(choice, op,
                    cc_op_largest_sum(op) <= LARGEST_IN_DOUBLE && !cc_is_left_out("sums-double")
                        ? CC_LANE_DOUBLE
                        : CC_LANE_64);
}

/* --- 4: the order of the sums --- */

static guint
count_nonzero(const gint32 *c, guint n) {
  guint count = 0;
  for (guint i = 0; i < n; i++)
    count += c[i] != 0;
  return count;
}

/* Whether column times row is less work than all taps at once: it is for 3x3 blurs, and not for 3x3
 * derivatives. */
static gboolean
runs_separable(const CcOp *op) {
  if (!op->separable || !op->has_taps)
    return op->separable;
  const guint direct = count_nonzero(op->tap_i, op->n_matrices * op->width * op->height);
  guint separate = 0;
  for (guint m = 0; m < op->n_matrices; m++)
    separate += count_nonzero(op->row_i[m], op->width) +
                count_nonzero(op->column_i[m], op->height) +
                2; /* for storing and reading a row of the ring */
  return separate < direct;
}

/* --- 5: the shapes of the sums --- */

/* Groups the taps by their coefficients, which tells the shapes. */
static void
set_weights(CcChoice *choice, const CcOp *op, guint step) {
  CcTapPlace places[CC_MAX_COEFFS];
  const gint center = (gint)op->width / 2, pixel = (gint)step;
  const guint area = op->width * op->height;
  for (guint m = 0; m < op->n_matrices; m++) {
    CcWeights *along = &choice->along[m], *over = &choice->over[m];
    if (choice->separable) {
      for (guint i = 0; i < op->width; i++)
        places[i] = (CcTapPlace){0, ((gint)i - center) * pixel};
      cc_weights_init(along, op->row_i[m], places, op->width);
      for (guint i = 0; i < op->height; i++)
        places[i] = (CcTapPlace){i, 0};
      cc_weights_init(over, op->column_i[m], places, op->height);
    } else {
      for (guint i = 0; i < area; i++)
        places[i] = (CcTapPlace){i / op->width, ((gint)(i % op->width) - center) * pixel};
      cc_weights_init(over, op->tap_i + m * area, places, area);
    }
    for (guint t = 0; t < over->n_terms; t++)
      over->terms[t].factor *= 1 << choice->left;
  }
}

/* A shape that has no kernel for rows of the lane is summed like any. */
static void
choose_kernels(CcWeights *weights, guint n_matrices, const CcSumFunc kernels[CC_N_SHAPES]) {
  for (guint m = 0; m < n_matrices; m++) {
    if (!kernels[weights[m].shape])
      weights[m].shape = CC_SHAPE_ANY;
    weights[m].sum = kernels[weights[m].shape];
  }
}

/* --- 6: the lane of the samples --- */

/* Samples of a byte stay bytes where all sums over them have a kernel that takes those. */
static CcLane
choose_sample_lane(const CcChoice *choice, guint n_matrices, CcSampleType type) {
  if (type != CC_SAMPLE_U8 || choice->sum_lane != CC_LANE_16)
    return choice->sum_lane;
  const CcWeights *over_samples = choice->separable ? choice->along : choice->over;
  for (guint m = 0; m < n_matrices; m++)
    if (over_samples[m].shape == CC_SHAPE_ANY)
      return choice->sum_lane;
  return CC_LANE_8;
}

/* --- 7: sum and last step at once --- */

/* One sum is only reduced to its absolute value. Column times row then goes by way of split sums.
 */
static void
choose_apply_sum(CcChoice *choice, const CcRows *rows) {
  const gchar *path = choice->separable ? "fused-separable" : "fused-conv2d";
  if (cc_is_left_out(path) || cc_is_left_out(cc_shape_name(choice->over[0].shape))) {
    decline(choice, "fused", "left out");
    return;
  }
  choice->apply = rows->apply[choice->ring_lane][choice->over[0].shape][choice->reduces];
  if (!choice->apply)
    decline(choice, "fused", "no kernel has the pattern of the taps");
  if (choice->apply && choice->separable)
    choose_kernels(choice->along, 1, rows->sum_split);
}

static void
choose_apply_gradient(CcChoice *choice, const CcOp *op, guint step, const CcRows *rows) {
  const CcGradient gradient = cc_gradient_find(op, choice->over);
  if (gradient == CC_N_GRADIENTS || cc_is_left_out("fused-gradient")) {
    decline(choice, "fused",
            gradient == CC_N_GRADIENTS ? "the two matrices are no gradient that has a kernel"
                                       : "left out");
    return;
  }
  choice->apply = rows->apply_gradient[gradient][choice->reduce];
  if (!choice->apply)
    decline(choice, "fused", "no such kernel has the response and the output stage");
  else
    cc_gradient_join(gradient, op, choice->over, step, choice->left);
}

/* The kernels take bytes. The last step is the 16-bit form or, of two matrices, that of the norm.
 */
static void
choose_apply(CcChoice *choice, const CcOp *op, const CcPlaneLayout *plane, const CcRows *rows) {
  if (choice->sample_lane != CC_LANE_8) {
    if (choice->sum_lane == CC_LANE_16)
      decline(choice, "fused",
              plane->type == CC_SAMPLE_U16 ? "samples have two bytes"
                                           : "no kernel has the pattern of the taps");
    return;
  }
  const gboolean in_16 = choice->form == CC_FINISH_16;
  if (op->n_matrices == 1 && in_16)
    choose_apply_sum(choice, rows);
  else if (op->n_matrices == 2 && !choice->separable && (in_16 || choice->reduce == CC_REDUCE_NORM))
    choose_apply_gradient(choice, op, plane->step, rows);
  else
    decline(choice, "fused", "no such kernel has the response and the output stage");
}

/* Split sums keep samples with even and odd numbers apart, and of pairs those are luma and chroma,
 * whose neighbours lie at different distances. So each get their own places. */
static void
choose_pairs(CcChoice *choice, const CcPlaneLayout *plane, const CcRows *rows) {
  CcWeights *along = &choice->along[0];
  if (!plane->pairs || !choice->apply || !choice->separable || !rows->sum_pairs[along->shape] ||
      cc_is_left_out("macropixel"))
    return;
  const guint n = along->n_taps;
  along->sum = rows->sum_pairs[along->shape];
  along->places = g_renew(CcTapPlace, along->places, 2 * n);
  for (guint i = 0; i < n; i++) {
    const gint pixels = along->places[i].offset / (gint)plane->step;
    along->places[i].offset = pixels * (gint)cc_pairs_step(plane, 0);
    along->places[n + i] = (CcTapPlace){0, pixels * (gint)cc_pairs_step(plane, 1)};
  }
  along->n_taps = 2 * n;
  choice->pairs = TRUE;
}

/* --- 8: running sums --- */

#define LEAST_MEAN 25 /* pixels of a window; smaller ones are faster fused, if not by columns */

/* Whether samples can be made of sums at once: of bytes in 16 bits, and of words around the middle
 * of the sums. */
static gboolean
take_columns_step(CcChoice *choice, const CcOp *op, CcSampleType type) {
  if (choice->reduces)
    return FALSE;
  if (type == CC_SAMPLE_U8)
    return choice->form == CC_FINISH_16 && !cc_is_left_out("box-columns-8");
  if (choice->means->factor != 1 || cc_is_left_out("box-columns-16") ||
      !cc_find_form_centred(op, &choice->to_sample))
    return FALSE;
  choice->form = CC_FINISH_CENTRED;
  return TRUE;
}

/* By columns where there are kernels, which is with AVX2 and wider, for windows of up to 15. */
static void
choose_columns(CcChoice *choice, const CcOp *op, const CcPlaneLayout *plane, const CcRows *rows) {
  const guint radius = op->width / 2;
  if (radius > CC_MOST_MEANS_RADIUS)
    return;
  const CcMeansFunc run = rows->means[plane->type][plane->step - 1][radius - 1];
  if (run && take_columns_step(choice, op, plane->type))
    choice->means->by_columns = run;
}

/* They are the way for means, but for small ones of bytes that are summed and finished at once, and
 * for pairs that are filtered as they lie. */
static gboolean
choose_means(CcChoice *choice, const CcOp *op, const CcPlaneLayout *plane, const CcRows *rows) {
  if (choice->pairs || op->response == CC_RESPONSE_DIRECTION || cc_is_left_out("box"))
    return FALSE;
  const gboolean in_16 = choice->sum_lane == CC_LANE_16 && plane->type == CC_SAMPLE_U8;
  choice->means = cc_means_new(op, in_16 ? choice->left : 0);
  if (!choice->means)
    return decline(choice, "box", "the taps differ");
  if (!fits_32_bits(op)) {
    g_clear_pointer(&choice->means, g_free);
    return decline(choice, "box", "sums pass 32 bits");
  }
  CcChoice found = *choice;
  if (!in_16)
    take_32_bits(&found, op);
  choose_columns(&found, op, plane, rows);
  if (choice->apply && op->width * op->height < LEAST_MEAN && !choice->means->by_columns) {
    g_clear_pointer(&choice->means, g_free);
    return decline(choice, "box", "a small one is fused");
  }
  *choice = found;
  choice->sample_lane = !choice->means->by_columns    ? choice->sum_lane
                        : plane->type == CC_SAMPLE_U8 ? CC_LANE_8
                                                      : CC_LANE_16;
  choice->ring_lane = choice->means->by_columns ? choice->sample_lane : choice->sum_lane;
  choice->separable = FALSE;
  choice->over[0].shape = CC_SHAPE_ANY;
  choice->over[0].sum = rows->sum[choice->sum_lane][CC_SHAPE_ANY];
  choice->apply = NULL;
  return TRUE;
}

/* --- 9: products of several neighbours --- */

#define COST_OF_LINES 4 /* products that take as long as cutting sums along lines into words */

/* Whether sums along lines and over them are less work than sums over whole windows, by the
 * instructions that multiply. */
static gboolean
prefers_lines(const CcLines *lines, const CcWindow *window, guint width) {
  if (!window)
    return TRUE;
  return lines->along[0].n_bundles + COST_OF_LINES + lines->n_bundles * lines->n_parts <
         window->n_bundles * width;
}

#define COST_OF_TERM 2 /* of the multiplication, in additions of a tap */

/* Whether tap groups cost less than half of conv2d. conv2d multiplies by zeros too. Both costs are
 * in instructions on lanes of 16 bits. */
static gboolean
is_sparse(const CcChoice *choice, const CcOp *op, const CcWindow *window) {
  static const guint lane_costs[CC_N_LANES] = {
      [CC_LANE_16] = 1, [CC_LANE_32] = 2, [CC_LANE_64] = 8, [CC_LANE_DOUBLE] = 8};
  guint n_additions = 0;
  for (guint m = 0; m < op->n_matrices; m++)
    n_additions += choice->over[m].n_taps + COST_OF_TERM * choice->over[m].n_terms;
  const guint cost = lane_costs[choice->sum_lane] * n_additions;
  return !choice->separable &&
         2 * cost < lane_costs[CC_LANE_32] * op->n_matrices * window->n_bundles * op->width;
}

static gboolean
take_lines_step(CcChoice *choice, const CcOp *op, const CcLines *lines) {
  if (lines->n_parts == CC_MOST_PARTS)
    return take_three_parts(choice, op);
  if (lines->dropped)
    return take_32_bits_without(choice, op, lines->dropped);
  take_32_bits(choice, op);
  return fits_32_bits(op);
}

/* The lines of an op, if they have a last step, which is taken. NULL: they have none. */
static CcLines *
find_lines(CcChoice *choice, const CcOp *op, const CcPlaneLayout *plane, gboolean wide,
           const CcWindow *window, const CcRows *rows) {
  const gchar *method = wide ? "separable in three words" : "separable in one or two words";
  const gchar *reason = NULL;
  CcLines *lines = cc_lines_new(op, plane->type, plane->depth, plane->step, wide, rows, &reason);
  if (!lines)
    decline(choice, method, reason);
  else if (!prefers_lines(lines, window, op->width))
    decline(choice, method, "conv2d multiplies less");
  else if (!take_lines_step(choice, op, lines))
    decline(choice, method, "no output stage of such sums is exact");
  else
    return lines;
  cc_lines_free(lines);
  return NULL;
}

/* They are the way where no kernel of bytes knows the shape of the sums. Wide sums of bytes are
 * slower than those of terms where no instruction multiplies bytes. */
static void
choose_products(CcChoice *choice, const CcOp *op, const CcPlaneLayout *plane, const CcRows *rows) {
  if (choice->sample_lane == CC_LANE_8 || op->response == CC_RESPONSE_DIRECTION)
    return;
  const gchar *reason = NULL;
  CcWindow *window = cc_window_new(op, plane->type, plane->depth, rows, &reason);
  CcChoice found = *choice;
  CcLines *lines = find_lines(&found, op, plane, FALSE, window, rows);
  if (!lines && choice->sum_lane == CC_LANE_DOUBLE &&
      (plane->type == CC_SAMPLE_U16 || rows->along[CC_BUNDLE_BYTES][0]))
    lines = find_lines(&found, op, plane, TRUE, window, rows);
  const gboolean sparse = !lines && window && is_sparse(choice, op, window);
  const gboolean takes_window = !lines && window && !sparse && fits_32_bits(op);
  if (!lines && !takes_window)
    decline(&found, "conv2d",
            sparse   ? "most taps are 0"
            : window ? "results pass 32 bits"
                     : reason);
  if (takes_window)
    take_32_bits(&found, op);
  else
    g_clear_pointer(&window, cc_window_free);
  if (!lines && !window) {
    choice->declined = found.declined;
    return;
  }
  *choice = found;
  choice->lines = lines;
  choice->window = window;
  choice->sample_lane = plane->type == CC_SAMPLE_U8 ? CC_LANE_8 : CC_LANE_16;
  choice->ring_lane = CC_LANE_32;
  choice->separable = lines != NULL;
}

/* --- the ladder --- */

static void
choose_filter(CcChoice *choice, const CcOp *op, const CcPlaneLayout *plane, const CcRows *rows) {
  gint exponent;
  choice->to_sample = (CcFinish){
      .lo = op->lo,
      .hi = op->hi,
      .shift = plane->shift,
      .mul_f = op->mul_f,
      .add_f = op->add_f,
      .mul = op->mul,
      .add = op->add,
      .exact_product = frexp(op->mul, &exponent) == 0.5,
  };
  choose_sums(choice, op);
  choice->separable = runs_separable(op);
  set_weights(choice, op, plane->step);
  choice->sample_lane = choose_sample_lane(choice, op->n_matrices, plane->type);
  choice->ring_lane = choice->separable ? choice->sum_lane : choice->sample_lane;
  if (choice->separable)
    choose_kernels(choice->along, op->n_matrices, rows->sum[choice->sample_lane]);
  choose_kernels(choice->over, op->n_matrices, rows->sum[choice->ring_lane]);

  choose_apply(choice, op, plane, rows);
  if (!choice->apply && cc_is_left_out("sum-patterns")) {
    choice->sample_lane = choice->sum_lane;
    choice->ring_lane = choice->sum_lane;
    for (guint m = 0; m < op->n_matrices; m++) {
      choice->along[m].shape = choice->over[m].shape = CC_SHAPE_ANY;
      choice->along[m].sum = choice->over[m].sum = rows->sum[choice->sum_lane][CC_SHAPE_ANY];
    }
  }
  choose_pairs(choice, plane, rows);
  if (!choose_means(choice, op, plane, rows))
    choose_products(choice, op, plane, rows);
}

void
cc_choice_init(CcChoice *choice, const CcPlan *plan, const CcPass *pass, const CcRows *rows) {
  const CcPlaneLayout *plane = &plan->layout.plane[pass->plane];
  *choice = (CcChoice){.loop = CC_LOOP_PLAIN};
  if (!rows)
    return;
  choose_loop(choice, pass, (1u << plane->step) - 1);
  if (choice->loop == CC_LOOP_FILTER)
    choose_filter(choice, pass->op, plane, rows);
}

void
cc_choice_clear(CcChoice *choice) {
  for (guint m = 0; m < CC_MAX_MATRICES; m++) {
    cc_weights_clear(&choice->along[m]);
    cc_weights_clear(&choice->over[m]);
  }
  cc_lines_free(choice->lines);
  cc_window_free(choice->window);
  g_free(choice->means);
}

CcSumStep
cc_choice_sum_step(const CcChoice *choice) {
  static const CcSumStep steps[CC_N_FINISHES] = {
      [CC_FINISH_16] = CC_STEP_16,
      [CC_FINISH_BITS] = CC_STEP_BITS,
      [CC_FINISH_SHIFTED] = CC_STEP_SHIFTED,
      [CC_FINISH_PARTS] = CC_STEP_PARTS,
  };
  return choice->reduces ? CC_STEP_SUMS : steps[choice->form];
}
