/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel.h"

#include <math.h>
#include <string.h>

G_DEFINE_QUARK(cudaconv - error, cc_error)

CcKernel *
cc_kernel_ref(CcKernel *kernel) {
  g_atomic_ref_count_inc(&kernel->refs);
  return kernel;
}

void
cc_kernel_unref(CcKernel *kernel) {
  if (!g_atomic_ref_count_dec(&kernel->refs))
    return;
  for (guint i = 0; i < kernel->n_sizes; i++)
    g_free(kernel->sizes[i].matrix);
  g_free(kernel->sizes);
  g_free(kernel->description);
  g_free(kernel->name);
  g_free(kernel);
}

const CcKernelSize *
cc_kernel_get_size(const CcKernel *kernel, guint size) {
  const guint wanted = size ? size : kernel->default_size;
  guint i = kernel->n_sizes - 1;
  while (i > 0 && kernel->sizes[i].size > wanted)
    i--;
  return &kernel->sizes[i];
}

gboolean
cc_kernel_has_larger_size(const CcKernel *kernel, guint size) {
  return (kernel->gaussian || kernel->mean) && size <= CC_MAX_KERNEL_SIZE && size % 2 == 1 &&
         size > kernel->sizes[kernel->n_sizes - 1].size;
}

void
cc_matrix_init_product(CcMatrix *matrix, const gdouble *row, guint n_row, const gdouble *column,
                       guint n_column) {
  *matrix = (CcMatrix){
      .width = n_row,
      .height = n_column,
      .factored = MAX(n_row, n_column) > CC_MAX_MATRIX_SIZE,
  };
  if (matrix->factored) {
    memcpy(matrix->row, row, n_row * sizeof *row);
    memcpy(matrix->column, column, n_column * sizeof *column);
    return;
  }
  for (guint y = 0; y < n_column; y++)
    for (guint x = 0; x < n_row; x++)
      matrix->coeff[y * n_row + x] = column[y] * row[x];
}

static gboolean
check_side(const gchar *what, guint n, guint max, GError **error) {
  if (n % 2 == 1 && n <= max)
    return TRUE;
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s is %u; an odd number from 1 to %u is needed",
              what, n, max);
  return FALSE;
}

static gboolean
check_coefficients(const gdouble *coeff, guint n, GError **error) {
  for (guint i = 0; i < n; i++) {
    if (isfinite(coeff[i]) && fabs(coeff[i]) <= CC_MAX_COEFF)
      continue;
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "coefficient %u is %.10g; a finite number from %g to %g is needed", i + 1, coeff[i],
                -CC_MAX_COEFF, CC_MAX_COEFF);
    return FALSE;
  }
  return TRUE;
}

static CcKernel *
new_custom(guint width, guint height) {
  CcKernel *kernel = g_new0(CcKernel, 1);
  g_atomic_ref_count_init(&kernel->refs);
  kernel->name = g_strdup("custom");
  kernel->description = g_strdup("Coefficients given by the user");
  kernel->klass = CC_KERNEL_PLAIN;
  kernel->response = CC_RESPONSE_CLAMP;
  kernel->chroma = CC_CHROMA_FILTER;
  kernel->default_size = MAX(width, height);
  kernel->n_sizes = 1;
  kernel->sizes = g_new0(CcKernelSize, 1);
  kernel->sizes[0].size = kernel->default_size;
  kernel->sizes[0].n_matrices = 1;
  kernel->sizes[0].matrix = g_new0(CcMatrix, 1);
  kernel->sizes[0].matrix[0].width = width;
  kernel->sizes[0].matrix[0].height = height;
  return kernel;
}

CcKernel *
cc_kernel_new_matrix(const gdouble *coeff, guint n, guint width, GError **error) {
  if (n == 0 || width == 0 || n % width != 0) {
    g_set_error(error, CC_ERROR, CC_ERROR_INVALID,
                "%u coefficients do not make rows of %u; every row needs the same number of them",
                n, width);
    return NULL;
  }
  const gdouble one = 1;
  const guint height = n / width;
  const gboolean is_line = width == 1 || height == 1;
  const guint max = is_line ? CC_MAX_LINE_SIZE : CC_MAX_MATRIX_SIZE;
  if (!check_side("the number of columns", width, max, error) ||
      !check_side("the number of rows", height, max, error) || !check_coefficients(coeff, n, error))
    return NULL;
  CcKernel *kernel = new_custom(width, height);
  CcMatrix *matrix = &kernel->sizes[0].matrix[0];
  if (is_line)
    cc_matrix_init_product(matrix, height == 1 ? coeff : &one, width, height == 1 ? &one : coeff,
                           height);
  else
    memcpy(matrix->coeff, coeff, n * sizeof *coeff);
  return kernel;
}

CcKernel *
cc_kernel_new_square(const gdouble *coeff, guint n, GError **error) {
  for (guint side = 1; side <= CC_MAX_MATRIX_SIZE; side += 2)
    if (side * side == n)
      return cc_kernel_new_matrix(coeff, n, side, error);
  g_set_error(
      error, CC_ERROR, CC_ERROR_INVALID,
      "a list of %u coefficients is not the square of an odd number up to %d (1, 9, 25, 49, ... "
      "225); other shapes are written as rows, of up to %d coefficients: in an array as "
      "<<1,2,1>>, in a text as \"1 2 1;\" or \"1;2;1\"",
      n, CC_MAX_MATRIX_SIZE, CC_MAX_LINE_SIZE);
  return NULL;
}

CcKernel *
cc_kernel_new_separable(const gdouble *row, guint n_row, const gdouble *column, guint n_column,
                        GError **error) {
  if (!check_side("the length of row", n_row, CC_MAX_LINE_SIZE, error) ||
      !check_side("the length of column", n_column, CC_MAX_LINE_SIZE, error))
    return NULL;
  gdouble product[CC_MAX_LINE_SIZE * CC_MAX_LINE_SIZE];
  for (guint y = 0; y < n_column; y++)
    for (guint x = 0; x < n_row; x++)
      product[y * n_row + x] = column[y] * row[x];
  if (!check_coefficients(product, n_row * n_column, error))
    return NULL;
  CcKernel *kernel = new_custom(n_row, n_column);
  cc_matrix_init_product(kernel->sizes[0].matrix, row, n_row, column, n_column);
  return kernel;
}
