/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "operator.h"

#include <math.h>
#include "canny.h"
#include "engine/error.h"
#include "engine/kernel/factor.h"
#include "quantize.h"

#define MAX_DIVISOR 4096     /* largest divisor of exact taps, or of exact rows or columns */
#define COEFF_TOLERANCE 1e-6 /* relative to the smaller of 1 and the largest coefficient */
#define MAX_SCALE_DENOMINATOR (1 << 20)

/* --- coefficients --- */

/* Fills `size` elements of a line with a Gaussian whose sum is 1. */
static void
sample_gaussian(gdouble line[CC_MAX_KERNEL_SIZE], gdouble sigma, guint size) {
  gdouble sum = 0;
  const gint r = (gint)size / 2;
  for (gint i = -r; i <= r; i++)
    sum += line[i + r] = exp(-0.5 * (i / sigma) * (i / sigma));
  for (guint i = 0; i < size; i++)
    line[i] /= sum;
}

static gdouble
largest_number(const gdouble *number, guint n) {
  gdouble largest = 0;
  for (guint i = 0; i < n; i++)
    largest = MAX(largest, fabs(number[i]));
  return largest;
}

/* Whether all numbers times `divisor` are integers within the tolerance, and the sum of absolute
 * integers of each matrix fits in 32 bits. Stores the integers. */
static gboolean
divides(gint64 divisor, CcNumbers *numbers, guint n_matrices, gdouble tolerance) {
  gdouble sum = 0;
  for (guint i = 0; i < n_matrices * numbers->n; i++) {
    const gdouble c = numbers->real[i], whole = round(c * (gdouble)divisor);
    sum = (i % numbers->n ? sum : 0) + fabs(whole);
    if (fabs(c - whole / (gdouble)divisor) > tolerance || sum > G_MAXINT32)
      return FALSE;
    numbers->whole[i] = (gint64)whole;
  }
  return TRUE;
}

/* The smallest divisor that makes every number an integer within the tolerance, or 0. */
static gint64
find_divisor(CcNumbers *numbers, guint n_matrices) {
  const gdouble largest = largest_number(numbers->real, n_matrices * numbers->n);
  for (gint64 d = 1; d <= MAX_DIVISOR; d++)
    if (divides(d, numbers, n_matrices, COEFF_TOLERANCE * MIN(1, largest)))
      return d;
  return 0;
}

static gint64
sum_whole(const CcNumbers *numbers, gboolean absolute) {
  gint64 sum = 0;
  for (guint i = 0; i < numbers->n; i++)
    sum += absolute ? ABS(numbers->whole[i]) : numbers->whole[i];
  return sum;
}

/* The divisor of the products of rows and columns; 0 if none exists. The sums of the products must
 * fit in 32 bits, like the sums of unfactored taps. */
static gint64
find_product_divisor(CcOperator *self) {
  const gint64 of_rows = find_divisor(&self->rows, self->n);
  const gint64 of_columns = of_rows ? find_divisor(&self->columns, self->n) : 0;
  for (guint m = 0; m < self->n && of_columns; m++) {
    const CcNumbers row = {self->width, self->rows.whole + m * self->width, NULL};
    const CcNumbers column = {self->height, self->columns.whole + m * self->height, NULL};
    if (sum_whole(&row, TRUE) * sum_whole(&column, TRUE) > G_MAXINT32)
      return 0;
  }
  return of_rows * of_columns;
}

/* The absolute value of the scale, for coefficients that were divided by 2^exponent. `sum` and
 * `sum_abs` are the sum and the sum of absolute values of the first matrix. */
static gdouble
size_of_scale(gdouble scale, gdouble sum, gdouble sum_abs, gint exponent) {
  if (scale != 0)
    return ldexp(fabs(scale), exponent);
  /* a zero sum may be slightly positive because of rounding */
  return sum > COEFF_TOLERANCE * sum_abs ? 1 / sum : ldexp(1, exponent);
}

/* Scales the numbers by a power of two so that the largest is between 1/2 and 1, which avoids
 * underflow and overflow of sums. Returns the exponent. Also sums the numbers of the first matrix.
 */
static gint
bring_into_range(CcNumbers *numbers, guint n_matrices, gdouble *sum, gdouble *sum_abs) {
  gint exponent;
  frexp(largest_number(numbers->real, n_matrices * numbers->n), &exponent);
  *sum = *sum_abs = 0;
  for (guint i = 0; i < n_matrices * numbers->n; i++) {
    numbers->real[i] = ldexp(numbers->real[i], -exponent);
    *sum += i < numbers->n ? numbers->real[i] : 0;
    *sum_abs += i < numbers->n ? fabs(numbers->real[i]) : 0;
  }
  return exponent;
}

/* Multiplies the taps, or the columns of factored matrices, by the absolute value of the scale. */
static void
set_weights(CcOperator *self) {
  gdouble sum, sum_abs, of_rows = 1, of_rows_abs = 1;
  CcNumbers *scaled = self->factored ? &self->columns : &self->taps;
  gint exponent = bring_into_range(scaled, self->n, &sum, &sum_abs);
  if (self->factored)
    exponent += bring_into_range(&self->rows, self->n, &of_rows, &of_rows_abs);
  const gdouble by = size_of_scale(self->scale, sum * of_rows, sum_abs * of_rows_abs, exponent);
  for (guint i = 0; i < self->n * scaled->n; i++)
    scaled->real[i] *= by;
}

static void
numbers_init(CcNumbers *self, guint n_matrices, guint n) {
  *self = (CcNumbers){n, g_new0(gint64, n_matrices * n), g_new0(gdouble, n_matrices * n)};
}

static void
set_line(CcNumbers *self, guint matrix, const gdouble *from) {
  for (guint i = 0; i < self->n; i++)
    self->real[matrix * self->n + i] = from[i];
}

static void
numbers_clear(CcNumbers *self) {
  g_free(self->whole);
  g_free(self->real);
}

static void
set_numbers(CcOperator *self) {
  const guint area = self->width * self->height;
  self->factored = self->matrix->factored;
  numbers_init(&self->taps, self->n, self->factored ? 0 : area);
  numbers_init(&self->rows, self->n, self->factored ? self->width : 0);
  numbers_init(&self->columns, self->n, self->factored ? self->height : 0);
  for (guint m = 0; m < self->n; m++) {
    set_line(&self->taps, m, self->matrix[m].coeff);
    set_line(&self->rows, m, self->matrix[m].row);
    set_line(&self->columns, m, self->matrix[m].column);
  }
  self->divisor = self->factored ? find_product_divisor(self) : find_divisor(&self->taps, self->n);
  if (!self->divisor)
    set_weights(self);
}

/* Moves the sign of a negative scale into the taps, because more and faster variants of the output
 * stage exist for positive scales. The result stays the same only if it is linear in the sums. */
static void
move_sign(CcOperator *self) {
  const gboolean is_linear =
      self->n == 1 && (self->response == CC_RESPONSE_CLAMP || self->response == CC_RESPONSE_OFFSET);
  if (self->scale >= 0 || !is_linear)
    return;
  for (guint i = 0; i < CC_MAX_COEFFS; i++)
    self->matrix->coeff[i] = -self->matrix->coeff[i];
  for (guint i = 0; i < CC_MAX_KERNEL_SIZE; i++)
    self->matrix->column[i] = -self->matrix->column[i];
  self->scale = -self->scale;
}

/* The number of rows and columns for three sigma on both sides, by OpenCV's rule for 8-bit images.
 */
static guint
taps_of_sigma(gdouble sigma) {
  return MAX(3, (guint)round(6 * MIN(sigma, CC_MAX_SIGMA) + 1) | 1);
}

static gboolean
check_size(guint size, GError **error) {
  if (size == 0 || (size % 2 == 1 && size <= CC_MAX_KERNEL_SIZE))
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "size=%u: an odd number from 1 to %d is needed, or 0 for the kernel's own", size,
              CC_MAX_KERNEL_SIZE);
  return FALSE;
}

/* The number of rows and columns of a sampled Gaussian; 0 after the error that it is too large. */
static guint
gaussian_size(const CcFilter *filter, GError **error) {
  const guint size = filter->size ? filter->size : taps_of_sigma(filter->sigma);
  if (size <= CC_MAX_KERNEL_SIZE)
    return size;
  /* sigma must be below the limit that is here rounded down to two decimals */
  const gdouble largest = floor((CC_MAX_KERNEL_SIZE - 0.5) / 6 * 100) / 100;
  g_set_error(
      error, CC_ERROR, CC_ERROR_INVALID,
      "sigma=%g needs a Gaussian of %u rows and columns, and at most %d are possible; %g is the "
      "largest sigma, or a size such as size=%d cuts the Gaussian off",
      filter->sigma, size, CC_MAX_KERNEL_SIZE, largest, CC_MAX_KERNEL_SIZE);
  return 0;
}

/* Sets a single matrix of size x size, the line times itself. */
static void
take_square(CcOperator *self, const gdouble *line, guint size) {
  self->n = 1;
  self->matrix = g_new(CcMatrix, 1);
  cc_matrix_init_product(self->matrix, line, size, line, size);
}

static gboolean
take_gaussian(CcOperator *self, const CcFilter *filter, GError **error) {
  gdouble line[CC_MAX_KERNEL_SIZE];
  const guint size = gaussian_size(filter, error);
  if (size == 0)
    return FALSE;
  /* if no sigma is given, the size covers three sigma on both sides */
  sample_gaussian(line, filter->sigma > 0 ? filter->sigma : (size - 1) / 6.0, size);
  take_square(self, line, size);
  return TRUE;
}

static void
take_mean(CcOperator *self, guint size) {
  gdouble line[CC_MAX_KERNEL_SIZE];
  for (guint i = 0; i < size; i++)
    line[i] = 1;
  take_square(self, line, size);
}

static gboolean
take_matrices(CcOperator *self, const CcFilter *filter, GError **error) {
  const CcKernel *kernel = filter->kernel;
  const gboolean is_larger = cc_kernel_has_larger_size(kernel, filter->size);
  if (kernel->gaussian && (filter->sigma > 0 || is_larger))
    return take_gaussian(self, filter, error);
  if (kernel->mean && is_larger) {
    take_mean(self, filter->size);
    return TRUE;
  }
  const CcKernelSize *size = cc_kernel_get_size(kernel, filter->size);
  self->n = size->n_matrices;
  self->matrix = g_memdup2(size->matrix, size->n_matrices * sizeof *size->matrix);
  self->scale = size->scale;
  return TRUE;
}

CcChroma
cc_filter_get_chroma(const CcFilter *self) {
  if (self->chroma != CC_CHROMA_AUTO)
    return self->chroma;
  return self->chroma_kernel ? CC_CHROMA_FILTER : self->kernel->chroma;
}

CcOperator *
cc_operator_new(const CcFilter *filter, GError **error) {
  const CcKernel *kernel = filter->kernel;
  g_autoptr(CcOperator) self = g_new0(CcOperator, 1);
  if (!check_size(filter->size, error) || !take_matrices(self, filter, error))
    return NULL;
  self->width = self->matrix->width;
  self->height = self->matrix->height;
  self->klass = kernel->klass;
  self->response = filter->response ? filter->response : kernel->response;
  self->finds_edges = cc_response_is_canny(self->response);
  if (self->finds_edges)
    self->response =
        self->response == CC_RESPONSE_CANNY ? CC_RESPONSE_MAGNITUDE : CC_RESPONSE_MAGNITUDE_L1;
  self->chroma = cc_filter_get_chroma(filter);
  if (filter->scale != 0)
    self->scale = filter->scale;
  self->falls = self->scale < 0;
  move_sign(self);
  set_numbers(self);
  return g_steal_pointer(&self);
}

void
cc_operator_free(CcOperator *self) {
  numbers_clear(&self->taps);
  numbers_clear(&self->rows);
  numbers_clear(&self->columns);
  g_free(self->matrix);
  g_free(self);
}

gboolean
cc_operator_has_negative_tap(const CcOperator *self) {
  for (guint m = 0; m < self->n; m++) {
    const CcMatrix *matrix = &self->matrix[m];
    for (guint i = 0; i < matrix->width * matrix->height; i++)
      if (matrix->factored ? matrix->column[i / matrix->width] * matrix->row[i % matrix->width] < 0
                           : matrix->coeff[i] < 0)
        return TRUE;
  }
  return FALSE;
}

/* --- taps --- */

static void
set_whole_factors(CcOp *op, const CcOperator *from) {
  op->separable = TRUE;
  for (guint m = 0; m < op->n_matrices; m++) {
    for (guint i = 0; i < op->width; i++)
      op->row_i[m][i] = (gint32)from->rows.whole[m * op->width + i];
    for (guint i = 0; i < op->height; i++)
      op->column_i[m][i] = (gint32)from->columns.whole[m * op->height + i];
  }
}

static void
set_whole_taps(CcOp *op, const CcOperator *from) {
  const guint area = op->width * op->height;
  op->has_taps = TRUE;
  op->separable = TRUE;
  for (guint m = 0; m < op->n_matrices; m++) {
    for (guint i = 0; i < area; i++)
      op->tap_i[m * area + i] = (gint32)from->taps.whole[m * area + i];
    op->separable = op->separable && cc_factor_whole(from->taps.whole + m * area, op->width,
                                                     op->height, op->row_i[m], op->column_i[m]);
  }
}

/* Sets the bounds of the sums for samples of 0 to `max_code`. */
static void
set_bounds(CcOp *op, gint max_code) {
  for (guint m = 0; m < op->n_matrices; m++) {
    op->sum_min[m] = op->sum_max[m] = 0;
    for (guint r = 0; r < op->height; r++)
      for (guint c = 0; c < op->width; c++) {
        const gint64 max = cc_op_tap(op, m, r, c) * max_code;
        *(max < 0 ? &op->sum_min[m] : &op->sum_max[m]) += max;
      }
  }
}

/* The factor that turns sums of whole taps into results. */
static gdouble
whole_scale(const CcOperator *self, CcRational *fraction) {
  if (self->scale == 0) {
    const gint64 sum = self->factored
                           ? sum_whole(&self->rows, FALSE) * sum_whole(&self->columns, FALSE)
                           : sum_whole(&self->taps, FALSE);
    *fraction = (CcRational){1, sum > 0 ? sum : self->divisor};
  } else {
    const CcRational scale = cc_rational(self->scale, MAX_SCALE_DENOMINATOR);
    if (!scale.den)
      return self->scale / (gdouble)self->divisor;
    *fraction = (CcRational){scale.num, scale.den * self->divisor};
  }
  return (gdouble)fraction->num / (gdouble)fraction->den;
}

gdouble
cc_operator_set_taps(const CcOperator *self, CcOp *op, gint max_code, CcRational *fraction) {
  gdouble scale;
  *fraction = (CcRational){0, 0};
  op->n_matrices = self->n;
  op->width = self->width;
  op->height = self->height;
  op->response = self->response;
  if (self->divisor) {
    if (self->factored)
      set_whole_factors(op, self);
    else
      set_whole_taps(op, self);
    scale = whole_scale(self, fraction);
  } else {
    const gdouble divisor =
        self->factored ? cc_quantize_factors(op, self->rows.real, self->columns.real, max_code)
                       : cc_quantize(op, self->taps.real, max_code);
    const gint sign = self->scale < 0 ? -1 : 1;
    const CcRational exact = cc_rational(divisor, MAX_SCALE_DENOMINATOR);
    *fraction = (CcRational){sign * exact.den, exact.num};
    scale = exact.den ? (gdouble)fraction->num / (gdouble)fraction->den : sign / divisor;
  }
  cc_op_trim(op);
  set_bounds(op, max_code);
  return scale;
}
