/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "factor.h"

#include <math.h>
#include <string.h>
#include "rational.h"

/* The row is the first non-zero row of the matrix, divided by the greatest common divisor of its
 * elements.
 */
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
    return TRUE; /* all elements are zero */
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

static gdouble
sum_of_squares(const gdouble *x, guint n) {
  gdouble sum = 0;
  for (guint i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sum;
}

/* Starts with the row through the largest element. Fits the best column to this row, then the best
 * row to this column. This is one step of the power method, which averages out the rounding errors
 * of the elements. */
void
cc_factor_real(const gdouble *c, guint width, guint height, gdouble *row, gdouble *column) {
  guint pivot = 0;
  for (guint i = 1; i < width * height; i++)
    if (fabs(c[i]) > fabs(c[pivot]))
      pivot = i;
  memcpy(row, c + pivot / width * width, width * sizeof *row);
  memset(column, 0, height * sizeof *column);
  if (c[pivot] == 0)
    return; /* all elements are zero */
  for (guint x = 0; x < width; x++)
    row[x] /= fabs(c[pivot]); /* without this, the squares of small elements might underflow */
  const gdouble of_row = sum_of_squares(row, width);
  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++)
      column[y] += c[y * width + x] * row[x];
    column[y] /= of_row;
  }
  gdouble largest = 0;
  for (guint y = 0; y < height; y++)
    largest = MAX(largest, fabs(column[y]));
  gdouble of_column = 0;
  for (guint y = 0; y < height; y++)
    of_column += column[y] / largest * (column[y] / largest);
  for (guint x = 0; x < width; x++) {
    gdouble sum = 0;
    for (guint y = 0; y < height; y++)
      sum += c[y * width + x] / largest * (column[y] / largest);
    row[x] = sum / of_column;
  }
}
