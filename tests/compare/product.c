/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/compare/product.h"
#include "tests/ref/roleletters.h"

#define N_SIDES 7 /* 3 to 15 */
#define N_TYPES 2
#define PASCAL_SIDE 7 /* the largest window whose row is binomial; larger ones rise by 1 */

/* The last three of each row are packed: YUY2, and RGB and RGBA filtered as grey. */
#define N_SHAPES 7
static const TestFormat formats[N_TYPES][N_SHAPES] = {
    {{"8-bit-x1", CC_SAMPLE_U8, 8, 0, 1, {{1, 1, 1, {W}}}},
     {"8-bit-x2", CC_SAMPLE_U8, 8, 0, 1, {{2, 1, 1, {W, W}}}},
     {"8-bit-x3", CC_SAMPLE_U8, 8, 0, 1, {{3, 1, 1, {W, W, W}}}},
     {"8-bit-x4", CC_SAMPLE_U8, 8, 0, 1, {{4, 1, 1, {W, W, W, A}}}},
     {"8-bit-pairs", CC_SAMPLE_U8, 8, 0, 1, {{4, 1, 1, {Y, U, Y, V}}}},
     {"8-bit-rgb", CC_SAMPLE_U8, 8, 0, 1, {{3, 1, 1, {R, G, B}}}},
     {"8-bit-rgba", CC_SAMPLE_U8, 8, 0, 1, {{4, 1, 1, {R, G, B, A}}}}},
    {{"16-bit-x1", CC_SAMPLE_U16, 16, 0, 1, {{1, 1, 1, {W}}}},
     {"16-bit-x2", CC_SAMPLE_U16, 16, 0, 1, {{2, 1, 1, {W, W}}}},
     {"16-bit-x3", CC_SAMPLE_U16, 16, 0, 1, {{3, 1, 1, {W, W, W}}}},
     {"16-bit-x4", CC_SAMPLE_U16, 16, 0, 1, {{4, 1, 1, {W, W, W, A}}}},
     {"16-bit-pairs", CC_SAMPLE_U16, 16, 0, 1, {{4, 1, 1, {Y, U, Y, V}}}},
     {"16-bit-rgb", CC_SAMPLE_U16, 16, 0, 1, {{3, 1, 1, {R, G, B}}}},
     {"16-bit-rgba", CC_SAMPLE_U16, 16, 0, 1, {{4, 1, 1, {R, G, B, A}}}}},
};
static const guint sizes[][2] = {{5, 3}, {93, 41}, {640, 360}};
static const guint strides[] = {1, 2, 4};

enum { KERNEL_SEPARABLE, KERNEL_WHOLE, KERNEL_GRADIENT, N_KERNELS };

struct _Product {
  guint n_sizes;
  CcKernel *kernel[N_KERNELS][N_SIDES];
  gchar *label[N_KERNELS][N_SIDES];
};

/* Returns a blur: 1 2 1, 1 4 6 4 1 and so on. */
static CcKernel *
separable_kernel(guint side) {
  gdouble row[CC_MAX_MATRIX_SIZE] = {1};
  for (guint i = 1; i < side; i++)
    row[i] = side <= PASCAL_SIDE ? row[i - 1] * (side - i) / i : MIN(i + 1, side - i);
  return cc_kernel_new_separable(row, side, row, side, NULL);
}

/* Returns coefficients of both signs without any pattern. */
static CcKernel *
whole_kernel(guint side) {
  g_autoptr(GRand) rand = g_rand_new_with_seed(side);
  gdouble coeff[CC_MAX_COEFFS];
  for (guint i = 0; i < side * side; i++)
    coeff[i] = g_rand_int_range(rand, -3, 6);
  return cc_kernel_new_matrix(coeff, side * side, side, NULL);
}

/* Appends `side` equal numbers that add up to `sum` or a little less. Number `odd` is larger by
 * 1. */
static void
append_line(GString *text, const gchar *before, guint side, guint sum, guint odd) {
  g_string_append(text, before);
  for (guint i = 0; i < side; i++)
    g_string_append_printf(text, " %u", sum / side + (i == odd));
}

/* Returns the magnitude of two separable matrices. Elements of a row add up to about `row_sum`,
 * those of a column to about `column_sum`. */
static CcKernel *
gradient_kernel(guint side, guint row_sum, guint column_sum) {
  g_autoptr(GString) text = g_string_new("[gradient]\nclass=plain\nresponse=magnitude\n");
  g_autoptr(GError) error = NULL;
  g_string_append_printf(text, "scale-%u=1\nrow-%u=", side, side);
  append_line(text, "", side, row_sum, 0);
  append_line(text, " |", side, row_sum, side - 1);
  g_string_append_printf(text, "\ncolumn-%u=", side);
  append_line(text, "", side, column_sum, 0);
  append_line(text, " |", side, column_sum, side - 1);
  g_autoptr(GPtrArray) parsed = cc_kernels_parse(text->str, text->len, "gradient", &error);
  g_assert_no_error(error);
  return cc_kernel_ref(g_ptr_array_index(parsed, 0));
}

Product *
product_new(gboolean large) {
  Product *product = g_new0(Product, 1);
  product->n_sizes = G_N_ELEMENTS(sizes) - (large ? 0 : 1);
  for (guint i = 0; i < N_SIDES; i++) {
    const guint side = 2 * i + 3;
    product->kernel[KERNEL_SEPARABLE][i] = separable_kernel(side);
    product->kernel[KERNEL_WHOLE][i] = whole_kernel(side);
    /* With 16-bit samples: odd i have sums that nearly fill 32 bits, and a larger root. Even i have
     * squares near the limit of the roots of words, CC_TENSOR_CORE_MAX_SQUARES. */
    product->kernel[KERNEL_GRADIENT][i] =
        i % 2 ? gradient_kernel(side, 127, 91) : gradient_kernel(side, 252, 127);
    product->label[KERNEL_SEPARABLE][i] = g_strdup_printf("blur(%ux%u)", side, side);
    product->label[KERNEL_WHOLE][i] = g_strdup_printf("whole(%ux%u)", side, side);
    product->label[KERNEL_GRADIENT][i] = g_strdup_printf("gradient(%ux%u)", side, side);
  }
  return product;
}

void
product_free(Product *product) {
  for (guint k = 0; k < N_KERNELS; k++) {
    for (guint i = 0; i < N_SIDES; i++) {
      cc_kernel_unref(product->kernel[k][i]);
      g_free(product->label[k][i]);
    }
  }
  g_free(product);
}

guint
product_count(const Product *product) {
  return N_TYPES * N_SHAPES * N_SIDES * N_KERNELS * CC_N_BORDERS * G_N_ELEMENTS(strides) *
         product->n_sizes;
}

/* Returns the next digit of a case's number. */
static guint
take_digit(guint *rest, guint n) {
  const guint digit = *rest % n;
  *rest /= n;
  return digit;
}

Case
product_get(const Product *product, guint index) {
  guint rest = index;
  const guint stride = take_digit(&rest, G_N_ELEMENTS(strides));
  const guint border = take_digit(&rest, CC_N_BORDERS);
  const guint kernel = take_digit(&rest, N_KERNELS);
  const guint side = take_digit(&rest, N_SIDES);
  const guint shape = take_digit(&rest, N_SHAPES);
  const guint type = take_digit(&rest, N_TYPES);
  const guint *size = sizes[take_digit(&rest, product->n_sizes)];
  const TestFormat *format = &formats[type][shape];
  return (Case){
      .filter =
          {
              .kernel = product->kernel[kernel][side],
              .border = (CcBorder)border,
              .border_value = 0.3,
              .chroma = CC_CHROMA_FILTER,
              .color = CC_COLOR_GREY,
              .alpha = border % 2 ? CC_ALPHA_FILTER : CC_ALPHA_COPY,
              .stride = strides[stride],
          },
      .layout = test_format_layout(format, size[0], size[1], FALSE),
      .pattern = kernel == KERNEL_GRADIENT ? PATTERN_SPIKES : PATTERN_RANDOM,
      .src = index % PLACEMENT_COUNT,
      .dst = index / PLACEMENT_COUNT % PLACEMENT_COUNT,
      .seed = index,
      .kernel = product->label[kernel][side],
      .format = format->name,
      .range = "full",
      .width = size[0],
      .height = size[1],
  };
}
