/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The plan: properties of kernels, and the passes that write each component. */

#include "cuda/algorithm.h"
#include "engine/plan/plan.h"
#include "tests/ref/formats.h"
#include "tests/ref/oracle.h"
#include "tests/ref/oracle_samples.h"

#include <math.h>
#include <string.h>

static CcPlan *
plan_for(const CcFilter *filter, const gchar *format, gboolean limited_range) {
  const CcFrameLayout layout = test_format_layout(test_format_find(format), 33, 17, limited_range);
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(filter, &layout, &error);
  g_assert_no_error(error);
  g_assert_nonnull(plan);
  return plan;
}

static CcPlan *
plan_for_named(const gchar *name, guint size, const gchar *format) {
  const CcFilter filter = {.kernel = cc_kernels_find(name), .size = size};
  return plan_for(&filter, format, FALSE);
}

static CcPlan *
plan_for_matrix(const gdouble *coeff, guint n, guint width, const gchar *format) {
  g_autoptr(GError) error = NULL;
  g_autoptr(CcKernel) kernel = cc_kernel_new_matrix(coeff, n, width, &error);
  g_assert_no_error(error);
  const CcFilter filter = {.kernel = kernel};
  return plan_for(&filter, format, FALSE);
}

/* --- separability and exactness --- */

/* Checks that the products of the factors are the taps. */
static void
check_factors(const CcOp *op) {
  for (guint m = 0; m < op->n_matrices; m++) {
    for (guint y = 0; y < op->height; y++) {
      for (guint x = 0; x < op->width; x++) {
        guint tap = (m * op->height + y) * op->width + x;
        gint64 product = (gint64)op->column_i[m][y] * op->row_i[m][x];
        g_assert_cmpint(product, ==, cc_op_tap(op, m, y, x));
        g_assert_true(!op->has_taps || product == op->tap_i[tap]);
      }
    }
  }
}

static gboolean
named_is_separable(const gchar *name) {
  static const gchar *const names[] = {"identity", "box",     "gaussian", "sobel", "sobel-x",
                                       "sobel-y",  "prewitt", "scharr",   NULL};
  return g_strv_contains(names, name);
}

static void
test_named(void) {
  const GPtrArray *builtin = cc_kernels_builtin();
  for (guint i = 0; i < builtin->len; i++) {
    const CcKernel *kernel = g_ptr_array_index(builtin, i);
    for (guint s = 0; s < kernel->n_sizes; s++) {
      for (const TestFormat *format = test_formats; format->name; format++) {
        g_autoptr(CcPlan) plan = plan_for_named(kernel->name, kernel->sizes[s].size, format->name);
        g_assert_cmpuint(plan->n_ops, >=, 1);
        for (guint k = 0; k < plan->n_ops; k++) {
          const CcOp *op = &plan->op[k];
          g_assert_cmpfloat(op->error, ==, 0);
          g_assert_cmpint(op->separable, ==, named_is_separable(kernel->name));
          g_assert_cmpuint(op->n_matrices, ==, kernel->sizes[s].n_matrices);
          g_assert_cmpint(op->response, ==, kernel->response);
          g_assert_cmpint(op->hi, ==, (1 << format->depth) - 1);
          if (op->separable)
            check_factors(op);
        }
      }
    }
  }
}

static void
test_random_separable(void) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(1);
  for (guint round = 0; round < 500; round++) {
    gdouble row[15], column[15];
    guint width = 1 + 2 * (guint)g_rand_int_range(rand, 0, 8);
    guint height = 1 + 2 * (guint)g_rand_int_range(rand, 0, 8);
    gboolean whole = g_rand_boolean(rand);
    for (guint i = 0; i < 15; i++) {
      row[i] = whole ? g_rand_int_range(rand, -4, 5) : g_rand_double_range(rand, -2, 2);
      column[i] = whole ? g_rand_int_range(rand, -4, 5) : g_rand_double_range(rand, -2, 2);
    }
    g_autoptr(CcKernel) kernel = cc_kernel_new_separable(row, width, column, height, NULL);
    const CcFilter filter = {.kernel = kernel};
    g_autoptr(CcPlan) plan = plan_for(&filter, "GRAY8", FALSE);
    g_assert_true(plan->op->separable);
    g_assert_true(!whole || plan->op->error == 0);
    check_factors(plan->op);
  }
}

static void
test_not_separable(void) {
  static const gdouble cross[] = {0, 1, 0, 1, 1, 1, 0, 1, 0};
  static const gdouble last[] = {1, 2, 1, 2, 4, 2, 1, 2, 2};
  static const gdouble diagonal[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const gdouble real[] = {0.1234, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.987654321};
  const gdouble *all[] = {cross, last, diagonal, real};
  for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
    g_autoptr(CcPlan) plan = plan_for_matrix(all[i], 9, 3, "GRAY8");
    g_assert_false(plan->op->separable);
  }
}

static void
test_exact(void) {
  static const struct {
    gdouble coeff[3];
    gboolean exact;
    gint32 whole[3];
  } cases[] = {
      {{1, 2, 1}, TRUE, {1, 2, 1}},
      {{0.25, 0.5, 0.25}, TRUE, {1, 2, 1}},
      {{1 / 3.0, 1 / 7.0, -2 / 21.0}, TRUE, {7, 3, -2}},
      {{0.333333333, 0.333333333, 0.333333333}, TRUE, {1, 1, 1}},
      {{0.1, 0.2, -0.3}, TRUE, {1, 2, -3}},
      {{0.3 / 4096, 0.1234567, 0.7654321}, FALSE, {0}},
      {{G_PI, G_E, G_SQRT2}, FALSE, {0}},
      {{0, 0, 0}, TRUE, {0, 0, 0}},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(CcPlan) plan = plan_for_matrix(cases[i].coeff, 3, 3, "GRAY8");
    g_assert_cmpint(plan->op->error == 0, ==, cases[i].exact);
    if (cases[i].exact)
      g_assert_cmpmem(plan->op->tap_i, sizeof cases[i].whole, cases[i].whole,
                      sizeof cases[i].whole);
  }
}

/* Uses 16 bits, so that no outer tap rounds to zero, except for the first case and the small sigma
 * in 15x15, which give smaller ops. */
static void
test_gaussian_sizes(void) {
  static const struct {
    gdouble sigma;
    guint size, expected;
  } cases[] = {{0.1, 0, 1},    {0.4, 0, 3},    {0.42, 0, 5}, {0.5, 0, 5},  {0.7, 0, 5},
               {0.8, 0, 7},    {1, 0, 7},      {1.4, 0, 9},  {2.1, 0, 15}, {2.41, 0, 15},
               {2.416, 0, 15}, {99, 15, 15},   {2, 5, 5},    {9, 1, 1},    {0.5, 15, 5},
               {3, 0, 19},     {5, 0, 31},     {10, 63, 63}, {0, 17, 17},  {0, 127, 127},
               {21, 0, 127},   {21.08, 0, 127}};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {
        .kernel = cc_kernels_find("gaussian"), .size = cases[i].size, .sigma = cases[i].sigma};
    g_autoptr(CcPlan) plan = plan_for(&filter, "GRAY16_LE", FALSE);
    g_assert_cmpuint(plan->op->width, ==, cases[i].expected);
    g_assert_cmpuint(plan->op->height, ==, cases[i].expected);
    g_assert_true(plan->op->separable);
  }
}

/* A size that the kernel does not have is replaced. */
static void
test_sizes(void) {
  static const struct {
    const gchar *name;
    guint requested, expected;
  } cases[] = {{"sobel", 9, 7},      {"sobel", 1, 3},      {"scharr", 15, 3}, {"gaussian", 1, 3},
               {"sobel", 127, 7},    {"box", 15, 15},      {"box", 17, 17},   {"box", 127, 127},
               {"gaussian", 15, 15}, {"gaussian", 17, 17}, {"log", 127, 9}};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(CcPlan) plan = plan_for_named(cases[i].name, cases[i].requested, "GRAY8");
    g_assert_cmpuint(plan->op->width, ==, cases[i].expected);
  }
}

/* Outer rows and columns are trimmed if they are zero on both sides and in all matrices. */
static void
test_trimmed(void) {
  static const struct {
    guint size;
    const gchar *matrices;
    guint width, height;
  } cases[] = {
      {3, "0 0 0; 0 1 0; 0 0 0", 1, 1},
      {3, "0 0 0; 0 0 0; 0 0 0", 1, 1},
      {3, "0 0 0; 1 2 4; 0 0 0", 3, 1},
      {3, "0 3 0; 0 2 0; 0 5 0", 1, 3},
      {3, "0 0 1; 0 1 0; 0 0 0", 3, 3},
      {5, "0 0 0 0 0; 0 1 2 3 0; 0 4 5 7 0; 0 6 8 9 0; 0 0 0 0 0", 3, 3},
      {5, "0 0 0 0 0; 0 1 2 3 0; 0 4 5 7 0; 0 6 8 9 1; 0 0 0 0 0", 5, 3},
      {3, "0 0 0; 1 2 1; 0 0 0 | 0 1 0; 0 2 0; 0 1 0", 3, 3},
      {3, "0 0 0; 1 2 1; 0 0 0 | 0 0 0; 4 0 3; 0 0 0", 3, 1},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree gchar *text =
        g_strdup_printf("[k]\nresponse=magnitude\nmatrix-%u=%s", cases[i].size, cases[i].matrices);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) kernels = cc_kernels_parse(text, strlen(text), "k", &error);
    g_assert_no_error(error);
    const CcFilter filter = {.kernel = g_ptr_array_index(kernels, 0), .scale = 1};
    g_autoptr(CcPlan) plan = plan_for(&filter, "GRAY8", FALSE);
    g_assert_cmpuint(plan->op->width, ==, cases[i].width);
    g_assert_cmpuint(plan->op->height, ==, cases[i].height);
  }
}

/* Only Gaussian kernels are sampled. */
static void
test_sigma_elsewhere(void) {
  const CcFilter filter = {.kernel = cc_kernels_find("sobel"), .sigma = 2};
  g_autoptr(CcPlan) plan = plan_for(&filter, "GRAY8", FALSE);
  g_assert_cmpuint(plan->op->width, ==, 3);
}

/* --- bounds and arithmetic --- */

static void
test_bounds(void) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(2);
  for (guint round = 0; round < 200; round++) {
    gdouble coeff[25];
    gint64 min = 0, max = 0;
    for (guint i = 0; i < 25; i++) {
      coeff[i] = g_rand_int_range(rand, -100000, 100000);
      *(coeff[i] < 0 ? &min : &max) += (gint64)coeff[i];
    }
    gboolean deep = g_rand_boolean(rand);
    g_autoptr(CcPlan) plan = plan_for_matrix(coeff, 25, 5, deep ? "GRAY16_LE" : "GRAY8");
    g_assert_cmpint(plan->op->sum_min[0], ==, min * (deep ? 65535 : 255));
    g_assert_cmpint(plan->op->sum_max[0], ==, max * (deep ? 65535 : 255));
  }
}

static void
test_arithmetic(void) {
  static const struct {
    const gchar *name;
    guint size;
    const gchar *format;
    CcArith arith;
  } cases[] = {
      {"sobel", 3, "GRAY8", CC_ARITH_F32},     {"gaussian", 5, "GRAY8", CC_ARITH_F32},
      {"box", 3, "GRAY8", CC_ARITH_F32},       {"gaussian", 5, "Y444_10LE", CC_ARITH_F32},
      {"sobel", 3, "GRAY16_LE", CC_ARITH_I64}, {"gaussian", 15, "GRAY16_LE", CC_ARITH_I64},
      {"kirsch", 3, "GRAY8", CC_ARITH_F32},    {"laplacian", 3, "GRAY16_LE", CC_ARITH_F32},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(CcPlan) plan = plan_for_named(cases[i].name, cases[i].size, cases[i].format);
    g_assert_cmpint(plan->op->arith, ==, cases[i].arith);
  }
  /* float can hold neither these sums nor sums of fractions with that many bits */
  static const gdouble large[] = {1e6, 1e6, 1e6};
  g_autoptr(CcPlan) whole = plan_for_matrix(large, 3, 3, "GRAY8");
  g_assert_cmpint(whole->op->arith, ==, CC_ARITH_I64);
  static const gdouble real[] = {G_PI, G_E, G_SQRT2};
  g_autoptr(CcPlan) fractional = plan_for_matrix(real, 3, 3, "GRAY16_LE");
  g_assert_cmpint(fractional->op->arith, ==, CC_ARITH_I64);
}

static void
test_border_index(void) {
  for (gint border = 0; border < CC_N_BORDERS; border++)
    for (gint n = 1; n <= 17; n++)
      for (gint i = -64; i < n + 64; i++)
        g_assert_cmpint(cc_border_index(i, n, (CcBorder)border), ==,
                        oracle_border_index(i, n, (CcBorder)border));
}

/* Plan and oracle against rows written by hand. */
static void
test_border_rows(void) {
  static const gint expected[][13] = {
      [CC_BORDER_REPLICATE] = {0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2},
      [CC_BORDER_CONSTANT] = {-1, -1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1},
      [CC_BORDER_REFLECT] = {1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1},
      [CC_BORDER_REFLECT_101] = {1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1},
      [CC_BORDER_WRAP] = {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1},
  };
  for (gint border = 0; border < CC_N_BORDERS; border++)
    for (gint i = 0; i < 13; i++) {
      g_assert_cmpint(cc_border_index(i - 5, 3, (CcBorder)border), ==, expected[border][i]);
      g_assert_cmpint(oracle_border_index(i - 5, 3, (CcBorder)border), ==, expected[border][i]);
    }
}

/* --- passes --- */

/* Checks that every component of every plane is written by exactly one pass, in exactly one way. */
static void
check_cover(const CcPlan *plan) {
  guint written[CC_MAX_PLANES] = {0};
  g_assert_cmpuint(plan->n_passes, <=, CC_MAX_PASSES);
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    g_assert_cmpuint(pass->plane, <, plan->layout.n_planes);
    g_assert_cmpuint(pass->filter_mask & pass->copy_mask, ==, 0);
    g_assert_cmpuint(pass->filter_mask & pass->fill_mask, ==, 0);
    g_assert_cmpuint(pass->copy_mask & pass->fill_mask, ==, 0);
    g_assert_true((pass->op != NULL) == (pass->filter_mask != 0));
    guint mask = pass->filter_mask | pass->copy_mask | pass->fill_mask;
    g_assert_cmpuint(mask, !=, 0);
    g_assert_cmpuint(written[pass->plane] & mask, ==, 0);
    written[pass->plane] |= mask;
  }
  for (guint p = 0; p < plan->layout.n_planes; p++)
    g_assert_cmpuint(written[p], ==, (1u << plan->layout.plane[p].step) - 1);
}

/* Collects which components of a plane the plan filters, copies and fills. */
static void
collect_masks(const CcPlan *plan, guint plane, guint *filter, guint *copy, guint *fill) {
  *filter = *copy = *fill = 0;
  for (guint i = 0; i < plan->n_passes; i++) {
    if (plan->pass[i].plane == plane) {
      *filter |= plan->pass[i].filter_mask;
      *copy |= plan->pass[i].copy_mask;
      *fill |= plan->pass[i].fill_mask;
    }
  }
}

static void
test_cover(void) {
  static const gchar *const kernels[] = {"sobel", "gaussian", "sharpen", "identity"};
  for (guint k = 0; k < G_N_ELEMENTS(kernels); k++)
    for (const TestFormat *format = test_formats; format->name; format++)
      for (gint chroma = 0; chroma < CC_N_CHROMAS; chroma++)
        for (gint alpha = 0; alpha < CC_N_ALPHAS; alpha++)
          for (gint limited = FALSE; limited <= TRUE; limited++) {
            const CcFilter filter = {.kernel = cc_kernels_find(kernels[k]),
                                     .chroma = (CcChroma)chroma,
                                     .alpha = (CcAlpha)alpha};
            if (alpha == CC_ALPHA_WEIGHTED && filter.kernel->klass != CC_KERNEL_BLUR)
              continue; /* is refused */
            g_autoptr(CcPlan) plan = plan_for(&filter, format->name, limited);
            check_cover(plan);
          }
}

static void
test_roles(void) {
  static const struct {
    const gchar *kernel, *format;
    guint plane; /* plane of the filtered components */
    CcChroma chroma;
    CcAlpha alpha;
    guint filter, copy, fill;
    CcColor color;
  } cases[] = {
      {"sobel", "AYUV", 0, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0x2, 0x1, 0xc, CC_COLOR_AUTO},
      {"sobel", "AYUV", 0, CC_CHROMA_FILTER, CC_ALPHA_OPAQUE, 0xe, 0x0, 0x1, CC_COLOR_AUTO},
      {"gaussian", "AYUV", 0, CC_CHROMA_AUTO, CC_ALPHA_FILTER, 0xf, 0x0, 0x0, CC_COLOR_AUTO},
      {"sharpen", "AYUV", 0, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0x2, 0xd, 0x0, CC_COLOR_AUTO},
      {"sobel", "NV12", 0, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0x1, 0x0, 0x0, CC_COLOR_AUTO},
      {"sobel", "NV12", 1, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0x0, 0x0, 0x3, CC_COLOR_AUTO},
      {"sharpen", "NV12", 1, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0x0, 0x3, 0x0, CC_COLOR_AUTO},
      {"sobel", "I420", 2, CC_CHROMA_COPY, CC_ALPHA_COPY, 0x0, 0x1, 0x0, CC_COLOR_AUTO},
      {"sobel", "RGBx", 0, CC_CHROMA_NEUTRAL, CC_ALPHA_OPAQUE, 0x7, 0x8, 0x0, CC_COLOR_COMPONENTS},
      {"sobel", "RGBx", 0, CC_CHROMA_NEUTRAL, CC_ALPHA_OPAQUE, 0x1, 0x0, 0x0, CC_COLOR_AUTO},
      {"sobel", "RGBx", 1, CC_CHROMA_NEUTRAL, CC_ALPHA_OPAQUE, 0x0, 0x1, 0x0, CC_COLOR_AUTO},
      {"sobel", "ARGB", 1, CC_CHROMA_NEUTRAL, CC_ALPHA_OPAQUE, 0x0, 0x0, 0x1, CC_COLOR_AUTO},
      {"sobel", "ARGB", 1, CC_CHROMA_NEUTRAL, CC_ALPHA_FILTER, 0x1, 0x0, 0x0, CC_COLOR_AUTO},
      {"gaussian", "GBR", 0, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0x1, 0x0, 0x0, CC_COLOR_GREY},
      {"sobel", "UYVY", 0, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0x1, 0x0, 0x0, CC_COLOR_AUTO},
      {"sobel", "UYVY", 1, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0x0, 0x0, 0x3, CC_COLOR_AUTO},
      {"sharpen", "UYVY", 1, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0x0, 0x3, 0x0, CC_COLOR_AUTO},
      {"gaussian", "ARGB64", 0, CC_CHROMA_AUTO, CC_ALPHA_COPY, 0xe, 0x1, 0x0, CC_COLOR_AUTO},
      {"gaussian", "GBR", 2, CC_CHROMA_NEUTRAL, CC_ALPHA_COPY, 0x1, 0x0, 0x0, CC_COLOR_AUTO},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find(cases[i].kernel),
                             .chroma = cases[i].chroma,
                             .color = cases[i].color,
                             .alpha = cases[i].alpha};
    g_autoptr(CcPlan) plan = plan_for(&filter, cases[i].format, FALSE);
    guint filtered, copied, filled;
    collect_masks(plan, cases[i].plane, &filtered, &copied, &filled);
    g_assert_cmpuint(filtered, ==, cases[i].filter);
    g_assert_cmpuint(copied, ==, cases[i].copy);
    g_assert_cmpuint(filled, ==, cases[i].fill);
  }
}

static void
test_fill_and_border_values(void) {
  const CcFilter filter = {.kernel = cc_kernels_find("sobel"),
                           .alpha = CC_ALPHA_OPAQUE,
                           .border = CC_BORDER_CONSTANT,
                           .border_value = 0.5};
  g_autoptr(CcPlan) packed = plan_for(&filter, "AYUV", TRUE);
  for (guint i = 0; i < packed->n_passes; i++) {
    const CcPass *pass = &packed->pass[i];
    if (pass->fill_mask & 1)
      g_assert_cmpuint(pass->fill[0], ==, 255);
    if (pass->fill_mask & 4)
      g_assert_cmpuint(pass->fill[2], ==, 128);
    if (pass->filter_mask & 2)
      g_assert_cmpuint(pass->border[1], ==, 128);
  }
  g_autoptr(CcPlan) deep = plan_for(&filter, "P010_10LE", TRUE);
  for (guint i = 0; i < deep->n_passes; i++) {
    const CcPass *pass = &deep->pass[i];
    if (pass->plane == 1)
      g_assert_cmpuint(pass->fill[1], ==, 512);
    else
      g_assert_cmpuint(pass->border[0], ==, 512);
  }
}

/* Edges stay within the limited range of luma, from black to white. */
static void
test_range(void) {
  static const struct {
    const gchar *kernel;
    CcResponse response;
    gint lo, hi;
  } cases[] = {
      {"sobel", CC_RESPONSE_AUTO, 64, 940},         {"laplacian", CC_RESPONSE_CLAMP, 64, 940},
      {"sobel", CC_RESPONSE_MAGNITUDE_L1, 64, 940}, {"sobel", CC_RESPONSE_OFFSET, 0, 1023},
      {"sobel", CC_RESPONSE_DIRECTION, 0, 1023},    {"sharpen", CC_RESPONSE_AUTO, 0, 1023},
      {"gaussian", CC_RESPONSE_ABSOLUTE, 0, 1023},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find(cases[i].kernel),
                             .response = cases[i].response,
                             .chroma = CC_CHROMA_FILTER};
    g_autoptr(CcPlan) limited = plan_for(&filter, "I420_10LE", TRUE);
    g_autoptr(CcPlan) full = plan_for(&filter, "I420_10LE", FALSE);
    g_assert_cmpint(limited->pass[0].op->lo, ==, cases[i].lo);
    g_assert_cmpint(limited->pass[0].op->hi, ==, cases[i].hi);
    g_assert_cmpint(limited->pass[1].op->lo, ==, 0); /* chroma has the full range */
    g_assert_cmpint(limited->pass[1].op->hi, ==, 1023);
    g_assert_cmpint(full->op->lo, ==, 0);
    g_assert_cmpint(full->op->hi, ==, 1023);
  }
}

/* The variance of the row of a separable op. */
static gdouble
variance_of_row(const CcOp *op) {
  gdouble sum = 0, squares = 0;
  const gint middle = (gint)op->width / 2;
  for (gint i = 0; i < (gint)op->width; i++) {
    sum += op->row_i[0][i];
    squares += (gdouble)op->row_i[0][i] * (i - middle) * (i - middle);
  }
  return squares / sum;
}

/* The size for a sigma is the same at every depth. The variances of a chain add up, except for the
 * 2.7 % that a Gaussian has beyond three sigma. */
static void
test_sizes_of_sigma(void) {
  static const gchar *const formats[] = {"GRAY8", "P010_10LE", "I420_12LE", "GRAY16_LE"};
  static const struct {
    gdouble sigma;
    guint size;
  } cases[] = {{0.8, 7}, {1.2, 9}, {2, 13}, {5, 31}, {21, 127}};
  for (guint f = 0; f < G_N_ELEMENTS(formats); f++)
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
      const CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .sigma = cases[i].sigma};
      g_autoptr(CcPlan) plan = plan_for(&filter, formats[f], FALSE);
      g_assert_cmpuint(plan->kernel_width, ==, cases[i].size);
      g_assert_cmpuint(plan->kernel_height, ==, cases[i].size);
      if (cases[i].sigma == 21)
        g_assert_cmpfloat_with_epsilon(sqrt(4 * variance_of_row(plan->op)), 42 * 0.987, 0.2);
    }
}

/* A negative scale is applied to the result, except with one matrix and a linear result: then the
 * taps take its sign. */
static void
test_negative_scale(void) {
  static const struct {
    const gchar *kernel;
    CcResponse response;
    gboolean in_taps;
  } cases[] = {
      {"sobel-x", CC_RESPONSE_AUTO, FALSE},    {"sobel-x", CC_RESPONSE_CLAMP, TRUE},
      {"sobel-x", CC_RESPONSE_OFFSET, TRUE},   {"sobel-x", CC_RESPONSE_ABSOLUTE, FALSE},
      {"sobel", CC_RESPONSE_MAGNITUDE, FALSE}, {"sobel", CC_RESPONSE_MAGNITUDE_L1, FALSE},
      {"kirsch", CC_RESPONSE_CLAMP, FALSE},    {"gaussian", CC_RESPONSE_AUTO, TRUE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    CcFilter filter = {.kernel = cc_kernels_find(cases[i].kernel),
                       .response = cases[i].response,
                       .scale = 0.5,
                       .bias = 255};
    g_autoptr(CcPlan) positive = plan_for(&filter, "GRAY8", FALSE);
    filter.scale = -0.5;
    g_autoptr(CcPlan) negative = plan_for(&filter, "GRAY8", FALSE);
    const CcOp *a = positive->op, *b = negative->op;
    for (guint t = 0; t < a->n_matrices * a->width * a->height; t++)
      g_assert_cmpint(b->tap_i[t], ==, cases[i].in_taps ? -a->tap_i[t] : a->tap_i[t]);
    g_assert_cmpfloat(b->mul, ==, cases[i].in_taps ? a->mul : -a->mul);
  }
}

/* --- kernels of chroma --- */

static CcFilter
with_chroma(const gchar *kernel, const gchar *chroma_kernel, guint chroma_size) {
  return (CcFilter){.kernel = cc_kernels_find(kernel),
                    .chroma_kernel = chroma_kernel ? cc_kernels_find(chroma_kernel) : NULL,
                    .chroma_size = chroma_size,
                    .chroma = CC_CHROMA_FILTER};
}

static gboolean
same_op(const CcOp *a, const CcOp *b) {
  for (guint m = 0; m < a->n_matrices && m < b->n_matrices; m++)
    for (guint y = 0; y < MIN(a->height, b->height); y++)
      for (guint x = 0; x < MIN(a->width, b->width); x++)
        if (cc_op_tap(a, m, y, x) != cc_op_tap(b, m, y, x))
          return FALSE;
  return a->width == b->width && a->height == b->height && a->n_matrices == b->n_matrices &&
         a->response == b->response && a->mul == b->mul && a->add == b->add && a->lo == b->lo &&
         a->hi == b->hi;
}

/* The pass that filters a component of `role`. */
static const CcPass *
pass_of_role(const CcPlan *plan, CcRole role) {
  for (guint i = 0; i < plan->n_passes; i++) {
    const CcPass *pass = &plan->pass[i];
    for (guint c = 0; c < plan->layout.plane[pass->plane].step; c++)
      if (plan->layout.plane[pass->plane].role[c] == role && pass->filter_mask >> c & 1)
        return pass;
  }
  g_error("no pass filters role %d", role);
}

/* The ops of a plan with another kernel for chroma are those of two plans: one with the kernel of
 * luma, and one with the kernel of chroma and the settings that apply to it. */
static void
test_chroma_kernel(void) {
  static const gchar *const formats[] = {"I420", "NV12", "P010_10LE", "AYUV", "UYVY", "Y444_16LE"};
  static const struct {
    const gchar *kernel, *chroma_kernel; /* NULL: that of luma */
    guint size, chroma_size;
    gdouble sigma, scale, bias;
    CcResponse response;
  } cases[] = {
      {"gaussian", NULL, 5, 3, 0, 0, 0, 0},
      {"gaussian", NULL, 5, 3, 0, 2, 7, CC_RESPONSE_OFFSET},
      {"gaussian", NULL, 0, 9, 1.4, 0, 0, 0},
      {"box", NULL, 127, 3, 0, 0, 0, 0},
      {"sobel", "gaussian", 0, 0, 0, 0, 0, 0},
      {"sobel", "gaussian", 7, 3, 2, 0.5, -20, CC_RESPONSE_ABSOLUTE},
      {"gaussian", "sobel", 9, 5, 0, -1, 255, CC_RESPONSE_OFFSET},
      {"box", "laplacian", 31, 0, 0, 0, 30, CC_RESPONSE_CLAMP},
      {"sobel", "sobel", 0, 0, 0, 2, 30, CC_RESPONSE_DIRECTION},
      {"identity", "kirsch", 0, 0, 0, 0, 0, 0},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases) * G_N_ELEMENTS(formats); i++) {
    const gchar *format = formats[i % G_N_ELEMENTS(formats)];
    const guint k = i / G_N_ELEMENTS(formats);
    CcFilter filter = with_chroma(cases[k].kernel, cases[k].chroma_kernel, cases[k].chroma_size);
    filter.size = cases[k].size;
    filter.sigma = cases[k].sigma;
    filter.scale = cases[k].scale;
    filter.bias = cases[k].bias;
    filter.response = cases[k].response;
    CcFilter luma = filter, chroma = filter;
    luma.chroma_kernel = chroma.chroma_kernel = NULL;
    luma.chroma_size = chroma.chroma_size = 0;
    if (cases[k].chroma_size)
      chroma.size = cases[k].chroma_size;
    if (cases[k].chroma_kernel) {
      chroma.kernel = cc_kernels_find(cases[k].chroma_kernel);
      chroma.scale = chroma.bias = 0;
      chroma.response = CC_RESPONSE_AUTO;
      filter.chroma = CC_CHROMA_AUTO; /* the kernel for chroma implies filter */
    }
    g_test_message("%s with %s, %s", cases[k].kernel, cases[k].chroma_kernel, format);
    g_autoptr(CcPlan) plan = plan_for(&filter, format, TRUE);
    g_autoptr(CcPlan) of_luma = plan_for(&luma, format, TRUE);
    g_autoptr(CcPlan) of_chroma = plan_for(&chroma, format, TRUE);
    check_cover(plan);
    g_assert_cmpuint(plan->n_ops, ==, 2);
    for (CcRole role = CC_ROLE_LUMA; role <= CC_ROLE_CR; role++) {
      const CcPlan *single = cc_role_is_chroma(role) ? of_chroma : of_luma;
      const CcOp *op = pass_of_role(plan, role)->op;
      g_assert_true(op == cc_plan_get_op(plan, cc_role_is_chroma(role)));
      g_assert_true(same_op(op, pass_of_role(single, role)->op));
    }
    g_assert_cmpuint(plan->kernel_width, ==, of_luma->kernel_width);
    g_assert_null(cc_plan_get_op(of_luma, TRUE));
  }
}

/* Formats without chroma have the plan of luma. */
static void
test_no_chroma(void) {
  static const gchar *const formats[] = {"GRAY8", "RGB", "ARGB64", "GBR_10LE"};
  const CcFilter filter = with_chroma("sobel", "gaussian", 9);
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autoptr(CcPlan) plan = plan_for(&filter, formats[i], FALSE);
    g_autoptr(CcPlan) named = plan_for_named("sobel", 0, formats[i]);
    g_assert_null(cc_plan_get_op(plan, TRUE));
    g_assert_true(same_op(plan->op, named->op));
    g_assert_cmpuint(plan->n_ops, ==, 1);
  }
}

/* Where chroma is not filtered, its kernel has no effect, and the plan has no op of it. With
 * roi-sigma the plans of regions have other filters. */
static void
test_ignored_chroma_kernel(void) {
  CcKernel *gaussian = cc_kernels_find("gaussian"), *box = cc_kernels_find("box");
  CcKernel *sobel = cc_kernels_find("sobel");
  const struct {
    CcFilter filter;
    const gchar *reason; /* NULL: it has an effect, or it is not set */
  } cases[] = {
      {{.kernel = sobel}, NULL},
      {{.kernel = sobel, .overlay = 0xffff0000}, NULL},
      {{.chroma_kernel = box}, NULL}, /* no coefficients are set */
      {{.kernel = gaussian, .chroma_size = 3}, NULL},
      {{.kernel = sobel, .chroma_kernel = box}, NULL},
      {{.kernel = sobel, .chroma_size = 3, .chroma = CC_CHROMA_FILTER}, NULL},
      {{.kernel = sobel, .chroma_size = 3}, "chroma is not filtered"},
      {{.kernel = sobel, .chroma_size = 3, .response = CC_RESPONSE_DIRECTION},
       "chroma is not filtered"},
      {{.kernel = gaussian, .chroma_kernel = box, .chroma = CC_CHROMA_COPY},
       "chroma is not filtered"},
      {{.kernel = gaussian, .chroma_size = 3, .chroma = CC_CHROMA_NEUTRAL},
       "chroma is not filtered"},
      {{.kernel = sobel, .chroma_kernel = box, .overlay = 0xffff0000}, "the overlay replaces"},
      {{.kernel = sobel, .chroma_kernel = box, .threshold = 0.5}, "the threshold sets"},
      {{.kernel = gaussian, .chroma_kernel = box, .roi_sigma = 0.1}, "roi-sigma blurs"},
      {{.kernel = sobel, .chroma_kernel = box, .roi_sigma = 0.1}, NULL}, /* no roi-sigma either */
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter *filter = &cases[i].filter;
    const gchar *reason = cc_filter_ignores_chroma_kernel(filter), *wanted = cases[i].reason;
    g_test_message("row %u: %s", i, reason);
    g_assert_true(wanted ? reason && g_str_has_prefix(reason, wanted) : reason == NULL);
    if (!wanted || filter->roi_sigma > 0)
      continue;
    g_autoptr(CcPlan) plan = plan_for(filter, "NV12", FALSE);
    g_assert_null(cc_plan_get_op(plan, TRUE));
  }
}

/* --- weighted alpha --- */

/* The planes of the inner plan, the colors that are made from each plane, and what becomes of the
 * components of the frame. */
static void
test_weighted(void) {
  static const struct {
    const gchar *format, *kernel, *chroma_kernel;
    CcFilter settings;
    guint alpha, n_planes, colors[2];
    gboolean is_luma;
  } cases[] = {
      {"RGBA", "gaussian", NULL, {0}, 3, 1, {0x7}, FALSE},
      {"BGRA", "box", NULL, {.size = 31, .stride = 2}, 3, 1, {0x7}, FALSE},
      {"ARGB", "motion-blur", NULL, {.border = CC_BORDER_WRAP}, 0, 1, {0xe}, FALSE},
      {"ARGB64", "gaussian", NULL, {.sigma = 3}, 0, 1, {0xe}, FALSE},
      {"ABGR", "gaussian", "box", {.chroma_size = 3}, 0, 1, {0xe}, FALSE},
      {"AYUV", "gaussian", NULL, {0}, 0, 1, {0xe}, FALSE},
      {"AYUV", "gaussian", NULL, {.chroma = CC_CHROMA_COPY}, 0, 1, {0x2}, FALSE},
      {"AYUV", "gaussian", NULL, {.chroma = CC_CHROMA_NEUTRAL}, 0, 1, {0x2}, FALSE},
      {"AYUV", "gaussian", NULL, {.threshold = 0.5}, 0, 1, {0x2}, FALSE},
      {"AYUV", "gaussian", NULL, {.overlay = 0xffff0000}, 0, 1, {0x2}, FALSE},
      {"AYUV", "gaussian", "box", {.size = 5}, 0, 2, {0x2, 0xc}, FALSE},
      {"AYUV", "gaussian", NULL, {.chroma_size = 9}, 0, 2, {0x2, 0xc}, FALSE},
      {"AYUV", "box", NULL, {.chroma_size = 9, .chroma = CC_CHROMA_COPY}, 0, 1, {0x2}, FALSE},
      {"RGBA", "gaussian", NULL, {.color = CC_COLOR_GREY}, 3, 1, {0x7}, TRUE},
      {"ARGB64", "box", NULL, {.color = CC_COLOR_GREY, .repeats = 3}, 0, 1, {0xe}, TRUE},
      {"RGBA",
       "box",
       NULL,
       {.repeats = 3, .invert = TRUE, .mixes = TRUE, .mix = -1},
       3,
       1,
       {0x7},
       FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    CcFilter filter = cases[i].settings;
    filter.kernel = cc_kernels_find(cases[i].kernel);
    filter.chroma_kernel = cases[i].chroma_kernel ? cc_kernels_find(cases[i].chroma_kernel) : NULL;
    filter.alpha = CC_ALPHA_WEIGHTED;
    g_test_message("row %u", i);
    g_autoptr(CcPlan) plan = plan_for(&filter, cases[i].format, TRUE);
    const CcStage *divide = &plan->stage[cc_plan_n_repeats(plan) + 1];
    const CcWeighted *weighted = divide->data;
    const CcPlan *inner = cc_plan_get_inner(plan);
    const guint alpha = cases[i].alpha, samples = cases[i].is_luma ? 2 : 4;
    g_assert_cmpint(divide->kind, ==, CC_STAGE_DIVIDE);
    if (!filter.overlay) /* the overlay writes chroma */
      check_cover(plan);
    check_cover(inner);
    g_assert_cmpuint(weighted->alpha, ==, alpha);
    g_assert_cmpint(weighted->is_luma, ==, cases[i].is_luma);
    g_assert_cmpuint(weighted->max, ==, plan->frame_layout.plane[0].depth == 8 ? 255 : 65535);
    g_assert_true(inner->is_inner && !plan->is_inner);
    g_assert_cmpuint(inner->frame_layout.n_planes, ==, cases[i].n_planes);
    g_assert_cmpuint(inner->stride, ==, plan->stride);
    g_assert_cmpuint(inner->n_stages, ==, cc_plan_n_repeats(plan));
    for (guint g = 0; g < cases[i].n_planes; g++) {
      guint filtered, copied, filled;
      collect_masks(inner, g, &filtered, &copied, &filled);
      g_assert_cmpuint(weighted->colors[g], ==, cases[i].colors[g]);
      g_assert_cmpuint(filtered, ==, cases[i].is_luma ? 0x3 : weighted->colors[g] | 1u << alpha);
      g_assert_cmpuint(inner->layout.plane[g].step, ==, samples);
      g_assert_cmpuint(inner->layout.plane[g].depth, ==, 16);
      g_assert_cmpuint(inner->layout.plane[g].width, ==, 33);
      g_assert_cmpuint(inner->out_layout.plane[g].height, ==, plan->out_layout.plane[0].height);
    }
    /* the source's colors are copied; alpha has the op of the first kernel */
    const CcOp *op = pass_of_role(plan, CC_ROLE_ALPHA)->op, *of_products = inner->pass[0].op;
    g_assert_cmpuint(plan->n_ops, ==, 1);
    g_assert_cmpuint(of_products->width, ==, op->width);
    g_assert_cmpuint(of_products->height, ==, op->height);
    g_assert_cmpuint(inner->n_ops, ==, cases[i].n_planes);
    g_assert_cmpint(of_products->hi, ==, 65535);
  }
}

/* The stages in their order, with a stage after them. */
static void
test_weighted_stages(void) {
  static const CcStageKind kinds[] = {CC_STAGE_CONVOLVE, CC_STAGE_PREMULTIPLY, CC_STAGE_DIVIDE,
                                      CC_STAGE_COMPOSE, CC_STAGE_OVERLAY};
  const CcFilter filter = {.kernel = cc_kernels_find("gaussian"),
                           .alpha = CC_ALPHA_WEIGHTED,
                           .threshold = 0.25,
                           .overlay = 0xff00ff00};
  g_autoptr(CcPlan) plan = plan_for(&filter, "AYUV", TRUE);
  g_autofree gchar *text = cc_plan_describe(plan);
  g_assert_cmpuint(plan->n_stages, ==, G_N_ELEMENTS(kinds));
  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
    g_assert_cmpint(plan->stage[i].kind, ==, kinds[i]);
  g_assert_cmpstr(text, ==,
                  "5x5, 1 matrix, separable, exact, sums of 17 bits, clamp, colors weighted by "
                  "alpha, 1 passes");
}

/* Formats without alpha have the plan of alpha=filter. */
static void
test_weighted_without_alpha(void) {
  static const gchar *const formats[] = {"GRAY8", "I420", "RGB", "RGBx", "YUY2", "P010_10LE"};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .alpha = CC_ALPHA_FILTER};
    g_autoptr(CcPlan) filtered = plan_for(&filter, formats[i], FALSE);
    filter.alpha = CC_ALPHA_WEIGHTED;
    g_autoptr(CcPlan) plan = plan_for(&filter, formats[i], FALSE);
    g_autofree gchar *text = cc_plan_describe(plan), *wanted = cc_plan_describe(filtered);
    g_assert_null(cc_plan_get_inner(plan));
    g_assert_cmpuint(plan->n_stages, ==, 1);
    g_assert_cmpuint(plan->n_passes, ==, filtered->n_passes);
    g_assert_cmpstr(text, ==, wanted);
    for (guint p = 0; p < plan->n_passes; p++) {
      g_assert_cmpuint(plan->pass[p].filter_mask, ==, filtered->pass[p].filter_mask);
      g_assert_cmpuint(plan->pass[p].copy_mask, ==, filtered->pass[p].copy_mask);
    }
  }
}

/* --- refused filters, and unusual valid ones --- */

static void
assert_refused(const CcFilter *filter, const gchar *part, const gchar *other_part) {
  const CcFrameLayout layout = test_format_layout(test_format_find("I420"), 8, 8, FALSE);
  g_autoptr(GError) error = NULL;
  CcPlan *plan = cc_plan_new(filter, &layout, &error);
  g_assert_null(plan);
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, part));
  g_assert_nonnull(strstr(error->message, other_part));
}

/* Errors that no frame could avoid are found without a frame. Filters that depend on the frame are
 * not refused. */
static void
test_check(void) {
  const CcFilter possible[] = {
      {.kernel = cc_kernels_find("sobel")},
      {.kernel = cc_kernels_find("sobel"), .response = CC_RESPONSE_DIRECTION},
      {.kernel = cc_kernels_find("box"), .size = 15, .stride = 4, .border = CC_BORDER_WRAP},
      /* the backend checks the algorithm */
      {.kernel = cc_kernels_find("kirsch"), .algorithm = CC_ALGORITHM_TWO_PASS},
  };
  const CcFilter impossible[] = {
      {.kernel = cc_kernels_find("gaussian"), .sigma = 22},
      {.kernel = cc_kernels_find("gaussian"), .response = CC_RESPONSE_DIRECTION},
      {.kernel = cc_kernels_find("sobel"), .stride = 3},
      {.kernel = cc_kernels_find("sobel"), .bias = NAN},
  };
  g_autoptr(GError) none = NULL;
  for (guint i = 0; i < G_N_ELEMENTS(possible); i++) {
    g_assert_true(cc_filter_check(&possible[i], &none));
    g_assert_no_error(none);
  }
  for (guint i = 0; i < G_N_ELEMENTS(impossible); i++) {
    g_autoptr(GError) error = NULL, of_plan = NULL;
    const CcFrameLayout layout = test_format_layout(test_format_find("I420"), 33, 17, TRUE);
    g_assert_false(cc_filter_check(&impossible[i], &error));
    g_assert_null(cc_plan_new(&impossible[i], &layout, &of_plan));
    g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
    g_assert_cmpstr(error->message, ==, of_plan->message);
  }
}

static void
test_refused(void) {
  CcKernel *sobel = cc_kernels_find("sobel"), *gaussian = cc_kernels_find("gaussian");
  const struct {
    CcFilter filter;
    const gchar *part, *other_part;
  } cases[] = {
      {{.kernel = sobel, .size = 4}, "size=4", "odd"},
      {{.kernel = sobel, .size = 129}, "size=129", "127"},
      {{.kernel = gaussian, .size = 4, .sigma = 1}, "size=4", "odd"},
      {{.kernel = gaussian, .size = 129, .sigma = 1}, "size=129", "127"},
      {{.kernel = gaussian, .sigma = -1}, "sigma=-1", "0"},
      {{.kernel = gaussian, .sigma = NAN}, "sigma=", "0"},
      {{.kernel = gaussian, .sigma = INFINITY}, "sigma=inf", "0"},
      {{.kernel = gaussian, .sigma = 21.09}, "sigma=21.09", "21.08 is the largest sigma"},
      {{.kernel = gaussian, .sigma = 1000}, "sigma=1000", "size=127 cuts the Gaussian off"},
      {{.kernel = gaussian, .size = 15, .sigma = 1001}, "sigma=1001", "1000"},
      {{.kernel = sobel, .scale = NAN}, "scale=", "1e+"},
      {{.kernel = sobel, .scale = INFINITY}, "scale=inf", "1e+"},
      {{.kernel = sobel, .scale = -1e300}, "scale=-1e+300", "1e+"},
      {{.kernel = sobel, .bias = NAN}, "bias=", "65535"},
      {{.kernel = sobel, .bias = 1e300}, "bias=1e+300", "65535"},
      {{.kernel = sobel, .border_value = 1.5}, "border-value=1.5", "0 to 1"},
      {{.kernel = sobel, .border_value = -0.1}, "border-value=-0.1", "0 to 1"},
      {{.kernel = sobel, .border_value = NAN}, "border-value=", "0 to 1"},
      {{.kernel = gaussian, .response = CC_RESPONSE_DIRECTION}, "response=direction", "gaussian"},
      {{.kernel = cc_kernels_find("kirsch"), .response = CC_RESPONSE_DIRECTION},
       "response=direction",
       "8"},
      {{.kernel = sobel, .chroma_size = 4}, "chroma-size=4: size=4", "odd"},
      {{.kernel = sobel, .sigma = 22, .chroma_kernel = gaussian},
       "chroma-kernel=gaussian: sigma=22",
       "21.08 is the largest sigma"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
    assert_refused(&cases[i].filter, cases[i].part, cases[i].other_part);
}

/* Canny's edges need a named gradient and luma: neither chroma nor R, G and B by themselves have
 * edges. */
static void
test_canny_refused(void) {
  static const gdouble taps[] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
  CcKernel *sobel = cc_kernels_find("sobel"), *scharr = cc_kernels_find("scharr");
  CcKernel *gaussian = cc_kernels_find("gaussian");
  g_autoptr(CcKernel) custom = cc_kernel_new_square(taps, 9, NULL);
  const struct {
    CcFilter filter;
    const gchar *part, *other_part; /* NULL: is not refused */
  } cases[] = {
      {{.kernel = sobel, .high = CC_MAX_GRADIENT}, NULL, NULL},
      {{.kernel = sobel, .size = 7, .low = 300, .high = 2}, NULL, NULL},
      {{.kernel = scharr, .color = CC_COLOR_GREY, .chroma = CC_CHROMA_COPY}, NULL, NULL},
      {{.kernel = cc_kernels_find("prewitt"), .stride = 4, .alpha = CC_ALPHA_FILTER}, NULL, NULL},
      {{.kernel = sobel, .chroma_kernel = gaussian, .chroma_size = 3}, NULL, NULL},
      {{.kernel = sobel, .chroma_kernel = gaussian, .chroma = CC_CHROMA_FILTER}, NULL, NULL},
      {{.kernel = sobel, .repeats = 1}, NULL, NULL},
      {{.kernel = cc_kernels_find("roberts")}, "the kernel is roberts", "sobel, scharr or prewitt"},
      {{.kernel = cc_kernels_find("sobel-x")}, "the kernel is sobel-x", "sobel, scharr or prewitt"},
      {{.kernel = cc_kernels_find("kirsch")}, "the kernel is kirsch", "sobel, scharr or prewitt"},
      {{.kernel = gaussian}, "the kernel is gaussian", "sobel, scharr or prewitt is needed"},
      {{.kernel = custom}, "the kernel is custom", "sobel, scharr or prewitt is needed"},
      {{.kernel = sobel, .color = CC_COLOR_COMPONENTS}, "color=components is set", "auto or grey"},
      {{.kernel = sobel, .chroma = CC_CHROMA_FILTER}, "chroma=filter is set", "copy or neutral"},
      {{.kernel = sobel, .chroma_size = 3, .chroma = CC_CHROMA_FILTER},
       "chroma-size is set",
       "a chroma-kernel is needed, or 0"},
      {{.kernel = sobel, .low = -1}, "low=-1", "0 to 1e+06"},
      {{.kernel = sobel, .low = NAN}, "low=", "0 to 1e+06"},
      {{.kernel = sobel, .high = 2e6}, "high=2e+06", "0 to 1e+06"},
      {{.kernel = sobel, .high = INFINITY}, "high=inf", "0 to 1e+06"},
      {{.kernel = sobel, .repeats = 2}, "repeats=2", "1 with a stride, with canny"},
      {{.kernel = sobel, .alpha = CC_ALPHA_WEIGHTED}, "alpha=weighted", "has negative taps"},
  };
  for (guint i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
    const gchar *part = cases[i / 2].part;
    CcFilter filter = cases[i / 2].filter;
    filter.response = i % 2 ? CC_RESPONSE_CANNY_L1 : CC_RESPONSE_CANNY;
    g_test_message("row %u", i / 2);
    if (part) {
      assert_refused(&filter, part, cases[i / 2].other_part);
      continue;
    }
    g_autoptr(CcPlan) plan = plan_for(&filter, "I420", FALSE);
    g_assert_nonnull(cc_plan_get_canny(plan));
  }
}

/* The thresholds of the plan: exchanged, in the code values of the format, divided as the gradient
 * is with 7x7, squared, and rounded down. */
static void
test_canny_thresholds(void) {
  static const struct {
    const gchar *format;
    gboolean limited;
    guint size;
    CcResponse response;
    gdouble low, high;
    gint64 expected[2];
    guint black, white;
  } cases[] = {
      {"GRAY8", FALSE, 3, CC_RESPONSE_CANNY_L1, 10, 20, {10, 20}, 0, 255},
      {"GRAY8", FALSE, 3, CC_RESPONSE_CANNY_L1, 20.99, 10.5, {10, 20}, 0, 255},
      {"GRAY8", FALSE, 3, CC_RESPONSE_CANNY, 10.5, 20, {110, 400}, 0, 255},
      {"GRAY8", FALSE, 5, CC_RESPONSE_CANNY, 0.5, 0, {0, 0}, 0, 255},
      {"GRAY8", FALSE, 7, CC_RESPONSE_CANNY_L1, 31, 32, {1, 2}, 0, 255},
      {"GRAY8", FALSE, 7, CC_RESPONSE_CANNY, 24, 15, {0, 2}, 0, 255},
      {"NV12", TRUE, 3, CC_RESPONSE_CANNY_L1, 10, 20, {10, 20}, 16, 235},
      {"NV12", FALSE, 3, CC_RESPONSE_CANNY_L1, 10, 20, {10, 20}, 0, 255},
      {"P010_10LE", TRUE, 3, CC_RESPONSE_CANNY_L1, 10.3, 20, {41, 80}, 64 << 6, 940 << 6},
      {"P010_10LE", FALSE, 3, CC_RESPONSE_CANNY_L1, 85, 86, {341, 345}, 0, 1023 << 6},
      {"GRAY16_LE",
       FALSE,
       3,
       CC_RESPONSE_CANNY,
       100,
       1e6,
       {25700 * 25700, 66049000000000000},
       0,
       65535},
      {"RGB", TRUE, 3, CC_RESPONSE_CANNY_L1, 10, 20, {10, 20}, 0, 255},
      {"GBR_10LE", TRUE, 3, CC_RESPONSE_CANNY_L1, 85, 86, {341, 345}, 0, 1023},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find("sobel"),
                             .size = cases[i].size,
                             .response = cases[i].response,
                             .low = cases[i].low,
                             .high = cases[i].high,
                             .scale = 0.3,
                             .bias = 20};
    g_test_message("row %u", i);
    g_autoptr(CcPlan) plan = plan_for(&filter, cases[i].format, cases[i].limited);
    const CcCanny *canny = cc_plan_get_canny(plan);
    g_assert_cmpint(canny->low, ==, cases[i].expected[0]);
    g_assert_cmpint(canny->high, ==, cases[i].expected[1]);
    g_assert_cmpuint(canny->black, ==, cases[i].black);
    g_assert_cmpuint(canny->white, ==, cases[i].white);
  }
}

/* The sizes of a kernel may have different numbers of matrices. */
static void
test_direction_of_sizes(void) {
  static const gchar text[] = "[k]\nmatrix-1=1 | 2\nmatrix-3=1 2 1; 2 4 2; 1 2 1\n";
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) kernels = cc_kernels_parse(text, strlen(text), "k", &error);
  g_assert_no_error(error);
  CcFilter filter = {.kernel = g_ptr_array_index(kernels, 0),
                     .size = 1,
                     .response = CC_RESPONSE_DIRECTION,
                     .chroma = CC_CHROMA_FILTER};
  g_autoptr(CcPlan) plan = plan_for(&filter, "I420", FALSE);
  filter.chroma_size = 3;
  assert_refused(&filter, "chroma-size=3: response=direction", "has 1 matrix");
}

static void
test_weighted_refused(void) {
  static const gchar text[] = "[two]\nmatrix-1=1 | 2\nresponse=clamp\n"
                              "[scaled]\nmatrix-1=1\nscale-1=0.25\n"
                              "[sizes]\nmatrix-1=1\nmatrix-3=1 0 0; 0 4 0; 0 0 -1\n";
  static const gdouble falls[] = {1, -1, 3}, negative[] = {-1, -2, -1};
  static const gdouble many[17] = {[3] = 2, [9] = -1}; /* too many for a matrix */
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) kernels = cc_kernels_parse(text, strlen(text), "k", &error);
  g_assert_no_error(error);
  g_autoptr(CcKernel) line = cc_kernel_new_separable(falls, 3, falls, 1, NULL);
  g_autoptr(CcKernel) long_line = cc_kernel_new_separable(many, 17, falls, 1, NULL);
  g_autoptr(CcKernel) product = cc_kernel_new_separable(negative, 3, negative, 3, NULL);
  CcKernel *box = cc_kernels_find("box"), *sharpen = cc_kernels_find("sharpen");
  const struct {
    CcFilter filter;
    const gchar *part, *other_part; /* NULL: is not refused */
  } cases[] = {
      {{.kernel = box}, NULL, NULL},
      {{.kernel = product}, NULL, NULL},
      {{.kernel = cc_kernels_find("identity"), .response = CC_RESPONSE_CLAMP}, NULL, NULL},
      {{.kernel = box, .border = CC_BORDER_REFLECT, .border_value = 1}, NULL, NULL},
      {{.kernel = sharpen}, "alpha=weighted: the kernel sharpen has negative taps", "a blur"},
      {{.kernel = line}, "has negative taps", "a blur is needed"},
      {{.kernel = long_line}, "has negative taps", "a blur is needed"},
      {{.kernel = cc_kernels_find("sobel")}, "the kernel sobel has negative taps", "a blur"},
      {{.kernel = box, .response = CC_RESPONSE_ABSOLUTE}, "the response is absolute", "clamp is"},
      {{.kernel = kernels->pdata[0]}, "the kernel two has 2 matrices", "one is needed"},
      {{.kernel = kernels->pdata[1], .size = 1}, "the scale is 0.25, that of the kernel", "autom"},
      {{.kernel = box, .scale = 0.5}, "scale=0.5 is set", "0 is needed"},
      {{.kernel = box, .scale = -1}, "scale=-1 is set", "0 is needed"},
      {{.kernel = box, .bias = 3}, "bias=3 is set", "0 is needed"},
      {{.kernel = box, .border = CC_BORDER_CONSTANT}, "border=constant is", "another border"},
      {{.kernel = box, .chroma_kernel = sharpen},
       "chroma-kernel=sharpen: alpha=weighted: ",
       "blur"},
      {{.kernel = box, .chroma_kernel = sharpen, .chroma = CC_CHROMA_COPY}, NULL, NULL},
      {{.kernel = kernels->pdata[2], .size = 1}, NULL, NULL},
      {{.kernel = kernels->pdata[2], .size = 1, .chroma_size = 3},
       "chroma-size=3: alpha=weighted: the kernel sizes has negative taps",
       "a blur"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    CcFilter filter = cases[i].filter;
    filter.alpha = CC_ALPHA_WEIGHTED;
    g_test_message("row %u", i);
    g_assert_cmpint(cc_filter_check(&filter, NULL), ==, cases[i].part == NULL);
    if (cases[i].part)
      assert_refused(&filter, cases[i].part, cases[i].other_part);
    filter.alpha = CC_ALPHA_FILTER;
    g_assert_true(cc_filter_check(&filter, NULL));
  }
}

/* A Gaussian narrower than a pixel is the identity, however narrow. */
static void
test_tiny_sigma(void) {
  static const gdouble sigmas[] = {0.05, 1e-3, 1e-100, 1e-200, 4.9e-324};
  for (guint i = 0; i < G_N_ELEMENTS(sigmas); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find("gaussian"), .sigma = sigmas[i]};
    g_autoptr(CcPlan) plan = plan_for(&filter, "GRAY8", FALSE);
    g_assert_cmpfloat(plan->op->error, ==, 0);
    g_assert_cmpuint(plan->op->width, ==, 1);
    g_assert_cmpuint(plan->op->height, ==, 1);
    g_assert_cmpint(plan->op->tap_i[0], ==, 1);
  }
}

/* A scale keeps its value, however small. */
static void
test_tiny_scale(void) {
  static const gdouble scales[] = {1e-6, 1.2345e-9, 1e-13, 1e-30, 1e-300};
  for (guint i = 0; i < G_N_ELEMENTS(scales); i++) {
    const CcFilter filter = {.kernel = cc_kernels_find("laplacian"), .scale = scales[i]};
    g_autoptr(CcPlan) plan = plan_for(&filter, "GRAY16_LE", FALSE);
    g_assert_cmpfloat_with_epsilon(plan->op->mul / scales[i], 1, 1e-12);
  }
}

static void
test_describe(void) {
  g_autoptr(CcPlan) plan = plan_for_named("sobel", 5, "NV12");
  g_autofree gchar *text = cc_plan_describe(plan);
  g_test_message("%s", text);
  g_assert_nonnull(strstr(text, "5x5"));
  g_assert_nonnull(strstr(text, "magnitude"));
  g_assert_nonnull(strstr(text, "separable"));
  g_assert_null(strstr(text, "chroma"));
  const CcFilter filter = with_chroma("sobel", "gaussian", 3);
  g_autoptr(CcPlan) with_both = plan_for(&filter, "NV12", FALSE);
  g_autofree gchar *both = cc_plan_describe(with_both);
  g_assert_cmpstr(both, ==,
                  "3x3, 2 matrices, separable, exact, sums of 11 bits, magnitude, chroma: 3x3, "
                  "1 matrix, separable, exact, sums of 13 bits, clamp, 2 passes");
}

/* A stage for each repetition after the first, before compose. */
static void
test_repeats(void) {
  for (guint n = 0; n <= CC_MAX_REPEATS; n++) {
    const guint n_more = MAX(n, 1) - 1;
    const CcFilter filter = {
        .kernel = cc_kernels_find("box"), .size = 31, .repeats = n, .invert = TRUE};
    g_autoptr(CcPlan) plan = plan_for(&filter, "YUY2", FALSE);
    g_autofree gchar *text = cc_plan_describe(plan);
    g_autofree gchar *end = g_strdup_printf(", %u repetitions, 2 passes", n);
    g_assert_cmpint(g_str_has_suffix(text, end), ==, n > 1);
    g_assert_cmpuint(cc_plan_n_repeats(plan), ==, 1 + n_more);
    g_assert_true(cc_plan_may_change_planes(plan));
    g_assert_cmpuint(plan->n_passes, ==, 2);
    g_assert_cmpuint(plan->n_stages, ==, 2 + n_more);
    g_assert_cmpint(plan->stage[0].kind, ==, CC_STAGE_CONVOLVE);
    for (guint i = 1; i <= n_more; i++) {
      g_assert_cmpint(plan->stage[i].kind, ==, CC_STAGE_REPEAT);
      g_assert_true(cc_plan_get_reader(plan, &plan->stage[i - 1]) == &plan->stage[i]);
      g_assert_cmpuint(cc_plan_sample_bytes(plan, &plan->stage[i], 0), ==, 1);
    }
    g_assert_null(cc_plan_get_reader(plan, &plan->stage[n_more]));
    g_assert_cmpint(plan->stage[1 + n_more].kind, ==, CC_STAGE_COMPOSE);
  }
}

static void
test_repeats_refused(void) {
  const struct {
    CcFilter filter;
    const gchar *format;
    gboolean ok;
  } cases[] = {
      {{.repeats = CC_MAX_REPEATS + 1}, "GRAY8", FALSE},
      {{.repeats = 2, .stride = 2}, "GRAY8", FALSE},
      {{.repeats = 1, .stride = 2}, "GRAY8", TRUE},
      {{.repeats = 2, .stride = 1}, "GRAY8", TRUE},
      {{.repeats = 2, .response = CC_RESPONSE_DIRECTION}, "GRAY8", TRUE},
      {{.repeats = 2, .response = CC_RESPONSE_DIRECTION}, "RGB", FALSE},
      {{.repeats = 2, .response = CC_RESPONSE_DIRECTION}, "NV12", FALSE},
      {{.repeats = 1, .response = CC_RESPONSE_DIRECTION}, "NV12", TRUE},
      {{.repeats = 2, .response = CC_RESPONSE_DIRECTION, .chroma = CC_CHROMA_COPY}, "NV12", TRUE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    CcFilter filter = cases[i].filter;
    const CcFrameLayout layout =
        test_format_layout(test_format_find(cases[i].format), 33, 17, FALSE);
    g_autoptr(GError) error = NULL;
    filter.kernel = cc_kernels_find("sobel");
    g_autoptr(CcPlan) plan = cc_plan_new(&filter, &layout, &error);
    g_assert_cmpint(plan != NULL, ==, cases[i].ok);
    if (cases[i].ok)
      continue;
    g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
    g_assert_true(g_str_has_prefix(error->message, "repeats="));
  }
}

static void
test_layouts_differ(void) {
  const TestFormat *nv12 = test_format_find("NV12"), *nv16 = test_format_find("NV16");
  const CcFrameLayout a = test_format_layout(nv12, 64, 48, TRUE);
  const CcFrameLayout same = test_format_layout(nv12, 64, 48, TRUE);
  CcFrameLayout with_pairs = a;
  with_pairs.plane[0].has_macropixels = TRUE;
  const CcFrameLayout others[] = {
      test_format_layout(nv12, 65, 48, TRUE),
      test_format_layout(nv12, 64, 50, TRUE),
      test_format_layout(nv12, 64, 48, FALSE),
      test_format_layout(nv16, 64, 48, TRUE),
      test_format_layout(test_format_find("P010_10LE"), 64, 48, TRUE),
      test_format_layout(test_format_find("I420"), 64, 48, TRUE),
      with_pairs,
  };
  g_assert_true(cc_frame_layout_equal(&a, &same));
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    g_assert_false(cc_frame_layout_equal(&a, &others[i]));
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan/canny-refused", test_canny_refused);
  g_test_add_func("/plan/canny-thresholds", test_canny_thresholds);
  g_test_add_func("/plan/named", test_named);
  g_test_add_func("/plan/random-separable", test_random_separable);
  g_test_add_func("/plan/not-separable", test_not_separable);
  g_test_add_func("/plan/exact", test_exact);
  g_test_add_func("/plan/gaussian-sizes", test_gaussian_sizes);
  g_test_add_func("/plan/sizes", test_sizes);
  g_test_add_func("/plan/trimmed", test_trimmed);
  g_test_add_func("/plan/sigma-elsewhere", test_sigma_elsewhere);
  g_test_add_func("/plan/bounds", test_bounds);
  g_test_add_func("/plan/arithmetic", test_arithmetic);
  g_test_add_func("/plan/border-index", test_border_index);
  g_test_add_func("/plan/border-rows", test_border_rows);
  g_test_add_func("/plan/cover", test_cover);
  g_test_add_func("/plan/roles", test_roles);
  g_test_add_func("/plan/fill-and-border-values", test_fill_and_border_values);
  g_test_add_func("/plan/range", test_range);
  g_test_add_func("/plan/sizes-of-sigma", test_sizes_of_sigma);
  g_test_add_func("/plan/negative-scale", test_negative_scale);
  g_test_add_func("/plan/chroma-kernel", test_chroma_kernel);
  g_test_add_func("/plan/no-chroma", test_no_chroma);
  g_test_add_func("/plan/ignored-chroma-kernel", test_ignored_chroma_kernel);
  g_test_add_func("/plan/direction-of-sizes", test_direction_of_sizes);
  g_test_add_func("/plan/weighted", test_weighted);
  g_test_add_func("/plan/weighted-stages", test_weighted_stages);
  g_test_add_func("/plan/weighted-without-alpha", test_weighted_without_alpha);
  g_test_add_func("/plan/weighted-refused", test_weighted_refused);
  g_test_add_func("/plan/check", test_check);
  g_test_add_func("/plan/refused", test_refused);
  g_test_add_func("/plan/tiny-sigma", test_tiny_sigma);
  g_test_add_func("/plan/tiny-scale", test_tiny_scale);
  g_test_add_func("/plan/describe", test_describe);
  g_test_add_func("/plan/repeats", test_repeats);
  g_test_add_func("/plan/repeats-refused", test_repeats_refused);
  g_test_add_func("/plan/layouts-differ", test_layouts_differ);
  return g_test_run();
}
