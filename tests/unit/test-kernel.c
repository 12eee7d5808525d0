/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernel definitions: compiled-in ones, and matrices from a user. */

#include "engine/kernel/kernel.h"

#include <math.h>
#include <string.h>

static void
assert_refused(CcKernel *kernel, GError **error, const gchar *part) {
  g_assert_null(kernel);
  g_assert_error(*error, CC_ERROR, CC_ERROR_INVALID);
  if (!strstr((*error)->message, part))
    g_error("\"%s\" does not say \"%s\"", (*error)->message, part);
  g_clear_error(error);
}

/* --- the named kernels --- */

typedef enum {
  SUM_ZERO,
  SUM_POSITIVE,
} Sum;

/* How each matrix behaves under a rotation by 180 degrees. The centre of emboss breaks its
 * antisymmetry. */
typedef enum {
  EVEN, /* unchanged */
  ODD,  /* negated */
  OTHER,
} Symmetry;

static const struct {
  const gchar *name;
  CcKernelClass klass;
  CcResponse response;
  CcChroma chroma;
  guint n_matrices;
  Sum sum;
  Symmetry symmetry;
} named[] = {
    {"identity", CC_KERNEL_PLAIN, CC_RESPONSE_CLAMP, CC_CHROMA_FILTER, 1, SUM_POSITIVE, EVEN},
    {"box", CC_KERNEL_BLUR, CC_RESPONSE_CLAMP, CC_CHROMA_FILTER, 1, SUM_POSITIVE, EVEN},
    {"gaussian", CC_KERNEL_BLUR, CC_RESPONSE_CLAMP, CC_CHROMA_FILTER, 1, SUM_POSITIVE, EVEN},
    {"sharpen", CC_KERNEL_SHARPEN, CC_RESPONSE_CLAMP, CC_CHROMA_COPY, 1, SUM_POSITIVE, EVEN},
    {"unsharp", CC_KERNEL_SHARPEN, CC_RESPONSE_CLAMP, CC_CHROMA_COPY, 1, SUM_POSITIVE, EVEN},
    {"emboss", CC_KERNEL_SHARPEN, CC_RESPONSE_CLAMP, CC_CHROMA_COPY, 1, SUM_POSITIVE, OTHER},
    {"sobel", CC_KERNEL_EDGE, CC_RESPONSE_MAGNITUDE, CC_CHROMA_NEUTRAL, 2, SUM_ZERO, ODD},
    {"sobel-x", CC_KERNEL_EDGE, CC_RESPONSE_ABSOLUTE, CC_CHROMA_NEUTRAL, 1, SUM_ZERO, ODD},
    {"sobel-y", CC_KERNEL_EDGE, CC_RESPONSE_ABSOLUTE, CC_CHROMA_NEUTRAL, 1, SUM_ZERO, ODD},
    {"scharr", CC_KERNEL_EDGE, CC_RESPONSE_MAGNITUDE, CC_CHROMA_NEUTRAL, 2, SUM_ZERO, ODD},
    {"prewitt", CC_KERNEL_EDGE, CC_RESPONSE_MAGNITUDE, CC_CHROMA_NEUTRAL, 2, SUM_ZERO, ODD},
    {"roberts", CC_KERNEL_EDGE, CC_RESPONSE_MAGNITUDE, CC_CHROMA_NEUTRAL, 2, SUM_ZERO, OTHER},
    {"kirsch", CC_KERNEL_EDGE, CC_RESPONSE_CLAMP, CC_CHROMA_NEUTRAL, 8, SUM_ZERO, OTHER},
    {"laplacian", CC_KERNEL_EDGE, CC_RESPONSE_ABSOLUTE, CC_CHROMA_NEUTRAL, 1, SUM_ZERO, EVEN},
    {"laplacian-8", CC_KERNEL_EDGE, CC_RESPONSE_ABSOLUTE, CC_CHROMA_NEUTRAL, 1, SUM_ZERO, EVEN},
    {"log", CC_KERNEL_EDGE, CC_RESPONSE_ABSOLUTE, CC_CHROMA_NEUTRAL, 1, SUM_ZERO, EVEN},
    {"motion-blur", CC_KERNEL_BLUR, CC_RESPONSE_CLAMP, CC_CHROMA_FILTER, 1, SUM_POSITIVE, EVEN},
};

static void
test_builtin_list(void) {
  const GPtrArray *builtin = cc_kernels_builtin();
  g_assert_nonnull(builtin);
  g_assert_true(builtin == cc_kernels_builtin());
  for (guint i = 0; i < builtin->len; i++) {
    const CcKernel *kernel = g_ptr_array_index(builtin, i);
    g_assert_true(cc_kernels_find(kernel->name) == kernel);
    g_assert_nonnull(kernel->description);
    g_assert_cmpuint(strspn(kernel->name, "abcdefghijklmnopqrstuvwxyz0123456789-"), ==,
                     strlen(kernel->name));
  }
  g_assert_null(cc_kernels_find("no-such-kernel"));
  g_assert_null(cc_kernels_find("custom"));
  g_assert_null(cc_kernels_find(""));
}

static void
test_builtin_shapes(void) {
  const GPtrArray *builtin = cc_kernels_builtin();
  for (guint i = 0; i < builtin->len; i++) {
    const CcKernel *kernel = g_ptr_array_index(builtin, i);
    g_assert_cmpuint(kernel->n_sizes, >=, 1);
    g_assert_cmpuint(cc_kernel_get_size(kernel, 0)->size, ==, kernel->default_size);
    for (guint s = 0; s < kernel->n_sizes; s++) {
      const CcKernelSize *size = &kernel->sizes[s];
      g_assert_cmpuint(size->size, <=, CC_MAX_MATRIX_SIZE);
      g_assert_true(s == 0 || size->size > kernel->sizes[s - 1].size);
      g_assert_true(cc_kernel_get_size(kernel, size->size) == size);
      for (guint m = 0; m < size->n_matrices; m++) {
        g_assert_cmpuint(size->matrix[m].width, ==, size->size);
        g_assert_cmpuint(size->matrix[m].height, ==, size->size);
      }
    }
  }
}

static void
check_matrix(const CcMatrix *matrix, Sum sum, Symmetry symmetry) {
  guint n = matrix->width * matrix->height;
  gdouble total = 0;
  for (guint i = 0; i < n; i++) {
    total += matrix->coeff[i];
    if (symmetry != OTHER)
      g_assert_cmpfloat(matrix->coeff[n - 1 - i], ==,
                        symmetry == ODD ? -matrix->coeff[i] : matrix->coeff[i]);
  }
  if (sum == SUM_ZERO)
    g_assert_cmpfloat(total, ==, 0);
  else
    g_assert_cmpfloat(total, >, 0);
}

static void
test_named(gconstpointer data) {
  guint i = GPOINTER_TO_UINT(data);
  const CcKernel *kernel = cc_kernels_find(named[i].name);
  g_assert_nonnull(kernel);
  g_assert_cmpint(kernel->klass, ==, named[i].klass);
  g_assert_cmpint(kernel->response, ==, named[i].response);
  g_assert_cmpint(kernel->chroma, ==, named[i].chroma);
  g_assert_cmpint(kernel->gaussian, ==, strcmp(kernel->name, "gaussian") == 0);
  for (guint s = 0; s < kernel->n_sizes; s++) {
    g_assert_cmpuint(kernel->sizes[s].n_matrices, ==, named[i].n_matrices);
    for (guint m = 0; m < kernel->sizes[s].n_matrices; m++)
      check_matrix(&kernel->sizes[s].matrix[m], named[i].sum, named[i].symmetry);
  }
}

/* The x derivative must come first, for direction, and be the transposed y derivative. */
static void
test_gradients(void) {
  static const gchar *const names[] = {"sobel", "scharr", "prewitt"};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    const CcKernel *kernel = cc_kernels_find(names[i]);
    for (guint s = 0; s < kernel->n_sizes; s++) {
      const CcMatrix *x = &kernel->sizes[s].matrix[0], *y = &kernel->sizes[s].matrix[1];
      guint n = x->width;
      for (guint r = 0; r < n; r++)
        for (guint c = 0; c < n; c++)
          g_assert_cmpfloat(x->coeff[r * n + c], ==, y->coeff[c * n + r]);
      g_assert_cmpfloat(x->coeff[n / 2 * n + n - 1], >, 0);
      for (guint r = 0; r < n; r++)
        g_assert_cmpfloat(x->coeff[r * n + n / 2], ==, 0);
    }
  }
}

static void
test_sobel_parts(void) {
  const CcKernel *both = cc_kernels_find("sobel");
  const CcKernel *part[] = {cc_kernels_find("sobel-x"), cc_kernels_find("sobel-y")};
  for (guint i = 0; i < 2; i++) {
    g_assert_cmpuint(part[i]->n_sizes, ==, both->n_sizes);
    for (guint s = 0; s < both->n_sizes; s++)
      g_assert_cmpmem(&part[i]->sizes[s].matrix[0], sizeof(CcMatrix), &both->sizes[s].matrix[i],
                      sizeof(CcMatrix));
  }
}

/* Binomial coefficients: every row sums to a power of two. */
static void
test_gaussian_sums(void) {
  const CcKernel *kernel = cc_kernels_find("gaussian");
  for (guint s = 0; s < kernel->n_sizes; s++) {
    const CcMatrix *matrix = &kernel->sizes[s].matrix[0];
    gdouble sum = 0;
    for (guint i = 0; i < matrix->width * matrix->height; i++)
      sum += matrix->coeff[i];
    g_assert_cmpfloat(sum, ==, exp2(2 * (matrix->width - 1)));
  }
}

/* A size that the kernel does not have falls back to the next smaller one, else to the smallest. */
static void
test_requested_size(void) {
  static const struct {
    const gchar *kernel;
    guint requested, size;
  } cases[] = {
      {"gaussian", 0, 5},       {"gaussian", 1, 3},   {"gaussian", 3, 3}, {"gaussian", 4, 3},
      {"gaussian", 15, 15},     {"gaussian", 17, 15}, {"sobel", 9, 7},    {"sobel", 1, 3},
      {"scharr", G_MAXUINT, 3}, {"kirsch", 15, 3},
  };
  static const gdouble row[] = {1, 2, 3, 2, 1};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcKernel *kernel = cc_kernels_find(cases[i].kernel);
    g_test_message("%s, %u", cases[i].kernel, cases[i].requested);
    g_assert_cmpuint(cc_kernel_get_size(kernel, cases[i].requested)->size, ==, cases[i].size);
  }
  g_autoptr(CcKernel) custom = cc_kernel_new_matrix(row, 5, 5, NULL);
  for (guint requested = 0; requested <= CC_MAX_MATRIX_SIZE; requested++)
    g_assert_cmpuint(cc_kernel_get_size(custom, requested)->size, ==, 5);
}

/* --- a user's matrices --- */

static void
test_matrix(void) {
  const gdouble coeff[15] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -0.5};
  for (guint width = 1; width <= 15; width += 2) {
    if (15 % width != 0)
      continue;
    g_autoptr(GError) error = NULL;
    g_autoptr(CcKernel) kernel = cc_kernel_new_matrix(coeff, 15, width, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(kernel->name, ==, "custom");
    g_assert_cmpint(kernel->klass, ==, CC_KERNEL_PLAIN);
    g_assert_cmpint(kernel->response, ==, CC_RESPONSE_CLAMP);
    g_assert_cmpint(kernel->chroma, ==, CC_CHROMA_FILTER);
    const CcKernelSize *size = cc_kernel_get_size(kernel, 0);
    g_assert_cmpuint(size->size, ==, MAX(width, 15 / width));
    g_assert_cmpuint(size->n_matrices, ==, 1);
    g_assert_cmpfloat(size->scale, ==, 0);
    g_assert_cmpuint(size->matrix[0].width, ==, width);
    g_assert_cmpuint(size->matrix[0].height, ==, 15 / width);
    g_assert_cmpmem(size->matrix[0].coeff, sizeof coeff, coeff, sizeof coeff);
  }
}

static void
test_matrix_limits(void) {
  gdouble coeff[CC_MAX_COEFFS + 64] = {[0] = CC_MAX_COEFF, [1] = -CC_MAX_COEFF};
  GError *error = NULL;
  g_autoptr(CcKernel) largest =
      cc_kernel_new_matrix(coeff, CC_MAX_COEFFS, CC_MAX_MATRIX_SIZE, &error);
  g_assert_no_error(error);
  g_assert_nonnull(largest);

  static const struct {
    guint n, width;
    const gchar *part;
  } wrong[] = {
      {0, 1, "0"},     {0, 0, "0"},          {9, 0, "0"},    {9, 2, "2"},
      {6, 3, "2"},     {6, 2, "2"},          {10, 3, "10"},  {8, 9, "8"},
      {33, 33, "33"},  {33, 1, "33"},        {51, 17, "17"}, {51, 3, "17"},
      {255, 15, "17"}, {225 + 30, 17, "17"}, {12, 4, "4"},   {G_MAXUINT, G_MAXUINT, "31"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    assert_refused(cc_kernel_new_matrix(coeff, wrong[i].n, wrong[i].width, &error), &error,
                   wrong[i].part);
  }
}

/* A matrix of one row or column gives the same kernel as that row or column. */
static void
test_lines(void) {
  gdouble coeff[CC_MAX_LINE_SIZE];
  const gdouble one = 1;
  for (guint i = 0; i < CC_MAX_LINE_SIZE; i++)
    coeff[i] = i + 0.25;
  for (guint n = 1; n <= CC_MAX_LINE_SIZE; n += 2)
    for (guint is_column = 0; is_column < 2; is_column++) {
      g_autoptr(GError) error = NULL;
      g_autoptr(CcKernel) matrix = cc_kernel_new_matrix(coeff, n, is_column ? 1 : n, &error);
      g_assert_no_error(error);
      g_autoptr(CcKernel) line = is_column ? cc_kernel_new_separable(&one, 1, coeff, n, &error)
                                           : cc_kernel_new_separable(coeff, n, &one, 1, &error);
      g_assert_no_error(error);
      g_assert_cmpuint(matrix->sizes[0].size, ==, n);
      const CcMatrix *a = matrix->sizes[0].matrix, *b = line->sizes[0].matrix;
      g_assert_cmpuint(a->width, ==, is_column ? 1 : n);
      g_assert_cmpuint(a->height, ==, is_column ? n : 1);
      g_assert_cmpint(a->factored, ==, b->factored);
      g_assert_cmpmem(a->coeff, sizeof a->coeff, b->coeff, sizeof b->coeff);
      g_assert_cmpmem(a->row, sizeof a->row, b->row, sizeof b->row);
      g_assert_cmpmem(a->column, sizeof a->column, b->column, sizeof b->column);
    }
}

static void
test_bad_coefficients(void) {
  static const gdouble bad[] = {
      NAN, INFINITY, -INFINITY, CC_MAX_COEFF + 1, -CC_MAX_COEFF - 1, 1e300, -1e300,
  };
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    for (guint place = 0; place < 9; place += 4) {
      gdouble coeff[9] = {0};
      coeff[place] = bad[i];
      GError *error = NULL;
      assert_refused(cc_kernel_new_matrix(coeff, 9, 3, &error), &error, "coefficient");
      assert_refused(cc_kernel_new_square(coeff, 9, &error), &error, "coefficient");
    }
  }
}

static void
test_square(void) {
  gdouble coeff[CC_MAX_COEFFS + 64] = {0};
  for (guint n = 0; n <= CC_MAX_COEFFS + 64; n++) {
    guint side = (guint)lround(sqrt(n));
    GError *error = NULL;
    CcKernel *kernel = cc_kernel_new_square(coeff, n, &error);
    if (side * side == n && side % 2 == 1 && side <= CC_MAX_MATRIX_SIZE) {
      g_assert_no_error(error);
      g_assert_cmpuint(kernel->sizes[0].matrix[0].width, ==, side);
      g_assert_cmpuint(kernel->sizes[0].matrix[0].height, ==, side);
      cc_kernel_unref(kernel);
    } else {
      g_autofree gchar *count = g_strdup_printf("%u", n);
      assert_refused(kernel, &error, count);
    }
  }
}

static void
test_separable(void) {
  const gdouble row[] = {-1, 0, 1}, column[] = {1, 4, 6, 4, 1};
  g_autoptr(GError) error = NULL;
  g_autoptr(CcKernel) kernel = cc_kernel_new_separable(row, 3, column, 5, &error);
  g_assert_no_error(error);
  const CcMatrix *matrix = &kernel->sizes[0].matrix[0];
  g_assert_cmpuint(matrix->width, ==, 3);
  g_assert_cmpuint(matrix->height, ==, 5);
  for (guint y = 0; y < 5; y++)
    for (guint x = 0; x < 3; x++)
      g_assert_cmpfloat(matrix->coeff[y * 3 + x], ==, column[y] * row[x]);
}

static void
test_separable_refused(void) {
  gdouble ones[33];
  for (guint i = 0; i < 33; i++)
    ones[i] = 1;
  static const guint lengths[][2] = {{0, 3}, {3, 0}, {2, 3}, {3, 4}, {33, 3}, {3, 33}};
  for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
    GError *error = NULL;
    assert_refused(cc_kernel_new_separable(ones, lengths[i][0], ones, lengths[i][1], &error),
                   &error, "odd");
  }
  /* the products must keep the limit, not only the factors */
  const gdouble large[] = {CC_MAX_COEFF, 0, 2}, bad[] = {NAN, 0, 0};
  GError *error = NULL;
  assert_refused(cc_kernel_new_separable(large, 3, large, 3, &error), &error, "coefficient");
  assert_refused(cc_kernel_new_separable(bad, 3, ones, 3, &error), &error, "coefficient");
}

static void
test_references(void) {
  const gdouble one = 1;
  CcKernel *kernel = cc_kernel_new_matrix(&one, 1, 1, NULL);
  g_assert_true(cc_kernel_ref(kernel) == kernel);
  cc_kernel_unref(kernel);
  g_assert_cmpstr(kernel->name, ==, "custom");
  cc_kernel_unref(kernel);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/kernel/builtin/list", test_builtin_list);
  g_test_add_func("/kernel/builtin/shapes", test_builtin_shapes);
  for (guint i = 0; i < G_N_ELEMENTS(named); i++) {
    g_autofree gchar *path = g_strconcat("/kernel/builtin/", named[i].name, NULL);
    g_test_add_data_func(path, GUINT_TO_POINTER(i), test_named);
  }
  g_test_add_func("/kernel/builtin/gradients", test_gradients);
  g_test_add_func("/kernel/builtin/sobel-parts", test_sobel_parts);
  g_test_add_func("/kernel/builtin/gaussian-sums", test_gaussian_sums);
  g_test_add_func("/kernel/builtin/requested-size", test_requested_size);
  g_test_add_func("/kernel/matrix/shapes", test_matrix);
  g_test_add_func("/kernel/matrix/limits", test_matrix_limits);
  g_test_add_func("/kernel/matrix/lines", test_lines);
  g_test_add_func("/kernel/matrix/bad-coefficients", test_bad_coefficients);
  g_test_add_func("/kernel/matrix/square", test_square);
  g_test_add_func("/kernel/matrix/separable", test_separable);
  g_test_add_func("/kernel/matrix/separable-refused", test_separable_refused);
  g_test_add_func("/kernel/references", test_references);
  return g_test_run();
}
