/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/compare/kernels.h"

#include <math.h>
#include <string.h>

#define LARGE 1000000

typedef enum {
  COEFFS_SMALL,      /* integers up to 9 */
  COEFFS_HUNDREDS,   /* integers up to 300 */
  COEFFS_THOUSANDS,  /* integers up to 20000 */
  COEFFS_LARGE,      /* integers up to LARGE */
  COEFFS_SIXTEENTHS, /* multiples of 1/16, up to 4 */
  COEFFS_MEAN,       /* positive reals */
  COEFFS_REAL,       /* reals of both signs up to 1 */
  COEFFS_TINY,       /* multiples of 1e-8 */
  COEFFS_MINUTE,     /* reals whose squares underflow in float */
  COEFFS_SPARSE,     /* mostly zero */
} Coeffs;

static const gchar *const coeffs_names[] = {"small",      "hundreds", "thousands", "large",
                                            "sixteenths", "mean",     "real",      "tiny",
                                            "minute",     "sparse"};

static gdouble
random_coeff(Coeffs coeffs, GRand *rand) {
  switch (coeffs) {
  case COEFFS_SMALL:
    return g_rand_int_range(rand, -9, 10);
  case COEFFS_HUNDREDS:
    return g_rand_int_range(rand, -300, 301);
  case COEFFS_THOUSANDS:
    return g_rand_int_range(rand, -20000, 20001);
  case COEFFS_LARGE:
    return g_rand_int_range(rand, -LARGE, LARGE + 1);
  case COEFFS_SIXTEENTHS:
    return g_rand_int_range(rand, -64, 65) / 16.0;
  case COEFFS_MEAN:
    return g_rand_double_range(rand, 0.1, 1);
  case COEFFS_REAL:
    return g_rand_double_range(rand, -1, 1);
  case COEFFS_TINY:
    return g_rand_int_range(rand, -3, 10) * 1e-8;
  case COEFFS_MINUTE:
    return g_rand_double_range(rand, -0.2, 1) * 1e-30;
  default:
    return g_rand_int_range(rand, 0, 10) == 0 ? g_rand_int_range(rand, -5, 6) : 0;
  }
}

static void
kernel_clear(gpointer data) {
  TestKernel *kernel = data;
  cc_kernel_unref(kernel->kernel);
  g_free(kernel->label);
}

/* Adds a kernel. Takes ownership of the kernel and the label. */
static void
add(GArray *kernels, CcKernel *kernel, guint size, gdouble sigma, gchar *label) {
  const gboolean is_long = size ? size > CC_MAX_LINE_SIZE : 6 * sigma > CC_MAX_LINE_SIZE;
  TestKernel entry = {kernel, size, sigma, 1, label, is_long};
  if (sigma == 0 && size <= CC_MAX_LINE_SIZE)
    entry.n_matrices = cc_kernel_get_size(kernel, size)->n_matrices;
  g_array_append_val(kernels, entry);
}

static void
add_named(GArray *kernels) {
  const GPtrArray *builtin = cc_kernels_builtin();
  for (guint i = 0; i < builtin->len; i++) {
    CcKernel *kernel = g_ptr_array_index(builtin, i);
    for (guint s = 0; s < kernel->n_sizes; s++) {
      guint size = kernel->sizes[s].size;
      add(kernels, cc_kernel_ref(kernel), size, 0, g_strdup_printf("%s-%u", kernel->name, size));
    }
  }
}

static void
add_gaussians(GArray *kernels) {
  static const struct {
    guint size;
    gdouble sigma;
  } samples[] = {{0, 0.3}, {0, 0.8}, {5, 1.1}, {0, 1.5},  {0, 2.4}, {15, 4}, {3, 20},
                 {17, 0},  {21, 6},  {0, 5},   {63, 9.5}, {65, 0},  {0, 21}};
  for (guint i = 0; i < G_N_ELEMENTS(samples); i++)
    add(kernels, cc_kernel_ref(cc_kernels_find("gaussian")), samples[i].size, samples[i].sigma,
        g_strdup_printf("gaussian(size=%u,sigma=%g)", samples[i].size, samples[i].sigma));
}

static void
add_means(GArray *kernels) {
  static const guint sizes[] = {17, 31, 33, 127};
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
    add(kernels, cc_kernel_ref(cc_kernels_find("box")), sizes[i], 0,
        g_strdup_printf("box-%u", sizes[i]));
}

static void
add_random(GArray *kernels, guint width, guint height, Coeffs coeffs, GRand *rand) {
  gdouble coeff[CC_MAX_COEFFS];
  for (guint i = 0; i < width * height; i++)
    coeff[i] = random_coeff(coeffs, rand);
  CcKernel *kernel = cc_kernel_new_matrix(coeff, width * height, width, NULL);
  g_assert_nonnull(kernel);
  add(kernels, kernel, 0, 0, g_strdup_printf("%s(%ux%u)", coeffs_names[coeffs], width, height));
}

static void
add_random_separable(GArray *kernels, guint width, guint height, Coeffs coeffs, GRand *rand) {
  gdouble row[CC_MAX_LINE_SIZE], column[CC_MAX_LINE_SIZE];
  for (guint i = 0; i < MAX(width, height); i++) {
    row[i] = random_coeff(coeffs, rand);
    /* the products must be valid coefficients too */
    column[i] = random_coeff(coeffs == COEFFS_THOUSANDS ? COEFFS_SMALL : coeffs, rand);
  }
  CcKernel *kernel = cc_kernel_new_separable(row, width, column, height, NULL);
  g_assert_nonnull(kernel);
  add(kernels, kernel, 0, 0,
      g_strdup_printf("%s(%ux%u,separable)", coeffs_names[coeffs], width, height));
}

static void
append_coeffs(GString *text, guint width, guint height, GRand *rand) {
  for (guint i = 0; i < width * height; i++)
    g_string_append_printf(text, "%s%d",
                           i == 0           ? ""
                           : i % width == 0 ? "; "
                                            : " ",
                           g_rand_int_range(rand, -9, 10));
}

/* Adds a definition of several matrices, with a class and response that may differ from all named
 * kernels. */
static void
add_random_definition(GArray *kernels, const gchar *head, guint n, guint width, guint height,
                      GRand *rand) {
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "[random]\n%s\nmatrix-%u=", head, MAX(width, height));
  for (guint i = 0; i < n; i++) {
    g_string_append(text, i == 0 ? "" : " | ");
    append_coeffs(text, width, height, rand);
  }
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) parsed = cc_kernels_parse(text->str, text->len, "random", &error);
  g_assert_no_error(error);
  add(kernels, cc_kernel_ref(g_ptr_array_index(parsed, 0)), 0, 0,
      g_strdup_printf("matrices(%ux%ux%u,%s)", n, width, height, head));
}

static void
append_lines(GString *text, const gchar *key, guint n, guint size, gint largest, GRand *rand) {
  g_string_append_printf(text, "\n%s-%u=", key, size);
  for (guint i = 0; i < n * size; i++)
    g_string_append_printf(text, "%s%d", i > 0 && i % size == 0 ? " | " : " ",
                           g_rand_int_range(rand, -largest, largest + 1));
}

/* Adds two matrices, each a column times a row. */
static void
add_separable_gradient(GArray *kernels, guint size, gint largest, GRand *rand) {
  g_autoptr(GString) text = g_string_new("[random]\nclass=edge\nresponse=magnitude");
  append_lines(text, "row", 2, size, largest, rand);
  append_lines(text, "column", 2, size, MIN(largest, 99), rand);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) parsed = cc_kernels_parse(text->str, text->len, "random", &error);
  g_assert_no_error(error);
  add(kernels, cc_kernel_ref(g_ptr_array_index(parsed, 0)), 0, 0,
      g_strdup_printf("gradient(%u,%d,separable)", size, largest));
}

/* Adds two matrices of 3x3. */
static void
add_gradient(GArray *kernels, const gchar *name, const gchar *matrices) {
  g_autofree gchar *text =
      g_strdup_printf("[%s]\nclass=edge\nresponse=magnitude\nmatrix-3=%s", name, matrices);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) parsed = cc_kernels_parse(text, strlen(text), name, &error);
  g_assert_no_error(error);
  add(kernels, cc_kernel_ref(g_ptr_array_index(parsed, 0)), 0, 0, g_strdup(name));
}

/* Adds two separable matrices that are too long to be multiplied out. */
static void
add_long_gradient(GArray *kernels, GRand *rand) {
  g_autoptr(GString) text = g_string_new("[long]\nclass=edge\nresponse=magnitude\nrow-25=");
  append_coeffs(text, 25, 1, rand);
  g_string_append(text, " | ");
  append_coeffs(text, 25, 1, rand);
  g_string_append(text, "\ncolumn-25=");
  append_coeffs(text, 19, 1, rand);
  g_string_append(text, " | ");
  append_coeffs(text, 19, 1, rand);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) parsed = cc_kernels_parse(text->str, text->len, "long", &error);
  g_assert_no_error(error);
  add(kernels, cc_kernel_ref(g_ptr_array_index(parsed, 0)), 0, 0, g_strdup("long-gradient"));
}

/* Adds gradients whose outer rows are equal, or all but one of them. */
static void
add_gradients(GArray *kernels) {
  add_gradient(kernels, "even-gradient", "1 -2 3; 4 0 -1; 1 -2 3 | 2 -3 1; 0 0 0; 2 -3 1");
  add_gradient(kernels, "uneven-first", "1 -2 3; 4 0 -1; 1 -2 4 | 2 -3 1; 0 0 0; -2 3 -1");
  add_gradient(kernels, "uneven-second", "1 -2 3; 4 0 -1; 1 -2 3 | 2 -3 1; 0 0 0; -2 3 1");
}

/* Adds a Gaussian rounded to six decimals, as people type it: almost separable, but it must not
 * count as separable. */
static void
add_typed_gaussian(GArray *kernels) {
  gdouble coeff[CC_MAX_COEFFS];
  for (gint i = 0; i < CC_MAX_COEFFS; i++) {
    gint x = i % 15 - 7, y = i / 15 - 7;
    coeff[i] = round(exp(-(x * x + y * y) / 18.0) / 56.5 * 1e6) / 1e6;
  }
  add(kernels, cc_kernel_new_square(coeff, CC_MAX_COEFFS, NULL), 0, 0, g_strdup("typed-gaussian"));
}

/* Adds means whose results are halves for many inputs, so that wrong rounding of ties shows. */
static void
add_ties(GArray *kernels) {
  static const gdouble pair[] = {1, 0, 1};
  add(kernels, cc_kernel_new_matrix(pair, 3, 3, NULL), 0, 0, g_strdup("mean-of-2"));
  gdouble coeff[25];
  for (guint i = 0; i < 25; i++)
    coeff[i] = i == 12 ? 0 : LARGE;
  add(kernels, cc_kernel_new_matrix(coeff, 25, 5, NULL), 0, 0, g_strdup("mean-of-24"));
}

GArray *
test_kernels_new(guint32 seed) {
  static const guint shapes[][2] = {{1, 1}, {1, 3}, {3, 1},  {3, 3},  {1, 5},   {5, 1},
                                    {3, 5}, {5, 3}, {5, 5},  {3, 7},  {7, 3},   {7, 7},
                                    {9, 9}, {5, 9}, {1, 15}, {15, 1}, {13, 11}, {15, 15}};
  static const Coeffs mixed[] = {COEFFS_LARGE, COEFFS_SIXTEENTHS, COEFFS_MEAN,  COEFFS_REAL,
                                 COEFFS_TINY,  COEFFS_MINUTE,     COEFFS_SPARSE};
  GArray *kernels = g_array_new(FALSE, FALSE, sizeof(TestKernel));
  g_array_set_clear_func(kernels, kernel_clear);
  g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
  add_named(kernels);
  add_gaussians(kernels);
  add_means(kernels);
  add_ties(kernels);
  add_typed_gaussian(kernels);
  add_gradients(kernels);
  for (guint i = 0; i < G_N_ELEMENTS(shapes); i++)
    add_random(kernels, shapes[i][0], shapes[i][1], COEFFS_SMALL, rand);
  for (guint i = 0; i < G_N_ELEMENTS(mixed); i++) {
    add_random(kernels, 3, 3, mixed[i], rand);
    add_random(kernels, 5, 5, mixed[i], rand);
    guint shape = (guint)g_rand_int_range(rand, 9, G_N_ELEMENTS(shapes));
    add_random(kernels, shapes[shape][0], shapes[shape][1], mixed[i], rand);
  }
  add_random_separable(kernels, 3, 3, COEFFS_SMALL, rand);
  add_random_separable(kernels, 5, 5, COEFFS_SMALL, rand);
  add_random_separable(kernels, 7, 5, COEFFS_SMALL, rand);
  add_random_separable(kernels, 15, 15, COEFFS_SMALL, rand);
  add_random_separable(kernels, 5, 5, COEFFS_HUNDREDS, rand);
  add_random_separable(kernels, 15, 9, COEFFS_HUNDREDS, rand);
  add_random_separable(kernels, 5, 7, COEFFS_THOUSANDS, rand);
  add_random_separable(kernels, 13, 3, COEFFS_THOUSANDS, rand);
  add_random_separable(kernels, 3, 3, COEFFS_REAL, rand);
  add_random_separable(kernels, 5, 5, COEFFS_MEAN, rand);
  add_random_separable(kernels, 9, 15, COEFFS_MEAN, rand);
  add_random_separable(kernels, 31, 31, COEFFS_SMALL, rand);
  add_random_separable(kernels, 17, 3, COEFFS_MEAN, rand);
  add_random_separable(kernels, 1, 31, COEFFS_REAL, rand);
  add_random_separable(kernels, 31, 1, COEFFS_SIXTEENTHS, rand);
  add_random_separable(kernels, 21, 25, COEFFS_REAL, rand);
  add_long_gradient(kernels, rand);
  add_separable_gradient(kernels, 7, 9, rand);
  add_separable_gradient(kernels, 9, 120, rand);
  add_separable_gradient(kernels, 5, 3000, rand);
  add_separable_gradient(kernels, 3, 10000, rand);
  add_random_definition(kernels, "response=magnitude", 2, 3, 3, rand);
  add_random_definition(kernels, "class=edge\nresponse=magnitude", 2, 15, 15, rand);
  add_random_definition(kernels, "class=edge\nresponse=direction", 2, 5, 5, rand);
  add_random_definition(kernels, "class=edge\nchroma=filter", 3, 3, 5, rand);
  add_random_definition(kernels, "class=sharpen\nresponse=magnitude-l1", 8, 5, 3, rand);
  return kernels;
}
