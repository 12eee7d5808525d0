/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernel files: the bytes are one. Whoever reads a message about a file need not be allowed to read
 * the file, so a message may say where something is wrong but not what is there. */

#include <math.h>
#include <string.h>
#include "common.h"
#include "filter.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv) {
  fuzz_init();
  return 0;
}

static void
check_matrix(const CcMatrix *matrix, const CcKernelSize *size) {
  fuzz_check(matrix->width % 2 == 1 && matrix->height % 2 == 1, "a matrix of %ux%u", matrix->width,
             matrix->height);
  fuzz_check(MAX(matrix->width, matrix->height) == size->size, "a matrix of %ux%u under size %u",
             matrix->width, matrix->height, size->size);
  fuzz_check(matrix->width == size->matrix->width && matrix->height == size->matrix->height,
             "matrices of two shapes");
  for (guint i = 0; i < matrix->width * matrix->height; i++) {
    const gdouble coeff = matrix->factored
                              ? matrix->column[i / matrix->width] * matrix->row[i % matrix->width]
                              : matrix->coeff[i];
    fuzz_check(fabs(coeff) <= CC_MAX_COEFF, "a coefficient of %g", coeff);
  }
}

static void
check_size(CcKernel *kernel, const CcKernelSize *size) {
  fuzz_check(size->size <= CC_MAX_LINE_SIZE, "size %u", size->size);
  fuzz_check(isfinite(size->scale), "a scale of %g", size->scale);
  fuzz_check(size->n_matrices >= 1 && size->n_matrices <= CC_MAX_MATRICES, "%u matrices",
             size->n_matrices);
  const guint taps = size->n_matrices * size->matrix->width * size->matrix->height;
  fuzz_check(size->matrix->factored ? size->n_matrices <= 2 : taps <= CC_MAX_TAPS,
             "%u coefficients", taps);
  for (guint i = 0; i < size->n_matrices; i++)
    check_matrix(&size->matrix[i], size);
  const CcFilter filter = {.kernel = kernel, .size = size->size};
  fuzz_check_filter(&filter);
}

static void
check_kernel(CcKernel *kernel) {
  fuzz_check(kernel->name && *kernel->name && strcmp(kernel->name, "custom") != 0,
             "a kernel without a name of its own");
  fuzz_check(kernel->response != CC_RESPONSE_AUTO && kernel->chroma != CC_CHROMA_AUTO,
             "a kernel without a response or a chroma");
  fuzz_check(cc_kernel_get_size(kernel, 0)->size == kernel->default_size, "no size %u, the default",
             kernel->default_size);
  for (guint i = 0; i < kernel->n_sizes; i++) {
    fuzz_check(i == 0 || kernel->sizes[i].size > kernel->sizes[i - 1].size, "sizes not in order");
    check_size(kernel, &kernel->sizes[i]);
  }
}

#define PIECE 16

/* Without memcmp and out of sight (uncovered.txt): libFuzzer would put what it sees compared into
 * its next inputs. */
static gboolean
is_repeated(const gchar *piece, const guint8 *data, gsize size) {
  for (gsize i = 0; i + PIECE <= size; i++) {
    gsize n = 0;
    while (n < PIECE && data[i + n] == (guint8)piece[n])
      n++;
    if (n == PIECE)
      return TRUE;
  }
  return FALSE;
}

/* Sees all that is repeated of twice the length of a piece; words of the format are shorter. */
static void
check_repeats_nothing(const gchar *message, const guint8 *data, gsize size) {
  const gsize length = strlen(message);
  for (gsize i = 0; i + PIECE <= length; i += PIECE)
    fuzz_check(!is_repeated(message + i, data, size), "a message repeats what is in the file: %s",
               message);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) kernels = cc_kernels_parse((const gchar *)data, size, "fuzz.ini", &error);
  fuzz_check(!kernels == !!error, "kernels and an error, or neither");
  if (error) {
    fuzz_check(g_error_matches(error, CC_ERROR, CC_ERROR_INVALID), "error %d", error->code);
    fuzz_check_text(error->message);
    check_repeats_nothing(error->message, data, size);
    return 0;
  }
  fuzz_check(kernels->len > 0, "no kernels and no error");
  for (guint i = 0; i < kernels->len; i++)
    check_kernel(g_ptr_array_index(kernels, i));
  return 0;
}
