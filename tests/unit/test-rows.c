/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The row kernels that reduce sums and make samples of t are forms of
 * engine/plan/output_stage_shared.h for vectors. Here those of every variant are held against it,
 * on random numbers, on those around the steps between code values and on those far beyond. Wide
 * sums are held against sums in 64 bits. */

#include "cpu/methods/separable.h"
#include "eachrows.h"
#include "engine/plan/output_stage_shared.h"

#define N 1024

/* --- numbers of every type --- */

/* Room for rows, as the row kernels want it. */
typedef union {
  gint16 i16[N + CC_ROW_SLACK];
  gint32 i32[N + CC_ROW_SLACK];
  gint64 i64[N + CC_ROW_SLACK];
  gfloat f32[N + CC_ROW_SLACK];
  gdouble f64[N + CC_ROW_SLACK];
} __attribute__((aligned(CC_ROW_ALIGN))) Row;

static gdouble
number_at(const Row *row, CcNumber type, guint i) {
  switch (type) {
  case CC_NUMBER_16:
    return row->i16[i];
  case CC_NUMBER_32:
    return row->i32[i];
  case CC_NUMBER_64:
    return (gdouble)row->i64[i];
  case CC_NUMBER_FLOAT:
    return row->f32[i];
  case CC_NUMBER_DOUBLE:
    return row->f64[i];
  case CC_N_NUMBERS:
    break;
  }
  g_assert_not_reached();
}

static void
set_number(Row *row, CcNumber type, guint i, gdouble v) {
  switch (type) {
  case CC_NUMBER_16:
    row->i16[i] = (gint16)CLAMP(v, G_MININT16, G_MAXINT16);
    break;
  case CC_NUMBER_32:
    row->i32[i] = (gint32)CLAMP(v, G_MININT32, G_MAXINT32);
    break;
  case CC_NUMBER_64:
    row->i64[i] = (gint64)v;
    break;
  case CC_NUMBER_FLOAT:
    row->f32[i] = (gfloat)v;
    break;
  case CC_NUMBER_DOUBLE:
    row->f64[i] = v;
    break;
  case CC_N_NUMBERS:
    break;
  }
}

/* --- from t to samples --- */

static const CcFinish finishes[] = {
    {.lo = 0, .hi = 255, .mul = 1, .add = 0.5, .exact_product = TRUE},
    {.lo = 16, .hi = 255, .mul = 0.0625, .add = 16.5, .exact_product = TRUE},
    {.lo = 0, .hi = 255, .mul = 1.0 / 9, .add = 0.5 + 0.25 / 9},
    {.lo = 0, .hi = 1023, .shift = 6, .mul = 3.0 / 7, .add = -20.3},
    {.lo = 0, .hi = 65535, .mul = 1.0 / 159, .add = 32768.5},
};

/* A step between two code values, something near it, any t, or one that saturates. */
static gdouble
draw_t(GRand *rand, const CcFinish *f) {
  const gdouble level = g_rand_int_range(rand, f->lo - 2, f->hi + 3);
  const gdouble step = (level - f->add) / f->mul;
  switch (g_rand_int_range(rand, 0, 4)) {
  case 0:
    return step;
  case 1:
    return step + g_rand_int_range(rand, -2, 3);
  case 2:
    return g_rand_int_range(rand, -40000, 40000);
  default:
    return g_rand_double_range(rand, -1e9, 1e9);
  }
}

static gint
expected_code(CcFinishForm form, const CcFinish *f, gdouble t) {
  switch (form) {
  case CC_FINISH_F32:
    return cc_code_f32((gfloat)t, f->mul_f, f->add_f, f->lo, f->hi);
  case CC_FINISH_F64:
    return cc_code_f64(t, f->mul, f->add, f->lo, f->hi);
  case CC_FINISH_SHIFTED: {
    const gfloat product = (gfloat)((gint)t >> f->shifted.right) * f->shifted.mul;
    return cc_clamp_code((gint)floorf(product + f->shifted.add), f->lo, f->hi);
  }
  case CC_FINISH_BITS:
    return cc_clamp_code(((gint)t + f->bits.addend) >> f->bits.right, f->lo, f->hi);
  case CC_FINISH_TURNS:
    return cc_code_of_turns((gfloat)t, f->mul_f, f->add_f, f->hi);
  case CC_FINISH_PARTS:   /* no kernel has it alone */
  case CC_FINISH_CENTRED: /* test-box.c */
  case CC_FINISH_16:      /* proved for each op by cpu/requantize.c */
  case CC_N_FINISHES:
    break;
  }
  g_assert_not_reached();
}

static void
check_finish(CcFinishFunc run, CcFinishForm form, CcNumber number, CcSampleType type,
             const CcFinish *f) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(7);
  static Row t, out;
  for (guint i = 0; i < N; i++)
    set_number(&t, number, i, form == CC_FINISH_TURNS ? i / (gdouble)(N - 1) : draw_t(rand, f));
  run(&out, &t, N, f);
  for (guint i = 0; i < N; i++) {
    const guint word = type == CC_SAMPLE_U8 ? ((const guint8 *)&out)[i] : (guint16)out.i16[i];
    const gint expected = expected_code(form, f, number_at(&t, number, i));
    g_assert_cmpuint(word, ==, (guint)expected << f->shift);
  }
}

static void
check_finishes(const CcRows *rows) {
  for (guint i = 0; i < G_N_ELEMENTS(finishes); i++) {
    for (CcFinishForm form = CC_FINISH_F32; form < CC_N_FINISHES; form++) {
      CcFinish f = finishes[i];
      if (form == CC_FINISH_TURNS)
        f.mul = f.hi + 1, f.add = 0.5;
      f.mul_f = (gfloat)f.mul;
      f.add_f = (gfloat)f.add;
      f.bits = (CcFinishBits){5, 12345};
      f.shifted = (CcFinishShifted){8, (gfloat)(f.mul * 256), (gfloat)(f.add + f.mul * 128)};
      const CcSampleType type = f.hi > 255 ? CC_SAMPLE_U16 : CC_SAMPLE_U8;
      for (CcNumber number = 0; number < CC_N_NUMBERS; number++)
        if (rows->finish[type][form][number])
          check_finish(rows->finish[type][form][number], form, number, type, &f);
    }
  }
}

static void
test_finishes(void) {
  for_each_rows(check_finishes);
}

/* --- from sums to t --- */

static const struct {
  CcReduce reduce;
  CcResponse response;
  gboolean in_float; /* t is a float, whatever the sums are */
  gboolean in_double;
} reductions[] = {
    {CC_REDUCE_MAX, CC_RESPONSE_CLAMP, FALSE, FALSE},
    {CC_REDUCE_MAX_ABS, CC_RESPONSE_ABSOLUTE, FALSE, FALSE},
    {CC_REDUCE_SUM_ABS, CC_RESPONSE_MAGNITUDE_L1, FALSE, FALSE},
    {CC_REDUCE_NORM, CC_RESPONSE_MAGNITUDE, TRUE, FALSE},
    {CC_REDUCE_NORM_DOUBLE, CC_RESPONSE_MAGNITUDE, FALSE, TRUE},
    {CC_REDUCE_TURNS, CC_RESPONSE_DIRECTION, TRUE, FALSE},
};

/* t in float and in integers; both are exact for sums of so few bits, but for the last digits of
 * roots. */
static gdouble
expected_t(guint reduction, const Row *sums, CcNumber lane, guint n_sums, guint at) {
  const CcResponse response = reductions[reduction].response;
  CcSumsF32 in_float = {0};
  CcSumsI64 in_integers = {0};
  for (guint i = 0; i < n_sums; i++) {
    const gdouble sum = number_at(&sums[i], lane, at);
    cc_sums_add_f32(&in_float, response, (gint)i, (gfloat)sum);
    cc_sums_add_i64(&in_integers, response, (gint)i, (gint64)sum);
  }
  return reductions[reduction].in_double || lane == CC_NUMBER_64
             ? cc_sums_t_i64(&in_integers, response)
             : cc_sums_t_f32(&in_float, response);
}

static void
check_reduction(CcReduceFunc run, guint reduction, CcNumber lane, guint n_sums) {
  static Row sums[3], t;
  g_autoptr(GRand) rand = g_rand_new_with_seed(8);
  /* sums of squares stay below 2^24, and sums of absolute values below 2^15 */
  for (guint m = 0; m < n_sums; m++)
    for (guint i = 0; i < N; i++)
      set_number(&sums[m], lane, i, i % 7 == m ? 0 : g_rand_int_range(rand, -2000, 2001));
  run(&t, (const gconstpointer[]){&sums[0], &sums[1], &sums[2]}, n_sums, N);
  const CcNumber number = reductions[reduction].in_float    ? CC_NUMBER_FLOAT
                          : reductions[reduction].in_double ? CC_NUMBER_DOUBLE
                                                            : lane;
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat(number_at(&t, number, i), ==, expected_t(reduction, sums, lane, n_sums, i));
}

static void
check_reductions(const CcRows *rows) {
  for (guint r = 0; r < G_N_ELEMENTS(reductions); r++) {
    const gboolean is_direction = reductions[r].response == CC_RESPONSE_DIRECTION;
    for (CcLane lane = 0; lane <= CC_LANE_64; lane++)
      for (guint n = is_direction ? 2 : 1; n <= (is_direction ? 2 : 3); n++)
        if (rows->reduce[reductions[r].reduce][lane])
          check_reduction(rows->reduce[reductions[r].reduce][lane], r, (CcNumber)lane, n);
  }
}

static void
test_reductions(void) {
  for_each_rows(check_reductions);
}

/* --- sums along lines and over them --- */

#define MOST_TAPS 65
#define MOST_STEP 4
#define N_SAMPLES 100 /* samples, which do not fill vectors */

/* Three of the first in a row, of bytes, times three of the second make a sum of 32 bits; times
 * three of the last they make more than 7 bits more, the most that bytes of taps can drop. */
#define BOUND_TAP 16256
#define SMALL_TAP 37
#define LARGE_TAP 21000

typedef struct {
  CcSampleType type;
  guint depth, step;
  CcOp op;
  guint16 sample[MOST_TAPS + 1][N_SAMPLES + MOST_TAPS * MOST_STEP];
} LineSums;

/* Taps of words or bytes, of any signs, so that sums along lines come to all numbers of pieces. */
static void
draw_taps(GRand *rand, gint32 *tap, guint n) {
  static const gint largest[] = {32, 127, 255, 6000, 16256, G_MAXINT16};
  const gint most = largest[g_rand_int_range(rand, 0, G_N_ELEMENTS(largest))];
  const gint least = g_rand_boolean(rand) ? -most : g_rand_boolean(rand) ? most : 0;
  for (guint i = 0; i < n; i++)
    tap[i] = g_rand_int_range(rand, least, most + 1);
}

static guint
draw_sample(GRand *rand, guint pattern, guint x, guint y, guint most) {
  const guint extremes[] = {0, most, x % 2 * most, y % 2 * most};
  return pattern < G_N_ELEMENTS(extremes) ? extremes[pattern]
                                          : (guint)g_rand_int_range(rand, 0, (gint)most + 1);
}

/* What no sum of the op passes. */
static void
set_largest_sum(LineSums *self) {
  gint64 along = 0, over = 0;
  for (guint i = 0; i < self->op.width; i++)
    along += ABS(self->op.row_i[0][i]);
  for (guint i = 0; i < self->op.height; i++)
    over += ABS(self->op.column_i[0][i]);
  self->op.sum_max[0] = along * over * ((1 << self->depth) - 1);
  self->op.sum_min[0] = -self->op.sum_max[0];
}

static void
draw_sums(GRand *rand, LineSums *self) {
  static const guint depths[] = {8, 10, 12, 16}, sides[] = {1, 3, 5, 9, 15, 17, MOST_TAPS};
  self->depth = depths[g_rand_int_range(rand, 0, G_N_ELEMENTS(depths))];
  self->type = self->depth == 8 ? CC_SAMPLE_U8 : CC_SAMPLE_U16;
  self->step = (guint)g_rand_int_range(rand, 1, MOST_STEP + 1);
  const guint most = (1u << self->depth) - 1, pattern = (guint)g_rand_int_range(rand, 0, 8);
  self->op = (CcOp){.n_matrices = 1, .separable = TRUE};
  self->op.width = sides[g_rand_int_range(rand, 0, G_N_ELEMENTS(sides))];
  self->op.height = sides[g_rand_int_range(rand, 0, G_N_ELEMENTS(sides))];
  draw_taps(rand, self->op.row_i[0], self->op.width);
  draw_taps(rand, self->op.column_i[0], self->op.height);
  set_largest_sum(self);
  for (guint y = 0; y < G_N_ELEMENTS(self->sample); y++)
    for (guint x = 0; x < G_N_ELEMENTS(self->sample[0]); x++)
      self->sample[y][x] = (guint16)draw_sample(rand, pattern, x, y, most);
}

static gint64
sum_at(const LineSums *self, guint x, guint y) {
  gint64 sum = 0;
  for (guint r = 0; r < self->op.height; r++)
    for (guint c = 0; c < self->op.width; c++)
      sum += cc_op_tap(&self->op, 0, r, c) * self->sample[y + r][x + c * self->step];
  return sum;
}

/* Makes two rows, of samples from wide sums, else of sums. */
static void
run_lines(const LineSums *self, const CcLines *lines, const CcRows *rows, const CcFinish *finish,
          Row out[2]) {
  static Row line[2], parts[MOST_TAPS + 1][CC_MOST_PARTS];
  gconstpointer bundles[(MOST_TAPS + 1) * CC_MOST_PARTS];
  const CcAhead ahead = {0};
  const guint n_parts = lines->n_parts;
  const CcAlongFunc along =
      lines->cuts_taps ? rows->along_cut : rows->along[lines->kind][n_parts - 1];
  const CcSumStep step = n_parts == CC_MOST_PARTS ? CC_STEP_PARTS : CC_STEP_SUMS;
  for (guint g = 0; g < lines->n_bundles; g++) {
    for (guint i = 0; i < 2; i++)
      for (guint x = 0; x < G_N_ELEMENTS(self->sample[0]); x++)
        if (self->type == CC_SAMPLE_U8)
          ((guint8 *)&line[i])[x] = (guint8)self->sample[2 * g + i][x];
        else
          line[i].i16[x] = (gint16)self->sample[2 * g + i][x];
    gint32 *to[CC_MOST_PARTS];
    for (guint p = 0; p < n_parts; p++)
      bundles[g * n_parts + p] = to[p] = parts[g][p].i32;
    along(to, (const gconstpointer[]){&line[0], &line[1]}, &lines->along[0], N_SAMPLES);
  }
  rows->over[self->type][step][lines->over_parts - 1]((const gpointer[]){&out[0], &out[1]}, bundles,
                                                      &lines->over[0], N_SAMPLES, finish, &ahead);
}

/* All bits of a sum show where its code value is in the middle of the range. */
static void
check_wide_sum(const LineSums *self, const CcLines *lines, const CcRows *rows, guint x, guint y) {
  enum { MIDDLE = 100 };
  static Row out[2];
  const CcFinish finish = {.hi = (1 << self->depth) - 1,
                           .parts = {1, MIDDLE - (gdouble)sum_at(self, x, y)}};
  run_lines(self, lines, rows, &finish, out);
  const guint found =
      self->type == CC_SAMPLE_U8 ? ((const guint8 *)&out[y])[x] : (guint16)out[y].i16[x];
  g_assert_cmpuint(found, ==, MIDDLE);
}

static void
check_sum(const LineSums *self, const CcLines *lines, const CcRows *rows, guint x, guint y) {
  static Row out[2];
  const CcFinish finish = {0};
  run_lines(self, lines, rows, &finish, out);
  g_assert_cmpint(out[y].i32[x], ==, sum_at(self, x, y) >> lines->dropped);
}

static void
check_line_sums(const CcRows *rows, gboolean wide) {
  enum {
    ROUNDS = 2000,
    LEAST_FOUND = ROUNDS / 4,
    LEAST_CUT = ROUNDS / 20,
    LEAST_ADDED = ROUNDS / 20
  };
  g_autoptr(GRand) rand = g_rand_new_with_seed(9);
  guint n_found = 0, n_cut = 0, n_added = 0;
  const gchar *reason;
  for (guint i = 0; i < ROUNDS; i++) {
    static LineSums sums;
    draw_sums(rand, &sums);
    CcLines *lines = cc_lines_new(&sums.op, sums.type, sums.depth, sums.step, wide, rows, &reason);
    const guint x = (guint)g_rand_int_range(rand, 0, N_SAMPLES), y = i % 2;
    if (!lines)
      continue;
    (wide ? check_wide_sum : check_sum)(&sums, lines, rows, x, y);
    n_found++;
    n_cut += lines->cuts_taps;
    n_added += lines->over_parts < lines->n_parts;
    cc_lines_free(lines);
  }
  g_assert_cmpuint(n_found, >=, LEAST_FOUND);
  g_assert_cmpuint(n_cut, >=, wide || !rows->along_cut ? 0 : LEAST_CUT);
  g_assert_cmpuint(n_added, >=, wide ? 0 : LEAST_ADDED);
  g_test_message("%u ways, %u with taps that are cut, %u with parts that are added", n_found, n_cut,
                 n_added);
}

/* Rows of all sums, so that some are at the bounds of a way to cut them, of the darkest and the
 * brightest samples, times a column that makes the least or the most of a number of 32 bits with
 * some of them. Returns how many there is a way for. */
static guint
check_bounds(const CcRows *rows, gint32 column_tap) {
  static LineSums sums;
  guint n_found = 0;
  const gchar *reason;
  sums = (LineSums){.type = CC_SAMPLE_U8, .depth = 8, .step = 1};
  sums.op = (CcOp){.n_matrices = 1, .separable = TRUE, .width = 3, .height = 3};
  for (gint32 tap = -BOUND_TAP; tap <= BOUND_TAP; tap++) {
    memset(sums.sample, 0, sizeof sums.sample);
    for (guint y = 0; y < 4; y++)
      for (guint x = 0; x < G_N_ELEMENTS(sums.sample[0]) && tap % 2; x++)
        sums.sample[y][x] = G_MAXUINT8;
    for (guint i = 0; i < sums.op.width; i++)
      sums.op.row_i[0][i] = tap / 2;
    for (guint i = 0; i < sums.op.height; i++)
      sums.op.column_i[0][i] = column_tap;
    set_largest_sum(&sums);
    CcLines *lines = cc_lines_new(&sums.op, sums.type, sums.depth, sums.step, FALSE, rows, &reason);
    if (!lines)
      continue;
    check_sum(&sums, lines, rows, 0, 0);
    n_found++;
    cc_lines_free(lines);
  }
  return n_found;
}

static void
check_all_line_sums(const CcRows *rows) {
  check_line_sums(rows, FALSE);
  g_assert_cmpuint(check_bounds(rows, SMALL_TAP), ==, 2 * BOUND_TAP + 1);
  g_assert_cmpuint(check_bounds(rows, LARGE_TAP), >=, BOUND_TAP / 2);
}

static void
test_line_sums(void) {
  for_each_rows(check_all_line_sums);
}

static void
check_all_wide_sums(const CcRows *rows) {
  check_line_sums(rows, TRUE);
}

static void
test_wide_sums(void) {
  for_each_rows(check_all_wide_sums);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rows/finishes", test_finishes);
  g_test_add_func("/rows/reductions", test_reductions);
  g_test_add_func("/rows/line-sums", test_line_sums);
  g_test_add_func("/rows/wide-sums", test_wide_sums);
  return g_test_run();
}
