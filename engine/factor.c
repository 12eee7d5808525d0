/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "factor.h"

#include <math.h>
#include <string.h>
#include "rational.h"

#define FLOAT_TOLERANCE 1e-7 /* about what a float keeps */

/* The first row that is not zero, divided by what its elements share, is the row. */
gboolean
cc_factor_whole(const gint64 *c, guint width, guint height, gint32 *row, gint32 *column) {
  guint base = 0, pivot = 0;
  while (base < height && pivot == 0) {
    for (pivot = 0; pivot < width && c[base * width + pivot] == 0;)
      pivot++;
    if (pivot < width)
      break;
    pivot = 0;
    base++;
  }
  memset(row, 0, width * sizeof *row);
  memset(column, 0, height * sizeof *column);
  if (base == height)
    return TRUE; /* all zero */
  gint64 shared = 0;
  for (guint x = 0; x < width; x++)
    shared = cc_gcd(c[base * width + x], shared);
  for (guint x = 0; x < width; x++)
    row[x] = (gint32)(c[base * width + x] / shared);
  for (guint y = 0; y < height; y++) {
    column[y] = (gint32)(c[y * width + pivot] / row[pivot]);
    for (guint x = 0; x < width; x++)
      if ((gint64)column[y] * row[x] != c[y * width + x])
        return FALSE;
  }
  return TRUE;
}

/* The row through the largest element. */
gboolean
cc_factor_real(const CcMatrix *matrix, gfloat *row, gfloat *column) {
  const guint width = matrix->width, height = matrix->height;
  guint pivot = 0;
  for (guint i = 1; i < width * height; i++)
    if (fabs(matrix->coeff[i]) > fabs(matrix->coeff[pivot]))
      pivot = i;
  const gdouble *through_y = matrix->coeff + pivot / width * width;
  const gdouble *through_x = matrix->coeff + pivot % width;
  const gdouble largest = matrix->coeff[pivot];
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++)
      if (fabs(through_x[y * width] / largest * through_y[x] - matrix->coeff[y * width + x]) >
          FLOAT_TOLERANCE * fabs(largest))
        return FALSE;
  for (guint x = 0; x < width; x++)
    row[x] = (gfloat)through_y[x];
  for (guint y = 0; y < height; y++)
    column[y] = (gfloat)(through_x[y * width] / largest);
  return TRUE;
}
