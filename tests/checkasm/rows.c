/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compares row kernels with those of the plain C table. Compares reductions, the output stage,
 * luma, direction color, weighted alpha and Canny's edges also with their definitions in
 * engine/plan/. Names of checks are entries of CcRows. */

#include "checkasm.h"
#include "cpu/sweep.h"

#include "cpu/methods/tap_pattern.h"
#include "engine/plan/canny_shared.h"
#include "engine/plan/direction_color_shared.h"
#include "engine/plan/output_stage_shared.h"
#include "engine/plan/weighted_shared.h"

#include <string.h>

#define MAX_TAPS 12
#define MAX_GROUPS 6

static const gsize number_sizes[CC_N_NUMBERS] = {2, 4, 8, 4, 8};
static const CcAhead nothing;

/* --- samples of frames --- */

static guint
word_at(gconstpointer row, CcSampleType type, gsize i) {
  const guint8 *at = (const guint8 *)row + i * cc_sample_size(type);
  return type ? at[0] | at[1] << 8 : at[0];
}

/* Compares the kernel of the variant with the definition. */
static void
check_luma(CcSampleType type, const gconstpointer rgb[3], guint spacing, guint n, guint shift) {
  guint16 luma[1000];
  check.variant->rows->samples->luma[type](luma, rgb, spacing, n, shift);
  for (guint i = 0; i < n; i++) {
    guint code[3];
    for (guint c = 0; c < 3; c++)
      code[c] = word_at(rgb[c], type, i * spacing) >> shift;
    const guint expected = cc_luma_of(code[0], code[1], code[2]) << shift;
    if (word_at(luma, type, i) != expected)
      check_fail("luma %u is %u, not %u", i, word_at(luma, type, i), expected);
  }
}

static void
check_samples(CcSampleType type) {
  const CcRows *all = check.variant->rows;
  const gsize size = cc_sample_size(type);
  for (CcLane lane = 0; lane < CC_N_LANES; lane++) {
    const gsize to = cc_lane_size(lane);
    if (!all->samples->load[type][lane])
      continue;
    EACH("load[%u][%u]", type, lane) {
      const guint n = check.n, spacing = check_uint(1, 4), shift = 2 * check_uint(0, 3);
      CHECK(rows->samples->load[type][lane](
          OUT(0, n * to, to), SRC(0, ((n - 1) * spacing + 1) * size, 1), spacing, n, shift));
    }
    EACH("extend[%u][%u]", type, lane) {
      static CcOutside outside[1000];
      const guint n = check.n, shift = 2 * check_uint(0, 3);
      for (guint i = 0; i < n; i++)
        outside[i] = (CcOutside){(gint32)check_uint(0, 50) - 1,
                                 (guint16)check_uint(0, type ? G_MAXUINT16 : G_MAXUINT8)};
      CHECK(rows->samples->extend[type][lane](OUT(0, n * to, to), SRC(0, 50 * size, 1), outside, n,
                                              shift));
    }
  }
  EACH("join[%u]", type) {
    const guint n_parts = check_uint(1, 4), repeats = check_uint(1, 4);
    gconstpointer parts[4];
    for (guint i = 0; i < n_parts; i++)
      parts[i] = SRC(i % repeats, check.n * size, size);
    CHECK(rows->samples->join[type](OUT(0, n_parts * check.n * size, 1), parts, n_parts, check.n));
  }
  EACH("luma[%u]", type) {
    const guint spacing = check_uint(1, 4), shift = type ? 2 * check_uint(0, 3) : 0, n = check.n;
    const guint behind = spacing > 2 ? 2 : 0; /* neighbours in one row */
    const gsize bytes = ((n - 1) * spacing + 1 + behind) * size;
    gconstpointer rgb[3];
    const guint first = check_uint(0, 2), step = check_uint(1, 2); /* any order */
    for (guint i = 0; i < 3; i++)
      rgb[i] =
          behind ? (guint8 *)SRC(0, bytes, 1) + (first + i * step) % 3 * size : SRC(i, bytes, 1);
    CHECK(rows->samples->luma[type](OUT(0, n * size, size), rgb, spacing, n, shift));
    check_luma(type, rgb, spacing, n, shift);
  }
}

static void
check_merges(void) {
  EACH("merge") {
    CcMasks masks = {.keeps = check_uint(0, 1)};
    guint8 *const actions[] = {masks.filter, masks.copy, masks.fill, masks.keep};
    for (guint i = 0; i < CC_MASK_PERIOD; i++)
      actions[check_uint(0, masks.keeps ? 3 : 2)][i] = G_MAXUINT8;
    for (guint i = 0; i < CC_MASK_PERIOD; i++)
      masks.fill[i] &= (guint8)check_uint(0, G_MAXUINT8);
    CHECK(rows->samples->merge(OUT(0, check.n, 1), SRC(0, check.n, 1), SRC(1, check.n, 1), &masks,
                               check.n));
  }
  for (guint pixel = 1; pixel <= CC_MAX_PIXEL_BYTES; pixel++)
    for (guint fourth = 0; fourth < 2 && check.variant->rows->samples->thin[0][pixel]; fourth++)
      EACH("thin[%u][%u]", fourth, pixel) {
        const guint n = (check.n + 1) / 2, stride = fourth ? 4 : 2;
        CHECK(rows->samples->thin[fourth][pixel](OUT(0, n * pixel, 1),
                                                 SRC(0, ((n - 1) * stride + 1) * pixel, 1), n));
      }
}

/* --- reductions --- */

static gdouble
number_at(gconstpointer row, CcNumber type, guint i) {
  return type == CC_NUMBER_16      ? ((const gint16 *)row)[i]
         : type == CC_NUMBER_32    ? ((const gint32 *)row)[i]
         : type == CC_NUMBER_64    ? (gdouble)((const gint64 *)row)[i]
         : type == CC_NUMBER_FLOAT ? (gdouble)((const gfloat *)row)[i]
                                   : ((const gdouble *)row)[i];
}

static void
set_number(gpointer row, CcNumber type, guint i, gdouble v) {
  if (type == CC_NUMBER_16)
    ((gint16 *)row)[i] = (gint16)CLAMP(v, G_MININT16, G_MAXINT16);
  else if (type == CC_NUMBER_32)
    ((gint32 *)row)[i] = (gint32)CLAMP(v, G_MININT32, G_MAXINT32);
  else if (type == CC_NUMBER_64)
    ((gint64 *)row)[i] = (gint64)v;
  else if (type == CC_NUMBER_FLOAT)
    ((gfloat *)row)[i] = (gfloat)v;
  else
    ((gdouble *)row)[i] = v;
}

/* Draws row number k of integers of up to n_bits bits. */
static gpointer
draw_numbers(guint k, CcNumber type, guint n_bits) {
  const gint max = (1 << n_bits) - 1;
  gpointer row = LANES(k, check.n * number_sizes[type], CC_ROW_ALIGN);
  for (guint i = 0; i < check.n + CC_ROW_SLACK / number_sizes[type]; i++)
    set_number(row, type, i, check_uint(0, 5) ? g_rand_int_range(check.rand, -max, max) : 0);
  return row;
}

/* The response of a reduction, and the type of t if it is not the lane of the sums. */
static const struct {
  CcResponse response;
  gboolean in_float, in_double;
} reductions[CC_N_REDUCES] = {
    [CC_REDUCE_MAX] = {CC_RESPONSE_CLAMP, FALSE, FALSE},
    [CC_REDUCE_MAX_ABS] = {CC_RESPONSE_ABSOLUTE, FALSE, FALSE},
    [CC_REDUCE_SUM_ABS] = {CC_RESPONSE_MAGNITUDE_L1, FALSE, FALSE},
    [CC_REDUCE_NORM] = {CC_RESPONSE_MAGNITUDE, TRUE, FALSE},
    [CC_REDUCE_NORM_DOUBLE] = {CC_RESPONSE_MAGNITUDE, FALSE, TRUE},
    [CC_REDUCE_TURNS] = {CC_RESPONSE_DIRECTION, TRUE, FALSE},
};

/* With sums of 11 bits, t is exact in float and in integers, except for the last bits of roots. */
static void
check_reduction(CcReduce reduce, CcLane lane) {
  const CcResponse response = reductions[reduce].response;
  const CcNumber sum_type = (CcNumber)lane;
  const CcNumber type = reductions[reduce].in_float    ? CC_NUMBER_FLOAT
                        : reductions[reduce].in_double ? CC_NUMBER_DOUBLE
                                                       : sum_type;
  EACH("reduce[%u][%u]", reduce, lane) {
    const guint n_sums = response == CC_RESPONSE_DIRECTION ? 2 : check_uint(1, 4);
    gconstpointer sums[4];
    for (guint m = 0; m < n_sums; m++)
      sums[m] = draw_numbers(m, sum_type, 11);
    CHECK(rows->output->reduce[reduce][lane](OUT_LANES(0, check.n * number_sizes[type]), sums,
                                             n_sums, check.n));
    for (guint i = 0; i < check.n; i++) {
      CcSumsF32 f32 = {0};
      CcSumsI64 i64 = {0};
      for (guint m = 0; m < n_sums; m++) {
        cc_sums_add_f32(&f32, response, (gint)m, (gfloat)number_at(sums[m], sum_type, i));
        cc_sums_add_i64(&i64, response, (gint)m, (gint64)number_at(sums[m], sum_type, i));
      }
      const gdouble t = reductions[reduce].in_double || lane == CC_LANE_64
                            ? cc_sums_t_i64(&i64, response)
                            : cc_sums_t_f32(&f32, response);
      if (number_at(OUT_LANES(0, 0), type, i) != t)
        check_fail("t %u is not %.17g", i, t);
    }
  }
}

static void
check_direction_color(CcLane lane) {
  EACH("direction_color[%u]", lane) {
    const CcNumber type = (CcNumber)lane;
    const gfloat add = (gfloat)g_rand_double_range(check.rand, -300, 300);
    const gpointer x = draw_numbers(0, type, check_uint(1, 26));
    const gpointer y = draw_numbers(1, type, check_uint(1, 26));
    CHECK(rows->output->direction_color[lane](OUT(0, check.n, 1), x, y, check.n, add));
    for (guint i = 0; i < check.n; i++)
      if (((guint8 *)OUT(0, 0, 1))[i] !=
          cc_hue_index((gfloat)number_at(x, type, i), (gfloat)number_at(y, type, i), add))
        check_fail("index %u differs from the definition", i);
  }
}

/* --- the output stage --- */

/* Draws the constants of all requantization variants. Results are code values of the sample
 * type. */
static CcFinish
draw_finish(CcSampleType type) {
  static const CcFinish finishes[] = {
      {.lo = 0, .hi = 255, .mul = 1, .add = 0.5, .exact_product = TRUE},
      {.lo = 16, .hi = 235, .mul = 0.0625, .add = 16.5, .exact_product = TRUE},
      {.lo = 0, .hi = 255, .mul = 1.0 / 9, .add = 0.5 + 0.25 / 9},
      {.lo = 0, .hi = 1023, .shift = 6, .mul = 3.0 / 7, .add = -20.3},
      {.lo = 0, .hi = 65535, .mul = 1.0 / 159, .add = 32768.5},
  };
  CcFinish f = finishes[type ? check_uint(3, 4) : check_uint(0, 2)];
  const guint right = check_uint(0, 4), max = type ? G_MAXUINT16 : G_MAXUINT8;
  f.mul_f = (gfloat)f.mul;
  f.add_f = (gfloat)f.add;
  f.bits = (CcFinishBits){check_uint(0, 20), (gint32)check_uint(0, 1 << 20)};
  f.shifted = (CcFinishShifted){8, (gfloat)(f.mul * 256), (gfloat)(f.add + f.mul * 128)};
  f.parts = (CcRequantizeParts){0x1p-26 / check_uint(1, 1 << 20), check_uint(0, 255)};
  f.in_16 = (CcFinish16){.offset = (guint16)check_uint(0, G_MAXUINT16), .right = right};
  f.in_16.factor = (guint16)check_uint(0, MIN(max << right, G_MAXUINT16));
  f.in_16.max = G_MAXUINT16;
  if (check_uint(0, 1)) { /* with limits */
    f.in_16.factor = (guint16)check_uint(0, G_MAXUINT16);
    f.in_16.min = (guint16)check_uint(0, 50);
    f.in_16.max = (guint16)check_uint(f.in_16.min, 155);
    f.in_16.base = (guint16)check_uint(0, 100);
  }
  return f;
}

/* Returns the limit between two code values, a t near one, any t, or one that saturates. */
static gdouble
draw_t(const CcFinish *f) {
  const gdouble level = g_rand_int_range(check.rand, f->lo - 2, f->hi + 3);
  const gdouble step = (level - f->add) / f->mul;
  switch (check_uint(0, 3)) {
  case 0:
    return step;
  case 1:
    return step + g_rand_int_range(check.rand, -2, 3);
  case 2:
    return g_rand_int_range(check.rand, -40000, 40000);
  default:
    return g_rand_double_range(check.rand, -1e9, 1e9);
  }
}

static gint
expected_code(CcRequantizationVariant requantization, const CcFinish *f, gdouble t) {
  const gfloat shifted = (gfloat)((gint)t >> f->shifted.right) * f->shifted.mul;
  const guint q =
      (guint16)((gint)t + f->in_16.offset) * (guint)f->in_16.factor >> 16 >> f->in_16.right;
  switch (requantization) {
  case CC_REQUANTIZE_16:
    return (guint16)(CLAMP(q, f->in_16.min, f->in_16.max) + f->in_16.base);
  case CC_REQUANTIZE_F32:
    return cc_code_f32((gfloat)t, f->mul_f, f->add_f, f->lo, f->hi);
  case CC_REQUANTIZE_F64:
    return cc_code_f64(t, f->mul, f->add, f->lo, f->hi);
  case CC_REQUANTIZE_SHIFTED:
    return cc_clamp_code((gint)floorf(shifted + f->shifted.add), f->lo, f->hi);
  case CC_REQUANTIZE_BITS:
    return cc_clamp_code(((gint)t + f->bits.addend) >> f->bits.right, f->lo, f->hi);
  case CC_REQUANTIZE_TURNS:
    return cc_code_of_turns((gfloat)t, f->mul_f, f->add_f, f->hi);
  case CC_REQUANTIZE_NONE: /* no kernel for these alone */
  case CC_REQUANTIZE_PARTS:
  case CC_REQUANTIZE_CENTRED:
  case CC_N_FINISHES:
    break;
  }
  g_assert_not_reached();
}

static void
check_finish(CcSampleType type, CcRequantizationVariant requantization, CcNumber number) {
  const gsize size = cc_sample_size(type);
  EACH("finish[%u][%u][%u]", type, requantization, number) {
    CcFinish f = draw_finish(type);
    if (requantization == CC_REQUANTIZE_TURNS) {
      f.hi = type ? 1023 : 255;
      f.mul_f = (gfloat)f.hi + 1;
    }
    gpointer t = LANES(0, check.n * number_sizes[number], CC_ROW_ALIGN);
    for (guint i = 0; i < check.n; i++)
      set_number(t, number, i,
                 requantization == CC_REQUANTIZE_TURNS ? check_uint(0, 512) / 512. : draw_t(&f));
    CHECK(rows->output->finish[type][requantization][number](OUT(0, check.n * size, 1), t, check.n,
                                                             &f));
    for (guint i = 0; i < check.n; i++) {
      const guint8 *at = (const guint8 *)OUT(0, 0, 1) + i * size;
      const gint code = expected_code(requantization, &f, number_at(t, number, i));
      if ((type ? at[0] | at[1] << 8 : at[0]) != (type ? (guint16)(code << f.shift) : code))
        check_fail("sample %u of t %.17g is no %d", i, number_at(t, number, i), code);
    }
  }
}

/* --- tap groups --- */

/* Draws tap groups with the digits of a pattern, which are the numbers of taps to add and to
 * subtract. Returns the number of all taps. */
static guint
draw_groups(CcTapPattern pattern, CcTapGroup group[3], guint *n_groups, gint32 max) {
  const gchar *digit = pattern == CC_PATTERN_ANY ? "31-24-10" : cc_tap_pattern_name(pattern);
  guint n_taps = 0;
  *n_groups = 0;
  for (; *digit; digit += digit[2] ? 3 : 2) {
    CcTapGroup *next = &group[(*n_groups)++];
    *next = (CcTapGroup){g_rand_int_range(check.rand, -max, max), (guint)(digit[0] - '0'),
                         (guint)(digit[1] - '0')};
    n_taps += next->n_plus + next->n_minus;
  }
  return n_taps;
}

static void
check_sums(CcLane lane, CcTapPattern pattern) {
  const gsize size = cc_lane_size(lane), sum_size = MAX(size, 2);
  EACH("sum[%u][%s]", lane, cc_tap_pattern_name(pattern)) {
    CcTapGroup group[3];
    gconstpointer taps[MAX_TAPS];
    guint n_groups;
    const guint n_taps = draw_groups(pattern, group, &n_groups, lane == CC_LANE_8 ? 1000 : 1 << 20);
    for (guint i = 0; i < n_taps; i++)
      taps[i] = lane == CC_LANE_DOUBLE ? draw_numbers(i, CC_NUMBER_DOUBLE, 16)
                                       : LANES(i, check.n * size, size);
    CHECK(rows->tap_groups->sum[lane][pattern](OUT_LANES(0, check.n * sum_size), group, n_groups,
                                               taps, check.n));
  }
}

/* Checks kernels that make bytes from bytes: of a pattern, or of a gradient. */
static void
check_fused(CcTapPattern pattern, guint variety, CcGradient gradient) {
  const gboolean is_pattern = gradient == CC_N_GRADIENTS;
  EACH("apply%s[%s][%u][%u]", is_pattern ? "" : "_gradient", cc_tap_pattern_name(pattern), variety,
       gradient) {
    CcTapGroup group[3];
    gconstpointer taps[MAX_TAPS];
    guint n_groups;
    const CcFinish f = draw_finish(CC_SAMPLE_U8);
    const CcAhead ahead = {.streams = check_uint(0, 1)};
    const guint n_taps = draw_groups(pattern, group, &n_groups, 15);
    for (guint i = 0; i < (is_pattern ? n_taps : 8); i++)
      taps[i] = LANES(i, check.n, 1);
    CHECK((is_pattern ? rows->tap_groups->apply[CC_LANE_8][pattern]
                      : rows->tap_groups->apply_gradient[gradient])[variety](
        OUT(0, check.n, ahead.streams ? CC_ROW_ALIGN : 1), group, taps, check.n, &f, &ahead));
  }
}

/* The order of split sums is private to a variant. So the check has two steps: horizontal sums,
 * then bytes from sums over them. The step that the name says is measured. */
static void
check_split_sums(CcTapPattern pattern, gboolean pairs, gboolean applies, gboolean absolute) {
  static guint8 split[5][4096] __attribute__((aligned(CC_ROW_ALIGN)));
  const gconstpointer lines[] = {split[0], split[1], split[2], split[3], split[4]};
  EACH("%s[%s][%u]",
       applies ? "apply_split"
       : pairs ? "sum_pairs"
               : "sum_split",
       cc_tap_pattern_name(pattern), absolute) {
    CcTapGroup horizontal[3], vertical[3];
    gconstpointer taps[5][2 * MAX_TAPS];
    guint n_horizontal, n_vertical;
    const CcTapPattern other = (CcTapPattern)check_uint(0, CC_PATTERN_22_11 - 1);
    const CcTapPattern a = applies ? other : pattern, o = applies ? pattern : other;
    const guint n_taps = draw_groups(a, horizontal, &n_horizontal, 15);
    const guint n_lines = draw_groups(o, vertical, &n_vertical, 15);
    const guint near = check_uint(0, 1) * n_taps, far = n_taps - near;
    const gboolean shares = a == CC_PATTERN_20_20_10 && check_uint(0, 1);
    const CcFinish f = draw_finish(CC_SAMPLE_U8);
    for (guint k = 0; k < 2 * n_taps; k++) {
      const gboolean shared = shares && k >= far + 2 && k < far + n_taps;
      const guint from = !shared ? k : near + (k == far + 4 ? 4 : k - far - 2);
      for (guint i = 0; i < n_lines; i++)
        taps[i][k] = (guint8 *)LANES(from, check.n + 5, 1) + i;
    }
    CHECK(for (guint i = 0; i < (check.timing ? !applies : n_lines);
               i++)(pairs ? rows->tap_groups->sum_pairs : rows->tap_groups->sum_split)[a](
              split[i], horizontal, n_horizontal, taps[i], check.n);
          if (applies || !check.timing) rows->tap_groups->apply[CC_LANE_16][o][absolute](
              OUT(0, check.n, 1), vertical, lines, check.n, &f, &nothing));
  }
}

/* --- dot products and running sums --- */

/* Returns row number i for the results of a requantization variant: sums, or samples. */
static gpointer
result_row(guint i, CcSampleType type, CcRequantizationVariant requantization, gboolean streams) {
  return requantization == CC_REQUANTIZE_NONE
             ? OUT_LANES(i, check.n * sizeof(gint32))
             : OUT(i, check.n * cc_sample_size(type), streams ? CC_ROW_ALIGN : 1);
}

/* Checks the vertical pass over dot groups of n_parts words. 0: conv2d. */
static void
check_dot_products(CcSampleType type, CcRequantizationVariant requantization, guint n_parts) {
  EACH("%s[%u][%u][%u]", n_parts ? "vertical" : "conv2d", type, requantization, n_parts) {
    gint32 taps[2 * MAX_GROUPS];
    gconstpointer groups[MAX_GROUPS * CC_MAX_PARTS];
    const CcFinish f = draw_finish(type);
    const CcAhead ahead = {.streams = check_uint(0, 1)};
    const guint n_groups = check_uint(1, MAX_GROUPS);
    CcVertical vertical = {taps, n_groups, {0}, check_uint(1, 15), check_uint(0, 1)};
    check_fill(taps, sizeof taps);
    check_fill(vertical.start, sizeof vertical.start);
    for (guint i = 0; i < n_groups * MAX(n_parts, 1); i++)
      groups[i] = LANES(i, check.n * sizeof(gint32), n_parts ? CC_ROW_ALIGN : sizeof(gint32));
    CHECK(const gpointer to[] = {result_row(0, type, requantization, ahead.streams),
                                 result_row(1, type, requantization, ahead.streams)};
          if (n_parts) rows->separable->vertical[type][requantization][n_parts - 1](
              to, groups, &vertical, check.n, &f, &ahead);
          else rows->conv2d->sum[0][type][requantization](to, groups, taps, n_groups, check.n,
                                                          vertical.start[0], &f, &ahead));
  }
}

/* Sets the shuffle indices for the bytes of dot groups, in the form that the kernels of a table
 * use. */
static void
set_order(CcHorizontal *horizontal, gboolean whole, gboolean words) {
  for (guint i = 0; i < sizeof horizontal->order; i++) {
    const guint group = (whole ? i : i % 16) / 4, sample = group + i % 4 / 2 * horizontal->step;
    horizontal->order[i] = (guint8)(words ? 2 * sample + i % 2 : i % 2 ? 0x80 : sample);
  }
}

/* Checks the horizontal pass to n_parts words. 0: vertical dot groups. */
static void
check_dot_groups(CcDotKind kind, guint n_parts) {
  const gboolean words = kind == CC_DOT_WORDS;
  const gsize size = words ? 2 : 1;
  EACH("horizontal[%u][%u]", kind, n_parts) {
    gint32 taps[MAX_GROUPS];
    const guint n_groups = check_uint(1, MAX_GROUPS), step = check_uint(1, 4);
    const gint32 flip = words && check_uint(0, 1) ? (gint32)0x80008000 : 0;
    CcHorizontal horizontal = {.taps = taps,
                               .n_groups = n_groups,
                               .n_pieces = 2,
                               .piece_end = {check_uint(0, n_groups), n_groups},
                               .step = step,
                               .stride = 2 * step * size,
                               .flip = flip,
                               .start = n_parts == 3 ? 0 : (gint32)g_rand_int(check.rand),
                               .low_bits = n_parts == 3 ? CC_PART_BITS : check_uint(8, 15)};
    const gsize bytes = (check.n + 2 * n_groups * step) * size;
    const gconstpointer lines[] = {LANES(0, bytes, size), LANES(1, bytes, size)};
    check_fill(taps, sizeof taps);
    CHECK(gint32 * parts[CC_MAX_PARTS];
          for (guint i = 0; i < MAX(n_parts, 1); i++) parts[i] = OUT_LANES(i, 4 * check.n);
          set_order(&horizontal, rows->separable->order_is_whole, words);
          if (n_parts)
              rows->separable->horizontal[kind][n_parts - 1](parts, lines, &horizontal, check.n);
          else rows->conv2d->group[kind](parts[0], lines, check.n, flip));
  }
}

static void
check_slide(CcSampleType type, CcRequantizationVariant requantization, gboolean in_32) {
  EACH("slide[%u][%u][%u]", type, requantization, in_32) {
    const gsize bytes = check.n * (in_32 ? sizeof(gint32) : sizeof(gint16));
    const CcFinish f = draw_finish(type);
    CHECK(rows->box->slide[type][requantization][in_32](
        OUT_LANES(0, bytes), LANES(0, bytes, CC_ROW_ALIGN), LANES(1, bytes, CC_ROW_ALIGN), check.n,
        requantization ? OUT(1, check.n * cc_sample_size(type), 1) : NULL, &f, &nothing));
  }
}

/* --- weighted alpha --- */

/* Reads a sample at any address. */
static guint
code_at(gconstpointer row, CcSampleType type, guint i) {
  const guint8 *at = (const guint8 *)row + i * cc_sample_size(type);
  return type ? (guint)at[0] | (guint)at[1] << 8 : at[0];
}

/* Checks sample i of pixels whose products were made from `row`. */
static void
assert_product(const guint16 *products, gconstpointer row, CcSampleType type, guint alpha,
               guint i) {
  const guint max = type ? G_MAXUINT16 : G_MAXUINT8, a = code_at(row, type, i / 4 * 4 + alpha);
  const guint color = i % 4 == alpha ? max : code_at(row, type, i);
  if (products[i] != cc_weighted_multiply(color, a, max))
    check_fail("product %u of color %u and alpha %u is %u", i, color, a, products[i]);
}

/* Makes codes of words whose products are often next to half a code value: 2^15 modulo 65535, or
 * -2^15. */
static void
draw_powers(guint8 *row, guint n) {
  for (guint i = 0; i < n; i++) {
    const guint code = 1u << check_uint(0, 15) ^ (check_uint(0, 1) ? G_MAXUINT16 : 0);
    row[2 * i] = (guint8)code;
    row[2 * i + 1] = (guint8)(code >> 8);
  }
}

static void
check_premultiply(CcSampleType type) {
  const gsize pixel = 4 * cc_sample_size(type);
  EACH("premultiply[%u]", type) {
    const guint alpha = check_uint(0, 3), n = check.n;
    const gpointer row = check_source(0, n * pixel, 1, check_uint(0, 3));
    if (type && check_uint(0, 1))
      draw_powers(row, 4 * n);
    CHECK(rows->weighted->premultiply[type](OUT(0, 8 * n, 2), row, alpha, n));
    for (guint i = 0; i < 4 * n; i++)
      assert_product(OUT(0, 8 * n, 2), row, type, alpha, i);
  }
}

/* Draws the weight of a pixel, and products near the limits between two code values. A weight that
 * shares factors with 2 max has products exactly at these limits. */
static void
draw_products(guint16 *pixel, guint alpha, guint max) {
  static const guint divisors[] = {3, 5, 17, 255};
  const guint factor = 2 * max / divisors[check_uint(0, G_N_ELEMENTS(divisors) - 1)];
  const guint weights[] = {0, 1, G_MAXUINT16, check_uint(0, G_MAXUINT16),
                           factor * check_uint(1, G_MAXUINT16 / factor)};
  const guint q = weights[check_uint(0, G_N_ELEMENTS(weights) - 1)];
  for (guint c = 0; c < 4; c++) {
    const gint64 limit = (2 * (gint64)check_uint(1, max + 1) - 1) * q / (2 * max);
    const gint64 p = check_uint(0, 3) ? limit + g_rand_int_range(check.rand, -1, 2)
                                      : (gint64)check_uint(0, G_MAXUINT16);
    pixel[c] = (guint16)(c == alpha ? q : CLAMP(p, 0, G_MAXUINT16));
  }
}

static void
check_divide(CcSampleType type) {
  const gsize size = cc_sample_size(type);
  EACH("divide[%u]", type) {
    const guint alpha = check_uint(0, 3), max = type ? G_MAXUINT16 : G_MAXUINT8, n = check.n;
    const guint colors = check_uint(0, 15) & ~(1u << alpha);
    guint16 *products = check_source(0, 8 * n, 2, 2 * check_uint(0, 1));
    g_autofree guint8 *before = g_memdup2(OUT(0, 4 * n * size, 1), 4 * n * size);
    for (guint x = 0; x < n; x++)
      draw_products(products + 4 * x, alpha, max);
    CHECK(rows->weighted->divide[type](OUT(0, 4 * n * size, 1), products, alpha, colors, n));
    for (guint i = 0; i < 4 * n; i++) {
      const guint q = products[i / 4 * 4 + alpha], made = code_at(OUT(0, 0, 1), type, i);
      if (made != (colors >> i % 4 & 1 && q ? cc_weighted_divide(products[i], q, max)
                                            : code_at(before, type, i)))
        check_fail("sample %u of product %u and weight %u is %u", i, products[i], q, made);
    }
  }
}

/* All colors and alphas of bytes. Without a filter between them, both kernels give the same color,
 * except where alpha is 0. */
static void
check_all_colors(void) {
  const CcWeightedKernels *kernels = check.variant->rows->weighted;
  guint8 row[1024], made[1024];
  guint16 products[1024];
  for (guint a = 0; a < 256; a++) {
    const guint alpha = a % 4;
    for (guint i = 0; i < 1024; i++)
      row[i] = (guint8)(i % 4 == alpha ? a : i / 4);
    memset(made, 77, sizeof made);
    kernels->premultiply[CC_SAMPLE_U8](products, row, alpha, 256);
    kernels->divide[CC_SAMPLE_U8](made, products, alpha, 15 & ~(1u << alpha), 256);
    for (guint i = 0; i < 1024; i++) {
      assert_product(products, row, CC_SAMPLE_U8, alpha, i);
      if (made[i] != (a && i % 4 != alpha ? row[i] : 77))
        check_fail("color %u of alpha %u becomes %u", row[i], a, made[i]);
    }
  }
}

/* All odd weights, with the products on both sides of each limit between two bytes. Some quotients
 * are so close to an integer that float rounds them to it. */
static void
check_all_limits(void) {
  guint8 made[1024] = {0};
  guint16 products[1024];
  for (guint q = 1; q <= G_MAXUINT16; q += 2) {
    for (guint i = 0; i < 1024; i++)
      products[i] =
          (guint16)(i % 4 == 3 ? q : MIN((2 * (i / 4) + 1) * q / 510 + i % 2, G_MAXUINT16));
    check.variant->rows->weighted->divide[CC_SAMPLE_U8](made, products, 3, 7, 256);
    for (guint i = 0; i < 1024; i++)
      if (i % 4 < 3 && made[i] != cc_weighted_divide(products[i], q, G_MAXUINT8))
        check_fail("product %u of weight %u becomes %u", products[i], q, made[i]);
  }
}

/* --- Canny's edges --- */

static const gint64 largest[] = {G_MAXINT16, G_MAXINT32, G_MAXINT64};

static gint64
lane_at(gconstpointer row, CcLane lane, gint i) {
  return lane == CC_LANE_16   ? ((const gint16 *)row)[i]
         : lane == CC_LANE_32 ? ((const gint32 *)row)[i]
                              : ((const gint64 *)row)[i];
}

static void
set_lane(gpointer row, CcLane lane, gint i, gint64 v) {
  if (lane == CC_LANE_16)
    ((gint16 *)row)[i] = (gint16)v;
  else if (lane == CC_LANE_32)
    ((gint32 *)row)[i] = (gint32)v;
  else
    ((gint64 *)row)[i] = v;
}

/* Returns a number from 0 to max. Small numbers and max come up often. */
static gint64
draw_up_to(gint64 max) {
  const guint64 any = (guint64)g_rand_int(check.rand) << 32 | g_rand_int(check.rand);
  const guint64 numbers[] = {0, (guint64)max, any % (guint64)max, any % (guint64)MIN(max, 20)};
  return (gint64)numbers[check_uint(0, G_N_ELEMENTS(numbers) - 1)];
}

static gint64
draw_signed(gint64 max) {
  const gint64 number = draw_up_to(max);
  return check_uint(0, 1) ? number : -number;
}

static void
check_magnitude(CcLane lane, gboolean is_l2) {
  static const gint64 max_of[][2] = {
      {G_MAXINT16 / 2, 127}, {G_MAXINT32 / 2, 32767}, {G_GINT64_CONSTANT(1) << 48, 1 << 30}};
  const gsize size = number_sizes[lane];
  EACH("canny, magnitude[%u][%u]", lane, is_l2) {
    const guint bits = 4 * check_uint(0, 1), n = check.n;
    const gint64 max = MIN(max_of[lane][is_l2] << bits, largest[lane] - (bits ? 9 : 0));
    const gint64 limit = bits ? max : max_of[lane][is_l2];
    const gpointer x = LANES(0, n * size, size), y = LANES(1, n * size, size);
    for (guint i = 0; i < n; i++) {
      set_lane(x, lane, (gint)i, draw_signed(limit));
      set_lane(y, lane, (gint)i, draw_signed(limit));
    }
    CHECK(const gpointer across = memcpy(OUT_LANES(1, n * size), x, n * size);
          const gpointer down = memcpy(OUT_LANES(2, n * size), y, n * size);
          rows->canny->magnitude[lane](OUT_LANES(0, n * size), across, down, n, bits, is_l2));
    for (gint i = 0; i < (gint)n; i++) {
      const gint64 across = cc_canny_round(lane_at(x, lane, i), (gint)bits);
      const gint64 down = cc_canny_round(lane_at(y, lane, i), (gint)bits);
      if (lane_at(OUT_LANES(1, 0), lane, i) != across || lane_at(OUT_LANES(2, 0), lane, i) != down)
        check_fail("gradient %d of %u bits is rounded to others", i, bits);
      if (lane_at(OUT_LANES(0, 0), lane, i) != cc_canny_magnitude(across, down, is_l2))
        check_fail("magnitude %d of %u bits differs from the definition", i, bits);
    }
  }
}

/* Rows of bytes begin with CC_ROW_ALIGN bytes, of which the last is left of the first pixel. */
static void
check_gradient(void) {
  static const gint taps[][2] = {{1, 2}, {3, 10}, {1, 1}, {-1, -2}};
  EACH("canny, gradient") {
    const guint n = check.n;
    const gint *tap = taps[check_uint(0, G_N_ELEMENTS(taps) - 1)];
    const guint8 *row[3];
    for (guint r = 0; r < 3; r++)
      row[r] = (guint8 *)LANES(r, CC_ROW_ALIGN + n + 1, CC_ROW_ALIGN) + CC_ROW_ALIGN;
    CHECK(rows->canny->gradient(OUT_LANES(0, 2 * n), OUT_LANES(1, 2 * n), OUT_LANES(2, 2 * n), row,
                                tap[0], tap[1], n));
    const gint16 *magnitude = OUT_LANES(0, 0), *across = OUT_LANES(1, 0), *down = OUT_LANES(2, 0);
    for (gint i = 0; i < (gint)n; i++) {
      gint x = 0, y = 0;
      for (gint k = -1; k <= 1; k++) {
        const gint f = tap[k == 0];
        x += f * (row[1 + k][i + 1] - row[1 + k][i - 1]);
        y += f * (row[2][i + k] - row[0][i + k]);
      }
      if (across[i] != x || down[i] != y || magnitude[i] != ABS(x) + ABS(y))
        check_fail("gradient %d, taps %d and %d: (%d, %d), of (%d, %d)", i, tap[0], tap[1],
                   across[i], down[i], x, y);
    }
  }
}

/* Sets a gradient of any axis, often next to or on the limit between two. */
static void
draw_gradient(gint64 max, gint64 *x, gint64 *y) {
  *x = draw_signed(max);
  *y = draw_signed(max);
  const gint64 limit = ABS(*x) * (CC_CANNY_TAN + (check_uint(0, 1) ? 2 << CC_CANNY_BITS : 0));
  const gint64 near = (limit >> CC_CANNY_BITS) + check_uint(0, 2) - 1;
  if (check_uint(0, 1) && near <= max)
    *y = check_uint(0, 1) ? near : -near;
}

/* Draws row number k of magnitudes, which are 0 before and after the row. */
static gpointer
draw_magnitudes(guint k, CcLane lane, gint64 max) {
  const gint n = (gint)check.n, end = (n + 63) / 64 * 64 + 1;
  const gsize bytes = CC_ROW_ALIGN + (gsize)end * number_sizes[lane];
  guint8 *row = (guint8 *)check_source(k, bytes, CC_ROW_ALIGN, 0) + CC_ROW_ALIGN;
  for (gint i = -1; i < end; i++)
    set_lane(row, lane, i, i < 0 || i >= n ? 0 : draw_up_to(max));
  return row;
}

/* Returns whether pixel i of the rows is a maximum whose magnitude is above `limit`. */
static gboolean
is_above(const CcCannyRows *in, CcLane lane, gint i, gint64 limit) {
  const CcCannyAxis axis = cc_canny_axis(lane_at(in->x, lane, i), lane_at(in->y, lane, i));
  const gint up = axis != CC_CANNY_ACROSS;
  const gint step = axis == CC_CANNY_DOWN ? 0 : axis == CC_CANNY_RISING ? -1 : 1;
  const gint64 here = lane_at(in->magnitude[1], lane, i);
  return here > limit && cc_canny_is_maximum(here, lane_at(in->magnitude[1 - up], lane, i - step),
                                             lane_at(in->magnitude[1 + up], lane, i + step), axis);
}

static void
check_suppress(CcLane lane) {
  const gint64 max_gradient = lane == CC_LANE_64 ? G_GINT64_CONSTANT(1) << 46 : largest[lane] / 2;
  EACH("canny, suppress[%u]", lane) {
    const gint n = (gint)check.n;
    const gsize words = (check.n + 63) / 64, bytes = words * 64 * number_sizes[lane];
    const gint64 max = check_uint(0, 1) ? 3 : largest[lane];
    const gint64 a = draw_up_to(max), b = draw_up_to(max);
    const gpointer x = check_source(3, bytes, CC_ROW_ALIGN, 0);
    const gpointer y = check_source(4, bytes, CC_ROW_ALIGN, 0);
    CcCannyRows in = {.x = x, .y = y, .low = MIN(a, b), .high = MAX(a, b)};
    for (guint i = 0; i < 3; i++)
      in.magnitude[i] = draw_magnitudes(i, lane, max);
    for (gint i = 0; i < n; i++) {
      gint64 across, down;
      draw_gradient(max_gradient, &across, &down);
      set_lane(x, lane, i, across);
      set_lane(y, lane, i, down);
      if (across == 0 && down == 0)
        set_lane((gpointer)in.magnitude[1], lane, i, 0);
    }
    CHECK(rows->canny->suppress[lane](OUT(0, 8 * words, 8), OUT(1, 8 * words, 8), &in, check.n));
    const guint64 *weak = OUT(0, 0, 8), *strong = OUT(1, 0, 8);
    for (gint i = 0; i < (gint)(64 * words); i++) {
      if ((weak[i / 64] >> i % 64 & 1) != (i < n && is_above(&in, lane, i, in.low)))
        check_fail("pixel %d is weak although it is not, or the reverse", i);
      if ((strong[i / 64] >> i % 64 & 1) != (i < n && is_above(&in, lane, i, in.high)))
        check_fail("pixel %d is strong although it is not, or the reverse", i);
    }
  }
}

static void
check_paint(void) {
  EACH("canny, paint") {
    const guint8 black = (guint8)check_uint(0, 255), white = (guint8)check_uint(black, 255);
    const guint64 *bits = SRC(0, (check.n + 63) / 64 * 8, 8);
    CHECK(rows->canny->paint(OUT(0, check.n, 1), bits, check.n, black, white));
    for (guint i = 0; i < check.n; i++)
      if (((guint8 *)OUT(0, 0, 1))[i] != (bits[i / 64] >> i % 64 & 1 ? white : black))
        check_fail("sample %u of %u and %u", i, black, white);
  }
}

/* --- all --- */

void
check_row_kernels(void) {
  const CcRows *all = check.variant->rows;
  if (!check.bench && check_begin("weighted, all colors"))
    check_all_colors();
  if (!check.bench && check_begin("weighted, all limits"))
    check_all_limits();
  for (CcSampleType type = CC_SAMPLE_U8; type <= CC_SAMPLE_U16; type++) {
    check_samples(type);
    check_premultiply(type);
    check_divide(type);
    for (CcRequantizationVariant requantization = 0; requantization < CC_N_FINISHES;
         requantization++) {
      for (guint parts = 0; parts <= CC_MAX_PARTS; parts++)
        if (parts ? all->separable->vertical[type][requantization][parts - 1] != NULL
                  : all->conv2d->sum[0][type][requantization] != NULL)
          check_dot_products(type, requantization, parts);
      for (guint in_32 = 0; in_32 < 2; in_32++)
        if (all->box->slide[type][requantization][in_32])
          check_slide(type, requantization, in_32);
    }
    for (CcRequantizationVariant requantization = 0; requantization < CC_N_FINISHES;
         requantization++)
      for (CcNumber number = 0; number < CC_N_NUMBERS; number++)
        if (all->output->finish[type][requantization][number])
          check_finish(type, requantization, number);
  }
  check_merges();
  for (CcLane lane = CC_LANE_16; lane <= CC_LANE_64; lane++) {
    check_magnitude(lane, FALSE);
    check_magnitude(lane, TRUE);
    check_suppress(lane);
  }
  check_gradient();
  check_paint();
  for (CcLane lane = 0; lane < CC_N_LANES; lane++) {
    for (CcReduce reduce = 0; reduce < CC_N_REDUCES; reduce++)
      if (all->output->reduce[reduce][lane])
        check_reduction(reduce, lane);
    if (all->output->direction_color[lane])
      check_direction_color(lane);
    for (CcTapPattern pattern = 0; pattern < CC_N_PATTERNS; pattern++)
      if (all->tap_groups->sum[lane][pattern])
        check_sums(lane, pattern);
  }
  for (CcTapPattern pattern = 0; pattern < CC_PATTERN_ANY; pattern++)
    for (guint i = 0; i < 2; i++) {
      if (all->tap_groups->apply[CC_LANE_8][pattern][i])
        check_fused(pattern, i, CC_N_GRADIENTS);
      if (all->tap_groups->apply[CC_LANE_16][pattern][i])
        check_split_sums(pattern, FALSE, TRUE, i);
      if (pattern < CC_PATTERN_22_11)
        check_split_sums(pattern, i, FALSE, FALSE);
    }
  for (CcGradient gradient = 0; gradient < CC_N_GRADIENTS; gradient++)
    for (CcReduce reduce = 0; reduce < CC_N_REDUCES; reduce++)
      if (all->tap_groups->apply_gradient[gradient][reduce])
        check_fused(CC_PATTERN_11_11, reduce, gradient);
  for (guint parts = 0; parts <= CC_MAX_PARTS; parts++) {
    check_dot_groups(CC_DOT_WIDENED, parts);
    check_dot_groups(CC_DOT_WORDS, parts);
  }
}
