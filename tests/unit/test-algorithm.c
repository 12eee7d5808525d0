/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which algorithm can run which kernel, and the messages about those that cannot. */

#include "cuda/algorithm.h"
#include "engine/plan/plan.h"
#include "tests/ref/formats.h"

#include <string.h>

#define ALL                                                                                        \
  (1u << CC_ALGORITHM_AUTO | 1u << CC_ALGORITHM_DIRECT | 1u << CC_ALGORITHM_CONSTANT |             \
   1u << CC_ALGORITHM_TILE_HALO | 1u << CC_ALGORITHM_TILE_CACHED | 1u << CC_ALGORITHM_SCATTER)
#define AUTO (1u << CC_ALGORITHM_AUTO)
#define TWO_PASS (1u << CC_ALGORITHM_TWO_PASS)
#define PASSES (1u << CC_ALGORITHM_TWO_PASS | 1u << CC_ALGORITHM_REGISTER_TILE)
#define TENSOR_CORE (1u << CC_ALGORITHM_TENSOR_CORE)

/* Checks a plan whose algorithm must be refused unless it is in `able`. */
static void
check_algorithm(CcFilter filter, const CcFrameLayout *layout, CcAlgorithm algorithm, guint able) {
  g_autoptr(GError) error = NULL;
  filter.algorithm = algorithm;
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, layout, &error);
  g_assert_no_error(error);
  g_assert_cmpint(plan->algorithm, ==, algorithm);
  g_assert_cmpint(cc_algorithm_check_plan(plan, &error), ==, (able & 1u << algorithm) != 0);
  if (able & 1u << algorithm) {
    g_assert_no_error(error);
    return;
  }
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_test_message("%s", error->message);
  g_autofree gchar *start = g_strdup_printf("algorithm=%s ", cc_algorithm_name(algorithm));
  g_assert_true(g_str_has_prefix(error->message, start));
  for (CcAlgorithm other = CC_ALGORITHM_AUTO; other < CC_N_ALGORITHMS; other++)
    if (other != algorithm)
      g_assert_cmpint(strstr(error->message, cc_algorithm_name(other)) != NULL, ==,
                      (able & 1u << other) != 0);
}

static void
check_kernel(CcKernel *kernel, guint size, gdouble sigma, const gchar *format, guint able) {
  const CcFrameLayout layout = test_format_layout(test_format_find(format), 33, 17, TRUE);
  const CcFilter filter = {.kernel = kernel, .size = size, .sigma = sigma};
  g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
  g_assert_nonnull(plan);
  for (CcAlgorithm algorithm = CC_ALGORITHM_AUTO; algorithm < CC_N_ALGORITHMS; algorithm++) {
    for (guint i = 0; i < plan->n_ops; i++)
      g_assert_cmpint(cc_algorithm_runs(algorithm, &plan->op[i]), ==,
                      (able & 1u << algorithm) != 0);
    check_algorithm(filter, &layout, algorithm, able);
  }
}

static void
test_named(void) {
  static const struct {
    const gchar *kernel;
    guint size;
    gdouble sigma;
    const gchar *format;
    guint able;
  } cases[] = {
      {"identity", 0, 0, "GRAY8", ALL | PASSES | TENSOR_CORE},
      {"gaussian", 3, 0, "NV12", ALL | PASSES | TENSOR_CORE},
      {"gaussian", 7, 0, "GRAY16_LE", ALL | PASSES | TENSOR_CORE},
      {"gaussian", 9, 0, "GRAY8", ALL | TWO_PASS | TENSOR_CORE},
      {"gaussian", 15, 0, "GRAY8", ALL | TWO_PASS | TENSOR_CORE}, /* sums of 2^28 samples */
      {"box", 15, 0, "GRAY16_LE", ALL | TWO_PASS | TENSOR_CORE},
      {"gaussian", 0, 1.0, "I420", ALL | PASSES | TENSOR_CORE},        /* fractional, 7x7 */
      {"gaussian", 0, 2.0, "GRAY16_LE", ALL | TWO_PASS | TENSOR_CORE}, /* sums of 50 bits */
      {"gaussian", 17, 0, "GRAY8", AUTO | TWO_PASS | TENSOR_CORE},
      {"gaussian", 63, 0, "I420", AUTO | TWO_PASS | TENSOR_CORE},
      {"gaussian", 127, 0, "GRAY8", AUTO | TWO_PASS | TENSOR_CORE},
      {"gaussian", 0, 21, "GRAY16_LE", AUTO | TWO_PASS | TENSOR_CORE}, /* sums of 60 bits */
      {"box", 127, 0, "RGBA", AUTO | TWO_PASS | TENSOR_CORE},
      {"box", 127, 0, "P010_10LE", AUTO | TWO_PASS | TENSOR_CORE},
      {"sobel", 7, 0, "GRAY8", ALL | PASSES | TENSOR_CORE}, /* two matrices */
      {"sobel", 3, 0, "GRAY16_LE", ALL | PASSES | TENSOR_CORE},
      {"kirsch", 3, 0, "GRAY8", ALL | TENSOR_CORE}, /* eight, not separable */
      {"laplacian", 3, 0, "GRAY8", ALL | TENSOR_CORE},
      {"log", 5, 0, "RGBA", ALL | TENSOR_CORE},
      {"log", 9, 0, "GRAY8", ALL | TENSOR_CORE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    check_kernel(cc_kernels_find(cases[i].kernel), cases[i].size, cases[i].sigma, cases[i].format,
                 cases[i].able);
}

static CcKernel *
kernel_of_matrices(guint n, const gchar *matrix) {
  g_autoptr(GString) text = g_string_new("[several]\nresponse=magnitude\nmatrix-3=");
  for (guint i = 0; i < n; i++)
    g_string_append_printf(text, "%s%s", i ? " | " : "", matrix);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) kernels = cc_kernels_parse(text->str, text->len, "test", &error);
  g_assert_no_error(error);
  return cc_kernel_ref(g_ptr_array_index(kernels, 0));
}

static void
test_matrices(void) {
  static const gchar separable[] = "1 2 1; 2 4 2; 1 2 1", cross[] = "0 1 0; 1 1 1; 0 1 0";
  static const gchar crooked[] = "0.1234567 0.7654321 0; 0 0.3141592 0; 0 0.2718281 1";
  static const struct {
    guint n;
    const gchar *matrix;
    guint able;
  } cases[] = {
      {1, separable, ALL | PASSES | TENSOR_CORE},
      {2, separable, ALL | PASSES | TENSOR_CORE},
      {3, separable, ALL | PASSES | TENSOR_CORE},
      {8, separable, ALL | PASSES | TENSOR_CORE},
      {1, cross, ALL | TENSOR_CORE},
      {2, cross, ALL | TENSOR_CORE},
      {2, crooked, ALL | TENSOR_CORE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(CcKernel) kernel = kernel_of_matrices(cases[i].n, cases[i].matrix);
    check_kernel(kernel, 0, 0, "GRAY8", cases[i].able);
  }
}

/* 65535 * 32768 and 255 * 8421504 are the largest such products that fit in 32 bits. */
static void
test_int32(void) {
  static const struct {
    gdouble coeff;
    const gchar *format;
    gboolean fits;
  } cases[] = {
      {32768, "GRAY16_LE", TRUE},   {32769, "GRAY16_LE", FALSE}, {-32768, "GRAY16_LE", TRUE},
      {-32769, "GRAY16_LE", FALSE}, {32769, "GRAY8", TRUE},      {8421504, "GRAY8", TRUE},
      {8421505, "GRAY8", FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const gdouble row[] = {0, cases[i].coeff, 0};
    g_autoptr(CcKernel) kernel = cc_kernel_new_matrix(row, 3, 3, NULL);
    const CcFrameLayout layout = test_format_layout(test_format_find(cases[i].format), 8, 8, FALSE);
    const CcFilter filter = {.kernel = kernel};
    g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, NULL);
    g_assert_cmpint(cc_op_fits_int32(plan->op), ==, cases[i].fits);
    check_kernel(kernel, 0, 0, cases[i].format, ALL | PASSES | TENSOR_CORE);
  }
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY8"), 8, 8, FALSE);
  const CcFilter fractional = {.kernel = cc_kernels_find("gaussian"), .sigma = 1};
  g_autoptr(CcPlan) plan = cc_plan_new(&fractional, &layout, NULL);
  g_assert_true(cc_op_fits_int32(plan->op));
}

static void
assert_filter_message(const CcFilter *filter, const gchar *message) {
  const CcFrameLayout layout = test_format_layout(test_format_find("GRAY16_LE"), 8, 8, FALSE);
  g_autoptr(GError) error = NULL;
  g_autoptr(CcPlan) plan = cc_plan_new(filter, &layout, &error);
  g_assert_false(plan && cc_algorithm_check_plan(plan, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_assert_cmpstr(error->message, ==, message);
}

static void
assert_message(CcKernel *kernel, guint size, CcAlgorithm algorithm, const gchar *message) {
  const CcFilter filter = {.kernel = kernel, .size = size, .algorithm = algorithm};
  assert_filter_message(&filter, message);
}

static void
test_messages(void) {
  CcKernel *box = cc_kernels_find("box");
  assert_message(
      cc_kernels_find("log"), 5, CC_ALGORITHM_TWO_PASS,
      "algorithm=two-pass cannot run this kernel (5x5, not separable): direct, constant, "
      "tile-halo, tile-cached, scatter and tensor-core can, or auto");
  assert_message(
      box, 31, CC_ALGORITHM_DIRECT,
      "algorithm=direct cannot run this kernel (31x31, separable): two-pass and tensor-core "
      "can, or auto");
  assert_message(
      box, 127, CC_ALGORITHM_REGISTER_TILE,
      "algorithm=register-tile cannot run this kernel (127x127, separable): two-pass and "
      "tensor-core can, or auto");
  for (gint i = -1; i <= CC_N_ALGORITHMS; i += CC_N_ALGORITHMS + 1) {
    g_autofree gchar *message = g_strdup_printf(
        "algorithm=%d: there is no such one; there are direct, constant, tile-halo, "
        "tile-cached, scatter, two-pass, register-tile and tensor-core, and auto",
        i);
    assert_message(box, 3, (CcAlgorithm)i, message);
  }
}

/* An op whose outer taps are zero is smaller than its kernel. Messages have the size of the kernel,
 * which users know. */
static void
test_trimmed_messages(void) {
  const CcFilter gaussian = {.kernel = cc_kernels_find("gaussian"),
                             .size = 31,
                             .sigma = 1,
                             .algorithm = CC_ALGORITHM_REGISTER_TILE};
  gdouble coeff[25] = {0};
  for (guint i = 0; i < 3; i++)
    coeff[6 + i] = coeff[18 - i] = i + 1;
  g_autoptr(CcKernel) kernel = cc_kernel_new_matrix(coeff, 25, 5, NULL);
  assert_message(
      kernel, 0, CC_ALGORITHM_TWO_PASS,
      "algorithm=two-pass cannot run this kernel (5x5, all zero outside 3x3, not "
      "separable): direct, constant, tile-halo, tile-cached, scatter and tensor-core can, "
      "or auto");
  assert_filter_message(&gaussian,
                        "algorithm=register-tile cannot run this kernel (31x31, all zero outside "
                        "9x9, separable, sums beyond 32 bits): direct, constant, tile-halo, "
                        "tile-cached, two-pass and tensor-core can, or auto");
}

/* Planes that are only copied or filled need no algorithm. */
static void
test_no_op(void) {
  const CcFrameLayout layout = {
      .n_planes = 1,
      .plane = {{.width = 4, .height = 4, .step = 1, .depth = 8, .role = {CC_ROLE_CB}}}};
  for (CcAlgorithm algorithm = CC_ALGORITHM_AUTO; algorithm < CC_N_ALGORITHMS; algorithm++) {
    const CcFilter filter = {.kernel = cc_kernels_find("kirsch")};
    check_algorithm(filter, &layout, algorithm, ALL | PASSES | TENSOR_CORE);
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/algorithm/named", test_named);
  g_test_add_func("/algorithm/matrices", test_matrices);
  g_test_add_func("/algorithm/int32", test_int32);
  g_test_add_func("/algorithm/messages", test_messages);
  g_test_add_func("/algorithm/trimmed-messages", test_trimmed_messages);
  g_test_add_func("/algorithm/no-op", test_no_op);
  return g_test_run();
}
