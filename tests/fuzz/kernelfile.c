/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzzes kernel files. Readers of a message about a file are perhaps not allowed to read the file.
 * The message may therefore say where the file is wrong, but not repeat its contents. */

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
             "matrices of different sizes");
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

#define CHUNK 16

/* Searches without memcmp, and is not instrumented (uncovered.txt), because libFuzzer would copy
 * the compared texts into its next inputs. */
static gboolean
is_repeated(const gchar *chunk, const guint8 *data, gsize size) {
  for (gsize i = 0; i + CHUNK <= size; i++) {
    gsize n = 0;
    while (n < CHUNK && data[i + n] == (guint8)chunk[n])
      n++;
    if (n == CHUNK)
      return TRUE;
  }
  return FALSE;
}

/* Fails if the message repeats CHUNK bytes of the file at a multiple of CHUNK in the message. That
 * includes every repetition of 2 * CHUNK bytes. Words of the format are shorter. */
static void
check_repeats_nothing(const gchar *message, const guint8 *data, gsize size) {
  const gsize length = strlen(message);
  for (gsize i = 0; i + CHUNK <= length; i += CHUNK)
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
