/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/oracle_matrices.h"

#include <math.h>
#include <string.h>

/* maximum common denominator of coefficients that count as rational */
#define MAX_DIVISOR 4096
/* maximum error of these coefficients; relative if the largest one is below 1 */
#define COEFF_TOLERANCE 1e-6
#define MAX_WHOLE_SUM G_MAXINT32 /* maximum sum of the absolute numerators of a matrix */
/* maximum denominator of a scale or bias that counts as rational */
#define MAX_SCALAR_DIVISOR 1000000

static gint64
gcd(gint64 a, gint64 b) {
  while (b != 0) {
    gint64 rest = a % b;
    a = b;
    b = rest;
  }
  return ABS(a);
}

static Number
number_from_ratio(gint64 num, gint64 den) {
  gint64 common = gcd(num, den);
  return (Number){TRUE, {num / common, den / common}, (long double)num / den};
}

/* Finds the fraction by a continued fraction. */
Number
oracle_number(gdouble value) {
  long double x = value, p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  for (;;) {
    long double whole = floorl(x);
    long double p = whole * p1 + p0, q = whole * q1 + q0;
    if (q > MAX_SCALAR_DIVISOR || fabsl(p) > 1e12L)
      return (Number){FALSE, {0, 1}, value};
    if ((gdouble)(p / q) == value)
      return number_from_ratio((gint64)p, (gint64)q);
    p0 = p1;
    q0 = q1;
    p1 = p;
    q1 = q;
    x = 1 / (x - whole);
  }
}

Number
oracle_number_plus(Number number, gint64 i) {
  number.ratio.num += i * number.ratio.den;
  number.real += i;
  return number;
}

Number
oracle_number_times(Number number, gint64 num, gint64 den) {
  if (number.rational)
    return number_from_ratio(number.ratio.num * num, number.ratio.den * den);
  number.real = number.real * num / den;
  return number;
}

static void
set_coefficients(Coefficients *to, guint m, const gdouble *from, guint n) {
  to->n = n;
  memcpy(to->real + m * n, from, n * sizeof *from);
}

/* Sets the taps to the products of a column and a row that both are `line`. */
static void
set_square(Matrices *m, const gdouble *line, guint size) {
  gdouble product[CC_MAX_COEFFS];
  m->n = 1;
  m->width = m->height = size;
  m->factored = size > 15;
  if (m->factored) {
    set_coefficients(&m->rows, 0, line, size);
    set_coefficients(&m->columns, 0, line, size);
    return;
  }
  for (guint i = 0; i < size * size; i++)
    product[i] = line[i / size] * line[i % size];
  set_coefficients(&m->taps, 0, product, size * size);
}

static void
sample_gaussian(Matrices *m, guint size, gdouble sigma) {
  /* OpenCV: cvRound(sigma * 3 * 2 + 1) | 1 */
  if (size == 0)
    size = 2 * (guint)fmax(1, floor(3 * sigma + 0.75)) + 1;
  else if (sigma == 0)
    sigma = (size - 1) / 6.0;
  g_assert_cmpuint(size, <=, 127);
  long double axis[127], sum = 0;
  gdouble line[127];
  gint half = (gint)size / 2;
  for (guint i = 0; i < size; i++) {
    gint distance = (gint)i - half;
    axis[i] = expl(-(long double)(distance * distance) / (2 * (long double)sigma * sigma));
    sum += axis[i];
  }
  for (guint i = 0; i < size; i++)
    line[i] = (gdouble)(axis[i] / sum);
  set_square(m, line, size);
}

static void
set_mean(Matrices *m, guint size) {
  gdouble line[127];
  for (guint i = 0; i < size; i++)
    line[i] = 1;
  set_square(m, line, size);
}

static void
set_defined(Matrices *m, const CcKernelSize *size) {
  m->n = size->n_matrices;
  m->width = size->matrix[0].width;
  m->height = size->matrix[0].height;
  m->factored = MAX(m->width, m->height) > 15;
  for (guint i = 0; i < m->n; i++) {
    const CcMatrix *matrix = &size->matrix[i];
    if (m->factored) {
      set_coefficients(&m->rows, i, matrix->row, m->width);
      set_coefficients(&m->columns, i, matrix->column, m->height);
    } else {
      set_coefficients(&m->taps, i, matrix->coeff, m->width * m->height);
    }
  }
}

static gboolean
denominator_fits(const Coefficients *c, guint n_matrices, gint64 den, gdouble tolerance) {
  gdouble sum = 0;
  for (guint i = 0; i < n_matrices * c->n; i++) {
    gdouble whole = nearbyint(c->real[i] * den);
    sum = (i % c->n == 0 ? 0 : sum) + fabs(whole);
    if (fabs(c->real[i] - whole / den) > tolerance || sum > MAX_WHOLE_SUM)
      return FALSE;
  }
  return TRUE;
}

/* Returns the smallest denominator with which all coefficients have integer numerators; 0: none was
 * found. */
static gint64
find_denominator(Coefficients *c, guint n_matrices) {
  gdouble largest = 0;
  for (guint i = 0; i < n_matrices * c->n; i++)
    largest = fmax(largest, fabs(c->real[i]));
  gdouble tolerance = COEFF_TOLERANCE * fmin(1, largest);
  for (gint64 den = 1; den <= MAX_DIVISOR; den++) {
    if (!denominator_fits(c, n_matrices, den, tolerance))
      continue;
    for (guint i = 0; i < n_matrices * c->n; i++)
      c->num[i] = (gint64)nearbyint(c->real[i] * den);
    return den;
  }
  return 0;
}

/* Returns the sum of the absolute numerators of a matrix. */
static gint64
total_of(const Coefficients *c, guint matrix) {
  gint64 total = 0;
  for (guint i = 0; i < c->n; i++)
    total += ABS(c->num[matrix * c->n + i]);
  return total;
}

static void
make_rational(Matrices *m) {
  if (m->factored) {
    gint64 row = find_denominator(&m->rows, m->n), column = find_denominator(&m->columns, m->n);
    m->den = row * column;
    for (guint i = 0; i < m->n && m->den; i++)
      if (total_of(&m->rows, i) * total_of(&m->columns, i) > MAX_WHOLE_SUM)
        m->den = 0;
  } else {
    m->den = find_denominator(&m->taps, m->n);
  }
  m->rational = m->den != 0;
}

/* Computes the sum of the numbers of the first matrix, and the sum of their absolute values. */
static void
sum_up(const Coefficients *c, gint64 *num, long double *real, long double *absolute) {
  *num = 0;
  *real = *absolute = 0;
  for (guint i = 0; i < c->n; i++) {
    *num += c->num[i];
    *real += c->real[i];
    *absolute += fabs(c->real[i]);
  }
}

static void
choose_gain(Matrices *m, gdouble scale) {
  if (scale != 0) {
    m->gain = oracle_number_times(oracle_number(scale), 1, m->rational ? m->den : 1);
    return;
  }
  gint64 num, of_rows = 1;
  long double real, absolute, real_rows = 1, absolute_rows = 1;
  sum_up(m->factored ? &m->columns : &m->taps, &num, &real, &absolute);
  if (m->factored)
    sum_up(&m->rows, &of_rows, &real_rows, &absolute_rows);
  num *= of_rows;
  real *= real_rows;
  absolute *= absolute_rows;
  if (m->rational) /* 1 / (num / den); the denominator of the taps themselves cancels out */
    m->gain = number_from_ratio(1, num > 0 ? num : m->den);
  else /* the rounding error of a zero sum must not count as a positive sum */
    m->gain = (Number){FALSE, {0, 1}, real > COEFF_TOLERANCE * absolute ? 1 / real : 1};
}

/* Returns the largest size that is not larger than the requested size. If there is no such size,
 * returns the smallest size. */
static const CcKernelSize *
nearest_size(const CcKernel *kernel, guint requested) {
  const CcKernelSize *nearest = &kernel->sizes[0];
  for (guint i = 1; i < kernel->n_sizes; i++)
    if (kernel->sizes[i].size <= (requested ? requested : kernel->default_size))
      nearest = &kernel->sizes[i];
  return nearest;
}

void
oracle_matrices_init(Matrices *m, const CcFilter *filter) {
  const CcKernel *kernel = filter->kernel;
  gboolean larger = filter->size > kernel->sizes[kernel->n_sizes - 1].size;
  gdouble scale = filter->scale;
  memset(m, 0, sizeof *m);
  if (kernel->gaussian && (filter->sigma > 0 || larger)) {
    sample_gaussian(m, filter->size, filter->sigma);
  } else if (kernel->mean && larger) {
    set_mean(m, filter->size);
  } else {
    const CcKernelSize *size = nearest_size(kernel, filter->size);
    set_defined(m, size);
    if (scale == 0)
      scale = size->scale;
  }
  make_rational(m);
  choose_gain(m, scale);
}
