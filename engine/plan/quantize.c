/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quantize.h"

#include <math.h>
#include <string.h>
#include "engine/kernel/factor.h"

/* The error bound of a divisor, in code values. With a bound below 1 a result is off by at most 1,
 * because two reals less than 1 apart round to the same integer or to neighbours. */
#define MAX_ERROR 0.95

/* The bound for level 0 of `levels`. It is stricter, because the levels after it are finer and
 * nearly as fast. */
#define MAX_SMALL_ERROR 0.7

/* The bound for the sums of a direction: angles of weak gradients need more precision. */
#define MAX_ANGLE_ERROR 0.0625

/* The bound for the error of flat areas. An error below 0.5 code values changes no result, and rows
 * and columns may each cause an error up to this bound. */
#define MAX_FLAT_ERROR 0.24

/* An error too small to change results, in code values. */
#define NEGLIGIBLE 1e-6

/* A row whose sum is below SMALLEST_SUM times the sum of its absolute values counts as zero-sum (a
 * derivative). */
#define SMALLEST_SUM 1e-3

#define MAX_TRIED 2048        /* maximum number of divisors that are tried; the best one is used */
#define MAX_ROUNDED (1 << 17) /* total of coefficients that may be rounded during the search */
#define LARGEST_SIMPLE 16     /* divisors up to here are tried first, because they may be exact */
#define SIMPLE_ERROR 1e-12 /* maximum error of an exact divisor, relative to the largest weight */

/* Divisors of rows and of columns are multiples of MULTIPLE if they are large enough. The product
 * of both is then a multiple of 256, so the lowest byte of a sum with its addend can be dropped
 * before the division. */
#define MULTIPLE 16
#define SOME_MULTIPLES (16 * MULTIPLE)

/* Divisors of unfactored weights are 2^k / n, so a sum is divided by multiplying it by n and
 * shifting it right. From n = 2^SHIFT_OF_SOME on the divisors are dense enough that one fits well.
 */
#define SHIFT_OF_SOME 11
#define MAX_SMALL_SIDE 5 /* largest side of kernels whose factors have such divisors too */
#define SHIFT_OF_SMALL 11
#define PRODUCT_BITS_OF_NARROW 31 /* maximum bits of a sum times n, for narrow sums of bytes */
#define PRODUCT_BITS 62

/* --- how fine integers may be --- */

/* The limits of the integers in a level. Levels are tried from the cheapest on. */
typedef struct {
  guint digits;       /* number of digits of a tap; see largest_tap() */
  gint64 largest_sum; /* largest sum of samples times taps */
  gint64 largest_row; /* largest sum of samples times the row of a separable kernel */
  gint shift;         /* largest k of a divisor 2^k / n */
} Level;

#define NARROW G_MAXINT32
#define WIDE (G_GINT64_CONSTANT(1) << 50)           /* fits a double's fraction with a margin */
#define WIDER ((G_GINT64_CONSTANT(1) << 55) - WIDE) /* 32 bits above three bytes, with a margin */
#define WIDEST (G_GINT64_CONSTANT(1) << 60)

/* With k up to 16, sum times n is an exact float if the result is an 8-bit code value. */
#define FLOAT 16
#define FINE 44

static const Level levels[] = {
    {0, NARROW, NARROW, FLOAT}, {1, NARROW, NARROW, FLOAT},   {1, NARROW, NARROW, FINE},
    {2, NARROW, NARROW, FINE},  {1, WIDE, G_MAXUINT32, FINE}, {2, WIDE, G_MAXUINT32, FINE},
    {2, WIDE, WIDE, FINE},      {3, WIDE, WIDE, FINE},        {4, WIDE, WIDE, FINE},
    {3, WIDER, WIDER, FINE},    {2, WIDEST, WIDEST, FINE},    {3, WIDEST, WIDEST, FINE},
    {4, WIDEST, WIDEST, FINE},
};

/* The largest tap with this number of digits. Digit number d is a signed byte with weight 256^d. 0
 * digits stand for rows and columns of small kernels, whose products have two digits. Two or more
 * digits could hold at least about twice these limits. The limits are not raised, so that taps are
 * rounded as in earlier versions. A tap of one digit may use an unsigned byte if no tap is
 * negative. */
static gint64
largest_tap(guint digits, gboolean may_be_unsigned) {
  static const gint64 largest[] = {127, 127, 127 << 7, 127 << 14, 1 << 30};
  return digits == 1 && may_be_unsigned ? G_MAXUINT8 : largest[digits];
}

/* --- numbers that share a divisor --- */

/* n_lines lines of n weights. A line is a row or a column, or all weights of one matrix. */
typedef struct {
  guint n_lines, n;
  const gdouble *weight;
  gdouble largest; /* the largest absolute value of a weight */
  gdouble max;     /* the largest sum of absolute values of a line */
  gdouble sum[CC_MAX_MATRICES];
  gboolean may_be_unsigned; /* one digit may be unsigned, because no weight is negative */
  gboolean is_last;         /* no finer level exists */
} Lines;

static Lines
measure_lines(const gdouble *weight, guint n_lines, guint n, const Level *level,
              gboolean unsigned_digit) {
  Lines lines = {.n_lines = n_lines,
                 .n = n,
                 .weight = weight,
                 .may_be_unsigned = unsigned_digit,
                 .is_last = level == &levels[G_N_ELEMENTS(levels) - 1]};
  for (guint line = 0; line < n_lines; line++) {
    gdouble sum = 0;
    for (guint i = 0; i < n; i++) {
      const gdouble w = weight[line * n + i];
      sum += fabs(w);
      lines.sum[line] += w;
      lines.largest = MAX(lines.largest, fabs(w));
      lines.may_be_unsigned &= w >= 0;
    }
    lines.max = MAX(lines.max, sum);
  }
  return lines;
}

/* Rounds a line; symmetric weights round alike. The middle tap is then corrected, so that the
 * taps add up to the sum of the weights times `divisor`, rounded. Returns the sum of all absolute
 * errors, or infinity if the middle tap is larger than `largest`. */
static gdouble
round_line(const gdouble *weight, guint n, gdouble divisor, gint64 largest, gint32 *tap) {
  gdouble sum = 0, error = 0;
  gint64 rounded = 0;
  for (guint i = 0; i < n; i++) {
    tap[i] = (gint32)round(weight[i] * divisor);
    rounded += tap[i];
    sum += weight[i];
  }
  const gint64 middle = tap[n / 2] + (gint64)round(sum * divisor) - rounded;
  if (ABS(middle) > largest)
    return INFINITY;
  tap[n / 2] = (gint32)middle;
  for (guint i = 0; i < n; i++)
    error += fabs(tap[i] / divisor - weight[i]);
  return error;
}

/* Returns the largest error of a line, or infinity if a tap is too large. */
static gdouble
round_lines(const Lines *lines, gdouble divisor, gint64 largest, gint32 *tap) {
  gdouble error = 0;
  for (guint line = 0; line < lines->n_lines; line++)
    error = MAX(error, round_line(lines->weight + line * lines->n, lines->n, divisor, largest,
                                  tap + line * lines->n));
  return error;
}

/* Whether flat areas stay unchanged within MAX_FLAT_ERROR. */
static gboolean
keeps_sums(const Lines *lines, gdouble divisor, gint max_code) {
  for (guint line = 0; line < lines->n_lines; line++) {
    const gdouble sum = lines->sum[line] * divisor;
    if (fabs(round(sum) - sum) * max_code > MAX_FLAT_ERROR * divisor)
      return FALSE;
  }
  return TRUE;
}

/* The divisors that are tried: multiples of `multiple`, or 2^shift / n. */
typedef struct {
  gdouble multiple;
  gint shift; /* -1: use `multiple` */
} Grid;

/* The i-th divisor, descending from `top`. */
static gdouble
divisor_at(const Grid *grid, gdouble top, guint i) {
  if (grid->shift < 0)
    return (floor(top / grid->multiple) - i) * grid->multiple;
  const gdouble power = ldexp(1, grid->shift);
  return power / (ceil(power / top) + i);
}

/* Finds the divisor up to `max` whose integers fit best, and stores these integers in `tap`.
 * Returns 1 if no divisor keeps flat areas and a finer level exists. */
static gdouble
find_divisor(const Lines *lines, gint64 largest, gdouble max, gint shift, gint max_code,
             gint32 *tap) {
  const gdouble finest = shift < 0 ? INFINITY : ldexp(1, shift);
  const gdouble top = MIN(MIN(max, finest), (gdouble)largest / lines->largest);
  if (!(top >= 1)) { /* with the divisor 1, integers would be too large */
    gint exponent;
    frexp(top, &exponent);
    const gdouble coarse = ldexp(0.5, exponent);
    round_lines(lines, coarse, G_MAXINT32, tap);
    return coarse;
  }
  for (gdouble d = 1; d <= MIN(top, LARGEST_SIMPLE); d++)
    if (round_lines(lines, d, largest, tap) <= SIMPLE_ERROR * lines->largest)
      return d;
  const Grid grid = {top >= SOME_MULTIPLES ? MULTIPLE : 1, shift};
  const guint tried = CLAMP(MAX_ROUNDED / (lines->n * lines->n_lines), 1, MAX_TRIED);
  gdouble best = 1, min = INFINITY, any = 1, min_of_any = INFINITY;
  for (guint i = 0; i < tried; i++) {
    const gdouble d = divisor_at(&grid, top, i);
    if (d < top / 2)
      break;
    const gdouble error = round_lines(lines, d, largest, tap);
    if (error < min_of_any) {
      min_of_any = error;
      any = d;
    }
    if (error < min && keeps_sums(lines, d, max_code)) {
      min = error;
      best = d;
    }
  }
  if (lines->is_last && min == INFINITY)
    best = any;
  round_lines(lines, best, largest, tap);
  return best;
}

/* --- weights --- */

/* The weights to quantize. They are given one by one, as the products of columns and rows, or in
 * both forms. */
typedef struct {
  const gdouble *all; /* NULL: only the factors are known */
  gdouble *row, *column;
  gint max_code; /* largest value of a sample */
} Weights;

static gdouble
weight_at(const Weights *weights, const CcOp *op, guint m, guint r, guint c) {
  return weights->all ? weights->all[(m * op->height + r) * op->width + c]
                      : weights->column[m * op->height + r] * weights->row[m * op->width + c];
}

/* --- the bound --- */

/* The largest error of a matrix's sum because of rounded taps, in code values. In the worst case,
 * samples are 0 except at taps whose errors have the same sign. */
static gdouble
error_of_matrix(const CcOp *op, guint m, const Weights *weights, gdouble divisor) {
  gdouble above = 0, below = 0;
  for (guint r = 0; r < op->height; r++)
    for (guint c = 0; c < op->width; c++) {
      const gdouble tap = (gdouble)cc_op_tap(op, m, r, c);
      const gdouble error = tap / divisor - weight_at(weights, op, m, r, c);
      *(error > 0 ? &above : &below) += error;
    }
  return MAX(above, -below) * weights->max_code;
}

static gdouble
error_of_response(const CcOp *op, const Weights *weights, gdouble divisor) {
  gdouble largest = 0, sum = 0, squares = 0;
  for (guint m = 0; m < op->n_matrices; m++) {
    const gdouble error = error_of_matrix(op, m, weights, divisor);
    largest = MAX(largest, error);
    sum += error;
    squares += error * error;
  }
  return op->response == CC_RESPONSE_MAGNITUDE_L1 ? sum
         : op->response == CC_RESPONSE_MAGNITUDE  ? sqrt(squares)
                                                  : largest;
}

static gboolean
is_fine_enough(const CcOp *op, gdouble max) {
  return op->error <= (op->response == CC_RESPONSE_DIRECTION ? MAX_ANGLE_ERROR : max);
}

/* --- column times row --- */

/* Scales the row so that its sum is 1, or, for a zero-sum row, the sum of its absolute values. The
 * column is scaled by the inverse. */
static void
balance(gdouble *row, guint width, gdouble *column, guint height) {
  gdouble sum = 0, sum_abs = 0;
  for (guint i = 0; i < width; i++) {
    sum += row[i];
    sum_abs += fabs(row[i]);
  }
  const gdouble by = fabs(sum) > SMALLEST_SUM * sum_abs ? sum : sum_abs;
  if (by == 0)
    return;
  for (guint i = 0; i < width; i++)
    row[i] /= by;
  for (guint i = 0; i < height; i++)
    column[i] *= by;
}

/* Finds factors of the weights. TRUE: their products are close enough to all weights, so the
 * factors may be rounded instead of the weights. */
static gboolean
find_factors(const Weights *weights, const CcOp *op) {
  for (guint m = 0; m < op->n_matrices; m++) {
    cc_factor_real(weights->all + m * op->width * op->height, op->width, op->height,
                   weights->row + m * op->width, weights->column + m * op->height);
    gdouble residue = 0;
    for (guint r = 0; r < op->height; r++)
      for (guint c = 0; c < op->width; c++)
        residue += fabs(weights->column[m * op->height + r] * weights->row[m * op->width + c] -
                        weight_at(weights, op, m, r, c));
    if (residue * weights->max_code > MAX_ERROR / 4)
      return FALSE;
  }
  return TRUE;
}

static void
set_factors(CcOp *op, const gint32 *row, const gint32 *column) {
  for (guint m = 0; m < op->n_matrices; m++) {
    memcpy(op->row_i[m], row + m * op->width, op->width * sizeof *row);
    memcpy(op->column_i[m], column + m * op->height, op->height * sizeof *column);
  }
  cc_op_set_taps_of_factors(op);
}

/* Returns the divisor of the products of rows and columns. */
static gdouble
round_factors(CcOp *op, const Weights *weights, const Level *level) {
  gint32 row[CC_MAX_MATRICES * CC_MAX_KERNEL_SIZE], column[CC_MAX_MATRICES * CC_MAX_KERNEL_SIZE];
  const Lines rows = measure_lines(weights->row, op->n_matrices, op->width, level, TRUE);
  const Lines columns = measure_lines(weights->column, op->n_matrices, op->height, level, TRUE);
  const gdouble max_code = weights->max_code, of_rows = max_code * rows.max;
  const gint shift = level->digits == 0 ? SHIFT_OF_SMALL : -1;
  /* rows take at most half of the bits that sums have beyond those of samples */
  const gdouble max_row_divisor =
      MIN((gdouble)level->largest_row, sqrt((gdouble)level->largest_sum * max_code)) / of_rows;
  const gdouble row_divisor =
      find_divisor(&rows, largest_tap(level->digits, rows.may_be_unsigned),
                   MAX(1, floor(max_row_divisor)), shift, weights->max_code, row);
  const gdouble max_column_divisor =
      (gdouble)level->largest_sum / (of_rows * row_divisor * columns.max);
  const gdouble column_divisor =
      find_divisor(&columns, largest_tap(level->digits, columns.may_be_unsigned),
                   max_column_divisor >= 1 ? floor(max_column_divisor) : max_column_divisor, shift,
                   weights->max_code, column);
  set_factors(op, row, column);
  return row_divisor * column_divisor;
}

/* --- all taps at once --- */

/* The shift for divisors up to `top`, limited so that a sum times n fits in PRODUCT_BITS or
 * PRODUCT_BITS_OF_NARROW bits. */
static gint
find_shift(const Lines *lines, const Level *level, gint max_code, gdouble top) {
  const gboolean is_byte = max_code <= G_MAXUINT8;
  const gboolean is_narrow = is_byte && level->largest_sum <= NARROW;
  const gint bits = is_narrow ? PRODUCT_BITS_OF_NARROW : PRODUCT_BITS;
  const gint left = bits - (gint)ceil(log2(max_code * (lines->max + 1) + 2));
  const gint wanted = SHIFT_OF_SOME + (gint)ceil(log2(MAX(top, 1)));
  return CLAMP(MIN(left, wanted), 0, is_byte ? level->shift : FINE);
}

static gdouble
round_taps(CcOp *op, const Weights *weights, const Level *level) {
  const Lines lines =
      measure_lines(weights->all, op->n_matrices, op->width * op->height, level, FALSE);
  const gint64 largest = largest_tap(level->digits, FALSE);
  const gdouble max = (gdouble)level->largest_sum / (weights->max_code * lines.max);
  const gdouble top = MIN(max, (gdouble)largest / lines.largest);
  return find_divisor(&lines, largest, max >= 1 ? floor(max) : max,
                      find_shift(&lines, level, weights->max_code, top), weights->max_code,
                      op->tap_i);
}

/* --- levels --- */

/* Levels with shift FLOAT are for bytes only. Level 0 is for rows and columns of small kernels.
 * Level 1 is for unfactored weights, because it equals level 2 for factored weights. */
static gboolean
is_tried(const CcOp *op, const Weights *weights, const Level *level) {
  if (level->shift != FLOAT)
    return TRUE;
  if (weights->max_code > G_MAXUINT8)
    return FALSE;
  return level->digits == 0 ? op->separable && MAX(op->width, op->height) <= MAX_SMALL_SIDE
                            : !op->separable;
}

/* Sets the taps with the first level that is fine enough, or with the last level. */
static gdouble
quantize(CcOp *op, const Weights *weights) {
  gdouble divisor = 1;
  for (guint i = 0; i < G_N_ELEMENTS(levels); i++) {
    if (!is_tried(op, weights, &levels[i]))
      continue;
    divisor = op->separable ? round_factors(op, weights, &levels[i])
                            : round_taps(op, weights, &levels[i]);
    op->error = error_of_response(op, weights, divisor);
    if (is_fine_enough(op, levels[i].digits == 0 ? MAX_SMALL_ERROR : MAX_ERROR))
      break;
  }
  return divisor;
}

static gdouble
quantize_products(CcOp *op, const Weights *weights) {
  for (guint m = 0; m < op->n_matrices; m++)
    balance(weights->row + m * op->width, op->width, weights->column + m * op->height, op->height);
  op->separable = TRUE;
  return quantize(op, weights);
}

static gdouble
sum_of_absolute(const gdouble *weight, guint n) {
  gdouble sum = 0;
  for (guint i = 0; i < n; i++)
    sum += fabs(weight[i]);
  return sum;
}

/* Whether weights with this sum of absolute values change no result. Then all taps may be 0. */
static gboolean
is_negligible(CcOp *op, gdouble sum, gint max_code) {
  op->error = sum * max_code;
  return op->error < NEGLIGIBLE;
}

gdouble
cc_quantize(CcOp *op, const gdouble *weight, gint max_code) {
  gdouble row[CC_MAX_MATRICES * CC_MAX_MATRIX_SIZE], column[CC_MAX_MATRICES * CC_MAX_MATRIX_SIZE];
  const Weights weights = {weight, row, column, max_code};
  op->has_taps = TRUE;
  if (is_negligible(op, sum_of_absolute(weight, op->n_matrices * op->width * op->height), max_code))
    return 1; /* the taps are 0 already */
  if (find_factors(&weights, op)) {
    const gdouble divisor = quantize_products(op, &weights);
    if (is_fine_enough(op, MAX_ERROR))
      return divisor;
  }
  op->separable = FALSE;
  op->has_taps = TRUE;
  return quantize(op, &weights);
}

gdouble
cc_quantize_factors(CcOp *op, const gdouble *row, const gdouble *column, gint max_code) {
  gdouble rows[CC_MAX_MATRICES * CC_MAX_KERNEL_SIZE], columns[CC_MAX_MATRICES * CC_MAX_KERNEL_SIZE];
  const Weights weights = {NULL, rows, columns, max_code};
  memcpy(rows, row, op->n_matrices * op->width * sizeof *row);
  memcpy(columns, column, op->n_matrices * op->height * sizeof *column);
  op->separable = TRUE;
  const gdouble sum = sum_of_absolute(row, op->n_matrices * op->width) *
                      sum_of_absolute(column, op->n_matrices * op->height);
  if (is_negligible(op, sum, max_code))
    return 1; /* the taps are 0 already */
  return quantize_products(op, &weights);
}
