/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "operator.h"

#include <math.h>
#include "error.h"
#include "factor.h"
#include "quantize.h"

#define MAX_DIVISOR 4096     /* of the coefficients of an exact op */
#define COEFF_TOLERANCE 1e-6 /* of the largest coefficient, or of 1 when that is less */
#define MAX_SCALE_DENOMINATOR (1 << 20)
#define MAX_FRACTION_DENOMINATOR (1 << 30)

/* --- coefficients --- */

static void
sample_gaussian(CcMatrix *matrix, gdouble sigma, guint size) {
  gdouble weight[CC_MAX_KERNEL_SIZE], sum = 0;
  const gint r = (gint)size / 2;
  for (gint i = -r; i <= r; i++)
    sum += weight[i + r] = exp(-0.5 * (i / sigma) * (i / sigma));
  matrix->width = matrix->height = size;
  for (guint y = 0; y < size; y++)
    for (guint x = 0; x < size; x++)
      matrix->coeff[y * size + x] = weight[y] / sum * (weight[x] / sum);
}

static gdouble
largest_coefficient(const CcOperator *self) {
  gdouble largest = 0;
  for (guint m = 0; m < self->n; m++)
    for (guint i = 0; i < self->width * self->height; i++)
      largest = MAX(largest, fabs(self->matrix[m].coeff[i]));
  return largest;
}

/* Finds the least divisor that makes every coefficient an integer within the tolerance. */
static void
find_divisor(CcOperator *self) {
  const guint area = self->width * self->height;
  const gdouble tolerance = COEFF_TOLERANCE * MIN(1, largest_coefficient(self));
  for (gint64 d = 1; d <= MAX_DIVISOR; d++) {
    gboolean fits = TRUE;
    for (guint m = 0; fits && m < self->n; m++) {
      gint64 sum = 0;
      for (guint i = 0; fits && i < area; i++) {
        const gdouble c = self->matrix[m].coeff[i];
        const gdouble whole = round(c * (gdouble)d);
        fits = fabs(c - whole / (gdouble)d) <= tolerance;
        self->whole[m * area + i] = (gint64)whole;
        sum += ABS((gint64)whole);
      }
      fits = fits && sum <= G_MAXINT32;
    }
    if (fits) {
      self->divisor = d;
      return;
    }
  }
  self->divisor = 0;
}

/* What the scale makes of a coefficient of 2^exponent less than it is, without its sign. */
static gdouble
size_of_scale(const CcOperator *self, const gdouble *coeff, gint exponent) {
  if (self->scale != 0)
    return ldexp(fabs(self->scale), exponent);
  gdouble sum = 0, sum_abs = 0;
  for (guint i = 0; i < self->width * self->height; i++) {
    sum += coeff[i];
    sum_abs += fabs(coeff[i]);
  }
  /* what rounding leaves of a zero sum is no positive sum */
  return sum > COEFF_TOLERANCE * sum_abs ? 1 / sum : ldexp(1, exponent);
}

/* Sets the weights. The largest coefficient is brought to between 1/2 and 1 before, so that their
 * sums are neither nothing nor infinite. */
static void
set_weights(CcOperator *self) {
  const guint area = self->width * self->height;
  gint exponent;
  frexp(largest_coefficient(self), &exponent);
  for (guint m = 0; m < self->n; m++)
    for (guint i = 0; i < area; i++)
      self->weight[m * area + i] = ldexp(self->matrix[m].coeff[i], -exponent);
  const gdouble by = size_of_scale(self, self->weight, exponent);
  for (guint i = 0; i < self->n * area; i++)
    self->weight[i] *= by;
}

/* Moves a negative scale into the taps, for which there are more and faster last steps. Only where
 * the result is linear in the sums is it the same. */
static void
move_sign(CcOperator *self) {
  const gboolean is_linear =
      self->n == 1 && (self->response == CC_RESPONSE_CLAMP || self->response == CC_RESPONSE_OFFSET);
  if (self->scale >= 0 || !is_linear)
    return;
  for (guint i = 0; i < self->width * self->height; i++)
    self->matrix->coeff[i] = -self->matrix->coeff[i];
  self->scale = -self->scale;
}

/* As many taps as three sigma on both sides need, by OpenCV's rule for pictures of 8 bits. */
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

/* The rows and columns of a sampled Gaussian; 0: it has too many. */
static guint
gaussian_size(const CcFilter *filter, GError **error) {
  const guint size = filter->size ? filter->size : taps_of_sigma(filter->sigma);
  if (size <= CC_MAX_KERNEL_SIZE)
    return size;
  /* the least that is too much, rounded down to what a person writes */
  const gdouble largest = floor((CC_MAX_KERNEL_SIZE - 0.5) / 6 * 100) / 100;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
              "sigma=%g: that Gaussian has %u rows and columns, and %d are the most; %g is the "
              "largest sigma, or an explicit size, such as size=%d, cuts the Gaussian off there",
              filter->sigma, size, CC_MAX_KERNEL_SIZE, largest, CC_MAX_KERNEL_SIZE);
  return 0;
}

/* Takes the coefficients at the size that the filter asks for. */
static gboolean
take_matrices(CcOperator *self, const CcFilter *filter, GError **error) {
  if (filter->kernel->gaussian && filter->sigma > 0) {
    const guint size = gaussian_size(filter, error);
    if (size == 0)
      return FALSE;
    self->n = 1;
    self->matrix = g_new0(CcMatrix, 1);
    sample_gaussian(self->matrix, filter->sigma, size);
  } else {
    const CcKernelSize *size = cc_kernel_get_size(filter->kernel, filter->size);
    self->n = size->n_matrices;
    self->matrix = g_memdup2(size->matrix, size->n_matrices * sizeof *size->matrix);
    self->scale = size->scale;
  }
  self->width = self->matrix[0].width;
  self->height = self->matrix[0].height;
  return TRUE;
}

CcOperator *
cc_operator_new(const CcFilter *filter, GError **error) {
  const CcKernel *kernel = filter->kernel;
  g_autoptr(CcOperator) self = g_new0(CcOperator, 1);
  if (!check_size(filter->size, error) || !take_matrices(self, filter, error))
    return NULL;
  self->klass = kernel->klass;
  self->response = filter->response ? filter->response : kernel->response;
  self->chroma = filter->chroma ? filter->chroma : kernel->chroma;
  if (filter->scale != 0)
    self->scale = filter->scale;
  self->falls = self->scale < 0;
  move_sign(self);
  find_divisor(self);
  if (!self->divisor)
    set_weights(self);
  return g_steal_pointer(&self);
}

void
cc_operator_free(CcOperator *self) {
  g_free(self->matrix);
  g_free(self);
}

/* --- taps --- */

static void
set_whole_taps(CcOp *op, const CcOperator *from) {
  const guint area = op->width * op->height;
  op->has_taps = TRUE;
  op->separable = TRUE;
  for (guint m = 0; m < op->n_matrices; m++) {
    for (guint i = 0; i < area; i++)
      op->tap_i[m * area + i] = (gint32)from->whole[m * area + i];
    op->separable = op->separable && cc_factor_whole(from->whole + m * area, op->width, op->height,
                                                     op->row_i[m], op->column_i[m]);
  }
}

/* Samples are 0 to `most_code`. */
static void
set_bounds(CcOp *op, gint most_code) {
  for (guint m = 0; m < op->n_matrices; m++) {
    op->sum_min[m] = op->sum_max[m] = 0;
    for (guint r = 0; r < op->height; r++)
      for (guint c = 0; c < op->width; c++) {
        const gint64 most = cc_op_tap(op, m, r, c) * most_code;
        *(most < 0 ? &op->sum_min[m] : &op->sum_max[m]) += most;
      }
  }
}

/* The factor from sums of whole taps to results. */
static gdouble
whole_scale(const CcOperator *self, CcRational *fraction) {
  if (self->scale == 0) {
    gint64 sum = 0;
    for (guint i = 0; i < self->width * self->height; i++)
      sum += self->whole[i];
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
cc_operator_set_taps(const CcOperator *self, CcOp *op, gint most_code, CcRational *fraction) {
  gdouble scale;
  *fraction = (CcRational){0, 0};
  op->n_matrices = self->n;
  op->width = self->width;
  op->height = self->height;
  op->response = self->response;
  if (self->divisor) {
    set_whole_taps(op, self);
    scale = whole_scale(self, fraction);
  } else {
    const gdouble divisor = cc_quantize(op, self->weight, most_code);
    const gint sign = self->scale < 0 ? -1 : 1;
    if (divisor >= 1 && divisor <= MAX_FRACTION_DENOMINATOR)
      *fraction = (CcRational){sign, (gint64)divisor};
    scale = sign / divisor;
  }
  set_bounds(op, most_code);
  return scale;
}
