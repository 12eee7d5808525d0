/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/ref/oracle_matrices.h"

#include <math.h>
#include <string.h>

#define MAX_DIVISOR 4096         /* of coefficients that count as rational */
#define COEFF_TOLERANCE 1e-6     /* and how well they have to fit: of 1, or of a smaller largest */
#define MAX_WHOLE_SUM G_MAXINT32 /* of one matrix brought to integers, signs dropped */
#define MAX_SCALAR_DIVISOR 1000000 /* of a scale or bias that counts as rational */

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

/* By continued fraction. */
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

/* value / divisor, which is positive. */
static Number
number_divided(Number number, gint64 divisor) {
  if (number.rational)
    return number_from_ratio(number.ratio.num, number.ratio.den * divisor);
  number.real /= divisor;
  return number;
}

static void
sample_gaussian(Matrices *m, guint size, gdouble sigma) {
  /* OpenCV: cvRound(sigma * 3 * 2 + 1) | 1 */
  if (size == 0)
    size = 2 * (guint)fmax(1, floor(3 * sigma + 0.75)) + 1;
  g_assert_cmpuint(size, <=, CC_MAX_KERNEL_SIZE);
  long double axis[CC_MAX_KERNEL_SIZE], sum = 0;
  gint half = (gint)size / 2;
  for (guint i = 0; i < size; i++) {
    gint distance = (gint)i - half;
    axis[i] = expl(-(long double)(distance * distance) / (2 * (long double)sigma * sigma));
    sum += axis[i];
  }
  m->n = 1;
  m->width = m->height = size;
  for (guint y = 0; y < size; y++)
    for (guint x = 0; x < size; x++)
      m->coeff[y * size + x] = (gdouble)(axis[y] / sum * (axis[x] / sum));
}

static gboolean
coefficients_fit(const Matrices *m, gint64 den, gdouble tolerance) {
  guint n_taps = m->width * m->height;
  gdouble sum = 0;
  for (guint i = 0; i < m->n * n_taps; i++) {
    gdouble whole = nearbyint(m->coeff[i] * den);
    sum = (i % n_taps == 0 ? 0 : sum) + fabs(whole);
    if (fabs(m->coeff[i] - whole / den) > tolerance || sum > MAX_WHOLE_SUM)
      return FALSE;
  }
  return TRUE;
}

/* Finds the least common divisor with which all coefficients are integers. */
static void
make_rational(Matrices *m) {
  gdouble largest = 0;
  for (guint i = 0; i < m->n * m->width * m->height; i++)
    largest = fmax(largest, fabs(m->coeff[i]));
  gdouble tolerance = COEFF_TOLERANCE * fmin(1, largest);
  for (gint64 den = 1; den <= MAX_DIVISOR && !m->rational; den++) {
    if (!coefficients_fit(m, den, tolerance))
      continue;
    for (guint i = 0; i < m->n * m->width * m->height; i++)
      m->num[i] = (gint64)nearbyint(m->coeff[i] * den);
    m->den = den;
    m->rational = TRUE;
  }
}

static void
choose_gain(Matrices *m, gdouble scale) {
  if (scale != 0) {
    m->gain = number_divided(oracle_number(scale), m->rational ? m->den : 1);
    return;
  }
  guint n_taps = m->width * m->height;
  if (m->rational) {
    gint64 sum = 0;
    for (guint i = 0; i < n_taps; i++)
      sum += m->num[i];
    /* 1 / (sum / den), and the den of the taps themselves cancels out */
    m->gain = number_from_ratio(1, sum > 0 ? sum : m->den);
  } else {
    long double sum = 0, sum_abs = 0;
    for (guint i = 0; i < n_taps; i++) {
      sum += m->coeff[i];
      sum_abs += fabs(m->coeff[i]);
    }
    /* what rounding leaves of a zero sum is no positive sum */
    m->gain = (Number){FALSE, {0, 1}, sum > COEFF_TOLERANCE * sum_abs ? 1 / sum : 1};
  }
}

/* The largest that is no larger than the wish, or else the smallest. */
static const CcKernelSize *
nearest_size(const CcKernel *kernel, guint wish) {
  const CcKernelSize *nearest = &kernel->sizes[0];
  for (guint i = 1; i < kernel->n_sizes; i++)
    if (kernel->sizes[i].size <= (wish ? wish : kernel->default_size))
      nearest = &kernel->sizes[i];
  return nearest;
}

void
oracle_matrices_init(Matrices *m, const CcFilter *filter) {
  memset(m, 0, sizeof *m);
  gdouble scale = filter->scale;
  if (filter->sigma > 0 && filter->kernel->gaussian) {
    sample_gaussian(m, filter->size, filter->sigma);
  } else {
    const CcKernelSize *size = nearest_size(filter->kernel, filter->size);
    m->n = size->n_matrices;
    m->width = size->matrix[0].width;
    m->height = size->matrix[0].height;
    guint n_taps = m->width * m->height;
    for (guint i = 0; i < m->n; i++)
      memcpy(m->coeff + i * n_taps, size->matrix[i].coeff, n_taps * sizeof(gdouble));
    if (scale == 0)
      scale = size->scale;
  }
  make_rational(m);
  choose_gain(m, scale);
}
